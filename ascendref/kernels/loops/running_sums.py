"""Running sums, and how terms are added to them.

The loops (``channel_loops.py``) are the same for all kinds of running sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.extending import intrinsic

from ...core.dtypes import ElementType
from ..arithmetic.codecs import REGISTER, encoder, rounder, same
from ..arithmetic.evaluation import evaluator
from ..arithmetic.formula import Formula
from ..compiler.jit import helper, inlined
from ..runtime.launch import OPERANDS
from ..runtime.memory import poke, word
from .channel_plan import LANES, STRIP

#: where a task's arguments have the addresses of the operands, bytes from one sum to the next, the
#: address of the blocks' sums, 0 if there is one block, the number of blocks, and whether the plan
#: is that of any layout
(
    GRAD,
    DATA,
    WEIGHT,
    RESULT,
    SUMS,
    SUMS_STRIDE,
    PARTIAL,
    BLOCKS,
    TILED,
) = range(OPERANDS, OPERANDS + 72, 8)

#: a function that kernels call, as compiled, and a pointer in compiled code
Compiled = Any
Pointer = Any


@dataclass(frozen=True)
class RunningSums:
    """Compiled functions on running sums.

    Running sums are numbers behind a pointer ``lanes``; the terms of a loop come from a gradient
    ``g`` and data ``x``, or are kept behind a pointer ``kept`` in between.
    """

    #: numbers of all running sums, and numbers that are kept of a term
    lanes: int
    kept: int
    #: ``clear(lanes, k)``: let a running sum be that of no terms
    clear: Compiled
    #: ``add(lanes, k, g, x)``: add a term
    add: Compiled
    #: ``keep(kept, i, g, x)``: keep a term
    keep: Compiled
    #: ``add_kept(lanes, k, kept, i)``: add one that was kept
    add_kept: Compiled
    #: ``add_rows(lanes, first, kept, start, stop)``: add some that were kept to all running sums
    #: from the first one on, in turn
    add_rows: Compiled
    #: ``merge(lanes, k, other)``: add a running sum to another one
    merge: Compiled
    #: ``put(parts, at, apart, lanes, k)``: store the sum of a block
    put: Compiled
    #: ``deliver(arguments, channel, lanes, k)``: round it to the result of a channel; how many
    #: needed an exact decision
    deliver: Compiled
    #: ``finish(arguments, channel, parts, at, apart, blocks)``: the same from some stored ones
    finish: Compiled


def rounded_sums(term: Formula, kind: ElementType, compute: str, *, stored: bool) -> RunningSums:
    """Return running sums in a compute type, to which every addition is rounded.

    Parameters
    ----------
    term : Formula
        What is added.
    kind : ElementType
        Type of the results.
    compute : str
        Compute type.
    stored : bool
        Whether the terms are rounded to ``kind`` before.
    """
    rnd, register = rounder(compute), REGISTER[compute]
    minus_zero = register(-0.0)
    term_of = evaluator(term, compute)
    store = rounder(kind.name if stored else compute)
    encode, write = (
        encoder(compute, kind.name, kind.name),
        poke(kind.name),
    )

    @inlined
    def clear(lanes: Pointer, k: int) -> None:
        lanes[k] = minus_zero

    @inlined
    def add(lanes: Pointer, k: int, g: Any, x: Any) -> None:
        lanes[k] = rnd(lanes[k] + store(term_of((g, x), ())))

    @inlined
    def keep(kept: Pointer, i: int, g: Any, x: Any) -> None:
        kept[i] = store(term_of((g, x), ()))

    @inlined
    def add_kept(lanes: Pointer, k: int, kept: Pointer, i: int) -> None:
        lanes[k] = rnd(lanes[k] + kept[i])

    @inlined
    def merge(lanes: Pointer, k: int, other: int) -> None:
        lanes[k] = rnd(lanes[k] + lanes[other])

    @inlined
    def put(parts: Pointer, at: int, apart: int, lanes: Pointer, k: int) -> None:
        parts[at] = lanes[k]

    @inlined
    def deliver(arguments: int, channel: int, lanes: Pointer, k: int) -> int:
        to = channel * word(arguments, SUMS_STRIDE)
        write(word(arguments, SUMS), to, encode(lanes[k]))
        return 0

    @helper
    def finish(
        arguments: int, channel: int, parts: Pointer, at: int, apart: int, blocks: int
    ) -> int:
        step = 1
        while step < blocks:
            i = at
            while i + step < at + blocks:
                parts[i] = rnd(parts[i] + parts[i + step])
                i += 2 * step
            step *= 2
        hard: int = deliver(arguments, channel, parts, at)
        return hard

    add_rows = row_adder(register, LANES) if rnd is same else adder_of_rows(add_kept)
    return RunningSums(
        STRIP * LANES, 1, clear, add, keep, add_kept, add_rows, merge, put, deliver, finish
    )


def adder_of_rows(add_kept: Compiled) -> Compiled:
    """Return the function that adds terms which were kept to all running sums in turn."""

    @helper
    def add_rows(lanes: Pointer, first: int, kept: Pointer, start: int, stop: int) -> None:
        for row in range(start, stop, LANES):
            for lane in range(LANES):
                add_kept(lanes, first + lane, kept, row + lane)

    return add_rows


@cache
def row_adder(register: type, length: int) -> Any:
    """Return the function that adds rows of registers to one, in order.

    ``add(sums, first, rows, start, stop)`` keeps the sums in a vector meanwhile, which LLVM would
    not do of itself.
    """
    kind = from_dtype(register)

    @intrinsic
    def add(typingctx: Any, sums: Any, first: Any, rows: Any, start: Any, stop: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            element = context.get_data_type(kind)
            vector = ir.VectorType(element, length)

            def place(base: Any, index: Any) -> Any:
                return builder.bitcast(builder.gep(base, [index]), vector.as_pointer())

            total = place(args[0], args[1])
            align = element.get_abi_size(context.target_data)
            held = cgutils.alloca_once_value(builder, builder.load(total, align=align))
            step = ir.Constant(args[3].type, length)
            with cgutils.for_range_slice(builder, args[3], args[4], step, inc=True) as (index, _):
                row = builder.load(place(args[2], index), align=align)
                builder.store(builder.fadd(builder.load(held), row), held)
            builder.store(builder.load(held), total, align=align)
            return context.get_dummy_value()

        pointer = types.CPointer(kind)
        return types.void(pointer, types.int64, pointer, types.int64, types.int64), codegen

    return add
