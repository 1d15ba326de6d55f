"""Normalisation layers and their gradients."""

from typing import Any

import torch
from torch import Tensor


def _rms(data: Tensor, gamma: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return F32 data, and the reciprocal of the root of their mean square."""
    wide = data.float()
    axes = list(range(data.ndim - gamma.ndim, data.ndim))
    return wide, torch.rsqrt(wide.square().mean(axes, True) + epsilon)


def rms_norm(data: Tensor, gamma: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return data divided by the root of their mean square, and the factor."""
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


def _layer_norm_gradients(
    grad: Tensor, data: Tensor, gamma: Tensor, mean: Tensor, factor: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of a layer norm of F32 data for the data, gamma and beta, in F32."""
    wide = gamma.float()
    of_data, of_gamma, of_beta = torch.ops.aten.native_layer_norm_backward(
        grad.float(), data, list(gamma.shape), mean.float(), factor.float(), wide, wide, [True] * 3
    )
    return of_data, of_gamma, of_beta


def add_layer_norm_backward(
    grad: Tensor,
    one: Tensor,
    other: Tensor,
    factor: Tensor,
    mean: Tensor,
    gamma: Tensor,
    of_sum: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of `add_layer_norm` for each summand, gamma and beta, in F32.

    That of the sum is added.
    """
    total = one.float() + other.float()
    of_data, of_gamma, of_beta = _layer_norm_gradients(grad, total, gamma, mean, factor)
    return of_data if of_sum is None else of_data + of_sum.float(), of_gamma, of_beta


def deep_norm_backward(
    grad: Tensor,
    data: Tensor,
    other: Tensor,
    gamma: Tensor,
    mean: Tensor,
    factor: Tensor,
    alpha: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the gradients of `deep_norm` for x, y, beta and gamma, in F32."""
    total = data.float() * alpha + other.float()
    inner, of_gamma, of_beta = _layer_norm_gradients(grad, total, gamma, mean, factor)
    return inner * alpha, inner, of_beta, of_gamma


def group_norm_silu(
    data: Tensor,
    gamma: Tensor | None,
    beta: Tensor | None,
    groups: int,
    epsilon: float,
    active: bool = True,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the group norm, with SiLU of it, its means and factors."""
    size = data.shape[2:].numel()
    value, mean, factor = torch.ops.aten.native_group_norm(
        data, gamma, beta, data.shape[0], data.shape[1], size, groups, epsilon
    )
    return torch.nn.functional.silu(value) if active else value, mean, factor


def group_norm_swish(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    groups: int,
    layout: str | None,
    epsilon: float,
    active: bool,
    scale: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the group norm n, or n·sigmoid(scale·n), its means and factors, in F32."""
    _check_layout(layout)
    value, mean, factor = group_norm_silu(
        data.float(), gamma.float(), beta.float(), groups, epsilon, active=False
    )
    return value * torch.sigmoid(scale * value) if active else value, mean, factor


def group_norm_swish_backward(
    grad: Tensor,
    mean: Tensor,
    factor: Tensor,
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    groups: int,
    layout: str | None,
    scale: float,
    of_gamma: bool,
    of_beta: bool,
) -> tuple[Tensor | None, ...]:
    """Return the gradients of `group_norm_swish`, and those for gamma and beta if asked, in F32."""
    _check_layout(layout)
    data, gamma, beta, mean, factor = (x.float() for x in (data, gamma, beta, mean, factor))
    batches, channels = data.shape[:2]
    normal = data.reshape(batches, groups, -1) - mean.reshape(batches, groups, 1)
    normal = (normal * factor.reshape(batches, groups, 1)).reshape(batches, channels, -1)
    value = (normal * gamma.unsqueeze(1) + beta.unsqueeze(1)).reshape(data.shape)
    active = torch.sigmoid(scale * value)
    inner = grad.float() * active * (1 + scale * value * (1 - active))
    size = data.shape[2:].numel()
    found: tuple[Tensor | None, ...] = torch.ops.aten.native_group_norm_backward(
        inner, data, mean, factor, gamma, batches, channels, size, groups, [True, of_gamma, of_beta]
    )
    return found


def _check_layout(layout: str | None) -> None:
    if layout not in (None, "NCHW"):
        raise ValueError(f"dataFormatOptional is {layout!r}; 'NCHW' is expected")


def batch_norm(
    data: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor | None,
    var: Tensor | None,
    training: bool,
    *numbers: float,
) -> tuple[Tensor | None, ...]:
    """Return the batch norm, means and factors; the latter are left alone without training."""
    given = (data, weight, bias, mean, var, training, *numbers)
    value, mean, factor = torch.ops.aten.native_batch_norm(*given)
    return (value, mean, factor) if training else (value, None, None)


def batch_norm_stats(data: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return the mean of each channel, and the reciprocal of its standard deviation."""
    wide = data.float()
    axes = [0, *range(2, data.ndim)]
    return wide.mean(axes), torch.rsqrt(wide.var(axes, unbiased=False) + epsilon)


def batch_norm_reduce(data: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sum of each channel and of its squares, in F32."""
    wide, axes = data.float(), [0, *range(2, data.ndim)]
    return wide.sum(axes), wide.square().sum(axes)


def batch_norm_reduce_backward(
    grad: Tensor,
    data: Tensor,
    mean: Tensor,
    factor: Tensor,
    of_data: bool,
    of_weight: bool,
    of_bias: bool,
) -> tuple[Tensor | None, ...]:
    """Return, for each channel, what gradients of the batch norm are made of, as asked for.

    That is the sum of the gradients and that of their products with x - mean, then the gradients
    for the weight and the bias.
    """
    axes, shape = [0, *range(2, data.ndim)], (1, -1, *[1] * (data.ndim - 2))
    wide = grad.float()
    total = wide.sum(axes)
    products = (wide * (data.float() - mean.float().reshape(shape))).sum(axes)
    return (
        total if of_data else None,
        products if of_data else None,
        products * factor.float() if of_weight else None,
        total if of_bias else None,
    )


def _gathered(
    mean: Tensor,
    var: Tensor,
    count: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    momentum: float,
    epsilon: float,
) -> tuple[Tensor, Tensor]:
    """Return means and factors of so many elements; running means and variances move to theirs."""
    for old, new in ((running_mean, mean), (running_var, var * (count / (count - 1)))):
        if old is not None:
            old.copy_((1 - momentum) * old.float() + momentum * new)
    return mean, torch.rsqrt(var + epsilon)


def batch_norm_gather_sums(
    sums: Tensor, squares: Tensor, counts: Tensor, *running: Any
) -> tuple[Tensor, Tensor]:
    """Return means and factors of all devices from their sums; the running ones follow."""
    count = counts.float().sum()
    mean = sums.float().sum(0) / count
    var = squares.float().sum(0) / count - mean.square()
    return _gathered(mean, var, count, *running)


def batch_norm_gather_stats(means: Tensor, factors: Tensor, *others: Any) -> tuple[Tensor, Tensor]:
    """Return means and factors of all devices from those of each; the running ones follow."""
    running_mean, running_var, momentum, epsilon, counts = others
    shares = counts.float().reshape(-1, 1)
    count = shares.sum()
    mean = (means.float() * shares).sum(0) / count
    each = 1 / factors.float().square() - epsilon
    var = ((each + (means.float() - mean).square()) * shares).sum(0) / count
    return _gathered(mean, var, count, running_mean, running_var, momentum, epsilon)


def batch_norm_with(
    data: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, factor: Tensor
) -> Tensor:
    """Return channels normalised with given means and factors."""
    shape = (1, -1, *[1] * (data.ndim - 2))
    value = (data - mean.view(shape)) * factor.view(shape)
    if weight is not None:
        value = value * weight.view(shape)
    return value if bias is None else value + bias.view(shape)


def ada_layer_norm(data: Tensor, scale: Tensor, shift: Tensor, *norm: Any) -> Tensor:
    """Return the layer norm of the last axis, of a weight, bias and epsilon, modulated."""
    normal = torch.nn.functional.layer_norm(data, data.shape[-1:], *norm)
    return modulated(normal, scale, shift)


def modulated(data: Tensor, scale: Tensor | None, shift: Tensor | None) -> Tensor:
    """Return x·(1 + scale) + shift; matrices apply to all rows of a batch."""
    if scale is not None:
        data = data * (1 + (scale.unsqueeze(1) if scale.ndim == 2 else scale))
    if shift is not None:
        data = data + (shift.unsqueeze(1) if shift.ndim == 2 else shift)
    return data
