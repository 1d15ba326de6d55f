"""Loops over contiguous elements.

Operands of any other layout are passed to these loops tile by tile (``tiles.py``). Each
function here makes a task (``runtime/launch.py``) or a part of one.
"""

from typing import Any, Final

from ..arithmetic.codecs import encode_bfloat16_pair
from ..compiler.jit import helper, merged, outlined
from ..runtime.launch import NUMBERS, OPERANDS, PAST_CACHES, SIZE, ZERO, Task, own_address
from ..runtime.memory import poke, reals, smaller, word, words
from ..runtime.nontemporal import LINE, copy_past_caches, fence, line_buffer

#: bytes of a block that is written with non-temporal stores
_BLOCK: Final = 1024

#: a compiled function that kernels call
Compiled = Any


def one_at_a_time(
    load: Compiled, formula: Compiled, encode: Compiled, storage: str, size: int
) -> Compiled:
    """Return the loop that processes one element at a time: loads, computes, rounds, writes.

    ``loop(tensors, out, scalars, zero, first, last)`` takes the addresses of contiguous operands.
    """
    write = poke(storage, apart=True)

    def loop(
        tensors: tuple[int, ...],
        out: int,
        scalars: tuple[float, ...],
        zero: int,
        first: int,
        last: int,
    ) -> None:
        outlined()
        for i in range(first, last):
            write(out, i * size, encode(formula(load(tensors, i, zero), scalars)))

    return helper(loop)


def in_pairs(load: Compiled, load_pair: Compiled, formula: Compiled, encode: Compiled) -> Compiled:
    """Return the loop for BF16 operands: two elements at a time, the halves of a 32-bit word."""
    write, write_pair = poke("bfloat16", apart=True), poke("int32", apart=True)

    def loop(
        tensors: tuple[int, ...],
        out: int,
        scalars: tuple[float, ...],
        zero: int,
        first: int,
        last: int,
    ) -> None:
        outlined()
        pairs = (last - first) // 2
        for i in range(pairs):
            at = first * 2 + i * 4
            one, other = load_pair(tensors, at)
            write_pair(
                out, at, encode_bfloat16_pair(formula(one, scalars), formula(other, scalars))
            )
        if first + 2 * pairs < last:
            i = last - 1
            write(out, i * 2, encode(formula(load(tensors, i, zero), scalars)))

    return helper(loop)


def scalar_reader(count: int, *, sized: bool) -> Compiled:
    """Return the function that reads a task's scalars as float64, and its size if ``sized``."""
    numbers = reals(count)
    if sized:
        return merged(lambda task: (*numbers(word(task, NUMBERS)), float(word(task, SIZE))))
    return merged(lambda task: numbers(word(task, NUMBERS)))


def through_caches(loop: Compiled, scalars: Compiled, tensors: int) -> Task:
    """Return the task that writes results with ordinary stores."""
    addresses, out_at = words(tensors), OPERANDS + 8 * tensors

    def task(arguments: int, start: int, stop: int) -> Any:
        if stop < start:
            return own_address()
        loop(
            addresses(arguments + OPERANDS),
            word(arguments, out_at),
            scalars(arguments),
            word(arguments, ZERO),
            start,
            stop,
        )
        return 0

    return task


def past_caches(loop: Compiled, scalars: Compiled, tensors: int, size: int) -> Task:
    """Return the task that may write results with non-temporal stores, in blocks of whole lines.

    Ordinary stores fetch each cache line first.
    """
    addresses, out_at = words(tensors), OPERANDS + 8 * tensors
    buffer_of_lines = line_buffer(_BLOCK // LINE)
    in_line, in_block = LINE // size, _BLOCK // size

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
            loop(given, target, numbers, zero, first, last)
            if target != out:
                copy_past_caches(out + first * size, buffer, (last - first) * size)
            first = last
        if past:
            fence()
        return 0

    return task
