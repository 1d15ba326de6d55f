"""Views and copies."""

from collections.abc import Sequence

import torch
from torch import Tensor


def permuted(
    data: Tensor, perm: Sequence[int], shape: Sequence[int], transpose_first: bool
) -> Tensor:
    """Return a tensor whose axes are permuted before or after it is reshaped."""
    if transpose_first:
        return data.permute(perm).reshape(shape)
    return data.reshape(shape).permute(perm)


def flattened(data: Tensor, axis: int) -> Tensor:
    """Return a matrix: the axes before one, and the others."""
    if not -data.ndim <= axis <= data.ndim:
        raise ValueError(f"axis is {axis}; {-data.ndim} to {data.ndim} are allowed")
    return data.reshape(data.shape[:axis].numel(), data.shape[axis:].numel())


def circular_pad_backward(grad: Tensor, data: Tensor, padding: Sequence[int]) -> Tensor:
    """Return the gradient of a circular padding: sums over the copies of an element."""
    total = grad.float()
    for k, (left, right) in enumerate(zip(padding[::2], padding[1::2], strict=True)):
        size = data.shape[-1 - k]
        places = torch.arange(-left, size + right, device=grad.device) % size
        shape = list(total.shape)
        shape[-1 - k] = size
        total = total.new_zeros(shape).index_add(total.ndim - 1 - k, places, total)
    return total


def sliced(data: Tensor, *ranges: Sequence[int]) -> Tensor:
    """Return a slice along several axes, of starts, ends, axes and steps."""
    if len(set(map(len, ranges))) > 1:
        raise ValueError("starts, ends, axes and steps must have as many members each")
    for start, end, axis, step in zip(*ranges, strict=True):
        data = torch.ops.aten.slice(data, axis, start, end, step)
    return data


def strided_slice(
    data: Tensor,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int],
    begin_mask: int,
    end_mask: int,
    *others: int,
) -> Tensor:
    """Return a slice along the first axes; bits of the masks leave out where it begins or ends."""
    if any(others):
        raise ValueError("ellipsisMask, newAxisMask and shrinkAxisMask must be 0")
    for axis, (first, last, step) in enumerate(zip(begin, end, strides, strict=True)):
        start = None if begin_mask >> axis & 1 else first
        stop = None if end_mask >> axis & 1 else last
        data = torch.ops.aten.slice(data, axis, start, stop, step)
    return data
