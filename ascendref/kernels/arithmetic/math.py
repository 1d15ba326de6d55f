"""The exponential, with a stated error bound and the same bits on every machine (NaN excepted).

``exp`` is written out in correctly rounded operations, so its bits do not depend on a vendor's
libm, and LLVM vectorises it. That includes the fused multiply-add: one instruction if the processor
has it, else libm's function, which is slow but gives the same bits. Coefficients are Chebyshev fits
of ``(exp(r) - 1 - r) / r**2`` on ``|r| <= ln(2)/2``. Both stay below 0.66 ulp where the result is a
normal number (all float32 arguments; float64 by sampling against mpmath) and within 1 ulp where it
is subnormal.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..compiler.jit import helper, inlined

_F: Final = np.float32
_D: Final = np.float64


@intrinsic
def copysign(typingctx: Any, magnitude: Any, value: Any) -> Any:
    """Return the magnitude with the sign of the value."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        real = args[0].type
        kind = ir.FunctionType(real, [real, real])
        function = builder.module.declare_intrinsic("llvm.copysign", [real], kind)
        return builder.call(function, args)

    return magnitude(magnitude, magnitude), codegen


@intrinsic
def blend(typingctx: Any, condition: Any, yes: Any, no: Any) -> Any:
    """Return one of two values without a branch."""
    kind = typingctx.unify_types(yes, no)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(*args)

    return kind(types.boolean, kind, kind), codegen


@intrinsic
def fma(typingctx: Any, x: Any, y: Any, z: Any) -> Any:
    """``x * y + z``, rounded once."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.fma(*args)

    return x(x, x, x), codegen


def _bitcast(source: types.Type, target: types.Type, llvm: ir.Type) -> Any:
    def typed(typingctx: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.bitcast(args[0], llvm)

        return target(source), codegen

    return intrinsic(typed)


bits32: Final = _bitcast(types.float32, types.int32, ir.IntType(32))
bits64: Final = _bitcast(types.float64, types.int64, ir.IntType(64))
from_bits64: Final = _bitcast(types.int64, types.float64, ir.DoubleType())


@intrinsic
def _scale32(typingctx: Any, value: Any, n: Any) -> Any:
    """``value * 2**n`` in two steps, so that subnormal results round once more at most."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _scale(builder, args[0], args[1], ir.IntType(32), ir.FloatType(), 23, 127)

    return types.float32(types.float32, types.int32), codegen


@intrinsic
def _scale64(typingctx: Any, value: Any, n: Any) -> Any:
    """``value * 2**n`` in two steps, so that subnormal results round once more at most."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _scale(builder, args[0], args[1], ir.IntType(64), ir.DoubleType(), 52, 1023)

    return types.float64(types.float64, types.int64), codegen


def _scale(
    builder: Any, value: Any, n: Any, word: ir.IntType, real: ir.Type, width: int, bias: int
) -> Any:
    first = builder.ashr(n, ir.Constant(word, 1))
    for part in (first, builder.sub(n, first)):
        value = builder.fmul(value, _power(builder, part, word, real, width, bias))
    return value


@intrinsic
def _half_power32(typingctx: Any, n: Any) -> Any:
    """``2**(n - 1)``, a normal number."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _power(builder, args[0], ir.IntType(32), ir.FloatType(), 23, 126)

    return types.float32(types.int32), codegen


@intrinsic
def _sunk32(typingctx: Any, power: Any) -> Any:
    """Return ``power * 2**-152``, where the power's exponent may be beyond float32."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        word = ir.IntType(32)
        bits = builder.sub(builder.bitcast(args[0], word), ir.Constant(word, 152 << 23))
        return builder.bitcast(bits, ir.FloatType())

    return power(power), codegen


@intrinsic
def _lost_one32(typingctx: Any, half: Any) -> Any:
    """``2**-n`` for half = 2**(n - 1), where 2**n + 1 is no float32 but 2**n is; else 0."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        word, least = ir.IntType(32), 24
        both = ir.Constant(word, (127 + 126) << 23)
        inverse = builder.sub(both, builder.bitcast(args[0], word))
        # one comparison for both ends: beyond 2**127, these are the bits of a large unsigned number
        end = ir.Constant(word, (128 - least) << 23)
        lost = builder.icmp_unsigned("<", inverse, end)
        bits = builder.select(lost, inverse, ir.Constant(word, 0))
        return builder.bitcast(bits, ir.FloatType())

    return half(half), codegen


@intrinsic
def _half_power64(typingctx: Any, n: Any) -> Any:
    """``2**(n - 1)``, a normal number."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _power(builder, args[0], ir.IntType(64), ir.DoubleType(), 52, 1022)

    return types.float64(types.int64), codegen


def _power(builder: Any, n: Any, word: ir.IntType, real: ir.Type, width: int, bias: int) -> Any:
    exponent = builder.shl(builder.add(n, ir.Constant(word, bias)), ir.Constant(word, width))
    return builder.bitcast(exponent, real)


@intrinsic
def is_near_middle_of_float16(typingctx: Any, value: Any) -> Any:
    """Whether a double is within a relative 2**-50 of the midpoint of two neighbouring F16 numbers.

    That is at most 8 ulp. A midpoint has 12 bits, the last of which is set. Subnormal numbers have
    shorter midpoints; there, any number of 12 bits counts as one.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        word, reach, last = ir.IntType(64), 8, 1 << 41
        bits = builder.bitcast(args[0], word)
        above = builder.add(bits, ir.Constant(word, reach))
        lower = builder.and_(above, ir.Constant(word, last - 1))
        short = builder.icmp_unsigned("<=", lower, ir.Constant(word, 2 * reach))
        middle = builder.icmp_unsigned(
            "!=", builder.and_(above, ir.Constant(word, last)), ir.Constant(word, 0)
        )
        # one comparison for both ends: values below are large unsigned numbers
        size = builder.and_(bits, ir.Constant(word, (1 << 63) - 1))
        normal = (1023 - 14) << 52
        subnormal = builder.icmp_unsigned(
            "<", builder.sub(size, ir.Constant(word, 1)), ir.Constant(word, normal - 1)
        )
        return builder.and_(short, builder.or_(middle, subnormal))

    return types.boolean(types.float64), codegen


@intrinsic
def is_near_middle_of_bfloat16(typingctx: Any, value: Any) -> Any:
    """Whether a float32 or a neighbour of it is the midpoint of two neighbouring BF16 numbers."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        word = ir.IntType(32)
        distance = builder.sub(builder.bitcast(args[0], word), ir.Constant(word, 0x7FFF))
        lower = builder.and_(distance, ir.Constant(word, 0xFFFF))
        return builder.icmp_unsigned("<", lower, ir.Constant(word, 3))

    return types.boolean(types.float32), codegen


_LOG2E_F: Final = _F(float.fromhex("0x1.715476p+0"))
_LN2_HIGH_F: Final = _F(float.fromhex("0x1.62e43p-1"))
_LN2_LOW_F: Final = _F(float.fromhex("-0x1.05c61p-29"))
#: adding and subtracting it rounds to an integer, whose bits are then the lowest of the sum
_MAGIC_F: Final = _F(1.5 * 2**23)
_MAGIC_BITS_F: Final = np.int32(0x4B400000)
_HIGHEST_F: Final = _F(89.0)
_LOWEST_F: Final = _F(-104.0)
_C2_F: Final = _F(float.fromhex("0x1.0p-1"))
_C3_F: Final = _F(float.fromhex("0x1.555556p-3"))
_C4_F: Final = _F(float.fromhex("0x1.5554e8p-5"))
_C5_F: Final = _F(float.fromhex("0x1.1110ep-7"))
_C6_F: Final = _F(float.fromhex("0x1.6d4362p-10"))
_C7_F: Final = _F(float.fromhex("0x1.a12528p-13"))
_ZERO_F: Final = _F(0.0)
_ONE_F: Final = _F(1.0)
_HALF_F: Final = _F(0.5)
#: below its exponential, 1 + exp is 1 with room to spare
_NOTHING_F: Final = _F(-60.0)
#: the largest number whose exponential is finite
_LARGEST_F: Final = _F(88.72283172607422)
#: its exponential is beyond twice what takes the largest number to the smallest
_FARTHEST_F: Final = _F(193.0)
#: quotients by exponentials that are not finite are multiplied with it twice; then denominators
#: are between 2**-24 and 2**127
_SINK_F: Final = _F(2.0**-76)
#: infinity times this is infinite; any other product is nothing beside such a denominator
_TINY_F: Final = _F(2.0**-104)

_LOG2E_D: Final = _D(float.fromhex("0x1.71547652b82fep+0"))
_LN2_HIGH_D: Final = _D(float.fromhex("0x1.62e42fefa39efp-1"))
_LN2_LOW_D: Final = _D(float.fromhex("0x1.abc9e3b39803fp-56"))
_MAGIC_D: Final = _D(1.5 * 2**52)
_MAGIC_BITS_D: Final = np.int64(0x4338000000000000)
_HIGHEST_D: Final = _D(710.0)
_LOWEST_D: Final = _D(-746.0)
_C2_D: Final = _D(float.fromhex("0x1.0p-1"))
_C3_D: Final = _D(float.fromhex("0x1.5555555555557p-3"))
_C4_D: Final = _D(float.fromhex("0x1.5555555555556p-5"))
_C5_D: Final = _D(float.fromhex("0x1.11111111100cep-7"))
_C6_D: Final = _D(float.fromhex("0x1.6c16c16c162ccp-10"))
_C7_D: Final = _D(float.fromhex("0x1.a01a01abef415p-13"))
_C8_D: Final = _D(float.fromhex("0x1.a01a01a6dcaffp-16"))
_C9_D: Final = _D(float.fromhex("0x1.71de021a90822p-19"))
_C10_D: Final = _D(float.fromhex("0x1.27e4db57442fbp-22"))
_C11_D: Final = _D(float.fromhex("0x1.af4e196027428p-26"))
_C12_D: Final = _D(float.fromhex("0x1.1f731ea5352cap-29"))
#: ln 2 in three parts, of which the first two have 42 bits
_LN2_FIRST_D: Final = _D(float.fromhex("0x1.62e42fefa38p-1"))
_LN2_SECOND_D: Final = _D(float.fromhex("0x1.ef35793c76p-45"))
_LN2_THIRD_D: Final = _D(float.fromhex("0x1.cc01f97b57a08p-87"))
#: 1/10, 1/9 … 1/2 as double-doubles
_INVERSES: Final = tuple((1 / k, float(Fraction(1, k) - Fraction(1 / k))) for k in range(10, 1, -1))
_SHRINK_D: Final = _D(2.0**-10)
#: its exponential takes the largest double to less than half of the smallest float32
_FARTHER_D: Final = _D(820.0)
_SCALE_D: Final = _D(2.0**-200)
_SCALE_BITS_D: Final = np.int64(200)
#: the largest number whose exponential is finite
_LARGEST_D: Final = _D(float.fromhex("0x1.62e42fefa39efp+9"))
#: its exponential is beyond twice what takes the largest number to the smallest
_FARTHEST_D: Final = _D(1456.0)
#: exponentials that are not finite are multiplied with it twice, and are then above 2**-65
_SINK_D: Final = _D(2.0**-544)
_SUNK_D: Final = np.int64(1088)
_UNSUNK_D: Final = np.int64(0)
_ZERO_D: Final = _D(0.0)
_ONE_D: Final = _D(1.0)
_TWO_D: Final = _D(2.0)
#: below its exponential, 1 + exp is 1 with room to spare
_NOTHING_D: Final = _D(-120.0)


@inlined
def _reduced_float32(x: Any) -> Any:
    """Return exp(x) as ``2**n * (1 + r + small)``: n, r and small."""
    shifted = fma(x, _LOG2E_F, _MAGIC_F)
    n = shifted - _MAGIC_F
    high = fma(-n, _LN2_HIGH_F, x)
    r = fma(-n, _LN2_LOW_F, high)
    lost = fma(-n, _LN2_LOW_F, high - r)
    p = fma(fma(fma(fma(fma(_C7_F, r, _C6_F), r, _C5_F), r, _C4_F), r, _C3_F), r, _C2_F)
    return bits32(shifted) - _MAGIC_BITS_F, r, fma(r * r, p, lost)


@inlined
def exp_float32(x: Any) -> Any:
    """Return the exponential of a float32."""
    x = _HIGHEST_F if x > _HIGHEST_F else x
    x = _LOWEST_F if x < _LOWEST_F else x
    n, r, small = _reduced_float32(x)
    # the large terms are added last and their rounding error is compensated
    total = _ONE_F + r
    return _scale32(total + (small + (r - (total - _ONE_F))), n)


@inlined
def over_one_plus_exp_float32(numerator: Any, x: Any) -> Any:
    """Return numerator / (1 + exp(x)), off by less than 1.75 ulp, however large the exponential.

    The denominator is off by less than 0.85 ulp; it is infinite for an infinite x alone.
    """
    # from branches, LLVM would make two loops' worth of arithmetic, for both values of far
    far = x > _LARGEST_F
    near = blend(x > _FARTHEST_F, _FARTHEST_F, x)
    n, r, small = _reduced_float32(blend(near < _NOTHING_F, _NOTHING_F, near))
    # halves all along, because 2**128 is no float32
    power = _half_power32(n)
    # next to a power that it does not fit, the 1 goes with the small terms; far out it is nothing
    small += _lost_one32(power)
    half_one = blend(far, x * _TINY_F, _HALF_F)
    power = blend(far, _sunk32(power), power)
    half = fma(power, r + small, half_one + power)
    scale = blend(far, _SINK_F, _ONE_F)
    return scale * (scale * numerator / (half + half))


@inlined
def _reduced_float64(x: Any, rest: Any) -> Any:
    """Return exp(x + rest) as ``2**n * (1 + r + small)``: n, r and small."""
    shifted = fma(x, _LOG2E_D, _MAGIC_D)
    n = shifted - _MAGIC_D
    high = fma(-n, _LN2_HIGH_D, x)
    r = fma(-n, _LN2_LOW_D, high)
    lost = fma(-n, _LN2_LOW_D, high - r)
    p = fma(
        fma(
            fma(
                fma(
                    fma(
                        fma(
                            fma(fma(fma(fma(_C12_D, r, _C11_D), r, _C10_D), r, _C9_D), r, _C8_D),
                            r,
                            _C7_D,
                        ),
                        r,
                        _C6_D,
                    ),
                    r,
                    _C5_D,
                ),
                r,
                _C4_D,
            ),
            r,
            _C3_D,
        ),
        r,
        _C2_D,
    )
    small = fma(r * r, p, lost)
    if rest is not None:
        small += fma(rest, r + small, rest)
    return bits64(shifted) - _MAGIC_BITS_D, r, small


@inlined
def exp_float64(x: Any) -> Any:
    """Return the exponential of a float64."""
    x = _HIGHEST_D if x > _HIGHEST_D else x
    x = _LOWEST_D if x < _LOWEST_D else x
    n, r, small = _reduced_float64(x, None)
    # the large terms are added last and their rounding error is compensated
    total = _ONE_D + r
    return _scale64(total + (small + (r - (total - _ONE_D))), n)


@inlined
def _sum_float64(x: Any, rest: Any, farthest: Any) -> Any:
    """Return exp(x + rest) as ``2**n * (total + small)``: these, for x within limits."""
    near = farthest if x > farthest else x
    near = _NOTHING_D if near < _NOTHING_D else near
    if rest is not None:
        rest = rest if near == x else _ZERO_D
    n, r, small = _reduced_float64(near, rest)
    total = _ONE_D + r
    return n, total, small + (r - (total - _ONE_D))


@inlined
def exp_sum_float64(x: Any, rest: Any) -> Any:
    """Return a, b and s: exp(x + rest) is ``(a + b) / s**2``, to be added to 1.

    The second number is at most an eighth of the first. The scale s is 1 unless the exponential is
    beyond float64; then 1 is nothing beside it, and so is s beside the sum.
    """
    far = x > _LARGEST_D
    if rest is not None:
        far |= (x == _LARGEST_D) & (rest > _ZERO_D)
    n, total, small = _sum_float64(x, rest, _FARTHEST_D)
    # 2**1024 is no float64, its half is
    half = _half_power64(n - blend(far, _SUNK_D, _UNSUNK_D))
    return half * (total + total), half * (small + small), blend(far, _SINK_D, _ONE_D)


@inlined
def scaled_exp_float64(x: Any, rest: Any) -> Any:
    """Return ``exp(x + rest) * s`` and s = 2**-200, to be added; the same for all x above 820."""
    n, total, small = _sum_float64(x, rest, _FARTHER_D)
    power = _half_power64(n - _SCALE_BITS_D)
    return power * (total + total) + power * (small + small), _SCALE_D


@helper
def _product(a: Any, b: Any) -> Any:
    """Return a product of double-doubles."""
    high = a[0] * b[0]
    low = fma(a[0], b[0], -high) + (a[0] * b[1] + a[1] * b[0])
    total = high + low
    return total, low - (total - high)


@helper
def _sum(a: Any, b: Any) -> Any:
    """Return a sum of double-doubles."""
    high = a[0] + b[0]
    part = high - a[0]
    low = ((a[0] - (high - part)) + (b[0] - part)) + (a[1] + b[1])
    total = high + low
    return total, low - (total - high)


@helper
def exp_exactly(x: Any, rest: Any) -> Any:
    """Return ``exp(x + rest) * s`` as ``power * (1 + high + low)``, and s = 2**-200: all four.

    It is off by less than 2**-95 of itself. However close to 1 the exponential is, its distance
    from 1 has a relative error below 2**-90. It changes no more below -120 and above 820: there it
    is too small to matter beside 1, unless all else is equal, or too large for any quotient.
    """
    if x < _NOTHING_D or x > _FARTHER_D:
        x, rest = (_FARTHER_D if x > _ZERO_D else _NOTHING_D), _ZERO_D
    n = np.rint(x * _LOG2E_D)
    # the product with the first part of ln 2 is exact, and so is the difference
    r = _sum((x - n * _LN2_FIRST_D, rest), (-n * _LN2_SECOND_D, -n * _LN2_THIRD_D))
    r = r[0] * _SHRINK_D, r[1] * _SHRINK_D
    # exp(r) - 1 by Taylor's series, then doubled ten times: (1 + p)**2 - 1 = 2 p + p**2
    p = _ZERO_D, _ZERO_D
    for inverse in _INVERSES:
        p = _product(r, _sum((_ONE_D, _ZERO_D), _product(p, inverse)))
    for _ in range(10):
        p = _sum((_TWO_D * p[0], _TWO_D * p[1]), _product(p, p))
    return _TWO_D * _half_power64(np.int64(n) - _SCALE_BITS_D), p[0], p[1], _SCALE_D
