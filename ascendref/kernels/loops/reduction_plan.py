"""How a reduction is divided into tasks: blocks of terms, strips of channels, tiles.

The terms of a channel are numbered in C order of the axes that are summed over, for all strides.
Block b holds terms 1024 b … 1024 b + 1023. A task computes one block of a strip of channels.
"""

from functools import lru_cache
from math import prod
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.layout import Strides, collapse
from ...core.threads import ELEMENTS_PER_THREAD
from .tile_plan import TILE

#: terms in one partial sum of a reduction; determines the result's bits
BLOCK: Final = 1024
#: running sums inside a block, term k goes to sum k mod LANES; determines the result's bits
LANES: Final = 16
#: most channels of a task; four cache lines of float32
STRIP: Final = 64

#: words of a plan: channels, terms of each, tasks, blocks, elements that determine the number of
#: threads, channels of a task, terms of a tile, tasks per call if several threads share the work;
#: whether tasks read and write the operands themselves, then elements between two rows; whether
#: tasks are numbered channel by channel; bytes between two sums; where the weight's axes are; the
#: number of axes that are summed over
CHANNELS, TERMS, TASKS, BLOCKS, SHARED, TASK_CHANNELS, TILE_TERMS, GROUP = range(8)
DIRECT, PITCH, BY_CHANNEL, SUMS_STRIDE, WEIGHT, AXES, SIZES = range(8, 15)


class Operands(NamedTuple):
    """The layout of the operands of a reduction; strides are in bytes."""

    shape: tuple[int, ...]
    #: strides of the tensors and of the elementwise result, if any, in this shape
    strides: tuple[Strides, ...]
    #: bytes of an element
    itemsize: int
    #: the channel axis; None for one sum of all elements
    channel: int | None
    #: shape and strides of the tensor that has one element per channel, in C order
    weight: tuple[tuple[int, ...], Strides]
    #: bytes between two sums
    sums_stride: int
    #: whether a result is the same view as an input
    in_place: bool = False


class ReductionPlan(NamedTuple):
    """How a reduction traverses its operands."""

    #: the words above; the sizes of the axes that are summed over; for every operand its channel
    #: stride and its strides along those axes; the number of the weight's axes, their sizes and
    #: their strides
    words: NDArray[np.int64]
    #: their address
    address: int
    #: "rows" if the channels of a task are adjacent in memory, else "runs"
    layout: str
    #: whether tiles are copied to buffers
    copies: bool
    channels: int
    #: number of blocks of each channel
    blocks: int


@lru_cache(maxsize=1024)
def reduction_plan(given: Operands) -> ReductionPlan:
    """Divide a reduction into tasks.

    If the strides of all operands are the same, and elements adjacent along some axis, tasks read
    and write the operands themselves. Otherwise they copy tiles, so results may be in place.
    """
    shape, channel, itemsize = given.shape, given.channel, given.itemsize
    rest = tuple(axis for axis in range(len(shape)) if axis != channel)
    channels = 1 if channel is None else shape[channel]
    sizes, steps = collapse(
        tuple(shape[axis] for axis in rest),
        tuple(tuple(strides[axis] for axis in rest) for strides in given.strides),
    )
    across = tuple(0 if channel is None else strides[channel] for strides in given.strides)
    along = tuple(step[-1] if sizes else 0 for step in steps)
    terms = prod(sizes)
    blocks = -(-terms // BLOCK)
    rows = channels > 1 and (not sizes or abs(across[-1]) < abs(along[-1]))
    layouts = {(stride, *step) for stride, step in zip(across, steps, strict=True)}
    adjacent = across[0] if rows else along[0] if sizes else itemsize
    direct = (
        not given.in_place
        and len(layouts) == 1
        and adjacent == itemsize
        and all(stride % itemsize == 0 for stride in next(iter(layouts)))
    )
    long = direct or (bool(sizes) and sizes[-1] >= BLOCK)
    strip = min(channels, STRIP if rows else 1 if long else STRIP // 4)
    tasks = blocks * -(-channels // strip)
    words = [
        channels,
        terms,
        tasks,
        blocks,
        min(channels * terms, tasks * ELEMENTS_PER_THREAD),  # a task is never divided
        strip,
        min(BLOCK, 2 * TILE // strip) // LANES * LANES,
        max(1, ELEMENTS_PER_THREAD // (strip * min(terms, BLOCK))),
        int(direct),
        along[0] // itemsize if sizes else strip,
        int(direct and not rows),
        given.sums_stride,
        0,
        len(sizes),
        *sizes,
    ]
    for stride, step in zip(across, steps, strict=True):
        words += [stride, *step]
    words[WEIGHT] = len(words)
    weight_sizes, (weight_steps,) = collapse(given.weight[0], (given.weight[1],))
    words += [len(weight_sizes), *weight_sizes, *weight_steps]
    plan = np.array(words, np.int64)
    layout = "rows" if rows else "runs"
    return ReductionPlan(plan, plan.ctypes.data, layout, not direct, channels, blocks)


@lru_cache(maxsize=1024)
def contiguous_plan(
    shape: tuple[int, ...], operands: int, itemsize: int, channels: int
) -> ReductionPlan:
    """Return the plan for contiguous operands; one sum if ``channels`` is 1."""
    strides = tuple([prod(shape[axis + 1 :]) * itemsize for axis in range(len(shape))])
    channel = 1 if channels > 1 else None
    weight = (channels,), (itemsize,)
    return reduction_plan(
        Operands(shape, (strides,) * operands, itemsize, channel, weight, itemsize)
    )
