"""The header of a NumPy array, read by compiled code.

A kernel that gets the addresses of array objects can look at everything that decides whether it may
run on them, in nanoseconds: type, element type, flags, shape and place. The fields are those of
``PyArrayObject_fields``, which NumPy's C API promises. They follow the header of every Python
object, whose last word is the type.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..layout import MAX_RANK
from .codecs import helper, merged

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


def _load(bits: int) -> Any:
    def typed(typingctx: Any, address: Any, offset: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            kind = ir.IntType(bits)
            place = builder.inttoptr(builder.add(*args), kind.as_pointer())
            loaded = builder.load(place)
            return builder.sext(loaded, ir.IntType(64)) if bits < 64 else loaded

        return types.int64(types.int64, types.int64), codegen

    return intrinsic(typed)


word: Final = _load(64)
half_word: Final = _load(32)


@merged
def address(array: Any) -> Any:
    """Return where an array's elements begin."""
    return word(array, DATA)


@helper
def _size(facts: Any, k: Any, array: Any, model: Any) -> Any:
    """Return how many elements an array of a model's shape has; -1 if it is none.

    It must be a plain array of the expected element type, contiguous in C order and aligned. The
    model may be the object itself.
    """
    if word(array, TYPE) != word(facts, 0) or word(array, DESCRIPTOR) != word(facts, 16 * k + 8):
        return -1
    rank = half_word(array, RANK)
    if rank > MAX_RANK or half_word(model, RANK) != rank:
        return -1
    if half_word(array, FLAGS) & READABLE != READABLE:
        return -1
    shape, others, size = word(array, SHAPE), word(model, SHAPE), 1
    for axis in range(rank):
        length = word(shape, 8 * axis)
        if word(others, 8 * axis) != length:
            return -1
        size *= length
    return size


@helper
def _overlap(first: Any, length: Any, second: Any, size: Any) -> Any:
    """Tell whether two pieces of memory have a byte in common."""
    return first < second + size and second < first + length


@helper
def dense_size(facts: Any, arrays: Any) -> Any:
    """Return how many elements arrays have, each; -1 where a plain loop over them is not right.

    They must be plain arrays of the expected element types and of one shape, contiguous in C order
    and aligned; the last one, the result, writeable and apart from the others.

    Parameters
    ----------
    facts : int64
        Address of what ``facts_of`` returns.
    arrays : tuple of int64
        Addresses of the objects.
    """
    size = 0
    for k in range(len(arrays)):
        size = _size(facts, k, arrays[k], arrays[0])
        if size < 0:
            return -1
    last = len(arrays) - 1
    if not half_word(arrays[last], FLAGS) & WRITE:
        return -1
    result = word(arrays[last], DATA)
    length = size * word(facts, 16 * last + 16)
    for k in range(last):
        if _overlap(result, length, word(arrays[k], DATA), size * word(facts, 16 * k + 16)):
            return -1
    return size


@helper
def channel_size(facts: Any, arrays: Any) -> Any:
    """Return how many elements gradient, data and result have; -1 where a plain loop is not right.

    As ``dense_size``, with gradient, data, weight, result and sums, all of one element type. Weight
    and sums have one shape of rank 1.
    """
    grad, data, weight, result, sums = arrays
    size = few = 0
    for array in (data, grad, result):
        size = _size(facts, 0, array, data)
        if size < 0:
            return -1
    for array in (weight, sums):
        few = _size(facts, 0, array, weight)
        if few < 0:
            return -1
    if half_word(weight, RANK) != 1:
        return -1
    if not half_word(result, FLAGS) & half_word(sums, FLAGS) & WRITE:
        return -1
    length, small = size * word(facts, 16), few * word(facts, 16)
    first, last = word(result, DATA), word(sums, DATA)
    for array in (data, grad):
        at = word(array, DATA)
        if _overlap(first, length, at, length) or _overlap(last, small, at, length):
            return -1
    at = word(weight, DATA)
    if _overlap(first, length, at, small) or _overlap(last, small, at, small):
        return -1
    return -1 if _overlap(first, length, last, small) else size


@helper
def are_laid_out(facts: Any, layout: Any, arrays: Any) -> Any:
    """Tell whether arrays have known shapes and strides, the result writeable and apart.

    Parameters
    ----------
    facts : int64
        Address of what ``facts_of`` returns.
    layout : array of int64
        What ``layout_of`` returns.
    arrays : tuple of int64
        Addresses of the objects.
    """
    row = 0
    for k in range(len(arrays)):
        array = arrays[k]
        if word(array, TYPE) != word(facts, 0):
            return False
        if word(array, DESCRIPTOR) != word(facts, 16 * k + 8):
            return False
        rank = half_word(array, RANK)
        if rank != layout[row]:
            return False
        shape, strides = word(array, SHAPE), word(array, STRIDES)
        for axis in range(rank):
            if word(shape, 8 * axis) != layout[row + 3 + 2 * axis]:
                return False
            if word(strides, 8 * axis) != layout[row + 4 + 2 * axis]:
                return False
        row += 3 + 2 * rank
    last = arrays[len(arrays) - 1]
    row -= 3 + 2 * half_word(last, RANK)
    start, length = address(last) + layout[row + 1], layout[row + 2] - layout[row + 1]
    row = 0
    for k in range(len(arrays) - 1):
        at = address(arrays[k]) + layout[row + 1]
        if _overlap(start, length, at, layout[row + 2] - layout[row + 1]):
            return False
        row += 3 + 2 * layout[row]
    return half_word(last, FLAGS) & WRITE != 0


def layout_of(arrays: tuple[np.ndarray[Any, Any], ...]) -> np.ndarray[Any, Any]:
    """Return what ``are_laid_out`` compares with.

    For every array its rank, the bytes that it spans before and after its first element, then the
    size and stride of each axis.
    """
    rows: list[int] = []
    for array in arrays:
        reach = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)]
        rows += [array.ndim, sum(r for r in reach if r < 0)]
        rows += [sum(r for r in reach if r > 0) + array.itemsize]
        for axis in zip(array.shape, array.strides, strict=True):
            rows += axis
    return np.array(rows, np.int64)


def facts_of(dtypes: tuple[np.dtype[Any], ...]) -> np.ndarray[Any, Any]:
    """Return what ``dense_size`` compares with: type and element types, and the sizes of these.

    An element type is known by the address of NumPy's one object for it. Where arrays do not look
    as expected, no object is taken for one.
    """
    rows = [id(np.ndarray) if is_known() else 0]
    for dtype in dtypes:
        rows += [id(dtype), dtype.itemsize]
    return np.array(rows, np.int64)


@cache
def is_known() -> bool:
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
