"""The kernels that Python calls for elementwise loops over contiguous elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..compiler.jit import integer_kernel, merged, once_each
from ..runtime.array_header import DATA, ITEMSIZE, ROW, ROWS, are_apart, contiguous_size
from ..runtime.launch import run
from ..runtime.memory import in_memory, word, word_of_each
from ..runtime.nontemporal import LINE

#: elements that a thread processes at a time
PART: Final = 16 * 1024
#: elements from which stores are aligned to cache lines (measured: not worthwhile below)
_ALIGNED_FROM: Final = 256 * 1024


@merged
def _contiguous(fixed: int, operands: tuple[int, ...]) -> Any:
    """Compute with contiguous operands.

    Parameters
    ----------
    fixed : int
        Address of an array of addresses: operand table (`operand_table`), task, scalars, launcher.
    operands : tuple of int
        Addresses of array objects, which may be contiguous or not.
    """
    size = contiguous_size(word(fixed, 0), operands)
    if size < 0:
        return size
    return _run(fixed, word_of_each(operands, DATA), size)


@merged
def _memory(fixed: int, addresses: tuple[int, ...], size: int) -> Any:
    """Compute with so many elements at these addresses; ``fixed`` as for `_contiguous`."""
    if not are_apart(word(fixed, 0), addresses, size):
        return -1
    return _run(fixed, addresses, size)


@merged
def _run(fixed: int, addresses: tuple[int, ...], size: int) -> Any:
    """Run the task on contiguous elements."""
    table, task, numbers = word(fixed, 0), word(fixed, 8), word(fixed, 16)
    arguments = in_memory((0, 0, size, numbers, table, 0, 0, 1, 0, *addresses))
    # elements before the first that begins a cache line, where stores become faster
    width = word(table, ROWS + ROW * (len(addresses) - 1) + ITEMSIZE)
    lead = -addresses[-1] % LINE // width if size >= _ALIGNED_FROM else 0
    return run(task, arguments, size, lead, PART, size, word(fixed, 24))


def _contiguous_2(fixed: int, a: int, b: int) -> int:
    return _contiguous(fixed, (a, b))  # type: ignore[no-any-return]


def _contiguous_3(fixed: int, a: int, b: int, c: int) -> int:
    return _contiguous(fixed, (a, b, c))  # type: ignore[no-any-return]


def _contiguous_4(fixed: int, a: int, b: int, c: int, d: int) -> int:
    return _contiguous(fixed, (a, b, c, d))  # type: ignore[no-any-return]


def _memory_2(fixed: int, a: int, b: int, size: int) -> int:
    return _memory(fixed, (a, b), size)  # type: ignore[no-any-return]


def _memory_3(fixed: int, a: int, b: int, c: int, size: int) -> int:
    return _memory(fixed, (a, b, c), size)  # type: ignore[no-any-return]


def _memory_4(fixed: int, a: int, b: int, c: int, d: int, size: int) -> int:
    return _memory(fixed, (a, b, c, d), size)  # type: ignore[no-any-return]


#: number of operands -> the function that Python calls; each operand is a parameter, because
#: passing a tuple would take longer than computing a small array
_CONTIGUOUS: Final[dict[int, Callable[..., int]]] = {
    2: _contiguous_2,
    3: _contiguous_3,
    4: _contiguous_4,
}
#: the same for `_memory`
_IN_MEMORY: Final[dict[int, Callable[..., int]]] = {2: _memory_2, 3: _memory_3, 4: _memory_4}


@once_each
def contiguous_kernel(operands: int) -> Any:
    """Return the kernel for so many contiguous operands (`_contiguous`)."""
    return integer_kernel(_CONTIGUOUS[operands], f"contiguous_{operands}_operands")


@once_each
def memory_kernel(operands: int) -> Any:
    """Return the kernel for contiguous elements of so many operands (`_memory`)."""
    return integer_kernel(_IN_MEMORY[operands], f"memory_of_{operands}_operands")
