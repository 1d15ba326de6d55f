"""The loops of an elementwise result together with one sum per channel, as sources.

*Dense* is for contiguous operands: sixteen elements at a time go from memory through registers back
to memory. Where channels lie side by side, a row of them is taken after the other, so that memory
is walked in order. *Tiled* is for any other layout, through buffers.

What a running sum consists of is left open: ``clear``, ``add``, ``keep``, ``add_kept``,
``add_all_kept``, ``merge``, ``put`` and ``deliver`` know it.
"""

from __future__ import annotations

from typing import Final

_BEGIN: Final = """
def body(grad, data, weight, result, sums, sums_stride, plan, partial, blocks, start, stop):
    outlined()
    hard = 0
    weights = allocate()
    kept = allocate_kept()
    lanes = allocate_lanes()
"""

#: from the running sums of a block to one, and where that goes
_ADD_UP: Final = """
        half = {lanes} // 2
        while half:
            for lane in range(used - half):
                for c in range(height):
                    k = c * lane_c + lane * lane_k
                    merge(lanes, k, k + half * lane_k)
            used = min(used, half)
            half //= 2
        for c in range(height):
            if partial.size:
                put(partial, (channel + c) * blocks + block, lanes, c * lane_c)
            else:
                hard += deliver(
                    grad, data, sums, sums_stride, plan, channel + c, lanes, c * lane_c
                )
    return hard
"""

_DENSE: Final = """
    channels, terms, inner, strip, rows = plan[0], plan[1], plan[2], plan[3], plan[5]
    columns = rows > 0
    strips = (channels + strip - 1) // strip
    # where a channel and a running sum stand among the running sums
    lane_c, lane_k = (1, strip) if columns else ({lanes}, 1)
    for task in range(start, stop):
        if columns:
            block = task // strips
            channel = (task - block * strips) * strip
        else:
            channel = task // blocks
            block = task - channel * blocks
        height = min(strip, channels - channel)
        term = block * {block}
        end = min(terms, term + {block})
        # the others stay at -0, which adds nothing
        used = min({lanes}, end - term)
        for i in range(strip * used if columns else {lanes}):
            clear(lanes, i)
        if columns:
            for row in range(rows):
                for c in range(height):
                    weights[row * strip + c] = decode(read(weight, (channel + c) * {size}))
            for done in range(0, end - term, rows):
                at = ((term + done) * channels + channel) * {size}
                count = min(rows, end - term - done) * height
                lane = done % {lanes} * strip
                many(grad + at, data + at, result + at, count, weights, lanes, lane)
        else:
            factor = decode(read(weight, channel * {size}))
            done = 0
            while term < end:
                at = place(plan, 0, channel, term)
                run = min(end - term, inner - term % inner)
                keep_many(grad + at, data + at, result + at, run, factor, kept)
                # up to the first running sum, from there, and what is left
                head = min(run, ({lanes} - done) % {lanes})
                for i in range(head):
                    add_kept(lanes, done % {lanes} + i, kept, i)
                whole = head + (run - head) // {lanes} * {lanes}
                add_all_kept(lanes, 0, kept, head, whole)
                for i in range(whole, run):
                    add_kept(lanes, i - whole, kept, i)
                done += run
                term += run
"""

#: elements that follow one another, each with its weight and its running sum; and with one weight,
#: what is to be added kept
MANY: Final = """
def many(grad, data, result, count, weights, lanes, lane):
    for i in range(count):
        g, x = decode(read(grad, i * {size})), decode(read(data, i * {size}))
        write(result, i * {size}, encode(element(g, x, weights[i])))
        add(lanes, lane + i, g, x)
"""
KEEP_MANY: Final = """
def keep_many(grad, data, result, count, weight, kept):
    for i in range(count):
        g, x = decode(read(grad, i * {size})), decode(read(data, i * {size}))
        write(result, i * {size}, encode(element(g, x, weight)))
        keep(kept, i, g, x)
"""

_TILED: Final = """
    grads = allocate()
    datas = allocate()
    results = allocate()
    channels, terms, strip, segment = plan[0], plan[1], plan[2], plan[3]
    columns, axes = plan[5] == 1, plan[6]
    inner = plan[6 + axes] if axes else 1
    strips = (channels + strip - 1) // strip
    # a tile has terms as rows of channels, or channels as rows of terms
    step, pitch = (strip, strip) if columns else (1, segment)
    across = 7 + axes
    along = across + axes
    at_0, at_1 = (across, along) if columns else (along, across)
    grad_0, grad_1 = plan[at_0], plan[at_1]
    data_0, data_1 = plan[at_0 + axes + 1], plan[at_1 + axes + 1]
    result_0, result_1 = plan[at_0 + 2 * axes + 2], plan[at_1 + 2 * axes + 2]
    weight_axes = 10 + 4 * axes
    weight_rank = plan[weight_axes]
    # where a channel and a running sum stand among the running sums
    lane_c, lane_k = (1, strip) if columns else ({lanes}, 1)
    for task in range(start, stop):
        block = task // strips
        channel = (task - block * strips) * strip
        height = min(strip, channels - channel)
        for c in range(height):
            rest = channel + c
            offset = 0
            for axis in range(weight_rank - 1, -1, -1):
                size = plan[weight_axes + 1 + axis]
                after = rest // size
                offset += (rest - after * size) * plan[weight_axes + 1 + weight_rank + axis]
                rest = after
            weights[c] = decode(read(weight, offset))
        end = min(terms, (block + 1) * {block})
        # the others stay at -0, which adds nothing
        used = min({lanes}, end - block * {block})
        for i in range(strip * (used if columns else {lanes})):
            clear(lanes, i)
        for first in range(block * {block}, end, segment):
            width = min(segment, end - first)
            done = 0
            while done < width:
                term = first + done
                run = min(width - done, inner - term % inner)
                grad_at = grad + place(plan, 0, channel, term)
                data_at = data + place(plan, 1, channel, term)
                m0, m1 = (height, run) if columns else (run, height)
                load(grads, done * step, pitch, grad_at, grad_0, grad_1, m0, m1)
                load(datas, done * step, pitch, data_at, data_0, data_1, m0, m1)
                done += run
            if columns:
                for k in range(width):
                    row = k * strip
                    lane = k % {lanes} * strip
                    for c in range(height):
                        results[row + c] = element(grads[row + c], datas[row + c], weights[c])
                        add(lanes, lane + c, grads[row + c], datas[row + c])
            else:
                whole = width // {lanes} * {lanes}
                for c in range(height):
                    row = c * segment
                    w = weights[c]
                    for i in range(width):
                        results[row + i] = element(grads[row + i], datas[row + i], w)
                        keep(kept, i, grads[row + i], datas[row + i])
                    add_all_kept(lanes, c * {lanes}, kept, 0, whole)
                    for i in range(whole, width):
                        add_kept(lanes, c * {lanes} + i - whole, kept, i)
            done = 0
            while done < width:
                term = first + done
                run = min(width - done, inner - term % inner)
                at = result + place(plan, 2, channel, term)
                m0, m1 = (height, run) if columns else (run, height)
                store(results, done * step, pitch, at, result_0, result_1, m0, m1)
                done += run
"""

#: loops over tasks, by layout
BODIES: Final = {
    layout: _BEGIN + loop + _ADD_UP for layout, loop in (("dense", _DENSE), ("tiled", _TILED))
}

#: where a term stands, in bytes from the first one of an operand
PLACES: Final = {
    "dense": """
def place(plan, operand, channel, term):
    inner = plan[2]
    batch = term // inner
    return ((batch * plan[0] + channel) * inner + term - batch * inner) * {size}
""",
    "tiled": """
def place(plan, operand, channel, term):
    axes = plan[6]
    at = 7 + axes + operand * (axes + 1)
    offset = channel * plan[at]
    for axis in range(axes - 1, -1, -1):
        size = plan[7 + axis]
        after = term // size
        offset += (term - after * size) * plan[at + 1 + axis]
        term = after
    return offset
""",
}

#: what a kernel for contiguous operands does first
LOOK: Final = """
    if channel_size(facts, (grad, data, weight, result, sums)) < 0:
        return -1
    grad, data, weight = address(grad), address(data), address(weight)
    result, sums = address(result), address(sums)
"""

SERIAL: Final = """
def kernel({parameters}, sums_stride, plan, partial, tasks, blocks):
{start}
    hard = body(grad, data, weight, result, sums, sums_stride, plan, partial, blocks, 0, tasks)
    return hard + finish(grad, data, sums, sums_stride, plan, partial, blocks)
"""

PARALLEL: Final = """
def kernel({parameters}, sums_stride, plan, partial, tasks, blocks):
{start}
    group = plan[4]
    hard = 0
    for part in prange((tasks + group - 1) // group):
        start = part * group
        stop = min(tasks, start + group)
        {counting}body(
            grad, data, weight, result, sums, sums_stride, plan, partial, blocks, start, stop
        )
    return hard + finish(grad, data, sums, sums_stride, plan, partial, blocks)
"""
