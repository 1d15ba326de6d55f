"""Exact numbers: the last stage of correct rounding, in Python.

A formula on `Exact` numbers gives a fraction as long as everything is rational, so that ties are
decided, and otherwise an interval. `decide` doubles the precision until both ends of the interval
round to the same number of the result's type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, ClassVar, Final

from . import enclosures
from .enclosures import Enclosure, End, inverse_of, nearest, product_of, sum_of
from .functions import COMPARISONS, NARROW_FARTHEST, Constant, Number

#: bits of the first attempt: what the compiled stages leave open needs more than 100
_FIRST: Final = 160
#: bits after which a result that underflows has the sign of the interval's middle
_ENOUGH_FOR_A_ZERO: Final = 640
#: half of the smallest F64 number is a tie that a product of two such numbers may decide
_LAST: Final = 10240

#: increasing functions: the limit below, the value at 0 if a number, the limit above
_LIMITS: Final[dict[str, tuple[float, Constant | None, float]]] = {
    "exp": (0.0, 1, math.inf),
    "expm1": (-1.0, 0, math.inf),
    "log": (math.nan, -math.inf, math.inf),
    "log1p": (math.nan, 0, math.inf),
    "sqrt": (math.nan, 0, math.inf),
    "tanh": (-1.0, 0, 1.0),
    "normal_cdf": (0.0, Fraction(1, 2), 1.0),
    "softplus": (0.0, None, math.inf),
}


class Undecided(ArithmeticError):
    """A comparison, or the rounding, needs more bits."""


@dataclass(slots=True, eq=False)
class Decision:
    """The result of a comparison, and one of the numbers that were compared."""

    holds: bool
    _number: Exact

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
        return self._number.lift(yes if self.holds else no)


class Exact(Number):
    """A real number between two ends, of ``bits`` bits each.

    Equal ends are the number itself; otherwise it lies strictly between them, which every operation
    preserves. Zeros with their sign, infinities and NaN are floats, twice the same, and follow IEEE
    754. Other ends are fractions; one that is infinite bounds nothing.
    """

    __slots__ = ("bits", "high", "low")

    def __init__(self, low: End, high: End, bits: int) -> None:
        self.low = low
        self.high = high
        self.bits = bits

    # --- construction -----------------------------------------------------------------------------

    def lift(self, number: Exact | Constant) -> Exact:
        return number if isinstance(number, Exact) else exact(number, self.bits, type(self))

    def _of(self, low: End, high: End) -> Exact:
        return type(self)(low, high, self.bits)

    def _special(self, value: float) -> Exact:
        return self._of(value, value)

    def _unknown(self) -> Exact:
        return self._of(-math.inf, math.inf)

    def _between(self, low: End, high: End) -> Exact:
        """Return the result of an operation on numbers that are not special."""
        if low == high:
            return self._of(low, low) if low else self._special(0.0)
        return self._of(*enclosures.outward(low, high, self.bits))

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

    def _add(self, other: Exact) -> Exact:
        if self.special and other.special:
            return self._special(float(self.low + other.low))
        for one, another in ((self, other), (other, self)):
            if one.special:
                return one if one.low else another
        return self._between(sum_of(self.low, other.low), sum_of(self.high, other.high))

    def _mul(self, other: Exact) -> Exact:
        if self.is_nan() or other.is_nan():
            return self._special(math.nan)
        if self.special or other.special:
            left, right = self._signum(), other._signum()
            if None not in (left, right):
                return self._special(left * right)
            special, open_one = (self, other) if self.special else (other, self)
            return open_one._times_special(special.low)
        ends = [product_of(a, b) for a in self._ends() for b in other._ends()]
        return self._between(min(ends), max(ends))

    def _times_special(self, special: End) -> Exact:
        """Return the product with a zero or an infinity of an interval that 0 is in.

        A zero counts as a number of its sign below all element types: if no precision tells the
        sign of the product, the result has the middle's.
        """
        if special or math.isinf(self.low) or math.isinf(self.high):
            return self._unknown()
        product = self * enclosures.NEGLIGIBLE
        return product if math.copysign(1, special) > 0 else -product

    def _reciprocal(self) -> Exact:
        if self.is_nan():
            return self
        if self.special:
            size = math.inf if self.low == 0 else 0.0
            return self._special(math.copysign(size, self.low))
        if self.low < 0 < self.high:
            return self._unknown()
        return self._of(inverse_of(self.high, -math.inf), inverse_of(self.low, math.inf))

    def _div(self, other: Exact) -> Exact:
        return self * other._reciprocal()

    def __neg__(self) -> Exact:
        return self._of(-self.high, -self.low)

    def __abs__(self) -> Exact:
        if self.special:
            return self._special(abs(float(self.low)))
        if self.low < 0 < self.high:  # it may be 0, and then 0 must not become an end
            most = max(-self.low, self.high)
            return self._of(-most, most)
        return self if self.low >= 0 else -self

    # --- comparison -------------------------------------------------------------------------------

    def is_nan(self) -> bool:
        return isinstance(self.low, float) and self.low != self.low

    def _order(self, other: Exact) -> float:
        """Return -1, 0 or 1, or NaN if one of both is NaN."""
        if self.is_nan() or other.is_nan():
            return math.nan
        if self.high <= other.low:
            return 0 if self.low == other.high else -1
        if self.low >= other.high:
            return 1
        raise Undecided

    def _compare(self, operator: str, other: Exact | Constant) -> Decision:
        return Decision(COMPARISONS[operator](self._order(self.lift(other)), 0), self)

    # --- functions --------------------------------------------------------------------------------

    def _increasing(
        self,
        function: Callable[[Fraction, int], Enclosure],
        below: float,
        at_zero: Constant | None,
        above: float,
    ) -> Exact:
        """Return an increasing function, from its limits and from its value at 0 if known."""
        if self.is_nan() or (self.low == self.high == at_zero == 0):
            return self
        if self.special and (self.low or at_zero is not None):
            limit = below if self.low < 0 else above
            return self.lift(limit if self.low else at_zero or 0)

        def enclosure(end: End) -> Enclosure:
            known = at_zero if end == 0 else below if end == -math.inf else above
            if known is None or (end and not isinstance(end, float)):
                return function(Fraction(end), self.bits)
            limit = float(known) if math.isinf(known) else Fraction(known)
            return limit, limit

        low, high = enclosure(self.low)
        if self.low != self.high:
            high = enclosure(self.high)[1]
        return self._between(low, high)

    def _function(self, name: str) -> Exact:
        return self._increasing(getattr(enclosures, name), *_LIMITS[name])

    def log(self) -> Exact:
        if self.special and not self.low < 0:
            return self._special(float(self.low) if self.low else -math.inf)
        if self.high <= 0:
            return self._special(math.nan)
        if self.low < 0:
            return self._unknown()
        return self._function("log")

    def log1p(self) -> Exact:
        if (self.special and self.low) or self.low <= -1:
            return (self + 1).log()
        return self._function("log1p")

    def sqrt(self) -> Exact:
        if self.special and not self.low < 0:
            return self
        if self.high <= 0:
            return self._special(math.nan)
        if self.low < 0:
            return self._unknown()
        return self._function("sqrt")

    def softplus(self) -> Exact:
        function = partial(enclosures.softplus, farthest=self.farthest)
        return self._increasing(function, *_LIMITS["softplus"])

    def normal_pdf(self) -> Exact:
        root = self._of(*enclosures.sqrt_two_pi(self.bits))
        return (self * self * Fraction(-1, 2)).exp() / root

    def one_plus_exp(self) -> Exact:
        return 1 + self.exp()

    def sign(self) -> Exact:
        return self.lift(self._order(self.lift(0)))

    def single(self) -> Exact:
        low, high = self.ends_in("float32")
        if low != high and not self.is_nan():
            raise Undecided
        return self.lift(low)

    def ends_in(self, kind: str) -> tuple[float, float]:
        """Return both ends rounded to an element type, as numbers between them would be."""
        if self.low == self.high or self.special:
            result = nearest(self.low, kind, 0)
            return result, result
        return nearest(self.low, kind, 1), nearest(self.high, kind, -1)

    def middle_in(self, kind: str) -> float:
        """Return the middle between the ends, rounded to an element type."""
        if isinstance(self.low, float) or isinstance(self.high, float):
            raise Undecided
        return nearest((self.low + self.high) / 2, kind, 0)


class NarrowExact(Exact):
    """The same in a formula of narrow numbers (`Formula.is_narrow`), which needs fewer bits."""

    __slots__ = ()

    farthest: ClassVar[float] = NARROW_FARTHEST


def exact(number: Constant, bits: int, kind: type[Exact] = Exact) -> Exact:
    if not number or (isinstance(number, float) and not math.isfinite(number)):
        number = float(number)
        return kind(number, number, bits)
    number = Fraction(number)
    return kind(number, number, bits)


def round_fraction(value: Fraction, kind: str) -> float:
    """Round a fraction to an element type, to nearest even, in integers."""
    return nearest(value, kind, 0)


def decide(
    function: Callable[..., Any],
    tensors: Sequence[Constant],
    scalars: Sequence[Constant],
    kind: str,
    *,
    narrow: bool = False,
) -> float:
    """Return a formula's exact value for elements and scalars, rounded once, to nearest even.

    ``kind`` is the result's type, ``narrow`` whether all types are (`Formula.is_narrow`). Elements
    are finite; scalars may be infinite or NaN. If 10240 bits do not decide the rounding, the result
    is that of the interval's middle: where a value is within about 2**-5900 of a tie, by an
    exponential of a number beyond ±4096. If they do not decide a comparison, because two irrational
    numbers are equal, `Undecided` is raised.

    >>> decide(lambda x, scale: scale * x.exp(), (1.0,), (0.5,), "float32")
    1.3591408729553223
    """
    numbers = tuple(tensors), tuple(scalars)
    # a cache takes -0.0 for 0.0
    signs = tuple([math.copysign(1, x) for part in numbers for x in part if not x])
    return _decide(function, *numbers, kind, signs, NarrowExact if narrow else Exact)


@lru_cache(maxsize=4096)
def _decide(
    function: Callable[..., Any],
    tensors: tuple[Constant, ...],
    scalars: tuple[Constant, ...],
    kind: str,
    signs: tuple[float, ...],
    arithmetic: type[Exact],
) -> float:
    bits = _FIRST
    while bits <= _LAST:
        try:
            return _attempt(function, (*tensors, *scalars), kind, bits, arithmetic)
        except Undecided:
            bits *= 2
    name = getattr(function, "__name__", function)
    raise Undecided(f"{name} of {tensors}, {scalars} after {_LAST} bits")


def _attempt(
    function: Callable[..., Any],
    given: tuple[Constant, ...],
    kind: str,
    bits: int,
    arithmetic: type[Exact],
) -> float:
    """Return the rounded value if this many bits decide it."""
    numbers = [exact(number, bits, arithmetic) for number in given]
    value = numbers[0].lift(function(*numbers))
    low, high = value.ends_in(kind)
    if math.isnan(low) or (low == high and math.copysign(1, low) == math.copysign(1, high)):
        return low
    if bits == _LAST or (low == high and bits >= _ENOUGH_FOR_A_ZERO):
        return value.middle_in(kind)
    raise Undecided
