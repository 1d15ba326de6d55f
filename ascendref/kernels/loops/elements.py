"""How a loop reads the elements for one result."""

from functools import cache
from typing import Any, Final, NamedTuple

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..arithmetic.codecs import Conversion, decode_bfloat16_pair, unmasked
from ..runtime.memory import results_scope

_BYTE: Final = ir.IntType(8)
_I32: Final = ir.IntType(32)


class Read(NamedTuple):
    """One number that a formula gets from its tensors."""

    #: index of the tensor
    tensor: int
    #: conversion from the stored element
    conversion: Conversion
    #: bytes of the stored element
    itemsize: int


@cache
def loader(reads: tuple[Read, ...], *, selects: bool) -> Any:
    """Return ``load(tensors, i, zero)``, which reads all numbers for element ``i``, as a tuple.

    The tensors are addresses of contiguous elements, to which ``poke(…, apart=True)`` never writes.
    ``selects`` tells whether the formula selects between the first number and others (`unmasked`).
    """

    @intrinsic
    def load(typingctx: Any, tensors: Any, i: Any, zero: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            addresses, index, known_zero = args
            numbers = []
            for k, (tensor, conversion, itemsize) in enumerate(reads):
                element = context.get_data_type(conversion.source)
                offset = builder.mul(index, ir.Constant(index.type, itemsize), flags=("nsw",))
                value = _element(builder, element, addresses, tensor, offset)
                if k == 0 and selects:
                    value = unmasked(builder, value, known_zero)
                numbers.append(conversion.emit(builder, value))
            return context.make_tuple(builder, sig.return_type, numbers)

        found = types.BaseTuple.from_types([read.conversion.target for read in reads])
        return found(tensors, types.int64, types.int64), codegen

    return load


@cache
def pair_loader(tensors: int) -> Any:
    """Return ``load(tensors, offset)``, which reads two consecutive BF16 elements as two tuples."""

    @intrinsic
    def load(typingctx: Any, addresses: Any, offset: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            pairs = [
                decode_bfloat16_pair(builder, _element(builder, _I32, args[0], k, args[1]))
                for k in range(tensors)
            ]
            sides = [
                context.make_tuple(builder, side, numbers)
                for side, numbers in zip(sig.return_type, zip(*pairs, strict=True), strict=True)
            ]
            return context.make_tuple(builder, sig.return_type, sides)

        side = types.UniTuple(types.float32, tensors)
        return types.UniTuple(side, 2)(addresses, types.int64), codegen

    return load


def _element(builder: Any, element: Any, addresses: Any, tensor: int, offset: Any) -> Any:
    # the base is converted to a pointer once per loop and the offset stays a plain index: only then
    # does LLVM see consecutive elements
    base = builder.inttoptr(builder.extract_value(addresses, tensor), _BYTE.as_pointer())
    place = builder.gep(base, [offset], source_etype=_BYTE)
    load = builder.load(builder.bitcast(place, element.as_pointer()))
    load.align = 1  # views need not be aligned
    load.set_metadata("noalias", results_scope(builder.module))
    return load
