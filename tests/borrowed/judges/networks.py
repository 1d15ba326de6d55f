"""Judges of softmax, gated units, losses and grids."""

import math

import numpy as np
from scipy.special import erf, log_softmax, softmax

from .judge import Judge, backward, gradient, held, judged, uniform


def gelu(x, form):
    """Return GELU: exact, or with a hyperbolic tangent."""
    if form:
        return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return x / 2 * (1 + erf(x / math.sqrt(2)))


def geglu(x, dim, form, left=False):
    """Return one half times GELU of the other, and the latter."""
    first, second = np.split(x, 2, dim)
    active = gelu(first if left else second, form)
    return (second if left else first) * active, active


def geglu_backward(grad, x, g, dim, form):
    """Return the gradient of the tanh form by complex steps; g is GELU of the second half."""
    linear, active = np.split(x, 2, dim)
    inner = gradient(lambda y: gelu(y, form), grad * linear, 0, active)
    return np.concatenate([grad * g, inner], dim)


def reduced(terms, weights, code):
    """Return terms as they are, their weighted mean (1) or their sum (2)."""
    if code == 0:
        return terms
    return terms.sum() / (weights.sum() if code == 1 else 1)


def nll(x, target, weight, code, ignore, *_):
    """Return the negative log likelihood loss, and the sum of weights."""
    weights = np.where(target == ignore, 0, weight[np.where(target == ignore, 0, target)])
    index = np.where(target == ignore, 0, target)
    picked = np.take_along_axis(x, index[:, None], 1)[:, 0]
    total = np.zeros(()) if code == 0 else weights.sum()
    return reduced(-picked * weights, weights, code), total


def mse(x, y, code):
    """Return squares of differences, or their mean (1) or sum (2) along the first axis."""
    terms = (x - y) ** 2
    return (terms, terms.mean(0), terms.sum(0))[code]


def unpool_backward(grad, _, index, size, *__):
    """Return the elements of planes or volumes at indices."""
    flat, places = (x.reshape(*x.shape[: -len(size)], -1) for x in (grad, index))
    return np.take_along_axis(flat, places, -1).reshape(index.shape)


def kl_div(x, target, code, log_target):
    terms = np.exp(target) * (target - x) if log_target else target * (np.log(target) - x)
    return reduced(terms, np.ones(x.shape), code)


def affine_grid(theta, size, corners):
    """Return where pixels of a picture lie in another."""

    def line(n):
        found = np.linspace(-1, 1, n)
        return found if corners else found * (n - 1) / n

    rows, columns = np.meshgrid(line(size[2]), line(size[3]), indexing="ij")
    places = np.stack([columns, rows, np.ones(rows.shape)], -1)
    return np.einsum("hwk,nck->nhwc", places, theta)


def bce_target_backward(grad, x, target, w, positive, code):
    """Return the gradient of the binary cross entropy for the target, by complex steps."""
    p = 1 / (1 + np.exp(-x))

    def loss(t):
        terms = t * np.log(p) * (1 if positive is None else positive) + (1 - t) * np.log(1 - p)
        return -terms * (1 if w is None else w) / (x.size if code == 1 else 1)

    return gradient(loss, grad, 0, target)


def margins(x, target, code):
    """Return the multilabel margin loss, and which classes are labels."""
    losses, marks = [], np.zeros(x.shape)
    for row, labels, mark in zip(x, target, marks, strict=True):
        end = np.flatnonzero(labels < 0)
        own = labels[: end[0]] if end.size else labels
        mark[own] = 1
        others = row[mark == 0]
        losses.append(sum(np.maximum(0, 1 - row[k] + others).sum() for k in own) / len(row))
    return reduced(np.array(losses), np.ones(len(x)), code), marks


def ctc(x, targets, lengths, sizes, blank, *_):
    """Return the CTC loss and logarithms of the probabilities of beginnings of the labels."""
    losses, alphas = [], np.zeros((x.shape[1], x.shape[0], 2 * max(sizes) + 1), x.dtype)
    for n, (length, size) in enumerate(zip(lengths, sizes, strict=True)):
        labels = np.full(2 * size + 1, blank)
        labels[1::2] = targets[n, :size]
        # a blank between different labels may be left out
        leaps = np.append([False, False], (labels[2:] != blank) & (labels[2:] != labels[:-2]))
        chances = np.exp(x[:length, n])[:, labels]
        found = np.zeros_like(chances[0])
        found[:2] = chances[0, :2]
        alphas[n, 0, : len(labels)] = found
        for t in range(1, length):
            one, two = np.append([0], found[:-1]), np.append([0, 0], found[:-2])
            found = (found + one + np.where(leaps, two, 0)) * chances[t]
            alphas[n, t, : len(labels)] = found
        losses.append(-np.log(found[-2:].sum()))
    with np.errstate(divide="ignore"):
        return np.array(losses), np.log(alphas)


#: logarithms of probabilities of five labels at four times, of two sequences, and their labels
LOG_PROBS = log_softmax(np.random.default_rng(0).normal(size=(4, 2, 5)), -1)
LABELS = np.array([[1, 1], [3, 0]])
LENGTHS = [4, 3], [2, 1], 0
LOSSES, ALPHAS = ctc(LOG_PROBS, LABELS, *LENGTHS)


def ctc_backward(grad, x, *_):
    """Return the gradient of the CTC loss for what a log softmax is taken of."""
    inner = gradient(lambda y: ctc(y, LABELS, *LENGTHS)[0], grad, 0, x)
    within = np.arange(len(x))[:, None, None] < np.reshape(LENGTHS[0], (-1, 1))
    return inner + np.where(within, np.exp(x) * grad[:, None], 0)


def scaled_masked_softmax(x, mask, scale, _):
    x = np.where(mask, -10000, x * scale)
    return softmax(x, -1)


def qkv(x, bias, heads):
    batch, length, size = x.shape
    parts = (x + bias).reshape(batch, length, 3, heads, size // (3 * heads))
    queries, keys, values = np.moveaxis(parts, 2, 0).swapaxes(2, 3)
    return queries / np.sqrt(queries.shape[-1]), keys, values


def cross_entropy(x, target, w, reduction, ignored, smoothing, *_):
    logs = log_softmax(x, 1)
    w = np.ones(x.shape[1]) if w is None else w
    terms, weights = [], []
    for row, label in zip(logs, target, strict=True):
        counts = float(label != ignored)
        terms.append(
            -counts * ((1 - smoothing) * w[label] * row[label] + smoothing * (w * row).mean())
        )
        weights.append(counts * w[label])
    code = {None: 1, "mean": 1, "sum": 2, "none": 0}[reduction]
    return reduced(np.array(terms), np.array(weights), code), logs, None, None


def clipped_swiglu(x, _, dim, alpha, limit, bias, interleaved):
    """Return the product of a gate, at most a limit, and of what is within one."""
    places = np.arange(x.shape[dim])
    first = places % 2 == 0 if interleaved else places < len(places) // 2
    gate, linear = np.compress(first, x, dim), np.compress(~first, x, dim)
    gate = np.minimum(gate, limit)
    return gate / (1 + np.exp(-alpha * gate)) * (np.clip(linear, -limit, limit) + bias)


def fatrelu_mul(x, threshold):
    half = x.shape[-1] // 2
    return x[..., :half] * (x[..., :half] >= threshold.item()) * x[..., half:]


def exp_segsum(x):
    size = x.shape[-1]
    y = np.zeros((*x.shape, size))
    for k in range(size):
        for m in range(k + 1):
            y[..., k, m] = np.exp(x[..., m + 1 : k + 1].sum(-1))
    return y


def exp_segsum_backward(grad, y):
    """Return sums of products over all parts that an element is in."""
    size = y.shape[-1]
    return np.stack([(grad * y)[..., k:size, :k].sum((-1, -2)) for k in range(size)], -1)


def nearest(x, size):
    """Return the elements of planes at the places that floors of multiples give."""
    rows, columns = (
        np.arange(count) * n // count for count, n in zip(size, x.shape[2:], strict=True)
    )
    return x[:, :, rows][:, :, :, columns]


def bilinear(x, size):
    """Return means of neighbours in planes, whose elements lie at the centres of squares."""
    for axis, count in zip((2, 3), size, strict=True):
        n = x.shape[axis]
        places = np.clip((np.arange(count) + 0.5) * n / count - 0.5, 0, n - 1)
        low = np.minimum(places.astype(int), max(n - 2, 0))
        part = np.expand_dims(places - low, tuple(range(1, 4 - axis)))
        high = np.minimum(low + 1, n - 1)
        x = x.take(low, axis) * (1 - part) + x.take(high, axis) * part
    return x


def resized(x, scales, mode):
    size = [int(n * scale) for n, scale in zip(x.shape[2:], scales[2:], strict=True)]
    return (nearest if mode == "nearest" else bilinear)(x, size)


def rotary_position_embedding(x, cos, sin, mode):
    """Return pairs of elements turned by angles; each pair has places of its own."""
    size = x.shape[-1]
    half, quarter = size // 2, size // 4
    pairs = {
        0: [(k, k + half) for k in range(half)],
        1: [(2 * k, 2 * k + 1) for k in range(half)],
        2: [(k + s, k + s + quarter) for s in (0, half) for k in range(quarter)],
        3: [(2 * k, 2 * k + 1) for k in range(half)],
    }[mode]
    y = np.zeros_like(x)
    for k, (one, other) in enumerate(pairs):
        first, second = (k, k + half) if mode == 3 else (one, other)
        y[..., first] = x[..., one] * cos[..., first] - x[..., other] * sin[..., first]
        y[..., second] = x[..., other] * cos[..., second] + x[..., one] * sin[..., second]
    return y


NETWORKS: dict[str, Judge] = {
    "UpsampleNearest2d": judged(nearest, ("2 3 4 5", [8, 15]), ("1 2 6 7", [4, 3]),
        ("3 1 1 3", [5, 2])),
    "Resize": judged(resized, ("2 3 4 5", [1, 1, 2, 3], "nearest"),
        ("2 3 4 5", [1, 1, 1.5, 0.5], "bilinear"), ("3 1 1 3", [1, 1, 4, 2], "bilinear")),
    "RotaryPositionEmbedding": judged(
        rotary_position_embedding,
        *[
            (f"N 3 5 8, {shape} 8, {shape} 8", mode)
            for mode in range(4)
            for shape in ("1 1 5", "1 3 1", "N 3 5")
        ],
        ("4 3 6, 4 1 6, 4 1 6", 1),
    ),
    "Softmax": judged(softmax, ("N 3 5", 1), ("3 5", -1)),
    "LogSoftmax": judged(log_softmax, ("N 3 5", 1), ("3 5", -1)),
    "SoftmaxBackward": judged(lambda g, y, d: y * (g - (g * y).sum(d, keepdims=True)),
        ("N 3 5, N 3 5", 1)),
    "LogSoftmaxBackward": judged(lambda g, y, d: g - np.exp(y) * g.sum(d, keepdims=True),
        ("N 3 5, N 3 5", 1)),
    "SoftmaxCrossEntropyWithLogits": judged(
        lambda x, p: (
            -(p * log_softmax(x, -1)).sum(-1),
            softmax(x, -1) * p.sum(-1, keepdims=True) - p,
        ),
        "N 5, N 5",
    ),
    "GeGlu": judged(geglu, ("N 3 4", 2, 1), ("4 3", 0, 0)),
    "GeGluV3": judged(geglu, ("N 3 4", 2, 1, True), ("4 3", 0, 0, False)),
    "GeGluBackward": judged(geglu_backward, ("2 3 2, 2 3 4, 2 3 2", 2, 1)),
    "GeluMul": judged(lambda x, form: geglu(x, -1, int(form == "tanh"), True)[0],
        ("N 3 4", "tanh"), ("3 4", None)),
    "NLLLoss": judged(nll, ("4 5, 4 <5, 5 +", 1, -100), ("4 5, 4 <5, 5 +", 0, 2),
        ("4 5, 4 <5, 5 +", 2, 2)),
    "NLLLossBackward": judged(backward(lambda *given: nll(*given)[0]),
        ("", "4 5, 4 <5, 5 +", 2, 2, ""), ("4, 4 5, 4 <5, 5 +", 0, -100, "")),
    "NLLLoss2d": judged(nll, ("2 5 3 4, 2 3 4 <5, 5 +", 1, -100), ("2 5 3 4, 2 3 4 <5, 5 +", 0, 2)),
    "NLLLoss2dBackward": judged(backward(lambda *given: nll(*given)[0]),
        ("", "2 5 3 2, 2 3 2 <5, 5 +", 2, 2, "")),
    "MseLossOut": judged(mse, ("3 5, 3 5", 1), ("3 5, 3 5", 0), ("3 5, 3 5", 2)),
    "KlDiv": judged(kl_div, ("3 5, 3 5 +", 1, False), ("3 5, 3 5", 2, True),
        ("3 5, 3 5 +", 0, False)),
    "MaxUnpool2dBackward": judged(unpool_backward, ("2 3 4 5, 2 3 2 2, 2 3 2 2 <20", [4, 5])),
    "MaxUnpool3dBackward": judged(unpool_backward,
        ("2 3 4 2 4, 2 3 2 1 2, 2 3 2 1 2 <32", [4, 2, 4], [2, 2, 2], [0, 0, 0])),
    "CtcLoss": judged(ctc, ("4 2 5", held(LABELS), *LENGTHS, False),
        ("3 1 4, 1 3 <3", [3], [3], 3, True)),
    "CtcLossBackward": judged(ctc_backward,
        ("2", held(LOG_PROBS), held(LABELS), *LENGTHS[:2], held(LOSSES), held(ALPHAS), 0, False)),
    "ClippedSwiglu": judged(clipped_swiglu, ("N 3 6", None, -1, 1.7, 1.2, 0.5, True),
        ("3 4 5", None, 1, 1.0, 1.5, 1.0, False), ("3 6", None, 1, 0.5, 7.0, 0.0, True)),
    "FatreluMul": judged(fatrelu_mul, "N 3 6, 1", ("4 8", held(0.5))),
    "ExpSegsum": judged(exp_segsum, uniform(-1, 1, (2, 3, 5)), "N 4 3"),
    "ExpSegsumBackward": judged(exp_segsum_backward, "2 3 5 5, 2 3 5 5", "N 4 4, N 4 4"),
    "CrossEntropyLoss": judged(cross_entropy, ("4 5, 4 <5, 5 +", "mean", -100, 0.0, 0.0, False),
        ("6 5, 6 <5, 5 +", None, 2, 0.1, 0.0, False),
        ("6 5, 6 <5", None, "none", 1, 0.0, 0.0, False),
        ("6 3, 6 <3", None, "sum", 0, 0.2, 0.0, False)),
    "ScaledMaskedSoftmax": judged(scaled_masked_softmax, ("2 3 4 5, 2 1 4 5", 0.5, False)),
    "ScaledMaskedSoftmaxBackward": judged(
        lambda g, y, mask, s, _: np.where(mask, 0, s * y * (g - (g * y).sum(-1, keepdims=True))),
        ("2 3 4 5, 2 3 4 5, 2 3 4 5", 0.5, False),
    ),
    "TransformBiasRescaleQkv": judged(qkv, ("N 4 12, 12", 2)),
    "AffineGrid": judged(affine_grid, ("2 2 3", [2, 1, 3, 4], True),
        ("2 2 3", [2, 1, 3, 4], False)),
    "StridedSlice": judged(
        lambda x, a, b, s, m, n, *_: x[
            tuple(
                slice(None if m >> k & 1 else p, None if n >> k & 1 else q, r)
                for k, (p, q, r) in enumerate(zip(a, b, s, strict=True))
            )
        ],
        ("5 6 7", [1, 2], [4, 5], [2, 1], 2, 1, 0, 0, 0),
    ),
    "BinaryCrossEntropyWithLogitsTargetBackward": judged(bce_target_backward,
        ("3 5, 3 5, 3 5, 5, 5 +", 1), ("3 5, 3 5, 3 5", None, None, 0)),
    "MultilabelMarginLoss": judged(margins,
        ("3 4", held([[1, 3, -1, 0], [0, -1, 2, 3], [2, 0, 1, -1]]), 1),
        ("2 4", held([[1, 3, -1, 0], [0, -1, 2, 3]]), 0),
        ("2 4", held([[1, 3, -1, 0], [0, -1, 2, 3]]), 2)),
}  # fmt: skip
