"""LLVM instructions for jitted code: the fused multiply-add, and the bits of numbers."""

from typing import Any, Final

from llvmlite import ir
from numba import types

from ..compiler.instructions import instructions


@instructions(types.float64, types.float64, types.float64, types.float64)
def fma(builder: Any, x: Any, y: Any, z: Any) -> Any:
    """``x * y + z``, rounded once."""
    return builder.fma(x, y, z)


def _bitcast(source: types.Type, target: types.Type, llvm: ir.Type) -> Any:
    return instructions(target, source)(lambda builder, value: builder.bitcast(value, llvm))


bits32: Final = _bitcast(types.float32, types.int32, ir.IntType(32))
bits64: Final = _bitcast(types.float64, types.int64, ir.IntType(64))
from_bits64: Final = _bitcast(types.int64, types.float64, ir.DoubleType())
