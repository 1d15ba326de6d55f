"""Non-temporal stores, which bypass the caches.

An ordinary store fetches its cache line first, which is a third more traffic for a loop that reads
two arrays and writes one, and evicts other data. A large result is therefore computed block by
block in a small buffer and streamed to memory in whole lines.
"""

from functools import cache
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils

from ..compiler.instructions import instructions

#: bytes in a cache line
LINE: Final = 64

_WORD: Final = ir.IntType(64)
_VECTOR: Final = ir.VectorType(_WORD, LINE // 8)


@cache
def line_buffer(count: int) -> Any:
    """Return the function that allocates a buffer of a number of lines on the stack."""

    @instructions(types.int64)
    def allocate(builder: Any) -> Any:
        buffer = cgutils.alloca_once(builder, _VECTOR, size=_WORD(count))
        buffer.align = LINE
        return builder.ptrtoint(buffer, _WORD)

    return allocate


@instructions(types.void, types.int64, types.int64, types.int64)
def copy_past_caches(builder: Any, target: Any, source: Any, count: Any) -> None:
    """Copy whole lines between line-aligned addresses with non-temporal stores."""
    past = builder.module.add_metadata([ir.IntType(32)(1)])

    def place(base: Any, offset: Any) -> Any:
        return builder.inttoptr(builder.add(base, offset), _VECTOR.as_pointer())

    with cgutils.for_range_slice(builder, _WORD(0), count, _WORD(LINE), inc=True) as (offset, _):
        line = builder.load(place(source, offset), align=LINE)
        store = builder.store(line, place(target, offset), align=LINE)
        store.set_metadata("nontemporal", past)


@instructions(types.void)
def fence(builder: Any) -> None:
    """Wait until streamed data are visible to other threads."""
    builder.fence("seq_cst")
