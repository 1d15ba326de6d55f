"""Where compiled code finds the operands of a reduction, by their plan (``reduction_plan.py``)."""

from typing import Any

from ..compiler.jit import helper, inlined
from ..runtime.memory import beyond, smaller
from .reduction_plan import ACROSS, ALONG, AXES, INNER, LAYOUTS, WEIGHT, WORDS

#: a pointer in compiled code
Pointer = Any


@helper
def layout_of(plan: Pointer, operand: int) -> Pointer:
    """Return the words of an operand."""
    return beyond(plan, LAYOUTS + operand * plan[WORDS])


@helper
def place(layout: Pointer, channel: int, term: int) -> int:
    """Return a term's byte offset from the first element of an operand."""
    offset: int = channel * layout[ACROSS]
    last = 2 * layout[AXES] - 2
    for axis in range(0, last, 2):
        size = layout[INNER + axis]
        after = term // size
        offset += (term - after * size) * layout[ALONG + axis]
        term = after
    offset += term * layout[ALONG + last]
    return offset


@helper
def evenly_spaced(layout: Pointer, term: int, end: int) -> int:
    """Return the number of terms from one on, before ``end``, that are evenly spaced in memory."""
    count: int = smaller(layout[INNER] - term % layout[INNER], end - term)
    return count


@inlined
def weight_place(plan: Pointer, channel: int) -> int:
    """Return the byte offset of a channel's weight."""
    at = plan[WEIGHT]
    rank = plan[at]
    offset = 0
    for axis in range(rank - 1, 0, -1):
        length = plan[at + 1 + axis]
        after = channel // length
        offset += (channel - after * length) * plan[at + 1 + rank + axis]
        channel = after
    if rank:
        offset += channel * plan[at + 1 + rank]
    return offset
