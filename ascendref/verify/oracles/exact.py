"""The slow oracle: the exact value in integers and fractions, rounded once.

It decides the hard cases that float64 cannot decide. The exponential is that of ``decimal``, which
is correctly rounded to any number of digits; the number of digits is increased until the rounding
to the result's type is decided.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final, NamedTuple

from .formats import Format

#: initial digits of the exponential; they decide all products except those next to a tie
_DIGITS: Final = 60


class Enclosure(NamedTuple):
    """An interval that holds a real number."""

    low: Fraction
    high: Fraction


#: the factor of a gradient: a special value (signed 0, infinity, NaN), None if the result is +0, or
#: a function from digits to an enclosure
Factor = float | None | Callable[[int], Enclosure]


def exactly(value: Fraction) -> Factor:
    """Return a factor that is a fraction other than 0."""
    return lambda digits: Enclosure(value, value)


def exponential(argument: Fraction, digits: int) -> Enclosure:
    """Return an interval around the exponential, from decimal's with so many digits."""
    # the last bit of a product of two F32 numbers is the 298th after the point
    wide = Context(prec=1000)
    quotient = wide.divide(Decimal(argument.numerator), Decimal(argument.denominator))
    power = Fraction(Context(prec=digits, Emin=-(10**6), Emax=10**6).exp(quotient))
    doubt = power / 10 ** (digits - 2)
    return Enclosure(power - doubt, power + doubt)


def _exponent(value: Fraction) -> int:
    """Return the exponent of the largest power of two that a positive fraction reaches."""
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    return exponent if value >= Fraction(2) ** exponent else exponent - 1


def round_fraction(value: Fraction, form: Format) -> float:
    """Round a fraction to a type, to nearest even, in integers.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from ascendref.core.dtypes import FLOAT16
    >>> from ascendref.verify.oracles.formats import format_of
    >>> round_fraction(Fraction(2049, 2048), format_of(FLOAT16))
    1.0
    """
    size = abs(value)
    if size == 0:
        return 0.0
    ulp = Fraction(2) ** (max(_exponent(size), form.emin) - form.fraction)
    steps = round(size / ulp)  # half to even
    rounded = float(steps * ulp) if steps * ulp <= form.largest else math.inf
    return -rounded if value < 0 else rounded


class Golden(NamedTuple):
    """The golden value of a result."""

    #: rounded to the type
    rounded: float
    #: before rounding; None if it is not a finite number
    exact: Fraction | None


def golden(factor: Factor, gradient: float, form: Format) -> Golden:
    """Return the product of a factor and a gradient, rounded once."""
    if factor is None:
        return Golden(0.0, Fraction(0))
    if isinstance(factor, float):
        product = factor * gradient
        return Golden(product, Fraction(product) if math.isfinite(product) else None)
    digits = _DIGITS
    while True:
        low, high = factor(digits)
        if not math.isfinite(gradient) or gradient == 0:
            return Golden(math.copysign(1, low) * gradient, None if gradient else Fraction(0))
        ends = [round_fraction(end * Fraction(gradient), form) for end in (low, high)]
        if ends[0] == ends[1]:
            # an underflow to 0 keeps its sign, which round_fraction has from the value
            return Golden(ends[0], (low + high) / 2 * Fraction(gradient))
        digits *= 2


def error_in_ulp(actual: float, expected: Golden, form: Format) -> float:
    """Return the error of a number, in ulp at the golden value.

    Infinity counts as the number one ulp beyond the largest finite one.
    """
    if math.isinf(actual) and actual == expected.rounded:
        return 0.0
    if math.isinf(form.beyond) and (math.isinf(actual) or math.isinf(expected.rounded)):
        return math.inf  # there is no double beyond the largest
    if expected.exact is None:
        exact = Fraction(max(min(expected.rounded, form.beyond), -form.beyond))
    else:
        exact = expected.exact
    if math.isinf(expected.rounded):
        exact = Fraction(math.copysign(form.beyond, expected.rounded))
    exponent = _exponent(abs(exact)) if exact else form.emin
    ulp = Fraction(2) ** (min(max(exponent, form.emin), form.emax) - form.fraction)
    clipped = Fraction(max(min(actual, form.beyond), -form.beyond))
    return float(abs(clipped - exact) / ulp)
