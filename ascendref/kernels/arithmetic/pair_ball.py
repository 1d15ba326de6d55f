"""Balls around double-doubles: they decide nearly all that balls around doubles leave open.

Their whole bound is computed: a register, ``spread``, and nothing else. The algorithms of
`double_double` add the leading doubles without error and round only the small rest. So every bound
here is a few roundings of this rest, not of the result: ``1/2 + 10**-40`` stays on its side of 1/2.
Where the rest is 0, so is the bound, and a tie is known to be one. Products below 2**-960 lose
bits. A bound below `_TINY` may have lost parts for the same reason and is raised to it, if the
operands are not known to be exact there.

Where a function's value at 0 is 1, 1/2 or 2, its own error is relative to the distance from it, as
in ``1 + expm1(x)``: these functions are put together from balls. Near 0, the functions with
``f(x) = x + ...`` are two terms of their series. Everything else has the relative error of
`double_double.RELATIVE_ERROR`, which is sampled. The argument's error is multiplied by a bound of
the slope.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any, ClassVar, Final, Self

from . import double_double
from .ball import Ball
from .ball_functions import CLOSE, value_range
from .ball_operations import checked, fits, quotient_range, widened
from .bounds import GROW, LEAST, MOST, Truth, both, either, total
from .double_double import RELATIVE_ERROR, DoubleDouble
from .functions import NARROW_FARTHEST, Constant
from .registers import Condition, Register, fast_two_sum, two_product, two_sum

#: bits of an exact midpoint: two fewer than it has
_BITS: Final = 104
#: eight roundings: the longest of the algorithms has five that are not exact
_ROUNDINGS: Final = 2.0**-50
#: smallest bound of an inexact result, if bits may have been lost
_TINY: Final = 2.0**-950
#: remainders of products from here on are exact
_SAFE: Final = 2.0**-900
#: divisors beyond it may stand for larger ones
_LARGE: Final = 2.0**900
#: exponentials below it lose bits, or stand for smaller ones
_SMALL: Final = 2.0**-800
_LOST: Final = 2.0**-900


def finite(value: DoubleDouble, plain: Register) -> DoubleDouble:
    """Return a value, or that of doubles if it is infinite, NaN or 0, whose sign only they have."""
    trusted = (abs(plain) < inf) & (abs(value.high) + abs(plain) > 0.0)
    return trusted.select(value, plain)  # type: ignore[no-any-return]


def _add_midpoints(a: DoubleDouble, b: DoubleDouble) -> tuple[DoubleDouble, Truth]:
    """Return a sum; that of two doubles is exact."""
    return finite(a + b, a.high + b.high), not (a.is_double and b.is_double)


def measured(found: Ball, *parts: Register | None) -> Ball:
    """Return a number with a bound, which is the sum of its parts."""
    spread = total(*parts)
    return replace(found, spread=spread, inexact=False if spread is None else spread > 0.0)


def raised(bound: Register, inexact: Condition) -> Register:
    """Return a bound, or `_TINY` where the bound of something inexact is below that."""
    return (inexact & (bound < _TINY)).select(_TINY, bound)  # type: ignore[no-any-return]


def add(a: Ball, b: Ball) -> Ball:
    low, high = widened(a.low + b.low, a.high + b.high)
    unit = min(a.unit, b.unit)
    mid, lost = _add_midpoints(a.mid, b.mid)
    found = a._like(b, mid=mid, low=low, high=high, unit=unit)
    exact = a.inexact is False and b.inexact is False
    if exact and (lost is False or fits(max(abs(low), abs(high)), unit, _BITS)):
        return checked(replace(found, bits=_BITS))
    own = None
    if lost is not False:
        _, rest = two_sum(a.mid.high, b.mid.high)
        own = (abs(rest) + (abs(a.mid.low) + abs(b.mid.low))) * _ROUNDINGS
    return checked(measured(found, own, a.spread, b.spread))


def multiply(a: Ball, b: Ball) -> Ball:
    corners = [x * y if x and y else 0.0 for x in (a.low, a.high) for y in (b.low, b.high)]
    low, high = widened(min(corners), max(corners))
    mid = finite(a.mid * b.mid, a.mid.high * b.mid.high)
    found = a._like(b, mid=mid, low=low, high=high, unit=a.unit * b.unit)
    bits = (a.bits or inf) + (b.bits or inf)
    power = any(x.bits == 1 and x.inexact is False for x in (a, b))
    exact = a.inexact is False and b.inexact is False
    known = (a.mid.is_double and b.mid.is_double) or power or bits <= _BITS
    if exact and known and a.least * b.least >= LEAST:
        return checked(replace(found, bits=int(min(bits - power, _BITS))))
    product, rest = two_product(a.mid.high, b.mid.high)
    seconds = abs(a.mid.low) + abs(b.mid.low)
    bound = product.lift(0.0)
    if not known:
        cross = abs(a.mid.low) * b.size + a.size * abs(b.mid.low)
        bound = (seconds > 0.0).select((abs(rest) + cross) * _ROUNDINGS, 0.0)
    moved, uncertain = bound, seconds
    for x, y in ((a, b), (b, a)):
        if x.spread is not None:
            reach = y.size * GROW if y.spread is None else y.size * GROW + y.spread
            moved, uncertain = moved + x.spread * reach, uncertain + x.spread
    tiny = (uncertain > 0.0) | (abs(product) < _SAFE)
    bound = raised(moved * GROW, tiny & _may_differ_from_0(a) & _may_differ_from_0(b))
    for x, y in ((a, b), (b, a)):
        if y.spread is not None:
            # the sign of a zero is that of a number which may have either
            either_sign = (y.size <= y.spread) & (y.spread > 0.0)
            found = found.doubted(either_sign & (x.size == 0.0))
    return checked(measured(found, bound))


def _may_differ_from_0(x: Ball) -> Condition:
    return (x.size if x.spread is None else x.size + x.spread) > 0.0  # type: ignore[no-any-return]


def residual(quotient: DoubleDouble, a: DoubleDouble, b: DoubleDouble) -> Register:
    """Return a bound of ``abs(a - quotient * b)``, which is 0 where that is seen to be 0.

    All sums but those with the quotient's second double are exact, with their rounding errors.
    """
    product, rest = two_product(quotient.high, b.high)
    cross, cross_rest = two_product(quotient.high, b.low)
    total_, lost = a.high - product, abs(cross_rest)
    for term in (-rest, a.low, -cross):
        total_, error = two_sum(total_, term)
        lost = lost + abs(error)
    second = quotient.low.fma(b.high, quotient.low * b.low)
    return abs(total_ - second) + lost + abs(quotient.low * b.high) * _ROUNDINGS


def divide(a: Ball, b: Ball) -> Ball:
    """Return a quotient. Its bound is the remainder, divided."""
    mid = finite(a.mid / b.mid, a.mid.high / b.mid.high)
    found = a._like(b, mid=mid)
    found.low, found.high = quotient_range(a, b)
    small = (abs(mid.low) + abs(b.mid.low) > 0.0) | (a.size < _SAFE)
    above = raised(residual(mid, a.mid, b.mid), small & (a.size > 0.0))
    below = b.size * (1 - 2.0**-40)
    if a.spread is not None:
        above = above + a.spread
    if b.spread is not None:
        above, below = above + found.size * b.spread, below - b.spread
        found = found.doubted(both(below <= 0.0, b.inexact))
    spread = raised(above / below * GROW, above > 0.0)
    if b.high == inf and b.low >= 0.0:
        # that of `one_plus_exp`, or an infinite one: the exact quotient is between 0 and this one
        spread = (b.size > _LARGE).select(found.size * 2.0 + _TINY, spread)
    if found.most > MOST:
        # a division by exactly 0 is settled
        found = found.doubted(both(found.size > MOST, either(b.inexact, b.size > 0.0)))
    return measured(found, spread)


# --- functions ------------------------------------------------------------------------------------


def _made(x: Ball, mid: DoubleDouble, error: Register | None = None) -> Ball:
    return measured(x._like(mid=mid), error)


def _relative(name: str, x: Ball) -> Ball:
    mid = getattr(double_double, name)(x.mid)
    return _made(x, mid, abs(mid.high) * RELATIVE_ERROR[name])


def _exponential(x: Ball) -> tuple[Ball, Register]:
    """Return two numbers, the exponential as their sum; the second one is 1 for small x."""
    p, power = double_double.exponential(x.mid)
    own = raised(abs(p.high) * RELATIVE_ERROR["exponential"], x.size > 0.0)
    # the reduced argument has an absolute error if it is not the argument itself
    own = own + (power == 1.0).select(0.0, power.lift(2.0**-105))
    lost = (power < _SMALL).select(_LOST, power.lift(0.0))
    return _made(x, p.scaled(power), own * power + lost), power


def _exp(x: Ball) -> Ball:
    p, power = _exponential(x)
    return p + _made(x, PairBall.midpoint(power))


def _expm1(x: Ball) -> Ball:
    p, power = _exponential(x)
    return p + _made(x, DoubleDouble(*two_sum(power, power.lift(-1.0))))


def _one_plus_exp(x: Ball) -> Ball:
    # below -660, the exponential is at most the error that it has anyway; above 693, `divide`
    # knows that the number may be larger
    near = x.mid.high.at_most(693.0).at_least(-660.0)
    low = (near == x.mid.high).select(x.mid.low, 0.0)
    value = _exp(replace(x, mid=DoubleDouble(near, low))) + 1
    infinite = (x.mid.high == inf).select(inf, x.mid.high - x.mid.high)
    return replace(value, mid=finite(value.mid, infinite))


def _near_0(value: Ball, second: float, x: Ball) -> Ball:
    """Return a value as its series ``x + second * x**2`` where the rest is below 2**-100."""
    high, square = x.mid.high, x.mid.high * x.mid.high
    low = x.mid.low + square * second if second else x.mid.low
    rest = x.size * square + (abs(x.mid.low) + square) * 2.0**-50
    near = x.size < 2.0**-50
    # a zero keeps its sign
    series = finite(DoubleDouble(*fast_two_sum(high, low)), high)
    mid = near.select(series, value.mid)
    assert value.spread is not None
    return _made(x, mid, near.select(raised(rest, x.size > 0.0), value.spread))


def _log1p(x: Ball) -> Ball:
    return _near_0(_relative("log1p", x), -0.5, x)


def _tanh(x: Ball) -> Ball:
    m = replace(_expm1(abs(x) * -2.0), low=-1.0, high=0.0)
    value = (-m / (m + 2.0)).whole()
    mid = (x.mid.high < 0.0).select(-value.mid, value.mid)
    return _near_0(replace(value, mid=mid), 0.0, x)


def _sqrt(x: Ball) -> Ball:
    mid = x.mid.sqrt()
    small = (abs(mid.low) > 0.0) | (x.size < _LOST)
    rest = raised(residual(mid, x.mid, mid), small & (x.size > 0.0))
    return _made(x, mid, (mid.high > 0.0).select(rest / mid.high, 0.0))


def _softplus(x: Ball) -> Ball:
    positive = replace(x, mid=(x.mid.high > 0.0).select(x.mid, 0.0))
    power = _exp(-abs(x))
    rest = _log1p(power)
    return positive + measured(rest, rest.spread, power.spread)  # the slope is at most 1


def _limited(x: Ball) -> Ball:
    """Return the magnitude, but at most 36: the density is 2**-936 there."""
    y = abs(x)
    mid = (y.mid.high > 36.0).select(36.0, y.mid)
    return replace(y, mid=mid, high=36.0)


def _normal_pdf(x: Ball) -> Ball:
    y = _limited(x)
    return (y * y * -0.5).exp() * double_double.INVERSE_ROOT_OF_2_PI


def _normal_cdf(x: Ball) -> Ball:
    """Return the integral of the density: see `double_double.normal_sum`.

    The rule's error is odd, as is the integral less 1/2: near 0 it is a multiple of the argument.
    """
    y = _limited(x)
    square = y * y
    # double-doubles have a relative error below 2**-100; doubles, for less than 2**-48 of the sum,
    # one below 2**-49
    terms = double_double.normal_sum(square.mid)
    power = (y * (-4 * double_double.PI)).exp()
    pole = (y > 12.5).select(0.0, power / (power + 1))
    tail = _made(x, terms, terms.high * 2.0**-95) * y * (square * -0.5).exp() + pole
    return (x > 0.0).select(1 - tail, tail)  # type: ignore[no-any-return]


#: function -> its value at an exact argument, and a bound of its slope near x, where it is f
_FUNCTIONS: Final[
    dict[str, tuple[Callable[[Ball], Ball], Callable[[Register, DoubleDouble], Any]]]
] = {
    "exp": (_exp, lambda x, f: 2.0 * f.high),
    "one_plus_exp": (_one_plus_exp, lambda x, f: 2.0 * f.high),
    "expm1": (lambda x: _near_0(_expm1(x), 0.5, x), lambda x, f: 2.0 * f.high + 2.0),
    "log": (partial(_relative, "log"), lambda x, f: 2.0 / abs(x)),
    "log1p": (_log1p, lambda x, f: 2.0 / (1.0 + x)),
    "sqrt": (_sqrt, lambda x, f: 1.0 / f.high),
    # 1 - f**2
    "tanh": (_tanh, lambda x, f: 4.0 * abs((1 - abs(f)).high)),
    # the logistic function is below softplus
    "softplus": (_softplus, lambda x, f: 2.0 * f.high.at_most(1.0)),
    # the density is at most (x + 1) times the tail (Birnbaum, 1942)
    "normal_cdf": (_normal_cdf, lambda x, f: (4.0 * abs(x) + 4.0) * f.high),
    "normal_pdf": (_normal_pdf, lambda x, f: (4.0 * abs(x) + 4.0) * f.high),
}


def apply(name: str, x: Ball) -> Ball:
    x = x.whole()
    function, slope = _FUNCTIONS[name]
    found = function(replace(x, spread=None, inexact=False))
    found.low, found.high = value_range(name, x)
    found = _within_range(name, found, x)
    if x.spread is None:
        return found
    at, error = x.mid.high, x.spread
    far = error > CLOSE
    if name in ("log", "log1p", "sqrt"):
        far = far | (error > abs(1.0 + at if name == "log1p" else at) * CLOSE)
    elif name.startswith("normal"):
        far = far | (error * x.size > CLOSE)
    moved = error * slope(at, found.mid) * 1.01
    if name in ("exp", "one_plus_exp", "tanh"):
        # both ends are beyond the limits of the exponential
        beyond = (x.size > 1000.0) & (error < x.size * 0.25)
        far, moved = far & ~beyond, beyond.select(0.0, moved)
    return measured(found.doubted(far), found.spread, moved)


def _within_range(name: str, found: Ball, x: Ball) -> Ball:
    """Put a number in doubt whose argument is too large or too small for double-doubles."""
    if x.most > MOST:
        found = found.doubted(x.size > MOST)
    if name == "log" and x.least < LEAST:
        found = found.doubted((x.size < LEAST) & (x.size > 0.0))
    if name in ("exp", "expm1") and x.high > 690.0:
        found = found.doubted(x.mid.high > 690.0)
    return found


class PairBall(Ball):
    """A ball around a double-double. Its bound is ``spread`` alone, None where it is exact."""

    __slots__ = ()

    _add_midpoints: ClassVar[Any] = staticmethod(_add_midpoints)
    _sum: ClassVar[Any] = staticmethod(add)
    _product: ClassVar[Any] = staticmethod(multiply)
    _quotient: ClassVar[Any] = staticmethod(divide)
    _applied: ClassVar[Any] = staticmethod(apply)

    @staticmethod
    def midpoint(value: Register) -> Any:
        return DoubleDouble(value, value.lift(0.0))

    @staticmethod
    def _constant(like: Register, number: Fraction) -> tuple[Any, Fraction]:
        high = float(number)
        low = float(number - Fraction(high))
        return DoubleDouble(like.lift(high), like.lift(low)), Fraction(high) + Fraction(low)

    def lift(self, number: Ball | Constant) -> Self:
        found = super().lift(number)
        if not found.relative:
            return found
        return replace(found, relative=0.0, spread=self.size.lift(found.most * found.relative))

    def error(self, ignored: float = 0.0, more: float = 0.0) -> Register | None:
        return None if self.spread is None else self.spread * GROW

    def _chosen_spread(self, condition: Condition, yes: Any, no: Any) -> Any:
        if yes is None and no is None:
            return None
        zero = self.size.lift(0.0)
        return condition.select(*(zero if side is None else side for side in (yes, no)))

    @property
    def inverted(self) -> bool:
        """Whether a division may wait: only so is a quotient of products seen to be exact."""
        return self.tame


class NarrowPairBall(PairBall):
    """The same in a formula of narrow numbers."""

    __slots__ = ()

    farthest: ClassVar[float] = NARROW_FARTHEST
