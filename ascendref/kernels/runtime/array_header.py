"""The header of a NumPy array, read by compiled code.

A kernel that gets the addresses of array objects can look at everything that decides whether it may
run on them, in nanoseconds: type, element type, flags, shape and place. The fields are those of
``PyArrayObject_fields``, which NumPy's C API promises. They follow the header of every Python
object, whose last word is the type.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from ...core.layout import MAX_RANK
from ..compiler.jit import helper, merged
from .memory import half_word, in_memory, word

_HEAD: Final = object.__basicsize__
TYPE: Final = _HEAD - 8
DATA: Final = _HEAD
RANK: Final = _HEAD + 8
SHAPE: Final = _HEAD + 16
STRIDES: Final = _HEAD + 24
DESCRIPTOR: Final = _HEAD + 40
FLAGS: Final = _HEAD + 48
#: contiguous in C order and aligned; writeable
READABLE: Final = 0x0001 | 0x0100
WRITE: Final = 0x0400
#: words of a table of operands before its rows: address of NumPy's array type, number of operands,
#: addresses of the task that decides roundings which the kernel leaves open and of the one that
#: adds up the sums of blocks, 0 if they are not loaded
ARRAY_TYPE, COUNT, EXACT_TASK, TOTAL_TASK, ROWS = range(0, 40, 8)
#: words of a row: address of the dtype, bytes of an element, number of the operand whose shape it
#: must have, highest rank, flags that must be set, addresses of what copies its tiles to and from
#: buffers (``loops/tiles.py``), 0 if they are not loaded; and the length of a row
DTYPE, ITEMSIZE, SHAPE_OF, HIGHEST_RANK, REQUIRED, GATHER, SCATTER, ROW = range(0, 64, 8)


@helper
def contiguous_size(table: Any, arrays: Any) -> Any:
    """Return how many elements the first array has; -1 where a plain loop over all is not right.

    They must be plain arrays of the expected element types and shapes, contiguous in C order and
    aligned; results writeable and apart from everything else.

    Parameters
    ----------
    table : int64
        Address of what `operand_table` returns.
    arrays : tuple of int64
        Addresses of the objects.
    """
    # a number that is known only then keeps loops from being unrolled, which takes longer than it
    # saves
    count, arrays = word(table, COUNT), in_memory(arrays)
    large = small = 0
    for k in range(count):
        array, row = word(arrays, 8 * k), table + ROWS + ROW * k
        model, flags = word(arrays, 8 * word(row, SHAPE_OF)), word(row, REQUIRED)
        if word(array, TYPE) != word(table, ARRAY_TYPE) or word(array, DESCRIPTOR) != word(
            row, DTYPE
        ):
            return -1
        rank = half_word(array, RANK)
        if rank > word(row, HIGHEST_RANK) or rank != half_word(model, RANK):
            return -1
        if half_word(array, FLAGS) & flags != flags:
            return -1
        shape, others, size = word(array, SHAPE), word(model, SHAPE), 1
        for axis in range(rank):
            length = word(shape, 8 * axis)
            if word(others, 8 * axis) != length:
                return -1
            size *= length
        if word(row, SHAPE_OF):
            small = size
        else:
            large = size
    for k in range(count):
        result = table + ROWS + ROW * k
        if word(result, REQUIRED) & WRITE:
            start = word(word(arrays, 8 * k), DATA)
            end = start + (small if word(result, SHAPE_OF) else large) * word(result, ITEMSIZE)
            for j in range(count):
                row, at = table + ROWS + ROW * j, word(word(arrays, 8 * j), DATA)
                extent = (small if word(row, SHAPE_OF) else large) * word(row, ITEMSIZE)
                if j != k and at < end and start < at + extent:
                    return -1
    return large


@merged
def are_apart(table: Any, addresses: Any, size: Any) -> Any:
    """Tell whether results of so many contiguous elements overlap nothing, and all are aligned.

    Parameters
    ----------
    table : int64
        Address of what `operand_table` returns.
    addresses : tuple of int64
        Addresses of the first elements.
    size : int64
        How many elements each operand has.
    """
    count, addresses = word(table, COUNT), in_memory(addresses)
    for k in range(count):
        row, start = table + ROWS + ROW * k, word(addresses, 8 * k)
        if start % word(row, ITEMSIZE):
            return False
        if word(row, REQUIRED) & WRITE:
            end = start + size * word(row, ITEMSIZE)
            for j in range(count):
                at = word(addresses, 8 * j)
                extent = size * word(table + ROWS + ROW * j, ITEMSIZE)
                if j != k and at < end and start < at + extent:
                    return False
    return True


class Operand(NamedTuple):
    """What an operand must be like."""

    dtype: np.dtype[Any]
    #: number of the operand whose shape it must have: the first one, or another that is no later
    shape_of: int = 0
    highest_rank: int = MAX_RANK
    result: bool = False


def operand_table(operands: tuple[Operand, ...]) -> np.ndarray[Any, Any]:
    """Return what `contiguous_size` compares with.

    An element type is known by the address of NumPy's one object for it. Where arrays do not look
    as expected, no object is taken for one.
    """
    rows = [id(np.ndarray) if has_expected_headers() else 0, len(operands), 0, 0]
    for operand in operands:
        required = READABLE | WRITE if operand.result else READABLE
        rows += [id(operand.dtype), operand.dtype.itemsize, operand.shape_of]
        rows += [operand.highest_rank, required, 0, 0]
    return np.array(rows, np.int64)


@cache
def has_expected_headers() -> bool:
    """Tell whether arrays of this Python and this NumPy look as they are expected to."""
    probe = np.zeros((3, 5), np.float32)[1:]

    def word_at(offset: int) -> int:
        return ctypes.c_int64.from_address(id(probe) + offset).value

    shape, strides = word_at(SHAPE), word_at(STRIDES)
    return (
        word_at(TYPE) == id(np.ndarray)
        and word_at(DATA) == probe.ctypes.data
        and word_at(RANK) & 0xFFFFFFFF == probe.ndim
        and [ctypes.c_int64.from_address(shape + 8 * k).value for k in range(2)] == [2, 5]
        and [ctypes.c_int64.from_address(strides + 8 * k).value for k in range(2)] == [20, 4]
        and word_at(DESCRIPTOR) == id(probe.dtype)
        and word_at(FLAGS) & (READABLE | WRITE) == READABLE | WRITE
        and bool(word_at(FLAGS) & 0x0002) == probe.flags.f_contiguous
    )
