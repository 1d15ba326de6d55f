"""The loops of an elementwise result over contiguous operands, as sources.

Operands of any other layout come to these loops tile by tile (``tile_walk.py``).
"""

from __future__ import annotations

from typing import Final

#: the task that computes elements
TASK: Final = """
def kernel(arguments, start, stop):
    if stop < start:
        return own_address()
    size, numbers = word(arguments, {size_at}), word(arguments, {numbers_at})
    {arrays}, out = {places}
    zero = word(arguments, {zero_at})
    scalars = prepare({scalars})
    hard = 0
{walk}
    return hard
"""

#: the loop at once, for results that stay in the caches
AT_ONCE: Final = """
    first, last, target = start, stop, out
{loop}
"""

#: a large result goes past the caches, which would read what they write, in blocks of whole lines
STREAMED: Final = """
    past = word(arguments, {streams_at}) and size >= {streamed_from}
    buffer = allocate_lines()
    first = start
    while first < stop:
        last, target = stop, out
        if past:
            lead = -(out + first * {size}) % {line} // {size}
            if lead:
                last = min(stop, first + lead)
            elif stop - first >= {in_line}:
                last = first + min({in_block}, (stop - first) // {in_line} * {in_line})
                target = buffer - first * {size}
{loop}
        if target != out:
            stream(out + first * {size}, buffer, (last - first) * {size})
        first = last
    if past:
        arrive()
"""

DENSE: Final = """
for i in range(first, last):
    write(target, i * {size}, encode(formula({elements}, *scalars)))
"""

#: the same for BF16 alone, two elements at a time: they are halves of one number, which need not be
#: moved apart and together again
PAIRS: Final = """
pairs = (last - first) // 2
for i in range(pairs):
    pair = first * {size} + i * (2 * {size})
    one, other = formula({firsts}, *scalars), formula({seconds}, *scalars)
    write_pair(target, pair, encode_pair(one, other))
if first + 2 * pairs < last:
    i = last - 1
    write(target, i * {size}, encode(formula({elements}, *scalars)))
"""

#: the kernel for contiguous operands of any formula
KERNEL: Final = """
def kernel(fixed, {operands}):
    facts, task, numbers = word(fixed, 0), word(fixed, 8), word(fixed, 16)
    size = dense_size(facts, ({operands}))
    if size < 0:
        return size
    arguments = in_memory((0, 0, size, numbers, 0, 0, 0, 1, 0, {addresses}))
    # elements before the first that begins a line of the cache, from where stores are faster
    width = word(facts, {width_at})
    lead = -word({last}, {data}) % {line} // width if size >= {aligned_from} else 0
    return run(task, arguments, size, lead, {part}, size, word(fixed, 24))
"""
