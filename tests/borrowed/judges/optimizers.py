"""Judges of steps of optimizers."""

import numpy as np

from .judge import Judge, held, judged
from .lists import LISTS


def sgd(params, grads, buffers, scale, decay, momentum, rate, damp, nesterov, maximize, is_first):
    """Return parameters after a step of gradient descent, gradients and momenta."""
    grads = [grad / (1 if scale is None else scale[0]) for grad in grads]
    sign = -1 if maximize else 1
    steps = [sign * grad + decay * param for param, grad in zip(params, grads, strict=True)]
    if momentum and is_first:
        buffers = steps
    elif momentum:
        pairs = zip(buffers, steps, strict=True)
        buffers = [momentum * buffer + (1 - damp) * step for buffer, step in pairs]
    if momentum:
        taken = zip(steps, buffers, strict=True)
        steps = [step + momentum * m if nesterov else m for step, m in taken]
    params = [param - rate * step for param, step in zip(params, steps, strict=True)]
    return params, grads, buffers


def adamw(x, m, v, _, grad, step, rate, beta1, beta2, decay, eps, amsgrad, maximize):
    """Return parameters and both moments after a step of AdamW."""
    grad = -grad if maximize else grad
    m, v = m + (grad - m) * (1 - beta1), v + (grad**2 - v) * (1 - beta2)
    update = m / (1 - beta1 ** step[0]) / (np.sqrt(v / (1 - beta2 ** step[0])) + eps)
    return x - rate * update - rate * decay * x, m, v, None


OPTIMIZERS: dict[str, Judge] = {
    "FusedSgd": judged(sgd,
        (LISTS, LISTS, LISTS, held([2]), 0.25, 0.5, 0.5, 0.25, True, False, False),
        (LISTS, LISTS, LISTS, None, 0.0, 0.5, 0.5, 0.25, False, True, True),
        (LISTS, LISTS, None, None, 0.25, 0.0, 0.5, 0.0, False, False, False)),
    "ApplyAdamWV2": judged(adamw,
        ("N 5, N 5, N 5 +", None, "N 5", held([3]), 0.25, 0.5, 0.75, 0.5, 0.125, False, True),
        ("4, 4, 4 +", None, "4", held([1]), 0.25, 0.5, 0.75, 0.0, 0.125, False, False)),
}  # fmt: skip
