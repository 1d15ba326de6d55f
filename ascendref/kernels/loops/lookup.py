"""Large arrays of 16-bit numbers: a formula of one tensor has 65536 results, computed once each.

The loop of a compute-bound formula takes longer than to look a result up. It computes the results
of all numbers to a buffer, so that looked-up results have its bits.
"""

from typing import Any, Final

from ..compiler.jit import merged, once_each
from ..runtime.array_header import ITEMSIZE, LOOKUP_TASK, NOT_LOADED, ROW, ROWS
from ..runtime.launch import (
    NO_LOOKUP,
    NO_MEMORY,
    NO_OPERANDS,
    NUMBERS,
    OPERANDS,
    TABLE,
    Task,
    run,
    set_word,
    task_kernel,
    threads_for,
)
from ..runtime.memory import allocate, in_memory, peek, poke, release, word
from ..runtime.nontemporal import LINE
from .contiguous import past_caches

#: elements from which results are looked up (measured: half as many gain nothing with `sigmoid`)
LOOKED_UP_FROM: Final = 256 * 1024
#: the same for n threads, divided by n²: each fetches what the n - 1 others have computed, and has
#: the n-th part of the elements to gain from it
_TIMES_THREADS_SQUARED: Final = 128 * 1024
#: numbers of 16 bits
NUMBERS_OF_16_BITS: Final = 2**16
#: types whose elements are read and written as integers of their size
_STORAGE: Final = {2: "bfloat16", 4: "int32", 8: "int64"}

_read_number: Final = peek("bfloat16", apart=True)
_write_number: Final = poke("bfloat16")


@once_each
def lookup_task(size: int) -> Any:
    return task_kernel(lambda: _make_task(size), f"lookup_of_{size}_bytes", _make_task)


def _make_task(size: int) -> Task:
    """Return the task, to be compiled; in place of scalars it gets the address of the results."""
    read, write = peek(_STORAGE[size], apart=True), poke(_STORAGE[size], apart=True)

    def results(arguments: int) -> Any:
        return word(arguments, NUMBERS)

    def loop(operands: tuple[int, int], results: int, zero: int, first: int, last: int) -> None:
        for i in range(first, last):
            number = _read_number(operands[0], 2 * i)
            write(operands[1], i * size, read(results, size * number))

    return past_caches(merged(loop), merged(results), 1, size)


@merged
def pays(size: int, launcher: int) -> Any:
    """Tell whether it takes less time to look up results than to compute them."""
    if size < LOOKED_UP_FROM:
        return False
    threads = threads_for(size, launcher)
    return size >= _TIMES_THREADS_SQUARED * threads * threads


@merged
def look_up(task: int, arguments: int, size: int, lead: int, part: int, launcher: int) -> Any:
    """Compute all results with a formula's task, and look up those of a tensor's elements."""
    table = word(arguments, TABLE)
    lookup = word(table, LOOKUP_TASK)
    if lookup == NOT_LOADED:
        return NO_LOOKUP
    count = NUMBERS_OF_16_BITS
    numbers = allocate(count * (2 + word(table, ROWS + ROW + ITEMSIZE)), LINE)
    if numbers == 0:
        return NO_MEMORY
    for i in range(count):
        _write_number(numbers, 2 * i, i)
    results = numbers + 2 * count
    every = in_memory((0, 0, count, word(arguments, NUMBERS), table, 0, 0, 0, 0, *NO_OPERANDS))
    set_word(every, OPERANDS, numbers)
    set_word(every, OPERANDS + 8, results)
    done = run(task, every, count, 0, 0, count, launcher)
    if done >= 0:
        set_word(arguments, NUMBERS, results)
        found = run(lookup, arguments, size, lead, part, size, launcher)
        if found < 0:
            done = found
    release(numbers)
    return done
