"""Tiles: small stack buffers between strided memory and the arithmetic.

A tile is read into buffers, computed there, and written back as a whole. That keeps the arithmetic
vectorized for every layout, and makes in-place outputs safe. A tile that is contiguous in memory
needs no buffer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ..compiler.jit import inlined, integer_kernel, once_each
from ..runtime.array_header import GATHER, ROW, ROWS
from ..runtime.launch import caller_of, own_address_in
from ..runtime.memory import copy, peek, poke, prefetch
from ..runtime.nontemporal import LINE

#: bytes of an element -> a type with elements of that size
_RAW: Final = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}


_COPY: Final = types.int64(*[types.int64] * 7)


@intrinsic
def _own_address(typingctx: Any) -> Any:
    """Return the address of the function that copies tiles in which this is called."""
    return own_address_in(_COPY)


@intrinsic
def copy_tile(
    typingctx: Any,
    function: Any,
    buffer: Any,
    pitch: Any,
    address: Any,
    s0: Any,
    s1: Any,
    m0: Any,
    m1: Any,
) -> Any:
    """Copy a tile of ``m1`` × ``m0`` elements to or from a buffer, by the address of a function.

    Rows of the buffer are ``pitch`` bytes apart.
    """
    return caller_of(_COPY)


def body(buffer: int, pitch: int, address: int, s0: int, s1: int, m0: int, m1: int) -> int:
    """Placeholder for the function that `_copy` calls."""
    raise NotImplementedError


def _copy(buffer: int, pitch: int, address: int, s0: int, s1: int, m0: int, m1: int) -> int:
    return body(buffer, pitch, address, s0, s1, m0, m1)


def _gather(size: int) -> Callable[..., Any]:
    """Return the function that copies a tile of elements of some size into a buffer."""
    read, write = peek(_RAW[size], apart=True), poke(_RAW[size], apart=True)
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
                    write(buffer + i * size, j * pitch, read(address + i * s0, j * s1))
            return 0
        for j in range(m1):
            row, target = address + j * s1, buffer + j * pitch
            if s0 == size:
                copy(target, row, m0 * size)
            elif s0 == 0:
                value = read(row, 0)
                for i in range(m0):
                    write(target, i * size, value)
            elif s0 == 2 * size:
                for i in range(m0):
                    write(target, i * size, read(row, i * 2 * size))
            else:
                for i in range(m0):
                    write(target, i * size, read(row, i * s0))
        return 0

    return gather


def _scatter(size: int) -> Callable[..., Any]:
    """Return the function that copies a buffer to a tile of elements of some size."""
    read, write = peek(_RAW[size], apart=True), poke(_RAW[size], apart=True)

    def scatter(buffer: int, pitch: int, address: int, s0: int, s1: int, m0: int, m1: int) -> Any:
        if m1 < 0:
            return _own_address()
        if abs(s0) > abs(s1) and m1 != 1:
            for i in range(m0):
                for j in range(m1):
                    write(address + i * s0, j * s1, read(buffer + i * size, j * pitch))
            return 0
        for j in range(m1):
            row, source = address + j * s1, buffer + j * pitch
            if s0 == size:
                copy(row, source, m0 * size)
            else:
                for i in range(m0):
                    write(row, i * s0, read(source, i * size))
        return 0

    return scatter


@once_each
def _tile_copy(make: Callable[[int], Callable[..., Any]], size: int) -> Any:
    """Return the compiled function that copies tiles of elements of some size."""
    name = f"{make.__name__.strip('_')}_{size}"
    return integer_kernel(_copy, name, formula=make, make=lambda: make(size))


def load_tile_copy(table: NDArray[Any], operand: int, column: int, size: int) -> Any:
    """Return the function that copies tiles of an operand, and enter it in a table.

    Parameters
    ----------
    table : ndarray of int64
        The table of operands (`operand_table`).
    operand : int
        Number of the operand.
    column : int
        Column of its row: ``GATHER`` or ``SCATTER``.
    size : int
        Bytes of an element.
    """
    function = _tile_copy(_gather if column == GATHER else _scatter, size)
    table[(ROWS + ROW * operand + column) // 8] = function(0, 0, 0, 0, 0, 0, -1)
    return function


@inlined
def is_one_piece(size: int, address: int, s0: int, s1: int, m0: int, m1: int) -> Any:
    """Tell whether a tile is contiguous and aligned."""
    return s0 == size and (m1 == 1 or s1 == m0 * size) and address % size == 0
