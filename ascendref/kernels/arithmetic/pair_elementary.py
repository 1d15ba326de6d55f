"""The exponential and the logarithm of a sum of two doubles, as sums of two doubles.

Correctly rounded operations and fma only, and no tables: the bits are the same on every machine.
"""

from fractions import Fraction
from typing import Final

from .coefficients import LOG
from .elementary import DOUBLE, horner, reduced, split
from .registers import Integer, Register, fast_two_sum, two_product, two_sum

#: ``(exp(r) - 1 - r - r**2 / 2) * 2 / r**3`` up to ln(2) / 2, the highest power first: 2.0e-19
_EXP: Final = (
    3.2168655767905205e-10, 4.182937393617375e-09, 5.010415600465891e-08, 5.51145472862206e-07,
    5.511463847991419e-06, 4.9603174651095485e-05, 0.0003968253968253283, 0.0027777777777767496,
    0.016666666666666666, 0.08333333333333334, 0.3333333333333333,
)  # fmt: skip


def exp_parts(x: Register, rest: Register | None = None) -> tuple[Integer, Register, Register]:
    """Return n, r and small: exp(x + rest) is ``2**n * (1 + r + small)`` within about 2**-60.

    Small is at most 1/32 of r. The result is meaningless beyond abs(x) = 2**20.
    """
    n, r, lost = reduced(x)
    rest = lost if rest is None else lost + rest
    half_square, square_rest = two_product(0.5 * r, r)
    total, sum_rest = fast_two_sum(r, half_square)
    cubic = horner(r, _EXP)
    small = (half_square * r).fma(cubic, square_rest + sum_rest)
    small = rest.fma(total + small + 1.0, small)
    return n, total, small


def exp_sum(x: Register, rest: Register | None = None) -> tuple[Integer, Register, Register]:
    """Return n, total and low: exp(x + rest) is ``2**n * (total + low)``, low at most an ulp."""
    n, r, small = exp_parts(x, rest)
    total, low = fast_two_sum(r.lift(1.0), r)
    return n, *fast_two_sum(total, low + small)


def log_parts(
    x: Register, low: Register | None = None, shift: Register | None = None
) -> tuple[Register, Register]:
    """Return log(x + low) + shift * log(2) as two numbers, for a normal and positive x.

    The second number is at most an ulp of the first; the relative error is about 2**-58.
    """
    m, _, n = split(x)
    if shift is not None:
        n = n + shift
    f = m - 1.0
    half_square, square_rest = two_product(0.5 * f, f)
    s = f / (2.0 + f)
    square = s * s
    # log(1 + f) = f - f**2 / 2 + s * (f**2 / 2 + s**2 * polynomial)
    small = s * square.fma(horner(square, LOG[True]), half_square) - square_rest
    small = n.fma(DOUBLE.short_ln2[1], small)
    if low is not None:
        ratio = low / x
        small = small + ratio.fma(-0.5 * ratio, ratio)
    whole, whole_rest = fast_two_sum(n * DOUBLE.short_ln2[0], f)
    total, total_rest = fast_two_sum(whole, -half_square)
    return fast_two_sum(total, total_rest + (whole_rest + small))


def precise_horner(
    t: Register, low: Register, coefficients: tuple[tuple[float, ...], tuple[Fraction, ...]]
) -> tuple[Register, Register]:
    """Return a polynomial of ``t + low`` as two numbers, for t within -1 and 1.

    Coefficients of higher powers are doubles, the lower ones sums of two; the highest comes first.
    """
    t, low = fast_two_sum(t, low)
    high, small = horner(t, coefficients[0]), t.lift(0.0)
    for coefficient in coefficients[1]:
        product, rest = two_product(high, t)
        small = small.fma(t, high.fma(low, rest))
        high, rest = two_sum(product, t.lift(coefficient))
        small = small + (rest + float(coefficient - Fraction(float(coefficient))))
    return high, small


#: ``(1 + 2 * y) * exp(y**2 / 2)`` times the integral from y to inf of the normal density, in powers
#: of ``(y - 5) / (y + 5)`` for y from 0 to 38.7: interpolated at Chebyshev's points, within 2**-61
NORMAL_TAIL: Final = (
    (
        -3.5782251079016136e-10, -1.4962821455983474e-09, 7.600842682647135e-10,
        1.2283270068825784e-08, 4.149224233189542e-09, -7.27463707025255e-08,
        -4.1014798734753266e-08, 4.370591746275513e-07, 1.78852103086055e-07,
        -2.8618017843382698e-06, 5.33994796522114e-07, 1.9391310083887195e-05,
        -2.6436390697947792e-05, -0.00010817694147126853, 0.00042509570107174174,
        -0.00011869355606534775, -0.003571695413217061, 0.015422845681034046, -0.039332201357067144,
    ),
    (
        Fraction("0.0724878269758154635915353991861789713"),
        Fraction("-0.100657438216707909652475919890884443"),
        Fraction("0.10088858203456184218080266216014694"),
        Fraction("-0.0540080750340775379516475715971563762"),
        Fraction("-0.039647008404005869628989819057982116"),
        Fraction("0.846112354725069255623659298958427341"),
    ),
)  # fmt: skip
