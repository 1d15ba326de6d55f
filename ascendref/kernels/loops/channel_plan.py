"""How an elementwise loop with one sum per channel is divided into tasks."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.layout import Strides, collapse
from ...core.threads import ELEMENTS_PER_THREAD
from .tile_plan import TILE

#: terms in one partial sum of a reduction; determines the result's bits
BLOCK: Final = 1024
#: running sums inside a block, term k goes to sum k mod LANES; determines the result's bits
LANES: Final = 16
#: most channels in one tile of a reduction; four cache lines of float32
STRIP: Final = 64


class ChannelPlan(NamedTuple):
    """How a loop with one sum per channel traverses its operands."""

    #: ``channels, terms, strip, segment, group, columns, r``, the sizes of the ``r`` axes that are
    #: summed over, for every operand its channel stride and its strides along those axes; then, for
    #: the weight, the number of its axes, their sizes and their strides
    plan: NDArray[Any]
    #: number of tasks: blocks of terms × strips of channels
    tasks: int
    #: number of blocks of terms
    blocks: int
    #: which loop traverses it
    layout: str
    #: address of the plan
    address: int


@lru_cache(maxsize=1024)
def dense_channel_plan(shape: tuple[int, ...], channels: int) -> ChannelPlan:
    """Divide the loop over contiguous operands of one shape into tasks.

    Parameters
    ----------
    shape : tuple of int
        Shape of the data.
    channels : int
        Number of channels: the length of axis 1, or 1.

    Returns
    -------
    ChannelPlan
        Its plan is ``channels, terms, inner, strip, group, rows``: ``inner`` terms of a channel are
        consecutive in memory, and ``rows`` rows of channels are processed at a time.
    """
    inner = prod(shape[2:]) if channels > 1 else prod(shape)
    terms = prod(shape) // channels
    # channels that are adjacent in memory are processed together
    strip = min(channels, STRIP) if inner == 1 else 1
    # if that is all channels, also rows that belong to different running sums
    rows = 0 if inner > 1 else LANES if strip == channels else 1
    group = max(1, ELEMENTS_PER_THREAD // (strip * min(terms, BLOCK)))
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
    """Divide an elementwise loop with one sum per channel into tasks.

    The terms of a channel are numbered in C order of the other axes, for all strides; each
    ``BLOCK`` of them is one partial sum.

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
    # if channels are adjacent in memory, they are the columns of a tile
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
