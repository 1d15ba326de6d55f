"""Non-temporal stores: results that go past the caches.

A usual store first reads the line that it changes, a third more traffic for a loop that reads two
arrays and writes one, and drives other data out of the caches. A large result is therefore made
in a small buffer, block by block, and goes from there to memory in whole lines.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

#: bytes in a line of the cache
LINE: Final = 64

_WORD: Final = ir.IntType(64)
_VECTOR: Final = ir.VectorType(_WORD, LINE // 8)


@cache
def line_buffer(count: int) -> Any:
    """Return the function that makes a buffer of so many lines on the stack: its address."""

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
    """Copy so many bytes, whole lines, between addresses of lines, past the caches."""

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
    """Wait until what was streamed is where other threads see it."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), codegen
