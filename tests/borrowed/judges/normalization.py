"""Judges of normalisation."""

import numpy as np

from .judge import Judge, gradient, held, judged, uniform


def normal(x, axes, eps):
    """Return normalised data, means and factors."""
    mean = x.mean(axes, keepdims=True)
    factor = 1 / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + eps)
    return (x - mean) * factor, mean, factor


def layer_norm(x, shape, w, b, eps, *_):
    y, mean, factor = normal(x, tuple(range(x.ndim - len(shape), x.ndim)), eps)
    y = y if w is None else y * w
    return y if b is None else y + b, mean, factor


def layer_norm_backward(grad, x, shape, mean, factor, w, b, mask):
    """Return the gradients of the layer norm with given means and factors."""
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    y, inner = (x - mean) * factor, grad * w
    of_x = factor * (
        inner - inner.mean(axes, keepdims=True) - y * (inner * y).mean(axes, keepdims=True)
    )
    rows = tuple(range(x.ndim - len(shape)))
    return of_x, (grad * y).sum(rows), grad.sum(rows)


def group_norm(x, w, b, n, c, hw, groups, eps):
    y, mean, factor = normal(x.reshape(n, groups, -1), -1, eps)
    column = (1, c, *[1] * (x.ndim - 2))
    w, b = np.ones(c) if w is None else w, np.zeros(c) if b is None else b
    return y.reshape(x.shape) * w.reshape(column) + b.reshape(column), mean[..., 0], factor[..., 0]


def group_norm_silu(x, w, b, groups, eps, active=True):
    y, mean, factor = group_norm(x, w, b, *x.shape[:2], 0, groups, eps)
    return y / (1 + np.exp(-y)) if active else y, mean, factor


def batch_norm_backward(grad, x, w, rm, rv, mean, factor, training, eps, *_):
    axes = (0, *range(2, x.ndim))
    column = (1, -1, *[1] * (x.ndim - 2))
    mean = (mean if training else rm).reshape(column)
    factor = (factor if training else 1 / np.sqrt(rv + eps)).reshape(column)
    y, inner = (x - mean) * factor, grad * w.reshape(column)
    of_x = inner
    if training:
        of_x = inner - inner.mean(axes, keepdims=True) - y * (inner * y).mean(axes, keepdims=True)
    return factor * of_x, (grad * y).sum(axes), grad.sum(axes)


def rms_norm(x, w, eps):
    axes = tuple(range(x.ndim - w.ndim, x.ndim))
    factor = 1 / np.sqrt((x * x).mean(axes, keepdims=True) + eps)
    return x * factor * w, factor


def rms_norm_backward(grad, x, factor, w):
    """Return the gradients of the norm with given factors."""
    inner, axes = grad * w, tuple(range(x.ndim - w.ndim, x.ndim))
    of_x = factor * inner - x * factor**3 * (inner * x).mean(axes, keepdims=True)
    return of_x, (grad * x * factor).sum(tuple(range(x.ndim - w.ndim)))


def batch_norm(x, w, b, rm, rv, training, momentum, eps):
    axes, column = (0, *range(2, x.ndim)), (1, -1, *[1] * (x.ndim - 2))
    mean, var = (x.mean(axes), x.var(axes)) if training else (rm, rv)
    factor = 1 / np.sqrt(var + eps)
    y = (x - mean.reshape(column)) * (factor * w).reshape(column) + b.reshape(column)
    if training:
        unbiased = var * (x[:, 0].size / (x[:, 0].size - 1))
        rm, rv = rm + momentum * (mean - rm), rv + momentum * (unbiased - rv)
    return rm, rv, y, mean * training, factor * training


def group_norm_backward(grad, x, mean, factor, w, n, c, hw, groups, *_):
    """Return the gradients of the group norm with its own means and factors."""
    del mean, factor

    def of(y, v, b):
        return group_norm(y, v, b, n, c, hw, groups, 0)[0]

    given = (x, w, np.zeros(c))
    return tuple([gradient(of, grad, k, *given) for k in range(3)])


def swish(y, scale):
    return y / (1 + np.exp(-scale * y))


def group_norm_swish(x, w, b, groups, _, eps, active, scale):
    y, mean, factor = group_norm(x, w, b, *x.shape[:2], 0, groups, eps)
    return swish(y, scale) if active else y, mean, factor


def group_norm_swish_backward(grad, mean, factor, x, w, b, groups, _, scale, of_w, of_b):
    """Return the gradients of the active group norm with its own means and factors."""
    del mean, factor

    def of(y, v, c):
        return swish(group_norm(y, v, c, *y.shape[:2], 0, groups, 0)[0], scale)

    wanted = (True, of_w, of_b)
    return tuple([gradient(of, grad, k, x, w, b) if wanted[k] else None for k in range(3)])


def deep_norm_backward(grad, x, other, w, mean, factor, alpha):
    """Return the gradients of the layer norm of α·x + y with given means and factors."""
    total = x * alpha + other
    inner, of_w, of_b = layer_norm_backward(grad, total, w.shape, mean, factor, w, None, None)
    return inner * alpha, inner, of_b, of_w


def batch_norm_reduce_backward(grad, x, mean, factor, _, of_x, of_w, of_b):
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


def gathered(_, mean, factor, rm, rv, momentum, eps, counts):
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


def gathered_sums(sums, squares, counts, rm, rv, momentum, eps):
    """Return running means and variances, means and factors, from sums of each device."""
    count = counts.sum()
    mean = sums.sum(0) / count
    var = squares.sum(0) / count - mean**2
    unbiased = var * count / (count - 1)
    moved = rm + momentum * (mean - rm), rv + momentum * (unbiased - rv)
    return *moved, mean, 1 / np.sqrt(var + eps)


GROUPED = np.random.default_rng(3).integers(-8, 9, (3, 4, 5)) / 4
#: means, factors and data of a group norm of two groups
MEAN, FACTOR, DATA = (
    held(GROUPED.reshape(3, 2, -1).mean(-1)),
    held(1 / GROUPED.reshape(3, 2, -1).std(-1)),
    held(GROUPED),
)
#: tensors of the gradient of a batch norm
BATCHES = "3 4 5, 3 4 5, 4, 4, 4 +, 4, 4 +"


def add_rms_norm(*places):
    """Return the judge of some of the norm of a sum, its factors and the sum."""

    def results(a, b, w, eps):
        found = *rms_norm(a + b, w, eps), a + b
        return [found[place] for place in places]

    return judged(results, ("N 3 5, N 3 5, 5", 1e-3))


NORMALIZATION: dict[str, Judge] = {
    **dict.fromkeys(
        ("LayerNorm", "FastLayerNorm"),
        judged(layer_norm, ("N 3 5", [5], "5, 5", 1e-3), ("4 3 5", [3, 5], None, None, 1e-5)),
    ),
    "LayerNormWithImplMode": judged(layer_norm, ("N 3 5", [5], "5, 5", 1e-3, 0)),
    "LayerNormBackward": judged(layer_norm_backward,
        ("2 3 5, 2 3 5", [5], "2 3 1, 2 3 1 +, 5, 5", [True] * 3)),
    "AddLayerNorm": judged(
        lambda a, b, w, v, c, eps, _: (
            *layer_norm(a + b + (0 if c is None else c), w.shape, w, v, eps),
            a + b + (0 if c is None else c),
        ),
        ("N 3 5, N 3 5, 5, 5, 5", 1e-3, True),
        ("3 5, 3 5, 5, 5", None, 1e-3, True),
    ),
    "AddLayerNormGrad": judged(
        lambda g, a, b, f, m, w, s: (lambda r: (r[0] + (0 if s is None else s), *r[1:]))(
            layer_norm_backward(g, a + b, w.shape, m, f, w, None, None)
        ),
        "2 3 5, 2 3 5, 2 3 5, 2 3 1 +, 2 3 1, 5, 2 3 5",
        ("4 3 5, 4 3 5, 4 3 5, 4 1 1 +, 4 1 1, 3 5", None),
    ),
    "DeepNormGrad": judged(deep_norm_backward, ("2 3 5, 2 3 5, 2 3 5, 5, 2 3 1, 2 3 1 +", 0.5)),
    "DeepNorm": judged(
        lambda x, y, v, w, alpha, eps: (lambda r: (r[1], r[2], r[0]))(
            layer_norm(x * alpha + y, w.shape, w, v, eps)
        ),
        ("N 3 5, N 3 5, 5, 5", 0.5, 1e-3),
    ),
    "GroupNorm": judged(group_norm, ("2 6 4, 6, 6", 2, 6, 4, 3, 1e-3),
        ("2 6 4 3", None, None, 2, 6, 12, 2, 1e-3)),
    "GroupNormSilu": judged(group_norm_silu, ("2 6 4, 6, 6", 3, 1e-3),
        ("2 6 4", None, "6", 3, 1e-3)),
    "GroupNormSiluV2": judged(group_norm_silu, ("2 6 4 3, 6, 6", 3, 1e-3, True),
        ("2 6 4, 6, 6", 3, 1e-3, False)),
    **{
        name: judged(
            batch_norm_backward,
            (BATCHES, True, 1e-3, [True] * 3, *version),
            (BATCHES, False, 1e-3, [True] * 3, *version),
        )
        for name, version in {"BatchNormBackward": (), "FastBatchNormBackward": (0,)}.items()
    },
    "GroupNormSwish": judged(group_norm_swish, ("2 6 4, 6, 6", 3, "NCHW", 1e-3, True, 1.5),
        ("2 6 4 3, 6, 6", 2, None, 1e-3, False, 1.0)),
    "GroupNormSwishGrad": judged(group_norm_swish_backward,
        ("3 4 5", MEAN, FACTOR, DATA, "4, 4", 2, "NCHW", 1.5, True, True),
        ("3 4 5", MEAN, FACTOR, DATA, "4, 4", 2, None, 0.5, True, False)),
    "BatchNormReduce": judged(
        lambda x: [
            y.reshape(x.shape[1], -1).sum(1) for y in (x.swapaxes(0, 1), x.swapaxes(0, 1) ** 2)
        ],
        "3 4 5",
        "N 4",
        "2 3 4 5",
    ),
    "BatchNormReduceBackward": judged(batch_norm_reduce_backward,
        ("3 4 5, 3 4 5, 4, 4 +, 4", True, True, True),
        ("2 3 4 5, 2 3 4 5, 3, 3 +", None, False, True, False),
        ("3 4, 3 4, 4, 4 +", None, True, False, True)),
    "BatchNormGatherStatsWithCounts": judged(gathered,
        ("2 4 5, 3 4", uniform(0.5, 2, (3, 4)), "4, 4 +", 0.1, 1e-3, held([3, 1, 5])),
        ("2 3 5, 2 3", uniform(0.5, 2, (2, 3)), None, None, 0.3, 1e-3, held([4, 6]))),
    "SyncBatchNormGatherStats": judged(gathered_sums,
        ("2 3", uniform(40, 50, (2, 3)), held([3, 4]), "3, 3 +", 0.25, 1e-3)),
    "BatchNormStats": judged(
        lambda x, eps: [part.reshape(-1) for part in normal(x, (0, 2), eps)[1:]], ("3 4 5", 1e-3)
    ),
    "BatchNormElemt": judged(
        lambda x, w, b, m, f, eps: (
            (x - m[:, None]) * f[:, None] * (1 if w is None else w[:, None])
            + (0 if b is None else b[:, None])
        ),
        ("N 4 5, 4, 4, 4, 4 +", 1e-3),
        ("3 4 5", None, None, "4, 4 +", 1e-3),
    ),
    "RmsNorm": judged(rms_norm, ("N 3 5, 5", 1e-3), ("4 3 5, 3 5", 1e-3)),
    "GemmaRmsNorm": judged(lambda x, w, eps: rms_norm(x, 1 + w, eps), ("N 3 5, 5", 1e-3)),
    "AddRmsNorm": add_rms_norm(0, 1, 2),
    "InplaceAddRmsNorm": add_rms_norm(0, 2, 1),
    "RmsNormGrad": judged(rms_norm_backward, "4 3 5, 4 3 5, 4 3 1 +, 5"),
    "Modulate": judged(lambda x, s, t: x * (1 + s[:, None]) + t[:, None], "N 3 5, N 5, N 5"),
    "BatchNorm": judged(batch_norm, ("3 4 5, 4, 4, 4, 4 +", True, 0.1, 1e-3),
        ("3 4 5, 4, 4, 4, 4 +", False, 0.1, 1e-3)),
    "AddRmsNormCast": add_rms_norm(0, 0, 1, 2),
    "GroupNormBackward": judged(group_norm_backward,
        ("3 4 5", DATA, MEAN, FACTOR, "4", 3, 4, 5, 2, [True] * 3)),
    "AdaLayerNorm": judged(
        lambda x, s, t, w, b, eps: layer_norm(x, [5], w, b, eps)[0] * (1 + s[:, None]) + t[:, None],
        ("N 3 5, N 5, N 5, 5, 5", 1e-3),
        ("N 3 5, N 5, N 5", None, None, 1e-3),
    ),
}  # fmt: skip
