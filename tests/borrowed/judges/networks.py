"""Judges of functions of neural networks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from .elementwise import each
from .judge import Judge, judged

STEP = 1e-30


def gradient(function: Callable[..., Any], grad: Any, of: int, *given: Any) -> Any:
    """Return the gradient of a function's sum, weighted, for one of its arguments.

    A step along the imaginary axis has no rounding error; the function must be analytic.
    """
    found = np.zeros(given[of].size)
    arguments = list(given)
    for k in range(found.size):
        moved = given[of].astype(complex)
        moved.flat[k] += STEP * 1j
        arguments[of] = moved
        found[k] = (grad * np.imag(function(*arguments))).sum() / STEP
    return found.reshape(given[of].shape)


def erf(x: Any) -> Any:
    """Return the error function."""
    return each(math.erf)(x)


def gelu(x: Any, form: int) -> Any:
    """Return GELU: exact, or with a hyperbolic tangent."""
    if form:
        return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return x / 2 * (1 + erf(x / math.sqrt(2)))


def softmax(x: Any, dim: int) -> Any:
    """Return exponentials divided by their sum."""
    e = np.exp(x)
    return e / e.sum(dim, keepdims=True)


def log_softmax(x: Any, dim: int) -> Any:
    """Return logarithms of `softmax`."""
    return x - np.log(np.exp(x).sum(dim, keepdims=True))


def geglu(x: Any, dim: int, form: int, left: bool = False) -> Any:
    """Return one half times GELU of the other, and the latter."""
    first, second = np.split(x, 2, dim)
    active = gelu(first if left else second, form)
    return (second if left else first) * active, active


def geglu_backward(grad: Any, x: Any, g: Any, dim: int, form: int) -> Any:
    """Return the gradient of the tanh form by complex steps; g is GELU of the second half."""
    linear, active = np.split(x, 2, dim)
    inner = gradient(lambda y: gelu(y, form), grad * linear, 0, active)
    return np.concatenate([grad * g, inner], dim)


def reduced(terms: Any, weights: Any, code: int) -> Any:
    """Return terms as they are, their weighted mean (1) or their sum (2)."""
    if code == 0:
        return terms
    return terms.sum() / (weights.sum() if code == 1 else 1)


def nll(x: Any, target: Any, weight: Any, code: int, ignore: int) -> Any:
    """Return the negative log likelihood loss, and the sum of weights."""
    weights = np.where(target == ignore, 0, weight[np.where(target == ignore, 0, target)])
    index = np.where(target == ignore, 0, target)
    picked = np.take_along_axis(x, index[:, None], 1)[:, 0]
    total = np.zeros(()) if code == 0 else weights.sum()
    return reduced(-picked * weights, weights, code), total


def nll_backward(
    grad: Any, x: Any, target: Any, weight: Any, code: int, ignore: int, _: Any
) -> Any:
    """Return the gradient of `nll`, which is linear."""
    return gradient(lambda y: nll(y, target, weight, code, ignore)[0], grad, 0, x)


def windows(x: Any, kernel: Sequence[int], stride: Any, dilation: Any) -> Any:
    """Return the element at each place of the kernel, for all windows."""
    axes = len(kernel)
    size = [
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(x.shape[-axes:], kernel, stride, dilation, strict=True)
    ]
    for place in product(*map(range, kernel)):
        key = [
            slice(p * d, p * d + s * (n - 1) + 1, s)
            for p, d, s, n in zip(place, dilation, stride, size, strict=True)
        ]
        yield place, x[(..., *key)]


def padded(x: Any, padding: Any, value: float = 0) -> Any:
    """Return data with borders."""
    axes = len(padding)
    widths = [(0, 0)] * (x.ndim - axes) + [(p, p) for p in padding]
    return np.pad(x, widths, constant_values=value)


def conv(x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, groups: int = 1) -> Any:
    """Return a convolution."""
    n, c = x.shape[:2]
    total: Any = 0
    for place, part in windows(padded(x, padding), w.shape[2:], stride, dilation):
        split = part.reshape(n, groups, c // groups, *part.shape[2:])
        weight = w[(..., *place)].reshape(groups, -1, c // groups)
        total = total + np.einsum("ngc...,goc->ngo...", split, weight)
    total = total.reshape(n, w.shape[0], *total.shape[3:])
    return total if b is None else total + b.reshape(-1, *[1] * (x.ndim - 2))


def convolution(
    x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any,
    transposed: bool, more: Any, groups: int, _: int,
) -> Any:  # fmt: skip
    """Return a convolution, or the transposed map of one."""
    if not transposed:
        return conv(x, w, b, stride, padding, dilation, groups)
    shape = [
        (n - 1) * s - 2 * p + d * (k - 1) + m + 1
        for n, s, p, d, k, m in zip(
            x.shape[2:], stride, padding, dilation, w.shape[2:], more, strict=True
        )
    ]
    start = np.zeros((x.shape[0], w.shape[1] * groups, *shape))
    y = gradient(lambda z: conv(z, w, None, stride, padding, dilation, groups), x, 0, start)
    return y if b is None else y + b.reshape(-1, *[1] * (x.ndim - 2))


def convolution_backward(
    grad: Any, x: Any, w: Any, sizes: Any, stride: Any, padding: Any, dilation: Any,
    transposed: bool, more: Any, groups: int, mask: Any, _: int,
) -> Any:  # fmt: skip
    """Return the gradients of a convolution."""

    def of(y: Any, v: Any) -> Any:
        return conv(y, v, None, stride, padding, dilation, groups)

    axes = (0, *range(2, x.ndim))
    return gradient(of, grad, 0, x, w), gradient(of, grad, 1, x, w), grad.sum(axes)


def conv_tbc(x: Any, w: Any, b: Any, pad: int, _: int = 0) -> Any:
    """Return a convolution over time, batch, channels."""
    y = conv(x.transpose(1, 2, 0), w.transpose(2, 1, 0), b, [1], [pad], [1])
    return y.transpose(2, 0, 1)


def conv_tbc_backward(grad: Any, x: Any, w: Any, b: Any, pad: int, _: int) -> Any:
    """Return the gradients of `conv_tbc`."""

    def of(y: Any, v: Any) -> Any:
        return conv_tbc(y, v, None, pad)

    return gradient(of, grad, 0, x, w), gradient(of, grad, 1, x, w), grad.sum((0, 1))


def avg_pool(
    x: Any, kernel: Any, stride: Any, padding: Any, ceil: bool, count: bool, divisor: int, *_: Any
) -> Any:
    """Return means over windows."""

    def sums(y: Any) -> Any:
        return sum(
            part for _, part in windows(padded(y, padding), kernel, stride, [1] * len(kernel))
        )

    if divisor:
        return sums(x) / divisor
    return sums(x) / (math.prod(kernel) if count else sums(np.ones(x.shape)))


def avg_pool_backward(grad: Any, x: Any, *rest: Any) -> Any:
    """Return the gradient of `avg_pool`, which is linear."""
    return gradient(lambda y: avg_pool(y, *rest), grad, 0, x)


def max_pool(x: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool) -> Any:
    """Return the largest element of each window, and its place in the plane."""
    places = np.arange(math.prod(x.shape[-len(kernel) :])).reshape(x.shape[-len(kernel) :])
    values = np.stack([p for _, p in windows(padded(x, padding, -100), kernel, stride, dilation)])
    where = np.stack([p for _, p in windows(padded(places, padding), kernel, stride, dilation)])
    best = values.argmax(0)
    index = np.take_along_axis(
        np.broadcast_to(
            where.reshape(len(where), *[1] * (x.ndim - len(kernel)), *where.shape[1:]), values.shape
        ),
        best[None],
        0,
    )
    return values.max(0), index[0]


def scattered(axes: int) -> Any:
    """Return what adds gradients at places of planes."""

    def backward(grad: Any, x: Any, places: Any, *_: Any) -> Any:
        found = np.zeros((math.prod(x.shape[:-axes]), math.prod(x.shape[-axes:])))
        for row, index, part in zip(
            found, places.reshape(len(found), -1), grad.reshape(len(found), -1), strict=True
        ):
            np.add.at(row, index, part)
        return found.reshape(x.shape)

    return backward


def adaptive(function: Any) -> Any:
    """Return what applies a function to parts of about the same size."""

    def pooled(x: Any, size: Any) -> Any:
        axes = len(size)
        out = np.zeros((*x.shape[:-axes], *size), x.dtype)
        for place in product(*map(range, size)):
            key = [
                slice(p * n // s, -(-(p + 1) * n // s))
                for p, n, s in zip(place, x.shape[-axes:], size, strict=True)
            ]
            part = x[(..., *key)]
            out[(..., *place)] = function(part, tuple(range(-axes, 0)))
        return out

    return pooled


def adaptive_max(x: Any, size: Any) -> Any:
    """Return the largest elements of parts, of which no two are equal, and their places."""
    values = adaptive(np.max)(x, size)
    axes = len(size)
    flat = x.reshape(*x.shape[:-axes], 1, -1)
    places = (flat == values.reshape(*x.shape[:-axes], -1, 1)).argmax(-1)
    return values, places.reshape(values.shape)


def normal(x: Any, axes: Any, eps: float) -> Any:
    """Return normalised data, means and factors."""
    mean = x.mean(axes, keepdims=True)
    factor = 1 / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + eps)
    return (x - mean) * factor, mean, factor


def layer_norm(x: Any, shape: Any, w: Any, b: Any, eps: float, *_: Any) -> Any:
    """Return the layer norm, means and factors."""
    y, mean, factor = normal(x, tuple(range(x.ndim - len(shape), x.ndim)), eps)
    y = y if w is None else y * w
    return y if b is None else y + b, mean, factor


def layer_norm_backward(
    grad: Any, x: Any, shape: Any, mean: Any, factor: Any, w: Any, b: Any, mask: Any
) -> Any:
    """Return the gradients of the layer norm with given means and factors."""
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    y, inner = (x - mean) * factor, grad * w
    of_x = factor * (
        inner - inner.mean(axes, keepdims=True) - y * (inner * y).mean(axes, keepdims=True)
    )
    rows = tuple(range(x.ndim - len(shape)))
    return of_x, (grad * y).sum(rows), grad.sum(rows)


def group_norm(x: Any, w: Any, b: Any, n: int, c: int, hw: int, groups: int, eps: float) -> Any:
    """Return the group norm, means and factors."""
    y, mean, factor = normal(x.reshape(n, groups, -1), -1, eps)
    column = (1, c, *[1] * (x.ndim - 2))
    return y.reshape(x.shape) * w.reshape(column) + b.reshape(column), mean[..., 0], factor[..., 0]


def group_norm_silu(x: Any, w: Any, b: Any, groups: int, eps: float, active: bool = True) -> Any:
    """Return SiLU of the group norm."""
    y, mean, factor = group_norm(x, w, b, *x.shape[:2], 0, groups, eps)
    return y / (1 + np.exp(-y)) if active else y, mean, factor


def batch_norm_backward(
    grad: Any,
    x: Any,
    w: Any,
    rm: Any,
    rv: Any,
    mean: Any,
    factor: Any,
    training: bool,
    eps: float,
    *_: Any,
) -> Any:
    """Return the gradients of the batch norm."""
    axes = (0, *range(2, x.ndim))
    column = (1, -1, *[1] * (x.ndim - 2))
    mean = (mean if training else rm).reshape(column)
    factor = (factor if training else 1 / np.sqrt(rv + eps)).reshape(column)
    y, inner = (x - mean) * factor, grad * w.reshape(column)
    of_x = inner
    if training:
        of_x = inner - inner.mean(axes, keepdims=True) - y * (inner * y).mean(axes, keepdims=True)
    return factor * of_x, (grad * y).sum(axes), grad.sum(axes)


def rms_norm(x: Any, w: Any, eps: float) -> Any:
    """Return the norm by the root of the mean square, and the factors."""
    axes = tuple(range(x.ndim - w.ndim, x.ndim))
    factor = 1 / np.sqrt((x * x).mean(axes, keepdims=True) + eps)
    return x * factor * w, factor


def rms_norm_backward(grad: Any, x: Any, factor: Any, w: Any) -> Any:
    """Return the gradients of the norm with given factors."""
    inner, axes = grad * w, tuple(range(x.ndim - w.ndim, x.ndim))
    of_x = factor * inner - x * factor**3 * (inner * x).mean(axes, keepdims=True)
    return of_x, (grad * x * factor).sum(tuple(range(x.ndim - w.ndim)))


def kl_div(x: Any, target: Any, code: int, log_target: bool) -> Any:
    """Return the Kullback-Leibler divergence."""
    terms = np.exp(target) * (target - x) if log_target else target * (np.log(target) - x)
    return reduced(terms, np.ones(x.shape), code)


def affine_grid(theta: Any, size: Any, corners: bool) -> Any:
    """Return where pixels of a picture lie in another."""

    def line(n: int) -> Any:
        found = np.linspace(-1, 1, n)
        return found if corners else found * (n - 1) / n

    rows, columns = np.meshgrid(line(size[2]), line(size[3]), indexing="ij")
    places = np.stack([columns, rows, np.ones(rows.shape)], -1)
    return np.einsum("hwk,nck->nhwc", places, theta)


def batch_norm(
    x: Any, w: Any, b: Any, rm: Any, rv: Any, training: bool, momentum: float, eps: float
) -> Any:
    """Return the running means and variances, the batch norm, means and factors."""
    axes, column = (0, *range(2, x.ndim)), (1, -1, *[1] * (x.ndim - 2))
    mean, var = (x.mean(axes), x.var(axes)) if training else (rm, rv)
    factor = 1 / np.sqrt(var + eps)
    y = (x - mean.reshape(column)) * (factor * w).reshape(column) + b.reshape(column)
    if training:
        unbiased = var * (x[:, 0].size / (x[:, 0].size - 1))
        rm, rv = rm + momentum * (mean - rm), rv + momentum * (unbiased - rv)
    return rm, rv, y, mean * training, factor * training


def group_norm_backward(
    grad: Any, x: Any, mean: Any, factor: Any, w: Any, n: int, c: int, hw: int, groups: int, *_: Any
) -> Any:
    """Return the gradients of the group norm with its own means and factors."""
    del mean, factor

    def of(y: Any, v: Any, b: Any) -> Any:
        return group_norm(y, v, b, n, c, hw, groups, 0)[0]

    given = (x, w, np.zeros(c))
    return tuple([gradient(of, grad, k, *given) for k in range(3)])


def bce_target_backward(grad: Any, x: Any, target: Any, w: Any, positive: Any, code: int) -> Any:
    """Return the gradient of the binary cross entropy for the target, by complex steps."""
    p = 1 / (1 + np.exp(-x))

    def loss(t: Any) -> Any:
        terms = t * np.log(p) * (1 if positive is None else positive) + (1 - t) * np.log(1 - p)
        return -terms * (1 if w is None else w) / (x.size if code == 1 else 1)

    return gradient(loss, grad, 0, target)


GROUPED = np.random.default_rng(3).integers(-8, 9, (2, 4, 3)) / 4


def data_of_groups(_: Any) -> Any:
    """Return the data of a group norm."""
    return GROUPED


def means_of_groups(_: Any) -> Any:
    """Return the means of their groups."""
    return GROUPED.reshape(2, 2, -1).mean(-1)


#: code of the type of quantised data
INT8 = 2


def factors_of_groups(_: Any) -> Any:
    """Return what their groups are multiplied by."""
    return 1 / GROUPED.reshape(2, 2, -1).std(-1)


def quantized(
    x: Any, scale: Any, offset: Any, squared: bool, mode: str, _: int, axis: int = -1
) -> Any:
    """Return data as integers of 8 bits."""
    shape = [-1 if k == axis % x.ndim else 1 for k in range(x.ndim)]
    value = x * scale.reshape(shape) ** (2 if squared else 1)
    value = value if offset is None else value + offset.reshape(shape)
    rounded = {"round": np.rint, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}[mode]
    return np.clip(rounded(value), -128, 127)


def quantized_rows(x: Any, smooth: Any) -> Any:
    """Return rows as integers of 8 bits, and their scales."""
    value = x if smooth is None else x * smooth
    scale = abs(value).max(-1) / 127
    return np.rint(value / np.where(scale, scale, 1)[..., None]), scale


def fake_quantized(x: Any, scale: Any, zero: Any, axis: Any, least: int, most: int) -> Any:
    """Return data rounded as if they were quantised, and which were not clamped."""
    shape = [-1 if k == axis else 1 for k in range(x.ndim)]
    scale, zero = scale.reshape(shape), zero.reshape(shape)
    steps = np.rint(x / scale) + zero
    return (np.clip(steps, least, most) - zero) * scale, (steps >= least) & (steps <= most)


def updated_scale(
    scale: Any, tracker: Any, found: Any, growth: float, backoff: float, interval: int
) -> Any:
    """Return a scale that grows after steps without infinities, and the number of those."""
    if found[0]:
        return scale * backoff, np.zeros_like(tracker)
    grows = tracker[0] + 1 == interval
    return scale * (growth if grows else 1), (tracker + 1) * (not grows)


def margins(x: Any, target: Any, code: int) -> Any:
    """Return the multilabel margin loss, and which classes are labels."""
    losses, marks = [], np.zeros(x.shape)
    for row, labels, mark in zip(x, target, marks, strict=True):
        end = np.flatnonzero(labels < 0)
        own = labels[: end[0]] if end.size else labels
        mark[own] = 1
        others = row[mark == 0]
        losses.append(sum(np.maximum(0, 1 - row[k] + others).sum() for k in own) / len(row))
    return reduced(np.array(losses), np.ones(len(x)), code), marks


NETWORKS: dict[str, Judge] = {
    "Softmax": judged(softmax, "N 3 5", 1).also("3 5", -1),
    "LogSoftmax": judged(log_softmax, "N 3 5", 1).also("3 5", -1),
    "SoftmaxBackward": judged(
        lambda g, y, d: y * (g - (g * y).sum(d, keepdims=True)), "N 3 5", "N 3 5", 1
    ),
    "LogSoftmaxBackward": judged(
        lambda g, y, d: g - np.exp(y) * g.sum(d, keepdims=True), "N 3 5", "N 3 5", 1
    ),
    "SoftmaxCrossEntropyWithLogits": judged(
        lambda x, p: (
            -(p * log_softmax(x, -1)).sum(-1),
            softmax(x, -1) * p.sum(-1, keepdims=True) - p,
        ),
        "N 5",
        "N 5",
    ),
    "GeGlu": judged(geglu, "N 3 4", 2, 1).also("4 3", 0, 0),
    "GeGluV3": judged(geglu, "N 3 4", 2, 1, True).also("4 3", 0, 0, False),
    "GeGluBackward": judged(geglu_backward, "2 3 2", "2 3 4", "2 3 2", 2, 1),
    "GeluMul": judged(
        lambda x, form: geglu(x, -1, int(form == "tanh"), True)[0], "N 3 4", "tanh"
    ).also("3 4", None),
    "NLLLoss": judged(nll, "4 5", "4 <5", "5 +", 1, -100)
    .also("4 5", "4 <5", "5 +", 0, 2)
    .also("4 5", "4 <5", "5 +", 2, 2),
    "NLLLossBackward": judged(nll_backward, "", "4 5", "4 <5", "5 +", 2, 2, "").also(
        "4", "4 5", "4 <5", "5 +", 0, -100, ""
    ),
    "NLLLoss2d": judged(nll, "2 5 3 4", "2 3 4 <5", "5 +", 1, -100).also(
        "2 5 3 4", "2 3 4 <5", "5 +", 0, 2
    ),
    "NLLLoss2dBackward": judged(nll_backward, "", "2 5 3 2", "2 3 2 <5", "5 +", 2, 2, ""),
    "MseLossOut": judged(
        lambda x, y, code: reduced((x - y) ** 2, np.ones(x.shape), code), "3 5", "3 5", 1
    )
    .also("3 5", "3 5", 0)
    .also("3 5", "3 5", 2),
    "KlDiv": judged(kl_div, "3 5", "3 5 +", 1, False)
    .also("3 5", "3 5", 2, True)
    .also("3 5", "3 5 +", 0, False),
    "Convolution": judged(
        convolution, "2 4 5 6", "6 2 2 3", "6", [2, 1], [1, 0], [1, 2], False, [0, 0], 2, 0
    )
    .also("2 3 7", "4 3 3", None, [2], [1], [1], False, [0], 1, 1)
    .also("1 2 3 2", "2 3 2 2", "3", [2, 1], [0, 1], [1, 1], True, [1, 0], 1, 0)
    .also("1 2 3 4 3", "2 2 2 1 2", "2", [1, 2, 1], [0, 0, 1], [1, 1, 1], False, [0, 0, 0], 1, 0),
    "ConvolutionBackward": judged(
        convolution_backward,
        "1 4 2 3",
        "1 2 3 4",
        "4 1 2 2",
        [4],
        [1, 1],
        [0, 0],
        [1, 1],
        False,
        [0, 0],
        2,
        [True, True, True],
        0,
    ),
    "ConvDepthwise2d": judged(
        lambda x, w, k, b, s, p, d, _: conv(x, w, b, s, p, d, x.shape[1]),
        "2 3 5 6",
        "6 1 2 3",
        [2, 3],
        "6",
        [2, 1],
        [1, 0],
        [1, 1],
        0,
    ),
    "ConvTbc": judged(conv_tbc, "5 2 3", "2 3 4", "4", 1, 0),
    "ConvTbcBackward": judged(conv_tbc_backward, "6 2 4", "5 2 3", "2 3 4", "4", 1, 0),
    "AvgPool2d": judged(avg_pool, "N 3 5 6", [2, 3], [2, 1], [1, 0], False, True, 0, 0)
    .also("2 3 5 6", [2, 3], [2, 1], [1, 1], False, False, 0, 0)
    .also("2 3 5 6", [2, 3], [1, 2], [0, 0], False, True, 5, 0),
    "AvgPool3d": judged(
        avg_pool, "N 3 4 5 6", [2, 2, 3], [2, 1, 1], [1, 0, 1], False, True, 0
    ).also("2 3 4 5 6", [2, 2, 3], [2, 1, 1], [1, 0, 1], False, False, 7),
    "AvgPool2dBackward": judged(
        avg_pool_backward, "1 2 3 3", "1 2 4 5", [2, 3], [2, 1], [1, 0], False, False, 0, 0
    ).also("1 2 3 3", "1 2 4 5", [2, 3], [2, 1], [1, 0], False, True, 4, 0),
    "AvgPool3dBackward": judged(
        avg_pool_backward, "1 1 2 2 2", "1 1 3 4 3", [2, 2, 2], [1, 2, 1], [0, 0, 0], False, True, 0
    ),
    "MaxPool2dWithIndices": judged(
        max_pool, "2 3 5 6 !", [2, 3], [2, 1], [1, 1], [1, 2], False
    ).also("3 5 6 !", [2, 2], [2, 1], [0, 0], [1, 1], False),
    "MaxPool3dWithArgmax": judged(
        max_pool, "1 2 4 5 3 !", [2, 3, 2], [2, 1, 1], [1, 1, 0], [1, 1, 1], False
    ),
    "MaxPool2dWithIndicesBackward": judged(
        scattered(2), "2 3 2 3", "2 3 4 6", "2 3 2 3 <24", [2, 2], [2, 2], [0, 0], [1, 1], False
    ),
    "MaxPool3dWithArgmaxBackward": judged(
        scattered(3),
        "1 2 2 2 1",
        "1 2 4 4 2",
        "1 2 2 2 1 <32",
        [2, 2, 2],
        [2, 2, 2],
        [0, 0, 0],
        [1, 1, 1],
        False,
    ),
    "MaxUnpool2dBackward": judged(
        lambda g, x, i, size: np.take_along_axis(
            g.reshape(*g.shape[:-2], -1), i.reshape(*i.shape[:-2], -1), -1
        ).reshape(i.shape),
        "2 3 4 5",
        "2 3 2 2",
        "2 3 2 2 <20",
        [4, 5],
    ),
    "MaxUnpool3dBackward": judged(
        lambda g, x, i, size, *_: np.take_along_axis(
            g.reshape(*g.shape[:-3], -1), i.reshape(*i.shape[:-3], -1), -1
        ).reshape(i.shape),
        "2 3 4 2 4",
        "2 3 2 1 2",
        "2 3 2 1 2 <32",
        [4, 2, 4],
        [2, 2, 2],
        [0, 0, 0],
    ),
    "AdaptiveAvgPool2d": judged(adaptive(np.mean), "N 3 5 7", [2, 3]),
    "AdaptiveAvgPool3d": judged(adaptive(np.mean), "N 3 4 5 7", [2, 2, 3]),
    "AdaptiveAvgPool2dBackward": judged(
        lambda g, x: gradient(lambda y: adaptive(np.mean)(y, g.shape[-2:]), g, 0, x),
        "1 2 2 3",
        "1 2 5 4",
    ),
    "AdaptiveAvgPool3dBackward": judged(
        lambda g, x: gradient(lambda y: adaptive(np.mean)(y, g.shape[-3:]), g, 0, x),
        "1 1 2 2 2",
        "1 1 3 4 3",
    ),
    "AdaptiveMaxPool2d": judged(adaptive_max, "2 2 5 6 !", [2, 3]),
    "AdaptiveMaxPool3d": judged(adaptive_max, "1 2 4 5 3 !", [2, 3, 2]),
    "AdaptiveMaxPool2dBackward": judged(scattered(2), "2 3 2 3", "2 3 4 6", "2 3 2 3 <24"),
    "AdaptiveMaxPool3dBackward": judged(scattered(3), "1 2 2 2 1", "1 2 4 4 2", "1 2 2 2 1 <32"),
    **dict.fromkeys(
        ("LayerNorm", "FastLayerNorm"),
        judged(layer_norm, "N 3 5", [5], "5", "5", 1e-3).also("4 3 5", [3, 5], None, None, 1e-5),
    ),
    "LayerNormWithImplMode": judged(layer_norm, "N 3 5", [5], "5", "5", 1e-3, 0),
    "LayerNormBackward": judged(
        layer_norm_backward, "2 3 5", "2 3 5", [5], "2 3 1", "2 3 1 +", "5", "5", [True, True, True]
    ),
    "AddLayerNorm": judged(
        lambda a, b, w, v, c, eps, _: (
            *layer_norm(a + b + (0 if c is None else c), w.shape, w, v, eps),
            a + b + (0 if c is None else c),
        ),
        "N 3 5",
        "N 3 5",
        "5",
        "5",
        "5",
        1e-3,
        True,
    ).also("3 5", "3 5", "5", "5", None, 1e-3, True),
    "DeepNorm": judged(
        lambda x, y, v, w, alpha, eps: (lambda r: (r[1], r[2], r[0]))(
            layer_norm(x * alpha + y, w.shape, w, v, eps)
        ),
        "N 3 5",
        "N 3 5",
        "5",
        "5",
        0.5,
        1e-3,
    ),
    "GroupNorm": judged(group_norm, "2 6 4", "6", "6", 2, 6, 4, 3, 1e-3).also(
        "2 6 4 3", "6", "6", 2, 6, 12, 2, 1e-3
    ),
    "GroupNormSilu": judged(group_norm_silu, "2 6 4", "6", "6", 3, 1e-3),
    "GroupNormSiluV2": judged(group_norm_silu, "2 6 4 3", "6", "6", 3, 1e-3, True).also(
        "2 6 4", "6", "6", 3, 1e-3, False
    ),
    "BatchNormBackward": judged(
        batch_norm_backward,
        "3 4 5",
        "3 4 5",
        "4",
        "4",
        "4 +",
        "4",
        "4 +",
        True,
        1e-3,
        [True, True, True],
    ),
    "BatchNormStats": judged(
        lambda x, eps: [part.reshape(-1) for part in normal(x, (0, 2), eps)[1:]], "3 4 5", 1e-3
    ),
    "BatchNormElemt": judged(
        lambda x, w, b, m, f, eps: (x - m[:, None]) * f[:, None] * w[:, None] + b[:, None],
        "N 4 5",
        "4",
        "4",
        "4",
        "4 +",
        1e-3,
    ),
    "RmsNorm": judged(rms_norm, "N 3 5", "5", 1e-3).also("4 3 5", "3 5", 1e-3),
    "GemmaRmsNorm": judged(lambda x, w, eps: rms_norm(x, 1 + w, eps), "N 3 5", "5", 1e-3),
    "AddRmsNorm": judged(
        lambda a, b, w, eps: (*rms_norm(a + b, w, eps), a + b), "N 3 5", "N 3 5", "5", 1e-3
    ),
    "InplaceAddRmsNorm": judged(
        lambda a, b, w, eps: (rms_norm(a + b, w, eps)[0], a + b, rms_norm(a + b, w, eps)[1]),
        "N 3 5",
        "N 3 5",
        "5",
        1e-3,
    ),
    "RmsNormGrad": judged(rms_norm_backward, "4 3 5", "4 3 5", "4 3 1 +", "5"),
    "Modulate": judged(lambda x, s, t: x * (1 + s[:, None]) + t[:, None], "N 3 5", "N 5", "N 5"),
    "AffineGrid": judged(affine_grid, "2 2 3", [2, 1, 3, 4], True).also(
        "2 2 3", [2, 1, 3, 4], False
    ),
    "StridedSlice": judged(
        lambda x, a, b, s, m, n, *_: x[
            tuple(
                slice(None if m >> k & 1 else p, None if n >> k & 1 else q, r)
                for k, (p, q, r) in enumerate(zip(a, b, s, strict=True))
            )
        ],
        "5 6 7",
        [1, 2],
        [4, 5],
        [2, 1],
        2,
        1,
        0,
        0,
        0,
    ),
    "BatchNorm": judged(batch_norm, "3 4 5", "4", "4", "4", "4 +", True, 0.1, 1e-3).also(
        "3 4 5", "4", "4", "4", "4 +", False, 0.1, 1e-3
    ),
    "AddRmsNormCast": judged(
        lambda a, b, w, eps: (rms_norm(a + b, w, eps)[0], *rms_norm(a + b, w, eps), a + b),
        "N 3 5",
        "N 3 5",
        "5",
        1e-3,
    ),
    "FastBatchNormBackward": judged(
        batch_norm_backward,
        "3 4 5",
        "3 4 5",
        "4",
        "4",
        "4 +",
        "4",
        "4 +",
        True,
        1e-3,
        [True, True, True],
        0,
    ),
    "GroupNormBackward": judged(
        group_norm_backward,
        "2 4 3",
        data_of_groups,
        means_of_groups,
        factors_of_groups,
        "4",
        2,
        4,
        3,
        2,
        [True, True, True],
    ),
    "AdaLayerNorm": judged(
        lambda x, s, t, w, b, eps: layer_norm(x, [5], w, b, eps)[0] * (1 + s[:, None]) + t[:, None],
        "N 3 5",
        "N 5",
        "N 5",
        "5",
        "5",
        1e-3,
    ).also("N 3 5", "N 5", "N 5", None, None, 1e-3),
    "BinaryCrossEntropyWithLogitsTargetBackward": judged(
        bce_target_backward, "3 5", "3 5", "3 5", "5", "5 +", 1
    ).also("3 5", "3 5", "3 5", None, None, 0),
    "AscendQuant": judged(quantized, "N 3 4", "4 +", "4", False, "round", INT8)
    .also("N 4", "1 +", None, True, "floor", INT8)
    .also("N 4", "1 +", "1", False, "ceil", INT8)
    .also(lambda rng: rng.uniform(-200, 200, (5, 6)), "6 +", "6", False, "trunc", INT8),
    "AscendQuantV3": judged(quantized, "N 3 4", "4 +", "4", False, "round", INT8, -1)
    .also("N 3 4", "3 +", "3", True, "round", INT8, 1)
    .also("N 4", "1 +", None, False, "trunc", INT8, -1),
    "DynamicQuant": judged(quantized_rows, "N 3 5", "5")
    .also("N 6", None)
    .also(lambda _: np.zeros((2, 3)), None),
    "FakeQuantPerChannelAffineCachemask": judged(fake_quantized, "3 4 5", "4 +", "4 <3", 1, -3, 4),
    "FakeQuantPerTensorAffineCachemask": judged(
        lambda x, scale, zero, on, least, most: fake_quantized(x, scale, zero, -1, least, most),
        "3 4 5",
        "1 +",
        "1 <3",
        1.0,
        -3,
        4,
    ),
    "AmpUpdateScale": judged(
        updated_scale, lambda _: [8], lambda _: [2], lambda _: [0], 2.0, 0.5, 3
    )
    .also(lambda _: [8], lambda _: [1], lambda _: [0], 2.0, 0.5, 3)
    .also(lambda _: [8], lambda _: [2], lambda _: [1], 2.0, 0.5, 3),
    "MultilabelMarginLoss": judged(
        margins, "3 4", lambda _: [[1, 3, -1, 0], [0, -1, 2, 3], [2, 0, 1, -1]], 1
    )
    .also("2 4", lambda _: [[1, 3, -1, 0], [0, -1, 2, 3]], 0)
    .also("2 4", lambda _: [[1, 3, -1, 0], [0, -1, 2, 3]], 2),
}
