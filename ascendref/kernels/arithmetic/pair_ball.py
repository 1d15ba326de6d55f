"""Balls around double-doubles: they decide nearly all that balls around doubles leave open."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Self

from .ball import Ball
from .midpoints import PAIRS, Field
from .pair_ball_functions import apply
from .pair_ball_operations import add, divide, multiply
from .registers import Constant


class PairBall(Ball):
    """A ball around a double-double. Its bound is ``spread`` alone, None where it is exact."""

    __slots__ = ()

    field: ClassVar[Field] = PAIRS
    _sum = staticmethod(add)
    _product = staticmethod(multiply)
    _quotient = staticmethod(divide)
    _applied = staticmethod(apply)

    def lift(self, number: Ball | Constant) -> Self:
        """Return a constant as a ball."""
        found = super().lift(number)
        if not found.relative:
            return found
        return replace(found, relative=0.0, spread=self.size.lift(found.most * found.relative))

    @property
    def inverted(self) -> bool:
        """Whether a division by it may wait: that by the product of two divisors is one division.

        Only then is the quotient of two products seen to be exact.
        """
        return self.tame
