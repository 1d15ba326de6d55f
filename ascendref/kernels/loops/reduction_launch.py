"""The kernels that Python calls for reductions."""

from typing import Any

from ..compiler.jit import helper, shared
from ..runtime.array_header import (
    ARRAY_TYPE,
    BYTES,
    COUNT,
    DATA,
    ITEMS,
    contiguous_size,
    replace_by_data,
)
from ..runtime.launch import FAILURE, NO_OPERANDS, call_task, run
from ..runtime.memory import copy, in_memory, word
from .reduction_plan import CHANNELS, GROUP, SHARED, TASKS
from .running_sums import TENSORS


@helper
def run_reduction(fixed: int, plan: int, partial: int, numbers: int, operands: int) -> Any:
    """Run the task for all blocks, then the task that sums several blocks.

    All parameters are addresses: of an array of addresses (operand table, task for blocks, task
    that sums them or 0 to keep them, launcher); of the plan; of memory for the blocks' sums, or 0;
    of the scalars; and of the addresses of tensors, weight, elementwise result, sums.
    """
    table, total, launcher = word(fixed, 0), word(fixed, 16), word(fixed, 24)
    arguments = in_memory((0, 0, 0, numbers, table, plan, 0, 0, 0, partial, *NO_OPERANDS))
    copy(arguments + TENSORS, operands, 8 * word(table, COUNT))
    tasks, group, shared = word(plan, 8 * TASKS), word(plan, 8 * GROUP), word(plan, 8 * SHARED)
    hard = run(word(fixed, 8), arguments, tasks, 0, group, shared, launcher)
    if hard >= 0 and partial and total:
        hard += call_task(total, arguments, 0, word(plan, 8 * CHANNELS))
        failure = word(arguments, FAILURE)
        return failure if failure else hard
    return hard


def _memory(fixed: int, plan: int, partial: int, numbers: int, addresses: int) -> Any:
    return run_reduction(fixed, plan, partial, numbers + BYTES, addresses + BYTES)


def _arrays(fixed: int, plan: int, partial: int, numbers: int, arrays: int) -> Any:
    """Compute with operands, a tuple, that are contiguous or have a layout; for others, return -1.

    Two more addresses follow those of `run_reduction`: of a layout (`layout_table`), or 0, and of
    the function that checks it.
    """
    table, layout, objects = word(fixed, 0), word(fixed, 32), in_memory(NO_OPERANDS)
    if word(table, ARRAY_TYPE) == 0:
        return -1
    copy(objects, arrays + ITEMS, 8 * word(table, COUNT))
    if layout:
        if not call_task(word(fixed, 40), table, layout, objects):
            return -1
    elif contiguous_size(table, objects) < 0:
        return -1
    replace_by_data(objects, table)
    kept = word(partial, DATA) if partial else 0
    return run_reduction(fixed, plan, kept, numbers + BYTES, objects)


#: the kernels for arrays and for elements in memory
arrays_kernel = shared(_arrays, "reduce_arrays")
memory_kernel = shared(_memory, "reduce_in_memory")
