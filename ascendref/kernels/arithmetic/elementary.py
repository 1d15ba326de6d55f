"""Elementary functions of registers: IEEE operations and fma only, the same bits on every machine.

The type of the register, float or double, decides. The functions use neither tables nor branches,
so loops over them vectorise. NaN stays NaN; odd functions keep the sign of zero.

Docstrings bound the errors in ulp, for floats and doubles, subnormal results included. All 2**32
floats were compared with the function of doubles. The bound for doubles is not proven: it is above
the largest error of 2 * 10**6 samples, compared with Arb, in all magnitudes and where the errors
are largest. `tests/kernels/arithmetic/test_elementary.py` repeats parts of both.
"""

from math import inf, nan
from typing import Final, NamedTuple

from .coefficients import EXP, LOG
from .registers import Integer, Register, fast_two_sum, two_product, two_sum

#: bounds of the relative errors for doubles and normal results, in units of 2**-53; those of the
#: bounds in ulp, known from the same samples
RELATIVE_ERROR: Final[dict[str, float]] = {
    "exp": 1.4,
    "expm1": 1.6,
    "log": 1.6,
    "log1p": 1.6,
    "sqrt": 1.0,
    "tanh": 1.4,
    "normal_cdf": 1.7,
    "normal_pdf": 1.6,
    "softplus": 1.8,
    "over_one_plus_exp": 3.5,
}


class _Format(NamedTuple):
    """What differs between float and double."""

    width: int  #: bits of the fraction
    bias: int  #: of the exponent
    root_half: int  #: bits of sqrt(1/2)
    ln2: tuple[float, float]  #: two numbers, together ln 2
    short_ln2: tuple[float, float]  #: the same; a multiple of the first by an exponent is exact
    lowest: float  #: below, the exponential is 0
    highest: float  #: above, it is infinite
    all_one: float  #: below, 1 + exp is 1 with room to spare
    largest: float  #: the largest number whose exponential is finite
    farthest: float  #: its exponential is beyond twice the largest number by the smallest
    sink: int  #: exponentials that are not finite are multiplied with 2**-sink twice
    tiny: float  #: infinity times this is infinite; other products are nothing beside those
    spacing: float  #: half the distance from 1 to the next number
    little: float  #: the cube of a smaller number is nothing beside it
    saturated: float  #: from here on, tanh is 1 and expm1(-2 * x) is -1


LOG2_E: Final = 1.4426950408889634

FLOAT: Final = _Format(
    width=23,
    bias=127,
    root_half=0x3F3504F3,
    ln2=(float.fromhex("0x1.62e43p-1"), float.fromhex("-0x1.05c61p-29")),
    short_ln2=(float.fromhex("0x1.62e3p-1"), float.fromhex("0x1.2fefa2p-17")),
    lowest=-104.0,
    highest=89.0,
    all_one=-60.0,
    largest=88.72283172607422,
    farthest=193.0,
    sink=76,
    tiny=2.0**-104,
    spacing=2.0**-24,
    little=2.0**-13,
    saturated=10.0,
)
DOUBLE: Final = _Format(
    width=52,
    bias=1023,
    root_half=0x3FE6A09E667F3BCD,
    ln2=(float.fromhex("0x1.62e42fefa39efp-1"), float.fromhex("0x1.abc9e3b39803fp-56")),
    short_ln2=(float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")),
    lowest=-746.0,
    highest=710.0,
    all_one=-120.0,
    largest=float.fromhex("0x1.62e42fefa39efp+9"),
    farthest=1456.0,
    sink=544,
    tiny=2.0**-200,
    spacing=2.0**-53,
    little=2.0**-28,
    saturated=20.0,
)


def _format(*, wide: bool) -> _Format:
    return DOUBLE if wide else FLOAT


def horner(x: Register, coefficients: tuple[float, ...]) -> Register:
    """Return a polynomial; the coefficient of the highest power comes first."""
    total = x.lift(coefficients[0])
    for coefficient in coefficients[1:]:
        total = total.fma(x, coefficient)
    return total


def estrin(x: Register, coefficients: tuple[float, ...]) -> Register:
    """Return what `horner` does, in pairs: more operations, but fewer of them in a row."""
    terms = [x.lift(coefficient) for coefficient in reversed(coefficients)]
    while len(terms) > 1:
        pairs = [high.fma(x, low) for low, high in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + terms[2 * len(pairs) :]
        x = x * x
    return terms[0]


def power_of_two(n: Integer, wide: bool) -> Register:
    """Return ``2**n``, a normal number, for an integer of the type's size."""
    form = _format(wide=wide)
    return ((n + form.bias) << form.width).register()


def two_powers(n: Integer, wide: bool) -> tuple[Register, Register]:
    """Return two powers of two, whose product is ``2**n``."""
    return halved_powers(n + 2 * _format(wide=wide).bias, wide=wide)


def halved_powers(bits: Integer, wide: bool) -> tuple[Register, Register]:
    """Return what `two_powers` does, for bits of which the lowest are n plus twice the bias.

    The upper ones may be those of `magic_number`.
    """
    first, width = bits >> 1, _format(wide=wide).width
    return (first << width).register(), (bits - first << width).register()


def scale(value: Register, n: Integer) -> Register:
    """Return ``value * 2**n`` in two steps, so that subnormal results round once more at most."""
    first, second = two_powers(n, value.wide)
    return value * first * second


# --- exponentials ---------------------------------------------------------------------------------


def magic_number(x: Register) -> Register:
    """Return a number whose sum with an integer has the integer as its lowest bits."""
    return x.lift(1.5 * 2.0 ** _format(wide=x.wide).width)


def shifted_exponent(x: Register, factor: float, bias: int) -> tuple[Register, Register]:
    """Return two numbers whose difference n is the integer nearest to ``factor * x``.

    The lowest bits of the first are ``n + bias``: those of a power of two, which saves an addition.
    """
    zero = magic_number(x) + float(bias)
    return x.fma(factor, zero), zero


def nearest_exponent(x: Register) -> tuple[Integer, Register]:
    """Return the integer nearest to ``x / log(2)``, and the same as a register."""
    shifted, zero = shifted_exponent(x, LOG2_E, _format(wide=x.wide).bias)
    return shifted.bits() - zero.bits(), shifted - zero


def reduced(x: Register) -> tuple[Integer, Register, Register]:
    """Return n, r and lost: ``exp(x)`` is ``2**n * exp(r + lost)``, where lost is below an ulp."""
    ln2 = _format(wide=x.wide).ln2
    exponent, n = nearest_exponent(x)
    high = (-n).fma(ln2[0], x)
    r = (-n).fma(ln2[1], high)
    return exponent, r, (-n).fma(ln2[1], high - r)


def _cubic(r: Register) -> Register:
    """Return q: ``exp(r)`` is ``1 + r + r**2 / 2 + q * r**3``."""
    return horner(r, EXP[r.wide][:-1])


def _exp_terms(x: Register, n: Register, rest: Register | None) -> tuple[Register, Register]:
    """Return r and small: ``exp(x + rest)`` is ``2**n * (1 + r + small)``, rest below some ulp."""
    ln2, ln2_low = _format(wide=x.wide).ln2
    high, low = (-n).fma(ln2, x), (-n) * ln2_low  # the first is exact
    r = high + low
    small = (r * r).fma(_cubic(r).fma(r, EXP[x.wide][-1]), low)
    if rest is not None:
        small = small + rest.fma(high + small, rest)
    return high, small


def exp_parts(x: Register, rest: Register | None = None) -> tuple[Integer, Register, Register]:
    """Return n, r and small: ``exp(x + rest)`` is ``2**n * (1 + r + small)``, rest below some ulp.

    For results that are not 0 or infinite, r is at most 0.35 and small at most 0.07.
    """
    exponent, n = nearest_exponent(x)
    return exponent, *_exp_terms(x, n, rest)


def exp_sum(x: Register, rest: Register | None = None) -> tuple[Integer, Register, Register]:
    """Return n, total and low: ``exp(x + rest)`` is ``2**n * (total + low)``, low below 0.07."""
    n, r, small = exp_parts(x, rest)
    # the large terms are added last and their rounding error is compensated
    total = 1.0 + r
    return n, total, small + (r - (total - 1.0))


def exp(x: Register) -> Register:
    """Return the exponential, within 0.77 and 0.82 ulp."""
    form = _format(wide=x.wide)
    n, total, low = exp_sum(x.at_most(form.highest).at_least(form.lowest))
    return scale(total + low, n)


def wide_exp(x: Register) -> Register:
    """Return the exponential of a float as a double, within 0.28 ulp of a float.

    The float is at most 700; the result is 0 for -inf, and at most 2**-1022 below -709.
    """
    n, total, low = exp_sum(x.at_least(-709.1))
    power = ((n + DOUBLE.bias).resized(64) << DOUBLE.width).register()
    return (total.widened() + low.widened()) * power


def expm1_parts(x: Register) -> tuple[Register, Register]:
    """Return two numbers whose sum is ``exp(x) - 1``; the second is far smaller."""
    form = _format(wide=x.wide)
    n, r, lost = reduced(x.at_most(form.highest).at_least(-2.0 * form.saturated))
    # halves all along, because exp may be finite where 2**n is not
    power = power_of_two(n - 1, wide=x.wide)
    whole, far = two_sum(power, power.lift(-0.5))
    square, square_low = two_product(r, r)
    low = (r * square).fma(_cubic(r), square_low.fma(0.5, lost))
    # 2**n - 1, then r, then its square
    total, error = fast_two_sum(whole, power * r)
    total, last = fast_two_sum(total, power * (0.5 * square))
    low = power.fma(low, error + last) + far
    return total + total, low + low


def expm1(x: Register) -> Register:
    """Return exp(x) - 1 without cancellation, within 0.60 and 0.86 ulp."""
    high, low = expm1_parts(x)
    # next to 0 the result is x, also where halves of it would round
    return (abs(x) < _format(wide=x.wide).spacing).select(x, high + low)  # type: ignore[no-any-return]


def tanh(x: Register) -> Register:
    """Return ``-e / (2 + e)`` for ``e = expm1(-2 * abs(x))``, within 0.57 and 0.70 ulp."""
    size = abs(x)
    form = _format(wide=x.wide)
    high, low = fast_two_sum(*expm1_parts(size.at_most(form.saturated) * -2.0))
    below, lost = fast_two_sum(high.lift(2.0), high)
    inverse = 1.0 / below
    quotient = -high * inverse
    # what the quotient leaves of the numerator, for the exact denominator
    remainder = (-quotient).fma(below, -high) - low - quotient * (lost + low)
    value = remainder.fma(inverse, quotient)
    # for small x the result is x, also where it is subnormal
    nearly = size * size < form.spacing
    return nearly.select(size, value).copysign(x)  # type: ignore[no-any-return]


def over_one_plus_exp(numerator: Register, x: Register, rest: Register | None = None) -> Register:
    """Return ``numerator / (1 + exp(x + rest))``, however large the exponential.

    The rest is what x lost when it was rounded. Within 1.75 ulp, because the denominator is off by
    less than 0.85 ulp; 1.54 in 10**6 samples. It is infinite for an infinite x alone.
    """
    form = _format(wide=x.wide)
    far = x > form.largest
    near = x.at_most(form.farthest).at_least(form.all_one)
    # halves all along, because 2**(bias + 1) is not finite
    shifted, zero = shifted_exponent(near, LOG2_E, form.bias - 1)
    if rest is not None:
        rest = (abs(x) < form.farthest).select(rest, 0.0)
    r, small = _exp_terms(near, shifted - zero, rest)
    power = (shifted.bits() << form.width).register()
    # next to a power that it does not fit, the 1 goes with the small terms; far out it is nothing
    inverse = (2 * form.bias - 1 << form.width) - power.bits()
    # one comparison for both ends: beyond the largest power, these are large unsigned numbers
    does_not_fit = inverse.below(form.bias - form.width << form.width)
    small = small + does_not_fit.select(inverse.register(), 0.0)
    half_one = far.select(x * form.tiny, 0.5)
    sunk = (power.bits() - (2 * form.sink << form.width)).register()
    power = far.select(sunk, power)
    half = power.fma(r + small, half_one + power)
    sink = far.select(x.lift(2.0**-form.sink), 1.0)
    return sink * (sink * numerator / (half + half))  # type: ignore[no-any-return]


# --- logarithms -----------------------------------------------------------------------------------


def split(x: Register) -> tuple[Register, Integer, Register]:
    """Return m and k, the latter also as a register: a positive normal x is ``m * 2**k``."""
    form, magic = _format(wide=x.wide), magic_number(x)
    bits = x.bits() - form.root_half
    exponent = bits >> form.width
    m = ((bits & (1 << form.width) - 1) + form.root_half).register()
    return m, exponent, (exponent + magic.bits()).register() - magic


def log_parts(
    x: Register, low: Register | None = None, exponent: Register | None = None
) -> tuple[Register, Register]:
    """Return two numbers whose sum is ``log((x + low) * 2**exponent)``, for positive normal x."""
    form = _format(wide=x.wide)
    m, _, k = split(x)
    if exponent is not None:
        k = k + exponent
    f = m - 1.0
    # log(1 + f) = f - f**2 / 2 + s * (f**2 / 2 + z * polynomial(z)), as in fdlibm
    s = f / (2.0 + f)
    z = s * s
    square = 0.5 * f * f
    tail = k * form.short_ln2[1]
    if low is not None:
        tail = tail + low / x
    series = s.fma(z.fma(horner(z, LOG[x.wide]), square), tail)
    high, error = fast_two_sum(k * form.short_ln2[0], f)
    return high, error - (square - series)


def log(x: Register) -> Register:
    """Return the logarithm: -inf at 0, NaN below; within 0.84 and 0.88 ulp."""
    form = _format(wide=x.wide)
    lift = form.width + 1
    subnormal = x < 2.0 ** (1 - form.bias)
    normal = subnormal.select(x * 2.0**lift, x)
    high, low = log_parts(normal, exponent=subnormal.select(x.lift(-lift), 0.0))
    value = (x == 0.0).select(-inf, high + low)
    return (x < 0.0).select(nan, (x < inf).select(value, x))  # type: ignore[no-any-return]


def log1p(x: Register) -> Register:
    """Return log(1 + x) without cancellation: -inf at -1, NaN below; within 0.84 and 0.88 ulp."""
    high, low = log_parts(*two_sum(x.lift(1.0), x))
    # next to 0 the result is x
    value = (abs(x) < _format(wide=x.wide).spacing).select(x, high + low)
    value = (x == -1.0).select(-inf, value)
    return (x < -1.0).select(nan, (x < inf).select(value, x))  # type: ignore[no-any-return]


def softplus(x: Register) -> Register:
    """Return log(1 + exp(x)), within 0.85 and 0.90 ulp."""
    form = _format(wide=x.wide)
    n, total, low = exp_sum((-abs(x)).at_least(form.lowest))
    high, low = fast_two_sum(total, low)
    power, rest = scale(high, n), scale(low, n)
    one, lost = fast_two_sum(x.lift(1.0), power)
    high, tail = log_parts(one, lost + rest)
    base = x.at_least(0.0)
    value, lost = two_sum(base, high)
    value = value + (lost + tail)
    # far below 0, log1p(e) is e - e**2 / 2
    value = ((x < 0.0) & (power < form.little)).select(
        power + (power * -0.5).fma(power, rest), value
    )
    return (abs(x) < inf).select(value, base)  # type: ignore[no-any-return]
