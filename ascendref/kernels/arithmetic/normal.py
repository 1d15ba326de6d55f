"""The normal distribution of registers, as `elementary.py` does it.

Its tail is an exponential times a function that is close to a quotient of two polynomials (Mills'
ratio), ``exp(-y**2 / 2) * mills * (CONSTANT + polynomial(t))`` with::

    mills = (y + A) / (y * (y + A) + B),    t = (y - K) / (y + K)

The exponential of the exact square, the quotient and the product of the two are sums of two numbers
each, so little more than the last rounding is lost.
"""

from typing import Final

import numpy as np

from .coefficients import EXP, GELU, GELU_SLOPE, HALF_GELU, HALF_POWER, HALF_SLOPE, NORMAL_TAIL
from .elementary import (
    FLOAT,
    LOG2_E,
    estrin,
    exp_sum,
    halved_powers,
    horner,
    scale,
    shifted_exponent,
)
from .registers import Integer, Register, fast_two_sum, two_product, two_sum

A: Final = 1.96875
B: Final = 1.578125
CONSTANT: Final = 0.4013671875
#: for double and float
K: Final = {True: 4.0, False: 3.0}
#: from here on, the tail is 0
FARTHEST: Final = {True: 38.75, False: 14.5}

#: 1 / sqrt(2 * pi) as a sum of two numbers, for double and float
DENSITY: Final = {
    True: (0.3989422804014327, -2.49232720227773e-17),
    False: (0.3989422917366028, -1.1335170135851058e-08),
}


def _square_exp(y: Register) -> tuple[Integer, Register, Register]:
    """Return the exponential of ``-y**2 / 2``, exact square, as `exp_sum` does."""
    square, rest = two_product(y, y)
    return exp_sum(square * -0.5, rest * -0.5)


def _tail(y: Register) -> tuple[Integer, Register, Register]:
    """Return n, high and low: the tail is ``2**n * (high + low)``, for y >= 0."""
    n, power, power_low = _square_exp(y)
    # the quotient and its error
    above, above_low = two_sum(y, y.lift(A))
    product, product_low = two_product(y, above)
    below, below_low = two_sum(product, y.lift(B))
    below_low = below_low + y.fma(above_low, product_low)
    # one division for mills and t
    k = K[y.wide]
    both = 1.0 / (below * (y + k))
    inverse = both * (y + k)
    mills = above * inverse
    mills_low = inverse * ((-mills).fma(below, above) + (-mills).fma(below_low, above_low))
    # times the constant and the polynomial, which is less than a hundredth of it
    correction = horner((y - k) * (both * below), NORMAL_TAIL[y.wide])
    scaled, scaled_low = two_product(mills, y.lift(CONSTANT))
    scaled_low = scaled_low + mills.fma(correction, mills_low * CONSTANT)
    high, low = two_product(power, scaled)
    return n, high, low + power.fma(scaled_low, power_low * (scaled + scaled_low))


def _one_minus(high: Register, low: Register) -> Register:
    total, lost = fast_two_sum(high.lift(1.0), -high)
    return total + (lost - low)


def normal_cdf(x: Register) -> Register:
    """Return the integral of `normal_pdf` from -inf, within 0.84 and 0.93 ulp."""
    n, high, low = _tail(abs(x).at_most(FARTHEST[x.wide]))
    upper = _one_minus(scale(high, n), scale(low, n))
    return (x < 0.0).select(scale(high + low, n), upper)  # type: ignore[no-any-return]


def normal_pdf(x: Register) -> Register:
    """Return ``exp(-x**2 / 2) / sqrt(2 * pi)``, within 0.79 and 0.85 ulp."""
    n, power, low = _square_exp(abs(x).at_most(FARTHEST[x.wide]))
    constant, rest = DENSITY[x.wide]
    return scale(power.fma(constant, low.fma(constant, power * rest)), n)


# --- functions of floats that have it as a factor -------------------------------------------------

#: from here on, the tail times its argument is 0
GELU_FARTHEST: Final = 14.5
#: to here, two powers of two hold the derivative's exponential; from the second on, that times a
#: float is 0
SLOPE_FAR: Final = 18.5
SLOPE_FARTHEST: Final = 19.75
#: the tail is divided by the sum of the argument and this number: then its slope at 0 is next to 0
OFFSET: Final = 1.25
#: the exponent of a power by which the exponential is lifted, so that it is normal
LIFT: Final = 64
#: the polynomial of exponentials for minus twice their argument, but for its first terms
SQUARE_EXP: Final = tuple([c * (-0.5) ** k for k, c in enumerate(reversed(EXP[False]), 2)][::-1])
#: from here on, results of 16 bits are 0: of float32's range, and float16
HALF_FARTHEST: Final = {True: 13.625, False: 5.75}
#: the factor of the square in the exponential's argument, for powers of two
SQUARED: Final = float(np.float32(-0.5 * LOG2_E))
#: the polynomial's variable is 0 for this argument
CENTRE: Final = 4.0
#: its sum with the argument divides the argument, in the variable of the derivative's polynomial
SLOPE_OFFSET: Final = 3.0
#: minus the zero of the derivative, as a sum of two floats
SLOPE_ZERO: Final = (0.7517915368080139, -1.211444988769017e-08)


def _float_square_exp(y: Register, bias: int) -> tuple[Integer, Register, Register]:
    """Return bits, total and low: ``exp(-y**2 / 2)`` is ``2**n * (total + low)``, low below 0.07.

    The lowest bits are ``n + bias``. There are fewer operations than in `_square_exp`, of which
    fewer are in a row.
    """
    square, rest = two_product(y, y)
    shifted, zero = shifted_exponent(square, -0.5 * LOG2_E, bias)
    n, (ln2, ln2_low) = shifted - zero, FLOAT.ln2
    # minus twice the argument
    r = n.fma(2.0 * ln2, square) + n.fma(2.0 * ln2_low, rest)
    total = r.fma(-0.5, 1.0)
    low = (r * r).fma(estrin(r, SQUARE_EXP), r.fma(-0.5, 1.0 - total))
    return shifted.bits(), total, low


def _polynomial(t: Register, coefficients: tuple[float, ...]) -> tuple[Register, Register]:
    """Return a polynomial as a sum of two numbers; its constant is the largest term."""
    *others, constant = coefficients
    rest = estrin(t, tuple(others))
    total = t.fma(rest, constant)
    return total, t.fma(rest, constant - total)


def _linear(x: Register) -> Register:
    """Return the float from 0 on, below that a 0 with its sign, and NaN at -inf."""
    return x.bits().negative().select(x * 0.0, x)  # type: ignore[no-any-return]


def gelu(x: Register) -> Register:
    """Return a float times its `normal_cdf`; NaN at -inf.

    It is ``max(x, 0) - v``, where v is y times the tail for ``y = abs(x)``::

        v = exp(-y**2 / 2) * y / (y + OFFSET) * polynomial((y - CENTRE) / (y + CENTRE))

    Within 1.65 ulp, exhaustive.
    """
    y = abs(x).at_most(GELU_FARTHEST)
    bits, power, low = _float_square_exp(y, FLOAT.bias + LIFT)
    # one division for both quotients, of which the first is corrected
    below, lost = fast_two_sum(y.lift(OFFSET), y)  # of so few bits that y may be larger
    above = y + CENTRE
    both = 1.0 / (below * above)
    inverse = both * above
    quotient = y * inverse
    left = (-quotient).fma(lost, (-quotient).fma(below, y))
    t = (y - CENTRE) * (both * below)
    factor, factor_low = _polynomial(t, GELU[x.wide])
    product, product_low = two_product(quotient, factor)
    product_low = (left * inverse).fma(factor, quotient.fma(factor_low, product_low))
    lifted = (bits << FLOAT.width).register()
    value = power.fma(product, power.fma(product_low, low * product)) * lifted
    return value.fma(-(2.0**-LIFT), _linear(x))


def _half_power(r: Register, *, wide: bool) -> Register:
    """Return ``2**r`` next to 1, with as many digits as results of 16 bits need."""
    return r.fma(horner(r, HALF_POWER[wide]), 1.0)


def gelu_half(x: Register, *, wide: bool) -> Register:
    """Return what `gelu` does, with as many digits as results of 16 bits need.

    v is ``y * exp(-y**2 / 2) * 2**(p - 1)``, where p is y times a polynomial of y. If not ``wide``,
    results are float16, and smaller ones are 0.
    """
    farthest = HALF_FARTHEST[wide]
    y = abs(x).at_most(farthest)
    rest = y.fma(horner(y.fma(2.0 / farthest, -1.0), HALF_GELU[wide]), -1.0)
    square = y * y
    shifted, zero = shifted_exponent(square.fma(SQUARED, rest), 1.0, FLOAT.bias + LIFT)
    factor = _half_power(square.fma(SQUARED, zero - shifted) + rest, wide=wide)
    # a little less than 1 next to 0, where half of a number would be a tie
    factor = (y < 2.0**-13).select(y.lift(1.0 - 2.0**-14), factor)
    value = y * (shifted.bits() << FLOAT.width).register() * factor
    return value.fma(-(2.0**-LIFT), _linear(x))  # type: ignore[no-any-return]


def gelu_slope(gradient: Register, x: Register) -> Register:
    """Return a float times the derivative of `gelu`; NaN at infinities.

    Below 0 the derivative is ``d``, above it is ``1 - d``, for ``y = abs(x)``::

        d = exp(-y**2 / 2) * (SLOPE_ZERO - y) * polynomial(y / (y + SLOPE_OFFSET))

    The derivative is within 0.9 ulp above 0 and 3 ulp below, exhaustive. Below -19.75, where it is
    less than 2**-278, it is next to 0.
    """
    y = abs(x).at_most(SLOPE_FARTHEST)
    bits, power, low = _float_square_exp(y, 2 * FLOAT.bias)
    t = y / (y + SLOPE_OFFSET)
    factor, factor_low = _polynomial(t, GELU_SLOPE[x.wide])
    # exact next to the zero
    zero, zero_low = SLOPE_ZERO
    distance, lost = fast_two_sum(x.lift(zero), -y)
    product, product_low = two_product(distance, factor)
    product_low = (lost + zero_low).fma(factor, distance.fma(factor_low, product_low))
    part = power.fma(product, power.fma(product_low, low * (product + product_low)))
    return _times_slope(gradient, x, part, bits)


def _times_slope(gradient: Register, x: Register, part: Register, bits: Integer) -> Register:
    """Return the gradient times a derivative, which is ``part * 2**n`` below 0.

    The lowest bits are n plus twice the bias.
    """
    far, lift = abs(x) > SLOPE_FAR, 32
    part = far.select(part * 2.0**-lift, part)
    first, second = halved_powers(far.select(bits + lift, bits), x.wide)
    negative = x.bits().negative()
    slope = negative.select(part, 1.0 - part * first * second) + (x - x)
    scaled = gradient * negative.select(first, 1.0) * slope
    return scaled * negative.select(second, 1.0)  # type: ignore[no-any-return]


def gelu_slope_half(gradient: Register, x: Register) -> Register:
    """Return what `gelu_slope` does, with as many digits as bfloat16 results need."""
    y = abs(x).at_most(SLOPE_FARTHEST)
    square = y * y
    shifted, zero = shifted_exponent(square, SQUARED, 2 * FLOAT.bias)
    factor = _half_power(square.fma(SQUARED, zero - shifted), wide=True)
    part = factor * horner(y / (y + SLOPE_OFFSET), HALF_SLOPE[x.wide]) * (SLOPE_ZERO[0] - y)
    # not 1/2 next to 0, where half of a gradient would be a tie
    part = ((y > 0.0) & (y < 2.0**-14)).select(0.5 - 2.0**-15, part)
    return _times_slope(gradient, x, part, shifted.bits())
