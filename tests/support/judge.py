"""An independent judge of formulas: exact fractions and balls of FLINT (Arb), of any precision.

The value of a `Judged` number is an `fmpq` while everything is rational, and then an `arb`, a ball
that holds the real number. A zero with its sign, infinity or NaN is a float. The precision is
raised until the rounding is decided. Nothing here is shared with the package.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import flint
from flint import arb, fmpq

from . import rounding
from .rounding import FORMATS

#: bits of a significand, exponents of the smallest number and of the first power that is too large
LIMITS = {
    kind: (form.fraction + 1, 1 - form.bias - form.fraction, form.bias + 1)
    for kind, form in FORMATS.items()
}
#: exponentials of numbers beyond it are 0 or infinite in all types, in products with others, too
FAR = 5000.0
#: stands for all exponentials of numbers below -FAR, its inverse for those above FAR
TRACE = fmpq(1, 2**8000)
PRECISIONS = [120 * 4**k for k in range(5)]
HALF = fmpq(1, 2)


class Unclear(Exception):
    """The precision does not decide a comparison."""


class Condition:
    """What a comparison gives."""

    def __init__(self, holds: bool) -> None:
        self.holds = holds

    def __and__(self, other: Condition) -> Condition:
        return Condition(self.holds and other.holds)

    def __or__(self, other: Condition) -> Condition:
        return Condition(self.holds or other.holds)

    def __invert__(self) -> Condition:
        return Condition(not self.holds)

    def select(self, yes: Any, no: Any) -> Judged:
        return lifted(yes if self.holds else no)


def compared(signs: tuple[int, ...]) -> Callable[[Judged, Any], Condition]:
    """Return the comparison that holds for these signs of the difference."""
    return lambda one, other: Condition(order(one, other) in signs)


class Judged:
    """A number of a formula: an `fmpq` other than 0, an `arb`, or a float that is special."""

    __slots__ = ("value",)

    #: formulas clip where they say
    farthest = math.inf

    def __init__(self, value: Any) -> None:
        self.value = value

    def lift(self, number: Any) -> Judged:
        return lifted(number)

    def _sum(self, other: Any) -> Judged:
        left, right = self.value, lifted(other).value
        if isinstance(left, float) and isinstance(right, float):
            return Judged(left + right)
        if isinstance(left, float):
            return Judged(left if left else right)
        if isinstance(right, float):
            return Judged(right if right else left)
        return ball_or_fraction(left + right)

    def _times(self, other: Any) -> Judged:
        left, right = self.value, lifted(other).value
        if isinstance(left, float) or isinstance(right, float):
            return Judged(signum(left) * signum(right))
        return ball_or_fraction(left * right)

    def _inverse(self) -> Judged:
        value = self.value
        if isinstance(value, float):
            return Judged(math.copysign(math.inf, value) if value == 0 else 1 / value)
        return Judged(1 / value)

    def __neg__(self) -> Judged:
        return Judged(-self.value)

    def __abs__(self) -> Judged:
        return Judged(abs(self.value))

    __add__ = __radd__ = _sum
    __mul__ = __rmul__ = _times

    def __sub__(self, other: Any) -> Judged:
        return self._sum(-lifted(other))

    def __rsub__(self, other: Any) -> Judged:
        return lifted(other)._sum(-self)

    def __truediv__(self, other: Any) -> Judged:
        return self._times(lifted(other)._inverse())

    def __rtruediv__(self, other: Any) -> Judged:
        return lifted(other)._times(self._inverse())

    __lt__, __le__, __gt__, __ge__, __eq__ = map(
        compared,
        ((-1,), (-1, 0), (1,), (0, 1), (0,)),  # type: ignore[assignment]
    )
    __hash__ = None  # type: ignore[assignment]

    def _function(self, function: Callable[[arb], arb], low: Any, zero: Any, high: Any) -> Judged:
        """Return a function, from its values at -inf, 0 and inf."""
        value = self.value
        if isinstance(value, float):
            if math.isnan(value):
                return self
            return lifted(zero if value == 0 else low if value < 0 else high)
        return Judged(function(arb(value)))

    def exp(self) -> Judged:
        return self._function(arb.exp, 0, 1, math.inf)

    def expm1(self) -> Judged:
        """Return the exponential minus 1, with a number that stands for it far out below 0."""
        if not isinstance(self.value, float) and order(self, -FAR) == -1:
            return Judged(TRACE - 1)
        return self._function(arb.expm1, -1, self, math.inf)

    def log(self) -> Judged:
        if isinstance(self.value, fmpq):
            if self.value == 1:
                return Judged(0.0)
            if self.value < 0:
                return Judged(math.nan)
        return self._function(arb.log, math.nan, -math.inf, math.inf)

    def log1p(self) -> Judged:
        if isinstance(self.value, fmpq) and self.value <= -1:
            return (self + 1).log()
        return self._function(arb.log1p, math.nan, self, math.inf)

    def sqrt(self) -> Judged:
        """Return the square root; arb's is exact where the root is a binary fraction."""
        if isinstance(self.value, fmpq) and self.value < 0:
            return Judged(math.nan)
        return self._function(arb.sqrt, math.nan, self, math.inf)

    def tanh(self) -> Judged:
        return self._function(arb.tanh, -1, self, 1)

    def normal_cdf(self) -> Judged:
        if not isinstance(self.value, float) and order(self, -200.0) == -1:
            # the density over x, less at most 1 / x**2 of it; both are 0 in all types
            least = 1 - 1 / arb(self.value) ** 2
            return self.normal_pdf() / -self * Judged(least.union(1))
        return self._function(lambda x: (-x / arb(2).sqrt()).erfc() / 2, 0, HALF, 1)

    def normal_pdf(self) -> Judged:
        """Return its density."""
        square = self * self
        return (square * fmpq(-1, 2)).exp() / Judged((2 * arb.pi()).sqrt())

    def one_plus_exp(self) -> Judged:
        """Return 1 + exp(self), with a number that stands for the exponential far out."""
        if not isinstance(self.value, float) and order(abs(self), FAR) == 1:
            return Judged(1 + (TRACE if order(self, 0.0) == -1 else 1 / TRACE))
        return 1 + self.exp()

    def softplus(self) -> Judged:
        """Return log(1 + exp(self)), with a number that stands for the exponential far out."""
        if not isinstance(self.value, float) and order(abs(self), FAR) == 1:
            return Judged(TRACE if order(self, 0.0) == -1 else self.value + TRACE)

        def near(x: arb) -> arb:
            return x.exp().log1p() if x < 0 else x + (-x).exp().log1p()

        return self._function(near, 0, Judged(arb(2).log()), math.inf)

    def sign(self) -> Judged:
        return lifted(order(self, 0.0))

    def single(self) -> Judged:
        return lifted(nearest(self.value, "float32"))

    def as_element(self) -> Judged:
        return self


def lifted(number: Any) -> Judged:
    """Return a number of a formula or a constant."""
    if isinstance(number, Judged):
        return number
    if isinstance(number, (float, int)):
        if not number or not math.isfinite(number):
            return Judged(float(number))
        return Judged(fmpq(*number.as_integer_ratio()))
    if isinstance(number, Fraction):
        number = fmpq(number.numerator, number.denominator)
    return Judged(number if number else 0.0)


def ball_or_fraction(value: Any) -> Judged:
    """Return a sum or a product; what is exactly 0 is a float."""
    return Judged(0.0 if value == 0 else value)


def signum(value: Any) -> float:
    """Return a special number itself, else the sign."""
    return value if isinstance(value, float) else order(Judged(value), 0.0)


def order(left: Any, right: Any) -> float:
    """Return -1, 0 or 1, or NaN for NaN."""
    left, right = (
        arb(x) if isinstance(x, float) and x == 0 else x
        for x in (lifted(left).value, lifted(right).value)
    )
    if any([isinstance(x, float) and math.isnan(x) for x in (left, right)]):
        return math.nan
    if isinstance(left, fmpq) and isinstance(right, fmpq):
        return (left > right) - (left < right)
    left, right = arb(left), arb(right)
    for sign, holds in ((-1, left < right), (1, left > right), (0, left == right)):
        if holds:
            return sign
    raise Unclear


def nearest(value: Any, kind: str) -> float:
    """Round a number to a type, to nearest even."""
    if isinstance(value, float):
        return value
    if isinstance(value, fmpq):
        return rounding.nearest_quotient(int(value.p), int(value.q), kind)
    if not value.is_finite():
        raise Unclear
    low, high = (end_nearest(end, kind) for end in (value.lower(), value.upper()))
    if low != high or math.copysign(1, low) != math.copysign(1, high):
        raise Unclear
    return low


def end_nearest(end: arb, kind: str) -> float:
    mantissa, exponent = (int(x) for x in end.man_exp())
    return rounding.nearest(mantissa, exponent, kind)


@contextmanager
def precision(bits: int) -> Any:
    before, flint.ctx.prec = flint.ctx.prec, bits
    try:
        yield
    finally:
        flint.ctx.prec = before


def ball(
    function: Callable[..., Any], tensors: Sequence[Any], scalars: Sequence[Any], bits: int
) -> arb | None:
    """Return a formula's value with a precision; None where it is infinite, NaN or unclear."""
    with precision(bits):
        try:
            value = lifted(function(*map(lifted, (*tensors, *scalars)))).value
        except Unclear:
            return None
        return arb(value) if not isinstance(value, float) or math.isfinite(value) else None


def judged(
    function: Callable[..., Any], tensors: Sequence[Any], scalars: Sequence[Any], kind: str
) -> float:
    """Return a formula's exact value, rounded once to nearest even."""
    return evaluated(function, tensors, scalars, lambda value: nearest(value, kind))


def error_in_ulp(
    actual: float,
    function: Callable[..., Any],
    tensors: Sequence[Any],
    scalars: Sequence[Any],
    kind: str,
) -> float:
    """Return the error of a result in units in the last place at the exact value."""
    return evaluated(function, tensors, scalars, lambda value: distance(actual, value, kind))


def distance(actual: float, value: Any, kind: str) -> float:
    """Return the distance from a number in ulp; an infinity is the number that overflows to it."""
    expected = nearest(value, kind)
    if math.isnan(expected) or math.isinf(expected):
        return 0.0 if str(actual) == str(expected) else math.inf
    if not math.isfinite(actual):
        return math.inf
    digits, least, _ = LIMITS[kind]
    exponent = math.frexp(expected)[1] if expected else least
    difference = abs(arb(actual) - arb(value))
    # an expected power of two may be above the exact value: the ulp is then that below
    if abs(math.frexp(expected)[0]) == 0.5 and not abs(arb(value)) >= abs(expected):
        exponent -= 1
    return float((difference * arb(2) ** -max(exponent - digits, least)).mid())


def evaluated(
    function: Callable[..., Any], tensors: Sequence[Any], scalars: Sequence[Any], found: Any
) -> float:
    """Return what is found of a formula's value at the first precision that suffices."""
    for bits in PRECISIONS:
        with precision(bits):
            try:
                numbers = [lifted(x) for x in (*tensors, *scalars)]
                return found(lifted(function(*numbers)).value)  # type: ignore[no-any-return]
            except Unclear:
                pass
    raise Unclear(f"{function.__name__} of {tensors}, {scalars}")
