"""Functions of floats with the logistic function as a factor, as `elementary.py` does it.

Few of their operations wait for each other.
"""

from math import inf, nan

from .coefficients import EXP, HALF_EXP, LOG
from .elementary import (
    FLOAT,
    LOG2_E,
    estrin,
    horner,
    magic_number,
    nearest_exponent,
    power_of_two,
    shifted_exponent,
)
from .registers import Register


def _short_exp(r: Register) -> tuple[Register, Register]:
    """Return r**2 and q of floats: ``exp(r)`` is ``1 + r + q * r**2``."""
    square = r * r
    return square, horner(square, EXP[False][::2]).fma(r, horner(square, EXP[False][1::2]))


def _sunk_exp(x: Register) -> tuple[Register, Register, Register, Register]:
    """Return s, a, p and r of a float from -1.5 on: ``1 + exp(x)`` is ``(a + p * r) / s**2``.

    Up to 60, s is 1 and ``exp(x)`` is ``p + p * r``. No exponential is far below 1, which saves
    operations.
    """
    near = x.at_most(FLOAT.farthest)
    exponent, n = nearest_exponent(near)
    ln2, ln2_low = FLOAT.ln2
    high = (-n).fma(ln2, near)  # exact
    square, cubic = _short_exp((-n).fma(ln2_low, high))
    power = power_of_two(exponent, wide=False)
    # where the exponential or its product with a factor may overflow, it is divided by sink**2,
    # and the 1 is nothing, but infinite for an infinite x
    far = x > 60.0
    sunk = (power.bits() - (2 * FLOAT.sink << FLOAT.width)).register()
    sink = far.select(x.lift(2.0**-FLOAT.sink), 1.0)
    one = far.select(x * FLOAT.tiny, 1.0)
    # next to a power that it does not fit, the 1 goes with the small terms
    inverse = ((2 * FLOAT.bias << FLOAT.width) - power.bits()).register()
    rest = (-n).fma(ln2_low, ((n > FLOAT.width) & ~far).select(inverse, 0.0))
    power = far.select(sunk, power)
    return sink, one + power, power, high + square.fma(cubic, rest)


def _exp_half(x: Register, *, wide: bool) -> tuple[Register, Register, Register, Register]:
    """Return what `_sunk_exp` does from -60 on, with as many digits as results of 16 bits need.

    If not ``wide``, s is 1, and the exponential of a finite number is at most exp(87).
    """
    near = x.at_most(FLOAT.farthest if wide else 87.0)
    shifted, zero = shifted_exponent(near, LOG2_E, FLOAT.bias)
    n = shifted - zero
    r = (-n).fma(FLOAT.ln2[1], (-n).fma(FLOAT.ln2[0], near))
    rest = (r * r).fma(estrin(r, HALF_EXP[False]), r)
    bits = shifted.bits() << FLOAT.width
    power = bits.register()
    if not wide:
        return x.lift(1.0), x.fma(2.0**-100, 1.0) + power, power, rest
    far = x > 60.0
    power = far.select((bits - (2 * FLOAT.sink << FLOAT.width)).register(), power)
    one = far.select(x * FLOAT.tiny, 1.0)
    return far.select(x.lift(2.0**-FLOAT.sink), 1.0), one + power, power, rest


def over_one_plus_exp_half(numerator: Register, x: Register, *, wide: bool) -> Register:
    """Return ``numerator / (1 + exp(x))`` of floats, within 2 ulp, for results of 16 bits.

    If not ``wide``, these are float16: quotients by more than exp(87) need not be right.
    """
    sink, total, power, rest = _exp_half(x.at_least(-60.0), wide=wide)
    return sink * (sink * numerator / power.fma(rest, total))


def times_logistic(factor: Register, x: Register) -> Register:
    """Return ``factor / (1 + exp(-x))`` of floats, within 1.75 ulp.

    1.70 in 3 * 10**8 samples. Above 1.5 it is ``factor * (1 - 1 / (1 + exp(x)))``, where the
    errors of the small quotient hardly show. Up to there it is what `over_one_plus_exp` returns.
    """
    low = x < 1.5
    sink, total, power, rest = _sunk_exp(low.select(-x, x))
    whole = power.fma(rest, total)
    part = sink * low.select(factor, 1.0) / whole
    return low.select(part * sink, (-part).fma(sink, 1.0) * factor)  # type: ignore[no-any-return]


def _inverse(total: Register, power: Register, rest: Register) -> Register:
    """Return the quotient of 1 by the exact sum ``total + power * rest``."""
    whole = power.fma(rest, total)
    inverse = 1.0 / whole
    error = inverse.fma(-power.fma(rest, total - whole), (-inverse).fma(whole, 1.0))
    return inverse.fma((whole < inf).select(error, 0.0), inverse)


def glu_slopes(
    factor: Register, value: Register, gate: Register, *, half: bool = False
) -> tuple[Register, Register]:
    """Return a float times the derivatives of ``value / (1 + exp(-gate))``.

    The first is within 1.75 ulp, the second within 5, where the derivative is normal. Finite gates
    of an infinite factor are at most 4 in size, so that the second is not 0 times infinity. There
    are fewer digits for results of half the size.
    """
    size = abs(gate)
    infinite = abs(factor) == inf
    near = (infinite & (size < inf)).select(size.at_most(4.0), size)
    sink, total, power, rest = _exp_half(near, wide=True) if half else _sunk_exp(near)
    inverse = _inverse(total, power, rest)
    large = 1.0 - inverse * sink * sink  # at least 1/2: this does not cancel
    part = sink * factor * inverse * sink
    rising = factor * large
    if not half:
        # the difference is off by less, but NaN for infinities, and 0 for -0
        rising = (infinite | (factor == 0.0)).select(rising, factor - part)
    first = (gate < 0.0).select(part, rising)
    return first, factor * (sink * value * inverse * sink * large)


def glu_slopes_float16(
    factor: Register, value: Register, gate: Register
) -> tuple[Register, Register]:
    """Return what `glu_slopes` does for results that are float16, as the factors are."""
    _, total, power, rest = _exp_half(abs(gate), wide=False)
    small = _inverse(total, power, rest)
    large = 1.0 - small  # at least 1/2: this does not cancel
    # the product of the factors is exact, and that of the others is not 0 for finite gates
    slope = small * large
    return factor * (gate < 0.0).select(small, large), factor * value * slope


def falling_logistic(size: Register) -> Register:
    """Return ``1 / (1 + exp(size))`` of a float from 0 to 104, within 1.75 ulp.

    That is ``2**n / (2**n + exp(r))``, in few operations that wait for each other.
    """
    # the sum's bits stay the exponent: `nearest_exponent` would cost 4 % of silu's slope
    shifted, zero = shifted_exponent(size, -LOG2_E, FLOAT.bias)
    n = shifted - zero  # negative
    high = n.fma(FLOAT.ln2[0], size)  # exact
    rest = n * FLOAT.ln2[1]
    square, cubic = _short_exp(high + rest)
    # two powers, because 2**n may be subnormal
    bits = shifted.bits()
    near = bits.at_least(magic_number(size).bits() + 1)
    power = (near << FLOAT.width).register()
    far = power_of_two(bits - near, wide=False)
    total = 1.0 + power
    lost = power - (total - 1.0)
    whole = total + (high + square.fma(cubic, rest + lost))
    return power / whole * far


def silu_slope(x: Register, factor: Register) -> Register:
    """Return the derivative of ``x / (1 + exp(-x))`` of floats; NaN at infinities.

    It is not 0 where the factor is infinite.
    """
    limit = (abs(factor) == inf).select(x.lift(4.0), -FLOAT.lowest)
    small = falling_logistic(abs(x).at_most(limit))
    large = 1.0 - small  # at least 1/2: this does not cancel
    negative = x < 0.0
    rising, falling = negative.select(small, large), negative.select(large, small)
    return rising * x.fma(falling, 1.0 + (x - x))  # type: ignore[no-any-return]


def logit(x: Register) -> Register:
    """Return ``log(x / (1 - x))`` of a float, within 1.53 ulp, exhaustive.

    For ``u = min(x, 1 - x)`` and the integer k next to ``log2((1 - u) / u)``, its size is
    ``k * log(2) + log((1 + s) / (1 - s))`` with ``s = (1 - u - 2**k * u) / (1 - u + 2**k * u)``.
    """
    upper = x >= 0.5
    u = upper.select(1.0 - x, x)
    subnormal = u < 2.0**-126
    normal = subnormal.select(u * 2.0**24, u)
    # the bits of a float are next to a linear function of its logarithm
    half = 1 << FLOAT.width - 1
    exponent = ((1.0 - u).bits() - normal.bits() + half) >> FLOAT.width
    power = power_of_two(exponent, wide=False)
    s = (-normal).fma(power + 1.0, 1.0) / normal.fma(power - 1.0, 1.0)
    square = s * s
    magic = magic_number(x)
    k = (exponent + magic.bits()).register() - magic + subnormal.select(x.lift(24.0), 0.0)
    ln2, ln2_low = FLOAT.short_ln2
    series = k.fma(ln2_low, s * square * horner(square, LOG[False]))
    size = k.fma(ln2, s + s + series)
    size = (u > 0.0).select(size, (u == 0.0).select(inf, nan))
    return upper.select(size, -size)  # type: ignore[no-any-return]
