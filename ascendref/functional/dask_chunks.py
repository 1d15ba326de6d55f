"""Chunks of dask arrays: the checks of sizes that are not known yet, and arrays that are cut again.

dask has NaN for a size that is not known before it is computed, as that of ``x[x > 0]``.
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
from ..kernels.loops.channel_plan import BLOCK

#: for every tensor, its axes whose size is not known; the last axis is -1
UnknownAxes = tuple[tuple[int, ...], ...]


def unknown_axes(tensors: list[Any]) -> UnknownAxes:
    """Return the axes of unknown size."""
    return tuple([tuple([k for k in range(-t.ndim, 0) if isnan(t.shape[k])]) for t in tensors])


def result_shapes(
    operator: Operator, tensors: list[Any], unknown: UnknownAxes
) -> tuple[Shape, ...]:
    """Return the shapes of the results, or raise ArgumentValueError as with other arrays.

    In place of those that are not known, they have a size that no tensor has.
    """
    shapes = tuple([tensor.shape for tensor in tensors])
    if not any(unknown):
        return operator.shapes(operator, shapes)
    known = {size for shape in shapes for size in shape}
    other = next(size for size in count(2) if size not in known)
    shapes = tuple([tuple([other if isnan(n) else n for n in shape]) for shape in shapes])
    try:
        return operator.shapes(operator, shapes)
    except ArgumentValueError as error:
        problem = re.sub(rf"\b{other}\b", "nan", error.problem)
        raise ArgumentValueError(error.argument, problem) from None


def check_known(operator: Operator, tensors: list[Any], why: str) -> None:
    """Refuse tensors whose size is not known before it is computed."""
    for param, tensor in zip(operator.tensors, tensors, strict=True):
        if isnan(sum(tensor.shape)):
            raise ArgumentValueError(
                param.name,
                f"has shape {tensor.shape}, which is not known before it is computed; {why}, so"
                " call its compute_chunk_sizes() before",
            )


def check_cuts(operator: Operator, tensors: list[Any], unknown: UnknownAxes) -> None:
    """Refuse axes of unknown size whose chunks do not correspond."""
    first: dict[int, tuple[str, Any]] = {}
    for param, tensor, axes in zip(operator.tensors, tensors, unknown, strict=True):
        for axis in axes:
            name, chunks = first.setdefault(axis, (param.name, tensor.chunks[axis]))
            if tensor.chunks[axis] != chunks:
                raise ArgumentValueError(
                    param.name,
                    f"has shape {tensor.shape}, which is not known before it is computed, and on"
                    f" axis {axis} dask cannot tell which of its chunks belong to those of {name};"
                    " call compute_chunk_sizes() of both before",
                )


def check_blocks(operator: Operator, blocks: tuple[Any, ...], unknown: UnknownAxes) -> None:
    """Refuse blocks whose lengths differ on axes of unknown size, where they would broadcast."""
    first: dict[int, tuple[str, int]] = {}
    for param, block, axes in zip(operator.tensors, blocks, unknown, strict=True):
        for axis in axes:
            name, length = first.setdefault(axis, (param.name, block.shape[axis]))
            if block.shape[axis] != length:
                raise ArgumentValueError(
                    param.name,
                    f"has a chunk of length {block.shape[axis]} on axis {axis}, where that of"
                    f" {name} has {length}; call compute_chunk_sizes() of both before, so that"
                    " chunks are cut to fit or shapes are refused",
                )


def without_empty_chunks(tensor: Any) -> Any:
    """Return a tensor without chunks of size 0; of one without elements, a single chunk."""
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
    """Where the blocks of an array stand in the order of its terms."""

    #: the axes that are summed over, the terms that lie between two of their indices, and the first
    #: index of each chunk
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
    """Return where blocks stand; None if the sum of one would not be part of the tree."""
    axes = tuple([k for k in range(data.ndim) if k != axis])
    sizes = [data.shape[k] for k in axes]
    steps = tuple([prod(sizes[k + 1 :]) for k in range(len(sizes))])
    starts = tuple([chunk_starts(data.chunks[k]) for k in axes])
    cut = [k for k in range(len(axes)) if len(starts[k]) > 1]
    # terms of a block follow one another if before the last axis that is cut it has one index each
    if cut and any(n != 1 for axis in axes[: cut[-1]] for n in data.chunks[axis]):
        return None
    if any(start * steps[k] % BLOCK for k in cut for start in starts[k]):
        return None
    return Places(axes, steps, starts)


def chunk_starts(chunks: tuple[int, ...]) -> Sequence[int]:
    """Return the first index of each chunk; briefly where all but the last have one size."""
    if len(set(chunks[:-1])) == 1:
        return range(0, chunks[0] * len(chunks), chunks[0])
    return tuple(accumulate(chunks[:-1], initial=0))


def in_blocks_of(data: Any, grad: Any) -> Any:
    """Return a gradient in the shape of the data, to which it broadcasts, and in their blocks."""
    lead = data.ndim - grad.ndim
    chunks = [
        data.chunks[lead + axis] if size == data.shape[lead + axis] else (1,)
        for axis, size in enumerate(grad.shape)
    ]
    return da.broadcast_to(grad.rechunk(tuple(chunks)), data.shape, data.chunks)


def in_term_order(array: Any, axis: int | None) -> Any:
    """Return an array of channels × terms, cut at block borders of the tree.

    Chunks are about as large as they were.
    """
    elements = prod(array.chunksize)
    array = array[None] if axis is None else da.moveaxis(array, axis, 0)
    terms = elements // max(array.chunksize[0], 1) // BLOCK * BLOCK
    return _flattened(array, elements).rechunk({1: max(terms, BLOCK)})


def _flattened(array: Any, elements: int) -> Any:
    """Return an array whose axes but the first are one, in chunks of about so many elements."""
    if array.ndim == 1:
        return array[:, None]
    if array.ndim == 2:
        return array
    # dask makes all but the first of the axes whole
    if array.chunksize[0] * prod(array.shape[2:]) > 4 * elements:
        rows = [_flattened(array[:, k], elements) for k in range(array.shape[1])]
        return da.concatenate(rows, axis=1)
    return array.reshape(array.shape[0], -1)
