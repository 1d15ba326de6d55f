"""Tiles: small buffers on the stack between memory of any layout and the arithmetic.

A tile is read into buffers, computed there, and written back as a whole. That keeps the arithmetic
vectorised for every layout, and makes an output that is exactly an input's view safe. A tile that
is one piece of memory needs no buffer.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.extending import intrinsic

from ..dtypes import ELEMENT_TYPES
from .codecs import helper, inlined
from .streams import LINE, copy

#: bytes of an element -> a type with elements of that size
_RAW: Final = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}


@cache
def peek(storage: str, *, apart: bool = False) -> Any:
    """Return the function that reads an element at ``address + offset`` bytes.

    It may be told that nothing is ever written there with ``poke(…, apart=True)``.
    """
    kind = from_dtype(ELEMENT_TYPES[storage].storage)

    @intrinsic
    def read(typingctx: Any, address: Any, offset: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            load = builder.load(_pointer(context, builder, kind, *args))
            load.align = 1  # views need not be aligned
            if apart:
                load.set_metadata("noalias", _results(builder.module))
            return load

        return kind(types.int64, types.int64), codegen

    return read


@cache
def poke(storage: str, *, apart: bool = False) -> Any:
    """Return the function that writes an element at ``address + offset`` bytes.

    It may be told that nothing is ever read there with ``peek(…, apart=True)``.
    """
    kind = from_dtype(ELEMENT_TYPES[storage].storage)

    @intrinsic
    def write(typingctx: Any, address: Any, offset: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            store = builder.store(args[2], _pointer(context, builder, kind, *args[:2]))
            store.align = 1
            if apart:
                store.set_metadata("alias.scope", _results(builder.module))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, kind), codegen

    return write


def _results(module: Any) -> Any:
    """Return LLVM's name for the memory of results, in a list of such names."""
    domain = module.add_metadata(["ascendref operands"])
    return module.add_metadata([module.add_metadata(["ascendref results", domain])])


def _pointer(context: Any, builder: Any, kind: Any, address: Any, offset: Any) -> Any:
    # the base turns into a pointer once per row and the offset stays a plain index: only then does
    # LLVM see consecutive elements
    base = builder.inttoptr(address, ir.IntType(8).as_pointer())
    place = builder.gep(base, [offset], source_etype=ir.IntType(8))
    return builder.bitcast(place, context.get_data_type(kind).as_pointer())


@intrinsic
def prefetch(typingctx: Any, address: Any) -> Any:
    """Ask for a line of memory that will be read."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        read, keep, data = (ir.Constant(word, number) for number in (0, 3, 1))
        builder.call(function, [builder.inttoptr(args[0], byte), read, keep, data])
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@intrinsic
def beyond(typingctx: Any, pointer: Any, count: Any) -> Any:
    """Return a pointer so many elements further on."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.int64), codegen


@cache
def gatherer(size: int) -> Any:
    """Return the function that reads a tile of ``m1`` × ``m0`` elements into a buffer.

    Parameters
    ----------
    size : int
        Bytes of an element. Rows of the buffer are ``pitch`` bytes apart.
    """
    read, write = peek(_RAW[size], apart=True), poke(_RAW[size], apart=True)
    line = LINE // size

    @helper
    def gather(buffer: int, pitch: int, address: int, s0: int, s1: int, m0: int, m1: int) -> None:
        if abs(s0) > abs(s1) and s1 != 0:
            # rows are far apart: all of them are asked for before the first one is waited for
            for i in range(m0):
                for j in range(0, m1, line):
                    prefetch(address + i * s0 + j * s1)
            for i in range(m0):
                for j in range(m1):
                    write(buffer + i * size, j * pitch, read(address + i * s0, j * s1))
            return
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

    return gather


@cache
def scatterer(size: int) -> Any:
    """Return the function that writes a buffer to a tile of ``m1`` × ``m0`` elements.

    Parameters
    ----------
    size : int
        Bytes of an element. Rows of the buffer are ``pitch`` bytes apart.
    """
    read, write = peek(_RAW[size], apart=True), poke(_RAW[size], apart=True)

    @helper
    def scatter(buffer: int, pitch: int, address: int, s0: int, s1: int, m0: int, m1: int) -> None:
        if abs(s0) > abs(s1) and m1 != 1:
            for i in range(m0):
                for j in range(m1):
                    write(address + i * s0, j * s1, read(buffer + i * size, j * pitch))
            return
        for j in range(m1):
            row, source = address + j * s1, buffer + j * pitch
            if s0 == size:
                copy(row, source, m0 * size)
            else:
                for i in range(m0):
                    write(row, i * s0, read(source, i * size))

    return scatter


@inlined
def is_one_piece(size: int, address: int, s0: int, s1: int, m0: int, m1: int) -> Any:
    """Tell whether a tile is contiguous and aligned."""
    return s0 == size and (m1 == 1 or s1 == m0 * size) and address % size == 0


@cache
def pointer_to(storage: Any) -> Any:
    """Return the function that makes an address a pointer to elements as they are stored."""
    kind = from_dtype(storage)

    @intrinsic
    def pointer(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_data_type(kind).as_pointer())

        return types.CPointer(kind)(types.int64), codegen

    return pointer


@cache
def row_adder(register: type, length: int) -> Any:
    """Return the function that adds rows of registers to one, in order.

    ``add(sums, first, rows, start, stop)`` keeps the sums in a vector meanwhile, which LLVM would
    not do of itself.
    """
    kind = from_dtype(register)

    @intrinsic
    def add(typingctx: Any, sums: Any, first: Any, rows: Any, start: Any, stop: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            element = context.get_data_type(kind)
            vector = ir.VectorType(element, length)

            def place(base: Any, index: Any) -> Any:
                return builder.bitcast(builder.gep(base, [index]), vector.as_pointer())

            total = place(args[0], args[1])
            align = element.get_abi_size(context.target_data)
            held = cgutils.alloca_once_value(builder, builder.load(total, align=align))
            step = ir.Constant(args[3].type, length)
            with cgutils.for_range_slice(builder, args[3], args[4], step, inc=True) as (index, _):
                row = builder.load(place(args[2], index), align=align)
                builder.store(builder.fadd(builder.load(held), row), held)
            builder.store(builder.load(held), total, align=align)
            return context.get_dummy_value()

        pointer = types.CPointer(kind)
        return types.void(pointer, types.int64, pointer, types.int64, types.int64), codegen

    return add
