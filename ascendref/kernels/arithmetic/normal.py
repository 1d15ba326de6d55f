"""The error function and the normal distribution of registers, as `elementary.py` does it.

Both tails are an exponential times a function that is close to a quotient of two polynomials
(Mills' ratio). The exponential of the exact square, the quotient and the product of the two are
sums of two numbers each, so little more than the last rounding is lost.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from .coefficients import ERF, ERF_TAIL, NORMAL_TAIL
from .elementary import exp_sum, horner, scale
from .registers import Integer, Register, fast_two_sum, two_product, two_sum


class Tail(NamedTuple):
    """``exp(-factor * y**2) * mills * (constant + polynomial(t))``.

    In this, mills is ``(y + a) / (y * (y + a) + b)`` and t is ``(y - k) / (y + k)``.
    """

    factor: float
    a: float
    b: float
    constant: float
    k: dict[bool, float]  #: for double and float
    coefficients: dict[bool, tuple[float, ...]]
    farthest: dict[bool, float]  #: from here on, the function is 0 or 1


#: one half of erfc(y / sqrt(2))
NORMAL: Final = Tail(
    factor=0.5,
    a=1.96875,
    b=1.578125,
    constant=0.4013671875,
    k={True: 4.0, False: 3.0},
    coefficients=NORMAL_TAIL,
    farthest={True: 38.75, False: 14.5},
)
#: erfc from 0.5 on
ERFC: Final = Tail(
    factor=1.0,
    a=1.15625,
    b=0.6953125,
    constant=0.56640625,
    k={True: 2.0, False: 1.5},
    coefficients=ERF_TAIL,
    farthest={True: 6.0, False: 4.0},
)

#: 1 / sqrt(2 * pi) as a sum of two numbers, for double and float
DENSITY: Final = {
    True: (0.3989422804014327, -2.49232720227773e-17),
    False: (0.3989422917366028, -1.1335170135851058e-08),
}


def _square_exp(y: Register, factor: float) -> tuple[Integer, Register, Register]:
    """Return the exponential of ``-factor * y**2``, exact square, as `exp_sum` does."""
    square, rest = two_product(y, y)
    return exp_sum(square * -factor, rest * -factor)


def _tail(y: Register, tail: Tail) -> tuple[Integer, Register, Register]:
    """Return n, high and low: the tail is ``2**n * (high + low)``, for y >= 0."""
    n, power, power_low = _square_exp(y, tail.factor)
    # the quotient and its error
    above, above_low = two_sum(y, y.lift(tail.a))
    product, product_low = two_product(y, above)
    below, below_low = two_sum(product, y.lift(tail.b))
    below_low = below_low + y.fma(above_low, product_low)
    # one division for mills and t
    k = tail.k[y.wide]
    both = 1.0 / (below * (y + k))
    inverse = both * (y + k)
    mills = above * inverse
    mills_low = inverse * ((-mills).fma(below, above) + (-mills).fma(below_low, above_low))
    # times the constant and the polynomial, which is less than a hundredth of it
    correction = horner((y - k) * (both * below), tail.coefficients[y.wide])
    scaled, scaled_low = two_product(mills, y.lift(tail.constant))
    scaled_low = scaled_low + mills.fma(correction, mills_low * tail.constant)
    high, low = two_product(power, scaled)
    return n, high, low + power.fma(scaled_low, power_low * (scaled + scaled_low))


def _one_minus(high: Register, low: Register) -> Register:
    total, lost = fast_two_sum(high.lift(1.0), -high)
    return total + (lost - low)


def erf(x: Register) -> Register:
    """Return the error function.

    Float: within 0.67 ulp, exhaustive. Double: 0.82.
    """
    size = abs(x)
    near = x.fma(horner(x * x, ERF[x.wide]), x)
    n, high, low = _tail(size.at_most(ERFC.farthest[x.wide]), ERFC)
    far = _one_minus(scale(high, n), scale(low, n)).copysign(x)
    return (size < 0.5).select(near, far)  # type: ignore[no-any-return]


def normal_cdf(x: Register) -> Register:
    """Return the integral of `normal_pdf` from -inf: half of erfc(-x / sqrt(2)).

    Float: within 0.84 ulp, exhaustive. Double: 0.93.
    """
    n, high, low = _tail(abs(x).at_most(NORMAL.farthest[x.wide]), NORMAL)
    upper = _one_minus(scale(high, n), scale(low, n))
    return (x < 0.0).select(scale(high + low, n), upper)  # type: ignore[no-any-return]


def normal_pdf(x: Register) -> Register:
    """Return the density of the normal distribution, ``exp(-x**2 / 2) / sqrt(2 * pi)``.

    Float: within 0.79 ulp, exhaustive. Double: 0.85.
    """
    n, power, low = _square_exp(abs(x).at_most(NORMAL.farthest[x.wide]), NORMAL.factor)
    constant, rest = DENSITY[x.wide]
    return scale(power.fma(constant, low.fma(constant, power * rest)), n)
