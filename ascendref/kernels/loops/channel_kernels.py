"""The kernels that Python calls for loops with one sum per channel."""

from __future__ import annotations

from typing import Any

from ..compiler.jit import helper, integer_kernel, once_each
from ..runtime.array_header import DATA, ITEMSIZE, ROWS, TOTAL_TASK, contiguous_size
from ..runtime.launch import FAILURE, call_task, run
from ..runtime.memory import in_memory, word
from .running_sums import PARTIAL


def _contiguous(
    table: int,
    task: int,
    grad: int,
    data: int,
    weight: int,
    result: int,
    sums: int,
    plan: int,
    partial: int,
    tasks: int,
    blocks: int,
    size: int,
    launcher: int,
) -> Any:
    """Compute with contiguous operands; for others, do nothing and return -1."""
    if contiguous_size(table, (grad, data, weight, result, sums)) < 0:
        return -1
    return run_channels(
        table,
        task,
        (
            word(grad, DATA),
            word(data, DATA),
            word(weight, DATA),
            word(result, DATA),
            word(sums, DATA),
            word(table, ROWS + ITEMSIZE),
            word(partial, DATA) if partial else 0,
            blocks,
            0,
        ),
        plan,
        tasks,
        size,
        launcher,
    )


def _memory(
    table: int,
    task: int,
    grad: int,
    data: int,
    weight: int,
    result: int,
    sums: int,
    plan: int,
    partial: int,
    tasks: int,
    blocks: int,
    size: int,
    launcher: int,
) -> Any:
    """Compute with contiguous operands, given the addresses of their elements."""
    width = word(table, ROWS + ITEMSIZE)
    words = grad, data, weight, result, sums, width, partial, blocks, 0
    return run_channels(table, task, words, plan, tasks, size, launcher)


def _tiled(
    table: int,
    task: int,
    grad: int,
    data: int,
    weight: int,
    result: int,
    sums: int,
    sums_stride: int,
    plan: int,
    partial: int,
    tasks: int,
    blocks: int,
    size: int,
    launcher: int,
) -> Any:
    """Compute with operands of any layout."""
    words = grad, data, weight, result, sums, sums_stride, partial, blocks, 1
    return run_channels(table, task, words, plan, tasks, size, launcher)


@helper
def run_channels(
    table: int,
    task: int,
    words: tuple[int, ...],
    plan: int,
    tasks: int,
    size: int,
    launcher: int,
) -> Any:
    """Run the task for all blocks, then the task that sums several blocks."""
    arguments = in_memory((0, 0, 0, 0, table, plan, 0, 0, 0, *words))
    hard = run(task, arguments, tasks, 0, word(plan, 32), size, launcher)
    if hard >= 0 and word(arguments, PARTIAL):
        hard += call_task(word(table, TOTAL_TASK), arguments, 0, word(plan, 0))
        failure = word(arguments, FAILURE)
        return failure if failure else hard
    return hard


@once_each
def contiguous_kernel() -> Any:
    """Return the kernel for contiguous operands."""
    return integer_kernel(_contiguous, "channels_contiguous")


@once_each
def memory_kernel() -> Any:
    """Return the kernel for contiguous elements in memory."""
    return integer_kernel(_memory, "channels_in_memory")


@once_each
def tiled_kernel() -> Any:
    """Return the kernel for operands of any layout."""
    return integer_kernel(_tiled, "channels_tiled")
