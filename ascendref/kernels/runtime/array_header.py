"""The headers of Python's tuples and bytes and of NumPy's arrays, read by compiled code.

A kernel that gets the address of a tuple of arrays can check in nanoseconds whether it can run on
them: type, element type, flags, shape and address. The fields of an array are those of
``PyArrayObject_fields``, which NumPy's C API guarantees. They follow the Python object header,
whose last word is the type.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from ...core.layout import MAX_RANK
from ..compiler.jit import helper, merged
from .memory import half_word, poke, word

_HEAD: Final = object.__basicsize__
#: where the items of a tuple and the data of a bytes object begin
ITEMS: Final = tuple.__basicsize__
BYTES: Final = bytes.__basicsize__ - 1
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
#: words of an operand table before its rows: address of NumPy's array type, number of operands,
#: addresses of the task that decides open roundings, and of the one in Python that decides what
#: that one leaves open (0 if not loaded), and of the task that looks up results of large arrays (0
#: if none does)
ARRAY_TYPE, COUNT, EXACT_TASK, PYTHON_TASK, LOOKUP_TASK, ROWS = range(0, 48, 8)
#: in place of the address of a task that looks up results
NOT_LOADED: Final = -1
#: words of a row: address of the dtype, bytes of an element, index of the operand whose shape it
#: must have, highest rank, required flags, addresses of the functions that copy its tiles to and
#: from buffers (``loops/tiles.py``; 0 if not loaded), bytes of an element in a buffer, and whether
#: elements are converted on the way; then the length of a row
DTYPE, ITEMSIZE, SHAPE_OF, HIGHEST_RANK, REQUIRED = range(0, 40, 8)
GATHER, SCATTER, HELD, CONVERTED, ROW = range(40, 80, 8)

_set_word: Final = poke("int64")


@helper
def contiguous_size(table: Any, arrays: Any) -> Any:
    """Return the first array's number of elements; -1 if a plain loop cannot process all arrays.

    All must be plain arrays of the types and shapes in the table (`operand_table`), aligned and
    contiguous in C order; results must be writeable and must not overlap any other operand.
    """
    # a number unknown at compile time prevents loop unrolling, which costs more than it saves
    count = word(table, COUNT)
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
    """Tell whether contiguous operands are aligned and results overlap none of the others."""
    count = word(table, COUNT)
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


@merged
def put_objects(target: Any, table: Any, tensors: Any, result: Any) -> Any:
    """Write the addresses of a tuple's items and of the result, if headers are as expected."""
    if word(table, ARRAY_TYPE) == 0:
        return False
    last = word(table, COUNT) - 1
    for k in range(last):
        _set_word(target, 8 * k, word(tensors, ITEMS + 8 * k))
    _set_word(target, 8 * last, result)
    return True


@merged
def replace_by_data(arrays: Any, table: Any) -> Any:
    """Replace the addresses of arrays by those of their first elements."""
    for k in range(word(table, COUNT)):
        _set_word(arrays, 8 * k, word(word(arrays, 8 * k), DATA))


class Operand(NamedTuple):
    """The requirements on an operand."""

    dtype: np.dtype[Any]
    #: index of the operand whose shape it must have; at most its own
    shape_of: int = 0
    highest_rank: int = MAX_RANK
    result: bool = False
    #: type in the buffers of tiles, if it is another one
    held: np.dtype[Any] | None = None

    @property
    def converts(self) -> bool:
        return self.held is not None and self.held != self.dtype

    @property
    def itemsize_held(self) -> int:
        return self.dtype.itemsize if self.held is None else self.held.itemsize

    @property
    def largest(self) -> int:
        return max(self.dtype.itemsize, self.itemsize_held)


def operand_table(operands: tuple[Operand, ...]) -> np.ndarray[Any, Any]:
    """Return the table that `contiguous_size` compares with.

    If array headers differ from the expected form, no object is accepted.
    """
    rows = [id(np.ndarray) if has_expected_headers() else 0, len(operands), 0, 0, 0]
    for operand in operands:
        required = READABLE | WRITE if operand.result else READABLE
        rows += [id(operand.dtype), operand.dtype.itemsize, operand.shape_of]
        rows += [operand.highest_rank, required, 0, 0, operand.itemsize_held, operand.converts]
    return np.array(rows, np.int64)


@cache
def has_expected_headers() -> bool:
    """Tell whether headers of this Python and NumPy have the expected form."""
    probe = np.zeros((3, 5), np.float32)[1:]

    def word_at(offset: int) -> int:
        return ctypes.c_int64.from_address(id(probe) + offset).value

    shape, strides = word_at(SHAPE), word_at(STRIDES)
    pair, text = (probe, probe.dtype), b"\1\2"
    return (
        [ctypes.c_int64.from_address(id(pair) + ITEMS + 8 * k).value for k in range(2)]
        == [id(item) for item in pair]
        and ctypes.string_at(id(text) + BYTES, 2) == text
        and word_at(TYPE) == id(np.ndarray)
        and word_at(DATA) == probe.ctypes.data
        and word_at(RANK) & 0xFFFFFFFF == probe.ndim
        and [ctypes.c_int64.from_address(shape + 8 * k).value for k in range(2)] == [2, 5]
        and [ctypes.c_int64.from_address(strides + 8 * k).value for k in range(2)] == [20, 4]
        and word_at(DESCRIPTOR) == id(probe.dtype)
        and word_at(FLAGS) & (READABLE | WRITE) == READABLE | WRITE
        and bool(word_at(FLAGS) & 0x0002) == probe.flags.f_contiguous
    )
