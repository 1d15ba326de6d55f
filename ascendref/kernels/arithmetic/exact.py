"""Exact numbers: the last stage of correct rounding, in Python.

A formula on `Exact` numbers gives a fraction as long as everything is rational, so that ties are
decided, and otherwise an interval. `decide` doubles the precision until both ends of the interval
round to the same number of the result's type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, NoReturn

from . import enclosures
from .enclosures import Enclosure, End
from .functions import Constant

#: bits of the first attempt: what the compiled stages leave open needs more than 100
_FIRST: Final = 160
#: a result that underflows has a sign after so many bits, or gets that of the interval's middle
_ENOUGH_FOR_A_ZERO: Final = 640
#: half of the smallest F64 number is a tie that a product of two such numbers may decide
_LAST: Final = 10240


class _Format:
    """The numbers of an element type: units of 2**least at least, all below 2**top."""

    def __init__(self, digits: int, least: int, top: int) -> None:
        self.digits = digits
        self.least = least
        self.top = top


_FORMATS: Final = {
    "float16": _Format(11, -24, 16),
    "bfloat16": _Format(8, -133, 128),
    "float32": _Format(24, -149, 128),
    "float64": _Format(53, -1074, 1024),
}


class Undecided(ArithmeticError):
    """A comparison, or the rounding, needs more bits."""


class Decision:
    """The result of a comparison.

    Parameters
    ----------
    holds : bool
        The result.
    number : Exact
        One of the numbers that were compared.
    """

    __slots__ = ("_number", "holds")

    def __init__(self, holds: bool, number: Exact) -> None:
        self.holds = holds
        self._number = number

    def __bool__(self) -> bool:
        return self.holds

    def __and__(self, other: Decision | bool) -> Decision:
        return Decision(self.holds and bool(other), self._number)

    def __or__(self, other: Decision | bool) -> Decision:
        return Decision(self.holds or bool(other), self._number)

    __rand__ = __and__
    __ror__ = __or__

    def __invert__(self) -> Decision:
        return Decision(not self.holds, self._number)

    def select(self, yes: Any, no: Any) -> Exact:
        """Return one of two numbers, a constant as an exact number: it may be divided by."""
        return self._number.lift(yes if self.holds else no)


class Exact:
    """A real number between two ends.

    Equal ends are the number itself. Otherwise it lies strictly between them, which every operation
    preserves. Zeros with their sign, infinities and NaN are floats, twice the same, and follow IEEE
    754. Other ends are fractions; one that is infinite bounds nothing.

    Parameters
    ----------
    low, high : Fraction or float
        The ends.
    bits : int
        Precision of intervals.
    """

    __slots__ = ("bits", "high", "low")

    def __init__(self, low: End, high: End, bits: int) -> None:
        self.low = low
        self.high = high
        self.bits = bits

    # --- construction -----------------------------------------------------------------------------

    def lift(self, number: Exact | Constant) -> Exact:
        """Return a constant as an exact number."""
        return number if isinstance(number, Exact) else exact(number, self.bits)

    def _special(self, value: float) -> Exact:
        return Exact(value, value, self.bits)

    def _unknown(self) -> Exact:
        return Exact(-math.inf, math.inf, self.bits)

    def _between(self, low: End, high: End) -> Exact:
        """Return what an operation on numbers that are not special gives."""
        if low == high:
            return Exact(low, low, self.bits) if low else self._special(0.0)
        return Exact(*enclosures.outward(low, high, self.bits), self.bits)

    @property
    def special(self) -> bool:
        """Whether this is a zero, an infinity or NaN."""
        return isinstance(self.low, float) and (self.low == self.high or self.low != self.low)

    def _signum(self) -> Any:
        """Return the number itself if it is special, else its sign; None if that is not known."""
        if self.special:
            return self.low
        return 1.0 if self.low >= 0 else -1.0 if self.high <= 0 else None

    def _ends(self) -> tuple[End, ...]:
        return (self.low,) if self.low == self.high else (self.low, self.high)

    # --- arithmetic -------------------------------------------------------------------------------

    def __add__(self, other: Exact | Constant) -> Exact:
        other = self.lift(other)
        if self.special and other.special:
            return self._special(float(self.low + other.low))
        for one, another in ((self, other), (other, self)):
            if one.special:
                return one if one.low else another
        return self._between(_sum(self.low, other.low), _sum(self.high, other.high))

    def __mul__(self, other: Exact | Constant) -> Exact:
        other = self.lift(other)
        if self.is_nan() or other.is_nan():
            return self._special(math.nan)
        if self.special or other.special:
            left, right = self._signum(), other._signum()
            return self._unknown() if None in (left, right) else self._special(left * right)
        ends = [_product(a, b) for a in self._ends() for b in other._ends()]
        return self._between(min(ends), max(ends))

    def _reciprocal(self) -> Exact:
        if self.is_nan():
            return self
        if self.special:
            size = math.inf if self.low == 0 else 0.0
            return self._special(math.copysign(size, self.low))
        if self.low < 0 < self.high:
            return self._unknown()
        return Exact(_inverse(self.high, -math.inf), _inverse(self.low, math.inf), self.bits)

    def __truediv__(self, other: Exact | Constant) -> Exact:
        other = self.lift(other)
        return self * other._reciprocal()

    def __neg__(self) -> Exact:
        return Exact(-self.high, -self.low, self.bits)

    def __abs__(self) -> Exact:
        if self.special:
            return self._special(abs(float(self.low)))
        if self.low < 0 < self.high:  # it may be 0, and then 0 must not become an end
            most = max(-self.low, self.high)
            return Exact(-most, most, self.bits)
        return self if self.low >= 0 else -self

    def __sub__(self, other: Exact | Constant) -> Exact:
        return self + -self.lift(other)

    def __rsub__(self, other: Constant) -> Exact:
        return self.lift(other) + -self

    def __rtruediv__(self, other: Constant) -> Exact:
        return self.lift(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    # --- comparison -------------------------------------------------------------------------------

    def is_nan(self) -> bool:
        """Whether this is NaN."""
        return self.low != self.low

    def _order(self, other: Exact | Constant) -> float:
        """Return -1, 0 or 1, or NaN if one of both is NaN."""
        other = self.lift(other)
        if self.is_nan() or other.is_nan():
            return math.nan
        if self.low == self.high == other.low == other.high:
            return 0
        if self.high <= other.low:
            return -1
        if self.low >= other.high:
            return 1
        raise Undecided

    def __lt__(self, other: Exact | Constant) -> Decision:
        return Decision(self._order(other) < 0, self)

    def __le__(self, other: Exact | Constant) -> Decision:
        return Decision(self._order(other) <= 0, self)

    def __gt__(self, other: Exact | Constant) -> Decision:
        return Decision(self._order(other) > 0, self)

    def __ge__(self, other: Exact | Constant) -> Decision:
        return Decision(self._order(other) >= 0, self)

    def __eq__(self, other: Any) -> Any:
        return Decision(self._order(other) == 0, self)

    def __hash__(self) -> NoReturn:
        raise TypeError("numbers of a formula have no hash")

    # --- functions --------------------------------------------------------------------------------

    def _increasing(
        self,
        function: Callable[[Fraction, int], Enclosure],
        below: float,
        at_zero: Constant,
        above: float,
    ) -> Exact:
        """Return an increasing function, from its limits at -inf and inf and its value at 0."""
        if self.is_nan() or (self.low == self.high == at_zero == 0):
            return self
        if self.special:
            limit = below if self.low < 0 else above
            return self.lift(limit if self.low else at_zero)

        def enclosure(end: End) -> Enclosure:
            if end and not isinstance(end, float):
                return function(end, self.bits)
            known = (below if end < 0 else above) if end else at_zero
            limit = float(known) if math.isinf(known) else Fraction(known)
            return limit, limit

        if self.low == self.high:
            return self._between(*enclosure(self.low))
        return self._between(enclosure(self.low)[0], enclosure(self.high)[1])

    def exp(self) -> Exact:
        """Return the exponential."""
        return self._increasing(enclosures.exp, 0.0, 1, math.inf)

    def expm1(self) -> Exact:
        """Return the exponential minus 1."""
        return self._increasing(enclosures.expm1, -1.0, 0, math.inf)

    def log(self) -> Exact:
        """Return the natural logarithm."""
        if self.special and not self.low < 0:
            return self._special(float(self.low) if self.low else -math.inf)
        if self.high <= 0:
            return self._special(math.nan)
        if self.low < 0:
            return self._unknown()
        return self._increasing(enclosures.log, math.nan, -math.inf, math.inf)

    def log1p(self) -> Exact:
        """Return the logarithm of 1 plus this number."""
        if (self.special and self.low) or self.low <= -1:
            return (self + 1).log()
        return self._increasing(enclosures.log1p, math.nan, 0, math.inf)

    def sqrt(self) -> Exact:
        """Return the square root."""
        if self.special and not self.low < 0:
            return self
        if self.high <= 0:
            return self._special(math.nan)
        if self.low < 0:
            return self._unknown()
        return self._increasing(enclosures.sqrt, math.nan, 0, math.inf)

    def tanh(self) -> Exact:
        """Return the hyperbolic tangent."""
        return self._increasing(enclosures.tanh, -1.0, 0, 1.0)

    def normal_cdf(self) -> Exact:
        """Return the normal distribution function."""
        return self._increasing(enclosures.normal_cdf, 0.0, Fraction(1, 2), 1.0)

    def normal_pdf(self) -> Exact:
        """Return the density of the normal distribution."""
        root = Exact(*enclosures.sqrt_two_pi(self.bits), self.bits)
        return (self * self * Fraction(-1, 2)).exp() / root

    def one_plus_exp(self) -> Exact:
        """Return 1 + exp(self)."""
        return 1 + self.exp()

    def softplus(self) -> Exact:
        """Return log(1 + exp(self))."""
        if self.low == self.high == 0:
            return self.lift(2).log()
        return self._increasing(enclosures.softplus, 0.0, 0, math.inf)

    def sign(self) -> Exact:
        """Return -1, 0 or 1, or NaN."""
        return self.lift(self._order(0))

    def single(self) -> Exact:
        """Round to float32."""
        low, high = self.ends_in("float32")
        if low != high and not self.is_nan():
            raise Undecided
        return self.lift(low)

    def as_element(self) -> Exact:
        """Return the number itself: the compute type is exact."""
        return self

    def ends_in(self, kind: str) -> tuple[float, float]:
        """Return both ends rounded to an element type, as numbers between them would be."""
        if self.low == self.high or self.special:
            result = _nearest(self.low, kind, 0)
            return result, result
        return _nearest(self.low, kind, 1), _nearest(self.high, kind, -1)

    def middle(self) -> Fraction:
        """Return the middle between two finite ends."""
        return (Fraction(self.low) + Fraction(self.high)) / 2


def exact(number: Constant, bits: int) -> Exact:
    """Return a constant as an exact number."""
    if not number or (isinstance(number, float) and not math.isfinite(number)):
        return Exact(float(number), float(number), bits)
    return Exact(Fraction(number), Fraction(number), bits)


# --- ends -----------------------------------------------------------------------------------------


def _sum(a: End, b: End) -> End:
    """Return a sum of lower, or of upper, ends; Python's overflows for large fractions."""
    return a if isinstance(a, float) else b if isinstance(b, float) else a + b


def _product(a: End, b: End) -> End:
    """Return a product, where 0 times infinity is 0: neither is reached."""
    if not a or not b:
        return Fraction(0)
    if isinstance(a, float) or isinstance(b, float):
        return math.inf if (a > 0) == (b > 0) else -math.inf
    return a * b


def _inverse(end: End, of_zero: float) -> End:
    if isinstance(end, float):
        return Fraction(0)
    return 1 / end if end else of_zero


# --- rounding -------------------------------------------------------------------------------------


def round_fraction(value: Fraction, kind: str) -> float:
    """Round a fraction to an element type, to nearest even, in integers.

    Examples
    --------
    >>> from fractions import Fraction
    >>> round_fraction(Fraction(2049, 2048), "float16")
    1.0
    """
    return _nearest(value, kind, 0)


def _nearest(value: End, kind: str, side: int) -> float:
    """Round a number (side 0), or what is just above it (side 1) or below it (side -1)."""
    if isinstance(value, float):
        return value
    if not value:
        return math.copysign(0.0, side)
    form = _FORMATS[kind]
    numerator, denominator = abs(value.numerator), value.denominator
    exponent = numerator.bit_length() - denominator.bit_length()
    if numerator << max(-exponent, 0) < denominator << max(exponent, 0):
        exponent -= 1
    unit = max(exponent - form.digits + 1, form.least)
    numerator, denominator = numerator << max(-unit, 0), denominator << max(unit, 0)
    steps, rest = divmod(numerator, denominator)
    up_at_tie = (value > 0) == (side > 0) if side else steps % 2 == 1
    steps += 2 * rest > denominator or (2 * rest == denominator and up_at_tie)
    beyond = steps.bit_length() + unit > form.top
    return math.copysign(math.inf if beyond else math.ldexp(steps, unit), value)


def decide(
    function: Callable[..., Any],
    tensors: Sequence[Constant],
    scalars: Sequence[Constant],
    kind: str,
) -> float:
    """Return a formula's exact value, rounded once to an element type, to nearest even.

    Parameters
    ----------
    function : callable
        The formula. It takes the tensors' elements, then the scalars.
    tensors : sequence of float, int or Fraction
        Finite elements, one of each tensor.
    scalars : sequence of float, int or Fraction
        The scalars. They may also be infinite or NaN.
    kind : {"float16", "bfloat16", "float32", "float64"}
        The result's type.

    Raises
    ------
    Undecided
        If 10240 bits do not decide: two irrational numbers that are equal were compared, or their
        difference is the result.

    Examples
    --------
    >>> decide(lambda x, scale: scale * x.exp(), (1.0,), (0.5,), "float32")
    1.3591409921646118
    """
    numbers = tuple(tensors), tuple(scalars)
    # a cache takes -0.0 for 0.0
    signs = tuple([math.copysign(1, x) for part in numbers for x in part if not x])
    return _decide(function, *numbers, kind, signs)


@lru_cache(maxsize=4096)
def _decide(
    function: Callable[..., Any],
    tensors: tuple[Constant, ...],
    scalars: tuple[Constant, ...],
    kind: str,
    signs: tuple[float, ...],
) -> float:
    bits = _FIRST
    while bits <= _LAST:
        try:
            return _attempt(function, (*tensors, *scalars), kind, bits)
        except Undecided:
            bits *= 2
    raise Undecided(f"{function.__name__} of {tensors}, {scalars} after {_LAST} bits")


def _attempt(
    function: Callable[..., Any], given: tuple[Constant, ...], kind: str, bits: int
) -> float:
    """Return the rounded value if so many bits decide it."""
    numbers = [exact(number, bits) for number in given]
    value: Exact = numbers[0].lift(function(*numbers))
    low, high = value.ends_in(kind)
    if math.isnan(low):
        return low
    if low == high == 0 and bits >= _ENOUGH_FOR_A_ZERO and not value.special:
        return math.copysign(0.0, value.middle())
    if low != high or math.copysign(1, low) != math.copysign(1, high):
        raise Undecided
    return low
