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
from numba import njit, types
from numba.extending import intrinsic

from ..layout import MAX_RANK
from .codecs import JIT_OPTIONS, helper

_HEAD: Final = object.__basicsize__
TYPE: Final = _HEAD - 8
DATA: Final = _HEAD
RANK: Final = _HEAD + 8
SHAPE: Final = _HEAD + 16
STRIDES: Final = _HEAD + 24
DESCRIPTOR: Final = _HEAD + 40
FLAGS: Final = _HEAD + 48
#: contiguous in C order and aligned; and writeable
READABLE: Final = 0x0001 | 0x0100
WRITABLE: Final = READABLE | 0x0400
_WRITE: Final = 0x0400


#: compiles a function as part of whatever calls it, which takes less time than one of its own
merged: Final = njit(**JIT_OPTIONS, inline="always")


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


@merged
def _are_arrays(facts: Any, arrays: Any) -> Any:
    """Tell whether objects are plain arrays of the expected element types."""
    for k in range(len(arrays)):
        if word(arrays[k], TYPE) != word(facts, 0):
            return False
        if word(arrays[k], DESCRIPTOR) != word(facts, 16 * k + 8):
            return False
    return True


@merged
def _are_alike(array: Any, other: Any) -> Any:
    """Tell whether two arrays have one shape."""
    rank = half_word(array, RANK)
    if rank > MAX_RANK or half_word(other, RANK) != rank:
        return False
    shape, sizes = word(array, SHAPE), word(other, SHAPE)
    for axis in range(rank):
        if word(shape, 8 * axis) != word(sizes, 8 * axis):
            return False
    return True


@merged
def _size(array: Any) -> Any:
    """Return how many elements an array has."""
    shape, size = word(array, SHAPE), 1
    for axis in range(half_word(array, RANK)):
        size *= word(shape, 8 * axis)
    return size


@merged
def _fit(facts: Any, arrays: Any, results: Any) -> Any:
    """Tell whether arrays are contiguous and aligned, the last ones writeable and apart."""
    for k in range(len(arrays)):
        wanted = READABLE if k < len(arrays) - results else WRITABLE
        if half_word(arrays[k], FLAGS) & wanted != wanted:
            return False
    for k in range(len(arrays) - results, len(arrays)):
        start = address(arrays[k])
        stop = start + _size(arrays[k]) * word(facts, 16 * k + 16)
        for other in range(k):
            first = address(arrays[other])
            if first < stop and start < first + _size(arrays[other]) * word(facts, 16 * other + 16):
                return False
    return True


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
    if not _are_arrays(facts, arrays):
        return -1
    for k in range(1, len(arrays)):
        if not _are_alike(arrays[0], arrays[k]):
            return -1
    return _size(arrays[0]) if _fit(facts, arrays, 1) else -1


@helper
def channel_size(facts: Any, arrays: Any) -> Any:
    """Return how many elements gradient, data and result have; -1 where a plain loop is not right.

    As ``dense_size``, with gradient, data, weight, result and sums. Weight and sums have one shape
    of rank 1.
    """
    if not _are_arrays(facts, arrays):
        return -1
    grad, data, weight, result, sums = arrays
    if not (_are_alike(data, grad) and _are_alike(data, result) and _are_alike(weight, sums)):
        return -1
    if half_word(weight, RANK) != 1 or not _fit(facts, arrays, 2):
        return -1
    return _size(data)


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
    if not _are_arrays(facts, arrays):
        return False
    row = 0
    for array in arrays:
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
    start, stop = address(last) + layout[row + 1], address(last) + layout[row + 2]
    row = 0
    for k in range(len(arrays) - 1):
        at = address(arrays[k])
        if at + layout[row + 1] < stop and start < at + layout[row + 2]:
            return False
        row += 3 + 2 * layout[row]
    return half_word(last, FLAGS) & _WRITE != 0


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
        and word_at(FLAGS) & WRITABLE == WRITABLE
        and bool(word_at(FLAGS) & 0x0002) == probe.flags.f_contiguous
    )
