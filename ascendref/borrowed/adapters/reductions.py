"""Reductions."""

from collections.abc import Sequence

import torch
from torch import Tensor

from .shared import axis_of


def is_true_over(data: Tensor, dims: Sequence[int] | None, keep: bool, *, function: str) -> Tensor:
    """Tell whether all or any elements along axes are not 0; of bytes, PyTorch returns bytes."""
    found: Tensor = getattr(torch.ops.aten, function).dims(data != 0, dims, keep)
    return found


def reduced(data: Tensor, dims: Sequence[int], keep: bool, noop: bool, *, function: str) -> Tensor:
    """Return maxima, means or sums along axes: none stands for all, unless it stands for none."""
    if noop and not dims:
        return data.clone()
    value: Tensor = getattr(data, function)(list(dims) or list(range(data.ndim)), keep)
    return value


def log_sum_over(data: Tensor, dims: Sequence[int], keep: bool, noop: bool) -> Tensor:
    """Return logarithms of sums along axes."""
    return torch.log(reduced(data, dims, keep, noop, function="sum"))


def aminmax_over(data: Tensor, dims: Sequence[int], keep: bool) -> tuple[Tensor, Tensor]:
    """Return the smallest and the largest elements along axes."""
    return data.amin(dims, keep), data.amax(dims, keep)


def of_channels(data: Tensor, *, function: str) -> Tensor:
    """Return the largest element or the mean of each channel."""
    value: Tensor = getattr(data, function)(list(range(2, data.ndim)), True)
    return value


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


def of_all(tensors: Sequence[Tensor], *, function: str) -> Tensor:
    """Return sums or the largest or smallest elements of tensors, which are broadcast."""
    value: Tensor = getattr(torch.stack(torch.broadcast_tensors(*tensors)), function)(0)
    return value
