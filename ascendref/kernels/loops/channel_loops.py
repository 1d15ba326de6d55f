"""Tasks that compute an elementwise result together with one sum per channel.

*Rows* and *runs* are loops over contiguous operands, sixteen elements at a time in registers. If
channels are adjacent in memory, the loop processes row after row of channels, so that memory is
accessed in order; otherwise it processes runs of one channel. *Tiled rows* and *tiled runs* are the
same for any other layout, through buffers.

A task processes blocks of terms of some channels. When all are done, another task adds the sums of
the blocks of each channel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ..compiler.jit import helper, merged
from ..runtime.array_header import GATHER, ROWS, SCATTER
from ..runtime.launch import (
    FAILURE,
    NO_MEMORY,
    PLAN,
    TABLE,
    Task,
    own_address,
    set_word,
)
from ..runtime.memory import allocate, beyond, int64_pointer, release, smaller, word
from ..runtime.nontemporal import LINE
from .channel_plan import BLOCK, LANES
from .running_sums import (
    BLOCKS,
    DATA,
    GRAD,
    PARTIAL,
    RESULT,
    WEIGHT,
    Compiled,
    Pointer,
    RunningSums,
)
from .tiles import copy_tile


@dataclass(frozen=True)
class ChannelParts:
    """The functions and sizes that the loops use."""

    sums: RunningSums
    #: reduces running sums to sums (`adder_up`)
    add_up: Compiled
    #: converts an address to a pointer to registers
    pointer: Compiled
    #: the elementwise result, from gradient, data and weight
    element: Compiled
    #: read, decode, encode and write one element of an operand
    read: Compiled
    decode: Compiled
    encode: Compiled
    write: Compiled
    #: bytes of an element
    size: int
    #: registers before the running sums; bytes before the kept terms, before the tiles, of a tile,
    #: and in total
    lanes_at: int
    kept_at: int
    tiles_at: int
    tile: int
    room: int


def place_of(size: int) -> Compiled:
    """Return the function that gives a term's byte offset in contiguous operands."""

    @helper
    def place(plan: Pointer, channel: int, term: int) -> int:
        inner = plan[2]
        batch = term // inner
        at: int = ((batch * plan[0] + channel) * inner + term - batch * inner) * size
        return at

    return place


@merged
def strides_at(plan: Pointer, operand: int) -> int:
    """Return the position of an operand's strides in the plan for any layout."""
    axes = plan[6]
    at: int = 7 + axes + operand * (axes + 1)
    return at


@helper
def tiled_place(plan: Pointer, at: int, channel: int, term: int) -> int:
    """Return a term's byte offset from the first element in an operand of any layout.

    Its strides begin at ``at`` (`strides_at`). If it took the operand's number instead, Numba would
    compile it once per number.
    """
    axes = plan[6]
    offset: int = channel * plan[at]
    for axis in range(axes - 1, -1, -1):
        size = plan[7 + axis]
        after = term // size
        offset += (term - after * size) * plan[at + 1 + axis]
        term = after
    return offset


def total_task(sums: RunningSums, pointer: Compiled) -> Task:
    """Return the task that computes the channels' results from the sums of their blocks."""
    finish = sums.finish

    def task(arguments: int, start: int, stop: int) -> Any:
        if stop < start:
            return own_address()
        plan = int64_pointer(word(arguments, PLAN))
        stored, blocks = pointer(word(arguments, PARTIAL)), word(arguments, BLOCKS)
        apart = plan[0] * blocks
        hard = 0
        for channel in range(start, stop):
            hard += finish(arguments, channel, stored, channel * blocks, apart, blocks)
        return hard

    return task


def adder_up(sums: RunningSums, pointer: Compiled) -> Compiled:
    """Return the function that reduces each channel's running sums in a block to one sum.

    The running sums of up to ``strip`` channels are adjacent.
    """
    merge, put, deliver = sums.merge, sums.put, sums.deliver

    @helper
    def add_up(
        arguments: int, lanes: Pointer, strip: int, first: int, height: int, block: int
    ) -> int:
        half = LANES // 2 * strip
        while half >= strip:
            for k in range(half):
                merge(lanes, k, k + half)
            half //= 2
        blocks, partial = word(arguments, BLOCKS), word(arguments, PARTIAL)
        apart = word(word(arguments, PLAN), 0) * blocks
        hard = 0
        for c in range(height):
            if partial:
                put(pointer(partial), (first + c) * blocks + block, apart, lanes, c)
            else:
                hard += deliver(arguments, first + c, lanes, c)
        return hard

    return add_up


def rows_task(parts: ChannelParts) -> Task:
    """Return the task for contiguous operands whose channels are adjacent in memory."""
    pointer, element = parts.pointer, parts.element
    read, decode, encode, write = parts.read, parts.decode, parts.encode, parts.write
    clear, add = parts.sums.clear, parts.sums.add
    add_up = parts.add_up
    size, lanes_at, room = parts.size, parts.lanes_at, parts.room

    def task(arguments: int, start: int, stop: int) -> Any:
        if stop < start:
            return own_address()
        buffers = allocate(room, LINE)
        if buffers == 0:
            set_word(arguments, FAILURE, NO_MEMORY)
            return 0
        # buffers are aligned to cache lines, so that no vector crosses one
        weights = pointer(buffers)
        lanes = beyond(weights, lanes_at)
        plan = int64_pointer(word(arguments, PLAN))
        channels, terms, strip, rows = plan[0], plan[1], plan[3], plan[5]
        strips = (channels + strip - 1) // strip
        grad, data = word(arguments, GRAD), word(arguments, DATA)
        weight, result = word(arguments, WEIGHT), word(arguments, RESULT)
        hard = 0
        for number in range(start, stop):
            # all rows of a strip of channels in one block, where they are done first
            block = number // strips
            channel = (number - block * strips) * strip
            height = smaller(strip, channels - channel)
            term = block * BLOCK
            end = smaller(terms, term + BLOCK)
            # running sums without terms keep their neutral value
            for k in range(LANES * strip):
                clear(lanes, k)
            for row in range(rows):
                for c in range(height):
                    weights[row * strip + c] = decode(read(weight, (channel + c) * size))
            done = 0
            while term < end:
                at = (term * channels + channel) * size
                grad_at, data_at, result_at = grad + at, data + at, result + at
                lane = done % LANES * strip
                count = height * smaller(rows, end - term)
                for i in range(count):
                    g, x = decode(read(grad_at, i * size)), decode(read(data_at, i * size))
                    write(result_at, i * size, encode(element((g, x, weights[i]), ())))
                    add(lanes, lane + i, g, x)
                done += rows
                term += rows
            hard += add_up(arguments, lanes, strip, channel, height, block)
        release(buffers)
        return hard

    return task


def runs_task(parts: ChannelParts) -> Task:
    """Return the task for contiguous operands in which the terms of a channel are consecutive."""
    pointer, element, place = parts.pointer, parts.element, place_of(parts.size)
    read, decode, encode, write = parts.read, parts.decode, parts.encode, parts.write
    clear, keep, add_kept = parts.sums.clear, parts.sums.keep, parts.sums.add_kept
    add_rows = parts.sums.add_rows
    add_up = parts.add_up
    size, lanes_at, kept_at, room = parts.size, parts.lanes_at, parts.kept_at, parts.room

    def task(arguments: int, start: int, stop: int) -> Any:
        if stop < start:
            return own_address()
        buffers = allocate(room, LINE)
        if buffers == 0:
            set_word(arguments, FAILURE, NO_MEMORY)
            return 0
        lanes, kept = beyond(pointer(buffers), lanes_at), pointer(buffers + kept_at)
        plan = int64_pointer(word(arguments, PLAN))
        terms, inner = plan[1], plan[2]
        grad, data = word(arguments, GRAD), word(arguments, DATA)
        weight, result = word(arguments, WEIGHT), word(arguments, RESULT)
        blocks = word(arguments, BLOCKS)
        hard = 0
        for number in range(start, stop):
            channel = number // blocks
            block = number - channel * blocks
            term = block * BLOCK
            end = smaller(terms, term + BLOCK)
            for k in range(LANES):
                clear(lanes, k)
            factor = decode(read(weight, channel * size))
            lane = 0
            while term < end:
                at = place(plan, channel, term)
                grad_at, data_at, result_at = grad + at, data + at, result + at
                run = smaller(inner - term % inner, end - term)
                for i in range(run):
                    g, x = decode(read(grad_at, i * size)), decode(read(data_at, i * size))
                    write(result_at, i * size, encode(element((g, x, factor), ())))
                    keep(kept, i, g, x)
                # terms up to the first running sum, whole rounds from there, and the rest
                i = 0
                while lane and i < run:
                    add_kept(lanes, lane, kept, i)
                    lane = (lane + 1) % LANES
                    i += 1
                whole = i + (run - i) // LANES * LANES
                add_rows(lanes, 0, kept, i, whole)
                for i in range(whole, run):
                    add_kept(lanes, lane, kept, i)
                    lane += 1
                term += run
            hard += add_up(arguments, lanes, 1, channel, 1, block)
        release(buffers)
        return hard

    return task


def tiled_task(parts: ChannelParts, *, rows: bool) -> Task:
    """Return the task for operands of any layout.

    A tile has terms as rows of channels, or channels as rows of terms.
    """
    pointer, element = parts.pointer, parts.element
    read, decode, encode, write = parts.read, parts.decode, parts.encode, parts.write
    clear, add, keep, add_kept = (
        parts.sums.clear,
        parts.sums.add,
        parts.sums.keep,
        parts.sums.add_kept,
    )
    add_rows = parts.sums.add_rows
    add_up = parts.add_up
    size, lanes_at, kept_at, room = parts.size, parts.lanes_at, parts.kept_at, parts.room
    tiles_at, tile = parts.tiles_at, parts.tile

    def task(arguments: int, start: int, stop: int) -> Any:
        if stop < start:
            return own_address()
        buffers = allocate(room, LINE)
        if buffers == 0:
            set_word(arguments, FAILURE, NO_MEMORY)
            return 0
        weights, kept = pointer(buffers), pointer(buffers + kept_at)
        lanes = beyond(weights, lanes_at)
        grads = buffers + tiles_at
        operand = word(arguments, TABLE) + ROWS
        gather, scatter = word(operand, GATHER), word(operand, SCATTER)
        datas, results = grads + tile, grads + 2 * tile
        plan = int64_pointer(word(arguments, PLAN))
        channels, terms, strip, segment = plan[0], plan[1], plan[2], plan[3]
        axes = plan[6]
        inner = plan[6 + axes] if axes else 1
        strips = (channels + strip - 1) // strip
        step, pitch = (size * strip, strip) if rows else (size, segment)
        pitch *= size
        across, data_across = strides_at(plan, 0), strides_at(plan, 1)
        result_across = strides_at(plan, 2)
        along = across + axes
        at_0, at_1 = (across, along) if rows else (along, across)
        grad_0, grad_1 = plan[at_0], plan[at_1]
        data_0, data_1 = plan[at_0 + axes + 1], plan[at_1 + axes + 1]
        result_0, result_1 = plan[at_0 + 2 * axes + 2], plan[at_1 + 2 * axes + 2]
        weight_axes = 10 + 4 * axes
        weight_rank = plan[weight_axes]
        grad, data = word(arguments, GRAD), word(arguments, DATA)
        weight, result = word(arguments, WEIGHT), word(arguments, RESULT)
        hard = 0
        for number in range(start, stop):
            block = number // strips
            channel = (number - block * strips) * strip
            height = smaller(strip, channels - channel)
            term = block * BLOCK
            end = smaller(terms, term + BLOCK)
            for c in range(height):
                rest = channel + c
                offset = 0
                for axis in range(weight_rank - 1, -1, -1):
                    length = plan[weight_axes + 1 + axis]
                    after = rest // length
                    offset += (rest - after * length) * plan[weight_axes + 1 + weight_rank + axis]
                    rest = after
                weights[c] = decode(read(weight, offset))
            for k in range(LANES * strip):
                clear(lanes, k)
            for first in range(term, end, segment):
                width = smaller(segment, end - first)
                done = 0
                while done < width:
                    term = first + done
                    run = smaller(width - done, inner - term % inner)
                    grad_at = grad + tiled_place(plan, across, channel, term)
                    data_at = data + tiled_place(plan, data_across, channel, term)
                    m0, m1 = (height, run) if rows else (run, height)
                    copy_tile(gather, grads + done * step, pitch, grad_at, grad_0, grad_1, m0, m1)
                    copy_tile(gather, datas + done * step, pitch, data_at, data_0, data_1, m0, m1)
                    done += run
                if rows:
                    for row in range(width):
                        lane = row % LANES * strip
                        for c in range(height):
                            at = (row * strip + c) * size
                            g, x = decode(read(grads, at)), decode(read(datas, at))
                            write(results, at, encode(element((g, x, weights[c]), ())))
                            add(lanes, lane + c, g, x)
                else:
                    whole = width // LANES * LANES
                    for c in range(height):
                        row = c * segment
                        factor = weights[c]
                        for i in range(width):
                            at = (row + i) * size
                            g, x = decode(read(grads, at)), decode(read(datas, at))
                            write(results, at, encode(element((g, x, factor), ())))
                            keep(kept, i, g, x)
                        add_rows(lanes, c * LANES, kept, 0, whole)
                        for i in range(whole, width):
                            add_kept(lanes, c * LANES + i - whole, kept, i)
                done = 0
                while done < width:
                    term = first + done
                    run = smaller(width - done, inner - term % inner)
                    at = result + tiled_place(plan, result_across, channel, term)
                    m0, m1 = (height, run) if rows else (run, height)
                    copy_tile(scatter, results + done * step, pitch, at, result_0, result_1, m0, m1)
                    done += run
            if rows:
                hard += add_up(arguments, lanes, strip, channel, height, block)
            else:
                for c in range(height):
                    hard += add_up(arguments, beyond(lanes, c * LANES), 1, channel + c, 1, block)
        release(buffers)
        return hard

    return task


#: layout -> function that makes its task
TASKS: Final[dict[str, Callable[[ChannelParts], Task]]] = {
    "rows": rows_task,
    "runs": runs_task,
    "tiled_rows": partial(tiled_task, rows=True),
    "tiled_runs": partial(tiled_task, rows=False),
}
