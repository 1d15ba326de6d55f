"""Where compiled code finds the operands of a reduction, by their plan (``reduction_plan.py``)."""

from typing import Any

from ..compiler.jit import helper, inlined
from ..runtime.memory import smaller
from .reduction_plan import AXES, SIZES, WEIGHT

#: a pointer in compiled code
Pointer = Any


@helper
def strides_of(plan: Pointer, operand: int) -> int:
    """Return the position of an operand's strides in the plan."""
    axes: int = plan[AXES]
    return SIZES + axes + operand * (axes + 1)


@helper
def place(plan: Pointer, strides: int, channel: int, term: int) -> int:
    """Return a term's byte offset from the first element of an operand, by its strides."""
    offset: int = channel * plan[strides]
    for axis in range(plan[AXES] - 1, 0, -1):
        size = plan[SIZES + axis]
        after = term // size
        offset += (term - after * size) * plan[strides + 1 + axis]
        term = after
    if plan[AXES]:
        offset += term * plan[strides + 1]
    return offset


@helper
def evenly_spaced(plan: Pointer, term: int, end: int) -> int:
    """Return the number of terms from one on, before ``end``, that are evenly spaced in memory."""
    axes = plan[AXES]
    inner = plan[SIZES + axes - 1] if axes else 1
    count: int = smaller(inner - term % inner, end - term)
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
