"""The same work as calls of ascendref and of PyTorch, for the benchmarks and the peer table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import torch

import ascendref as ar

TYPES: dict[str, tuple[Any, torch.dtype]] = {
    "float32": (np.float32, torch.float32),
    "bfloat16": (ml_dtypes.bfloat16, torch.bfloat16),
    "float16": (np.float16, torch.float16),
    "float64": (np.float64, torch.float64),
}
CHANNELS = 16

Call = Callable[[], object]


def _torch(array: np.ndarray) -> torch.Tensor:
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def pair(
    operator: str, kind: str, size: int, layout: str = "dense", **options: Any
) -> tuple[Call, Call]:
    """Return a call of ascendref and one of PyTorch on equal data; both write to given outputs.

    Parameters
    ----------
    operator : str
        Name of the array function.
    kind : str
        Element type.
    size : int
        Number of elements.
    layout : {"dense", "transposed"}
        Whether the data run along the other axis than the gradient and the result.
    **options
        For ascendref's function, as ``compute_dtype``.
    """
    rng = np.random.default_rng(7)
    shape = (size // CHANNELS, CHANNELS)
    g = rng.uniform(0.1, 0.9, shape).astype(TYPES[kind][0])
    x = rng.uniform(-3, 3, shape).astype(g.dtype)
    if operator == "logit_grad":
        x = g.copy()
    if layout == "transposed":
        x = np.ascontiguousarray(x.T).T
    weight = rng.uniform(0.1, 0.9, CHANNELS).astype(g.dtype)
    out, out_weight = np.empty_like(g), np.empty_like(weight)
    tg, tx, tw, to = map(_torch, (g, x, weight, out.copy()))
    aten = torch.ops.aten
    calls: dict[str, tuple[Call, Call]] = {
        "hardshrink_backward": (
            partial(ar.hardshrink_backward, g, x, 0.5, out=out, **options),
            lambda: aten.hardshrink_backward.grad_input(tg, tx, 0.5, grad_input=to),
        ),
        "softplus_backward": (
            partial(ar.softplus_backward, g, x, 1.0, 20.0, out=out, **options),
            lambda: aten.softplus_backward.grad_input(tg, tx, 1.0, 20.0, grad_input=to),
        ),
        # PyTorch has no variant of this one that writes to given outputs
        "prelu_backward": (
            partial(ar.prelu_backward, g, x, weight, out=(out, out_weight), **options),
            lambda: aten._prelu_kernel_backward(tg, tx, tw),
        ),
        "smooth_l1_loss_backward": (
            partial(ar.smooth_l1_loss_backward, g, x, g, "mean", 1.0, out=out, **options),
            lambda: aten.smooth_l1_loss_backward.grad_input(tg, tx, tg, 1, 1.0, grad_input=to),
        ),
        "logit_grad": (
            partial(ar.logit_grad, x, g, -1.0, out=out, **options),
            lambda: aten.logit_backward.grad_input(tg, tx, None, grad_input=to),
        ),
    }
    return calls[operator]
