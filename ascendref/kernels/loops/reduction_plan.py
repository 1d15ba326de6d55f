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
#: terms from which rows that are apart in memory are added to one sum without buffers (measured)
LONG: Final = 128

#: words of a plan: channels, terms of each, tasks, blocks, elements that determine the number of
#: threads, channels of a task, terms of a tile and of a buffer, tasks per call if several threads
#: share the work; whether tasks read and write the operands themselves, then elements between two
#: rows; whether tasks are numbered channel by channel; bytes between two sums; where the weight's
#: axes are; words of an operand, then those of all operands
CHANNELS, TERMS, TASKS, BLOCKS, SHARED, TASK_CHANNELS, TILE_TERMS, HELD_TERMS = range(8)
GROUP, DIRECT, PITCH, BY_CHANNEL, SUMS_STRIDE, WEIGHT, WORDS, LAYOUTS = range(8, 16)
#: words of an operand: its axes that are summed over, terms after which it repeats itself, bytes
#: between two channels; the size of every axis, the innermost first, and its stride
AXES, PERIOD, ACROSS, INNER, ALONG, OUTER, BETWEEN = range(7)


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

    #: the words above; the number of the weight's axes, their sizes and their strides
    words: NDArray[np.int64]
    #: their address
    address: int
    #: "rows" if the channels of a task are adjacent in memory, else "runs"
    layout: str
    #: whether tiles may be copied to buffers
    copies: bool
    channels: int
    #: number of blocks of each channel
    blocks: int


@lru_cache(maxsize=1024)
def reduction_plan(given: Operands) -> ReductionPlan:
    """Divide a reduction into tasks.

    If the strides of all operands are the same, and many elements adjacent along some axis, tasks
    read and write the operands themselves. Otherwise they copy the tiles that are not contiguous.
    """
    shape, channel, itemsize = given.shape, given.channel, given.itemsize
    rest = tuple(axis for axis in range(len(shape)) if axis != channel)
    channels = 1 if channel is None else shape[channel]
    terms = prod(shape[axis] for axis in rest)
    layouts = [
        _layout(shape, strides, rest, 0 if channel is None else strides[channel], itemsize)
        for strides in given.strides
    ]
    longest = max(map(len, layouts))
    across, along = layouts[-1][ACROSS], layouts[-1][ALONG]
    blocks = -(-terms // BLOCK)
    rows = channels > 1 and (terms == 1 or abs(across) < abs(along))
    direct = (
        not given.in_place
        and len(set(layouts)) == 1
        and (across if rows else along) == itemsize
        and all(stride % itemsize == 0 for stride in (across, *layouts[0][ALONG::2]))
        and (channels > 1 or layouts[0][INNER] >= min(terms, LONG))
    )
    long = direct or all(layout[INNER] >= BLOCK for layout in layouts)
    strip = min(channels, STRIP if rows else 1 if long else STRIP // 4)
    tasks = blocks * -(-channels // strip)
    held = 2 * TILE // strip // LANES * LANES
    tile = min(BLOCK, held)
    words = [
        channels,
        terms,
        tasks,
        blocks,
        min(channels * terms, tasks * ELEMENTS_PER_THREAD),  # a task is never divided
        strip,
        tile,
        tile if channels > 1 else held,  # tasks of neighbouring channels follow each other
        max(1, ELEMENTS_PER_THREAD // (strip * min(terms, BLOCK))),
        int(direct),
        along // itemsize,
        int(direct and not rows),
        given.sums_stride,
        0,
        longest,
    ]
    for layout in layouts:
        words += [*layout, *[0] * (longest - len(layout))]
    words[WEIGHT] = len(words)
    weight_sizes, (weight_steps,) = collapse(given.weight[0], (given.weight[1],))
    words += [len(weight_sizes), *weight_sizes, *weight_steps]
    plan = np.array(words, np.int64)
    loop = "rows" if rows else "runs"
    return ReductionPlan(plan, plan.ctypes.data, loop, not direct, channels, blocks)


def _layout(
    shape: tuple[int, ...], strides: Strides, rest: tuple[int, ...], across: int, itemsize: int
) -> tuple[int, ...]:
    """Return the words of an operand, with two axes at least."""
    sizes, (steps,) = collapse(
        tuple(shape[axis] for axis in rest), (tuple(strides[axis] for axis in rest),)
    )
    sizes, steps = sizes or (1,), steps or (itemsize,)
    period = prod(sizes[0 if steps[0] else 1 :])
    axes = [*zip(sizes, steps, strict=True)][::-1] + [(1, 0)] * (2 - len(sizes))
    return len(axes), period, across, *[number for axis in axes for number in axis]


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
