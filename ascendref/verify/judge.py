"""Results compared with the values of the formula, in compiled loops.

`round_values` rounds the values, which are off by less than an ulp of float64, to the type of the
results. The rounding is undecided where the middle between two neighbours is that close; these
*hard cases* are left to others (`accuracy/golden.py`). Then `judge` compares.
"""

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from ..core.dtypes import FloatFormat

Doubles = NDArray[np.float64]

#: classes of a result. The first two are correct; the next are wrongly rounded numbers, by the
#: largest error in ulp of the class; then a number instead of NaN or vice versa, and a zero of the
#: wrong sign
EDGES: Final = (0.5 + 2.0**-8, 1.0, 1.5, 2.0, 4.0, 16.0, math.inf)
EXACT, ROUNDED, FIRST_WRONG = range(3)
NAN: Final = FIRST_WRONG + len(EDGES)
ZERO_SIGN: Final = NAN + 1
CLASSES: Final = ZERO_SIGN + 1


def compiled(**options: bool) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function, and keep the code on disk where that is possible."""

    def wrap(function: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, error_model="numpy", **options)(function)
        except RuntimeError:  # there is no folder for a cache
            return njit(error_model="numpy", **options)(function)

    return wrap


@compiled()
def _power(exponent: int) -> float:
    """Return a power of two that is a normal double."""
    return np.int64((exponent + 1023) << 52).view(np.float64)


@compiled()
def _ulp_exponent(value: float, form: FloatFormat) -> int:
    """Return the exponent of the unit in the last place at a finite value."""
    bounded = np.float64(min(max(abs(value), form.normal), form.largest))
    return int(bounded.view(np.int64) >> 52) - 1023 - form.fraction


@compiled(parallel=True)
def round_values(
    values: Doubles, form: FloatFormat, rounded: NDArray[np.float32], hard: NDArray[np.bool_]
) -> None:
    """Write values rounded to a type, to nearest even, and where that may be wrong."""
    for i in prange(values.size):
        value = values[i]
        hard[i] = False
        if abs(value) < form.beyond:
            exponent = _ulp_exponent(value, form)
            # the sum is so large that its own rounding, to even, is that to the type
            shift = _power(exponent + 52) * 1.5
            golden = (value + shift) - shift
            gap = 0.5 * _power(exponent) - abs(value - golden)
            hard[i] = gap <= 2.0**-52 * abs(value) and value != 0
            golden = math.copysign(golden, value)
            if abs(golden) > form.largest:
                golden = math.copysign(math.inf, value)
        elif value != value:
            golden = value
        else:
            golden = math.copysign(math.inf, value)
        rounded[i] = golden


@compiled()
def _classify(actual: float, golden: float, error: float) -> int:
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


@compiled(parallel=True)
def judge(
    values: Doubles,
    golden: NDArray[np.float32],
    actual: NDArray[np.float32],
    form: FloatFormat,
    worst: Doubles,
    column: NDArray[np.int64],
    histogram: NDArray[np.int64],
) -> None:
    """Judge results of several computations, actual[computation, row, column], of the same values.

    Write the largest error of each row in ulp and the first column that has it, and how many
    results are of each class. Chunks of rows, each with a histogram, are judged in parallel.
    """
    rows, columns = values.shape
    computations, chunks = actual.shape[0], histogram.shape[0]
    length = -(-rows // chunks)
    for chunk in prange(chunks):
        for i in range(chunk * length, min(rows, (chunk + 1) * length)):
            for m in range(computations):
                worst[m, i] = 0
                column[m, i] = 0
            for j in range(columns):
                right = np.float64(golden[i, j])
                # infinity counts as the number one ulp beyond the largest, or a value below
                value = values[i, j]
                if abs(right) == math.inf:
                    value = math.copysign(min(abs(value), form.beyond), right)
                scale = _power(-_ulp_exponent(value, form))
                # most results are right, and then their error is the same
                usual = 0.0
                if abs(right) < math.inf:
                    usual = abs(right - value) * scale
                for m in range(computations):
                    a = np.float64(actual[m, i, j])
                    if a == right and a != 0:
                        histogram[chunk, m, EXACT if usual == 0 else ROUNDED] += 1
                        if usual > worst[m, i]:
                            worst[m, i] = usual
                            column[m, i] = j
                        continue
                    if a != a or right != right:
                        same = a != a and right != right
                        histogram[chunk, m, EXACT if same else NAN] += 1
                        if not same:
                            worst[m, i] = math.inf
                        continue
                    error = abs(min(max(a, -form.beyond), form.beyond) - value) * scale
                    kind = _classify(a, right, error)
                    histogram[chunk, m, kind] += 1
                    if kind == ZERO_SIGN:
                        worst[m, i] = math.inf
                    if error > worst[m, i]:
                        worst[m, i] = error
                        column[m, i] = j


@compiled()
def first_largest(worst: Doubles, starts: NDArray[np.int64], found: NDArray[np.int64]) -> None:
    """Write the first row of each run that has its largest finite error, given the runs' starts."""
    for k in range(starts.size):
        stop = starts[k + 1] if k + 1 < starts.size else worst.size
        largest, found[k] = 0.0, starts[k]
        for i in range(starts[k], stop):
            if largest < worst[i] < math.inf:
                largest, found[k] = worst[i], i
