"""Shapes and strides: broadcasting, merging of axes, tiling, overlap.

Strides are in bytes, as in NumPy.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: highest rank of a tensor
MAX_RANK: Final = 8
#: fewest elements per thread for which starting it pays (measured: see benchmarks/)
SHARE: Final = 16 * 1024
#: elements from which work is parallel
PARALLEL_FROM: Final = 2 * SHARE
#: elements in one tile of a strided loop, twice as many of half precision; its buffers stay in the
#: first-level cache
TILE: Final = 1024
#: edge of a square tile, for operands that run along different axes; two cache lines of float32
EDGE: Final = 32
#: terms in one partial sum of a reduction: part of the definition of its bits
BLOCK: Final = 1024
#: running sums inside a block, term k goes to sum k mod LANES: part of the definition of its bits
LANES: Final = 16
#: most channels in one tile of a reduction; four cache lines of float32
STRIP: Final = 64

Strides = tuple[int, ...]


def broadcast_strides(shape: tuple[int, ...], strides: Strides, target: tuple[int, ...]) -> Strides:
    """Return the strides of an array seen in a shape that it broadcasts to."""
    lead = len(target) - len(shape)
    return (0,) * lead + tuple(
        0 if size == 1 else stride for size, stride in zip(shape, strides, strict=True)
    )


def collapse(
    shape: tuple[int, ...], operands: tuple[Strides, ...]
) -> tuple[tuple[int, ...], tuple[Strides, ...]]:
    """Merge neighbouring axes that are one axis in every operand, and drop axes of size 1.

    Examples
    --------
    >>> collapse((2, 3, 4), ((48, 16, 4), (0, 16, 4)))
    ((2, 12), ((48, 4), (0, 4)))
    """
    sizes: list[int] = []
    steps: list[list[int]] = []
    for axis, size in enumerate(shape):
        if size == 1:
            continue
        step = [strides[axis] for strides in operands]
        if steps and all(a == b * size for a, b in zip(steps[-1], step, strict=True)):
            sizes[-1] *= size
            steps[-1] = step
        else:
            sizes.append(size)
            steps.append(step)
    return tuple(sizes), tuple(tuple(step[k] for step in steps) for k in range(len(operands)))


@lru_cache(maxsize=1024)
def tile_plan(
    shape: tuple[int, ...],
    operands: tuple[Strides, ...],
    itemsizes: tuple[int, ...],
) -> tuple[NDArray[Any], int]:
    """Cut the index space of an elementwise loop into tiles.

    Parameters
    ----------
    shape : tuple of int
        Shape of the output.
    operands : tuple of tuple of int
        Byte strides of every operand in that shape, the output last.
    itemsizes : tuple of int
        Bytes of an element of every operand.

    Returns
    -------
    plan : ndarray of int64
        The number of axes, at least 2, the bytes of the largest tile divided by 8; for every axis,
        the innermost first, its size, the edge of a tile (1 from the third axis on) and the number
        of tiles; then the strides of every operand along these axes.
    tiles : int
        Number of tiles.
    """
    most = 2 * TILE if max(itemsizes) <= 2 else TILE
    order = sorted(range(len(shape)), key=lambda axis: -abs(operands[-1][axis]))
    sizes, steps = collapse(
        tuple(shape[axis] for axis in order),
        tuple(tuple(strides[axis] for axis in order) for strides in operands),
    )
    axes = list(range(len(sizes)))
    crossed = False
    for strides in steps[:-1]:
        # an input that runs along another axis than the output: put the two into one tile
        fastest = min(
            (axis for axis in axes if strides[axis]), key=lambda a: abs(strides[a]), default=None
        )
        if fastest is not None and fastest != len(sizes) - 1:
            axes.remove(fastest)
            axes.insert(len(sizes) - 2, fastest)
            crossed = True
            break
    axes.reverse()
    lengths = [sizes[axis] for axis in axes] + [1] * (2 - len(axes))
    edges = [1] * len(lengths)
    edges[0] = min(lengths[0], EDGE if crossed else most)
    edges[1] = min(lengths[1], EDGE if crossed else max(1, most // edges[0]))
    counts = [-(-length // edge) for length, edge in zip(lengths, edges, strict=True)]
    rows = [len(lengths), -(-edges[0] * edges[1] * max(itemsizes) // 8)]
    for axis in zip(lengths, edges, counts, strict=True):
        rows += axis
    for strides in steps:
        rows += [strides[axis] for axis in axes] + [0] * (2 - len(axes))
    return np.array(rows, np.int64), prod(counts)


class ChannelPlan(NamedTuple):
    """How a loop with one sum per channel walks its operands."""

    #: ``channels, terms, strip, segment, group, columns, r``, the sizes of the ``r`` axes that are
    #: summed over, for every operand its channel stride and its strides along those axes; then, for
    #: the weight, the number of its axes, their sizes and their strides
    plan: NDArray[Any]
    #: number of tasks: blocks of terms × strips of channels
    tasks: int
    #: number of blocks of terms
    blocks: int
    #: which loop walks it
    layout: str
    #: where the plan stands
    address: int


@lru_cache(maxsize=1024)
def dense_channel_plan(shape: tuple[int, ...], channels: int) -> ChannelPlan:
    """Cut the loop over contiguous operands of one shape into tasks.

    Parameters
    ----------
    shape : tuple of int
        Shape of the data.
    channels : int
        Number of channels, which are axis 1, or 1.

    Returns
    -------
    ChannelPlan
        Its plan is ``channels, terms, inner, strip, group, rows``: ``inner`` terms of a channel
        follow one another in memory, ``rows`` rows of channels are taken at a time.
    """
    inner = prod(shape[2:]) if channels > 1 else prod(shape)
    terms = prod(shape) // channels
    # channels that lie side by side in memory are taken together
    strip = min(channels, STRIP) if inner == 1 else 1
    # and if that is all of them, rows that belong to different running sums too
    rows = 0 if inner > 1 else LANES if strip == channels else 1
    group = max(1, SHARE // (strip * min(terms, BLOCK)))
    blocks = -(-terms // BLOCK)
    tasks = blocks * -(-channels // strip)
    plan = np.array((channels, terms, inner, strip, group, rows), np.int64)
    return ChannelPlan(plan, tasks, blocks, "rows" if rows else "runs", plan.ctypes.data)


@lru_cache(maxsize=1024)
def channel_plan(
    shape: tuple[int, ...],
    operands: tuple[Strides, ...],
    channel: int | None,
    weight: tuple[tuple[int, ...], Strides],
) -> ChannelPlan:
    """Cut an elementwise loop with one sum per channel into tasks.

    The terms of a channel are numbered in the C order of the other axes, whatever the strides, and
    every ``BLOCK`` of them is one partial sum.

    Parameters
    ----------
    shape : tuple of int
        Shape of the elementwise output.
    operands : tuple of tuple of int
        Byte strides of every operand in that shape.
    channel : int or None
        The channel axis; None for a single channel.
    weight : tuple
        Shape and byte strides of the tensor that holds one element per channel, in C order.
    """
    rest = tuple(axis for axis in range(len(shape)) if axis != channel)
    channels = 1 if channel is None else shape[channel]
    sizes, steps = collapse(
        tuple(shape[axis] for axis in rest),
        tuple(tuple(strides[axis] for axis in rest) for strides in operands),
    )
    across = tuple(0 if channel is None else strides[channel] for strides in operands)
    terms = prod(sizes)
    inner = sizes[-1] if sizes else 1
    # where channels lie side by side in memory, a tile has them as columns
    columns = channels > 1 and bool(sizes) and abs(across[-1]) < abs(steps[-1][-1])
    strip = min(channels, STRIP if columns else 1 if inner >= BLOCK else STRIP // 4)
    segment = min(BLOCK, 2 * TILE // strip) // LANES * LANES
    group = max(1, 16 * TILE // (strip * min(terms, BLOCK)))
    rows = [channels, terms, strip, segment, group, int(columns), len(sizes), *sizes]
    for stride, step in zip(across, steps, strict=True):
        rows += [stride, *step]
    weight_sizes, (weight_steps,) = collapse(weight[0], (weight[1],))
    rows += [len(weight_sizes), *weight_sizes, *weight_steps]
    blocks = -(-terms // BLOCK)
    plan = np.array(rows, np.int64)
    tasks = blocks * -(-channels // strip)
    layout = "tiled_rows" if columns else "tiled_runs"
    return ChannelPlan(plan, tasks, blocks, layout, plan.ctypes.data)


def has_internal_overlap(array: NDArray[Any]) -> bool:
    """Tell whether two elements of an array share a byte.

    Examples
    --------
    >>> import numpy as np
    >>> has_internal_overlap(np.broadcast_to(np.zeros(1), (3,)))
    True
    >>> has_internal_overlap(np.zeros((3, 4)).T[::-1])
    False
    """
    if array.size == 0:
        return False
    extent = array.itemsize
    for size, stride in sorted(
        zip(array.shape, array.strides, strict=True), key=lambda axis: abs(axis[1])
    ):
        if size > 1:
            if abs(stride) < extent:
                break
            extent += (size - 1) * abs(stride)
    else:
        return False
    # the axes are not nested; pairs of indices that first differ along one axis decide it exactly
    while array.ndim:
        if array.shape[0] > 1 and np.shares_memory(array[1:], array[:1]):
            return True
        array = array[0, ...]  # a view, even of rank 0: no element is read
    return False


def same_view(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Tell whether two arrays are the same view of the same memory."""
    return (
        a.dtype == b.dtype
        and a.shape == b.shape
        and a.strides == b.strides
        and a.__array_interface__["data"][0] == b.__array_interface__["data"][0]
    )


def overlap(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Tell whether two arrays share a byte."""
    if a.base is None and b.base is None and a is not b:
        return False  # each owns its memory
    return np.may_share_memory(a, b) and np.shares_memory(a, b)
