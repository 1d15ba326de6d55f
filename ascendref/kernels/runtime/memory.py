"""Reads and writes of memory by address, as LLVM instructions.

Kernels use addresses because Numba's arrays would need their headers unpacked and the code compiled
again for every layout.
"""

from functools import cache
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.extending import intrinsic

from ...core.dtypes import ELEMENT_TYPES
from ..compiler.instructions import instructions

_WORD: Final = ir.IntType(64)
_BYTES: Final = ir.IntType(8).as_pointer()
_int64: Final = types.int64


@instructions(_int64, _int64, _int64)
def word(builder: Any, address: Any, offset: Any) -> Any:
    return builder.load(builder.inttoptr(builder.add(address, offset), _WORD.as_pointer()))


@instructions(_int64, _int64, _int64)
def half_word(builder: Any, address: Any, offset: Any) -> Any:
    place = builder.inttoptr(builder.add(address, offset), ir.IntType(32).as_pointer())
    return builder.sext(builder.load(place), _WORD)


@cache
def words(count: int) -> Any:
    """Return the function that reads a fixed number of words from an address, as a tuple."""
    return _numbers(_int64, _WORD, count)


@cache
def reals(count: int) -> Any:
    """Return the function that reads a fixed number of float64 from an address, as a tuple."""
    return _numbers(types.float64, ir.DoubleType(), count)


def _numbers(kind: Any, stored: Any, count: int) -> Any:
    @instructions(types.UniTuple(kind, count), _int64)
    def read(builder: Any, address: Any) -> Any:
        place = builder.inttoptr(address, stored.as_pointer())
        numbers = [builder.load(builder.gep(place, [_WORD(k)])) for k in range(count)]
        return cgutils.pack_array(builder, numbers, stored)

    return read


@instructions(_int64, _int64, _int64)
def smaller(builder: Any, a: Any, b: Any) -> Any:
    """Return the smaller of two integers; every use of ``min`` compiles another function."""
    return builder.select(builder.icmp_signed("<", a, b), a, b)


@intrinsic
def in_memory(typingctx: Any, numbers: Any) -> Any:
    """Put a tuple of integers on the stack and return its address: an index is then an offset."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ptrtoint(cgutils.alloca_once_value(builder, args[0]), _WORD)

    return types.int64(numbers), codegen


def _llvm_type(storage: np.dtype[Any]) -> Any:
    reals = {"f4": ir.FloatType(), "f8": ir.DoubleType()}
    return reals.get(storage.str[1:], ir.IntType(8 * storage.itemsize))


@cache
def peek(storage: str, *, apart: bool = False) -> Any:
    """Return ``read(address, offset)``; never where ``poke(…, apart=True)`` writes if ``apart``."""
    stored = ELEMENT_TYPES[storage].storage

    @instructions(from_dtype(stored), _int64, _int64)
    def read(builder: Any, address: Any, offset: Any) -> Any:
        load = builder.load(_pointer(builder, stored, address, offset))
        load.align = 1  # views need not be aligned
        if apart:
            load.set_metadata("noalias", results_scope(builder.module))
        return load

    return read


@cache
def poke(storage: str, *, apart: bool = False) -> Any:
    """Return ``write(address, offset, value)``; ``apart`` as in `peek`."""
    stored = ELEMENT_TYPES[storage].storage

    @instructions(types.void, _int64, _int64, from_dtype(stored))
    def write(builder: Any, address: Any, offset: Any, value: Any) -> None:
        store = builder.store(value, _pointer(builder, stored, address, offset))
        store.align = 1
        if apart:
            store.set_metadata("alias.scope", results_scope(builder.module))

    return write


def results_scope(module: Any) -> Any:
    """Return LLVM's name for the memory of results, in a list of such names."""
    domain = module.add_metadata(["ascendref operands"])
    return module.add_metadata([module.add_metadata(["ascendref results", domain])])


def _pointer(builder: Any, stored: np.dtype[Any], address: Any, offset: Any) -> Any:
    # the base is converted to a pointer once per row and the offset stays a plain index: only then
    # does LLVM see consecutive elements
    base = builder.inttoptr(address, _BYTES)
    place = builder.gep(base, [offset], source_etype=ir.IntType(8))
    return builder.bitcast(place, _llvm_type(stored).as_pointer())


@instructions(types.void, _int64)
def prefetch(builder: Any, address: Any) -> None:
    """Prefetch a cache line that will be read."""
    number = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [_BYTES, number, number, number])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    read, keep, data = number(0), number(3), number(1)
    builder.call(function, [builder.inttoptr(address, _BYTES), read, keep, data])


@intrinsic
def beyond(typingctx: Any, pointer: Any, count: Any) -> Any:
    """Return a pointer advanced by a number of elements."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.int64), codegen


@instructions(types.void, _int64, _int64, _int64)
def copy(builder: Any, target: Any, source: Any, count: Any) -> None:
    places = [builder.inttoptr(address, _BYTES) for address in (target, source)]
    cgutils.raw_memcpy(builder, *places, count, 1)


@cache
def pointer_to(storage: np.dtype[Any]) -> Any:
    """Return the function that converts an address to a pointer to stored elements."""

    @instructions(types.CPointer(from_dtype(storage)), _int64)
    def pointer(builder: Any, address: Any) -> Any:
        return builder.inttoptr(address, _llvm_type(storage).as_pointer())

    return pointer


int64_pointer: Final = pointer_to(np.dtype(np.int64))


@instructions(_int64, _int64, _int64)
def allocate(builder: Any, size: Any, alignment: Any) -> Any:
    """Return the address of memory from ``malloc``, or 0 if it fails.

    The alignment is a power of two, at least 8. The word before holds the address from ``malloc``.
    """
    kind = ir.FunctionType(_BYTES, [_WORD])
    function = cgutils.get_or_insert_function(builder.module, kind, "malloc")
    spare = builder.add(alignment, alignment)
    start = builder.ptrtoint(builder.call(function, [builder.add(size, spare)]), _WORD)
    aligned = builder.and_(builder.add(start, spare), builder.neg(alignment))
    found = builder.icmp_unsigned("!=", start, _WORD(0))
    with builder.if_then(found):
        before = builder.inttoptr(builder.sub(aligned, _WORD(8)), _WORD.as_pointer())
        builder.store(start, before)
    return builder.select(found, aligned, _WORD(0))


@instructions(types.void, _int64)
def release(builder: Any, address: Any) -> None:
    kind = ir.FunctionType(ir.VoidType(), [_BYTES])
    function = cgutils.get_or_insert_function(builder.module, kind, "free")
    before = builder.inttoptr(builder.sub(address, _WORD(8)), _WORD.as_pointer())
    builder.call(function, [builder.inttoptr(builder.load(before), _BYTES)])
