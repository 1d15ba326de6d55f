"""Reads and writes of memory by address, as LLVM instructions.

Kernels use addresses because Numba's arrays would need their headers unpacked and the code compiled
again for every layout.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.extending import intrinsic

from ...core.dtypes import ELEMENT_TYPES


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


@cache
def words(count: int) -> Any:
    """Return the function that reads a fixed number of words from an address, as a tuple."""

    @intrinsic
    def read(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            place = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
            found = [builder.load(builder.gep(place, [_index(k)])) for k in range(count)]
            return context.make_tuple(builder, sig.return_type, found)

        return types.UniTuple(types.int64, count)(types.int64), codegen

    return read


@cache
def reals(count: int) -> Any:
    """Return the function that reads a fixed number of float64 from an address, as a tuple."""

    @intrinsic
    def read(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            place = builder.inttoptr(args[0], ir.DoubleType().as_pointer())
            found = [builder.load(builder.gep(place, [_index(k)])) for k in range(count)]
            return context.make_tuple(builder, sig.return_type, found)

        return types.UniTuple(types.float64, count)(types.int64), codegen

    return read


def _index(number: int) -> Any:
    return ir.Constant(ir.IntType(64), number)


@intrinsic
def smaller(typingctx: Any, a: Any, b: Any) -> Any:
    """Return the smaller of two integers; every use of ``min`` compiles another function."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(builder.icmp_signed("<", *args), *args)

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def in_memory(typingctx: Any, numbers: Any) -> Any:
    """Put a tuple of integers on the stack and return its address.

    In memory an index is an offset; in a tuple it is a switch.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = cgutils.alloca_once_value(builder, args[0])
        return builder.ptrtoint(place, ir.IntType(64))

    return types.int64(numbers), codegen


@cache
def peek(storage: str, *, apart: bool = False) -> Any:
    """Return the function that reads an element at ``address + offset`` bytes.

    ``apart`` promises that ``poke(…, apart=True)`` never writes there.
    """
    kind = from_dtype(ELEMENT_TYPES[storage].storage)

    @intrinsic
    def read(typingctx: Any, address: Any, offset: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            load = builder.load(_pointer(context, builder, kind, *args))
            load.align = 1  # views need not be aligned
            if apart:
                load.set_metadata("noalias", results_scope(builder.module))
            return load

        return kind(types.int64, types.int64), codegen

    return read


@cache
def poke(storage: str, *, apart: bool = False) -> Any:
    """Return the function that writes an element at ``address + offset`` bytes.

    ``apart`` promises that ``peek(…, apart=True)`` never reads there.
    """
    kind = from_dtype(ELEMENT_TYPES[storage].storage)

    @intrinsic
    def write(typingctx: Any, address: Any, offset: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            store = builder.store(args[2], _pointer(context, builder, kind, *args[:2]))
            store.align = 1
            if apart:
                store.set_metadata("alias.scope", results_scope(builder.module))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, kind), codegen

    return write


def results_scope(module: Any) -> Any:
    """Return LLVM's name for the memory of results, in a list of such names."""
    domain = module.add_metadata(["ascendref operands"])
    return module.add_metadata([module.add_metadata(["ascendref results", domain])])


def _pointer(context: Any, builder: Any, kind: Any, address: Any, offset: Any) -> Any:
    # the base is converted to a pointer once per row and the offset stays a plain index: only then
    # does LLVM see consecutive elements
    base = builder.inttoptr(address, ir.IntType(8).as_pointer())
    place = builder.gep(base, [offset], source_etype=ir.IntType(8))
    return builder.bitcast(place, context.get_data_type(kind).as_pointer())


@intrinsic
def prefetch(typingctx: Any, address: Any) -> Any:
    """Prefetch a cache line that will be read."""

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
    """Return a pointer advanced by a number of elements."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.int64), codegen


@intrinsic
def copy(typingctx: Any, target: Any, source: Any, count: Any) -> Any:
    """Copy bytes between addresses."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        places = [builder.inttoptr(address, byte) for address in args[:2]]
        cgutils.raw_memcpy(builder, *places, args[2], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


@cache
def pointer_to(storage: Any) -> Any:
    """Return the function that converts an address to a pointer to stored elements."""
    kind = from_dtype(storage)

    @intrinsic
    def pointer(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_data_type(kind).as_pointer())

        return types.CPointer(kind)(types.int64), codegen

    return pointer


int64_pointer: Final = pointer_to(np.dtype(np.int64))


@intrinsic
def allocate(typingctx: Any, size: Any, alignment: Any) -> Any:
    """Return the address of memory from ``malloc``, or 0 if it fails.

    The alignment is a power of two, at least 8. The word before holds the address from ``malloc``.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        word_type, byte = ir.IntType(64), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(byte, [word_type])
        function = cgutils.get_or_insert_function(builder.module, kind, "malloc")
        size, alignment = args
        spare = builder.add(alignment, alignment)
        start = builder.ptrtoint(builder.call(function, [builder.add(size, spare)]), word_type)
        aligned = builder.and_(builder.add(start, spare), builder.neg(alignment))
        found = builder.icmp_unsigned("!=", start, _index(0))
        with builder.if_then(found):
            before = builder.inttoptr(builder.sub(aligned, _index(8)), word_type.as_pointer())
            builder.store(start, before)
        return builder.select(found, aligned, _index(0))

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def release(typingctx: Any, address: Any) -> Any:
    """Free memory from ``allocate``."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        word_type, byte = ir.IntType(64), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte])
        function = cgutils.get_or_insert_function(builder.module, kind, "free")
        before = builder.inttoptr(builder.sub(args[0], _index(8)), word_type.as_pointer())
        builder.call(function, [builder.inttoptr(builder.load(before), byte)])
        return context.get_dummy_value()

    return types.void(types.int64), codegen
