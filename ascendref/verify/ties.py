"""Which way a number next to the middle between two numbers of a type is rounded.

A double that is such a middle to all its digits may be the exact value, a tie, or not. Formulas
give ties often, such as products of BF16 numbers, so that fractions would take too long. The
numbers here are doubles that know on which side of them the exact value lies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Final

import numpy as np

from ..core.dtypes import ELEMENT_TYPES
from ..kernels.arithmetic.functions import COMPARISONS, Constant, Number
from .comparison.ulp import spacing
from .rounding import Doubles, rounded

#: below this number a remainder may be no double
_TINY: Final = 2.0**-900
#: up to this number, 1 + x is 1 to all digits of a double
_NEGLIGIBLE: Final = 2.0**-54
#: splits a double into two halves (Veltkamp)
_HALVES: Final = 2.0**27 + 1
#: functions next to 0, and on which side of that the exact number is: 1 + x + …, 1/2 + x · 0.39…,
#: x + x²/2 + …, x - x²/2 + …, x - x³/3 + …
_NEXT_TO_ZERO: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "exp": (np.exp, np.sign),
    "normal_cdf": (lambda x: np.full_like(x, 0.5), np.sign),
    "expm1": (np.expm1, np.ones_like),
    "log1p": (np.log1p, lambda x: -np.ones_like(x)),
    "tanh": (np.tanh, lambda x: -np.sign(x)),
}


class Comparison:
    """The result of a comparison: where it holds, and where that is known."""

    def __init__(self, holds: Any, known: Any) -> None:
        self.holds, self.known = holds, known

    def __and__(self, other: Comparison) -> Comparison:
        return Comparison(self.holds & other.holds, self.known & other.known)

    def __or__(self, other: Comparison) -> Comparison:
        return Comparison(self.holds | other.holds, self.known & other.known)

    def __invert__(self) -> Comparison:
        return Comparison(~self.holds, self.known)

    def select(self, yes: Any, no: Any) -> Sided:
        zero = Sided(0.0)
        found = _where(self.holds, zero.lift(yes), zero.lift(no))
        found.side = np.where(self.known, found.side, math.nan)
        return found


class Sided(Number):
    """Doubles, and for each the sign of the exact number minus the double; NaN if it is not known.

    A double is close if there is no other one between it and the exact number. Infinities and NaN
    follow IEEE 754, as in the exact arithmetic.

    Divisors which are exact positive scalars, such as the count of a mean, are kept: (g/3)·6 is a
    tie more often than it is known that g/3, rounded, times 6 is one.
    """

    def __init__(self, value: Any, side: Any = 0.0, close: Any = False, over: Any = 1.0) -> None:
        self.value = np.asarray(value, np.float64)
        self.side = np.broadcast_to(np.asarray(side, np.float64), self.value.shape)
        self.close = close
        #: the exact positive number by which all of that is to be divided
        self.over = over

    def lift(self, number: Sided | Constant) -> Sided:
        """Return a constant as a number; if no double holds it, it lies on a side of one."""
        if isinstance(number, Sided):
            return number
        near = float(number)
        return Sided(near, (number > near) - (number < near) if math.isfinite(near) else 0.0)

    def __neg__(self) -> Sided:
        return Sided(-self.value, -self.side, self.close, self.over)

    def __abs__(self) -> Sided:
        side = self.side * np.copysign(1.0, self.value)
        return Sided(abs(self.value), side, self.close, self.over)

    def divided(self) -> Sided:
        """Return the same number with a divisor of 1."""
        if np.all(self.over == 1.0):
            return self
        return Sided(self.value, self.side, self.close)._quotient(Sided(self.over))

    def _add(self, other: Sided) -> Sided:
        if np.any(self.over != other.over):
            self, other = self.divided(), other.divided()
        total = self.value + other.value
        part = total - self.value
        rest = (self.value - (total - part)) + (other.value - part)
        return _result(total, rest, (self, other), self.side, other.side, over=self.over)

    def _mul(self, other: Sided) -> Sided:
        over, rest = _two_product(self.over, other.over)
        if np.any(rest != 0):
            self, other, over = self.divided(), other.divided(), 1.0
        product, rest = _two_product(self.value, other.value)
        sides = self.side * np.sign(other.value), other.side * np.sign(self.value)
        return _result(product, rest, (self, other), *sides, over=over)

    def _div(self, other: Sided) -> Sided:
        divisor = other.value
        if divisor.ndim == 0 and 0 < divisor < math.inf and other.side == 0:
            return self * Sided(1.0, over=divisor)
        return self.divided()._quotient(other.divided())

    def _quotient(self, other: Sided) -> Sided:
        value = self.value / other.value
        product, low = _two_product(value, other.value)
        sign = np.sign(other.value)
        sides = self.side * sign, -other.side * np.sign(value) * sign
        return _result(value, ((self.value - product) - low) * sign, (self, other), *sides)

    def _compare(self, operator: str, other: Sided | Constant) -> Comparison:
        a, b = self.divided(), self.lift(other).divided()
        order = np.sign(a.value - b.value)
        order = np.where(a.value == b.value, a.side - b.side, order)
        known = ((a.side == 0) & ((b.side == 0) | b.close)) | (a.close & (b.side == 0))
        return Comparison(COMPARISONS[operator](order, 0.0), known)

    def _function(self, name: str) -> Sided:
        """Return a function: next to 0 it is known to all digits, and so is log at 1."""
        number = self.divided()
        x = number.value
        if name == "log":  # which is no middle elsewhere
            return Sided(np.log(x), np.where(x == 1, number.side, math.nan))
        if name not in _NEXT_TO_ZERO:  # nothing is known: the density, for one, is irrational
            return Sided(np.full_like(x, math.nan), math.nan)
        value, side = _NEXT_TO_ZERO[name]
        near = (abs(x) < _NEGLIGIBLE) & (number.side == 0)
        return Sided(value(x), np.where(near, np.where(x == 0, 0.0, side(x)), math.nan))

    def sqrt(self) -> Sided:
        number = self.divided()
        root = np.sqrt(number.value)
        square, low = _two_product(root, root)
        return _result(root, (number.value - square) - low, (number,), number.side)

    def one_plus_exp(self) -> Sided:
        return 1.0 + self.exp()

    def sign(self) -> Sided:
        """Return -1, 0 or 1; NaN for NaN."""
        known = (self.side == 0) | (self.close & (self.value != 0))
        return Sided(np.sign(self.value), np.where(known, 0.0, math.nan))

    def single(self) -> Sided:
        number = self.divided()
        value = number.value.astype(np.float32).astype(np.float64)
        return Sided(value, np.where(number.side == 0, 0.0, math.nan))


def _two_product(a: Any, b: Any) -> tuple[Any, Any]:
    """Return the rounded product and its error (Dekker), NaN where that may be no double."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = (
        (high := _HALVES * x - (_HALVES * x - x), x - high) for x in (a, b)
    )
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, np.where((abs(product) < _TINY) & (a != 0) & (b != 0), math.nan, error)


def _where(mask: Any, yes: Sided, no: Sided) -> Sided:
    names = "value", "side", "close", "over"
    pairs = [(getattr(yes, name), getattr(no, name)) for name in names]
    return Sided(*(np.where(mask, *pair) for pair in pairs))


def _result(
    value: Any, rest: Any, operands: tuple[Sided, ...], *sides: Any, over: Any = 1.0
) -> Sided:
    """Return a rounded result, from its error and from the sides that the operands push it to."""
    signs = [np.sign(rest), *sides]
    least, most = (reduce(extreme, signs) for extreme in (np.minimum, np.maximum))
    side = np.where(least * most < 0, math.nan, np.sign(least + most))
    exact = reduce(np.logical_and, [x.side == 0 for x in operands])
    # what is special was so before, or is beyond the range of doubles
    special = ~reduce(np.logical_and, [np.isfinite(x.value) for x in operands])
    side = np.where(np.isfinite(value), side, math.nan)
    side = np.where(exact & special, 0.0, side)
    return Sided(value, side, exact & ~np.isnan(side), over)


@np.errstate(all="ignore")
def round_next_to_middle(
    function: Callable[..., Any],
    tensors: Sequence[Doubles],
    scalars: Sequence[float],
    values: Doubles,
    kind: str,
) -> Doubles:
    """Round values next to the middle between two numbers of a type; NaN where it is not known."""
    ulp = spacing(values, ELEMENT_TYPES[kind])
    middle = (np.floor(values / ulp) + 0.5) * ulp
    numbers = [Sided(x) for x in (*tensors, *scalars)]
    found = numbers[0].lift(function(*numbers)).divided()
    # of the signs of the number's distance from the middle and of the exact one's from the number
    gap = np.sign(found.value - middle)
    side = np.where(gap * found.side < 0, math.nan, np.sign(gap + found.side))
    beside = np.where(side == 0, middle, np.nextafter(middle, side * math.inf))
    return np.where(np.isnan(side), math.nan, rounded(beside, kind))
