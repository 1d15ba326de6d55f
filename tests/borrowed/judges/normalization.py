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


GROUPED = np.random.default_rng(3).integers(-8, 9, (2, 4, 3)) / 4


def data_of_groups(_: Any) -> Any:
    """Return the data of a group norm."""
    return GROUPED


def means_of_groups(_: Any) -> Any:
    """Return the means of their groups."""
    return GROUPED.reshape(2, 2, -1).mean(-1)


def factors_of_groups(_: Any) -> Any:
    """Return what their groups are multiplied by."""
    return 1 / GROUPED.reshape(2, 2, -1).std(-1)


NORMALIZATION: dict[str, Judge] = {
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
    **{
        name: judged(
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
            *version,
        )
        for name, version in {"BatchNormBackward": (), "FastBatchNormBackward": (0,)}.items()
    },
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
}
