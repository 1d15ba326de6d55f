"""Elementwise loops over operands of any layout, tile by tile.

The walk is the same for every formula: it reads a tile of each input into a contiguous buffer,
calls the task for contiguous elements through its address, and writes the result back. A tile that
is one piece of memory is used where it stands. What is compiled here depends on the number of
operands and the sizes of their elements alone, so that a second formula compiles its task and
nothing else.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from numba import types

from ..compiler.jit import kernel, merged, once_each
from ..runtime.array_header import DATA, ROW, ROWS, WIDTH, are_laid_out
from ..runtime.launch import (
    FACTS,
    LOOP,
    NO_ROOM,
    NUMBERS,
    OPERANDS,
    PLAN,
    SIZE,
    STREAMS,
    TASK_TYPE,
    ZERO,
    call_task,
    own_address,
    run,
    set_word,
)
from ..runtime.memory import allocate, in_memory, int64_pointer, release, word
from ..runtime.nontemporal import LINE
from .tiles import gatherer, is_one_piece, scatterer


@cache
def _by_size(make: Any, sizes: tuple[int, ...]) -> Any:
    """Return a function of tiles, by `gatherer` or `scatterer`, whose first argument is a size."""
    size, run = sizes[0], make(sizes[0])
    if len(sizes) == 1:

        def choose(
            width: int, buffer: int, address: int, s0: int, s1: int, m0: int, m1: int
        ) -> None:
            run(buffer, m0 * width, address, s0, s1, m0, m1)

    else:
        others = _by_size(make, sizes[1:])

        def choose(
            width: int, buffer: int, address: int, s0: int, s1: int, m0: int, m1: int
        ) -> None:
            if width == size:
                run(buffer, m0 * width, address, s0, s1, m0, m1)
            else:
                others(width, buffer, address, s0, s1, m0, m1)

    return merged(choose)


@cache
def _walker(sizes: tuple[int, ...]) -> Any:
    """Return the walk over operands with elements of some sizes: a task."""
    gather, scatter = _by_size(gatherer, sizes), _by_size(scatterer, sizes)

    def walk(arguments: int, start: int, stop: int) -> Any:
        """Compute tiles ``start`` to ``stop``."""
        if stop < start:
            return own_address()
        facts, loop = word(arguments, FACTS), word(arguments, LOOP)
        plan = int64_pointer(word(arguments, PLAN))
        axes, tile, operands = plan[0], plan[1], word(facts, 8)
        last = operands - 1
        # arguments of the loop, addresses and shapes of the tiles in buffers, buffers
        begin = (OPERANDS + 24 * operands + LINE - 1) // LINE * LINE
        room = (8 * tile + 2 * LINE - 1) // LINE * LINE
        memory = allocate(begin + operands * room + LINE)
        if memory == 0:
            set_word(arguments, NO_ROOM, 1)
            return 0
        # buffers begin with lines of the cache, which no vector then crosses
        given = memory + -memory % LINE
        set_word(given, SIZE, word(arguments, SIZE))
        set_word(given, NUMBERS, word(arguments, NUMBERS))
        set_word(given, STREAMS, 0)
        set_word(given, ZERO, 0)
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
                    m0, m1 = m1, min(edge, length - first)
                for k in range(operands):
                    place[k] += first * plan[2 + (3 + k) * axes + axis]
            width, result = word(facts, ROWS + ROW * last + WIDTH), place[last]
            r0, r1 = plan[2 + (3 + last) * axes], plan[3 + (3 + last) * axes]
            direct = is_one_piece(width, result, r0, r1, m0, m1)
            for k in range(last):
                size, address, buffer = (
                    word(facts, ROWS + ROW * k + WIDTH),
                    place[k],
                    given + begin + room * k,
                )
                s0, s1 = plan[2 + (3 + k) * axes], plan[3 + (3 + k) * axes]
                # a result that is an input's view waits in a buffer until the tile was read
                direct = direct and address != result
                if not is_one_piece(size, address, s0, s1, m0, m1):
                    shape = m0 << 32 | m1
                    if held[k] != address or held[operands + k] != shape:
                        held[k], held[operands + k] = address, shape
                        gather(size, buffer, address, s0, s1, m0, m1)
                    place[k] = buffer
            if direct:
                hard += call_task(loop, given, 0, m0 * m1)
            else:
                buffer = given + begin + room * last
                place[last] = buffer
                hard += call_task(loop, given, 0, m0 * m1)
                scatter(width, buffer, result, r0, r1, m0, m1)
        release(memory)
        return hard

    return walk


@once_each
def walk_task(sizes: tuple[int, ...]) -> Any:
    """Return the task that walks operands with elements of some sizes, ascending."""
    name = f"walk_{'_'.join(map(str, sizes))}"
    return kernel(_walker(sizes), name, dict, TASK_TYPE, formula=_walker)


_KERNEL: Final = """
def kernel(fixed, {operands}):
    facts, task, numbers = word(fixed, 0), word(fixed, 8), word(fixed, 16)
    layout, plan, size = word(fixed, 40), word(fixed, 48), word(fixed, 64)
    arguments = in_memory((0, 0, size, numbers, facts, plan, task, 0, 0, {operands}))
    if layout:
        if not are_laid_out(facts, layout, arguments + {first}):
            return -1
        for at in range({first}, {first} + 8 * {count}, 8):
            set_word(arguments, at, word(word(arguments, at), {data}))
    return run(word(fixed, 32), arguments, word(fixed, 56), 0, 0, size, word(fixed, 24))
"""


@once_each
def walk_kernel(operands: int) -> Any:
    """Return the kernel that walks so many operands of any layout.

    It is a function of the address of what is fixed and of the operands: array objects that may be
    laid out as expected or not, or without a layout the addresses of elements. Fixed are the
    addresses of facts (`facts_of`), task, scalars, cores, walk (`walk_task`), layout (`layout_of`)
    and plan (`tile_plan`), the number of tiles and the number of results. There is source because
    it has as many parameters as there are operands.
    """
    source = _KERNEL.format(
        operands=", ".join(f"a{k}" for k in range(operands)),
        count=operands,
        first=OPERANDS,
        data=DATA,
    )
    return kernel(
        source,
        f"tiles_of_{operands}_operands",
        lambda: {
            "are_laid_out": are_laid_out,
            "in_memory": in_memory,
            "word": word,
            "set_word": set_word,
            "run": run,
        },
        types.int64(*[types.int64] * (1 + operands)),
        formula=walk_kernel,
    )
