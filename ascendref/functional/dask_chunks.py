"""Chunks of dask arrays: checks of unknown sizes, and rechunking.

dask reports NaN for a size that is unknown until it is computed, as for ``x[x > 0]``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, count
from math import isnan, prod
from typing import Any, NamedTuple

import dask.array as da

from ..core.errors import ArgumentValueError
from ..declaration.operator import Operator, Shape
from ..declaration.views import HALVES, PER_CHANNEL
from ..kernels.loops.reduction_plan import BLOCK

#: for every tensor, its axes of unknown size; the last axis is -1
UnknownAxes = tuple[tuple[int, ...], ...]


def unknown_axes(tensors: list[Any]) -> UnknownAxes:
    """Return the axes of unknown size."""
    return tuple([tuple([k for k in range(-t.ndim, 0) if isnan(t.shape[k])]) for t in tensors])


def result_shapes(
    operator: Operator, tensors: list[Any], scalars: tuple[float, ...], unknown: UnknownAxes
) -> tuple[Shape, ...]:
    """Return the shapes of the results, or raise ArgumentValueError as for other arrays.

    Unknown sizes are replaced by a size that no tensor has.
    """
    shapes = tuple([tensor.shape for tensor in tensors])
    if not any(unknown):
        return operator.shapes(operator, shapes, scalars)
    known = {size for shape in shapes for size in shape}
    other = next(size for size in count(2) if size not in known)
    shapes = tuple([tuple([other if isnan(n) else n for n in shape]) for shape in shapes])
    try:
        return operator.shapes(operator, shapes, scalars)
    except ArgumentValueError as error:
        problem = re.sub(rf"\b{other}\b", "nan", error.problem)
        raise ArgumentValueError(error.argument, problem) from None


def check_known(operator: Operator, tensors: list[Any], why: str) -> None:
    """Refuse tensors whose size is unknown until it is computed."""
    for param, tensor in zip(operator.tensors, tensors, strict=True):
        _check_sizes(param.name, tensor, tensor.shape, why)


def _check_sizes(argument: str, tensor: Any, sizes: tuple[float, ...], why: str) -> None:
    """Refuse a tensor if some of its sizes are unknown."""
    if isnan(sum(sizes)):
        raise ArgumentValueError(
            argument,
            f"has shape {tensor.shape}, which is unknown until it is computed; {why}, so call its"
            " compute_chunk_sizes() first",
        )


def check_cuts(operator: Operator, tensors: list[Any], unknown: UnknownAxes) -> None:
    """Refuse axes of unknown size whose chunks cannot be matched."""
    first: dict[int, tuple[str, Any]] = {}
    for param, tensor, axes in zip(operator.tensors, tensors, unknown, strict=True):
        for axis in axes:
            name, chunks = first.setdefault(axis, (param.name, tensor.chunks[axis]))
            if tensor.chunks[axis] != chunks:
                raise ArgumentValueError(
                    param.name,
                    f"has shape {tensor.shape}, which is unknown until it is computed, and on"
                    f" axis {axis} dask cannot match its chunks to those of {name};"
                    " call compute_chunk_sizes() of both first",
                )


def check_blocks(operator: Operator, blocks: tuple[Any, ...], unknown: UnknownAxes) -> None:
    """Refuse blocks that would broadcast because their lengths differ on axes of unknown size."""
    first: dict[int, tuple[str, int]] = {}
    for param, block, axes in zip(operator.tensors, blocks, unknown, strict=True):
        for axis in axes:
            name, length = first.setdefault(axis, (param.name, block.shape[axis]))
            if block.shape[axis] != length:
                raise ArgumentValueError(
                    param.name,
                    f"has a chunk of length {block.shape[axis]} on axis {axis}, where that of"
                    f" {name} has {length}; call compute_chunk_sizes() of both first, so that"
                    " chunks are aligned or the shapes are refused",
                )


def in_chunks_for_views(operator: Operator, tensors: list[Any], axis: int) -> list[Any]:
    """Return tensors of whose blocks views can be taken: an axis that is halved has one chunk."""
    halved, found = any([param.view is HALVES for param in operator.tensors]), []
    for param, tensor in zip(operator.tensors, tensors, strict=True):
        if param.view is PER_CHANNEL:
            _check_sizes(param.name, tensor, tensor.shape, "its elements are counted")
        # what lacks the axis is refused with the shapes
        elif halved and -tensor.ndim <= axis < tensor.ndim:
            _check_sizes(param.name, tensor, tensor.shape[axis : axis + 1 or None], "it is halved")
            tensor = tensor.rechunk({axis: -1})
        found.append(tensor)
    return found


def without_empty_chunks(tensor: Any) -> Any:
    """Return a tensor without chunks of size 0; an empty tensor becomes a single chunk."""
    if tensor.size == 0:
        return da.empty(tensor.shape, dtype=tensor.dtype, chunks=-1)
    return tensor.rechunk(
        {
            axis: tuple([size for size in sizes if size])
            for axis, sizes in enumerate(tensor.chunks)
            if 0 in sizes and not isnan(sum(sizes))
        }
    )


class Places(NamedTuple):
    """Positions of an array's blocks in the order of its terms."""

    #: for each axis that is summed over: the terms between two of its indices, and the first index
    #: of each chunk
    axes: tuple[int, ...]
    steps: tuple[int, ...]
    starts: tuple[Sequence[int], ...]

    def first(self, block: tuple[int, ...]) -> int:
        """Return the position of a block's first term."""
        return sum(
            starts[block[axis]] * step
            for axis, step, starts in zip(self.axes, self.steps, self.starts, strict=True)
        )


def places_of(data: Any, axis: int | None) -> Places | None:
    """Return the blocks' positions; None if a block's sum would not fit the summation tree."""
    axes = tuple([k for k in range(data.ndim) if k != axis])
    sizes = [data.shape[k] for k in axes]
    steps = tuple([prod(sizes[k + 1 :]) for k in range(len(sizes))])
    starts = tuple([chunk_starts(data.chunks[k]) for k in axes])
    cut = [k for k in range(len(axes)) if len(starts[k]) > 1]
    # a block's terms are consecutive if it has one index on each axis before the last axis that is
    # cut
    if cut and any(n != 1 for axis in axes[: cut[-1]] for n in data.chunks[axis]):
        return None
    if any(start * steps[k] % BLOCK for k in cut for start in starts[k]):
        return None
    return Places(axes, steps, starts)


def chunk_starts(chunks: tuple[int, ...]) -> Sequence[int]:
    """Return the first index of each chunk: a range if all but the last have the same size."""
    if len(set(chunks[:-1])) == 1:
        return range(0, chunks[0] * len(chunks), chunks[0])
    return tuple(accumulate(chunks[:-1], initial=0))


def in_blocks_of(data: Any, grad: Any) -> Any:
    """Return a gradient broadcast to the shape of the data, with their chunks."""
    lead = data.ndim - grad.ndim
    chunks = [
        data.chunks[lead + axis] if size == data.shape[lead + axis] else (1,)
        for axis, size in enumerate(grad.shape)
    ]
    return da.broadcast_to(grad.rechunk(tuple(chunks)), data.shape, data.chunks)


def in_term_order(array: Any, axis: int | None) -> Any:
    """Return an array of channels × terms, cut at blocks of the summation tree.

    Chunks keep about their size.
    """
    elements = prod(array.chunksize)
    array = array[None] if axis is None else da.moveaxis(array, axis, 0)
    terms = elements // max(array.chunksize[0], 1) // BLOCK * BLOCK
    return _flattened(array, elements).rechunk({1: max(terms, BLOCK)})


def _flattened(array: Any, elements: int) -> Any:
    """Return an array with all axes but the first merged, in chunks of about so many elements."""
    if array.ndim == 1:
        return array[:, None]
    if array.ndim == 2:
        return array
    # dask rechunks all axes but the first to a single chunk
    if array.chunksize[0] * prod(array.shape[2:]) > 4 * elements:
        rows = [_flattened(array[:, k], elements) for k in range(array.shape[1])]
        return da.concatenate(rows, axis=1)
    return array.reshape(array.shape[0], -1)
