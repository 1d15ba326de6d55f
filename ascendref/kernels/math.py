"""The exponential, with a stated error bound and the same bits on every machine.

``exp`` is written out in correctly rounded operations (fused multiply-add included, which LLVM
emulates exactly where the processor has none), so its bits do not depend on a vendor's libm, and
LLVM vectorises it. Coefficients are Chebyshev fits of ``(exp(r) - 1 - r) / r**2`` on
``|r| <= ln(2)/2``. Both stay below 0.66 ulp where the result is a normal number (all float32
arguments; float64 by sampling against mpmath) and within 1 ulp where it is subnormal.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .codecs import helper

_F: Final = np.float32
_D: Final = np.float64


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


_bits32: Final = _bitcast(types.float32, types.int32, ir.IntType(32))
_bits64: Final = _bitcast(types.float64, types.int64, ir.IntType(64))


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
        exponent = builder.shl(builder.add(part, ir.Constant(word, bias)), ir.Constant(word, width))
        value = builder.fmul(value, builder.bitcast(exponent, real))
    return value


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
_ONE_F: Final = _F(1.0)

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
_ONE_D: Final = _D(1.0)


@helper
def exp_float32(x: Any) -> Any:
    """Return the exponential of a float32."""
    x = _HIGHEST_F if x > _HIGHEST_F else x
    x = _LOWEST_F if x < _LOWEST_F else x
    shifted = fma(x, _LOG2E_F, _MAGIC_F)
    n = shifted - _MAGIC_F
    high = fma(-n, _LN2_HIGH_F, x)
    r = fma(-n, _LN2_LOW_F, high)
    lost = fma(-n, _LN2_LOW_F, high - r)
    p = fma(fma(fma(fma(fma(_C7_F, r, _C6_F), r, _C5_F), r, _C4_F), r, _C3_F), r, _C2_F)
    # 1 + r + (lost + r*r*p): the large terms are added last and their rounding is mended
    total = _ONE_F + r
    rest = fma(r * r, p, lost + (r - (total - _ONE_F)))
    return _scale32(total + rest, _bits32(shifted) - _MAGIC_BITS_F)


@helper
def exp_float64(x: Any) -> Any:
    """Return the exponential of a float64."""
    x = _HIGHEST_D if x > _HIGHEST_D else x
    x = _LOWEST_D if x < _LOWEST_D else x
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
    total = _ONE_D + r
    rest = fma(r * r, p, lost + (r - (total - _ONE_D)))
    return _scale64(total + rest, _bits64(shifted) - _MAGIC_BITS_D)
