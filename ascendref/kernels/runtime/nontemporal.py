"""Non-temporal stores, which bypass the caches.

An ordinary store fetches its cache line first, which is a third more traffic for a loop that reads
two arrays and writes one, and evicts other data. A large result is therefore computed block by
block in a small buffer and streamed to memory in whole lines.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

#: bytes in a cache line
LINE: Final = 64

_WORD: Final = ir.IntType(64)
_VECTOR: Final = ir.VectorType(_WORD, LINE // 8)


@cache
def line_buffer(count: int) -> Any:
    """Return the function that allocates a buffer of a number of lines on the stack."""

    @intrinsic
    def allocate(typingctx: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            buffer = cgutils.alloca_once(builder, _VECTOR, size=ir.Constant(_WORD, count))
            buffer.align = LINE
            return builder.ptrtoint(buffer, _WORD)

        return types.int64(), codegen

    return allocate


@intrinsic
def copy_past_caches(typingctx: Any, target: Any, source: Any, count: Any) -> Any:
    """Copy whole lines between line-aligned addresses with non-temporal stores."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        past = builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)])
        zero, step = ir.Constant(_WORD, 0), ir.Constant(_WORD, LINE)

        def place(base: Any, offset: Any) -> Any:
            return builder.inttoptr(builder.add(base, offset), _VECTOR.as_pointer())

        with cgutils.for_range_slice(builder, zero, args[2], step, inc=True) as (offset, _):
            line = builder.load(place(args[1], offset), align=LINE)
            store = builder.store(line, place(args[0], offset), align=LINE)
            store.set_metadata("nontemporal", past)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


@intrinsic
def fence(typingctx: Any) -> Any:
    """Wait until streamed data are visible to other threads."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), codegen
