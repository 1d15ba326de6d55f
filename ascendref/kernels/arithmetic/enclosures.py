"""Intervals of any precision around functions of a fraction, in integers and ``decimal``.

Each function takes an argument other than 0 and a number of bits. It returns two ends between which
the value lies, *strictly*: an end is never the value itself. Their distance is about 2**-bits of
the value, except where the value is beyond ``2**±5900``. There an end is 0 or infinite, because no
element type comes near: exact numbers of that size would take seconds.

``decimal`` rounds exponentials and logarithms correctly to any number of digits.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import inf, isqrt
from typing import Final

#: an end of an interval; a float is infinite
End = Fraction | float
Enclosure = tuple[End, End]

#: the exponential is not computed beyond exp(±4096); exp(4096) is above 2**5900
_LARGEST_EXPONENT: Final = 4096
_BEYOND: Final = 5900
#: from there on, the tail of the normal distribution is its density / argument, within 1 / 4096
_FAR: Final = 64


def exp(x: Fraction, bits: int) -> Enclosure:
    """Return an interval around the exponential."""
    if x < -_LARGEST_EXPONENT:
        return Fraction(0), Fraction(1, 1 << _BEYOND)
    if x > _LARGEST_EXPONENT:
        return Fraction(1 << _BEYOND), inf
    digits = _digits(bits)
    # four digits more for the argument, because its error counts up to 4096 times
    return _around(_context(digits).exp(_decimal(x, digits + 4)), bits)


def expm1(x: Fraction, bits: int) -> Enclosure:
    """Return an interval around exp(x) - 1."""
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


def log1p(x: Fraction, bits: int) -> Enclosure:
    """Return an interval around log(1 + x) of a number above -1."""
    if -_exponent(x) > bits:
        return x - x * x, x
    return log(1 + x, bits)


def sqrt(x: Fraction, bits: int) -> Enclosure:
    """Return an interval around the root of a positive number; both ends are an exact root."""
    root = Fraction(isqrt(x.numerator), isqrt(x.denominator))
    if root * root == x:
        return root, root
    shift = bits - _exponent(x) // 2
    scaled = _floor(x.numerator, x.denominator, 2 * shift)
    return _scaled(isqrt(scaled), shift), _scaled(isqrt(scaled) + 1, shift)


def tanh(x: Fraction, bits: int) -> Enclosure:
    """Return an interval around the hyperbolic tangent."""
    low, high = (-m / (2 + m) for m in expm1(-2 * abs(x), bits)[::-1])
    return (low, high) if x > 0 else (-high, -low)


def softplus(x: Fraction, bits: int) -> Enclosure:
    """Return an interval around log(1 + exp(x))."""
    above = max(x, Fraction(0))
    low, high = (Fraction(end) for end in exp(-abs(x), bits))
    return above + (log1p(low, bits)[0] if low else 0), above + log1p(high, bits)[1]


def normal_cdf(x: Fraction, bits: int) -> Enclosure:
    """Return an interval around the normal distribution function."""
    low, high = _far_tail(abs(x), bits) if abs(x) > _FAR else _tail(abs(x), bits)
    return (low, high) if x < 0 else (1 - high, 1 - low)


def _far_tail(y: Fraction, bits: int) -> Enclosure:
    """Return the interval (1 - 1/y**2) · pdf(y) / y to pdf(y) / y, due to Mills and Gordon."""
    low, high = exp(-y * y / 2, bits)
    below, above = sqrt_two_pi(bits)
    return low * (1 - 1 / (y * y)) / (y * above), high / (y * below)


def _tail(y: Fraction, bits: int) -> Enclosure:
    """Return an interval around 1/2 - pdf(y) · (y + y**3 / 3 + y**5 / (3·5) + …).

    An integer ``term`` loses less than 1 by every division. While terms grow, what was lost grows
    with them, so that in units of the first term no term is off by more than ``steps`` times the
    largest one. The last one is below 1 and at least halved by every further step.
    """
    square = y * y
    # the difference is about exp(-y**2 / 2), which is 2**(-0.7214 y**2); 64 bits for what is lost
    bits += int(square * 7214 / 10000) + 64
    first = term = total = 1 << bits
    steps = 0
    while term or 2 * steps < 2 * square:
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


# --- numbers --------------------------------------------------------------------------------------


def outward(low: End, high: End, bits: int) -> Enclosure:
    """Return ends of so many bits that are not inside."""
    return _rounded_down(low, bits), -_rounded_down(-high, bits)


def _rounded_down(x: End, bits: int) -> End:
    if isinstance(x, float) or not x:
        return x
    shift = bits - _exponent(x)
    return _scaled(_floor(x.numerator, x.denominator, shift), shift)


def _exponent(x: Fraction) -> int:
    """Return the binary exponent of a number, or one more; 0 for 0."""
    return x.numerator.bit_length() - x.denominator.bit_length()


def _floor(numerator: int, denominator: int, shift: int) -> int:
    """Return a quotient in units of 2**-shift, rounded down."""
    if shift < 0:
        return numerator // (denominator << -shift)
    return (numerator << shift) // denominator


def _scaled(integer: int, shift: int) -> Fraction:
    """Return so many units of 2**-shift."""
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
