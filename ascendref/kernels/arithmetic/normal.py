"""The normal distribution of registers, as `elementary.py` does it.

Its tail is an exponential times a function that is close to a quotient of two polynomials (Mills'
ratio), ``exp(-y**2 / 2) * mills * (CONSTANT + polynomial(t))`` with::

    mills = (y + A) / (y * (y + A) + B),    t = (y - K) / (y + K)

The exponential of the exact square, the quotient and the product of the two are sums of two numbers
each, so little more than the last rounding is lost.
"""

from __future__ import annotations

from typing import Final

from .coefficients import NORMAL_TAIL
from .elementary import exp_sum, horner, scale
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
