"""The fast oracle: what every operator should give, decided in float64 wherever it can be.

All five operators multiply the gradient by a *factor* that depends on the other tensors alone, or
give +0. So a block of results is judged in two steps. One kernel per operator writes each datum's
factor as an unevaluated sum of three doubles and a bound of what the sum lacks; the parts are so
short that their products with any F16, BF16 or F32 gradient are exact. Then `judge` multiplies,
rounds to the type of the result, and compares. A rounding is decided unless the midpoint of two
neighbours lies within the bound; these *hard cases* are left to the exact oracle.

Nothing here comes from the package's own kernels. All compiled code of this package stands in this
one file, because Numba's disk cache looks at the file of the function alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from ..core.dtypes import ElementType, float_format

Doubles = NDArray[np.float64]


def compiled(**options: bool) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function, and keep the code on disk where that is possible."""

    def wrap(function: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, error_model="numpy", **options)(function)
        except RuntimeError:  # there is no folder for a cache
            return njit(error_model="numpy", **options)(function)

    return wrap


# --- arithmetic without error -----------------------------------------------------------------


@compiled()
def _two_sum(a: float, b: float) -> tuple[float, float]:
    """Return the rounded sum and its error (Knuth)."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


@compiled()
def _split(a: float, factor: float) -> tuple[float, float]:
    """Return the upper bits of a double and the rest (Veltkamp); the factor says how many."""
    scaled = factor * a
    high = scaled - (scaled - a)
    return high, a - high


_HALVES: Final = 2.0**27 + 1  # 26 bits and 26
_LONG_AND_SHORT: Final = 2.0**24 + 1  # 29 bits and 24


@compiled()
def _two_product(a: float, b: float) -> tuple[float, float]:
    """Return the rounded product and its error (Dekker)."""
    product = a * b
    a_high, a_low = _split(a, _HALVES)
    b_high, b_low = _split(b, _HALVES)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


# --- factors ----------------------------------------------------------------------------------

#: columns of a table of factors: the three parts, the bound of the error, whether the result is +0
#: whatever the gradient, and the quotient that the factor is, in two parts and a divisor, if any
LONG, SHORT, LOW, SLACK, MASKED, NUMERATOR, NUMERATOR_LOW, DIVISOR = range(8)
COLUMNS: Final = DIVISOR + 1

#: relative error that the C library's exp is trusted with; libraries state one or two times 2**-53
_EXP_ERROR: Final = 2.0**-48
#: stands for a factor that float64 cannot hold: the product with any finite gradient rounds to 0,
#: and with an infinite one it is infinite
_TINY: Final = 2.0**-900


@compiled()
def _put(row: Any, high: float, low: float, error: float) -> None:
    """Write a factor: ``high + low``, wrong by no more than ``error``."""
    row[:] = 0.0
    row[LONG] = high
    if math.isfinite(high):
        row[LONG], row[SHORT] = _split(high, _LONG_AND_SHORT)
        row[LOW] = low
        if low != 0 or error != 0:
            # judge adds the product with ``low`` to the error of a sum, and rounds once or twice
            sum_error = min(abs(row[SHORT]), 2.0**-52 * abs(high))
            row[SLACK] = error + 2.0**-50 * (abs(low) + sum_error)


@compiled()
def _mask(row: Any) -> None:
    """Write that the result is +0."""
    row[:] = 0.0
    row[MASKED] = 1.0


@compiled()
def _put_quotient(row: Any, high: float, low: float, divisor: float) -> None:
    """Write the factor ``(high + low) / divisor``."""
    quotient = high / divisor
    product, product_low = _two_product(quotient, divisor)
    rest = (((high - product) - product_low) + low) / divisor
    _put(row, quotient, rest, 2.0**-50 * abs(rest))
    row[NUMERATOR], row[NUMERATOR_LOW], row[DIVISOR] = high, low, divisor


@compiled(parallel=True)
def hardshrink_factors(data: Doubles, other: Doubles, lambd: float, table: Doubles) -> None:
    """1 outside ±λ, and a mask between."""
    for i in prange(data.size):
        if data[i] > lambd or data[i] < -lambd:
            _put(table[i], 1.0, 0.0, 0.0)
        else:
            _mask(table[i])


@compiled(parallel=True)
def softplus_factors(
    data: Doubles, other: Doubles, beta: float, threshold: float, table: Doubles
) -> None:
    """1 / (1 + exp(-z)); z is exact, as a product of two float32."""
    for i in prange(data.size):
        z = beta * data[i]
        size = abs(z)
        if z > threshold or z == math.inf:
            _put(table[i], 1.0, 0.0, 0.0)
        elif z != z:
            _put(table[i], math.nan, 0.0, 0.0)
        elif z == -math.inf:
            _put(table[i], 0.0, 0.0, 0.0)
        elif size < 2.0**-30:
            # 1/2 + z/4 - z**3/48 + ...: half of a subnormal gradient is a tie, which z decides
            _put(table[i], 0.5, z / 4, size * size * size)
        else:
            power = math.exp(-size)
            value = 1 / (1 + power) if z > 0 else power / (1 + power)
            _put(table[i], max(value, _TINY), 0.0, _EXP_ERROR * value)


@compiled(parallel=True)
def prelu_factors(data: Doubles, other: Doubles, table: Doubles) -> None:
    """1 where the input is positive, else the weight."""
    for i in prange(data.size):
        _put(table[i], 1.0 if data[i] > 0 else other[i], 0.0, 0.0)


@compiled(parallel=True)
def smooth_l1_factors(
    data: Doubles, other: Doubles, beta: float, count: float, table: Doubles
) -> None:
    """d / (β · count) near zero, ±1 / count beyond."""
    for i in prange(data.size):
        d, low = data[i] - other[i], 0.0
        if math.isfinite(d):
            d, low = _two_sum(data[i], -other[i])
        size = abs(d)
        inside = size < beta or (size == beta and low * d < 0)
        if d != d:
            _put(table[i], math.nan, 0.0, 0.0)
        elif inside and beta == math.inf:
            _put(table[i], math.copysign(0.0, d), 0.0, 0.0)
        elif inside:
            _put_quotient(table[i], d, low, beta * count)
        elif d == 0:
            _put(table[i], 0.0, 0.0, 0.0)
        else:
            _put_quotient(table[i], math.copysign(1.0, d), 0.0, count)


@compiled(parallel=True)
def logit_factors(data: Doubles, other: Doubles, low: float, high: float, table: Doubles) -> None:
    """1 / (x · (1 - x)) inside, by the rules of eps elsewhere."""
    for i in prange(data.size):
        x = data[i]
        if low != low or (low > 1 and low != math.inf):
            _put(table[i], math.nan, 0.0, 0.0)
        elif low == math.inf:
            _mask(table[i])
        elif low == 1:
            _put(table[i], math.inf, 0.0, 0.0)
        elif x != x or (low < 0 and (x < 0 or x > 1)):
            _put(table[i], math.nan, 0.0, 0.0)
        elif low >= 0 and (x < low or x > high):
            _mask(table[i])
        elif x == 0 or x == 1:
            _put(table[i], math.inf, 0.0, 0.0)
        else:
            rest, rest_low = _two_sum(1.0, -x)
            product, product_low = _two_product(x, rest)
            lower = product_low + x * rest_low
            value = 1 / product
            near, near_low = _two_product(value, product)
            missing = (1 - near) - near_low
            error = (abs(missing) + value * (abs(product_low) + abs(x * rest_low))) / product
            _put(table[i], value, (missing - value * lower) / product, 2.0**-50 * error)


@compiled(parallel=True)
def widen(bits: Any, numbers: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Write the number that every pattern of bits stands for."""
    for i in prange(bits.size):
        out[i] = numbers[bits[i]]


@compiled(parallel=True)
def copy(numbers: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Write numbers elsewhere."""
    for i in prange(numbers.size):
        out[i] = numbers[i]


# --- judging ----------------------------------------------------------------------------------

#: classes of a result. The first two are right; the next are wrongly rounded numbers, by the
#: largest error in ulp that the class holds; then come a number for a NaN or the reverse, and a
#: zero of the wrong sign
EDGES: Final = (0.5 + 2.0**-8, 1.0, 1.5, 2.0, 4.0, 16.0, math.inf)
EXACT, ROUNDED, FIRST_WRONG = range(3)
NAN: Final = FIRST_WRONG + len(EDGES)
ZERO_SIGN: Final = NAN + 1
CLASSES: Final = ZERO_SIGN + 1


class Target(NamedTuple):
    """The type of a result, as `judge` takes it."""

    #: bits of the significand after the point
    fraction: int
    #: exponents of the smallest normal and of the largest number
    lowest: int
    highest: int
    #: the largest number, and the power of two beyond it
    largest: float
    beyond: float


def target(kind: ElementType) -> Target:
    """Return a type as `judge` takes it."""
    form = float_format(kind)
    lowest = math.frexp(form.normal)[1] - 1
    highest = math.frexp(form.largest)[1] - 1
    return Target(form.fraction, lowest, highest, form.largest, form.beyond)


@compiled()
def _power(exponent: int) -> float:
    """Return a power of two that is a normal double."""
    return np.int64((exponent + 1023) << 52).view(np.float64)


@compiled()
def _ulp_exponent(value: float, fraction: int, lowest: int, highest: int) -> int:
    """Return the exponent of the unit in the last place at a finite value."""
    exponent = ((np.float64(value).view(np.int64) >> 52) & 0x7FF) - 1023
    return int(min(max(exponent, np.int64(lowest)), np.int64(highest))) - fraction


@compiled()
def classify(actual: float, golden: float, error: float) -> int:
    """Return the class of a result that is no NaN, beside one that is none."""
    if actual == golden:
        if actual == 0 and math.copysign(1.0, actual) != math.copysign(1.0, golden):
            return ZERO_SIGN
        return EXACT if error == 0 else ROUNDED
    found = FIRST_WRONG
    for edge in EDGES:
        if error <= edge:
            break
        found += 1
    return found


@compiled()
def _from_quotient(g: float, row: Any, near: float) -> float:
    """Return ``g * quotient - near`` from exact products; NaN if its sign is not certain."""
    product, product_low = _two_product(g, row[NUMERATOR])
    other, other_low = _two_product(near, row[DIVISOR])
    lower, trace = _two_sum(product_low, -other_low)
    whole = ((product - other) + lower) + trace
    beyond = g * row[NUMERATOR_LOW]
    total = whole + beyond
    certain = beyond == 0 or abs(total) > 2.0**-50 * abs(beyond)
    return total / row[DIVISOR] if certain else math.nan


@compiled(parallel=True)
def judge(
    factors: Doubles,
    gradients: Doubles,
    actual: NDArray[np.float32],
    fraction: int,
    lowest: int,
    highest: int,
    largest: float,
    beyond: float,
    worst: Doubles,
    column: Any,
    histogram: Any,
    hard: Any,
) -> Any:
    """Judge a block of results; return how many hard cases each chunk of rows has.

    Parameters
    ----------
    factors : array of shape (rows, COLUMNS)
        What multiplies the gradients, one row per datum.
    gradients : array of shape (columns,)
        The gradients, numbers of the type of the results.
    actual : array of shape (subjects, rows, columns)
        Results of several computations of the same.
    fraction, lowest, highest, largest, beyond
        The type of the results, as `Target` has it.
    worst : array of shape (subjects, rows)
        The largest error of a row in ulp goes here.
    column : array of shape (subjects, rows)
        And here the column of the first gradient that has it.
    histogram : array of shape (chunks, subjects, CLASSES)
        How many results are of a class goes here. Chunks are judged in parallel.
    hard : array of shape (chunks, rows in a chunk * columns)
        Hard cases, which are not judged, go here: row * columns + column.
    """
    rows, columns = factors.shape[0], gradients.size
    subjects, chunks = actual.shape[0], histogram.shape[0]
    length = hard.shape[1] // columns
    found = np.zeros(chunks, np.int64)
    for chunk in prange(chunks):
        for i in range(chunk * length, min(rows, (chunk + 1) * length)):
            long, short, low = factors[i, LONG], factors[i, SHORT], factors[i, LOW]
            slack, masked = factors[i, SLACK], factors[i, MASKED] != 0
            for m in range(subjects):
                worst[m, i] = 0
                column[m, i] = 0
            for j in range(columns):
                g = gradients[j]
                # the exact value is near + far, give or take the doubt
                near, far, golden, scale = 0.0, 0.0, 0.0, 1.0
                if not masked:
                    upper, lower = g * long, 0.0
                    near = upper
                    if short != 0 and abs(upper) < math.inf:
                        lower = g * short
                        near = upper + lower
                    golden = near
                if abs(near) >= beyond:
                    golden = math.copysign(math.inf, near)
                    near = math.copysign(beyond, near)
                    scale = _power(fraction - highest)
                elif near == near and not masked:
                    # near is the exact value rounded to float64 now: no midpoint is between
                    rest = (lower - (near - upper)) + g * low
                    total = near + rest
                    near, far = total, rest - (total - near)
                    exponent = _ulp_exponent(near, fraction, lowest, highest)
                    ulp, scale = _power(exponent), _power(-exponent)
                    # the sum is so large that its own rounding, to even, is that to the type
                    shift = _power(exponent + 52) * 1.5
                    golden = (near + shift) - shift
                    gap = 0.5 * ulp - abs(near - golden)
                    if near > golden:
                        gap_far = gap - far
                    else:
                        gap_far = gap + far
                    undecided = slack != 0 and abs(gap_far) <= slack * abs(g)
                    if undecided and gap == 0 and factors[i, DIVISOR] != 0:
                        # products tell a tie of a quotient from what is next to one
                        far = _from_quotient(g, factors[i], near)
                        undecided = far != far
                    if undecided:
                        hard[chunk, found[chunk]] = i * columns + j
                        found[chunk] += 1
                        continue
                    if gap == 0:  # a tie, unless there is more
                        if far > 0 and golden < near:
                            golden += ulp
                        elif far < 0 and golden > near:
                            golden -= ulp
                    golden = math.copysign(golden, upper)  # the sum of -0 and 0 is 0
                    if abs(golden) > largest:
                        golden = math.copysign(math.inf, near)
                        near, far = math.copysign(beyond, near), 0.0
                # most results are right, and then their error is the same
                usual = abs((min(max(golden, -beyond), beyond) - near) - far) * scale
                for m in range(subjects):
                    a = np.float64(actual[m, i, j])
                    if a == golden and a != 0:
                        histogram[chunk, m, EXACT if usual == 0 else ROUNDED] += 1
                        if usual > worst[m, i]:
                            worst[m, i] = usual
                            column[m, i] = j
                        continue
                    if a != a or golden != golden:
                        same = a != a and golden != golden
                        histogram[chunk, m, EXACT if same else NAN] += 1
                        if not same:
                            worst[m, i] = math.inf
                        continue
                    clipped = min(max(a, -beyond), beyond)
                    error = abs((clipped - near) - far) * scale
                    kind = classify(a, golden, error)
                    histogram[chunk, m, kind] += 1
                    if kind == ZERO_SIGN:
                        worst[m, i] = math.inf
                    if error > worst[m, i]:
                        worst[m, i] = error
                        column[m, i] = j
    return found
