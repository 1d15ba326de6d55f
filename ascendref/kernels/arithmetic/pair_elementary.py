"""The exponential and the logarithm of a sum of two doubles, as sums of two doubles.

Correctly rounded operations and fma only, and no tables: the bits are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from .registers import Integer, Register, fast_two_sum, two_product

#: ``(exp(r) - 1 - r - r**2 / 2) / r**3`` up to ln(2) / 2, within 2**-63
_EXP: Final = (
    0.16666666666666666,
    0.04166666666666667,
    0.008333333333333333,
    0.0013888888888883748,
    0.00019841269841266415,
    2.4801587325547743e-05,
    2.7557319239957097e-06,
    2.75572736431103e-07,
    2.5052078002329456e-08,
    2.0914686968086876e-09,
    1.6084327883952603e-10,
)
#: ``(2 * atanh(s) - 2 * s) / s**3`` in powers of s**2, up to 0.172, within 2**-58
_LOG: Final = (
    0.6666666666666666,
    0.40000000000000885,
    0.28571428570799784,
    0.22222222392581045,
    0.18181795547521137,
    0.15386244737621665,
    0.13268638369266825,
    0.13088034850927555,
)

_LOG2_E: Final = float.fromhex("0x1.71547652b82fep+0")
#: ln 2 as a sum of two doubles
_LN2_HIGH: Final = float.fromhex("0x1.62e42fefa39efp-1")
_LN2_LOW: Final = float.fromhex("0x1.abc9e3b39803fp-56")
#: the same with a first double of 32 bits, whose multiples by exponents are exact
_LN2_SHORT: Final = float.fromhex("0x1.62e42feep-1")
_LN2_REST: Final = float.fromhex("0x1.a39ef35793c76p-33")
#: adding and subtracting it rounds to an integer, whose bits are then the lowest of the sum
_MAGIC: Final = 1.5 * 2.0**52
_MAGIC_BITS: Final = 0x4338000000000000
_ROOT_HALF_BITS: Final = 0x3FE6A09E667F3BCD
_FRACTION_BITS: Final = (1 << 52) - 1


def horner(x: Register, coefficients: Sequence[float | Fraction]) -> Register:
    """Return the polynomial with these coefficients, the constant first."""
    *others, last = coefficients
    value = x.lift(last)
    for coefficient in reversed(others):
        value = value.fma(x, coefficient)
    return value


def power_of_two(n: Integer) -> Register:
    """Return 2**n, a normal number."""
    return ((n + 1023) << 52).register()


def scale(value: Register, n: Integer) -> Register:
    """Return ``value * 2**n`` in two steps, as 2**n may be beyond the doubles."""
    half = n >> 1
    return value * power_of_two(half) * power_of_two(n - half)


def exp_parts(x: Register, rest: Register | None = None) -> tuple[Integer, Register, Register]:
    """Return n, r and small: exp(x + rest) is ``2**n * (1 + r + small)``.

    The second number is at most 1/32 of the first, and their sum has a relative error of about
    2**-60. The result is meaningless beyond abs(x) = 2**20.
    """
    shifted = x.fma(_LOG2_E, _MAGIC)
    n = shifted - _MAGIC
    high = n.fma(-_LN2_HIGH, x)  # exact
    r = n.fma(-_LN2_LOW, high)
    lost = n.fma(-_LN2_LOW, high - r)
    rest = lost if rest is None else lost + rest
    half_square, square_rest = two_product(0.5 * r, r)
    total, sum_rest = fast_two_sum(r, half_square)
    cubic = horner(r, tuple(2 * c for c in _EXP))
    small = (half_square * r).fma(cubic, square_rest + sum_rest)
    small = rest.fma(total + small + 1.0, small)
    return shifted.bits() - _MAGIC_BITS, total, small


def log_parts(
    x: Register, low: Register | None = None, shift: Register | None = None
) -> tuple[Register, Register]:
    """Return log(x + low) + shift * log(2) as two numbers, for a normal and positive x.

    The second number is at most an ulp of the first, and their sum has a relative error of about
    2**-58. The shift is an integer.
    """
    bits = x.bits() - _ROOT_HALF_BITS
    n = ((bits >> 52) + _MAGIC_BITS).register() - _MAGIC
    if shift is not None:
        n = n + shift
    f = ((bits & _FRACTION_BITS) + _ROOT_HALF_BITS).register() - 1.0
    half_square, square_rest = two_product(0.5 * f, f)
    s = f / (2.0 + f)
    square = s * s
    # log(1 + f) = f - f**2 / 2 + s * (f**2 / 2 + s**2 * polynomial)
    small = s * square.fma(horner(square, _LOG), half_square) - square_rest
    small = n.fma(_LN2_REST, small)
    if low is not None:
        ratio = low / x
        small = small + ratio.fma(-0.5 * ratio, ratio)
    whole, whole_rest = fast_two_sum(n * _LN2_SHORT, f)
    total, total_rest = fast_two_sum(whole, -half_square)
    return fast_two_sum(total, total_rest + (whole_rest + small))
