"""Order, shape and place of elements."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from ...borrowed.adapters import indexing
from ...borrowed.adapters.layout import permuted, strided_slice
from ...core.errors import ArgumentValueError
from .formulas import Tensors, formula, refuse


@formula()
def one_(input: Tensor) -> Tensor:
    """Ones in place."""
    return input.fill_(1)


@formula(ignored="require_contiguous")
def npu_transpose(input: Tensor, perm: list[int]) -> Tensor:
    """Axes in another order; the result is contiguous."""
    return input.permute(perm).clone(memory_format=torch.contiguous_format)


@formula(ignored="can_refresh")
def npu_reshape(input: Tensor, shape: list[int]) -> Tensor:
    """The elements in another shape; a copy."""
    return input.reshape(shape).clone(memory_format=torch.contiguous_format)


@formula()
def npu_broadcast(input: Tensor, size: list[int]) -> Tensor:
    """A tensor repeated along axes of 1; the result is contiguous."""
    return input.expand(size).clone(memory_format=torch.contiguous_format)


@formula()
def npu_stride_copy(
    input: Tensor, shape: list[int], stride: list[int], storage_offset: float
) -> Tensor:
    """A contiguous copy of elements with strides."""
    found = input.as_strided(shape, stride, int(storage_offset))
    return found.clone(memory_format=torch.contiguous_format)


@formula()
def npu_view_copy(input: Tensor, other: Tensor, non_blocking: bool) -> Tensor:
    """Elements of another tensor in place."""
    return input.copy_(other, non_blocking)


@formula()
def npu_slice(input: Tensor, offsets: list[int], size: list[int]) -> Tensor:
    """So many elements of each axis, from an offset on."""
    for axis, (offset, count) in enumerate(zip(offsets, size, strict=True)):
        input = input.narrow(axis, offset, count)
    return input.clone(memory_format=torch.contiguous_format)


@formula()
def npu_pad(input: Tensor, paddings: list[int]) -> Tensor:
    """Zeros before and after each axis; the numbers begin with the first axis."""
    if len(paddings) != 2 * input.ndim:
        raise ArgumentValueError(
            "paddings",
            f"has {len(paddings)} numbers; expected: {2 * input.ndim}, two for each axis",
        )
    pairs = zip(paddings[::2], paddings[1::2], strict=True)
    return F.pad(input, [number for pair in reversed(list(pairs)) for number in pair])


@formula()
def npu_confusion_transpose(
    input: Tensor, perm: list[int], shape: list[int], transpose_first: bool
) -> Tensor:
    """Axes in another order, then another shape, or the shape first."""
    return permuted(input, perm, shape, transpose_first).contiguous()


@formula()
def npu_confusion_transpose_backward(
    grad: Tensor, perm: list[int], shape: list[int], transpose_first: bool
) -> Tensor:
    """Gradient of `npu_confusion_transpose`, of an input of this shape."""
    inverse = sorted(range(len(perm)), key=perm.__getitem__)
    sizes = [shape[axis] for axis in perm] if transpose_first else shape
    return permuted(grad, inverse, sizes, not transpose_first).contiguous()


@formula()
def npu_indexing(
    input: Tensor,
    begin: list[int],
    end: list[int],
    strides: list[int],
    begin_mask: int,
    end_mask: int,
) -> Tensor:
    """A slice of the first axes; bits of the masks leave out where it begins or ends."""
    found = strided_slice(input, begin, end, strides, begin_mask, end_mask)
    return found.clone(memory_format=torch.contiguous_format)


@formula()
def npu_masked_fill_range(
    input: Tensor, start: Tensor, end: Tensor, value: Tensor, axis: int
) -> Tensor:
    """Values in ranges of rows: of each range's row, from its start to before its end."""
    if input.ndim != 2 or axis % input.ndim != 1:
        refuse("except for rows of a matrix")
    places = torch.arange(input.shape[1], device=input.device)
    found = input
    for first, last, number in zip(start, end, value, strict=True):
        inside = (places >= first.unsqueeze(1)) & (places < last.unsqueeze(1))
        inside = F.pad(inside, (0, 0, 0, len(input) - len(inside)))
        found = torch.where(inside, number.reshape(()).to(input.dtype), found)
    return found


# ---- indices


@formula()
def npu_one_hot(
    input: Tensor, num_classes: int, depth: int, on_value: float, off_value: float
) -> Tensor:
    """One value where an index is that of the class, and another elsewhere.

    The classes, as many as depth says, are along the axis num_classes.
    """
    on, off = (torch.tensor(float(one), device=input.device) for one in (on_value, off_value))
    return indexing.one_hot(input, depth, on, off, num_classes).contiguous()


@formula()
def npu_sort_v2(input: Tensor, dim: int, descending: bool) -> Tensor:
    """Values in order along an axis."""
    return torch.sort(input, dim, descending)[0]


@formula("npu_max.dim")
def npu_max(input: Tensor, dim: int, keepdim: bool) -> Tensors:
    """Maxima along an axis, and their places as INT32."""
    values, places = torch.max(input, dim, keepdim)
    return values, places.int()


@formula("npu_min.dim")
def npu_min(input: Tensor, dim: int, keepdim: bool) -> Tensors:
    """Minima along an axis, and their places as INT32."""
    values, places = torch.min(input, dim, keepdim)
    return values, places.int()


@formula("npu_max_backward", "npu_min_backward")
def extreme_backward(
    grad: Tensor, dim: int, indices: Tensor, sizes: list[int], keepdim: bool
) -> Tensor:
    """Gradients at the places of extremes, and 0 elsewhere."""
    return torch.ops.aten.value_selecting_reduction_backward(
        grad, dim, indices.long(), sizes, keepdim
    )


@formula()
def npu_gather_sparse_index(input: Tensor, index: Tensor) -> Tensor:
    """Slices along the first axis, which the axes of the indices replace."""
    return indexing.gather_rows(input, 0, index)


@formula()
def npu_gather_sparse_index_backward(grad: Tensor, self_sizes: list[int], index: Tensor) -> Tensor:
    """Gradient of `npu_gather_sparse_index`, of an input of this shape."""
    found = grad.new_zeros(self_sizes)
    return found.index_add_(0, index.reshape(-1), grad.reshape(-1, *self_sizes[1:]))


@formula()
def npu_scatter_nd_update(input: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """A tensor with slices replaced at coordinates, the last axis of the indices."""
    return npu_scatter_nd_update_(input.clone(), indices, updates)


@formula()
def npu_scatter_nd_update_(input: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """`npu_scatter_nd_update` in place."""
    return indexing.scatter_nd_(input, indices.long(), updates)


@formula()
def scatter_update(input: Tensor, indices: Tensor, updates: Tensor, axis: int) -> Tensor:
    """A tensor whose slice i has updates along an axis, from the index i on."""
    return scatter_update_(input.clone(), indices, updates, axis)


@formula()
def scatter_update_(input: Tensor, indices: Tensor, updates: Tensor, axis: int) -> Tensor:
    """`scatter_update` in place."""
    if indices.ndim != 1:
        refuse(f"with indices of {indices.ndim} axes")
    if axis % input.ndim == 0:
        raise ArgumentValueError("axis", f"is {axis}; it must be another one than the first")
    indexing.scatter_update_(input, indices, updates, axis)
    return input
