"""The fast oracle: results judged in float64 wherever it can decide the rounding.

A block of results is judged in two steps. The reference writes each datum's factor into a table
(see `factors`). Then `judge` multiplies it by every gradient, rounds to the result's type, and
compares. A rounding is undecided if the midpoint of two neighbours lies within the error bound;
these *hard cases* are left to the exact oracle.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numba import prange
from numpy.typing import NDArray

from .factors import (
    DIVISOR,
    LONG,
    LOW,
    MASKED,
    NUMERATOR,
    NUMERATOR_LOW,
    SHORT,
    SLACK,
    two_product,
    two_sum,
)
from .formats import Doubles, Format
from .jit import compiled

Integers = NDArray[np.int64]

#: classes of a result. The first two are correct; the next are wrongly rounded numbers, by the
#: largest error in ulp of the class; then a number instead of NaN or vice versa, and a zero of the
#: wrong sign
EDGES: Final = (0.5 + 2.0**-8, 1.0, 1.5, 2.0, 4.0, 16.0, math.inf)
EXACT, ROUNDED, FIRST_WRONG = range(3)
NAN: Final = FIRST_WRONG + len(EDGES)
ZERO_SIGN: Final = NAN + 1
CLASSES: Final = ZERO_SIGN + 1


@compiled()
def _power(exponent: int) -> float:
    """Return a power of two that is a normal double."""
    return np.int64((exponent + 1023) << 52).view(np.float64)


@compiled()
def _ulp_exponent(value: float, form: Format) -> int:
    """Return the exponent of the unit in the last place at a finite value."""
    exponent = ((np.float64(value).view(np.int64) >> 52) & 0x7FF) - 1023
    return int(min(max(exponent, np.int64(form.emin)), np.int64(form.emax))) - form.fraction


@compiled()
def classify(actual: float, golden: float, error: float) -> int:
    """Return the class of a result; neither it nor the golden value is NaN."""
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
def _from_quotient(g: float, row: Doubles, near: float) -> float:
    """Return ``g * quotient - near`` from exact products; NaN if its sign is not certain."""
    product, product_low = two_product(g, row[NUMERATOR])
    other, other_low = two_product(near, row[DIVISOR])
    lower, trace = two_sum(product_low, -other_low)
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
    form: Format,
    worst: Doubles,
    column: Integers,
    histogram: Integers,
    hard: Integers,
) -> Integers:
    """Judge a block of results; return how many hard cases each chunk of rows has.

    Parameters
    ----------
    factors : array of shape (rows, COLUMNS)
        What multiplies the gradients, one row per datum.
    gradients : array of shape (columns,)
        The gradients, numbers of the type of the results.
    actual : array of shape (computations, rows, columns)
        Results of several computations of the same.
    form : Format
        The type of the results.
    worst : array of shape (computations, rows)
        The largest error of a row in ulp goes here.
    column : array of shape (computations, rows)
        And here the column of the first gradient that has it.
    histogram : array of shape (chunks, computations, CLASSES)
        How many results are of a class goes here. Chunks are judged in parallel.
    hard : array of shape (chunks, rows in a chunk * columns)
        Hard cases, which are not judged, go here: row * columns + column.
    """
    rows, columns = factors.shape[0], gradients.size
    computations, chunks = actual.shape[0], histogram.shape[0]
    length = hard.shape[1] // columns
    beyond = form.beyond
    found = np.zeros(chunks, np.int64)
    for chunk in prange(chunks):
        for i in range(chunk * length, min(rows, (chunk + 1) * length)):
            long, short, low = factors[i, LONG], factors[i, SHORT], factors[i, LOW]
            slack, masked = factors[i, SLACK], factors[i, MASKED] != 0
            for m in range(computations):
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
                    scale = _power(form.fraction - form.emax)
                elif near == near and not masked:
                    # near is the exact value rounded to float64 now: no midpoint is between
                    rest = (lower - (near - upper)) + g * low
                    total = near + rest
                    near, far = total, rest - (total - near)
                    exponent = _ulp_exponent(near, form)
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
                    if abs(golden) > form.largest:
                        golden = math.copysign(math.inf, near)
                        near, far = math.copysign(beyond, near), 0.0
                # most results are right, and then their error is the same
                usual = abs((min(max(golden, -beyond), beyond) - near) - far) * scale
                for m in range(computations):
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


@compiled(parallel=True)
def widen(bits: NDArray[np.uint16], numbers: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Write the number that every pattern of bits stands for."""
    for i in prange(bits.size):
        out[i] = numbers[bits[i]]


@compiled(parallel=True)
def copy(numbers: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Write numbers elsewhere."""
    for i in prange(numbers.size):
        out[i] = numbers[i]
