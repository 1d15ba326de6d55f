"""The kernels that Python calls for elementwise loops.

There are four: for contiguous elements and for any layout, each for arrays, whose headers it
checks, and for addresses. They compute with a task of a formula, or negative numbers say why not.
The first argument of all is the address of an array of addresses and numbers: operand table
(`operand_table`), task, launcher; for contiguous elements the ranges of scalars (`scalar_table`) or
0; for any layout the walk (`walk_task`), its plan
(`tile_plan`), the number of tiles and that of results; then, for arrays, their layout
(`layout_table`) and what checks it (`layout_check`).

The next ones of the kernels for arrays are the addresses of a tuple of inputs and of the result;
those may be any objects. The kernels for addresses take that of a bytes object, with the addresses
of the inputs' first elements, that of the result's, and for contiguous elements their number. The
last argument of all is the address of a bytes object with the scalars as float64, or of their tuple
if there are ranges.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiler.jit import merged, shared
from ..runtime.array_header import (
    ARRAY_TYPE,
    BYTES,
    COUNT,
    DATA,
    DESCRIPTOR,
    DTYPE,
    FLAGS,
    ITEMS,
    ITEMSIZE,
    LOOKUP_TASK,
    NO_SCALARS,
    RANK,
    ROW,
    ROWS,
    SHAPE,
    STRIDES,
    TYPE,
    WRITE,
    are_apart,
    contiguous_size,
    is_result,
    put_objects,
    put_scalars,
    replace_by_data,
)
from ..runtime.launch import (
    INNER_TASK,
    NO_OPERANDS,
    NUMBERS,
    OPERANDS,
    PAST_CACHES,
    PLAN,
    SIZE,
    call_task,
    own_address,
    run,
    set_word,
    threads_for,
)
from ..runtime.memory import copy, half_word, in_memory, smaller, word
from ..runtime.nontemporal import LINE
from .lookup import look_up, pays

#: contiguous elements that a thread processes at a time
PART: Final = 16 * 1024
#: elements from which stores are aligned to cache lines (measured: not worthwhile below)
_ALIGNED_FROM: Final = 256 * 1024
#: bytes of operands, of three at most, from which stores bypass the caches: for each thread, and in
#: all (measured)
_PAST_CACHES_FROM: Final = 12 * 1024 * 1024, 48 * 1024 * 1024


class Origin(NamedTuple):
    """Where an operand is: in which array, and bytes from that array's first element to its own."""

    array: int
    offset: int = 0


def _contiguous(fixed: int, tensors: int, result: int, numbers: int) -> Any:
    table, ranges = word(fixed, 0), word(fixed, 24)
    arguments = in_memory((0, 0, 0, numbers + BYTES, table, 0, 0, 0, 0, *NO_OPERANDS))
    if not put_objects(arguments + OPERANDS, table, tensors, result):
        return -1
    if ranges:
        scalars = in_memory(NO_SCALARS)
        if not put_scalars(scalars, ranges, numbers):
            return -1
        set_word(arguments, NUMBERS, scalars)
    size = contiguous_size(table, arguments + OPERANDS)
    if size < 0:
        return size
    replace_by_data(arguments + OPERANDS, table)
    return _run(fixed, arguments, size)


def _memory(fixed: int, addresses: int, numbers: int) -> Any:
    table, ranges = word(fixed, 0), word(fixed, 24)
    arguments = in_memory((0, 0, 0, numbers + BYTES, table, 0, 0, 0, 0, *NO_OPERANDS))
    if ranges:
        scalars = in_memory(NO_SCALARS)
        if not put_scalars(scalars, ranges, numbers):
            return -1
        set_word(arguments, NUMBERS, scalars)
    count = 8 * word(table, COUNT)
    copy(arguments + OPERANDS, addresses + BYTES, count)
    size = word(addresses, BYTES + count)
    if not are_apart(table, arguments + OPERANDS, size):
        return -1
    return _run(fixed, arguments, size)


@merged
def _run(fixed: int, arguments: int, size: int) -> Any:
    table, task = word(fixed, 0), word(fixed, 8)
    set_word(arguments, SIZE, size)
    # elements before the first that begins a cache line, where stores become faster
    last = word(table, COUNT) - 1
    width, result = word(table, ROWS + ROW * last + ITEMSIZE), word(arguments, OPERANDS + 8 * last)
    lead = -result % LINE // width if size >= _ALIGNED_FROM else 0
    moved = size * width * smaller(last + 1, 3)
    if moved >= _PAST_CACHES_FROM[0]:
        threads = threads_for(size, word(fixed, 16))
        many = smaller(_PAST_CACHES_FROM[0] * threads, _PAST_CACHES_FROM[1])
        set_word(arguments, PAST_CACHES, int(moved >= many))
    if word(table, LOOKUP_TASK) and pays(size, word(fixed, 16)):
        return look_up(task, arguments, size, lead, PART, word(fixed, 16))
    return run(task, arguments, size, lead, PART, size, word(fixed, 16))


def _walk_arrays(fixed: int, tensors: int, result: int, numbers: int) -> Any:
    table, layout = word(fixed, 0), word(fixed, 56)
    arguments = in_memory((0, 0, 0, numbers + BYTES, table, 0, 0, 0, 0, *NO_OPERANDS))
    if word(table, ARRAY_TYPE) == 0:
        return -1
    count = word(table, COUNT)
    for k in range(count):
        array = result
        if not is_result(table, k):
            array = word(tensors, ITEMS + 8 * word(layout, 16 + 16 * k))
        set_word(arguments, OPERANDS + 8 * k, array)
    if not call_task(word(fixed, 64), table, layout, arguments + OPERANDS):
        return -1
    replace_by_data(arguments + OPERANDS, table)
    for k in range(count):
        operand = OPERANDS + 8 * k
        set_word(arguments, operand, word(arguments, operand) + word(layout, 24 + 16 * k))
    return _walk_all(fixed, arguments)


def _walk_memory(fixed: int, addresses: int, numbers: int) -> Any:
    table = word(fixed, 0)
    arguments = in_memory((0, 0, 0, numbers + BYTES, table, 0, 0, 0, 0, *NO_OPERANDS))
    copy(arguments + OPERANDS, addresses + BYTES, 8 * word(table, COUNT))
    return _walk_all(fixed, arguments)


@merged
def _walk_all(fixed: int, arguments: int) -> Any:
    size = word(fixed, 48)
    set_word(arguments, SIZE, size)
    set_word(arguments, PLAN, word(fixed, 32))
    set_word(arguments, INNER_TASK, word(fixed, 8))
    return run(word(fixed, 24), arguments, word(fixed, 40), 0, 0, size, word(fixed, 16))


def _are_laid_out(table: int, layout: int, arrays: int) -> Any:
    """Tell whether arrays have known shapes and strides and the result is writeable and separate.

    The parameters are the addresses of the operand table, of a layout and of the addresses of the
    objects; the last is negative to get the address of this function.
    """
    if arrays < 0:
        return own_address()
    count = word(table, COUNT)
    result = word(arrays, 8 * count - 8)
    start, row = word(result, DATA) + word(layout, 0), layout + 16 + 16 * count
    end = start + word(layout, 8)
    fits = half_word(result, FLAGS) & WRITE != 0
    for k in range(count):
        array, rank = word(arrays, 8 * k), word(row, 0)
        shape, at = word(array, SHAPE), word(array, DATA) + word(row, 8)
        if (
            word(array, TYPE) != word(table, ARRAY_TYPE)
            or word(array, DESCRIPTOR) != word(table, ROWS + ROW * k + DTYPE)
            or half_word(array, RANK) != rank
            # NumPy stores strides right after sizes
            or word(array, STRIDES) != shape + 8 * rank
            or (not is_result(table, k) and at < end and start < at + word(row, 16))
        ):
            return 0
        for axis in range(2 * rank):
            fits = fits and word(shape, 8 * axis) == word(row, 24 + 8 * axis)
        row += 24 + 16 * rank
    return int(fits)


def layout_table(arrays: tuple[NDArray[Any], ...], places: tuple[Origin, ...]) -> NDArray[Any]:
    """Return the table that `_are_laid_out` compares with.

    It has offset and length of the last array, and the places of all operands in these arrays. Then
    follow for the array of each: its rank, the offset of its memory's start from its first element,
    the length of that memory, its sizes and its strides.
    """
    rows: list[int] = [number for place in places for number in place]
    for array in [arrays[place.array] for place in places]:
        reach = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)]
        low, high = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
        span = low, high + array.itemsize - low
        rows += [array.ndim, *span, *array.shape, *array.strides]
    return np.array([*span, *rows], np.int64)


#: the kernels for contiguous arrays and for contiguous elements in memory, for arrays of a known
#: layout and for elements in memory of any layout, and what checks the layout
contiguous_kernel = shared(_contiguous, "contiguous")
memory_kernel = shared(_memory, "contiguous_in_memory")
walk_kernel = shared(_walk_arrays, "tiles")
walk_memory_kernel = shared(_walk_memory, "tiles_in_memory")
layout_check = shared(_are_laid_out, "layout_check")
