"""Judges of reductions, running sums, orders, and searches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .judge import Judge, Type, judged


def norm(x: Any, p: float, dim: Any, keep: bool, *_: Any) -> Any:
    """Return the p-norm along axes."""
    if math.isinf(p):
        return np.max(abs(x), tuple(dim), keepdims=keep)
    return np.sum(abs(x) ** p, tuple(dim), keepdims=keep) ** (1 / p)


def place(x: Any, k: int, dim: int, keep: bool) -> Any:
    """Return the element with k smaller ones along an axis, and where it is."""
    order = np.argsort(x, dim, kind="stable").take([k], dim)
    values = np.take_along_axis(x, order, dim)
    return (values, order) if keep else (values.squeeze(dim), order.squeeze(dim))


def median(x: Any, dim: int, keep: bool) -> Any:
    """Return the lower median along an axis, and where it is."""
    return place(x, (x.shape[dim] - 1) // 2, dim, keep)


def sort(x: Any, dim: int, descending: bool) -> Any:
    """Return sorted elements along an axis, and where they were; equal ones keep their order."""
    length = x.shape[dim]
    if descending:
        order = length - 1 - np.flip(np.argsort(np.flip(x, dim), dim, kind="stable"), dim)
    else:
        order = np.argsort(x, dim, kind="stable")
    return np.take_along_axis(x, order, dim), order


def running(function: Any, x: Any, dim: int) -> Any:
    """Return running maxima or minima and where they were last found."""
    values = function.accumulate(x, dim)
    places = np.expand_dims(np.arange(x.shape[dim]), [k for k in range(x.ndim) if k != dim])
    return values, np.maximum.accumulate(np.where(x == values, places, 0), dim)


def cumsum(x: Any, dim: int, exclusive: bool, reverse: bool) -> Any:
    """Return running sums."""
    sums = np.flip(np.cumsum(np.flip(x, dim), dim), dim) if reverse else np.cumsum(x, dim)
    return sums - x if exclusive else sums


def extreme(arg: Any, x: Any, dim: int, keep: bool) -> Any:
    """Return the largest or smallest elements along an axis, and where they are."""
    order = arg(x, dim, keepdims=True)
    values = np.take_along_axis(x, order, dim)
    return (values, order) if keep else (values.squeeze(dim), order.squeeze(dim))


def cdist(x: Any, y: Any, p: float, mode: int = 0) -> Any:
    """Return the distances of all pairs of rows."""
    return (abs(x[..., :, None, :] - y[..., None, :, :]) ** p).sum(-1) ** (1 / p)


def renorm(x: Any, p: float, dim: int, most: float) -> Any:
    """Return slices whose norm is at most a number."""
    axes = [k for k in range(x.ndim) if k != dim]
    found = norm(x, p, axes, True)
    return x * np.where(found > most, most / (found + 1e-7), 1)


def beside_mean(function: Any) -> Any:
    """Return what computes a deviation or variance along axes, and the mean."""

    def both(x: Any, dim: Any, correction: int, keep: bool) -> Any:
        found = function(x, tuple(dim), ddof=correction, keepdims=keep)
        return found, np.mean(x, tuple(dim), keepdims=keep)

    return both


def ordered(n: int) -> Any:
    """Return a function that makes ascending numbers."""
    return lambda rng: np.cumsum(rng.integers(1, 3, n))


def between(rng: Any) -> Any:
    """Return numbers some of which are equal to ascending ones."""
    return rng.integers(0, 9, (3, 5))


def searched(s: Any, x: Any, _: bool, right: bool, sorter: Any) -> Any:
    """Return where numbers would stand among others."""
    return np.searchsorted(s, x, "right" if right else "left", sorter)


REDUCTIONS: dict[str, Judge] = {
    "All": judged(
        lambda x, d, k: np.all(x, tuple(d) or None, keepdims=k),
        "N 3 5",
        [1, 2],
        True,
        result="bool",
    )
    .also("N 2", [1], False)
    .also("N 2", [], False),
    "Any": judged(
        lambda x, d, k: np.any(x, tuple(d) or None, keepdims=k),
        "N 3 5",
        [0, 2],
        False,
        result="bool",
    ).also("N 2", [], True),
    "Amax": judged(lambda x, d, k: np.max(x, tuple(d), keepdims=k), "N 3 5", [1, 2], True).also(
        "3 5", [-1], False
    ),
    "Amin": judged(lambda x, d, k: np.min(x, tuple(d), keepdims=k), "N 3 5", [1, 2], True).also(
        "3 5", [-1], False
    ),
    "Aminmax": judged(
        lambda x, d, k: (np.min(x, tuple(d), keepdims=k), np.max(x, tuple(d), keepdims=k)),
        "N 3 5",
        [1],
        True,
    ),
    "AminmaxAll": judged(lambda x: (x.min(), x.max()), "3 5"),
    "AminmaxDim": judged(
        lambda x, d, k: (x.min(d, keepdims=k), x.max(d, keepdims=k)), "N 3 5", 1, False
    ).also("3 5", 0, True),
    "ArgMax": judged(
        lambda x, d, k: np.argmax(x, d, keepdims=k), "N 3 5 !", 1, True, result="index"
    ),
    "ArgMin": judged(
        lambda x, d, k: np.argmin(x, d, keepdims=k), "N 3 5 !", -1, False, result="index"
    ).also("3 5 !", 0, True),
    "Argsort": judged(
        lambda x, d, down: sort(x, d, down)[1], "N 3 5 !", 2, True, result="index"
    ).also("3 5 !", 0, False),
    "Bincount": judged(np.bincount, "7 <5", None, 9).also("7 <5, 7 +", 3),
    "Bucketize": judged(
        lambda x, b, _, right: np.searchsorted(b, x, "right" if right else "left"),
        between,
        ordered(6),
        False,
        True,
        result="index",
    ),
    "Cdist": judged(cdist, "N 3 4, N 5 4", 2.0, 0).also("3 4, 5 4", 1.0, 1),
    "Cummax": judged(lambda x, d: running(np.maximum, x, d), "N 3 5", 2),
    "Cummin": judged(lambda x, d: running(np.minimum, x, d), "N 3 5", 1),
    "Cumprod": judged(lambda x, d, _: np.cumprod(x, d), "N 4", 1, Type),
    "InplaceCumprod": judged(lambda x, d: np.cumprod(x, d), "N 4", 1),
    "Cumsum": judged(lambda x, d, _: np.cumsum(x, d), "N 3 5", 1, Type),
    "CumsumV2": judged(cumsum, "N 3 5", 1, True, False)
    .also("3 5", 1, True, True)
    .also("3 5", 0, False, True),
    "Equal": judged(np.array_equal, "3 5, 3 5", result="bool").also(
        lambda _: np.arange(4), lambda _: np.arange(4)
    ),
    "GlobalAveragePool": judged(lambda x: x.mean((2, 3), keepdims=True), "N 3 4 5"),
    "GlobalMaxPool": judged(lambda x: x.max((2, 3), keepdims=True), "N 3 4 5"),
    "Histc": judged(
        lambda x, n, low, high: np.histogram(x, n, (low, high))[0].astype(float), "30", 5, -2, 2
    ),
    "IsInScalarTensor": judged(
        lambda x, y, _, invert: np.isin(x, y, invert=invert), 2, "3 5", False, True, result="bool"
    ),
    "IsInTensorScalar": judged(
        lambda x, y, _, invert: np.isin(x, y, invert=invert), "N 3 5", 2, False, True, result="bool"
    ),
    "Kthvalue": judged(lambda x, k, d, keep: place(x, k - 1, d, keep), "N 3 5 !", 2, 1, True).also(
        "3 5 !", 4, -1, False
    ),
    "LinalgVectorNorm": judged(norm, "N 3 5", 2.0, [1, 2], True, Type).also(
        "3 5", math.inf, [0], False, Type
    ),
    "LogSumExp": judged(
        lambda x, d, k: np.log(np.sum(np.exp(x), tuple(d), keepdims=k)), "N 3 5", [1, 2], True
    ),
    "Max": judged(np.max, "3 5"),
    "MaxDim": judged(lambda x, d, k: extreme(np.argmax, x, d, k), "N 3 5 !", 1, True).also(
        "3 5 !", -1, False
    ),
    "MaxN": judged(lambda xs: np.max(np.broadcast_arrays(*xs), 0), ["N 5", "5", "N 1"]),
    "MaxV2": judged(
        lambda x, d, k, noop: x if noop and not d else np.max(x, tuple(d) or None, keepdims=k),
        "N 3 5",
        [1, 2],
        True,
        False,
    )
    .also("3 5", [], True, False)
    .also("3 5", [], False, True),
    "Mean": judged(
        lambda x, d, k, _: np.mean(x, tuple(d), keepdims=k), "N 3 5", [1, 2], True, Type
    ),
    "MeanV2": judged(
        lambda x, d, k, noop: x if noop and not d else np.mean(x, tuple(d) or None, keepdims=k),
        "N 3 5",
        [1, 2],
        True,
        False,
    )
    .also("3 5", [], True, False)
    .also("3 5", [], False, True),
    "Median": judged(lambda x: np.sort(x, None)[(x.size - 1) // 2], "3 4"),
    "MedianDim": judged(median, "N 3 4 !", 1, True).also("3 4 !", -1, False),
    "Min": judged(np.min, "3 5"),
    "MinDim": judged(lambda x, d, k: extreme(np.argmin, x, d, k), "N 3 5 !", 1, True).also(
        "3 5 !", -1, False
    ),
    "MinN": judged(lambda xs: np.min(np.broadcast_arrays(*xs), 0), ["N 5", "5", "N 1"]),
    "NanMedian": judged(
        lambda x: np.sort(x, None)[(np.isfinite(x).sum() - 1) // 2], lambda _: [3, np.nan, 1, 2, 5]
    ),
    "NanMedianDim": judged(median, "N 3 4 !", 1, True).also("3 4 !", -1, False),
    "Norm": judged(norm, "N 3 5", 3.0, [1, 2], True).also("3 5", 2.0, [0], False),
    "Pdist": judged(lambda x, p: cdist(x, x, p)[np.triu_indices(len(x), 1)], "4 3", 3.0),
    "PdistForward": judged(lambda x, p: cdist(x, x, p)[np.triu_indices(len(x), 1)], "4 3", 3.0),
    "Prod": judged(lambda x, _: np.prod(x), "6", Type),
    "ProdDim": judged(lambda x, d, k, _: np.prod(x, d, keepdims=k), "N 3 4", 1, True, Type),
    "ReduceLogSum": judged(
        lambda x, d, k, noop: np.log(
            x if noop and not d else np.sum(x, tuple(d) or None, keepdims=k)
        ),
        "N 3 5 +",
        [1, 2],
        True,
        False,
    )
    .also("3 5 +", [], True, False)
    .also("3 5 +", [], False, True),
    "ReduceNansum": judged(
        lambda x, d, k, _: np.nansum(x, tuple(d) or None, keepdims=k), "N 3 5", [1, 2], True, Type
    )
    .also(lambda _: [[1, np.nan, 2]], [1], False, Type)
    .also("N 3 5", [], False, Type),
    "ReduceSum": judged(
        lambda x, d, k, _: np.sum(x, tuple(d), keepdims=k), "N 3 5", [1, 2], True, Type
    ).also("3 N 5", [1], False, Type),
    "Renorm": judged(renorm, "3 4 5", 2, 1, 3),
    "SearchSorted": judged(searched, ordered(6), between, False, True, None, result="index").also(
        lambda _: [5, 1, 3], between, False, False, lambda _: [1, 2, 0]
    ),
    "SearchSorteds": judged(
        searched, lambda _: [1, 3, 4, 6], 4, False, True, None, result="index"
    ).also(lambda _: [5, 1, 3], 4, False, False, lambda _: [1, 2, 0]),
    "Sort": judged(lambda x, stable, d, down: sort(x, d, down), "N 3 5", True, 1, True).also(
        "3 5", True, -1, False
    ),
    "Std": judged(
        lambda x, d, c, k: np.std(x, tuple(d), ddof=c, keepdims=k), "N 3 5", [1, 2], 1, True
    ).also("3 5", [0], 0, False),
    "StdMeanCorrection": judged(beside_mean(np.std), "N 3 5", [1, 2], 2, True),
    "Sum": judged(
        lambda xs: sum(np.int64(x) if x.dtype == bool else x for x in xs), ["N 5", "5", "N 1"]
    ),
    "AddN": judged(sum, ["N 5", "N 5", "N 5"]),
    "Topk": judged(
        lambda x, k, d, largest, _: [part.take(range(k), d) for part in sort(x, d, largest)],
        "N 3 5 !",
        2,
        2,
        True,
        True,
    ).also("3 5 !", 2, 0, False, True),
    "Trace": judged(np.trace, "3 5"),
    "Var": judged(
        lambda x, d, unbiased, k: np.var(x, tuple(d), ddof=int(unbiased), keepdims=k),
        "N 3 5",
        [1, 2],
        False,
        True,
    ).also("N 3 5", [1], True, False),
    "VarCorrection": judged(
        lambda x, d, c, k: np.var(x, tuple(d), ddof=c, keepdims=k), "N 3 5", [1, 2], 2, True
    ),
    "VarMean": judged(beside_mean(np.var), "N 3 5", [1, 2], 0, False).also("N 3 5", [1], 1, True),
}
