"""Intervals of any precision around functions of a fraction, in integers and ``decimal``.

Each function takes an argument other than 0 and a number of bits. It returns two ends between which
the value lies, *strictly*: an end is never the value itself. Their distance is about 2**-bits of
the value, except where the value is beyond ``2**±5900``. There an end is 0 or infinite, because no
element type comes near: exact numbers of that size would take seconds.

``decimal`` rounds exponentials and logarithms correctly to any number of digits.
"""

from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import copysign, inf, isqrt, ldexp
from typing import Final, NamedTuple

#: an end of an interval; a float is infinite
End = Fraction | float
Enclosure = tuple[End, End]

#: the exponential is not computed beyond exp(±4096); exp(4096) is above 2**5900
_LARGEST_EXPONENT: Final = 4096
_BEYOND: Final = 5900
#: a number that is 0 in every element type, also times any of their numbers
NEGLIGIBLE: Final = Fraction(1, 1 << _BEYOND)


@lru_cache(maxsize=64)
def exp(x: Fraction, bits: int) -> Enclosure:
    if x < -_LARGEST_EXPONENT:
        return Fraction(0), NEGLIGIBLE
    if x > _LARGEST_EXPONENT:
        return Fraction(1 << _BEYOND), inf
    digits = _digits(bits)
    # four digits more for the argument, because its error counts up to 4096 times
    return _around(_context(digits).exp(_decimal(x, digits + 4)), bits)


def expm1(x: Fraction, bits: int) -> Enclosure:
    lost = -_exponent(x)
    if lost > bits:
        return x, x + x * x
    low, high = exp(x, bits + max(lost, 0) + 1)
    return low - 1, high - 1


def log(x: Fraction, bits: int) -> Enclosure:
    """Return an interval around the logarithm of a positive number; log(1) is 0."""
    if x == 1:
        return Fraction(0), Fraction(0)
    lost = max(-_exponent(x - 1), 0) + 1
    digits = _digits(bits)
    return _around(_context(digits).ln(_decimal(x, digits + _digits(lost))), bits)


@lru_cache(maxsize=64)
def log1p(x: Fraction, bits: int) -> Enclosure:
    lost = -_exponent(x)
    if lost < 8 or 64 * lost < bits:
        return log(1 + x, bits)
    # x - x**2 / 2 + x**3 / 3 - … in units of 1/one: each term is off by less than 3 of them, and
    # so is what follows the last one
    shift = bits + lost + 8
    power = total = unit = _floor(x.numerator, x.denominator, shift)
    k = 1
    while power not in (0, -1):
        k += 1
        power = power * unit >> shift
        total += power // k if k % 2 else -(power // k)
    return _scaled(total - 3 * k - 3, shift), _scaled(total + 3 * k + 3, shift)


def sqrt(x: Fraction, bits: int) -> Enclosure:
    """Return an interval around the root of a positive number; both ends are an exact root."""
    root = Fraction(isqrt(x.numerator), isqrt(x.denominator))
    if root * root == x:
        return root, root
    shift = bits - _exponent(x) // 2
    scaled = _floor(x.numerator, x.denominator, 2 * shift)
    return _scaled(isqrt(scaled), shift), _scaled(isqrt(scaled) + 1, shift)


def tanh(x: Fraction, bits: int) -> Enclosure:
    low, high = (-m / (2 + m) for m in expm1(-2 * abs(x), bits)[::-1])
    return (low, high) if x > 0 else (-high, -low)


def softplus(x: Fraction, bits: int, farthest: float = inf) -> Enclosure:
    above = max(x, Fraction(0))
    size = abs(x) if abs(x) < farthest else Fraction(farthest)
    low, high = [Fraction(end) for end in exp(-size, bits)]
    if not low:
        return above, above + high
    least, most = log1p(low, bits)
    return above + least, above + most + (high - low)


def normal_cdf(x: Fraction, bits: int) -> Enclosure:
    low, high = (_far_tail if 8 * x * x > bits else _tail)(abs(x), bits)
    return (low, high) if x < 0 else (1 - high, 1 - low)


def _far_tail(y: Fraction, bits: int) -> Enclosure:
    """Return an interval around pdf(y) / (y + 1 / (y + 2 / (y + 3 / (y + …)))), due to Laplace.

    What follows n is between y and y + (n + 1) / y. From there the interval shrinks inwards: each
    of n divisions by about y**2 / k, or for large n altogether by exp(2 y · sqrt(n)).
    """
    one = 1 << (bits + 32)
    least = y.numerator * one // y.denominator
    count = bits * bits * 13 // int(100 * y * y) + bits // 4
    low, high = least, least + 2 + (count + 1) * one * one // least
    for k in range(count, 0, -1):
        low, high = least + k * one * one // high, least + 2 + k * one * one // low
    smallest, largest = exp(-y * y / 2, bits)
    below, above = sqrt_two_pi(bits)
    return smallest * one / (above * high), largest * one / (below * low)


def _tail(y: Fraction, bits: int) -> Enclosure:
    """Return an interval around 1/2 - pdf(y) · (y + y**3 / 3 + y**5 / (3·5) + …).

    A term loses less than 1 by every division, which grows as terms do: none is off by more than
    ``steps`` times the largest, in units of the first. Terms left out are below that together.
    """
    square = y * y
    # the difference is about exp(-y**2 / 2), which is 2**(-0.7214 y**2); 64 bits for what is lost
    bits += int(square * 7214 / 10000) + 64
    bits = -(-bits // 128) * 128  # so that the root of 2π is computed rarely
    first = term = total = 1 << bits
    steps = 0
    while term or steps < square:
        steps += 1
        term = term * square.numerator // (square.denominator * (2 * steps + 1))
        total += term
    lost = 4 * (steps + 1) ** 2 * (total // first + 1)
    low, high = exp(-square / 2, bits)
    below, above = sqrt_two_pi(bits)
    most = high * y * Fraction(total + lost, first) / below
    least = low * y * Fraction(total - lost, first) / above
    return Fraction(1, 2) - most, Fraction(1, 2) - least


@lru_cache
def sqrt_two_pi(bits: int) -> tuple[Fraction, Fraction]:
    """Return an interval around the root of 2π, by Machin's formula."""
    one = 1 << (bits + 32)
    pi = 4 * (4 * _inverse_tangent(5, one) - _inverse_tangent(239, one))
    # each arctangent is off by less than its number of terms
    lost = 40 * one.bit_length()
    least, most = (isqrt(2 * (pi + part) * one) for part in (-lost, lost))
    return Fraction(least, one), Fraction(most + 1, one)


def _inverse_tangent(n: int, one: int) -> int:
    """Return the arctangent of 1/n in units of 1/one."""
    power = total = one // n
    k = 1
    while power:
        power //= n * n
        k += 2
        total += power // k if k % 4 == 1 else -(power // k)
    return total


# --- ends --------------------------------------------------------------------------------------


def outward(low: End, high: End, bits: int) -> Enclosure:
    """Return ends with a number of bits, rounded outward."""
    return _rounded_down(low, bits), -_rounded_down(-high, bits)


def _rounded_down(x: End, bits: int) -> End:
    if isinstance(x, float) or not x:
        return x
    shift = bits - _exponent(x)
    return _scaled(_floor(x.numerator, x.denominator, shift), shift)


def sum_of(a: End, b: End) -> End:
    """Return a sum of lower, or of upper, ends; Python's overflows for large fractions."""
    return a if isinstance(a, float) else b if isinstance(b, float) else a + b


def product_of(a: End, b: End) -> End:
    """Return a product, where 0 times infinity is 0: neither is reached."""
    if not a or not b:
        return Fraction(0)
    if isinstance(a, float) or isinstance(b, float):
        return inf if (a > 0) == (b > 0) else -inf
    return a * b


def inverse_of(end: End, of_zero: float) -> End:
    if isinstance(end, float):
        return Fraction(0)
    return 1 / end if end else of_zero


def _exponent(x: Fraction) -> int:
    """Return the binary exponent of a number, or one more; 0 for 0."""
    return x.numerator.bit_length() - x.denominator.bit_length()


def _floor(numerator: int, denominator: int, shift: int) -> int:
    """Return a quotient in units of 2**-shift, rounded down."""
    if shift < 0:
        return numerator // (denominator << -shift)
    return (numerator << shift) // denominator


def _scaled(integer: int, shift: int) -> Fraction:
    return Fraction(integer, 1 << shift) if shift > 0 else Fraction(integer << -shift)


def _digits(bits: int) -> int:
    """Return a number of decimal digits that is worth 23 bits more than asked for."""
    return bits * 31 // 100 + 8


def _context(digits: int) -> Context:
    return Context(prec=digits, Emin=-(10**9), Emax=10**9, traps=[])


def _decimal(x: Fraction, digits: int) -> Decimal:
    return _context(digits).divide(Decimal(x.numerator), Decimal(x.denominator))


def _around(value: Decimal, bits: int) -> Enclosure:
    """Return an interval of units of 2**-bits of a value that is off by less than 2**-16 of one."""
    numerator, denominator = value.as_integer_ratio()
    shift = bits + 3 - (numerator.bit_length() - denominator.bit_length())
    floor = _floor(numerator, denominator, shift)
    return _scaled(floor - 1, shift), _scaled(floor + 2, shift)


# --- rounding -------------------------------------------------------------------------------------


class _Format(NamedTuple):
    """The numbers of an element type: units of 2**least at least, all below 2**top."""

    digits: int
    least: int
    top: int


_FORMATS: Final = {
    "float16": _Format(11, -24, 16),
    "bfloat16": _Format(8, -133, 128),
    "float32": _Format(24, -149, 128),
    "float64": _Format(53, -1074, 1024),
}


def nearest(value: End, kind: str, side: int) -> float:
    """Round a number (side 0), or one just above it (side 1) or below it (side -1)."""
    if isinstance(value, float):
        return value
    if not value:
        return copysign(0.0, side)
    form = _FORMATS[kind]
    numerator, denominator = abs(value.numerator), value.denominator
    exponent = numerator.bit_length() - denominator.bit_length()
    if numerator << max(-exponent, 0) < denominator << max(exponent, 0):
        exponent -= 1
    unit = max(exponent - form.digits + 1, form.least)
    numerator, denominator = numerator << max(-unit, 0), denominator << max(unit, 0)
    steps, rest = divmod(numerator, denominator)
    up_at_tie = (value > 0) == (side > 0) if side else steps % 2 == 1
    steps += 2 * rest > denominator or (2 * rest == denominator and up_at_tie)
    beyond = steps.bit_length() + unit > form.top
    size = inf if beyond else ldexp(steps, unit)
    return size if value > 0 else -size
