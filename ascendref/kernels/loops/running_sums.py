"""Running sums: how terms are added inside a block, and blocks to each other.

The loops (``reduction_loops.py``) are the same for all kinds of running sums. Here are those that
round every addition to the compute type; ``exact_sums.py`` has those that lose nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils

from ...core.dtypes import FLOAT32_STEPS, ElementType
from ..arithmetic.codecs import REGISTER, decoder, encoder, rounder, same
from ..arithmetic.evaluation import evaluator
from ..arithmetic.formula import Formula
from ..compiler.instructions import instructions
from ..compiler.jit import helper, inlined
from ..runtime.launch import OPERANDS, PLAN
from ..runtime.memory import int64_pointer, poke, word
from .reduction_plan import BLOCK, LANES, STRIP, SUMS_STRIDE, TERMS
from .tiles import conversion

#: where a task's arguments have the address of the blocks' sums, 0 if there is one block, and those
#: of the operands: tensors, weight, elementwise result, sums
PARTIAL: Final = OPERANDS
TENSORS: Final = OPERANDS + 8
#: distance between the numbers of a running sum: a third of a page beside whole ones, because data
#: used together must not have the same offset in its page (measured: up to 2.6 times as slow)
APART: Final = STRIP * LANES + 168

#: a function that kernels call, as compiled, and a pointer in compiled code
Compiled = Any
Pointer = Any


@dataclass(frozen=True)
class RunningSums:
    """Compiled functions on running sums, numbers behind a pointer ``lanes``.

    The first of each begins with −0, the neutral element of addition, the others with 0. A term is
    computed from the values of the tensors, or is kept behind a pointer ``kept`` in between.
    """

    #: numbers of a running sum, and numbers that are kept of a term
    numbers: int
    kept: int
    #: ``add(lanes, k, values, scalars)``: add a term
    add: Compiled
    #: ``keep(kept, i, values, scalars)``: keep a term
    keep: Compiled
    #: ``add_kept(lanes, k, kept, i)``: add one that was kept
    add_kept: Compiled
    #: ``add_rows(lanes, first, kept, start, stop)``: add some that were kept to all running sums
    #: from the first one on, in turn
    add_rows: Compiled
    #: ``merge(lanes, k, other)``: add a running sum to another one
    merge: Compiled
    #: ``finish(arguments, channel, parts, at, apart, blocks)``: round the sum of some blocks to the
    #: result of a channel; how many needed an exact decision
    finish: Compiled


def rounded_sums(
    term: Formula,
    kind: ElementType,
    out: ElementType,
    compute: str,
    sums: int,
    *,
    mean: bool,
    stored: bool,
) -> RunningSums:
    """Return running sums of a term in a compute type, to which every addition is rounded.

    ``sums`` is where a task's arguments have the address of the results, which are rounded to
    ``kind`` and cast to ``out``.
    """
    rnd, register = rounder(compute), REGISTER[compute]
    term_of = evaluator(term, compute)
    store = rounder(kind.name if stored else compute)
    encode, cast, write = encoder(compute, kind.name), conversion(kind, out), poke(out.name)
    divided = divider(compute) if mean else _undivided

    @inlined
    def add(lanes: Pointer, k: int, values: Any, scalars: Any) -> None:
        lanes[k] = rnd(lanes[k] + store(term_of(values, scalars)))

    @inlined
    def keep(kept: Pointer, i: int, values: Any, scalars: Any) -> None:
        kept[i] = store(term_of(values, scalars))

    @inlined
    def add_kept(lanes: Pointer, k: int, kept: Pointer, i: int) -> None:
        lanes[k] = rnd(lanes[k] + kept[i])

    @inlined
    def merge(lanes: Pointer, k: int, other: int) -> None:
        lanes[k] = rnd(lanes[k] + lanes[other])

    @inlined
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
        plan = int64_pointer(word(arguments, PLAN))
        to = channel * plan[SUMS_STRIDE]
        write(word(arguments, sums), to, cast(encode(divided(parts[at], plan[TERMS]))))
        return 0

    add_rows = adder_of_rows(add_kept)
    if rnd is same:
        add_rows = row_adder(_plain_step, register, LANES, 1, 1)
    return RunningSums(1, 1, add, keep, add_kept, add_rows, merge, finish)


def _plain_step(builder: ir.IRBuilder, sums: list[Any], terms: list[Any]) -> list[Any]:
    return [builder.fadd(sums[0], terms[0])]


@inlined
def _undivided(total: Any, terms: int) -> Any:
    return total


def divider(compute: str) -> Compiled:
    """Return the function that divides a sum by its number of terms, as doubles, and rounds.

    In steps of float32 it is a product with the rounded reciprocal, as on the device.
    """
    if compute == FLOAT32_STEPS:
        return _times_reciprocal
    narrow, widen = encoder("float64", compute), decoder(compute, compute)

    @inlined
    def divided(total: Any, terms: int) -> Any:
        return widen(narrow(np.float64(total) / np.float64(terms)))

    return divided


@inlined
def _times_reciprocal(total: Any, terms: int) -> Any:
    return total * np.float32(1.0 / np.float64(terms))


#: ``step(builder, sums, terms)`` appends instructions that add the numbers of a term, scalars or
#: vectors, to those of a running sum, and returns these
Step = Callable[[ir.IRBuilder, list[ir.Value], list[ir.Value]], list[ir.Value]]


def adder_of_rows(add_kept: Compiled) -> Compiled:
    """Return the function that adds terms which were kept to all running sums in turn."""

    @helper
    def add_rows(lanes: Pointer, first: int, kept: Pointer, start: int, stop: int) -> None:
        for row in range(start, stop, LANES):
            for lane in range(LANES):
                add_kept(lanes, first + lane, kept, row + lane)

    return add_rows


@cache
def row_adder(step: Step, register: type, length: int, numbers: int, terms: int) -> Any:
    """Return ``add(lanes, first, kept, start, stop)``, which adds rows of kept terms in order.

    It keeps the sums in vectors meanwhile, which LLVM would not do of itself. ``numbers`` and
    ``terms`` are the numbers of a running sum and of a term.
    """
    pointer, align = types.CPointer(from_dtype(register)), np.dtype(register).itemsize
    vector = ir.VectorType(ir.DoubleType() if align == 8 else ir.FloatType(), length)

    @instructions(types.void, pointer, types.int64, pointer, types.int64, types.int64)
    def add(builder: Any, lanes: Any, first: Any, kept: Any, start: Any, stop: Any) -> None:
        def places(base: Any, index: Any, count: int, apart: int) -> list[Any]:
            offsets = [builder.add(index, index.type(k * apart)) for k in range(count)]
            found = [builder.gep(base, [offset]) for offset in offsets]
            return [builder.bitcast(place, vector.as_pointer()) for place in found]

        def load(at: Any) -> Any:
            return builder.load(at, align=align)

        sums = places(lanes, first, numbers, APART)
        held = [cgutils.alloca_once_value(builder, load(at)) for at in sums]
        many = start.type(length)
        with cgutils.for_range_slice(builder, start, stop, many, inc=True) as (index, _):
            row = [load(at) for at in places(kept, index, terms, BLOCK)]
            after = step(builder, [builder.load(at) for at in held], row)
            for value, at in zip(after, held, strict=True):
                builder.store(value, at)
        for at, total in zip(held, sums, strict=True):
            builder.store(builder.load(at), total, align=align)

    return add
