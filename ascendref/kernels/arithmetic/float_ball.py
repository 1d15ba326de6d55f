"""Balls around floats, which decide most results of 16 bits in half the time of doubles.

Elements and scalars beyond limits are as open as infinities, and so are products and quotients that
are small: bounds need no part for underflow, and remainders are exact.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf, nan
from typing import Any, ClassVar, Final, Self

import numpy as np

from .ball import QuickBall
from .bounds import FLOATS, RANGE, Format, Range, Truth, both, differ
from .registers import Register

#: larger elements and scalars are open
_MOST: Final = 2.0**40
#: smaller elements that are not 0 are open, and smaller scalars
_LEAST: Final = 2.0**-43
_LEAST_SCALAR: Final = 2.0**-28


def _bits(number: float) -> int:
    return int(np.float32(number).view(np.int32))


class FloatBall(QuickBall):
    """A ball for elements and results of BF16."""

    __slots__ = ()

    format: ClassVar[Format] = FLOATS

    @staticmethod
    def _constant(like: Register, number: Fraction) -> tuple[Any, Fraction]:
        held = float(np.float32(float(number)))
        return like.lift(held), Fraction(held)

    @classmethod
    def _of(cls, value: Register, known: Range) -> Self:
        ball = super()._of(value, known)
        ball.low, ball.high = max(known.low, -_MOST), min(known.high, _MOST)
        return ball

    @classmethod
    def tensor(cls, value: Register, kind: str, remainder: Register | None = None) -> Self:
        ball = cls._of(value, RANGE[kind])
        ball.unit = max(ball.unit, _LEAST * 2.0 ** (1 - RANGE[kind].bits))
        return ball

    @classmethod
    def scalar(cls, value: Register, *, narrowed: bool) -> Self:
        ball = replace(cls._of(value.narrowed(), RANGE["float32"]), uniform=True)
        # outside of its limits it is an input that is not finite
        outside = (ball.size > 0.0) & (ball.size < _LEAST_SCALAR) | (ball.size > _MOST)
        checked = outside.select(nan, ball.mid)
        return replace(ball, unit=_LEAST_SCALAR * FLOATS.unit * 2, inputs=(checked,))

    @classmethod
    def count(cls, value: Register) -> Self:
        narrow = value.narrowed()
        lost = differ(narrow.widened(), value)
        ball = replace(super()._of(narrow, RANGE["count"]), bits=FLOATS.bits, uniform=True)
        return replace(ball, relative=FLOATS.unit, inexact=lost, nearest=True)

    @property
    def is_finite(self) -> Truth:
        """Whether everything on which it depends is 0 or within the limits."""
        found: Truth = True
        for x in self.inputs:
            # vectors of 16 bits are half as long
            size = x.bits().shifted(16).resized(16) & 0x7FFF
            small = (size - 1).below((_bits(_LEAST) >> 16) - 1)
            found = both(found, size.below(_bits(_MOST) >> 16) & ~small)
        return found

    def single(self) -> Self:
        """Return the midpoint, in doubt unless it is the exact value rounded."""
        value = self.whole()
        if not value._nearest:
            always = ~(value.size < 0.0)
            value = value.doubted(both(always, value.inexact))
        # the rounded number may be beyond the range of the exact one
        low, high = min(2.0 * value.low, 0.0), max(2.0 * value.high, 0.0)
        return replace(value, relative=0.0, spread=None, inexact=False, low=low, high=high,
                       bits=FLOATS.bits, unit=RANGE["float32"].unit)  # fmt: skip


class HalfBall(FloatBall):
    """The same for those of F16, all of which are within the limits if they are finite."""

    __slots__ = ()

    @property
    def is_finite(self) -> Truth:
        found: Truth = True
        for x in self.inputs:
            found = both(found, abs(x) < inf)
        return found
