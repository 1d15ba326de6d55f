"""Bits to floats and back: BF16 and F16 storage, round to nearest even.

A *register* is what a kernel computes in: float32 for the compute types float16, bfloat16 and
float32, float64 for float64. ``decode`` brings a stored element into a register, ``encode`` rounds
a register to a stored element, once. The conversions are LLVM instructions rather than Numba
arithmetic because Numba widens ``uint32 + uint32`` to 64 bits, which halves the vector width.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..compiler.jit import helper
from ..compiler.target import CONVERTS_FLOAT16

_I16: Final = ir.IntType(16)
_I32: Final = ir.IntType(32)
_I64: Final = ir.IntType(64)
_HALF: Final = ir.HalfType()
_FLOAT: Final = ir.FloatType()
_DOUBLE: Final = ir.DoubleType()


def _unary(result: types.Type, argument: types.Type) -> Callable[[Any], Any]:
    """Make an intrinsic ``argument -> result`` from a function that emits its LLVM code."""

    def wrap(emit: Callable[[Any, Any], Any]) -> Any:
        def typed(typingctx: Any, value: Any) -> Any:
            def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
                return emit(builder, args[0])

            return result(argument), codegen

        typed.__name__ = emit.__name__
        typed.__doc__ = emit.__doc__
        return intrinsic(typed)

    return wrap


@_unary(types.float32, types.uint16)
def decode_bfloat16(builder: Any, bits: Any) -> Any:
    """BF16 is the upper half of a float32."""
    wide = builder.shl(builder.zext(bits, _I32), ir.Constant(_I32, 16))
    return builder.bitcast(wide, _FLOAT)


@_unary(types.float32, types.uint16)
def decode_float16(builder: Any, bits: Any) -> Any:
    """F16 widens exactly, in hardware where there is any; a NaN becomes a quiet one."""
    if CONVERTS_FLOAT16:
        return builder.fpext(builder.bitcast(bits, _HALF), _FLOAT)
    wide = builder.zext(bits, _I32)
    magnitude = builder.shl(builder.and_(wide, ir.Constant(_I32, 0x7FFF)), ir.Constant(_I32, 13))
    sign = builder.shl(builder.and_(wide, ir.Constant(_I32, 0x8000)), ir.Constant(_I32, 16))
    # subnormal numbers are what they add to the smallest normal one
    least = ir.Constant(_I32, 113 << 23)
    small = builder.bitcast(builder.or_(magnitude, least), _FLOAT)
    small = builder.bitcast(builder.fsub(small, builder.bitcast(least, _FLOAT)), _I32)
    normal = builder.add(magnitude, ir.Constant(_I32, 112 << 23))
    beyond = builder.or_(magnitude, ir.Constant(_I32, 0x7F800000))
    quiet = builder.or_(beyond, ir.Constant(_I32, 0x400000))

    def below(limit: int) -> Any:
        return builder.icmp_unsigned("<", magnitude, ir.Constant(_I32, limit << 13))

    special = builder.select(below(0x7C01), beyond, quiet)
    found = builder.select(below(0x400), small, builder.select(below(0x7C00), normal, special))
    return builder.bitcast(builder.or_(found, sign), _FLOAT)


def _rounded_to_bfloat16(builder: Any, value: Any) -> Any:
    """Round float32 to BF16, the upper half of 32 bits; a NaN stays one, it is never rounded."""
    bits = builder.bitcast(value, _I32)
    odd = builder.and_(builder.lshr(bits, ir.Constant(_I32, 16)), ir.Constant(_I32, 1))
    rounded = builder.add(bits, builder.add(odd, ir.Constant(_I32, 0x7FFF)))
    quiet = builder.or_(bits, ir.Constant(_I32, 0x400000))
    return builder.select(builder.fcmp_unordered("uno", value, value), quiet, rounded)


@_unary(types.uint16, types.float32)
def encode_bfloat16(builder: Any, value: Any) -> Any:
    """Round float32 to BF16."""
    upper = builder.lshr(_rounded_to_bfloat16(builder, value), ir.Constant(_I32, 16))
    return builder.trunc(upper, _I16)


@_unary(types.float32, types.int32)
def first_bfloat16(builder: Any, pair: Any) -> Any:
    """Decode the first of two BF16 numbers that follow one another in memory."""
    return builder.bitcast(builder.shl(pair, ir.Constant(_I32, 16)), _FLOAT)


@_unary(types.float32, types.int32)
def second_bfloat16(builder: Any, pair: Any) -> Any:
    """Decode the second one."""
    return builder.bitcast(builder.and_(pair, ir.Constant(_I32, 0xFFFF0000)), _FLOAT)


@intrinsic
def encode_bfloat16_pair(typingctx: Any, first: Any, second: Any) -> Any:
    """Round two float32 to BF16 numbers that follow one another in memory."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        lower, upper = (_rounded_to_bfloat16(builder, value) for value in args)
        lower = builder.lshr(lower, ir.Constant(_I32, 16))
        return builder.or_(lower, builder.and_(upper, ir.Constant(_I32, 0xFFFF0000)))

    return types.int32(types.float32, types.float32), codegen


@_unary(types.uint16, types.float32)
def encode_float16(builder: Any, value: Any) -> Any:
    """Round float32 to F16, in hardware where there is any."""
    if CONVERTS_FLOAT16:
        return builder.bitcast(builder.fptrunc(value, _HALF), _I16)
    bits = builder.bitcast(value, _I32)
    magnitude = builder.and_(bits, ir.Constant(_I32, 0x7FFFFFFF))
    sign = builder.lshr(builder.and_(bits, ir.Constant(_I32, 0x80000000)), ir.Constant(_I32, 16))
    # an addition that leaves 24 bits behind the point rounds what is subnormal in F16
    half = ir.Constant(_I32, 126 << 23)
    small = builder.fadd(builder.bitcast(magnitude, _FLOAT), builder.bitcast(half, _FLOAT))
    small = builder.sub(builder.bitcast(small, _I32), half)
    odd = builder.and_(builder.lshr(magnitude, ir.Constant(_I32, 13)), ir.Constant(_I32, 1))
    normal = builder.add(magnitude, builder.add(odd, ir.Constant(_I32, 0xFFF - (112 << 23))))
    normal = builder.lshr(normal, ir.Constant(_I32, 13))
    payload = builder.lshr(magnitude, ir.Constant(_I32, 13))
    quiet = builder.or_(builder.and_(payload, ir.Constant(_I32, 0x3FF)), ir.Constant(_I32, 0x7E00))

    def below(limit: int) -> Any:
        return builder.icmp_unsigned("<", magnitude, ir.Constant(_I32, limit))

    special = builder.select(below(0x7F800001), ir.Constant(_I32, 0x7C00), quiet)
    found = builder.select(below(143 << 23), normal, special)
    found = builder.select(below(113 << 23), small, found)
    return builder.trunc(builder.or_(found, sign), _I16)


@_unary(types.float32, types.float64)
def to_odd_float32(builder: Any, value: Any) -> Any:
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


@_unary(types.float64, types.int64)
def to_odd_float64(builder: Any, value: Any) -> Any:
    """Convert int64 to float64, keeping a trace of the bits that do not fit (as above)."""
    low = builder.and_(value, ir.Constant(_I64, 0xFFF))
    trace = builder.zext(builder.icmp_signed("!=", low, ir.Constant(_I64, 0)), _I64)
    # the trace lands in a bit that is still inside the 53-bit significand of a large number
    high = builder.and_(value, ir.Constant(_I64, ~0xFFF))
    kept = builder.or_(high, builder.shl(trace, ir.Constant(_I64, 11)))
    small = builder.icmp_unsigned(
        "<",
        builder.add(value, ir.Constant(_I64, 1 << 53)),
        ir.Constant(_I64, 1 << 54),
    )
    return builder.sitofp(builder.select(small, value, kept), _DOUBLE)


@intrinsic
def same(typingctx: Any, value: Any) -> Any:
    """Convert nothing: the stored element is what a register holds."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return args[0]

    return value(value), codegen


@intrinsic
def unmasked(typingctx: Any, value: Any, zero: Any) -> Any:
    """Return a stored element, minus a zero that LLVM does not know to be one.

    LLVM makes one instruction of a load and a choice between what it loads and 0: a load under a
    mask, whose cache misses processors do not foresee (measured: twice the time from memory).
    Where the element is the first operand of a subtraction, it must be in a register before.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = context.get_value_type(value)
        word = ir.IntType(value.bitwidth)
        bits = builder.bitcast(args[0], word)
        difference = builder.sub(bits, builder.trunc(args[1], word) if word != _I64 else args[1])
        return builder.bitcast(difference, kind)

    return value(value, types.int64), codegen


@intrinsic
def blend(typingctx: Any, condition: Any, yes: Any, no: Any) -> Any:
    """Return one of two values without a branch."""
    kind = typingctx.unify_types(yes, no)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(*args)

    return kind(types.boolean, kind, kind), codegen


@helper
def _float32_of(value: Any) -> Any:
    return np.float32(value)


@helper
def _float64_of(value: Any) -> Any:
    return np.float64(value)


@helper
def _float32_of_bool(byte: Any) -> Any:
    return np.float32(byte != 0)  # any byte but 0 is true, as in C


@helper
def _float64_of_bool(byte: Any) -> Any:
    return np.float64(byte != 0)


@helper
def _round_float16(value: Any) -> Any:
    return decode_float16(encode_float16(value))


@helper
def _round_bfloat16(value: Any) -> Any:
    return decode_bfloat16(encode_bfloat16(value))


@helper
def _float64_from_float16(bits: Any) -> Any:
    return np.float64(decode_float16(bits))


@helper
def _float64_from_bfloat16(bits: Any) -> Any:
    return np.float64(decode_bfloat16(bits))


@helper
def _float16_from_float64(value: Any) -> Any:
    return encode_float16(to_odd_float32(value))


@helper
def _bfloat16_from_float64(value: Any) -> Any:
    return encode_bfloat16(to_odd_float32(value))


@helper
def _int64_remainder(value: Any) -> Any:
    high, low = np.float64(value & ~np.int64(0x7FF)), np.float64(value & np.int64(0x7FF))
    return low - ((high + low) - high)


#: compute type -> type of the register that holds it
REGISTER: Final[dict[str, type]] = {
    "float16": np.float32,
    "bfloat16": np.float32,
    "float32": np.float32,
    "float64": np.float64,
}

#: compute type -> rounding of a register to that type (nothing where the register is the type)
ROUND: Final[dict[str, Any]] = {
    "float16": _round_float16,
    "bfloat16": _round_bfloat16,
    "float32": same,
    "float64": same,
}

#: (storage type, register) -> exact or correctly rounded conversion into the register
_WIDEN: Final[dict[tuple[str, type], Any]] = {
    ("float16", np.float32): decode_float16,
    ("float16", np.float64): _float64_from_float16,
    ("bfloat16", np.float32): decode_bfloat16,
    ("bfloat16", np.float64): _float64_from_bfloat16,
    ("float32", np.float32): same,
    ("float32", np.float64): _float64_of,
    ("float64", np.float32): _float32_of,
    ("float64", np.float64): _float64_of,
    ("bool", np.float32): _float32_of_bool,
    ("bool", np.float64): _float64_of_bool,
}

#: (register, storage type) -> the conversion that rounds once
_NARROW: Final[dict[tuple[type, str], Any]] = {
    (np.float32, "float16"): encode_float16,
    (np.float32, "bfloat16"): encode_bfloat16,
    (np.float32, "float32"): same,
    (np.float32, "float64"): _float64_of,
    (np.float64, "float16"): _float16_from_float64,
    (np.float64, "bfloat16"): _bfloat16_from_float64,
    (np.float64, "float32"): _float32_of,
    (np.float64, "float64"): same,
}

#: a wider detour to a half-precision compute type: everything in float64, then one rounding
_SINGLE_ROUNDING: Final[dict[str, Any]] = {
    "float16": _float16_from_float64,
    "bfloat16": _bfloat16_from_float64,
}


@cache
def decoder(storage: str, compute: str) -> Any:
    """Return the function that brings a stored element into a register of the compute type.

    The value is rounded to the compute type at most once.
    """
    register = REGISTER[compute]
    if (storage, register) in _WIDEN and compute in ("float32", "float64"):
        return _WIDEN[storage, register]
    if storage == compute:
        return _WIDEN[storage, register]
    if compute in ("float32", "float64"):
        return _float32_of if register is np.float32 else _float64_of
    # to half precision: through float64 so that float64 and int64 data round once
    widen = to_odd_float64 if storage == "int64" else _WIDEN.get((storage, np.float64), _float64_of)
    narrow, expand = _SINGLE_ROUNDING[compute], _WIDEN[compute, np.float32]

    @helper
    def decode(element: Any) -> Any:
        return expand(narrow(widen(element)))

    return decode


@helper
def _no_remainder(element: Any) -> Any:
    return np.float64(0)


@helper
def _short(element: Any) -> Any:
    return None


def remainder(storage: str) -> Any:
    """Return the function that gives what a float64 lacks of a stored element.

    That is None for elements so short that their products with a float32 are exact.
    """
    if storage == "int64":
        return _int64_remainder
    return _short if storage in ("float16", "bfloat16", "float32") else _no_remainder


@cache
def encoder(compute: str, result: str, out: str) -> Any:
    """Return the function that rounds a register to the result type, then casts it to out's."""
    register = REGISTER[compute]
    if result == out or (register, result) == (np.float32, "float32"):
        return _NARROW[register, out]
    if (register, result) == (np.float64, "float64"):
        return _NARROW[register, out]
    narrow = _NARROW[register, result]
    widened = np.float64 if result == "float64" else np.float32
    expand, finish = _WIDEN[result, widened], _NARROW[widened, out]

    @helper
    def encode(value: Any) -> Any:
        return finish(expand(narrow(value)))

    return encode
