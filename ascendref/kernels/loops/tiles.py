"""Tiles: small stack buffers between memory and the arithmetic.

A tile is read into buffers, computed there, and written back as a whole. That keeps the arithmetic
vectorized for every layout, and makes in-place outputs safe. Elements of other types than the
arithmetic's are converted on the way. A tile that is contiguous in memory needs no buffer.
"""

from __future__ import annotations

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
from ..compiler.jit import inlined, integer_kernel, once_each
from ..runtime.array_header import GATHER, ROW, ROWS
from ..runtime.launch import caller_of, own_address_in
from ..runtime.memory import copy, peek, poke, prefetch
from ..runtime.nontemporal import LINE

#: bytes of an element -> a type with elements of that size
_RAW: Final = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}


_COPY: Final = types.int64(*[types.int64] * 7)


_own_address: Final = own_address_in(_COPY)
#: ``copy_tile(function, buffer, pitch, address, s0, s1, m0, m1)`` copies a tile of ``m1`` × ``m0``
#: elements to or from a buffer whose rows are ``pitch`` bytes apart, by the address of a function
copy_tile: Final = caller_of(_COPY)


def _copy(buffer: int, pitch: int, address: int, s0: int, s1: int, m0: int, m1: int) -> int:
    """Give all copies of tiles their parameters and their place in the disk cache."""
    raise NotImplementedError


def _gather(source: str, target: str) -> Callable[..., Any]:
    """Return the function that copies a tile into a buffer of some type."""
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
    """Return the function that copies a buffer of some type to a tile."""
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
