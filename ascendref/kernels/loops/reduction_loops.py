"""The tasks of a reduction: loops over the blocks of some channels.

If the channels of a task are adjacent in memory, the loop processes *rows* of channels, so that
memory is accessed in order; otherwise *runs* of terms of one channel. Operands of one layout are
read and written directly. Others are processed tile by tile, through buffers where a tile is not
contiguous in memory. When all blocks are done, another task adds them for each channel.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compiler.jit import helper, inlined, outlined
from ..runtime.array_header import CONVERTED, GATHER, ROW, ROWS, SCATTER
from ..runtime.launch import (
    FAILURE,
    NO_MEMORY,
    NO_OPERANDS,
    PLAN,
    TABLE,
    Task,
    own_address,
    set_word,
)
from ..runtime.memory import (
    allocate,
    beyond,
    int64_pointer,
    peek,
    pointer_to,
    poke,
    release,
    smaller,
    word,
    words,
)
from ..runtime.nontemporal import LINE
from .reduction_places import evenly_spaced, layout_of, place, weight_place
from .reduction_plan import (
    ACROSS,
    ALONG,
    BETWEEN,
    BLOCK,
    BLOCKS,
    BY_CHANNEL,
    CHANNELS,
    DIRECT,
    HELD_TERMS,
    INNER,
    LANES,
    OUTER,
    PERIOD,
    PITCH,
    TASK_CHANNELS,
    TERMS,
    TILE_TERMS,
)
from .running_sums import APART, PARTIAL, TENSORS, Compiled, Pointer, RunningSums
from .tile_plan import TILE
from .tiles import copy_tile


@dataclass(frozen=True)
class Parts:
    sums: RunningSums
    #: type of the registers
    register: type
    #: ``load(tensors, i, 0)``: the values of element i, of tensors of the loop's type and of those
    #: that were given
    load: Compiled
    load_given: Compiled
    #: reads the scalars from a task's arguments
    scalars: Compiled
    #: converts a stored element to a register
    decode: Compiled
    #: the elementwise result as a stored element, from values and scalars; None if there is none
    element: Compiled | None
    #: type of the elements, and bytes of one
    kind: str
    size: int
    #: number of tensors, and whether there is one more with an element per channel
    tensors: int
    weighted: bool

    @property
    def pointer(self) -> Compiled:
        return pointer_to(np.dtype(self.register))

    @property
    def weigh(self) -> Compiled:
        """Appends the weight to the values of the other tensors."""
        if not self.weighted:
            return inlined(lambda values, weight: values)
        return inlined(lambda values, weight: (*values, weight))

    @property
    def process(self) -> Compiled:
        """``process(tensors, result, i, weight, scalars)``: write element i; return its values."""
        load, weigh, size, write = self.load, self.weigh, self.size, poke(self.kind, apart=True)
        element: Compiled = self.element

        @inlined
        def values_of(tensors: Any, result: int, i: int, weight: Any, scalars: Any) -> Any:
            return weigh(load(tensors, i, 0), weight)

        @inlined
        def process(tensors: Any, result: int, i: int, weight: Any, scalars: Any) -> Any:
            values = weigh(load(tensors, i, 0), weight)
            write(result, i * size, element(values, scalars))
            return values

        return values_of if element is None else process

    @property
    def result_at(self) -> int:
        """Where the elementwise result's address is, after those of the tensors."""
        return 8 * (self.tensors + self.weighted)

    @property
    def kept_at(self) -> int:
        """Bytes of a task's buffers before kept terms, after weights and running sums."""
        return (self.sums.numbers + 1) * APART * np.dtype(self.register).itemsize

    @property
    def places_at(self) -> int:
        """Bytes before the addresses of tiles, which the tiles follow."""
        return self.kept_at + self.sums.kept * BLOCK * np.dtype(self.register).itemsize


def total_task(finish: Compiled, pointer: Compiled) -> Task:
    """Return the task that computes the channels' results from the sums of their blocks."""

    def task(arguments: int, start: int, stop: int) -> Any:
        if stop < start:
            return own_address()
        plan = int64_pointer(word(arguments, PLAN))
        stored, blocks = pointer(word(arguments, PARTIAL)), plan[BLOCKS]
        apart = plan[CHANNELS] * blocks
        hard = 0
        for channel in range(start, stop):
            hard += finish(arguments, channel, stored, channel * blocks, apart, blocks)
        return hard

    return task


def adder_up(sums: RunningSums, pointer: Compiled) -> Compiled:
    """Return the function that reduces each channel's running sums in a block to one sum.

    The running sums of ``height`` channels are adjacent, and the first ``used`` have terms.
    """
    merge, finish, numbers = sums.merge, sums.finish, sums.numbers

    @helper
    def add_up(
        arguments: int, lanes: Pointer, first: int, height: int, block: int, used: int
    ) -> int:
        half = used // 2 * height
        while half >= height:
            for k in range(half):
                merge(lanes, k, k + half)
            half //= 2
        plan, partial = int64_pointer(word(arguments, PLAN)), word(arguments, PARTIAL)
        blocks = plan[BLOCKS]
        parts, apart = pointer(partial), plan[CHANNELS] * blocks
        hard = 0
        for c in range(height):
            if partial:
                for number in range(numbers):
                    at = (first + c) * blocks + block + number * apart
                    parts[at] = lanes[c + number * APART]
            else:
                hard += finish(arguments, first + c, lanes, c, APART, 1)
        return hard

    return add_up


def rows_loop(parts: Parts) -> Compiled:
    """Return the loop over rows of adjacent channels.

    ``loop(arguments, given, buffers, (at, pitch, height, run, done))`` processes ``run`` terms of
    ``height`` channels from element ``at`` on of the operands whose addresses begin at ``given``;
    ``pitch`` elements lie between two rows, and ``done`` terms of the block came before.
    """
    process, add, pointer = parts.process, parts.sums.add, parts.pointer
    addresses, result_at, scalars_of = words(parts.tensors), parts.result_at, parts.scalars

    def loop(arguments: int, given: int, buffers: int, where: tuple[int, ...]) -> None:
        outlined()
        at, pitch, height, run, done = where
        tensors, result, scalars = addresses(given), word(given, result_at), scalars_of(arguments)
        weights, lanes = pointer(buffers), beyond(pointer(buffers), APART)
        row = 0
        while row < run:
            lane = (done + row) % LANES
            # rows without gaps that belong to different running sums are one
            rows = smaller(LANES - lane, run - row) if pitch == height else 1
            first = at + row * pitch
            for i in range(rows * height):
                values = process(tensors, result, first + i, weights[i], scalars)
                add(lanes, lane * height + i, values, scalars)
            row += rows

    return helper(loop)


def runs_loop(parts: Parts) -> Compiled:
    """Return the same over runs of terms, one channel after the other, ``pitch`` elements apart."""
    keep, add_kept, add_rows = parts.sums.keep, parts.sums.add_kept, parts.sums.add_rows
    process, pointer, kept_at = parts.process, parts.pointer, parts.kept_at
    addresses, result_at, scalars_of = words(parts.tensors), parts.result_at, parts.scalars

    def loop(arguments: int, given: int, buffers: int, where: tuple[int, ...]) -> None:
        outlined()
        at, pitch, height, run, done = where
        tensors, result, scalars = addresses(given), word(given, result_at), scalars_of(arguments)
        weights, kept = pointer(buffers), pointer(buffers + kept_at)
        lanes = beyond(weights, APART)
        for c in range(height):
            first, weight, begin = at + c * pitch, weights[c], c * LANES
            for i in range(run):
                values = process(tensors, result, first + i, weight, scalars)
                keep(kept, i, values, scalars)
            # terms up to the first running sum, whole rounds from there, and the rest
            lane, i = done % LANES, 0
            while lane and i < run:
                add_kept(lanes, begin + lane, kept, i)
                lane = (lane + 1) % LANES
                i += 1
            whole = i + (run - i) // LANES * LANES
            add_rows(lanes, begin, kept, i, whole)
            for i in range(whole, run):
                add_kept(lanes, begin + i - whole, kept, i)

    return helper(loop)


def tile_copier(size: int, *, rows: bool) -> Compiled:
    """Return ``copy(function, layout, memory, buffer, tile)``.

    It copies a tile of an operand, terms ``first`` to ``last`` of ``height`` channels, to or from a
    buffer with ``pitch`` elements between two rows.
    """

    @helper
    def copy(
        function: int, layout: Pointer, memory: int, buffer: int, tile: tuple[int, ...]
    ) -> None:
        pitch, channel, height, first, last = tile
        across, along, term = layout[ACROSS], layout[ALONG], first
        while term < last:
            count = evenly_spaced(layout, term, last)
            source = memory + place(layout, channel, term)
            if rows:
                target = buffer + (term - first) * pitch * size
                copy_tile(function, target, pitch * size, source, across, along, height, count)
            elif height > 1 or count < layout[INNER]:
                target = buffer + (term - first) * size
                copy_tile(function, target, pitch * size, source, along, across, count, height)
            else:
                # whole rows of terms of a channel are copied together
                target, apart = buffer + (term - first) * size, count * size
                after = layout[OUTER] - term // count % layout[OUTER]
                lines = smaller((last - term) // count, after)
                copy_tile(function, target, apart, source, along, layout[BETWEEN], count, lines)
                count *= lines
            term += count

    return copy


def contiguity(size: int, *, rows: bool) -> Compiled:
    """Return ``is_one_piece(operand, layout, tile)``: whether a tile needs no buffer."""

    @helper
    def is_one_piece(operand: int, layout: Pointer, tile: tuple[int, ...]) -> Any:
        _, _, height, first, last = tile
        if word(operand, CONVERTED) or evenly_spaced(layout, first, last) < last - first:
            return False
        if rows:
            return layout[ACROSS] == size and layout[ALONG] == height * size
        return height == 1 and layout[ALONG] == size

    return is_one_piece


def tile_finder(size: int, *, rows: bool) -> Compiled:
    """Return ``find(arguments, k, buffer, held, tile)``, the address of a tile of a tensor.

    The tile is in memory, if it is contiguous there, or in the buffer, which holds the terms of a
    channel that ``held`` tells: terms that repeat, and those of more than a block, are copied once.
    """
    copy, is_one_piece = tile_copier(size, rows=rows), contiguity(size, rows=rows)

    @helper
    def find(arguments: int, k: int, buffer: int, held: Pointer, tile: tuple[int, ...]) -> Any:
        plan = int64_pointer(word(arguments, PLAN))
        operand = word(arguments, TABLE) + ROWS + ROW * k
        pitch, channel, height, first, last = tile
        layout, memory = layout_of(plan, k), word(arguments, TENSORS + 8 * k)
        period, room = layout[PERIOD], plan[HELD_TERMS]
        last += first % period - first
        first %= period
        if is_one_piece(operand, layout, (pitch, channel, height, first, last)):
            return memory + place(layout, channel, first)
        if channel != held[0] or first < held[1] or last > held[2]:
            held[0] = channel
            held[1] = 0 if period + plan[TILE_TERMS] <= room else first
            held[2] = smaller(held[1] + room, plan[TERMS])
            part = pitch, channel, height, held[1], held[2]
            copy(word(operand, GATHER), layout, memory, buffer, part)
        return buffer + (first - held[1]) * (pitch * size if rows else size)

    return find


def block_task(parts: Parts, *, rows: bool) -> Task:
    """Return the task that computes blocks of strips of channels."""
    loop = rows_loop(parts) if rows else runs_loop(parts)
    find, copy = tile_finder(parts.size, rows=rows), tile_copier(parts.size, rows=rows)
    is_one_piece = contiguity(parts.size, rows=rows)
    pointer, add_up = parts.pointer, adder_up(parts.sums, parts.pointer)
    read, decode, tensors, size = peek(parts.kind), parts.decode, parts.tensors, parts.size
    numbers, weighted, has_result = parts.sums.numbers, parts.weighted, parts.element is not None
    zero, minus_zero = parts.register(0), parts.register(-0.0)
    places_at, result_at, tile = parts.places_at, parts.result_at, 2 * TILE * size
    held_at = places_at + 8 * len(NO_OPERANDS)
    tiles_at = -(-(held_at + 24 * tensors) // LINE) * LINE
    room = tiles_at + (tensors + has_result) * tile

    def task(arguments: int, start: int, stop: int) -> Any:
        if stop < start:
            return own_address()
        # buffers are aligned to cache lines, so that no vector crosses one
        buffers = allocate(room, LINE)
        if buffers == 0:
            set_word(arguments, FAILURE, NO_MEMORY)
            return 0
        weights, lanes = pointer(buffers), beyond(pointer(buffers), APART)
        plan = int64_pointer(word(arguments, PLAN))
        channels, terms, strip = plan[CHANNELS], plan[TERMS], plan[TASK_CHANNELS]
        strips, blocks = (channels + strip - 1) // strip, plan[BLOCKS]
        direct, operands, given = plan[DIRECT], arguments + TENSORS, arguments + TENSORS
        result, apart = word(arguments, TABLE) + ROWS + ROW * (tensors + weighted), True
        scatter = word(word(arguments, TABLE), ROWS + SCATTER)
        spare = buffers + tiles_at + tensors * tile
        if not direct:
            given = buffers + places_at
            for k in range(tensors):
                set_word(buffers, held_at + 24 * k + 16, 0)
                # an in-place result stays in a buffer until the tile has been read
                if has_result:
                    apart = apart and word(operands, 8 * k) != word(operands, result_at)
        hard = 0
        for number in range(start, stop):
            # neighbouring tasks use neighbouring memory
            if plan[BY_CHANNEL]:
                channel = number // blocks
                block = number - channel * blocks
            else:
                block = number // strips
                channel = (number - block * strips) * strip
            height, first = smaller(strip, channels - channel), block * BLOCK
            end = smaller(terms, first + BLOCK)
            pitch = plan[PITCH] if direct else height if rows else plan[HELD_TERMS]
            if weighted:
                for c in range(height):
                    at = weight_place(plan, channel + c)
                    weights[c] = decode(read(word(operands, 8 * tensors), at))
                if rows and pitch == height:
                    for k in range(height, LANES * height):
                        weights[k] = weights[k - height]
            # adding a neutral running sum changes nothing: leave those without terms out
            used = LANES
            while used // 2 >= end - first:
                used //= 2
            for k in range((used if rows else LANES) * height):
                lanes[k] = minus_zero
                for n in range(1, numbers):
                    lanes[k + n * APART] = zero
            term = first
            while term < end:
                at, buffered = 0, False
                run = smaller(plan[TILE_TERMS], end - term)
                part = pitch, channel, height, term, term + run
                if direct:
                    run = evenly_spaced(layout_of(plan, 0), term, end)
                    at = place(layout_of(plan, 0), channel, term) // size
                else:
                    for k in range(tensors):
                        tiles, held = buffers + tiles_at + k * tile, buffers + held_at + 24 * k
                        found = find(arguments, k, tiles, int64_pointer(held), part)
                        set_word(given, 8 * k, found)
                    if has_result:
                        layout = layout_of(plan, tensors)
                        buffered = not (apart and is_one_piece(result, layout, part))
                        target = word(operands, result_at) + place(layout, channel, term)
                        set_word(given, result_at, spare if buffered else target)
                loop(arguments, given, buffers, (at, pitch, height, run, term - first))
                if has_result and buffered:
                    memory, layout = word(operands, result_at), layout_of(plan, tensors)
                    copy(scatter, layout, memory, spare, part)
                term += run
            if rows:
                hard += add_up(arguments, lanes, channel, height, block, used)
            else:
                for c in range(height):
                    sums = beyond(lanes, c * LANES)
                    hard += add_up(arguments, sums, channel + c, 1, block, used)
        release(buffers)
        return hard

    return task
