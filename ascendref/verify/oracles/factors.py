"""The factors by which operators multiply gradients, in float64 with an error bound.

All operators either multiply the gradient by a *factor* that depends only on the other tensors, or
return +0. A factor is a row of a table: an unevaluated sum of three doubles and an error bound. The
first two parts are short enough that their products with any F16, BF16 or F32 gradient are exact.
"""

from __future__ import annotations

import math
from typing import Final

from .formats import Doubles
from .jit import compiled

# --- arithmetic without error -----------------------------------------------------------------


@compiled()
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return the rounded sum and its error (Knuth)."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


@compiled()
def split(a: float, factor: float) -> tuple[float, float]:
    """Return the upper bits of a double and the rest (Veltkamp); the factor says how many."""
    scaled = factor * a
    high = scaled - (scaled - a)
    return high, a - high


_HALVES: Final = 2.0**27 + 1  # 26 bits and 26
_LONG_AND_SHORT: Final = 2.0**24 + 1  # 29 bits and 24


@compiled()
def two_product(a: float, b: float) -> tuple[float, float]:
    """Return the rounded product and its error (Dekker)."""
    product = a * b
    a_high, a_low = split(a, _HALVES)
    b_high, b_low = split(b, _HALVES)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


# --- rows of a table --------------------------------------------------------------------------

#: columns of a table of factors: the three parts, the bound of the error, whether the result is +0
#: whatever the gradient, and the quotient that the factor is, in two parts and a divisor, if any
LONG, SHORT, LOW, SLACK, MASKED, NUMERATOR, NUMERATOR_LOW, DIVISOR = range(8)
COLUMNS: Final = DIVISOR + 1


@compiled()
def put(row: Doubles, high: float, low: float, error: float) -> None:
    """Write a factor: ``high + low``, wrong by no more than ``error``."""
    row[:] = 0.0
    row[LONG] = high
    if math.isfinite(high):
        row[LONG], row[SHORT] = split(high, _LONG_AND_SHORT)
        row[LOW] = low
        if low != 0 or error != 0:
            # judge adds the product with ``low`` to the error of a sum, and rounds once or twice
            sum_error = min(abs(row[SHORT]), 2.0**-52 * abs(high))
            row[SLACK] = error + 2.0**-50 * (abs(low) + sum_error)


@compiled()
def put_zero(row: Doubles) -> None:
    """Write that the result is +0, whatever the gradient is."""
    row[:] = 0.0
    row[MASKED] = 1.0


@compiled()
def put_quotient(row: Doubles, high: float, low: float, divisor: float) -> None:
    """Write the factor ``(high + low) / divisor``."""
    quotient = high / divisor
    product, product_low = two_product(quotient, divisor)
    rest = (((high - product) - product_low) + low) / divisor
    put(row, quotient, rest, 2.0**-50 * abs(rest))
    row[NUMERATOR], row[NUMERATOR_LOW], row[DIVISOR] = high, low, divisor
