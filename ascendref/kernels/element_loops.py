"""The loops of an elementwise result, as sources.

*Dense* is for contiguous operands; *pairs* and *streamed* do the same for BF16 and for large
results. *Tiled* is for operands of any layout, and hands each tile to a loop over contiguous ones.
"""

from __future__ import annotations

from typing import Final

DENSE: Final = """
def body({arrays}, out, scalars, start, stop):
    outlined()
    for i in range(start, stop):
        write(out, i * {size}, encode(formula({elements}, *scalars)))
    return 0
"""

#: the same for BF16 alone, two elements at a time: they are halves of one number, which need not be
#: moved apart and together again
PAIRS: Final = """
def body({arrays}, out, scalars, start, stop):
    outlined()
    pairs = (stop - start) // 2
    for i in range(pairs):
        pair = start * {size} + i * (2 * {size})
        one, other = formula({firsts}, *scalars), formula({seconds}, *scalars)
        write_pair(out, pair, encode_pair(one, other))
    if start + 2 * pairs < stop:
        i = stop - 1
        write(out, i * {size}, encode(formula({elements}, *scalars)))
    return 0
"""

#: the same where the result is large: it goes past the caches, which would read what they write,
#: in blocks of whole lines
STREAMED: Final = """
def body({arrays}, out, count, scalars, start, stop):
    if count < {streamed_from}:
        return loop({arrays}, out, scalars, start, stop)
    first = start + -(out + start * {size}) % {line} // {size}
    last = stop - (stop - first) % {in_line}
    hard = loop({arrays}, out, scalars, start, first)
    buffer = allocate()
    while first < last:
        until = first + {in_block} if first + {in_block} < last else last
        hard += loop({arrays}, buffer - first * {size}, scalars, first, until)
        stream(out + first * {size}, buffer, (until - first) * {size})
        first = until
    arrive()
    return hard + loop({arrays}, out, scalars, last, stop)
"""

#: the same for operands of any layout, tile by tile
TILED: Final = """
def body({arrays}, out, plan, scalars, start, stop):
    outlined()
{buffers}
    buffer = allocate()
    hard = 0
    n0, n1, t0, t1, outer = plan[0], plan[1], plan[2], plan[3], plan[4]
    across = (n0 + t0 - 1) // t0
    down = (n1 + t1 - 1) // t1
    block = start // across
    at0, at1 = (start - block * across) * t0, block % down * t1
    block //= down
{origins}
    if outer == 0 and (t0 == n0 or n1 == 1) and {regular}:
        # tiles follow one another in memory, or are all the same
{first_tiles}
        length = t0 * t1
        lead = -out % {line} // {size} if n0 * n1 >= {aligned_from} else 0
        for tile in range(start, stop):
            # each begins with a line of the result's, from where stores are faster
            here, first = tile * length, lead if tile else 0
            last = length + lead if here + length + lead < n0 * n1 else n0 * n1 - here
            if first < last:
                hard += loop({nexts}, out + here * {size}, scalars, first, last)
        return hard
    located = -1
    for tile in range(start, stop):
        if located != block:
            located = block
            rest = block
{restart}
            for axis in range(outer - 1, -1, -1):
                size = plan[5 + axis]
                index = rest % size
                rest = rest // size
{advance}
        m0 = t0 if at0 + t0 < n0 else n0 - at0
        m1 = t1 if at1 + t1 < n1 else n1 - at1
{offsets}
{loads}
        there = is_one_piece({size}, {out_tile}) and {apart}
        hard += loop({elements}, out_at if there else buffer, scalars, 0, m0 * m1)
        if not there:
            store(pointer(buffer), 0, m0, {out_tile})
        at0 += t0
        if at0 >= n0:
            at0 = 0
            at1 += t1
            if at1 >= n1:
                at1 = 0
                block += 1
    return hard
"""

#: what a kernel gets between operands and scalars, and what it does first, by layout
ENDS: Final = {
    "dense": (
        ("facts",),
        """
    count = size = dense_size(facts, ({operands}))
    if size < 0:
        return size
    {operands} = {addresses}
    if count >= {aligned_from}:
        lead = -out % {line} // {size}
""",
    ),
    # without facts, the operands are addresses of elements already
    "tiled": (
        ("facts", "layout", "plan", "count", "size"),
        """
    if facts:
        if not are_laid_out(facts, layout, ({operands})):
            return -1
        {operands} = {addresses}
""",
    ),
}
KERNEL: Final = """
def kernel({parameters}):
    # elements before the first that begins a line of the cache, from where stores are faster
    lead = 0
{start}
    scalars = prepare({arguments})
    hard = 0
    for part in {range}((count - lead + chunk - 1) // chunk):
        first = lead + part * chunk if part else 0
        last = lead + (part + 1) * chunk
        {counting}body({given}, scalars, first, last if last < count else count)
    return hard
"""
