"""Elementary functions that have the digits for rounding to narrow types, and few more.

They take half as many operations as those of `elementary` and `normal`. No result is subnormal:
some below `SMALL` stand for smaller ones, and `LARGE` divisors for larger ones. Arguments are
below 2**1000, or, of logarithms, infinite; what is known of them saves operations.
"""

from __future__ import annotations

from math import inf, nan
from typing import Final, NamedTuple

from .coefficients import QUICK_EXP, QUICK_LOG, QUICK_TAIL
from .elementary import (
    DOUBLE,
    exp_parts,
    horner,
    magic_number,
    nearest_exponent,
    power_of_two,
)
from .normal import DENSITY, A, B
from .registers import Integer, Register

#: bounds of the relative errors of results that are neither small nor large, at least twice those
#: that `tests/kernels/arithmetic/test_elementary.py` finds
RELATIVE_ERROR: Final[dict[str, float]] = {
    "exp": 2.0**-42,
    "expm1": 2.0**-40,
    "one_plus_exp": 2.0**-42,
    "log": 2.0**-45,
    "log1p": 2.0**-45,
    "softplus": 2.0**-42,
    "tanh": 2.0**-41,
    "normal_cdf": 2.0**-42,
    "normal_pdf": 2.0**-42,
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
SMALL: Final = {
    "exp": 2.0**-860,
    "softplus": 2.0**-860,
    "normal_cdf": 2.0**-560,
    "normal_pdf": 2.0**-560,
}
#: what is divided by a divisor that is at least as large may be off by its inverse
LARGE: Final = 2.0**860
#: `one_plus_exp` of larger arguments is that of this one; exponentials of smaller ones than its
#: negative, that of this
HIGHEST: Final = 600.0
#: the tail of larger arguments is that of this one
FARTHEST: Final = 28.0
#: the polynomial's variable is 0 for this argument
K: Final = 3.5
#: half a step of a double's exponent
_HALF: Final = 1 << DOUBLE.width - 1


class Known(NamedTuple):
    """What is known of an argument."""

    low: float = -inf
    high: float = inf
    #: smallest magnitude that is not 0
    least: float = 0.0
    #: whether it is finite: it is not a quotient
    finite: bool = False

    def limited(self, x: Register, low: float, high: float = inf) -> Register:
        """Return an argument, or the end of an interval beyond which it may be."""
        if self.high > high:
            x = x.at_most(high)
        return x.at_least(low) if self.low < low else x


UNKNOWN: Final = Known()


def even_and_odd(x: Register, coefficients: tuple[float, ...]) -> Register:
    """Return what `horner` does, of even and odd powers: half as many operations in a row."""
    square, first = x * x, (len(coefficients) - 1) % 2
    even, odd = [horner(square, coefficients[k::2]) for k in (first, 1 - first)]
    return odd.fma(x, even)


def _exp_parts(x: Register) -> tuple[Integer, Register]:
    """Return n and p: ``exp(x)`` is ``2**n * (1 + p)``."""
    exponent, n = nearest_exponent(x)
    r = (-n).fma(DOUBLE.ln2[1], (-n).fma(DOUBLE.ln2[0], x))
    return exponent, (r * r).fma(even_and_odd(r, QUICK_EXP), r)


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


def _log(a: Register, b: Register, distance: Register | None = None) -> Register:
    """Return ``log(a / b)`` of positive normal numbers; if a is rounded, the distance is not.

    A power of two brings b next to a: the logarithm of the quotient of these two is a series of
    their difference divided by their sum.
    """
    power = (a.bits() - b.bits() + _HALF) >> DOUBLE.width
    magic = magic_number(a)
    k = (power + magic.bits()).register() - magic
    near = (b.bits() + (power << DOUBLE.width)).register()
    s = (a - near if distance is None else b - near + distance) / (a + near)
    z = s * s
    return k.fma(DOUBLE.ln2[0], s * z.fma(even_and_odd(z, QUICK_LOG), 2.0))


def log(x: Register, known: Known = UNKNOWN) -> Register:
    one = x.lift(1.0)
    if known.least >= 2.0**-1022:
        value = _log(x, one)
    else:
        subnormal = x < 2.0**-1022
        scale = subnormal.select(2.0**53, one)
        value = _log(x * scale, scale)
    value = value if known.low > 0.0 else (x == 0.0).select(-inf, value)
    value = value if known.finite else (x < inf).select(value, x)  # a quotient by 0 is infinite
    return value if known.low >= 0.0 else (x < 0.0).select(nan, value)


def log1p(x: Register, known: Known = UNKNOWN) -> Register:
    value = log1p_of_quotient(x, x.lift(1.0))
    value = value if known.low > -1.0 else (x == -1.0).select(-inf, value)
    value = value if known.finite else (x < inf).select(value, x)  # a quotient by 0 is infinite
    return value if known.low >= -1.0 else (x < -1.0).select(nan, value)


def log1p_of_quotient(x: Register, over: Register) -> Register:
    """Return ``log1p(x / over)``, for a positive divisor, in one division."""
    return (x == 0.0).select(x, _log(over + x, over, x))  # type: ignore[no-any-return]


def softplus(x: Register, known: Known = UNKNOWN) -> Register:
    power = exp(-abs(x), Known(high=0.0))
    return x.at_least(0.0) + _log(1.0 + power, x.lift(1.0), power)


def tanh(x: Register, known: Known = UNKNOWN) -> Register:
    e = expm1(abs(x) * -2.0, Known(high=0.0))
    return (-e / (2.0 + e)).copysign(x)


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
    tail = _square_exp(y) * (mills * even_and_odd((y - K) * (both * below), QUICK_TAIL))
    return (x < 0.0).select(tail, 1.0 - tail)  # type: ignore[no-any-return]


def normal_pdf(x: Register, known: Known = UNKNOWN) -> Register:
    return _square_exp(_size(x, known)) * DENSITY[True][0]
