"""The loops of an elementwise result together with one sum per channel, as sources.

*Rows* and *runs* are for contiguous operands: sixteen elements at a time go from memory through
registers back to memory. Where channels lie side by side, a row of them is taken after the other,
so that memory is walked in order; elsewhere, runs of one channel are. *Tiled* is for any other
layout, through buffers.

What a running sum consists of is left open: the statements in braces and ``add_rows`` know it.
"""

from __future__ import annotations

from typing import Final

_BEGIN: Final = """
    hard = 0
    weights, kept = pointer(buffers), pointer(buffers + {kept_at})
    lanes = beyond(weights, {lanes_at})
    parts = pointer(partial)
    apart = channels * blocks
    for task in range(start, stop):
"""

#: one task has all rows of a strip of channels in one block, where they are done first
_STRIPS: Final = """
        block = task // strips
        channel = (task - block * strips) * strip
        height = channels - channel
        height = height if height < strip else strip
"""

#: from the running sums of a block to one, and where that goes
_ADD_UP: Final = """
        half = {lanes} // 2 * strip
        while half >= strip:
            for i in range(half):
                j = i + half
                {merge}
            half //= 2
        for i in range(height):
            to = channel + i
            at = to * blocks + block
            if partial:
                {put}
            else:
                {deliver}
"""

_TERMS: Final = """
        term = block * {block}
        end = terms if terms < term + {block} else term + {block}
        # those that get no term stay at -0, which adds nothing
        for i in range({lanes} * strip):
            {clear}
"""

_ROWS: Final = (
    """
    channels, terms, strip, rows = plan[0], plan[1], plan[3], plan[5]
    strips = (channels + strip - 1) // strip
"""
    + _BEGIN
    + _STRIPS
    + _TERMS
    + """
        for row in range(rows):
            for c in range(height):
                weights[row * strip + c] = decode(read(weight, (channel + c) * {size}))
        done = 0
        while term < end:
            at = (term * channels + channel) * {size}
            grad_at, data_at, result_at = grad + at, data + at, result + at
            lane = done % {lanes} * strip
            count = height * (rows if rows < end - term else end - term)
            for i in range(count):
                g, x = decode(read(grad_at, i * {size})), decode(read(data_at, i * {size}))
                write(result_at, i * {size}, encode(element(g, x, weights[i])))
                k = lane + i
                {add}
            done += rows
            term += rows
"""
    + _ADD_UP
)

_RUNS: Final = (
    """
    channels, terms, inner, strip, height = plan[0], plan[1], plan[2], 1, 1
"""
    + _BEGIN
    + """
        channel = task // blocks
        block = task - channel * blocks
"""
    + _TERMS
    + """
        factor = decode(read(weight, channel * {size}))
        lane = 0
        while term < end:
            at = place(plan, 0, channel, term)
            grad_at, data_at, result_at = grad + at, data + at, result + at
            run = inner - term % inner
            run = run if run < end - term else end - term
            for i in range(run):
                g, x = decode(read(grad_at, i * {size})), decode(read(data_at, i * {size}))
                write(result_at, i * {size}, encode(element(g, x, factor)))
                {keep}
            # up to the first running sum, from there, and what is left
            i = 0
            while lane and i < run:
                k = lane
                {add_kept}
                lane = (lane + 1) % {lanes}
                i += 1
            whole = i + (run - i) // {lanes} * {lanes}
            add_rows(lanes, 0, kept, i, whole)
            for i in range(whole, run):
                k = lane
                {add_kept}
                lane += 1
            term += run
"""
    + _ADD_UP
)

_TILED: Final = (
    """
    grads, datas = buffers + {tiles_at}, buffers + {tiles_at} + {tile}
    results = buffers + {tiles_at} + 2 * {tile}
    channels, terms, strip, segment = plan[0], plan[1], plan[2], plan[3]
    columns, axes = plan[5] == 1, plan[6]
    inner = plan[6 + axes] if axes else 1
    strips = (channels + strip - 1) // strip
    # a tile has terms as rows of channels, or channels as rows of terms
    step, pitch = ({size} * strip, strip) if columns else ({size}, segment)
    pitch *= {size}
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
"""
    + _BEGIN
    + _STRIPS
    + """
        for c in range(height):
            rest = channel + c
            offset = 0
            for axis in range(weight_rank - 1, -1, -1):
                size = plan[weight_axes + 1 + axis]
                after = rest // size
                offset += (rest - after * size) * plan[weight_axes + 1 + weight_rank + axis]
                rest = after
            weights[c] = decode(read(weight, offset))
"""
    + _TERMS
    + """
        for first in range(term, end, segment):
            width = min(segment, end - first)
            done = 0
            while done < width:
                term = first + done
                run = min(width - done, inner - term % inner)
                grad_at = grad + place(plan, 0, channel, term)
                data_at = data + place(plan, 1, channel, term)
                m0, m1 = (height, run) if columns else (run, height)
                gather(grads + done * step, pitch, grad_at, grad_0, grad_1, m0, m1)
                gather(datas + done * step, pitch, data_at, data_0, data_1, m0, m1)
                done += run
            if columns:
                for row in range(width):
                    lane = row % {lanes} * strip
                    for c in range(height):
                        at = (row * strip + c) * {size}
                        g, x = decode(read(grads, at)), decode(read(datas, at))
                        write(results, at, encode(element(g, x, weights[c])))
                        k = lane + c
                        {add}
            else:
                whole = width // {lanes} * {lanes}
                for c in range(height):
                    row = c * segment
                    factor = weights[c]
                    for i in range(width):
                        at = (row + i) * {size}
                        g, x = decode(read(grads, at)), decode(read(datas, at))
                        write(results, at, encode(element(g, x, factor)))
                        {keep}
                    add_rows(lanes, c * {lanes}, kept, 0, whole)
                    for i in range(whole, width):
                        k = c * {lanes} + i - whole
                        {add_kept}
            done = 0
            while done < width:
                term = first + done
                run = min(width - done, inner - term % inner)
                at = result + place(plan, 2, channel, term)
                m0, m1 = (height, run) if columns else (run, height)
                scatter(results + done * step, pitch, at, result_0, result_1, m0, m1)
                done += run
        for c in range(height):
            half = {lanes} // 2
            while half:
                for lane in range(half):
                    i = c * lane_c + lane * lane_k
                    j = i + half * lane_k
                    {merge}
                half //= 2
            i = c * lane_c
            to = channel + c
            at = to * blocks + block
            if partial:
                {put}
            else:
                {deliver}
"""
)

#: loops over tasks, by layout
LOOPS: Final = {"rows": _ROWS, "runs": _RUNS, "tiled": _TILED}

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

#: the task that computes some pieces; no vector crosses a line of the cache in its buffers
TASK: Final = """
def kernel(arguments, start, stop):
    if stop < start:
        return own_address()
    plan = int64_pointer(word(arguments, {plan_at}))
    grad, data = word(arguments, {operands_at}), word(arguments, {operands_at} + 8)
    weight, result = word(arguments, {operands_at} + 16), word(arguments, {operands_at} + 24)
    sums, sums_stride = word(arguments, {operands_at} + 32), word(arguments, {operands_at} + 40)
    partial, blocks = word(arguments, {operands_at} + 48), word(arguments, {operands_at} + 56)
    if not blocks:
        # results of some channels, from the sums of their blocks
        hard, parts, blocks = 0, pointer(partial), word(arguments, {operands_at} + 64)
        apart = plan[0] * blocks
        for to in range(start, stop):
            at = to * blocks
            {finish}
        return hard
    memory = allocate({room} + {line})
    if memory == 0:
        set_word(arguments, {no_room}, 1)
        return 0
    buffers = memory + -memory % {line}
{loop}
    release(memory)
    return hard
"""

_RUN: Final = """
    hard = run(task, arguments, tasks, 0, word(plan, 32), size, cores)
    if partial and hard >= 0:
        set_word(arguments, {operands_at} + 56, 0)
        hard += call_task(task, arguments, 0, word(plan, 0))
    return hard
"""

_OPERANDS: Final = "grad, data, weight, result, sums"

#: kernels, for contiguous operands and for others
DENSE: Final = (
    f"""
def kernel(facts, task, {_OPERANDS}, plan, partial, tasks, blocks, size, cores):
    if dense_size(facts, ({_OPERANDS})) < 0:
        return -1
"""
    + """
    if partial:
        partial = word(partial, {data})
    arguments = in_memory((
        0, 0, 0, 0, 0, plan, 0, 0, 0, word(grad, {data}), word(data, {data}), word(weight, {data}),
        word(result, {data}), word(sums, {data}), word(facts, {width_at}), partial, blocks, blocks,
    ))
"""
    + _RUN
)
TILED: Final = (
    f"""
def kernel(task, {_OPERANDS}, sums_stride, plan, partial, tasks, blocks, size, cores):
    arguments = in_memory((
        0, 0, 0, 0, 0, plan, 0, 0, 0, {_OPERANDS}, sums_stride, partial, blocks, blocks,
    ))
"""
    + _RUN
)
