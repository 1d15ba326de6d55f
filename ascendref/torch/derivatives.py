"""Derivatives of the gradients in PyTorch's own operators, for autograd of any order.

Every gradient is linear in the incoming gradient, so its derivative with respect to that is the
operator itself; this module has the derivatives with respect to the data. Constants are filled in
with ``masked_fill``, because ``torch.where`` makes tensors of them, which do not mix with fake
tensors.
"""

from __future__ import annotations

from typing import Any

import torch


def hardshrink(seed: Any, grad: Any, data: tuple[Any, ...], lambd: float) -> tuple[Any, ...]:
    """The gradient is a step function, so its derivative is 0."""
    return (torch.zeros_like(data[0]),)


def softplus(
    seed: Any, grad: Any, data: tuple[Any, ...], beta: float, threshold: float
) -> tuple[Any, ...]:
    """The derivative of the logistic function, 0 where the forward function is linear."""
    scaled = data[0] * beta
    logistic = torch.sigmoid(scaled)
    slope = beta * logistic * (1 - logistic)
    return ((seed * grad * slope).masked_fill(scaled > threshold, 0.0),)


def smooth_l1_loss(
    seed: Any, grad: Any, data: tuple[Any, ...], reduction: int, beta: float
) -> tuple[Any, ...]:
    """1/β where the loss is a parabola."""
    difference = data[0] - data[1]
    if beta == 0:
        zero = torch.zeros_like(difference)
        return zero, zero
    norm = 1 / difference.numel() if reduction == 1 else 1.0
    value = (seed * grad * (norm / beta)).masked_fill(~(difference.abs() < beta), 0.0)
    return value, -value


def logit(seed: Any, grad: Any, data: tuple[Any, ...], eps: float | None) -> tuple[Any, ...]:
    """The derivative of 1/(x·(1 - x)), 0 or NaN outside the bounds."""
    (x,) = data
    low, elsewhere = (0.0, float("nan")) if eps is None or eps < 0 else (eps, 0.0)
    value = seed * grad * (2 * x - 1) / (x * (1 - x)).square()
    return (value.masked_fill((x < low) | (x > 1 - low), elsewhere),)


def prelu(seeds: tuple[Any, Any], grad: Any, x: Any, weight: Any) -> tuple[Any, Any, Any]:
    """Return both gradients' derivatives with respect to gradient, input and weight."""
    shape = [1] * x.dim()
    if x.dim() > 1:
        shape[1] = weight.numel()
    factor, sums = weight.reshape(shape), seeds[1].reshape(shape)
    passes = x > 0
    for_grad = torch.where(passes, seeds[0], seeds[0] * factor + sums * x)
    for_x = (sums * grad).masked_fill(passes, 0.0)
    for_weight = (seeds[0] * grad).masked_fill(passes, 0.0).sum_to_size(shape)
    return for_grad, for_x, for_weight.reshape(weight.shape)
