"""Judges of normalisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from .judge import Judge, gradient, judged


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
    w, b = np.ones(c) if w is None else w, np.zeros(c) if b is None else b
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


def swish(y: Any, scale: float) -> Any:
    """Return y·sigmoid(scale·y)."""
    return y / (1 + np.exp(-scale * y))


def group_norm_swish(
    x: Any, w: Any, b: Any, groups: int, _: Any, eps: float, active: bool, scale: float
) -> Any:
    """Return the group norm, active or not."""
    y, mean, factor = group_norm(x, w, b, *x.shape[:2], 0, groups, eps)
    return swish(y, scale) if active else y, mean, factor


def group_norm_swish_backward(
    grad: Any, mean: Any, factor: Any, x: Any, w: Any, b: Any, groups: int, _: Any, scale: float,
    of_w: bool, of_b: bool,
) -> Any:  # fmt: skip
    """Return the gradients of the active group norm with its own means and factors."""
    del mean, factor

    def of(y: Any, v: Any, c: Any) -> Any:
        return swish(group_norm(y, v, c, *y.shape[:2], 0, groups, 0)[0], scale)

    wanted = (True, of_w, of_b)
    return tuple([gradient(of, grad, k, x, w, b) if wanted[k] else None for k in range(3)])


def deep_norm_backward(
    grad: Any, x: Any, other: Any, w: Any, mean: Any, factor: Any, alpha: float
) -> Any:
    """Return the gradients of the layer norm of α·x + y with given means and factors."""
    total = x * alpha + other
    inner, of_w, of_b = layer_norm_backward(grad, total, w.shape, mean, factor, w, None, None)
    return inner * alpha, inner, of_b, of_w


def batch_norm_reduce_backward(
    grad: Any, x: Any, mean: Any, factor: Any, _: Any, of_x: bool, of_w: bool, of_b: bool
) -> Any:
    """Return sums over each channel."""
    rows = [
        (g.sum(), (g * (y - m)).sum(), (g * (y - m)).sum() * f, g.sum())
        for g, y, m, f in zip(grad.swapaxes(0, 1), x.swapaxes(0, 1), mean, factor, strict=True)
    ]
    wanted = (of_x, of_x, of_w, of_b)
    return [
        np.array(each) if w else None
        for each, w in zip(zip(*rows, strict=True), wanted, strict=True)
    ]


def gathered(
    _: Any, mean: Any, factor: Any, rm: Any, rv: Any, momentum: float, eps: float, counts: Any
) -> Any:
    """Return running means and variances, means and factors, one device after the other."""
    count, total, spread = 0.0, 0.0, 0.0
    for m, f, n in zip(mean, factor, counts, strict=True):
        spread = spread + (1 / f**2 - eps) * n + (total - m) ** 2 * n * count / (n + count)
        total, count = (total * count + m * n) / (n + count), count + n
    return (
        None if rm is None else rm + momentum * (total - rm),
        None if rv is None else rv + momentum * (spread / (count - 1) - rv),
        total,
        1 / np.sqrt(spread / count + eps),
    )


def gathered_sums(
    sums: Any, squares: Any, counts: Any, rm: Any, rv: Any, momentum: float, eps: float
) -> Any:
    """Return running means and variances, means and factors, from sums of each device."""
    count = counts.sum()
    mean = sums.sum(0) / count
    var = squares.sum(0) / count - mean**2
    unbiased = var * count / (count - 1)
    moved = rm + momentum * (mean - rm), rv + momentum * (unbiased - rv)
    return *moved, mean, 1 / np.sqrt(var + eps)


GROUPED = np.random.default_rng(3).integers(-8, 9, (3, 4, 5)) / 4


#: a gradient; means, factors and data of a group norm of two groups
GROUPS = (
    "3 4 5",
    lambda _: GROUPED.reshape(3, 2, -1).mean(-1),
    lambda _: 1 / GROUPED.reshape(3, 2, -1).std(-1),
    lambda _: GROUPED,
)
#: tensors of the gradient of a batch norm
BATCHES = "3 4 5, 3 4 5, 4, 4, 4 +, 4, 4 +"


NORMALIZATION: dict[str, Judge] = {
    **dict.fromkeys(
        ("LayerNorm", "FastLayerNorm"),
        judged(layer_norm, "N 3 5", [5], "5, 5", 1e-3).also("4 3 5", [3, 5], None, None, 1e-5),
    ),
    "LayerNormWithImplMode": judged(layer_norm, "N 3 5", [5], "5, 5", 1e-3, 0),
    "LayerNormBackward": judged(
        layer_norm_backward, "2 3 5, 2 3 5", [5], "2 3 1, 2 3 1 +, 5, 5", [True, True, True]
    ),
    "AddLayerNorm": judged(
        lambda a, b, w, v, c, eps, _: (
            *layer_norm(a + b + (0 if c is None else c), w.shape, w, v, eps),
            a + b + (0 if c is None else c),
        ),
        "N 3 5, N 3 5, 5, 5, 5",
        1e-3,
        True,
    ).also("3 5, 3 5, 5, 5", None, 1e-3, True),
    "AddLayerNormGrad": judged(
        lambda g, a, b, f, m, w, s: (lambda r: (r[0] + (0 if s is None else s), *r[1:]))(
            layer_norm_backward(g, a + b, w.shape, m, f, w, None, None)
        ),
        "2 3 5, 2 3 5, 2 3 5, 2 3 1 +, 2 3 1, 5, 2 3 5",
    ).also("4 3 5, 4 3 5, 4 3 5, 4 1 1 +, 4 1 1, 3 5", None),
    "DeepNormGrad": judged(deep_norm_backward, "2 3 5, 2 3 5, 2 3 5, 5, 2 3 1, 2 3 1 +", 0.5),
    "DeepNorm": judged(
        lambda x, y, v, w, alpha, eps: (lambda r: (r[1], r[2], r[0]))(
            layer_norm(x * alpha + y, w.shape, w, v, eps)
        ),
        "N 3 5, N 3 5, 5, 5",
        0.5,
        1e-3,
    ),
    "GroupNorm": judged(group_norm, "2 6 4, 6, 6", 2, 6, 4, 3, 1e-3).also(
        "2 6 4 3", None, None, 2, 6, 12, 2, 1e-3
    ),
    "GroupNormSilu": judged(group_norm_silu, "2 6 4, 6, 6", 3, 1e-3).also(
        "2 6 4", None, "6", 3, 1e-3
    ),
    "GroupNormSiluV2": judged(group_norm_silu, "2 6 4 3, 6, 6", 3, 1e-3, True).also(
        "2 6 4, 6, 6", 3, 1e-3, False
    ),
    **{
        name: judged(batch_norm_backward, BATCHES, True, 1e-3, [True, True, True], *version).also(
            BATCHES, False, 1e-3, [True, True, True], *version
        )
        for name, version in {"BatchNormBackward": (), "FastBatchNormBackward": (0,)}.items()
    },
    "GroupNormSwish": judged(group_norm_swish, "2 6 4, 6, 6", 3, "NCHW", 1e-3, True, 1.5).also(
        "2 6 4 3, 6, 6", 2, None, 1e-3, False, 1.0
    ),
    "GroupNormSwishGrad": judged(
        group_norm_swish_backward, *GROUPS, "4, 4", 2, "NCHW", 1.5, True, True
    ).also(*GROUPS, "4, 4", 2, None, 0.5, True, False),
    "BatchNormReduce": judged(
        lambda x: [
            y.reshape(x.shape[1], -1).sum(1) for y in (x.swapaxes(0, 1), x.swapaxes(0, 1) ** 2)
        ],
        "3 4 5",
    )
    .also("N 4")
    .also("2 3 4 5"),
    "BatchNormReduceBackward": judged(
        batch_norm_reduce_backward, "3 4 5, 3 4 5, 4, 4 +, 4", True, True, True
    )
    .also("2 3 4 5, 2 3 4 5, 3, 3 +", None, False, True, False)
    .also("3 4, 3 4, 4, 4 +", None, True, False, True),
    "BatchNormGatherStatsWithCounts": judged(
        gathered,
        "2 4 5, 3 4",
        lambda rng: rng.uniform(0.5, 2, (3, 4)),
        "4, 4 +",
        0.1,
        1e-3,
        lambda _: [3, 1, 5],
    ).also(
        "2 3 5, 2 3",
        lambda rng: rng.uniform(0.5, 2, (2, 3)),
        None,
        None,
        0.3,
        1e-3,
        lambda _: [4, 6],
    ),
    "SyncBatchNormGatherStats": judged(
        gathered_sums,
        "2 3",
        lambda rng: rng.uniform(40, 50, (2, 3)),
        lambda _: [3, 4],
        "3, 3 +",
        0.25,
        1e-3,
    ),
    "BatchNormStats": judged(
        lambda x, eps: [part.reshape(-1) for part in normal(x, (0, 2), eps)[1:]], "3 4 5", 1e-3
    ),
    "BatchNormElemt": judged(
        lambda x, w, b, m, f, eps: (
            (x - m[:, None]) * f[:, None] * (1 if w is None else w[:, None])
            + (0 if b is None else b[:, None])
        ),
        "N 4 5, 4, 4, 4, 4 +",
        1e-3,
    ).also("3 4 5", None, None, "4, 4 +", 1e-3),
    "RmsNorm": judged(rms_norm, "N 3 5, 5", 1e-3).also("4 3 5, 3 5", 1e-3),
    "GemmaRmsNorm": judged(lambda x, w, eps: rms_norm(x, 1 + w, eps), "N 3 5, 5", 1e-3),
    "AddRmsNorm": judged(
        lambda a, b, w, eps: (*rms_norm(a + b, w, eps), a + b), "N 3 5, N 3 5, 5", 1e-3
    ),
    "InplaceAddRmsNorm": judged(
        lambda a, b, w, eps: (rms_norm(a + b, w, eps)[0], a + b, rms_norm(a + b, w, eps)[1]),
        "N 3 5, N 3 5, 5",
        1e-3,
    ),
    "RmsNormGrad": judged(rms_norm_backward, "4 3 5, 4 3 5, 4 3 1 +, 5"),
    "Modulate": judged(lambda x, s, t: x * (1 + s[:, None]) + t[:, None], "N 3 5, N 5, N 5"),
    "BatchNorm": judged(batch_norm, "3 4 5, 4, 4, 4, 4 +", True, 0.1, 1e-3).also(
        "3 4 5, 4, 4, 4, 4 +", False, 0.1, 1e-3
    ),
    "AddRmsNormCast": judged(
        lambda a, b, w, eps: (rms_norm(a + b, w, eps)[0], *rms_norm(a + b, w, eps), a + b),
        "N 3 5, N 3 5, 5",
        1e-3,
    ),
    "GroupNormBackward": judged(
        group_norm_backward,
        *(GROUPS[0], GROUPS[3], *GROUPS[1:3]),
        *("4", 3, 4, 5, 2, [True, True, True]),
    ),
    "AdaLayerNorm": judged(
        lambda x, s, t, w, b, eps: layer_norm(x, [5], w, b, eps)[0] * (1 + s[:, None]) + t[:, None],
        "N 3 5, N 5, N 5, 5, 5",
        1e-3,
    ).also("N 3 5, N 5, N 5", None, None, 1e-3),
}
