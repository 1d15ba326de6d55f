"""Reading and writing by indices."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .shared import axis_of, chosen

#: the vendor's codes for combining elements with the same index -> PyTorch's names
_SCATTERED = {0: None, 1: "sum", 2: "prod"}
_REDUCED = {0: None, 1: "sum", 2: "prod", 3: "amax", 4: "amin", 5: "mean"}


def _places(indices: Sequence[Tensor]) -> list[Tensor | None]:
    """Return indices of axes as PyTorch takes them: one without elements means a whole axis."""
    for k, index in enumerate(indices):
        if index.numel() and index.dtype not in (torch.int64, torch.int32):
            raise ValueError(f"indices[{k}] has type {index.dtype}; int64 and int32 are allowed")
    if not any(index.numel() for index in indices):
        return [index.long() for index in indices]
    return [index.long() if index.numel() else None for index in indices]


def indexed(data: Tensor, indices: Sequence[Tensor]) -> Tensor:
    """Return the elements at indices of the first axes, which are broadcast."""
    return torch.ops.aten.index.Tensor(data, _places(indices))


def index_put_(
    data: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool, unsafe: bool
) -> Tensor:
    """Replace the elements at indices of the first axes, or add to them."""
    places = _places(indices)
    return torch.ops.aten._index_put_impl_(data, places, values, accumulate, unsafe)


def gather_rows(data: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return slices along an axis, which the axes of the indices replace."""
    dim = axis_of("dim", dim, data.ndim)
    found = data.index_select(dim, index.reshape(-1))
    return found.reshape(data.shape[:dim] + index.shape + data.shape[dim + 1 :])


def gather_batches(data: Tensor, dim: int, index: Tensor, batch_dims: int, mode: int) -> Tensor:
    """Return slices along an axis, for each place of the first axes by indices of its own."""
    del mode  # how the device computes it
    if batch_dims < 0:
        batch_dims += index.ndim
    if batch_dims == 0:
        return gather_rows(data, dim, index)
    dim = axis_of("dim", dim, data.ndim)
    rows = zip(data, index, strict=True)
    return torch.stack([gather_batches(x, dim - 1, i, batch_dims - 1, 0) for x, i in rows])


def gather_nd(data: Tensor, indices: Tensor, negative: bool) -> Tensor:
    """Return the slices at coordinates, which are the last axis of the indices."""
    del negative  # PyTorch always takes indices that count from the end
    return data[tuple(indices.unbind(-1))]


def scatter_nd(data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return a tensor with slices replaced at coordinates."""
    return data.index_put(tuple(indices.unbind(-1)), updates)


def scatter_nd_(data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Replace slices of a tensor at coordinates."""
    return data.index_put_(tuple(indices.unbind(-1)), updates)


def index_fill(
    data: Tensor, dim: int, index: Sequence[int], value: float, *, function: str = "index_fill"
) -> Tensor:
    """Return a tensor with slices along an axis filled, or fill them."""
    places = torch.tensor(index, device=data.device, dtype=torch.int64)
    filled: Tensor = getattr(data, function)(dim, places, value)
    return filled


def scatter(data: Tensor, dim: int, index: Tensor, source: Any, reduce: int) -> Tensor:
    """Return a tensor with elements replaced, added to (1) or multiplied (2)."""
    return scatter_(data.clone(), dim, index, source, reduce)


def scatter_(data: Tensor, dim: int, index: Tensor, source: Any, reduce: int) -> Tensor:
    """Replace elements of a tensor, add to them (1) or multiply them (2)."""
    name = chosen("reduce", reduce, _SCATTERED)
    if name is None:
        return data.scatter_(dim, index, source)
    if isinstance(source, Tensor):
        return data.scatter_reduce_(dim, index, source, name)
    return data.scatter_(dim, index, source, reduce={"sum": "add", "prod": "multiply"}[name])


def scatter_reduce(
    data: Tensor, dim: int, index: Tensor, source: Tensor, reduce: int, include: bool
) -> Tensor:
    """Return a tensor with elements replaced, or combined: see `scatter_reduce_`."""
    return scatter_reduce_(data.clone(), dim, index, source, reduce, include)


def scatter_reduce_(
    data: Tensor, dim: int, index: Tensor, source: Tensor, reduce: int, include: bool
) -> Tensor:
    """Replace elements (0), or put sums, products, maxima, minima or means (5) in their places.

    What was there before is one of the terms if it is included.
    """
    name = chosen("reduce", reduce, _REDUCED)
    if name is None:
        return data.scatter_(dim, index, source)
    return data.scatter_reduce_(dim, index, source, name, include_self=include)


def scatter_rows_(data: Tensor, indices: Tensor, updates: Tensor, *, reduce: str) -> Tensor:
    """Combine rows of a tensor with others."""
    rows = updates.reshape(indices.numel(), *data.shape[1:])
    places = indices.reshape(-1, *[1] * (data.ndim - 1)).expand_as(rows)
    return data.scatter_reduce_(0, places, rows, reduce)


def scatter_div_rows_(data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Divide rows of a tensor."""
    return data.div_(scatter_rows_(torch.ones_like(data), indices, updates, reduce="prod"))


def nonzero_by_axis(data: Tensor) -> Tensor:
    """Return the coordinates of elements that are not 0, a row for each axis."""
    return data.nonzero().t()


def unique(
    data: Tensor, ordered: bool, inverse: bool, counts: bool = True, dim: int | None = None
) -> tuple[Any, ...]:
    """Return the different elements or slices, which of them each is, and how often each occurs."""
    values, places, numbers = torch.unique(
        data, sorted=ordered, return_inverse=True, return_counts=True, dim=dim
    )
    return values, places if inverse else None, numbers if counts else None


def unique_consecutive(data: Tensor, inverse: bool, counts: bool, dim: int) -> tuple[Any, ...]:
    """Return runs of equal elements, which run each element is in, and the runs' lengths.

    The vendor's code for no axis is 1000.
    """
    values, places, numbers = torch.unique_consecutive(
        data, return_inverse=True, return_counts=True, dim=None if dim == 1000 else dim
    )
    return values, places if inverse else None, numbers if counts else None


def one_hot(index: Tensor, classes: int, on: Tensor, off: Tensor, axis: int) -> Tensor:
    """Return one value where the index is that of the class, and another elsewhere."""
    found = torch.arange(classes, device=index.device) == index.unsqueeze(-1)
    return torch.where(found, on.reshape(()), off.reshape(())).movedim(-1, axis)


def scatter_update_(data: Tensor, indices: Tensor, updates: Tensor, axis: int) -> None:
    """Write updates along an axis, for each place of the first axis from an index of its own."""
    axis = axis_of("axis", axis, data.ndim) - 1
    if axis < 0:
        raise ValueError("axis is the first one; another is expected")
    for row, start, update in zip(data, indices.reshape(-1), updates, strict=True):
        row.index_copy_(axis, start + torch.arange(update.shape[axis], device=start.device), update)
