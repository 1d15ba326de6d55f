"""Conversions between stored elements and registers, rounded to nearest even.

A *register* has the type that a kernel computes in: float32 for the compute types float16, bfloat16
and float32, float64 for float64, and int64 for exact results of integers. A decoder converts a
stored element to a register; an encoder rounds a register to a stored element, once. Both are LLVM
instructions rather than Numba arithmetic, because Numba widens ``uint32 + uint32`` to 64 bits,
which halves the vector width, and because inline code compiles faster than separate functions.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.extending import intrinsic

from ...core.dtypes import ELEMENT_TYPES, FLOAT32_STEPS, ElementType
from ..compiler.instructions import instructions
from ..compiler.target import CONVERTS_FLOAT16
from .registers import Integer, Register

_I16: Final = ir.IntType(16)
_I32: Final = ir.IntType(32)
_I64: Final = ir.IntType(64)
_HALF: Final = ir.HalfType()
_FLOAT: Final = ir.FloatType()
_DOUBLE: Final = ir.DoubleType()

#: compute type -> type of the register that holds it
REGISTER: Final[dict[str, type]] = {
    "float16": np.float32, "bfloat16": np.float32, "float32": np.float32, FLOAT32_STEPS: np.float32,
    "float64": np.float64, "exact": np.int64,
}  # fmt: skip

#: emits the instructions that convert a value
Emit = Callable[[ir.IRBuilder, ir.Value], ir.Value]


class Conversion(NamedTuple):
    """A conversion from one Numba type to another."""

    source: types.Type
    target: types.Type
    emit: Emit


@cache
def function_of(conversion: Conversion) -> Any:
    """Return a conversion as a function of one value for jitted code."""
    return instructions(conversion.target, conversion.source)(conversion.emit)


def _decode_bfloat16(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """BF16 is the upper half of a float32."""
    return (Integer(builder, bits).resized(32) << 16).register().value


def _decode_float16(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """F16 widens exactly, in hardware where available; a NaN becomes a quiet one."""
    if CONVERTS_FLOAT16:
        return builder.fpext(builder.bitcast(bits, _HALF), _FLOAT)
    wide = Integer(builder, bits).resized(32)
    magnitude, sign = (wide & 0x7FFF) << 13, (wide & 0x8000) << 16
    # a subnormal number is the difference to the smallest normal number
    small = ((magnitude | 113 << 23).register() - 2.0**-14).bits()
    beyond = magnitude | 0x7F800000
    found = magnitude.below(0x7C01 << 13).select(beyond, beyond | 0x400000)
    found = magnitude.below(0x7C00 << 13).select(magnitude + (112 << 23), found)
    found = magnitude.below(0x400 << 13).select(small, found)
    return (found | sign).register().value


def _rounded_to_upper_half(builder: ir.IRBuilder, value: ir.Value) -> Integer:
    """Round float32 to BF16, the upper half of 32 bits; NaN is kept and not rounded."""
    number = Register(builder, value)
    bits = number.bits()
    rounded = bits + ((bits.shifted(16) & 1) + 0x7FFF)
    return number.is_nan().select(bits | 0x400000, rounded)  # type: ignore[no-any-return]


def _encode_bfloat16(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    return _rounded_to_upper_half(builder, value).shifted(16).resized(16).value


def _encode_float16(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Round float32 to F16, in hardware where available."""
    if CONVERTS_FLOAT16:
        return builder.bitcast(builder.fptrunc(value, _HALF), _I16)
    bits = Register(builder, value).bits()
    magnitude, sign = bits & 0x7FFFFFFF, (bits & 0x80000000).shifted(16)
    # an addition that leaves 24 bits after the point rounds F16's subnormal numbers
    small = (magnitude.register() + 0.5).bits() - (126 << 23)
    odd = magnitude.shifted(13) & 1
    normal = (magnitude + (odd + (0xFFF - (112 << 23)))).shifted(13)
    quiet = (magnitude.shifted(13) & 0x3FF) | 0x7E00
    found = magnitude.below(0x7F800001).select(0x7C00, quiet)
    found = magnitude.below(143 << 23).select(normal, found)
    found = magnitude.below(113 << 23).select(small, found)
    return (found | sign).resized(16).value


def _round_float64_to_odd(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Round float64 to 16 bits of its significand *to odd*: an inexact result gets an odd last bit.

    A second rounding to a type at least two bits narrower then gives what one direct rounding
    would have given (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums").
    """
    bits, last = Register(builder, value).bits(), 1 << 37
    inexact = (bits & (last - 1)).differs(0)
    return (inexact.select(bits | last, bits) & -last).register().narrowed().value


def _int64_to_odd_float64(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Convert int64 to float64, rounding inexact values to odd."""
    whole = Integer(builder, value)
    # the sticky bit is within the 53-bit significand of a large number
    sticky = Integer(builder, (whole & 0xFFF).differs(0).value).resized(64) << 11
    small = (whole + (1 << 53)).below(1 << 54)
    return builder.sitofp(small.select(whole, (whole & ~0xFFF) | sticky).value, _DOUBLE)


def _int64_remainder(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Return an int64 minus the nearest float64, exactly."""
    parts = [Integer(builder, value) & mask for mask in (~0x7FF, 0x7FF)]
    high, low = (Register(builder, builder.sitofp(part.value, _DOUBLE)) for part in parts)
    return (low - ((high + low) - high)).value


@intrinsic
def same(typingctx: Any, value: Any) -> Any:
    """The identity, for any type."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return args[0]

    return value(value), codegen


def _same(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    return value


def _widen(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    return builder.fpext(value, _DOUBLE)


def _narrow(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    return builder.fptrunc(value, _FLOAT)


def _shortened(kind: ElementType) -> Emit:
    """Return the conversion of int64 to an integer type modulo its range."""
    bits = ir.IntType(8 * kind.storage.itemsize)
    return lambda builder, value: builder.trunc(value, bits) if bits != _I64 else value


def _truncated(kind: ElementType) -> Emit:
    """Return the conversion of a float or double to an integer type, toward zero."""
    bits = ir.IntType(8 * kind.storage.itemsize)
    name = "llvm.fptoui.sat" if kind.storage.kind == "u" else "llvm.fptosi.sat"

    def emit(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        shape = ir.FunctionType(bits, [value.type])
        function = builder.module.declare_intrinsic(name, [bits, value.type], shape)
        return builder.call(function, [value])

    return emit


def sequence(*steps: Emit) -> Emit:
    def emit(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        for step in steps:
            value = step(builder, value)
        return value

    return emit


def to_register(storage: str, register: type) -> Emit:
    """Return the conversion of a stored element into a register, rounded at most once."""
    if register is np.int64:
        if storage.startswith("uint"):
            return lambda builder, value: builder.zext(value, _I64)
        return lambda builder, value: builder.sext(value, _I64) if value.type != _I64 else value
    wide = register is np.float64
    real = _DOUBLE if wide else _FLOAT

    def from_bool(builder: ir.IRBuilder, byte: ir.Value) -> ir.Value:
        # any nonzero byte is true, as in C
        return builder.uitofp(builder.icmp_unsigned("!=", byte, byte.type(0)), real)

    match storage:
        case "float16":
            return sequence(_decode_float16, _widen) if wide else _decode_float16
        case "bfloat16":
            return sequence(_decode_bfloat16, _widen) if wide else _decode_bfloat16
        case "float32":
            return _widen if wide else _same
        case "float64":
            return _same if wide else _narrow
        case "bool":
            return from_bool
    if storage.startswith("uint"):
        return lambda builder, value: builder.uitofp(value, real)
    return lambda builder, value: builder.sitofp(value, real)


def from_register(register: type, storage: str) -> Emit:
    """Return the conversion of a register to a stored element that rounds once.

    Floats become integers by truncation, within the type's range; NaN becomes 0.
    """
    if not (kind := ELEMENT_TYPES[storage]).floating:
        return _shortened(kind) if register is np.int64 else _truncated(kind)
    wide = register is np.float64

    match storage:
        case "float16":
            return sequence(_round_float64_to_odd, _encode_float16) if wide else _encode_float16
        case "bfloat16":
            return sequence(_round_float64_to_odd, _encode_bfloat16) if wide else _encode_bfloat16
        case "float32":
            return _narrow if wide else _same
    return _same if wide else _widen


def stored_type(storage: str) -> Any:
    """Return Numba's type of the elements of an array; BF16, F16 and BOOL are bits."""
    return from_dtype(ELEMENT_TYPES[storage].storage)


@cache
def decoding(storage: str, compute: str) -> Conversion:
    """Return the conversion of a stored element to the compute type, rounded at most once."""
    register = REGISTER[compute]
    emit = to_register(storage, register)
    if compute in ("float16", "bfloat16") and storage != compute:
        # through float64, so that float64 and int64 data round once
        widen = _int64_to_odd_float64 if storage == "int64" else to_register(storage, np.float64)
        emit = sequence(widen, from_register(np.float64, compute), to_register(compute, register))
    return Conversion(stored_type(storage), from_dtype(register), emit)


@cache
def encoding(compute: str, storage: str) -> Conversion:
    """Return the conversion of a register of the compute type to a stored element."""
    register = REGISTER[compute]
    return Conversion(from_dtype(register), stored_type(storage), from_register(register, storage))


#: the conversion of an int64 to its difference from the nearest float64
REMAINDER: Final = Conversion(types.int64, types.float64, _int64_remainder)


def decoder(storage: str, compute: str) -> Any:
    """Return `decoding` for jitted code."""
    return function_of(decoding(storage, compute))


def encoder(compute: str, storage: str) -> Any:
    """Return `encoding` for jitted code."""
    return function_of(encoding(compute, storage))


@cache
def rounder(compute: str) -> Any:
    """Return the function that rounds a register to the compute type, for jitted code."""
    if compute in ("float32", FLOAT32_STEPS, "float64"):
        return same
    emit = sequence(from_register(np.float32, compute), to_register(compute, np.float32))
    return function_of(Conversion(types.float32, types.float32, emit))


def decode_bfloat16_pair(builder: ir.IRBuilder, pair: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Decode two BF16 numbers that follow one another in memory, from 32 bits."""
    both = Integer(builder, pair)
    return (both << 16).register().value, (both & 0xFFFF0000).register().value


@instructions(types.int32, types.float32, types.float32)
def encode_bfloat16_pair(builder: ir.IRBuilder, first: ir.Value, second: ir.Value) -> ir.Value:
    """Round two float32 to BF16 numbers that follow one another in memory."""
    lower, upper = (_rounded_to_upper_half(builder, value) for value in (first, second))
    return (lower.shifted(16) | upper & 0xFFFF0000).value


def unmasked(builder: ir.IRBuilder, value: ir.Value, zero: ir.Value) -> ir.Value:
    """Return a stored element minus a zero that LLVM does not recognize as zero.

    Without it, LLVM merges a load and a selection between the loaded value and 0 into a masked
    load, for which processors do not prefetch (measured: twice the time from memory).
    """
    word = ir.IntType({_FLOAT: 32, _DOUBLE: 64}.get(value.type, getattr(value.type, "width", 0)))
    bits = builder.bitcast(value, word)
    difference = builder.sub(bits, builder.trunc(zero, word) if word != _I64 else zero)
    return builder.bitcast(difference, value.type)
