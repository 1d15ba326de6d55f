"""Reductions."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .shared import axis_of


def _axes(data: Tensor, dims: Sequence[int], noop: bool) -> list[int]:
    """Return the axes that are reduced: none stands for all, unless it stands for none."""
    return list(dims) if dims or noop else list(range(data.ndim))


def all_over(data: Tensor, dims: Sequence[int] | None, keep: bool) -> Tensor:
    """Tell whether all elements along axes are not 0; of bytes, PyTorch would return bytes."""
    return torch.ops.aten.all.dims(data != 0, dims, keep)


def any_over(data: Tensor, dims: Sequence[int] | None, keep: bool) -> Tensor:
    """Tell whether an element along axes is not 0; of bytes, PyTorch would return bytes."""
    return torch.ops.aten.any.dims(data != 0, dims, keep)


def amax_over(data: Tensor, dims: Sequence[int], keep: bool, noop: bool) -> Tensor:
    """Return the largest elements along axes."""
    axes = _axes(data, dims, noop)
    return data.amax(axes, keep) if axes else data.clone()


def mean_over(data: Tensor, dims: Sequence[int], keep: bool, noop: bool) -> Tensor:
    """Return means along axes."""
    axes = _axes(data, dims, noop)
    return data.mean(axes, keep) if axes else data.clone()


def log_sum_over(data: Tensor, dims: Sequence[int], keep: bool, noop: bool) -> Tensor:
    """Return logarithms of sums along axes."""
    axes = _axes(data, dims, noop)
    return torch.log(data.sum(axes, keep) if axes else data)


def aminmax_over(data: Tensor, dims: Sequence[int], keep: bool) -> tuple[Tensor, Tensor]:
    """Return the smallest and the largest elements along axes."""
    return data.amin(dims, keep), data.amax(dims, keep)


def global_max(data: Tensor) -> Tensor:
    """Return the largest element of each channel."""
    return data.amax(list(range(2, data.ndim)), True)


def global_mean(data: Tensor) -> Tensor:
    """Return the mean of each channel."""
    return data.mean(list(range(2, data.ndim)), True)


def cumprod(data: Tensor, dim: float, dtype: torch.dtype | None) -> Tensor:
    """Return running products along an axis."""
    return data.cumprod(_axis(data, dim), dtype=dtype)


def cumprod_(data: Tensor, dim: float) -> Tensor:
    """Replace a tensor by its running products along an axis."""
    return data.cumprod_(_axis(data, dim))


def _axis(data: Tensor, dim: float) -> int:
    if dim != int(dim):
        raise ValueError(f"dim is {dim}; an integer is expected")
    return axis_of("dim", int(dim), data.ndim)


def cumsum_from(data: Tensor, dim: int, exclusive: bool, reverse: bool) -> Tensor:
    """Return running sums along an axis, from its end if reversed, without the element itself."""
    ordered = data.flip(dim) if reverse else data
    sums = ordered.cumsum(dim)
    if exclusive and data.shape[dim]:
        shape = list(data.shape)
        shape[dim] = 1
        sums = torch.cat([sums.new_zeros(shape), sums.narrow(dim, 0, data.shape[dim] - 1)], dim)
    return sums.flip(dim) if reverse else sums


def equal(one: Tensor, other: Tensor) -> Tensor:
    """Tell whether two tensors have the same elements."""
    return (one == other).all() if one.shape == other.shape else one.new_zeros((), dtype=torch.bool)


def sum_of(tensors: Sequence[Tensor]) -> Tensor:
    """Return the sum of tensors, which are broadcast."""
    return torch.stack(torch.broadcast_tensors(*tensors)).sum(0)


def max_of(tensors: Sequence[Tensor]) -> Tensor:
    """Return the largest elements of tensors, which are broadcast."""
    return torch.stack(torch.broadcast_tensors(*tensors)).amax(0)


def min_of(tensors: Sequence[Tensor]) -> Tensor:
    """Return the smallest elements of tensors, which are broadcast."""
    return torch.stack(torch.broadcast_tensors(*tensors)).amin(0)
