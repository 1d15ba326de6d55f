"""The walk: elementwise loops over operands of any layout, tile by tile.

It is the same for all formulas: it copies a tile of each input to a contiguous buffer, calls the
task for contiguous elements by its address, and writes the result back. A tile that is contiguous
in memory is used in place. So another formula only needs its task compiled.
"""

from __future__ import annotations

from typing import Any

from ..compiler.jit import shared
from ..runtime.array_header import CONVERTED, COUNT, GATHER, HELD, ITEMSIZE, ROW, ROWS, SCATTER
from ..runtime.launch import (
    FAILURE,
    INNER_TASK,
    NO_MEMORY,
    NO_SCATTER,
    OPERANDS,
    PLAN,
    TABLE,
    call_task,
    own_address,
    set_word,
)
from ..runtime.memory import allocate, copy, int64_pointer, release, smaller, word
from ..runtime.nontemporal import LINE
from .tiles import copy_tile, is_one_piece


def _walk(arguments: int, start: int, stop: int) -> Any:
    """Compute tiles ``start`` to ``stop``: a task."""
    if stop < start:
        return own_address()
    table, inner = word(arguments, TABLE), word(arguments, INNER_TASK)
    plan = int64_pointer(word(arguments, PLAN))
    axes, tile, operands = plan[0], plan[1], word(table, COUNT)
    last = operands - 1
    # arguments of the loop, addresses and shapes of the tiles in buffers, buffers
    begin = (OPERANDS + 24 * operands + LINE - 1) // LINE * LINE
    room = (8 * tile + 2 * LINE - 1) // LINE * LINE
    # buffers are aligned to cache lines, so that no vector crosses one
    given = allocate(begin + operands * room, LINE)
    if given == 0:
        set_word(arguments, FAILURE, NO_MEMORY)
        return 0
    copy(given, arguments, OPERANDS)
    set_word(given, FAILURE, 0)
    place = int64_pointer(given + OPERANDS)
    held = int64_pointer(given + OPERANDS + 8 * operands)
    for k in range(operands):
        held[k] = 0
    hard = 0
    for number in range(start, stop):
        for k in range(operands):
            place[k] = word(arguments, OPERANDS + 8 * k)
        rest, m0, m1 = number, tile, tile  # these are replaced: there are two axes at least
        for axis in range(axes):
            length, edge, count = plan[2 + 3 * axis], plan[3 + 3 * axis], plan[4 + 3 * axis]
            after = rest // count
            first = (rest - after * count) * edge
            rest = after
            if axis < 2:
                m0, m1 = m1, smaller(edge, length - first)
            for k in range(operands):
                place[k] += first * plan[2 + (3 + k) * axes + axis]
        row = table + ROWS + ROW * last
        width, result = word(row, ITEMSIZE), place[last]
        result_pitch = m0 * word(row, HELD)
        r0, r1 = plan[2 + (3 + last) * axes], plan[3 + (3 + last) * axes]
        direct = word(row, CONVERTED) == 0 and is_one_piece(width, result, r0, r1, m0, m1)
        for k in range(last):
            operand, address, buffer = table + ROWS + ROW * k, place[k], given + begin + room * k
            size = word(operand, ITEMSIZE)
            s0, s1 = plan[2 + (3 + k) * axes], plan[3 + (3 + k) * axes]
            # an in-place result stays in a buffer until the tile has been read
            direct = direct and address != result
            if word(operand, CONVERTED) or not is_one_piece(size, address, s0, s1, m0, m1):
                shape = m0 << 32 | m1
                if held[k] != address or held[operands + k] != shape:
                    held[k], held[operands + k] = address, shape
                    gather = word(operand, GATHER)
                    copy_tile(gather, buffer, m0 * word(operand, HELD), address, s0, s1, m0, m1)
                place[k] = buffer
        if direct:
            hard += call_task(inner, given, 0, m0 * m1)
        else:
            scatter = word(row, SCATTER)
            if scatter == 0:
                # everything written is computed again from the same inputs; for an in-place result,
                # this happens before anything is written
                set_word(given, FAILURE, NO_SCATTER)
                break
            buffer = given + begin + room * last
            place[last] = buffer
            hard += call_task(inner, given, 0, m0 * m1)
            copy_tile(scatter, buffer, result_pitch, result, r0, r1, m0, m1)
    failure = word(given, FAILURE)
    if failure:
        set_word(arguments, FAILURE, failure)
    release(given)
    return hard


#: the task that traverses operands of any layout
walk_task = shared(_walk, "walk")
