"""Conversions between stored elements and registers, rounded to nearest even.

A *register* has the type that a kernel computes in: float32 for the compute types float16, bfloat16
and float32, float64 for float64. A decoder converts a stored element to a register; an encoder
rounds a register to a stored element, once. Both are LLVM instructions rather than Numba
arithmetic, because Numba widens ``uint32 + uint32`` to 64 bits, which halves the vector width, and
because inline code compiles faster than separate functions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.extending import intrinsic

from ...core.dtypes import ELEMENT_TYPES
from ..compiler.target import CONVERTS_FLOAT16

_I16: Final = ir.IntType(16)
_I32: Final = ir.IntType(32)
_I64: Final = ir.IntType(64)
_HALF: Final = ir.HalfType()
_FLOAT: Final = ir.FloatType()
_DOUBLE: Final = ir.DoubleType()

#: compute type -> type of the register that holds it
REGISTER: Final[dict[str, type]] = {
    "float16": np.float32,
    "bfloat16": np.float32,
    "float32": np.float32,
    "float64": np.float64,
}

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

    @intrinsic
    def convert(typingctx: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return conversion.emit(builder, args[0])

        return conversion.target(conversion.source), codegen

    return convert


def _decode_bfloat16(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """BF16 is the upper half of a float32."""
    wide = builder.shl(builder.zext(bits, _I32), ir.Constant(_I32, 16))
    return builder.bitcast(wide, _FLOAT)


def _decode_float16(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """F16 widens exactly, in hardware where there is any; a NaN becomes a quiet one."""
    if CONVERTS_FLOAT16:
        return builder.fpext(builder.bitcast(bits, _HALF), _FLOAT)
    wide = builder.zext(bits, _I32)
    magnitude = builder.shl(builder.and_(wide, ir.Constant(_I32, 0x7FFF)), ir.Constant(_I32, 13))
    sign = builder.shl(builder.and_(wide, ir.Constant(_I32, 0x8000)), ir.Constant(_I32, 16))
    # a subnormal number is the difference to the smallest normal number
    least = ir.Constant(_I32, 113 << 23)
    small = builder.bitcast(builder.or_(magnitude, least), _FLOAT)
    small = builder.bitcast(builder.fsub(small, builder.bitcast(least, _FLOAT)), _I32)
    normal = builder.add(magnitude, ir.Constant(_I32, 112 << 23))
    beyond = builder.or_(magnitude, ir.Constant(_I32, 0x7F800000))
    quiet = builder.or_(beyond, ir.Constant(_I32, 0x400000))

    def below(limit: int) -> ir.Value:
        return builder.icmp_unsigned("<", magnitude, ir.Constant(_I32, limit << 13))

    special = builder.select(below(0x7C01), beyond, quiet)
    found = builder.select(below(0x400), small, builder.select(below(0x7C00), normal, special))
    return builder.bitcast(builder.or_(found, sign), _FLOAT)


def _round_to_upper_half(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Round float32 to BF16, the upper half of 32 bits; NaN is kept and not rounded."""
    bits = builder.bitcast(value, _I32)
    odd = builder.and_(builder.lshr(bits, ir.Constant(_I32, 16)), ir.Constant(_I32, 1))
    rounded = builder.add(bits, builder.add(odd, ir.Constant(_I32, 0x7FFF)))
    quiet = builder.or_(bits, ir.Constant(_I32, 0x400000))
    return builder.select(builder.fcmp_unordered("uno", value, value), quiet, rounded)


def _encode_bfloat16(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Round float32 to BF16."""
    upper = builder.lshr(_round_to_upper_half(builder, value), ir.Constant(_I32, 16))
    return builder.trunc(upper, _I16)


def _encode_float16(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Round float32 to F16, in hardware where there is any."""
    if CONVERTS_FLOAT16:
        return builder.bitcast(builder.fptrunc(value, _HALF), _I16)
    bits = builder.bitcast(value, _I32)
    magnitude = builder.and_(bits, ir.Constant(_I32, 0x7FFFFFFF))
    sign = builder.lshr(builder.and_(bits, ir.Constant(_I32, 0x80000000)), ir.Constant(_I32, 16))
    # an addition that leaves 24 bits after the point rounds F16's subnormal numbers
    half = ir.Constant(_I32, 126 << 23)
    small = builder.fadd(builder.bitcast(magnitude, _FLOAT), builder.bitcast(half, _FLOAT))
    small = builder.sub(builder.bitcast(small, _I32), half)
    odd = builder.and_(builder.lshr(magnitude, ir.Constant(_I32, 13)), ir.Constant(_I32, 1))
    normal = builder.add(magnitude, builder.add(odd, ir.Constant(_I32, 0xFFF - (112 << 23))))
    normal = builder.lshr(normal, ir.Constant(_I32, 13))
    payload = builder.lshr(magnitude, ir.Constant(_I32, 13))
    quiet = builder.or_(builder.and_(payload, ir.Constant(_I32, 0x3FF)), ir.Constant(_I32, 0x7E00))

    def below(limit: int) -> ir.Value:
        return builder.icmp_unsigned("<", magnitude, ir.Constant(_I32, limit))

    special = builder.select(below(0x7F800001), ir.Constant(_I32, 0x7C00), quiet)
    found = builder.select(below(143 << 23), normal, special)
    found = builder.select(below(113 << 23), small, found)
    return builder.trunc(builder.or_(found, sign), _I16)


def _round_float64_to_odd(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Round float64 to 16 bits of its significand *to odd*: an inexact result gets an odd last bit.

    A second rounding to a type at least two bits narrower then gives what one direct rounding
    would have given (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums"). Of the
    numbers that become subnormal in float32, those that reach half of BF16's smallest keep 16 bits.
    """
    bits = builder.bitcast(value, _I64)
    last = 1 << 37
    rest = builder.and_(bits, ir.Constant(_I64, last - 1))
    odd = builder.or_(bits, ir.Constant(_I64, last))
    inexact = builder.icmp_unsigned("!=", rest, ir.Constant(_I64, 0))
    kept = builder.and_(builder.select(inexact, odd, bits), ir.Constant(_I64, -last))
    return builder.fptrunc(builder.bitcast(kept, _DOUBLE), _FLOAT)


def _int64_to_odd_float64(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Convert int64 to float64, rounding inexact values to odd."""
    low = builder.and_(value, ir.Constant(_I64, 0xFFF))
    trace = builder.zext(builder.icmp_signed("!=", low, ir.Constant(_I64, 0)), _I64)
    # the sticky bit is within the 53-bit significand of a large number
    high = builder.and_(value, ir.Constant(_I64, ~0xFFF))
    kept = builder.or_(high, builder.shl(trace, ir.Constant(_I64, 11)))
    small = builder.icmp_unsigned(
        "<",
        builder.add(value, ir.Constant(_I64, 1 << 53)),
        ir.Constant(_I64, 1 << 54),
    )
    return builder.sitofp(builder.select(small, value, kept), _DOUBLE)


def _int64_remainder(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Return an int64 minus the nearest float64, exactly."""
    mask = ir.Constant(_I64, 0x7FF)
    high = builder.sitofp(builder.and_(value, builder.not_(mask)), _DOUBLE)
    low = builder.sitofp(builder.and_(value, mask), _DOUBLE)
    return builder.fsub(low, builder.fsub(builder.fadd(high, low), high))


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


def _sequence(*steps: Emit) -> Emit:
    """Return the composition of several conversions."""

    def emit(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        for step in steps:
            value = step(builder, value)
        return value

    return emit


def to_register(storage: str, register: type) -> Emit:
    """Return the exact or correctly rounded conversion of a stored element into a register."""
    wide = register is np.float64
    real = _DOUBLE if wide else _FLOAT

    def from_bool(builder: ir.IRBuilder, byte: ir.Value) -> ir.Value:
        # any nonzero byte is true, as in C
        true = builder.icmp_unsigned("!=", byte, ir.Constant(byte.type, 0))
        return builder.uitofp(true, real)

    def from_signed(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        return builder.sitofp(value, real)

    def from_unsigned(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        return builder.uitofp(value, real)

    match storage:
        case "float16":
            return _sequence(_decode_float16, _widen) if wide else _decode_float16
        case "bfloat16":
            return _sequence(_decode_bfloat16, _widen) if wide else _decode_bfloat16
        case "float32":
            return _widen if wide else _same
        case "float64":
            return _same if wide else _narrow
        case "bool":
            return from_bool
    return from_unsigned if storage.startswith("uint") else from_signed


def from_register(register: type, storage: str) -> Emit:
    """Return the conversion of a register to a stored element that rounds once."""
    wide = register is np.float64

    match storage:
        case "float16":
            return _sequence(_round_float64_to_odd, _encode_float16) if wide else _encode_float16
        case "bfloat16":
            return _sequence(_round_float64_to_odd, _encode_bfloat16) if wide else _encode_bfloat16
        case "float32":
            return _narrow if wide else _same
    return _same if wide else _widen


def stored_type(storage: str) -> Any:
    """Return Numba's type of the elements of an array; BF16, F16 and BOOL are bits."""
    return from_dtype(ELEMENT_TYPES[storage].storage)


@cache
def decoding(storage: str, compute: str) -> Conversion:
    """Return the conversion of a stored element into a register of the compute type.

    The value is rounded to the compute type at most once.
    """
    register = REGISTER[compute]
    emit = to_register(storage, register)
    if compute in ("float16", "bfloat16") and storage != compute:
        # through float64, so that float64 and int64 data round once
        widen = _int64_to_odd_float64 if storage == "int64" else to_register(storage, np.float64)
        emit = _sequence(widen, from_register(np.float64, compute), to_register(compute, register))
    return Conversion(stored_type(storage), from_dtype(register), emit)


@cache
def encoding(compute: str, result: str, out: str) -> Conversion:
    """Return the conversion of a register to the result type, then to out's, each rounded once."""
    register = REGISTER[compute]
    emit = from_register(register, out)
    if result not in (out, np.dtype(register).name):
        widened = np.float64 if result == "float64" else np.float32
        emit = _sequence(
            from_register(register, result),
            to_register(result, widened),
            from_register(widened, out),
        )
    return Conversion(from_dtype(register), stored_type(out), emit)


@cache
def remainder() -> Conversion:
    """Return the conversion of an int64 to its difference from the nearest float64."""
    return Conversion(types.int64, types.float64, _int64_remainder)


def decoder(storage: str, compute: str) -> Any:
    """Return `decoding` for jitted code."""
    return function_of(decoding(storage, compute))


def encoder(compute: str, result: str, out: str) -> Any:
    """Return `encoding` for jitted code."""
    return function_of(encoding(compute, result, out))


@cache
def rounder(compute: str) -> Any:
    """Return the function that rounds a register to the compute type, for jitted code."""
    if compute in ("float32", "float64"):
        return same
    emit = _sequence(from_register(np.float32, compute), to_register(compute, np.float32))
    return function_of(Conversion(types.float32, types.float32, emit))


def decode_bfloat16_pair(builder: ir.IRBuilder, pair: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Decode two BF16 numbers that follow one another in memory, from 32 bits."""
    first = builder.bitcast(builder.shl(pair, ir.Constant(_I32, 16)), _FLOAT)
    second = builder.bitcast(builder.and_(pair, ir.Constant(_I32, 0xFFFF0000)), _FLOAT)
    return first, second


@intrinsic
def encode_bfloat16_pair(typingctx: Any, first: Any, second: Any) -> Any:
    """Round two float32 to BF16 numbers that follow one another in memory."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        lower, upper = (_round_to_upper_half(builder, value) for value in args)
        lower = builder.lshr(lower, ir.Constant(_I32, 16))
        return builder.or_(lower, builder.and_(upper, ir.Constant(_I32, 0xFFFF0000)))

    return types.int32(types.float32, types.float32), codegen


def unmasked(builder: ir.IRBuilder, value: ir.Value, zero: ir.Value) -> ir.Value:
    """Return a stored element minus a zero that LLVM does not recognize as zero.

    LLVM would merge a load and a selection between the loaded value and 0 into a masked load, for
    which processors do not prefetch (measured: twice the time from memory). The subtraction forces
    a plain load first.
    """
    word = ir.IntType({_FLOAT: 32, _DOUBLE: 64}.get(value.type, getattr(value.type, "width", 0)))
    bits = builder.bitcast(value, word)
    difference = builder.sub(bits, builder.trunc(zero, word) if word != _I64 else zero)
    return builder.bitcast(difference, value.type)
