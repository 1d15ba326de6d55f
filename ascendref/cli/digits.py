"""A small network for handwritten digits, trained with gradients from ascendref.

Written to be read. 64 pixels -> 48 units, PReLU -> 32 units, softplus -> 10 scores, smooth L1
loss against one-hot targets. Everything but the three gradients is plain NumPy.

In BF16 it is the usual mixed precision: weights are kept in F32, and each step computes with a
BF16 copy of them, BF16 activations and BF16 gradients. BF16 reaches as far as F32 does, so the
loss needs no scaling.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

import ascendref as ar

Array = NDArray[Any]
Weights = dict[str, Array]

SIZES = (64, 48, 32, 10)
BATCH, RATE, BETA = 32, 0.005, 0.5


class Digits(NamedTuple):
    """1,797 images of 8 x 8 pixels, a quarter of them held out."""

    images: Array
    labels: Array
    held_out_images: Array
    held_out_labels: Array


class Epoch(NamedTuple):
    """What one pass over the training images came to."""

    #: smooth L1 loss, the mean over the epoch's batches
    loss: float
    #: share of the held-out images that are recognised after it
    accuracy: float


def load(seed: int) -> Digits:
    """Shuffle scikit-learn's handwritten digits and hold a quarter out."""
    from sklearn.datasets import load_digits  # takes a second to import

    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(labels))
    images, labels = (images[order] / 16).astype(np.float32), labels[order]
    held_out = len(labels) // 4
    return Digits(images[held_out:], labels[held_out:], images[:held_out], labels[:held_out])


def initial_weights(rng: np.random.Generator) -> Weights:
    """Return F32 weights: He's scale, zero biases, PyTorch's slope of 0.25 for the PReLU."""
    weights: Weights = {"slope": np.full(SIZES[1], 0.25, np.float32)}
    for k, (rows, columns) in enumerate(pairwise(SIZES), start=1):
        scale = np.sqrt(2 / rows)
        weights[f"w{k}"] = (rng.standard_normal((rows, columns)) * scale).astype(np.float32)
        weights[f"b{k}"] = np.zeros(columns, np.float32)
    return weights


def matmul(a: Array, b: Array) -> Array:
    """Multiply as matrix units do: operands of their type, sums in F32, one rounding at the end."""
    return (a.astype(np.float32) @ b.astype(np.float32)).astype(a.dtype)


def forward(w: Weights, x: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Return the scores last, and before them what the gradients need."""
    a1 = matmul(x, w["w1"]) + w["b1"]
    h1 = np.where(a1 > 0, a1, w["slope"] * a1)
    a2 = matmul(h1, w["w2"]) + w["b2"]
    h2 = np.logaddexp(0, a2.astype(np.float32)).astype(x.dtype)
    return a1, h1, a2, h2, matmul(h2, w["w3"]) + w["b3"]


def gradients(w: Weights, x: Array, target: Array) -> tuple[Array, Weights]:
    """Return the scores and the gradient of the loss for every weight."""
    a1, h1, a2, h2, scores = forward(w, x)
    one = np.ones((), x.dtype)
    grad3 = ar.smooth_l1_loss_backward(one, scores, target, "mean", BETA)
    grad2 = ar.softplus_backward(matmul(grad3, w["w3"].T), a2)
    grad1, slope = ar.prelu_backward(matmul(grad2, w["w2"].T), a1, w["slope"])
    grads = {"slope": slope}
    for k, (inner, grad) in enumerate(((x, grad1), (h1, grad2), (h2, grad3)), start=1):
        grads[f"w{k}"] = matmul(inner.T, grad)
        grads[f"b{k}"] = grad.astype(np.float32).sum(axis=0)
    return scores, grads


def smooth_l1_loss(scores: Array, target: Array) -> float:
    """Return the mean loss, in F32."""
    d = np.abs(scores.astype(np.float32) - target.astype(np.float32))
    return float(np.where(d < BETA, 0.5 * d * d / BETA, d - 0.5 * BETA).mean())


def adam(weight: Array, grad: Array, mean: Array, square: Array, step: int) -> None:
    """Move a weight, in F32, by running means of its gradient and of the gradient's square."""
    mean += 0.1 * (grad - mean)
    square += 0.001 * (grad * grad - square)
    spread = np.sqrt(square / (1 - 0.999**step)) + 1e-8
    weight -= RATE * mean / (1 - 0.9**step) / spread


def train(digits: Digits, dtype: DTypeLike, epochs: int, seed: int) -> Iterator[Epoch]:
    """Train with tensors of one type, and yield after every epoch."""
    rng = np.random.default_rng(seed)
    master = initial_weights(rng)
    mean = {name: np.zeros_like(value) for name, value in master.items()}
    square = {name: np.zeros_like(value) for name, value in master.items()}
    step = 0
    images, held_out = digits.images.astype(dtype), digits.held_out_images.astype(dtype)
    targets = np.eye(SIZES[-1])[digits.labels].astype(dtype)
    for _ in range(epochs):
        losses = []
        for batch in np.array_split(rng.permutation(len(images)), len(images) // BATCH):
            weights = {name: value.astype(dtype) for name, value in master.items()}
            scores, grads = gradients(weights, images[batch], targets[batch])
            losses.append(smooth_l1_loss(scores, targets[batch]))
            step += 1
            for name, grad in grads.items():
                adam(master[name], grad.astype(np.float32), mean[name], square[name], step)
        weights = {name: value.astype(dtype) for name, value in master.items()}
        guesses = forward(weights, held_out)[-1].astype(np.float32).argmax(axis=1)
        accuracy = float((guesses == digits.held_out_labels).mean())
        yield Epoch(float(np.mean(losses)), accuracy)
