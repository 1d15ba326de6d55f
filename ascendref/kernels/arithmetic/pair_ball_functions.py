"""Elementary functions of balls around double-doubles.

Where a function's value at 0 is 1, 1/2 or 2, its own error is relative to the distance from it, as
in ``1 + expm1(x)``: these functions are put together from balls. Near 0, the functions with
``f(x) = x + ...`` are two terms of their series. Everything else has the relative error of
`double_double.RELATIVE_ERROR`, which is sampled. The argument's error is multiplied by a bound of
the slope.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, Final

from . import double_double
from .ball_functions import value_range
from .bounds import LEAST, MOST
from .double_double import RELATIVE_ERROR, DoubleDouble
from .midpoints import PAIRS
from .pair_ball_operations import measured, raised, residual
from .registers import Register, fast_two_sum, two_sum

if TYPE_CHECKING:
    from .ball import Ball

#: a spread beyond which the slope at the midpoint says nothing
_CLOSE: Final = 2.0**-4
#: exponentials below it lose bits, or stand for smaller ones
_SMALL: Final = 2.0**-800
_LOST: Final = 2.0**-900


def _made(x: Ball, mid: DoubleDouble, error: Register | None = None) -> Ball:
    """Return a value with its own error."""
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
    return p + _made(x, PAIRS.lift(power))


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
    return replace(value, mid=PAIRS.finite(value.mid, infinite))


def _near_0(value: Ball, second: float, x: Ball) -> Ball:
    """Return a value as its series ``x + second * x**2`` where the rest is below 2**-100."""
    high, square = x.mid.high, x.mid.high * x.mid.high
    low = x.mid.low + square * second if second else x.mid.low
    rest = x.size * square + (abs(x.mid.low) + square) * 2.0**-50
    near = x.size < 2.0**-50
    # a zero keeps its sign
    series = PAIRS.finite(DoubleDouble(*fast_two_sum(high, low)), high)
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

    The rule's error is an odd and entire function, as is the integral less 1/2: near 0 it is a
    multiple of the argument.
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
    """Return a function of a ball."""
    function, slope = _FUNCTIONS[name]
    found = function(replace(x, spread=None, inexact=False))
    found.low, found.high = value_range(name, x)
    found = _within_range(name, found, x)
    if x.spread is None:
        return found
    at, error = x.mid.high, x.spread
    far = error > _CLOSE
    if name in ("log", "log1p", "sqrt"):
        far = far | (error > abs(1.0 + at if name == "log1p" else at) * _CLOSE)
    elif name.startswith("normal"):
        far = far | (error * x.size > _CLOSE)
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
