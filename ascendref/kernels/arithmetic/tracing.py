"""Functions of registers as part of compiled functions.

A function that emits instructions is called once, while Numba compiles its caller. Numba does not
infer types in its body, and LLVM sees one basic block.
"""

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

#: appends instructions for values of tensors and of scalars; returns the results
Emit = Callable[[ir.IRBuilder, list[ir.Value], list[ir.Value]], Sequence[ir.Value]]


def traced(emit: Emit, results: tuple[types.Type, ...]) -> Any:
    """Return ``function(tensors, scalars)`` for jitted code: of tuples, one result or a tuple."""

    @intrinsic
    def function(typingctx: Any, tensors: Any, scalars: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            values = emit(builder, *[cgutils.unpack_tuple(builder, each) for each in args])
            if len(results) == 1:
                return values[0]
            return context.make_tuple(builder, sig.return_type, values)

        found = results[0] if len(results) == 1 else types.Tuple(results)
        return found(tensors, scalars), codegen

    return function
