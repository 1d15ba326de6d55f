"""Normalisation layers and their gradients."""

from __future__ import annotations

import torch
from torch import Tensor


def _rms(data: Tensor, gamma: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return F32 data, and the reciprocal of the root of their mean square."""
    wide = data.float()
    axes = list(range(data.ndim - gamma.ndim, data.ndim))
    return wide, torch.rsqrt(wide.square().mean(axes, True) + epsilon)


def rms_norm(data: Tensor, gamma: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return data divided by the root of their mean square, and what they are multiplied by."""
    wide, factor = _rms(data, gamma, epsilon)
    return wide * factor * gamma.float(), factor


def gemma_rms_norm(data: Tensor, gamma: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return `rms_norm` with 1 added to gamma."""
    return rms_norm(data, 1 + gamma.float(), epsilon)


def add_rms_norm(
    one: Tensor, other: Tensor, gamma: Tensor, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return `rms_norm` of a sum, and the sum."""
    total = one.float() + other.float()
    return *rms_norm(total, gamma, epsilon), total


def add_rms_norm_cast(
    one: Tensor, other: Tensor, gamma: Tensor, epsilon: float
) -> tuple[Tensor, ...]:
    """Return `rms_norm` of a sum twice, for results of two types, the factors and the sum."""
    value, factor, total = add_rms_norm(one, other, gamma, epsilon)
    return value, value, factor, total


def add_rms_norm_(one: Tensor, other: Tensor, gamma: Tensor, epsilon: float) -> Tensor:
    """Replace the first tensor by `rms_norm` of the sum, and the second by the sum."""
    value, factor, total = add_rms_norm(one, other, gamma, epsilon)
    one.copy_(value)
    other.copy_(total)
    return factor


def rms_norm_backward(
    grad: Tensor, data: Tensor, factor: Tensor, gamma: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the gradients of `rms_norm` for the data and for gamma."""
    wide, inner = data.float(), grad.float() * gamma.float()
    first = data.ndim - gamma.ndim
    factor = factor.float().reshape(data.shape[:first] + (1,) * gamma.ndim)
    mean = (inner * wide).mean(list(range(first, data.ndim)), True)
    of_gamma = (grad.float() * wide * factor).reshape(-1, *gamma.shape).sum(0)
    return factor * (inner - wide * factor.square() * mean), of_gamma


def add_layer_norm(
    one: Tensor, other: Tensor, gamma: Tensor, beta: Tensor, bias: Tensor | None, epsilon: float
) -> tuple[Tensor, ...]:
    """Return the layer norm of a sum, its means and factors, and the sum."""
    total = one + other if bias is None else one + other + bias
    norm = torch.ops.aten.native_layer_norm(total, list(gamma.shape), gamma, beta, epsilon)
    return *norm, total


def deep_norm(
    data: Tensor, other: Tensor, beta: Tensor, gamma: Tensor, alpha: float, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return means, factors and values of the layer norm of α·x + y."""
    value, mean, factor = torch.ops.aten.native_layer_norm(
        data * alpha + other, list(gamma.shape), gamma, beta, epsilon
    )
    return mean, factor, value


def group_norm_silu(
    data: Tensor, gamma: Tensor, beta: Tensor, groups: int, epsilon: float, active: bool = True
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the group norm, with SiLU of it, its means and factors."""
    size = data.shape[2:].numel()
    value, mean, factor = torch.ops.aten.native_group_norm(
        data, gamma, beta, data.shape[0], data.shape[1], size, groups, epsilon
    )
    return torch.nn.functional.silu(value) if active else value, mean, factor


def batch_norm(
    data: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    epsilon: float,
) -> tuple[Tensor | None, ...]:
    """Return the batch norm, means and factors; the latter are left alone without training."""
    value, mean, factor = torch.ops.aten.native_batch_norm(
        data, weight, bias, running_mean, running_var, training, momentum, epsilon
    )
    return (value, mean, factor) if training else (value, None, None)


def batch_norm_stats(data: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return the mean of each channel, and the reciprocal of its standard deviation."""
    wide = data.float()
    axes = [0, *range(2, data.ndim)]
    return wide.mean(axes), torch.rsqrt(wide.var(axes, unbiased=False) + epsilon)


def batch_norm_with(
    data: Tensor, weight: Tensor, bias: Tensor, mean: Tensor, factor: Tensor
) -> Tensor:
    """Return channels normalised with given means and factors."""
    shape = (1, -1, *[1] * (data.ndim - 2))
    normal = (data - mean.view(shape)) * factor.view(shape)
    return normal * weight.view(shape) + bias.view(shape)


def ada_layer_norm(
    data: Tensor,
    scale: Tensor,
    shift: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    epsilon: float,
) -> Tensor:
    """Return the layer norm of the last axis, modulated."""
    normal = torch.nn.functional.layer_norm(data, data.shape[-1:], weight, bias, epsilon)
    return modulated(normal, scale, shift)


def modulated(data: Tensor, scale: Tensor | None, shift: Tensor | None) -> Tensor:
    """Return x·(1 + scale) + shift, of which matrices serve all rows of a batch."""
    if scale is not None:
        data = data * (1 + (scale.unsqueeze(1) if scale.ndim == 2 else scale))
    if shift is not None:
        data = data + (shift.unsqueeze(1) if shift.ndim == 2 else shift)
    return data
