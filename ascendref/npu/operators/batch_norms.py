"""Parts of the batch norm of several devices; computed in F32."""

from __future__ import annotations

import torch
from torch import Tensor

from ...borrowed.adapters import normalization as adapters
from ...core.errors import ArgumentValueError
from .formulas import Gradients, Tensors, formula


def _check_channels(name: str, data: Tensor) -> None:
    if data.ndim < 2:
        raise ArgumentValueError(
            name, f"has the shape {list(data.shape)}; it needs at least two axes"
        )


@formula(space="aten")
def batch_norm_stats(input: Tensor, eps: float) -> Tensors:
    """The mean of each channel, and 1 / √(variance + ε)."""
    _check_channels("input", input)
    return adapters.batch_norm_stats(input, eps)


@formula(ignored="eps")
def batch_norm_reduce(input: Tensor) -> Tensors:
    """The sum of each channel, and that of its squares."""
    _check_channels("input", input)
    return adapters.batch_norm_reduce(input)


@formula(space="aten", ignored="input")
def batch_norm_gather_stats_with_counts(
    mean: Tensor,
    invstd: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    momentum: float,
    eps: float,
    counts: Tensor,
) -> Tensors:
    """The mean and the factor of all devices, from those of each; running ones follow."""
    found = adapters.batch_norm_gather_stats(
        mean, invstd, running_mean, running_var, momentum, eps, counts
    )
    return tuple(one.to(mean.dtype) for one in found)


@formula(space="aten", ignored="input")
def batch_norm_gather_stats(
    mean: Tensor,
    invstd: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    momentum: float,
    eps: float,
    count: int,
) -> Tensors:
    """`batch_norm_gather_stats_with_counts` with one count for all devices."""
    counts = torch.full((len(mean),), count, device=mean.device)
    return batch_norm_gather_stats_with_counts(
        mean, invstd, running_mean, running_var, momentum, eps, counts
    )


@formula(ignored="input", renamed={"mean": "sums", "invstd": "squares"})
def batch_norm_gather_stats_update(
    sums: Tensor,
    squares: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    momentum: float,
    eps: float,
    counts: Tensor,
) -> Tensors:
    """`batch_norm_gather_stats_with_counts`, from sums of each device and of its squares."""
    found = adapters.batch_norm_gather_sums(
        sums, squares, counts, running_mean, running_var, momentum, eps
    )
    return tuple(one.to(sums.dtype) for one in found)


@formula(space="aten", ignored="eps")
def batch_norm_elemt(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, invstd: Tensor
) -> Tensor:
    """(x - mean)·invstd·weight + bias."""
    wide = [None if one is None else one.float() for one in (input, weight, bias, mean, invstd)]
    return adapters.batch_norm_with(*wide).to(input.dtype)


@formula(space="aten")
def batch_norm_backward_reduce(
    grad_out: Tensor,
    input: Tensor,
    mean: Tensor,
    invstd: Tensor,
    weight: Tensor | None,
    input_g: bool,
    weight_g: bool,
    bias_g: bool,
) -> Gradients:
    """Sums of the gradients and of their products with x - mean, gradients for weight and bias."""
    asked = (input_g, weight_g, bias_g)
    *sums, of_weight, of_bias = adapters.batch_norm_reduce_backward(
        grad_out, input, mean, invstd, *asked
    )
    type_of = mean.dtype if weight is None else weight.dtype
    gradients = [None if one is None else one.to(type_of) for one in (of_weight, of_bias)]
    return *sums, *gradients


@formula(space="aten")
def batch_norm_backward_elemt(
    grad_out: Tensor,
    input: Tensor,
    mean: Tensor,
    invstd: Tensor,
    weight: Tensor | None,
    sum_dy: Tensor,
    sum_dy_xmu: Tensor,
    count: Tensor,
) -> Tensor:
    """(dy - Σdy / n - (x - mean)·invstd²·Σdy·(x - mean) / n)·invstd·weight."""
    shape, total = (1, -1, *[1] * (input.ndim - 2)), count.sum()
    scale = invstd.float() if weight is None else invstd.float() * weight.float()
    products = invstd.float().square() * sum_dy_xmu.float() / total
    centered = input.float() - mean.float().view(shape)
    found = grad_out.float() - (sum_dy.float() / total).view(shape)
    found = (found - centered * products.view(shape)) * scale.view(shape)
    return found.to(input.dtype)
