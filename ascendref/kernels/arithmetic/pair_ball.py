"""Balls around double-doubles: they decide nearly all that balls around doubles leave open."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

from .ball import Ball
from .functions import NARROW_FARTHEST, Constant
from .midpoints import PAIRS
from .pair_ball_functions import apply
from .pair_ball_operations import add, divide, multiply


class PairBall(Ball):
    """A ball around a double-double. Its bound is ``spread`` alone, None where it is exact."""

    __slots__ = ()

    field: ClassVar[Any] = PAIRS
    _sum: ClassVar[Any] = staticmethod(add)
    _product: ClassVar[Any] = staticmethod(multiply)
    _quotient: ClassVar[Any] = staticmethod(divide)
    _applied: ClassVar[Any] = staticmethod(apply)

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


class NarrowPairBall(PairBall):
    """The same in a formula of narrow numbers."""

    __slots__ = ()

    farthest: ClassVar[float] = NARROW_FARTHEST
