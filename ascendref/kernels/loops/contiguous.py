"""Loops over contiguous elements.

Operands of any other layout are passed to these loops tile by tile (``tiles.py``). Each
function here makes a task (``runtime/launch.py``) or a part of one.
"""

from functools import cache
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils

from ..arithmetic.codecs import encode_bfloat16_pair
from ..compiler.instructions import instructions
from ..compiler.jit import helper, interleaved, merged, outlined
from ..runtime.launch import (
    MORE_ROWS,
    NUMBERS,
    OPERANDS,
    PAST_CACHES,
    PLAN,
    SIZE,
    ZERO,
    Task,
    own_address,
)
from ..runtime.memory import poke, reals, smaller, word, words
from ..runtime.nontemporal import LINE, copy_past_caches, fence, line_buffer

#: bytes of a block that is written with non-temporal stores
_BLOCK: Final = 1024

_WORD: Final = ir.IntType(64)

#: a compiled function that kernels call
Compiled = Any


def element_writer(encode: Compiled, storage: str, tensors: int, results: int) -> Compiled:
    """Return ``write(operands, offset, value)``, which encodes and writes an element.

    The operands are addresses of tensors and results. If there are two results, it takes a pair of
    values.
    """
    write, other = poke(storage, apart=True), tensors + 1

    def one(operands: Any, offset: Any, value: Any) -> None:
        write(operands[tensors], offset, encode(value))

    def two(operands: Any, offset: Any, values: Any) -> None:
        write(operands[tensors], offset, encode(values[0]))
        write(operands[other], offset, encode(values[1]))

    return merged({1: one, 2: two}[results])


def pair_writer(tensors: int, results: int) -> Compiled:
    """Return ``write(operands, offset, value, after)``, which does so with two BF16 elements."""
    write, other = poke("int32", apart=True), tensors + 1

    def one(operands: Any, offset: Any, value: Any, after: Any) -> None:
        write(operands[tensors], offset, encode_bfloat16_pair(value, after))

    def two(operands: Any, offset: Any, values: Any, after: Any) -> None:
        write(operands[tensors], offset, encode_bfloat16_pair(values[0], after[0]))
        write(operands[other], offset, encode_bfloat16_pair(values[1], after[1]))

    return merged({1: one, 2: two}[results])


def one_at_a_time(load: Compiled, formula: Compiled, write: Compiled, size: int) -> Compiled:
    """Return the loop that processes one element at a time: loads, computes, rounds, writes.

    ``loop(operands, scalars, zero, first, last)`` takes the addresses of contiguous operands. It is
    part of the function that calls it.
    """

    def loop(
        operands: tuple[int, ...], scalars: tuple[float, ...], zero: int, first: int, last: int
    ) -> None:
        for i in range(first, last):
            write(operands, i * size, formula(load(operands, i, zero), scalars))

    return merged(loop)


def in_pairs(
    load: Compiled, load_pair: Compiled, formula: Compiled, write: Compiled, write_pair: Compiled
) -> Compiled:
    """Return the loop for BF16 operands: two elements at a time, the halves of a 32-bit word."""

    def loop(
        operands: tuple[int, ...], scalars: tuple[float, ...], zero: int, first: int, last: int
    ) -> None:
        pairs = (last - first) // 2
        for i in range(pairs):
            at = first * 2 + i * 4
            one, other = load_pair(operands, at)
            write_pair(operands, at, formula(one, scalars), formula(other, scalars))
        if first + 2 * pairs < last:
            i = last - 1
            write(operands, i * 2, formula(load(operands, i, zero), scalars))

    return merged(loop)


def scalar_reader(count: int, *, sized: bool) -> Compiled:
    """Return the function that reads a task's scalars as float64, and its size if ``sized``."""
    numbers = reals(count)
    if sized:
        return merged(lambda task: (*numbers(word(task, NUMBERS)), float(word(task, SIZE))))
    return merged(lambda task: numbers(word(task, NUMBERS)))


@cache
def next_row(operands: int) -> Any:
    """Return ``after(addresses, plan)``, the addresses of the next row's operands.

    How far the rows are apart is in the plan (``tile_plan.py``) at an address.
    """
    kind = types.UniTuple(types.int64, operands)

    @instructions(kind, kind, types.int64)
    def after(builder: Any, addresses: Any, plan: Any) -> Any:
        place = builder.inttoptr(plan, _WORD.as_pointer())
        axes = builder.load(place)
        numbers = []
        for k in range(operands):
            at = builder.add(builder.mul(axes, _WORD(3 + k)), _WORD(3))
            step = builder.load(builder.gep(place, [at]))
            numbers.append(builder.add(builder.extract_value(addresses, k), step))
        return cgutils.pack_array(builder, numbers, _WORD)

    return after


def _compiled(loop: Compiled, vectors: int) -> Compiled:
    """Return a loop as a function of its own, which computes so many vectors at a time."""
    finish = interleaved(vectors)

    def function(
        operands: tuple[int, ...], scalars: tuple[float, ...], zero: int, first: int, last: int
    ) -> None:
        outlined()
        loop(operands, scalars, zero, first, last)
        finish()

    return helper(function)


def through_caches(loop: Compiled, scalars: Compiled, operands: int, vectors: int) -> Task:
    """Return the task of a compute-bound formula, which writes results with ordinary stores.

    The loop computes so many vectors at a time. In a traversal the task may compute several rows,
    whose constants are loaded once.
    """
    addresses, after = words(operands), next_row(operands)
    row = _compiled(loop, vectors)

    def task(arguments: int, start: int, stop: int) -> Any:
        if stop < start:
            return own_address()
        given, numbers = addresses(arguments + OPERANDS), scalars(arguments)
        zero, plan = word(arguments, ZERO), word(arguments, PLAN)
        row(given, numbers, zero, start, stop)
        for _ in range(word(arguments, MORE_ROWS)):
            given = after(given, plan)
            row(given, numbers, zero, start, stop)
        return 0

    return task


def past_caches(loop: Compiled, scalars: Compiled, tensors: int, size: int) -> Task:
    """Return the task that may write results with non-temporal stores, in blocks of whole lines.

    Ordinary stores fetch each cache line first.
    """
    addresses, out_at = words(tensors), OPERANDS + 8 * tensors
    buffer_of_lines = line_buffer(_BLOCK // LINE)
    in_line, in_block = LINE // size, _BLOCK // size
    block = _compiled(loop, 0)

    def task(arguments: int, start: int, stop: int) -> Any:
        if stop < start:
            return own_address()
        given, out = addresses(arguments + OPERANDS), word(arguments, out_at)
        numbers, zero = scalars(arguments), word(arguments, ZERO)
        past = word(arguments, PAST_CACHES) != 0
        buffer = buffer_of_lines()
        first = start
        while first < stop:
            last, target = stop, out
            if past:
                lead = -(out + first * size) % LINE // size
                if lead:
                    last = smaller(stop, first + lead)
                elif stop - first >= in_line:
                    last = first + smaller(in_block, (stop - first) // in_line * in_line)
                    target = buffer - first * size
            block((*given, target), numbers, zero, first, last)
            if target != out:
                copy_past_caches(out + first * size, buffer, (last - first) * size)
            first = last
        if past:
            fence()
        return 0

    return task
