"""Tiles: small stack buffers between memory and the arithmetic.

A tile is read into buffers, computed there, and written back as a whole. That keeps the arithmetic
vectorized for every layout, and makes in-place outputs safe. Elements of other types than the
arithmetic's are converted on the way. A tile that is contiguous in memory needs no buffer.

The walk over all tiles is the same for all formulas: it calls the task for contiguous elements by
its address. So another formula only needs its task compiled.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from ...core.dtypes import ELEMENT_TYPES, ElementType
from ..arithmetic.codecs import (
    Conversion,
    decoding,
    from_register,
    function_of,
    same,
    sequence,
    stored_type,
    to_register,
)
from ..compiler.jit import inlined, integer_kernel, once_each, shared
from ..runtime.array_header import (
    CONVERTED,
    COUNT,
    GATHER,
    HELD,
    ITEMSIZE,
    ROW,
    ROWS,
    SCATTER,
    TAKES_ROWS,
    is_result,
)
from ..runtime.launch import (
    FAILURE,
    INNER_TASK,
    MORE_ROWS,
    NO_MEMORY,
    NO_SCATTER,
    OPERANDS,
    PLAN,
    TABLE,
    call_task,
    caller_of,
    own_address,
    own_address_in,
    set_word,
)
from ..runtime.memory import (
    allocate,
    copy,
    int64_pointer,
    peek,
    poke,
    prefetch,
    release,
    smaller,
    word,
)
from ..runtime.nontemporal import LINE

#: bytes of an element -> a type with elements of that size
_RAW: Final = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}


#: elements from which rows are computed where they are, without buffers (measured): of at most two
#: bytes, and of more
_LONG_ROWS: Final = 256, 64

_COPY: Final = types.int64(*[types.int64] * 7)


_own_address: Final = own_address_in(_COPY, environment=False)
#: ``copy_tile(function, buffer, pitch, address, s0, s1, m0, m1)`` copies a tile of ``m1`` × ``m0``
#: elements to or from a buffer whose rows are ``pitch`` bytes apart, by the address of a function
copy_tile: Final = caller_of(_COPY)


def _copy(buffer: int, pitch: int, address: int, s0: int, s1: int, m0: int, m1: int) -> int:
    """Give all copies of tiles their parameters and their place in the disk cache."""
    raise NotImplementedError


def _gather(source: str, target: str) -> Callable[..., Any]:
    read, write = peek(source, apart=True), poke(target, apart=True)
    convert, as_it_is = _conversion(source, target), source == target
    size, held = _itemsize(source), _itemsize(target)
    line = LINE // size

    def gather(buffer: int, pitch: int, address: int, s0: int, s1: int, m0: int, m1: int) -> Any:
        if m1 < 0:
            return _own_address()
        if abs(s0) > abs(s1) and s1 != 0:
            # rows are far apart: prefetch all of them before using the first
            for i in range(m0):
                for j in range(0, m1, line):
                    prefetch(address + i * s0 + j * s1)
            for i in range(m0):
                for j in range(m1):
                    write(buffer + i * held, j * pitch, convert(read(address + i * s0, j * s1)))
            return 0
        for j in range(m1):
            row, place = address + j * s1, buffer + j * pitch
            if s0 == size:
                if as_it_is:
                    copy(place, row, m0 * size)
                else:
                    for i in range(m0):
                        write(place, i * held, convert(read(row, i * size)))
            elif s0 == 0:
                value = convert(read(row, 0))
                for i in range(m0):
                    write(place, i * held, value)
            elif s0 == 2 * size:
                for i in range(m0):
                    write(place, i * held, convert(read(row, i * 2 * size)))
            else:
                for i in range(m0):
                    write(place, i * held, convert(read(row, i * s0)))
        return 0

    return gather


def _scatter(source: str, target: str) -> Callable[..., Any]:
    read, write = peek(source, apart=True), poke(target, apart=True)
    convert, as_it_is = _conversion(source, target), source == target
    size, held = _itemsize(target), _itemsize(source)

    def scatter(buffer: int, pitch: int, address: int, s0: int, s1: int, m0: int, m1: int) -> Any:
        if m1 < 0:
            return _own_address()
        if abs(s0) > abs(s1) and m1 != 1:
            for i in range(m0):
                for j in range(m1):
                    write(address + i * s0, j * s1, convert(read(buffer + i * held, j * pitch)))
            return 0
        for j in range(m1):
            row, place = address + j * s1, buffer + j * pitch
            if s0 == size:
                if as_it_is:
                    copy(row, place, m0 * size)
                else:
                    for i in range(m0):
                        write(row, i * size, convert(read(place, i * held)))
            else:
                for i in range(m0):
                    write(row, i * s0, convert(read(place, i * held)))
        return 0

    return scatter


def _itemsize(kind: str) -> int:
    return ELEMENT_TYPES[kind].storage.itemsize


def conversion(source: ElementType, target: ElementType) -> Any:
    """Return the function that converts an element; integers lose their upper bits."""
    return _conversion(source.name, target.name)


def _conversion(source: str, target: str) -> Any:
    if source == target:
        return same
    if not ELEMENT_TYPES[target].floating:
        emit = to_register(source, np.int64), from_register(np.int64, target)
    elif source == "int64" and target in ("float16", "bfloat16"):
        emit = decoding(source, target).emit, from_register(np.float32, target)
    else:
        register = np.float64 if "float64" in (source, target) or source == "int32" else np.float32
        emit = to_register(source, register), from_register(register, target)
    return function_of(Conversion(stored_type(source), stored_type(target), sequence(*emit)))


@once_each
def _tile_copy(make: Callable[[str, str], Callable[..., Any]], source: str, target: str) -> Any:
    name = f"{make.__name__.strip('_')}_{source}_to_{target}"
    return integer_kernel(_copy, name, formula=make, make=lambda: make(source, target))


def load_tile_copy(
    table: NDArray[Any], operand: int, column: int, source: ElementType, target: ElementType
) -> Any:
    """Return the function that copies tiles of an operand, and enter it in a table of operands.

    ``column`` is ``GATHER`` or ``SCATTER``.
    """
    kinds = source.name, target.name
    if source is target:  # types of the same size share a function
        kinds = (_RAW[source.storage.itemsize],) * 2
    function = _tile_copy(_gather if column == GATHER else _scatter, *kinds)
    table[(ROWS + ROW * operand + column) // 8] = function(0, 0, 0, 0, 0, 0, -1)
    return function


@inlined
def is_one_piece(size: int, address: int, s0: int, s1: int, m0: int, m1: int) -> Any:
    return s0 == size and (m1 == 1 or s1 == m0 * size) and address % size == 0


@inlined
def has_long_rows(table: int, plan: Any, addresses: int, inputs: int) -> Any:
    """Tell whether rows are computed where they are in memory, not in buffers.

    That is for rows of several tiles, or apart from each other; a short row that all tiles share is
    copied to a buffer once.
    """
    axes, length, apart = plan[0], plan[2], plan[4] > 1
    takes_rows = word(table, TAKES_ROWS)
    for k in range(word(table, COUNT)):
        operand, address = table + ROWS + ROW * k, word(addresses, 8 * k)
        size, strides = word(operand, ITEMSIZE), 2 + (3 + k) * axes
        if length < (takes_rows or (_LONG_ROWS[0] if size <= 2 else _LONG_ROWS[1])):
            return False
        if word(operand, CONVERTED) or plan[strides] != size or address % size:
            return False
        # an in-place result stays in a buffer until the tile has been read
        if k < inputs and address == word(addresses, 8 * inputs):
            return False
        for axis in range(1, axes):
            if plan[strides + axis] % size:
                return False
        apart = apart or (plan[strides + 1] != 0 and plan[strides + 1] != length * size)
    return apart


def _walk(arguments: int, start: int, stop: int) -> Any:
    """Compute tiles ``start`` to ``stop``: a task."""
    if stop < start:
        return own_address()
    table, inner = word(arguments, TABLE), word(arguments, INNER_TASK)
    plan = int64_pointer(word(arguments, PLAN))
    axes, tile, operands = plan[0], plan[1], word(table, COUNT)
    inputs = operands - 1
    while is_result(table, inputs - 1):
        inputs -= 1
    # arguments of the loop, addresses and shapes of the tiles in buffers, addresses of results,
    # buffers
    begin = (OPERANDS + 32 * operands + LINE - 1) // LINE * LINE
    room = (8 * tile + 2 * LINE - 1) // LINE * LINE
    # buffers are aligned to cache lines, so that no vector crosses one
    given = allocate(begin + operands * room, LINE)
    if given == 0:
        set_word(arguments, FAILURE, NO_MEMORY)
        return 0
    copy(given, arguments, OPERANDS)
    set_word(given, FAILURE, 0)
    set_word(given, MORE_ROWS, 0)
    place = int64_pointer(given + OPERANDS)
    held = int64_pointer(given + OPERANDS + 8 * operands)
    results = int64_pointer(given + OPERANDS + 24 * operands)
    for k in range(operands):
        held[k] = 0
    long_rows = has_long_rows(table, plan, arguments + OPERANDS, inputs)
    hard = 0
    number = start
    while number < stop:
        for k in range(operands):
            place[k] = word(arguments, OPERANDS + 8 * k)
        rest, m0, m1 = number, tile, tile  # these are replaced: there are two axes at least
        for axis in range(axes):
            length, edge, count = plan[2 + 3 * axis], plan[3 + 3 * axis], plan[4 + 3 * axis]
            # divisions take longer than these comparisons
            after = 0 if rest < count else rest if count == 1 else rest // count
            first = (rest - after * count) * edge
            rest = after
            if axis < 2:
                m0, m1 = m1, smaller(edge, length - first)
            if first:
                for k in range(operands):
                    place[k] += first * plan[2 + (3 + k) * axes + axis]
        if long_rows:
            # all rows of a tile, or the rest of a row of several tiles
            before = number % plan[4]
            count = smaller(plan[4] - before, stop - number)
            m0 = smaller(count * plan[3], plan[2] - before * plan[3])
            number += count
            if word(table, TAKES_ROWS):
                set_word(given, MORE_ROWS, m1 - 1)
                hard += call_task(inner, given, 0, m0)
                continue
            for _ in range(m1):
                hard += call_task(inner, given, 0, m0)
                for k in range(operands):
                    place[k] += plan[3 + (3 + k) * axes]
            continue
        number += 1
        direct = True
        for k in range(operands):
            operand, address, buffer = table + ROWS + ROW * k, place[k], given + begin + room * k
            size = word(operand, ITEMSIZE)
            s0, s1 = plan[2 + (3 + k) * axes], plan[3 + (3 + k) * axes]
            is_direct = word(operand, CONVERTED) == 0 and is_one_piece(
                size, address, s0, s1, m0, m1
            )
            if k >= inputs:
                results[k] = address
                direct = direct and is_direct
                continue
            # an in-place result stays in a buffer until the tile has been read
            direct = direct and address != place[inputs]
            if not is_direct:
                shape = m0 << 32 | m1
                if held[k] != address or held[operands + k] != shape:
                    held[k], held[operands + k] = address, shape
                    gather = word(operand, GATHER)
                    copy_tile(gather, buffer, m0 * word(operand, HELD), address, s0, s1, m0, m1)
                place[k] = buffer
        if direct:
            hard += call_task(inner, given, 0, m0 * m1)
            continue
        scatter = word(table + ROWS + ROW * inputs, SCATTER)
        if scatter == 0:
            # everything written is computed again from the same inputs; for an in-place result,
            # this happens before anything is written
            set_word(given, FAILURE, NO_SCATTER)
            break
        for k in range(inputs, operands):
            place[k] = given + begin + room * k
        hard += call_task(inner, given, 0, m0 * m1)
        pitch = m0 * word(table + ROWS + ROW * inputs, HELD)
        for k in range(inputs, operands):
            r0, r1 = plan[2 + (3 + k) * axes], plan[3 + (3 + k) * axes]
            copy_tile(scatter, place[k], pitch, results[k], r0, r1, m0, m1)
    failure = word(given, FAILURE)
    if failure:
        set_word(arguments, FAILURE, failure)
    release(given)
    return hard


#: the task that traverses operands of any layout
walk_task = shared(_walk, "walk")
