"""Judges of convolutions and pooling."""

import math
from itertools import product

import numpy as np

from .judge import Judge, backward, gradient, judged


def windows(x, kernel, stride, dilation):
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


def padded(x, padding, value=0, more=None):
    """Return data with borders, which may be wider at the ends."""
    pairs = zip(padding, more or [0] * len(padding), strict=True)
    widths = [(0, 0)] * (x.ndim - len(padding)) + [(p, p + q) for p, q in pairs]
    return np.pad(x, widths, constant_values=value)


def conv(x, w, b, stride, padding, dilation, groups=1):
    n, c = x.shape[:2]
    total = 0
    for place, part in windows(padded(x, padding), w.shape[2:], stride, dilation):
        split = part.reshape(n, groups, c // groups, *part.shape[2:])
        weight = w[(..., *place)].reshape(groups, -1, c // groups)
        total = total + np.einsum("ngc...,goc->ngo...", split, weight)
    total = total.reshape(n, w.shape[0], *total.shape[3:])
    return total if b is None else total + b.reshape(-1, *[1] * (x.ndim - 2))


def convolution(x, w, b, stride, padding, dilation, transposed, more, groups, _):
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


def gradients(function, grad, x, w, axes):
    """Return the gradients of a convolution for data, weight and a bias."""
    return gradient(function, grad, 0, x, w), gradient(function, grad, 1, x, w), grad.sum(axes)


def convolution_backward(grad, x, w, _, *geometry):
    stride, padding, dilation, _, _, groups, *_ = geometry
    axes = (0, *range(2, x.ndim))
    return gradients(
        lambda y, v: conv(y, v, None, stride, padding, dilation, groups), grad, x, w, axes
    )


def conv_tbc(x, w, b, pad, _=0):
    y = conv(x.transpose(1, 2, 0), w.transpose(2, 1, 0), b, [1], [pad], [1])
    return y.transpose(2, 0, 1)


def conv_tbc_backward(grad, x, w, b, pad, _):
    return gradients(lambda y, v: conv_tbc(y, v, None, pad), grad, x, w, (0, 1))


def avg_pool(x, kernel, stride, padding, ceil, count, divisor, *_):
    def sums(y):
        parts = windows(padded(y, padding), kernel, stride, [1] * len(kernel))
        return sum(part for _, part in parts)

    if divisor:
        return sums(x) / divisor
    return sums(x) / (math.prod(kernel) if count else sums(np.ones(x.shape)))


def max_pool(x, kernel, stride, padding, dilation, ceil):
    """Return the largest element of each window, and its place in the plane."""
    places = np.arange(math.prod(x.shape[-len(kernel) :])).reshape(x.shape[-len(kernel) :])
    more = [step - 1 if ceil else 0 for step in stride]
    values, where = (
        np.stack([p for _, p in windows(padded(y, padding, low, more), kernel, stride, dilation)])
        for y, low in ((x, -100), (places, 0))
    )
    best = values.argmax(0)
    where = where.reshape(len(where), *[1] * (x.ndim - len(kernel)), *where.shape[1:])
    index = np.take_along_axis(np.broadcast_to(where, values.shape), best[None], 0)
    return values.max(0), index[0]


def plane_max(x, kernel, strides, _, pads, dilations, ceil):
    """Return maxima over windows of a plane, whose numbers are of one axis or of both."""
    pairs = [(*each, *each)[:2] for each in (kernel, strides or kernel, pads or [0])]
    return max_pool(x, *pairs, [1, 1], ceil)[0]


def scattered(axes):
    """Return what adds gradients at places of planes."""

    def backward(grad, x, places, *_):
        found = np.zeros((math.prod(x.shape[:-axes]), math.prod(x.shape[-axes:])))
        rows = np.arange(len(found))[:, None]
        np.add.at(found, (rows, places.reshape(len(found), -1)), grad.reshape(len(found), -1))
        return found.reshape(x.shape)

    return backward


def adaptive(function):
    """Return what applies a function to parts of about the same size."""

    def pooled(x, size):
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


def adaptive_max(x, size):
    """Return the largest elements of parts, of which no two are equal, and their places."""
    values = adaptive(np.max)(x, size)
    axes = len(size)
    flat = x.reshape(*x.shape[:-axes], 1, -1)
    places = (flat == values.reshape(*x.shape[:-axes], -1, 1)).argmax(-1)
    return values, places.reshape(values.shape)


def adaptive_mean_backward(grad, x):
    """Return the gradient of means of parts, of all axes but two."""
    return gradient(adaptive(np.mean), grad, 0, x, grad.shape[2:])


CONVOLUTIONS: dict[str, Judge] = {
    "Convolution": judged(convolution,
        ("2 4 5 6, 6 2 2 3, 6", [2, 1], [1, 0], [1, 2], False, [0, 0], 2, 0),
        ("2 3 7, 4 3 3", None, [2], [1], [1], False, [0], 1, 1),
        ("1 2 3 2, 2 3 2 2, 3", [2, 1], [0, 1], [1, 1], True, [1, 0], 1, 0),
        ("1 2 3 4 3, 2 2 2 1 2, 2", [1, 2, 1], [0, 0, 1], [1, 1, 1], False, [0, 0, 0], 1, 0)),
    "ConvolutionBackward": judged(
        convolution_backward,
        ("1 4 2 2, 1 2 3 4, 4 1 2 2", [4], [2, 1], [1, 0], [1, 2], False, [0, 0], 2, [True] * 3, 0),
    ),
    "ConvDepthwise2d": judged(lambda x, w, k, b, s, p, d, _: conv(x, w, b, s, p, d, x.shape[1]),
        ("2 3 5 6, 6 1 2 3", [2, 3], "6", [2, 1], [1, 0], [1, 1], 0)),
    "ConvTbc": judged(conv_tbc, ("5 2 3, 2 3 4, 4", 1, 0)),
    "ConvTbcBackward": judged(conv_tbc_backward, ("6 2 4, 5 2 3, 2 3 4, 4", 1, 0)),
    "AvgPool2d": judged(avg_pool, ("N 3 5 6", [2, 3], [2, 1], [1, 0], False, True, 0, 0),
        ("2 3 5 6", [2, 3], [2, 1], [1, 1], False, False, 0, 0),
        ("2 3 5 6", [2, 3], [1, 2], [0, 0], False, True, 5, 0)),
    "AvgPool3d": judged(avg_pool, ("N 3 4 5 6", [2, 2, 3], [2, 1, 1], [1, 0, 1], False, True, 0),
        ("2 3 4 5 6", [2, 2, 3], [2, 1, 1], [1, 0, 1], False, False, 7)),
    "AvgPool2dBackward": judged(backward(avg_pool),
        ("1 2 3 3, 1 2 4 5", [2, 3], [2, 1], [1, 0], False, False, 0, 0),
        ("1 2 3 3, 1 2 4 5", [2, 3], [2, 1], [1, 0], False, True, 4, 0)),
    "AvgPool3dBackward": judged(backward(avg_pool),
        ("1 1 2 2 2, 1 1 3 4 3", [2, 2, 2], [1, 2, 1], [0, 0, 0], False, True, 0)),
    "MaxPool": judged(plane_max, ("2 3 5 6", [2, 3], [2, 1], 0, [1, 0], [1, 1], 0),
        ("3 5 7", [2, 3], [], 0, [], [], 1), ("2 3 5 8", [3], [2], 0, [1, 1, 1, 1], [1], 1),
        ("2 3 6 5", [2], [3, 2], 0, [1], [], 0)),
    "MaxPool2dWithIndices": judged(max_pool, ("2 3 5 6 !", [2, 3], [2, 1], [1, 1], [1, 2], False),
        ("3 5 6 !", [2, 2], [2, 1], [0, 0], [1, 1], True)),
    "MaxPool3dWithArgmax": judged(max_pool,
        ("1 2 4 5 3 !", [2, 3, 2], [2, 1, 1], [1, 1, 0], [1, 1, 1], False),
        ("1 1 5 5 3 !", [2, 3, 2], [2, 1, 1], [0, 1, 0], [1, 2, 1], True)),
    "MaxPool2dWithIndicesBackward": judged(scattered(2),
        ("2 3 2 3, 2 3 4 6, 2 3 2 3 <24", [2, 2], [2, 2], [0, 0], [1, 1], False)),
    "MaxPool3dWithArgmaxBackward": judged(scattered(3),
        ("1 2 2 2 1, 1 2 4 4 2, 1 2 2 2 1 <32", [2, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1], False)),
    "AdaptiveAvgPool2d": judged(adaptive(np.mean), ("N 3 5 7", [2, 3])),
    "AdaptiveAvgPool3d": judged(adaptive(np.mean), ("N 3 4 5 7", [2, 2, 3])),
    "AdaptiveAvgPool2dBackward": judged(adaptive_mean_backward, "1 2 2 3, 1 2 5 4"),
    "AdaptiveAvgPool3dBackward": judged(adaptive_mean_backward, "1 1 2 2 2, 1 1 3 4 3"),
    "AdaptiveMaxPool2d": judged(adaptive_max, ("2 2 5 6 !", [2, 3])),
    "AdaptiveMaxPool3d": judged(adaptive_max, ("1 2 4 5 3 !", [2, 3, 2])),
    "AdaptiveMaxPool2dBackward": judged(scattered(2), "2 3 2 3, 2 3 4 6, 2 3 2 3 <24"),
    "AdaptiveMaxPool3dBackward": judged(scattered(3), "1 2 2 2 1, 1 2 4 4 2, 1 2 2 2 1 <32"),
}  # fmt: skip
