"""LLVM instructions for jitted code: the fused multiply-add, and the bits of numbers."""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


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
