"""Elementary functions that have the digits for rounding to narrow types, and few more.

They take half as many operations as those of `elementary` and `normal`. No result is subnormal:
some below `SMALL` stand for smaller ones, and `LARGE` divisors for larger ones. Arguments are
finite, but for those of logarithms; what is known of them saves operations.
"""

from __future__ import annotations

from math import inf, nan
from typing import Final, NamedTuple

from .coefficients import QUICK_EXP, QUICK_LOG, QUICK_TAIL
from .elementary import DOUBLE, estrin, exp_parts, nearest_exponent, power_of_two, split
from .normal import DENSITY, A, B
from .registers import Integer, Register, two_sum

#: bounds of the relative errors of results that are neither small nor large, at least twice those
#: that `tests/kernels/arithmetic/test_elementary.py` finds
RELATIVE_ERROR: Final[dict[str, float]] = {
    "exp": 2.0**-47,
    "expm1": 2.0**-46,
    "one_plus_exp": 2.0**-47,
    "log": 2.0**-46,
    "log1p": 2.0**-46,
    "normal_cdf": 2.0**-43,
    "normal_pdf": 2.0**-43,
}
#: the same for functions of floats up to `FLOAT_FARTHEST`, in units of 2**-24: more than the
#: largest error of `one_plus_exp`, and twice the bounds in ulp of the others
FLOAT_ERROR: Final[dict[str, float]] = {
    "exp": 1.55,
    "expm1": 1.21,
    "one_plus_exp": 2.75,
    "log": 1.69,
    "log1p": 1.69,
    "tanh": 1.15,
    "normal_cdf": 1.69,
    "normal_pdf": 1.59,
    "softplus": 1.71,
}
#: larger arguments of floats are in doubt: bounds of errors of their results would be subnormal
FLOAT_FARTHEST: Final[dict[str, float]] = {
    "exp": 60.0, "expm1": 60.0, "one_plus_exp": 60.0, "softplus": 60.0,
    "normal_cdf": 10.0, "normal_pdf": 10.0,
}  # fmt: skip
#: results of functions that underflow are off by less, in addition
SMALL: Final = {"exp": 2.0**-860, "normal_cdf": 2.0**-560, "normal_pdf": 2.0**-560}
#: what is divided by a divisor that is at least as large may be off by its inverse
LARGE: Final = 2.0**860
#: `one_plus_exp` of larger arguments is that of this one; exponentials of smaller ones than its
#: negative, that of this
HIGHEST: Final = 600.0
#: the tail of larger arguments is that of this one
FARTHEST: Final = 28.0
#: the polynomial's variable is 0 for this argument
K: Final = 3.5


class Known(NamedTuple):
    """What is known of an argument."""

    low: float = -inf
    high: float = inf
    #: smallest magnitude that is not 0
    least: float = 0.0

    def limited(self, x: Register, low: float, high: float = inf) -> Register:
        """Return an argument, or the end of an interval beyond which it may be."""
        if self.high > high:
            x = x.at_most(high)
        return x.at_least(low) if self.low < low else x


UNKNOWN: Final = Known()


def _exp_parts(x: Register) -> tuple[Integer, Register]:
    """Return n and p: ``exp(x)`` is ``2**n * (1 + p)``."""
    exponent, n = nearest_exponent(x)
    r = (-n).fma(DOUBLE.ln2[1], (-n).fma(DOUBLE.ln2[0], x))
    return exponent, (r * r).fma(estrin(r, QUICK_EXP), r)


def exp(x: Register, known: Known = UNKNOWN) -> Register:
    n, p = _exp_parts(known.limited(x, -HIGHEST, DOUBLE.highest))
    if known.high <= HIGHEST:
        power = power_of_two(n, wide=True)
        return power.fma(p, power)
    # halves, because 2**n may be infinite
    power = power_of_two(n - 1, wide=True)
    half = power.fma(p, power)
    return half + half


def expm1(x: Register, known: Known = UNKNOWN) -> Register:
    n, p = _exp_parts(known.limited(x, -2.0 * DOUBLE.saturated, DOUBLE.highest))
    power = power_of_two(n - 1, wide=True)
    half = power.fma(p, power - 0.5)
    return (abs(x) < DOUBLE.spacing).select(x, half + half)  # type: ignore[no-any-return]


def one_plus_exp(x: Register, known: Known = UNKNOWN) -> Register:
    if not x.wide:  # up to `FLOAT_FARTHEST`
        exponent, r, small = exp_parts(x)
        factor = power_of_two(exponent, wide=False)
        return factor.fma(r + small, factor + 1.0)
    n, p = _exp_parts(known.limited(x, -HIGHEST, HIGHEST))
    power = power_of_two(n, wide=True)
    return power.fma(p, power + 1.0)


def _log(x: Register, low: Register | None = None, exponent: Register | None = None) -> Register:
    """Return ``log((x + low) * 2**exponent)``, for positive normal x."""
    m, _, k = split(x)
    if exponent is not None:
        k = k + exponent
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    square = 0.5 * f * f
    tail = k * DOUBLE.short_ln2[1]
    if low is not None:
        tail = tail + low / x
    series = s.fma(z.fma(estrin(z, QUICK_LOG), square), tail)
    return k.fma(DOUBLE.short_ln2[0], f - (square - series))


def log(x: Register, known: Known = UNKNOWN) -> Register:
    if known.least >= 2.0**-1022:
        value = _log(x)
    else:
        subnormal = x < 2.0**-1022
        normal = subnormal.select(x * 2.0**53, x)
        value = _log(normal, exponent=subnormal.select(x.lift(-53), 0.0))
    value = value if known.low > 0.0 else (x == 0.0).select(-inf, value)
    value = (x < inf).select(value, x)  # a quotient by 0 is infinite
    return value if known.low >= 0.0 else (x < 0.0).select(nan, value)  # type: ignore[no-any-return]


def log1p(x: Register, known: Known = UNKNOWN) -> Register:
    value = (abs(x) < DOUBLE.spacing).select(x, _log(*two_sum(x.lift(1.0), x)))
    value = value if known.low > -1.0 else (x == -1.0).select(-inf, value)
    value = (x < inf).select(value, x)  # a quotient by 0 is infinite
    return value if known.low >= -1.0 else (x < -1.0).select(nan, value)  # type: ignore[no-any-return]


def _square_exp(y: Register) -> Register:
    """Return the exponential of ``-y**2 / 2``."""
    n, p = _exp_parts(y * y * -0.5)
    power = power_of_two(n, wide=True)
    return power.fma(p, power)


def _size(x: Register, known: Known) -> Register:
    y = abs(x)
    return y if max(known.high, -known.low) <= FARTHEST else y.at_most(FARTHEST)


def normal_cdf(x: Register, known: Known = UNKNOWN) -> Register:
    y = _size(x, known)
    # the tail as in `normal`
    above, beyond = y + A, y + K
    below = y.fma(above, B)
    both = 1.0 / (below * beyond)
    mills = above * (both * beyond)
    tail = _square_exp(y) * (mills * estrin((y - K) * (both * below), QUICK_TAIL))
    return (x < 0.0).select(tail, 1.0 - tail)  # type: ignore[no-any-return]


def normal_pdf(x: Register, known: Known = UNKNOWN) -> Register:
    return _square_exp(_size(x, known)) * DENSITY[True][0]
