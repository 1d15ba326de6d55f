"""Comparison of a result with golden values: how many elements differ, and by how much."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import BY_NUMPY, ElementType, float_format
from .ulp import NAN_DISTANCE, Block, Doubles, blocks, import_pair, spacing, ulp_distance


@dataclass(frozen=True)
class Worst:
    """The element with the largest error in ulp (the first one in C order)."""

    #: its index
    index: tuple[int, ...]
    #: its result
    actual: float
    #: what it should be
    golden: float


@dataclass(frozen=True)
class Comparison:
    """The result of `compare`; ``str`` gives a summary of a few lines.

    Examples
    --------
    >>> golden = np.array([1.0, 0.1, 3.0])
    >>> print(ar.compare(np.array([1.0, 0.1, 3.004], np.float16), golden))
    float16 against float64: 2 of 3 elements differ, 1 wrongly rounded
    ulp:      max 2          mean 0.8
    absolute: max 0.00390625 mean 0.00131022
    relative: max 0.00130208 mean 0.000515408
    worst at (2,): 3.00390625 instead of 3.0
    """

    #: element type of the result
    actual_dtype: str
    #: element type of golden
    golden_dtype: str
    #: number of elements
    elements: int
    #: elements that have another value than golden
    differing: int
    #: elements whose value differs from golden rounded to nearest even in the result's type
    wrong: int
    #: largest and mean error in units in the last place
    max_ulp: float
    mean_ulp: float
    #: largest and mean absolute error
    max_absolute: float
    mean_absolute: float
    #: largest and mean relative error
    max_relative: float
    mean_relative: float
    #: the element with the largest error in ulp; None if no element differs
    worst: Worst | None
    #: elements that are NaN on one side only
    nan_mismatches: int
    #: elements without NaN that are infinite on one side only, or on both with opposite signs
    infinity_mismatches: int
    #: elements that are 0 on both sides, with opposite signs; these do not count as differing
    zero_sign_mismatches: int
    #: finite elements other than 0 that should be 0, which have no relative error
    missed_zeros: int = 0

    def __str__(self) -> str:
        lines = [
            f"{self.actual_dtype} against {self.golden_dtype}: {self.differing:,} of"
            f" {self.elements:,} elements differ, {self.wrong:,} wrongly rounded",
            f"ulp:      max {self.max_ulp:<10.6g} mean {self.mean_ulp:.6g}",
            f"absolute: max {self.max_absolute:<10.6g} mean {self.mean_absolute:.6g}",
            f"relative: max {self.max_relative:<10.6g} mean {self.mean_relative:.6g}"
            + (f" (without {self.missed_zeros:,} that should be 0)" if self.missed_zeros else ""),
        ]
        if self.worst is not None:
            lines.append(
                f"worst at {self.worst.index}: {self.worst.actual!r} instead of"
                f" {self.worst.golden!r}"
            )
        special = {
            "NaN": self.nan_mismatches,
            "infinity": self.infinity_mismatches,
            "sign of zero": self.zero_sign_mismatches,
        }
        if any(special.values()):
            lines.append("mismatches: " + ", ".join(f"{k} {v:,}" for k, v in special.items() if v))
        return "\n".join(lines)


@np.errstate(all="ignore")  # signalling NaNs
def compare(actual: Any, golden: Any) -> Comparison:
    """Compare a result with golden values.

    Parameters
    ----------
    actual : array
        The result: F16, BF16, F32 or F64.
    golden : array
        The expected values, with the same shape and the same or a wider type (F32 for F16 and BF16,
        F64 for all).

    Returns
    -------
    Comparison
        Errors, counts, and the position of the worst element.

    Raises
    ------
    ArgumentTypeError
        If an argument is not a floating-point array, or golden's type is too narrow.
    ArgumentValueError
        If the shapes differ.

    Notes
    -----
    If the types are equal, errors in ulp are those of `ulp_distance`. If golden is wider, they are
    real numbers: ``|actual - golden| / ulp(golden)``, where the ulp at golden is the distance
    between neighbouring numbers of the result's type in golden's binade (from a power of two to the
    next); in and below the subnormal range it is the smallest subnormal number. A correctly rounded
    result is within 0.5 ulp.

    A golden value that rounds to infinity in the result's type counts as that infinity. For errors
    in ulp, infinity counts as the number one ulp beyond the largest finite one; an infinity against
    a finite number is an infinite absolute and relative error. Equal infinities and two NaNs have
    no error; a NaN against a number is an infinite error of every kind. Relative errors are
    ``|actual - golden| / |golden|``, 0 where both are 0; finite elements other than 0 that should
    be 0 have none and are counted in ``missed_zeros``. All errors are computed in F64 and are
    infinite if they overflow. Means are over all elements that have the error, 0 if there are none.

    Examples
    --------
    >>> x = np.linspace(0.125, 0.875, 7)
    >>> truth = 1 / (x * (1 - x))
    >>> found = ar.compare(ar.logit_grad(x.astype(np.float16), np.ones(7, np.float16)), truth)
    >>> found.wrong, found.max_ulp <= 0.5
    (0, True)
    """
    pair = import_pair(actual, golden)
    counts, largest, sums = np.zeros(6, np.int64), np.zeros(3), np.zeros(3)
    at = None
    for block in blocks(pair):
        table = _errors(block, pair.kind)
        here = table.max(axis=1)
        if here[0] > largest[0]:
            at = block.start + int(table[0].argmax())
        largest, sums = np.maximum(largest, here), sums + table.sum(axis=1)
        counts += [np.count_nonzero(mask) for mask in _masks(block)]
    worst = None
    if at is not None:
        index = tuple(int(k) for k in np.unravel_index(at, pair.actual.shape))
        worst = Worst(index, float(pair.actual[index]), float(pair.golden[index]))
    size = pair.actual.size
    having = np.maximum([size, size, size - counts[-1]], 1)
    errors = np.stack([largest, sums / having], axis=1).ravel().tolist()
    differing, wrong, *mismatches = counts.tolist()
    kinds = pair.kind.name, BY_NUMPY[pair.golden.dtype].name
    values: list[Any] = [*kinds, pair.actual.size, differing, wrong, *errors, worst, *mismatches]
    return Comparison(*values)


def ulp_errors(actual: Any, golden: Any) -> Doubles:
    """Return the error of every element in ulp, as `compare` defines it."""
    pair = import_pair(actual, golden)
    with np.errstate(all="ignore"):
        found = [_ulps(block, pair.kind) for block in blocks(pair)]
    return np.concatenate([np.empty(0), *found]).reshape(pair.actual.shape)


def _errors(block: Block, kind: ElementType) -> Doubles:
    """Return the errors of a block: rows of ulp, absolute and relative errors."""
    absolute = block.absolute
    relative = np.where(np.isinf(absolute), np.inf, absolute / np.abs(block.golden))
    without = (absolute == 0) | _missed_zeros(block)
    return np.stack([_ulps(block, kind), absolute, np.where(without, 0, relative)])


def _missed_zeros(block: Block) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (block.golden == 0) & (block.actual != 0)
    return found & np.isfinite(block.actual)


def _ulps(block: Block, kind: ElementType) -> Doubles:
    actual, golden = block.stored
    if actual.dtype == golden.dtype:
        steps = ulp_distance(actual, golden)
        return np.where(steps == NAN_DISTANCE, np.inf, steps.astype(np.float64))
    beyond = float_format(kind).beyond
    distance = np.abs(
        np.clip(block.actual, -beyond, beyond) - np.clip(block.golden, -beyond, beyond)
    )
    ulps = distance / spacing(block.golden, kind)
    return np.where(np.isnan(ulps), np.where(block.absolute == 0, 0, np.inf), ulps)


def _masks(block: Block) -> tuple[Any, ...]:
    """Return a mask of the elements of a block for each count, as `Comparison` has them."""
    actual, rounded = block.actual, block.rounded
    nan, golden_nan = np.isnan(actual), np.isnan(rounded)
    wrong = (actual != rounded) & ~(nan & golden_nan)
    infinity = wrong & (np.isinf(actual) | np.isinf(rounded)) & ~(nan | golden_nan)
    zero_sign = (actual == 0) & (rounded == 0) & (np.signbit(actual) != np.signbit(rounded))
    differs = block.absolute != 0
    return differs, wrong, nan != golden_nan, infinity, zero_sign, _missed_zeros(block)
