"""Elementary functions of balls around doubles.

A function's own error is a relative one, from the table of `elementary`. The
relative error of its argument is multiplied by at most the *condition number*
``abs(x * f'(x) / f(x))``, which is a constant for each function wherever the result is neither too
small for a double nor too large. Other parts of the argument's error are multiplied by the slope.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import exp, expm1, inf, log, log1p, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

from . import elementary, normal, quick
from .ball_operations import UNIT
from .bounds import DOUBLES, FLOATS, UNDERFLOW, Scaled, total
from .registers import Condition, Register

if TYPE_CHECKING:
    from .ball import Ball


class _Function(NamedTuple):
    #: largest condition number where it is bounded, over the arguments that have a normal result
    condition: float | None
    #: bound of the slope near x, of x and the function's value
    slope: Callable[[Register, Register], Register | float]
    #: whether a normal argument may have a result too small for a double
    underflows: bool
    #: the function itself, which is monotonic, or None
    value: Callable[[float], float] | None
    #: its range
    low: float
    high: float


def _exp(x: float) -> float:
    return exp(x) if x < 700.0 else inf


_FUNCTIONS: Final = {
    # exponents of normal results are within ±746
    "exp": _Function(746.0, lambda x, f: 2.0 * f, True, _exp, 0.0, inf),
    "expm1": _Function(
        746.0, lambda x, f: 2.0 * f + 2.0, False, lambda x: expm1(min(x, 700.0)), -1.0, inf
    ),
    "one_plus_exp": _Function(
        746.0, lambda x, f: 2.0 * f, False, lambda x: 1.0 + _exp(x), 1.0, inf
    ),
    # near 1, logarithms have no condition number: their error is an absolute one
    "log": _Function(
        None, lambda x, f: 2.0 / abs(x), False, lambda x: log(x) if x > 0 else -inf, -inf, 745.0
    ),
    "log1p": _Function(
        None,
        lambda x, f: 2.0 / (1.0 + x),
        False,
        lambda x: log1p(x) if x > -1 else -inf,
        -inf,
        745.0,
    ),
    "sqrt": _Function(0.5, lambda x, f: 1.0 / f, False, lambda x: sqrt(max(x, 0.0)), 0.0, 2.0**512),
    "tanh": _Function(1.0, lambda x, f: 1.0, False, None, -1.0, 1.0),
    # x**2 + 1 where the result is normal
    "normal_cdf": _Function(1500.0, lambda x, f: 0.4, True, None, 0.0, 1.0),
    "normal_pdf": _Function(1500.0, lambda x, f: 0.25, True, None, 0.0, 0.4),
    "softplus": _Function(746.0, lambda x, f: 1.0, True, None, 0.0, inf),
}

#: a spread beyond which the slope at the midpoint says nothing; for logarithms and roots, in
#: relation to the argument
CLOSE: Final = 2.0**-4


def _computed(name: str, x: Ball) -> tuple[Register, float]:
    mid: Register = x.mid
    if x.format is FLOATS and name in quick.FLOAT_ERROR:
        modules = {"one_plus_exp": quick, "normal_cdf": normal, "normal_pdf": normal}
        function = getattr(modules.get(name, elementary), name)
        return function(mid), quick.FLOAT_ERROR[name] * FLOATS.unit
    if x.is_quick and name in quick.RELATIVE_ERROR:
        known = quick.Known(x.low, x.high, x.least, x.inexact is False)
        return getattr(quick, name)(mid, known), quick.RELATIVE_ERROR[name]
    if name == "one_plus_exp":
        # below -85, the exponential is nothing beside 1
        n, total, low = elementary.exp_sum(mid.at_most(709.0).at_least(-85.0))
        value = (total + low).fma(elementary.power_of_two(n, True), 1.0)
        return (mid == inf).select(inf, value), 3.0 * UNIT
    if name == "sqrt":
        return mid.sqrt(), x.format.unit
    module = normal if name.startswith("normal") else elementary
    return getattr(module, name)(mid), elementary.RELATIVE_ERROR[name] * UNIT


def _near(name: str, x: Ball) -> Ball:
    """Return an argument of a function of floats, in doubt if it is far out."""
    farthest = quick.FLOAT_FARTHEST.get(name, inf)
    if x.most > farthest:
        low, high = max(x.low, -farthest), min(x.high, farthest)
        mid = x.mid.at_most(farthest).at_least(-farthest)
        x = replace(x.doubted(x.size > farthest), mid=mid, low=low, high=high)
    if x.relative and farthest < inf:
        # the slope makes less of it than the largest condition number
        size = x.inexact.select(x.size, 0.0) if isinstance(x.inexact, Condition) else x.size
        x = replace(x, relative=0.0, spread=total(x.spread, Scaled(size, x.relative)))
    return x


def apply(name: str, x: Ball) -> Ball:
    of_doubles = x.is_quick and x.format is DOUBLES
    if name == "log1p" and of_doubles and x.over is not None and x.low >= 0.0:
        parts = (x, x.over)
        if all(part.spread is None and not part.absolute for part in parts):
            return _log1p_of_quotient(*parts)
    x = x.whole()
    if x.format is FLOATS:
        x = _near(name, x)
    known, at = _FUNCTIONS[name], x.mid
    value, own = _computed(name, x)
    condition = 1.0 if name == "log1p" and x.low >= 0.0 else known.condition
    found = x._like(mid=value, inexact=True, relative=own, nearest=False)
    found.low, found.high = value_range(name, x)
    if name == "one_plus_exp" and x.is_quick and x.high > quick.HIGHEST:
        found.high = inf
    found.keeps_sign = x.keeps_sign or found.is_one_sided
    if known.underflows and x.format is not FLOATS:
        found.absolute = quick.SMALL.get(name, UNDERFLOW) if x.is_quick else UNDERFLOW
    spread, absolute = x.spread, x.absolute
    if name == "one_plus_exp" and spread is not None:
        return _with_growth(found, x)
    if condition is not None:
        found.relative += condition * x.relative * (1 + 2.0**-20)
    elif name == "log" and spread is None and not absolute and x.relative < CLOSE:
        found.absolute += x.relative * 1.1
    elif x.relative:
        spread = total(spread, Scaled(x.size, x.relative))
    if name == "exp" or name == "expm1":
        found = _bounded(found, x)
    if spread is None and not absolute:
        return found
    slope = known.slope(at, value)
    if spread is None and isinstance(slope, float) and found.keeps_sign:
        return replace(found, absolute=found.absolute + absolute * (slope * 1.01))
    error = total(spread, Scaled(None, absolute) if absolute else None)
    if isinstance(slope, float):
        return replace(found, spread=error.times(slope * 1.01))
    most: Register | float = CLOSE
    if name in ("log", "log1p", "sqrt"):
        # the slope changes in relation to the argument; of one that is surely negative, it is NaN
        most = abs(1.0 + at if name == "log1p" else at) * CLOSE
    found = found.doubted(error.register(at) > most)
    return replace(found, spread=error.times(slope, 1.01))


def _log1p_of_quotient(x: Ball, over: Ball) -> Ball:
    """Return log(1 + x / over), for x that is not negative, where the divisor is positive.

    Otherwise it is in doubt. The condition number is at most 1.
    """
    value = quick.log1p_of_quotient(x.mid, over.mid)
    relative = quick.RELATIVE_ERROR["log1p"] + (x.relative + over.relative) * (1 + 2.0**-20)
    found = x._like(over, mid=value, relative=relative, inexact=True, low=0.0, high=745.0)
    return found.doubted(~(over.mid > 0.0))


def _with_growth(found: Ball, x: Ball) -> Ball:
    """Return 1 + exp(x) with its relative error as a register: no division by it is needed.

    The condition number is at most the argument, and that is small where the result matters.
    """
    error = total(x.spread, Scaled(None, x.absolute) if x.absolute else None)
    found = found.doubted(error.register(x.mid) > CLOSE)
    # 1.25 * error: at least exp(error) - 1, and what that is of the inverse
    growth = error.times(1.25)
    if x.relative:
        growth = growth.plus(Scaled(x.size.at_most(746.0), x.relative * (1 + 2.0**-20)))
    return replace(found, growth=growth, spread=growth.times(found.size))


def _bounded(found: Ball, x: Ball) -> Ball:
    """Put an exponential in doubt where it may have overflowed."""
    if x.high <= 690.0:
        return found
    return found.doubted(x.mid > 690.0)


def value_range(name: str, x: Ball) -> tuple[float, float]:
    known = _FUNCTIONS[name]
    if known.value is not None:
        low, high = known.value(x.low), known.value(x.high)
        if name == "log" and x.inexact is False and x.least:
            low = log(x.least)  # but for -inf, which is exact
    elif name == "tanh":
        low, high = (-1.0 if x.low < 0 else 0.0), (1.0 if x.high > 0 else 0.0)
    elif name == "softplus":
        low, high = 0.0, max(x.high, 0.0) + 1.0
    else:
        return known.low, known.high
    low, high = low - abs(low) * 1e-12, high + abs(high) * 1e-12
    return max(known.low, low), min(known.high, high)
