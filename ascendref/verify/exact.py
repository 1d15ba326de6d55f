"""The slow oracle: the exact value in integers and fractions, rounded once.

It decides the hard cases that float64 cannot, and is what the tests hold the fast one against. The
exponential is decimal's, which rounds correctly to any number of digits; more digits are taken
until the rounding to the target type is decided.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final, NamedTuple

from .truth import Target

#: digits of the exponential, at first; they decide all but the products next to a tie
_DIGITS: Final = 60
#: exp(-z) is beyond every product with a finite gradient, 1 + exp(-z) like 1 for every rounding
_FAR: Final = 2000


class Enclosure(NamedTuple):
    """An interval that holds a real number."""

    low: Fraction
    high: Fraction


#: what multiplies a gradient: a special value (0 with its sign, infinity, NaN), None where the
#: result is +0, or a function from digits to an enclosure
Factor = float | None | Callable[[int], Enclosure]


def _exactly(value: Fraction) -> Factor:
    return lambda digits: Enclosure(value, value)


def _number(value: float) -> Factor:
    return _exactly(Fraction(value)) if math.isfinite(value) and value != 0 else value


def hardshrink(x: float, other: float, lambd: float) -> Factor:
    """1 outside ±λ."""
    return _exactly(Fraction(1)) if x > lambd or x < -lambd else None


def softplus(x: float, other: float, beta: float, threshold: float) -> Factor:
    """1 / (1 + exp(-β·x)) up to the threshold."""
    if not (math.isfinite(x) and math.isfinite(beta)):
        z = beta * x
        if z != z:
            return math.nan
        return 1.0 if z > threshold or z > 0 else 0.0
    exact = Fraction(beta) * Fraction(x)
    if threshold == -math.inf or (math.isfinite(threshold) and exact > Fraction(threshold)):
        return _exactly(Fraction(1))

    def logistic(digits: int) -> Enclosure:
        if exact == 0:
            return Enclosure(Fraction(1, 2), Fraction(1, 2))
        z = max(min(exact, Fraction(_FAR)), Fraction(-_FAR))
        # the last bit of a product of two F32 numbers is the 298th after the point
        wide = Context(prec=1000)
        argument = wide.divide(Decimal(-z.numerator), Decimal(z.denominator))
        power = Fraction(Context(prec=digits, Emin=-(10**6), Emax=10**6).exp(argument))
        doubt = power / 10 ** (digits - 2)
        return Enclosure(1 / (1 + power + doubt), 1 / (1 + power - doubt))

    return logistic


def prelu(x: float, other: float) -> Factor:
    """1 above 0, the weight elsewhere."""
    return _exactly(Fraction(1)) if x > 0 else _number(other)


def smooth_l1(x: float, other: float, beta: float, count: float) -> Factor:
    """d / (β · count) where |d| < β, else the sign of d / count."""
    if not (math.isfinite(x) and math.isfinite(other)):
        d = x - other
        return d if d != d else _exactly(Fraction(int(math.copysign(1, d)), int(count)))
    exact = Fraction(x) - Fraction(other)
    inside = beta == math.inf or abs(exact) < Fraction(beta)
    if exact == 0:
        return x - other if inside else 0.0
    if beta == math.inf:
        return math.copysign(0.0, exact)
    if inside:
        return _exactly(exact / (Fraction(beta) * int(count)))
    return _exactly(Fraction(1 if exact > 0 else -1, int(count)))


def logit(x: float, other: float, low: float, high: float) -> Factor:
    """1 / (x·(1 - x)), by the first row of the table that applies."""
    rows: list[tuple[bool, Factor]] = [
        (math.isnan(low), math.nan),
        (low == math.inf, None),
        (low > 1, math.nan),
        (low == 1, math.inf),
        (math.isnan(x), math.nan),
        (low < 0 and (x < 0 or x > 1), math.nan),
        (low >= 0 and (x < low or x > high), None),
        (x in (0, 1), math.inf),
    ]
    for applies, factor in rows:
        if applies:
            return factor
    exact = Fraction(x)
    return _exactly(1 / (exact * (1 - exact)))


def round_fraction(value: Fraction, form: Target) -> float:
    """Round a fraction to a type, to nearest even, in integers.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from ascendref.core.dtypes import FLOAT16
    >>> from ascendref.verify.truth import target
    >>> round_fraction(Fraction(2049, 2048), target(FLOAT16))
    1.0
    """
    size = abs(value)
    if size == 0:
        return 0.0
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    ulp = Fraction(2) ** (max(exponent, form.lowest) - form.fraction)
    steps = round(size / ulp)  # half to even
    rounded = float(steps * ulp) if steps * ulp <= form.largest else math.inf
    return -rounded if value < 0 else rounded


class Golden(NamedTuple):
    """What a result should be."""

    #: rounded to the type
    rounded: float
    #: before that; None for what is no finite real number
    exact: Fraction | None


def golden(factor: Factor, gradient: float, form: Target) -> Golden:
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


def error_in_ulp(actual: float, wanted: Golden, form: Target) -> float:
    """Return how far a number is from what it should be, in units in the last place of that.

    An infinity counts as the number one unit beyond the largest finite one.
    """
    if math.isinf(actual) and actual == wanted.rounded:
        return 0.0
    if math.isinf(form.beyond) and (math.isinf(actual) or math.isinf(wanted.rounded)):
        return math.inf  # there is no double beyond the largest
    if wanted.exact is None:
        exact = Fraction(max(min(wanted.rounded, form.beyond), -form.beyond))
    else:
        exact = wanted.exact
    if math.isinf(wanted.rounded):
        exact = Fraction(math.copysign(form.beyond, wanted.rounded))
    power = form.lowest
    if exact:
        size = abs(exact)
        power = size.numerator.bit_length() - size.denominator.bit_length()
        power -= size < Fraction(2) ** power
    ulp = Fraction(2) ** (min(max(power, form.lowest), form.highest) - form.fraction)
    clipped = Fraction(max(min(actual, form.beyond), -form.beyond))
    return float(abs(clipped - exact) / ulp)
