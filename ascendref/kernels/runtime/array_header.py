"""The headers of Python's objects and of NumPy's arrays, read by compiled code.

A kernel that gets the address of a tuple of arrays can check in nanoseconds whether it can run on
them: type, element type, flags, shape and address. The fields of an array are those of
``PyArrayObject_fields``, which NumPy's C API guarantees. They follow the Python object header,
whose last word is the type. So are the values of numbers, which it reads from a tuple of scalars.
"""

import ctypes
import sys
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from ...core.layout import MAX_RANK
from ...core.packing import ScalarRange
from ..compiler.jit import helper, merged
from .memory import half_word, peek, poke, word

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
#: if none does); elements of a row from which the task takes several rows at once (0 if never)
ARRAY_TYPE, COUNT, EXACT_TASK, PYTHON_TASK, LOOKUP_TASK, TAKES_ROWS, ROWS = range(0, 56, 8)
#: in place of the address of a task that looks up results
NOT_LOADED: Final = -1
#: words of a row: address of the dtype, bytes of an element, index of the operand whose shape it
#: must have, highest rank, required flags, addresses of the functions that copy its tiles to and
#: from buffers (``loops/tiles.py``; 0 if not loaded), bytes of an element in a buffer, and whether
#: elements are converted on the way; then the length of a row
DTYPE, ITEMSIZE, SHAPE_OF, HIGHEST_RANK, REQUIRED = range(0, 40, 8)
GATHER, SCATTER, HELD, CONVERTED, ROW = range(40, 80, 8)

#: the value of a float; the sign and the number of digits of an int, and its first digit
VALUE, DIGIT = _HEAD, _HEAD + 8
#: whether these are the signed number of digits, as in Python 3.11
_SIGNED: Final = sys.version_info < (3, 12)
#: words of a `scalar_table` before its rows: number of scalars, addresses of Python's types float
#: and int and of NumPy's
_SCALARS, _FLOAT, _INT, _FLOAT64, _FLOAT32, _INT64, _RANGES = range(0, 56, 8)
#: words of a row: address of an object (0 for none) and its value, least and greatest value of
#: other objects; then the length of a row
_OBJECT, _OBJECT_VALUE, _LEAST, _GREATEST, _RANGE = range(0, 40, 8)
#: the scalars of a call before they are known; its length is the largest number of them
NO_SCALARS: Final = (0,) * 8

_set_word: Final = poke("int64")
_set_real: Final = poke("float64")
_real: Final = peek("float64")
_single: Final = peek("float32")


@merged
def is_result(table: Any, operand: Any) -> Any:
    """Tell whether an operand of a table is a result; results come last."""
    return word(table + ROWS + ROW * operand, REQUIRED) & WRITE != 0


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


@helper
def put_scalars(target: Any, table: Any, scalars: Any) -> Any:
    """Write the items of a tuple as float64, if all are numbers in the ranges of a table."""
    for k in range(word(table, _SCALARS)):
        item, row = word(scalars, ITEMS + 8 * k), table + _RANGES + _RANGE * k
        kind = word(item, TYPE)
        if item == word(row, _OBJECT):
            value = _real(row, _OBJECT_VALUE)
        else:
            if kind == word(table, _FLOAT) or kind == word(table, _FLOAT64):
                value = _real(item, VALUE)
            elif kind == word(table, _FLOAT32):
                value = float(_single(item, VALUE))
            elif kind == word(table, _INT64):
                value = float(word(item, VALUE))
            elif kind == word(table, _INT):
                head = word(item, VALUE)
                sign = head if _SIGNED else 1 - (head & 3)
                if abs(head) > (1 if _SIGNED else 15):  # more than a digit
                    return False
                value = float(sign * half_word(item, DIGIT))
            else:
                return False
            if not (_real(row, _LEAST) <= value <= _real(row, _GREATEST)):
                return False
        _set_real(target, 8 * k, value)
    return True


def scalar_table(ranges: tuple[ScalarRange, ...]) -> np.ndarray[Any, Any]:
    """Return the table that `put_scalars` compares with; objects in it must be kept alive."""
    assert len(ranges) <= len(NO_SCALARS)
    rows = [len(ranges), *map(id, (float, int, np.float64, np.float32, np.int64))]
    for known, *numbers in ranges:
        rows += [0 if known is None else id(known), *np.array(numbers).view(np.int64).tolist()]
    return np.array(rows, np.int64)


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
    rows = [id(np.ndarray) if has_expected_headers() else 0, len(operands), 0, 0, 0, 0]
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
    pair, text, number = (probe, probe.dtype), b"\1\2", 1.5
    heads = [ctypes.c_int64.from_address(id(n) + VALUE).value for n in (0, 1, -5, 2**30)]
    return (
        [ctypes.c_int64.from_address(id(pair) + ITEMS + 8 * k).value for k in range(2)]
        == [id(item) for item in pair]
        and ctypes.string_at(id(text) + BYTES, 2) == text
        and (heads if _SIGNED else [head & ~4 for head in heads])
        == ([0, 1, -1, 2] if _SIGNED else [1, 8, 10, 16])
        and ctypes.c_int32.from_address(id(-5) + DIGIT).value == 5
        and ctypes.c_double.from_address(id(number) + VALUE).value == number
        and ctypes.c_double.from_address(id(np.float64(number)) + VALUE).value == number
        and ctypes.c_int64.from_address(id(np.int64(-5)) + VALUE).value == -5
        and ctypes.c_float.from_address(id(np.float32(number)) + VALUE).value == number
        and word_at(TYPE) == id(np.ndarray)
        and word_at(DATA) == probe.ctypes.data
        and word_at(RANK) & 0xFFFFFFFF == probe.ndim
        and [ctypes.c_int64.from_address(shape + 8 * k).value for k in range(2)] == [2, 5]
        and [ctypes.c_int64.from_address(strides + 8 * k).value for k in range(2)] == [20, 4]
        and word_at(DESCRIPTOR) == id(probe.dtype)
        and word_at(FLAGS) & (READABLE | WRITE) == READABLE | WRITE
        and bool(word_at(FLAGS) & 0x0002) == probe.flags.f_contiguous
    )
