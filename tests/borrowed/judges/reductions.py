"""Judges of reductions, running sums, orders, and searches."""

import math

import numpy as np

from .judge import Judge, Type, held, judged


def over(function):
    """Return a reduction along some axes, or all if there are none."""
    return lambda x, dims, keep, *_: function(x, tuple(dims) or None, keepdims=keep)


def over_some(function, after=np.array, mark=""):
    """Return the judge of a reduction that may leave data alone if there are no axes.

    Another function comes after it; the mark says which data it takes.
    """

    def reduced(x, dims, keep, noop):
        return after(x if noop and not dims else over(function)(x, dims, keep))

    forms = ("N 3 5", [1, 2], True, False), ("3 5", [], True, False), ("3 5", [], False, True)
    return judged(reduced, *[(shape + mark, *others) for shape, *others in forms])


def norm(x, p, dim, keep, *_):
    if math.isinf(p):
        return np.max(abs(x), tuple(dim), keepdims=keep)
    return np.sum(abs(x) ** p, tuple(dim), keepdims=keep) ** (1 / p)


def kept(values, order, dim, keep):
    """Return elements along an axis and where they are, with the axis or without."""
    return (values, order) if keep else (values.squeeze(dim), order.squeeze(dim))


def place(x, k, dim, keep):
    """Return the element with k smaller ones along an axis, and where it is."""
    order = np.argsort(x, dim, kind="stable").take([k], dim)
    return kept(np.take_along_axis(x, order, dim), order, dim, keep)


def median(x, dim, keep):
    return place(x, (x.shape[dim] - 1) // 2, dim, keep)


def sort(x, dim, descending):
    """Return sorted elements along an axis, and where they were; equal ones keep their order."""
    length = x.shape[dim]
    if descending:
        order = length - 1 - np.flip(np.argsort(np.flip(x, dim), dim, kind="stable"), dim)
    else:
        order = np.argsort(x, dim, kind="stable")
    return np.take_along_axis(x, order, dim), order


def running(function):
    """Return what computes running maxima or minima and where they were last found."""

    def found(x, dim):
        values = function.accumulate(x, dim)
        places = np.expand_dims(np.arange(x.shape[dim]), [k for k in range(x.ndim) if k != dim])
        return values, np.maximum.accumulate(np.where(x == values, places, 0), dim)

    return found


def cumsum(x, dim, exclusive, reverse):
    sums = np.flip(np.cumsum(np.flip(x, dim), dim), dim) if reverse else np.cumsum(x, dim)
    return sums - x if exclusive else sums


def extreme(arg):
    """Return what finds the largest or smallest elements along an axis, and where they are."""

    def found(x, dim, keep):
        order = arg(x, dim, keepdims=True)
        return kept(np.take_along_axis(x, order, dim), order, dim, keep)

    return judged(found, ("N 3 5 !", 1, True), ("3 5 !", -1, False))


def cdist(x, y, p, mode=0):
    return (abs(x[..., :, None, :] - y[..., None, :, :]) ** p).sum(-1) ** (1 / p)


def renorm(x, p, dim, most):
    """Return slices whose norm is at most a number."""
    axes = [k for k in range(x.ndim) if k != dim]
    found = norm(x, p, axes, True)
    return x * np.where(found > most, most / (found + 1e-7), 1)


def spread(function):
    """Return a deviation or variance along axes as a function of its correction."""
    return lambda x, d, c, keep: function(x, tuple(d), ddof=int(c), keepdims=keep)


def beside_mean(function):
    """Return what computes a deviation or variance along axes, and the mean."""
    return lambda *given: (spread(function)(*given), over(np.mean)(given[0], given[1], given[3]))


def ordered(rng):
    return np.cumsum(rng.integers(1, 3, 6))


def between(rng):
    """Return numbers some of which are equal to ascending ones."""
    return rng.integers(0, 9, (3, 5))


def searched(s, x, _, right, sorter=None):
    return np.searchsorted(s, x, "right" if right else "left", sorter)


def isin(x, y, _, invert):
    return np.isin(x, y, invert=invert)


#: elements of which the second is third, and the order of their places
UNSORTED, SORTER = held([5, 1, 3]), held([1, 2, 0])
BOTH_FORMS = ("N 3 5", [1, 2], True), ("3 5", [-1], False)
TENSORS = ["N 5", "5", "N 1"]
PDIST = judged(lambda x, p: cdist(x, x, p)[np.triu_indices(len(x), 1)], ("4 3", 3.0))
MEDIAN_DIM = judged(median, ("N 3 4 !", 1, True), ("3 4 !", -1, False))
REDUCTIONS: dict[str, Judge] = {
    "All": judged(over(np.all), ("N 3 5", [1, 2], True), ("N 2", [1], False), ("N 2", [], False),
        result="bool"),
    "Any": judged(over(np.any), ("N 3 5", [0, 2], False), ("N 2", [], True), result="bool"),
    "Amax": judged(over(np.max), *BOTH_FORMS),
    "Amin": judged(over(np.min), *BOTH_FORMS),
    "Aminmax": judged(lambda *given: (over(np.min)(*given), over(np.max)(*given)),
        ("N 3 5", [1], True)),
    "AminmaxAll": judged(lambda x: (x.min(), x.max()), "3 5"),
    "AminmaxDim": judged(lambda x, d, k: (x.min(d, keepdims=k), x.max(d, keepdims=k)),
        ("N 3 5", 1, False), ("3 5", 0, True)),
    "ArgMax": judged(lambda x, d, k: np.argmax(x, d, keepdims=k), ("N 3 5 !", 1, True),
        result="index"),
    "ArgMin": judged(lambda x, d, k: np.argmin(x, d, keepdims=k), ("N 3 5 !", -1, False),
        ("3 5 !", 0, True), result="index"),
    "Argsort": judged(lambda *given: sort(*given)[1], ("N 3 5 !", 2, True), ("3 5 !", 0, False),
        result="index"),
    "Bincount": judged(np.bincount, ("7 <5", None, 9), ("7 <5, 7 +", 3)),
    "Bucketize": judged(lambda x, b, *rest: searched(b, x, *rest), (between, ordered, False, True),
        result="index"),
    "Cdist": judged(cdist, ("N 3 4, N 5 4", 2.0, 0), ("3 4, 5 4", 1.0, 1)),
    "Cummax": judged(running(np.maximum), ("N 3 5", 2)),
    "Cummin": judged(running(np.minimum), ("N 3 5", 1)),
    "Cumprod": judged(lambda x, d, _: np.cumprod(x, d), ("N 4", 1, Type)),
    "InplaceCumprod": judged(np.cumprod, ("N 4", 1)),
    "Cumsum": judged(lambda x, d, _: np.cumsum(x, d), ("N 3 5", 1, Type)),
    "CumsumV2": judged(cumsum, ("N 3 5", 1, True, False), ("3 5", 1, True, True),
        ("3 5", 0, False, True)),
    "Equal": judged(np.array_equal, "3 5, 3 5", (held(np.arange(4)), held(np.arange(4))),
        result="bool"),
    "GlobalAveragePool": judged(lambda x: x.mean((2, 3), keepdims=True), "N 3 4 5"),
    "GlobalMaxPool": judged(lambda x: x.max((2, 3), keepdims=True), "N 3 4 5"),
    "Histc": judged(lambda x, n, low, high: np.histogram(x, n, (low, high))[0].astype(float),
        ("30", 5, -2, 2)),
    "IsInScalarTensor": judged(isin, (2, "3 5", False, True), result="bool"),
    "IsInTensorScalar": judged(isin, ("N 3 5", 2, False, True), result="bool"),
    "Kthvalue": judged(lambda x, k, d, keep: place(x, k - 1, d, keep), ("N 3 5 !", 2, 1, True),
        ("3 5 !", 4, -1, False)),
    "LinalgVectorNorm": judged(norm, ("N 3 5", 2.0, [1, 2], True, Type),
        ("3 5", math.inf, [0], False, Type)),
    "LogSumExp": judged(lambda x, *rest: np.log(over(np.sum)(np.exp(x), *rest)),
        ("N 3 5", [1, 2], True)),
    "Max": judged(np.max, "3 5"),
    "MaxDim": extreme(np.argmax),
    "MaxN": judged(lambda xs: np.max(np.broadcast_arrays(*xs), 0), TENSORS),
    "MaxV2": over_some(np.max),
    "Mean": judged(over(np.mean), ("N 3 5", [1, 2], True, Type)),
    "MeanV2": over_some(np.mean),
    "Median": judged(lambda x: np.sort(x, None)[(x.size - 1) // 2], "3 4"),
    "MedianDim": MEDIAN_DIM,
    "Min": judged(np.min, "3 5"),
    "MinDim": extreme(np.argmin),
    "MinN": judged(lambda xs: np.min(np.broadcast_arrays(*xs), 0), TENSORS),
    "NanMedian": judged(lambda x: np.sort(x, None)[(np.isfinite(x).sum() - 1) // 2],
        held([3, np.nan, 1, 2, 5])),
    "NanMedianDim": MEDIAN_DIM,
    "Norm": judged(norm, ("N 3 5", 3.0, [1, 2], True), ("3 5", 2.0, [0], False)),
    "Pdist": PDIST,
    "PdistForward": PDIST,
    "Prod": judged(lambda x, _: np.prod(x), ("6", Type)),
    "ProdDim": judged(lambda x, d, k, _: np.prod(x, d, keepdims=k), ("N 3 4", 1, True, Type)),
    "ReduceLogSum": over_some(np.sum, np.log, " +"),
    "ReduceNansum": judged(over(np.nansum), ("N 3 5", [1, 2], True, Type),
        (held([[1, np.nan, 2]]), [1], False, Type), ("N 3 5", [], False, Type)),
    "ReduceSum": judged(over(np.sum), ("N 3 5", [1, 2], True, Type), ("3 N 5", [1], False, Type)),
    "Renorm": judged(renorm, ("3 4 5", 2, 1, 3)),
    "SearchSorted": judged(searched, (ordered, between, False, True, None),
        (UNSORTED, between, False, False, SORTER), result="index"),
    "SearchSorteds": judged(searched, (held([1, 3, 4, 6]), 4, False, True, None),
        (UNSORTED, 4, False, False, SORTER), result="index"),
    "Sort": judged(lambda x, stable, *rest: sort(x, *rest), ("N 3 5", True, 1, True),
        ("3 5", True, -1, False)),
    "Std": judged(spread(np.std), ("N 3 5", [1, 2], 1, True), ("3 5", [0], 0, False)),
    "StdMeanCorrection": judged(beside_mean(np.std), ("N 3 5", [1, 2], 2, True)),
    "Sum": judged(lambda xs: sum(np.int64(x) if x.dtype == bool else x for x in xs), TENSORS),
    "AddN": judged(sum, ["N 5", "N 5", "N 5"]),
    "Topk": judged(
        lambda x, k, d, largest, _: [part.take(range(k), d) for part in sort(x, d, largest)],
        ("N 3 5 !", 2, 2, True, True),
        ("3 5 !", 2, 0, False, True),
    ),
    "Trace": judged(np.trace, "3 5"),
    "Var": judged(spread(np.var), ("N 3 5", [1, 2], False, True), ("N 3 5", [1], True, False)),
    "VarCorrection": judged(spread(np.var), ("N 3 5", [1, 2], 2, True)),
    "VarMean": judged(beside_mean(np.var), ("N 3 5", [1, 2], 0, False), ("N 3 5", [1], 1, True)),
}  # fmt: skip
