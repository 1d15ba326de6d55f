"""Compiled check whether arrays have the same layouts as those of an earlier call.

Calls on a layout that occurs only once do not need the check, so it is a separate function,
compiled once for all operators and called by its address, like a task.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compiler.jit import integer_kernel, once_each
from ..runtime.array_header import (
    ARRAY_TYPE,
    COUNT,
    DATA,
    DESCRIPTOR,
    DTYPE,
    FLAGS,
    RANK,
    ROW,
    ROWS,
    SHAPE,
    STRIDES,
    TYPE,
    WRITE,
)
from ..runtime.launch import own_address
from ..runtime.memory import half_word, word


@once_each
def layout_check() -> Any:
    """Return the compiled `_are_laid_out`."""
    return integer_kernel(_are_laid_out, "layout_check")


def _are_laid_out(table: int, layout: int, arrays: int) -> Any:
    """Tell whether arrays have known shapes and strides and the result is writeable and separate.

    Parameters
    ----------
    table : int
        Address of the table from `operand_table`.
    layout : int
        Address of the table from `layout_table`.
    arrays : int
        Address of the addresses of the objects; negative to get the address of this function.
    """
    if arrays < 0:
        return own_address()
    count = word(table, COUNT)
    result = word(arrays, 8 * count - 8)
    start, row = word(result, DATA) + word(layout, 0), layout + 16
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
            or (k < count - 1 and at < end and start < at + word(row, 16))
        ):
            return 0
        for axis in range(2 * rank):
            fits = fits and word(shape, 8 * axis) == word(row, 24 + 8 * axis)
        row += 24 + 16 * rank
    return int(fits)


def layout_table(arrays: tuple[NDArray[Any], ...]) -> NDArray[Any]:
    """Return the table that `_are_laid_out` compares with.

    For each array: its rank, the offset of its memory's start from its first element, the length of
    that memory, its sizes and its strides. The table begins with offset and length of the last
    array.
    """
    rows: list[int] = []
    for array in arrays:
        reach = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)]
        low, high = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
        span = low, high + array.itemsize - low
        rows += [array.ndim, *span, *array.shape, *array.strides]
    return np.array([*span, *rows], np.int64)
