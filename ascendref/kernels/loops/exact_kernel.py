"""Kernels with results that are rounded once, in stages.

The float64 ball decides most roundings. The code that decides the others takes longer to compile
than all the rest. It is a separate task, loaded at the first such element; the call then starts
again, which is possible unless it has overwritten its input. Kernels return the number of elements
that needed it, which is counted.
"""

import ctypes
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import ElementType
from ..compiler.jit import merged
from ..runtime.array_header import EXACT_TASK
from ..runtime.kernel import Kernel
from ..runtime.launch import (
    FAILED_IN_PYTHON,
    FAILURE,
    NO_EXACT_TASK,
    TABLE,
    address,
    call_task,
    set_word,
)
from ..runtime.memory import word

_TASK: Final = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 3)


class PythonTask:
    """A Python function for compiled code to call; that gets 0, or ``FAILED_IN_PYTHON``."""

    def __init__(self, function: Callable[[int, int, int], None]) -> None:
        self._function = function
        self._compiled = _TASK(self._call)
        #: what went wrong, to be raised when the kernel has returned
        self.errors: list[BaseException] = []
        #: address of the C function
        self.address = ctypes.cast(self._compiled, ctypes.c_void_p).value

    def _call(self, first: int, second: int, third: int) -> int:
        try:
            self._function(first, second, third)
        except BaseException as error:
            self.errors.append(error)
            return FAILED_IN_PYTHON
        return 0


class HardCases(threading.local):
    """The number of elements that needed an exact decision, over all calls of a thread."""

    count = 0


hard_cases: Final = HardCases()


def _counted(kernel: Callable[..., int], *operands: int) -> int:
    found = kernel(*operands)
    hard_cases.count += max(found, 0)
    return found


@merged
def decide_exactly(arguments: int, start: int, stop: int) -> Any:
    """Leave a range to the exact task; return how many elements it decided.

    If the task is not loaded, the call fails and is repeated with it loaded.
    """
    exact_task = word(word(arguments, TABLE), EXACT_TASK)
    if exact_task == 0:
        set_word(arguments, FAILURE, NO_EXACT_TASK)
        return 0
    return call_task(exact_task, arguments, start, stop)


class ExactKernel(Kernel):
    _table: NDArray[Any]
    #: decides the roundings that were left open, and in Python those that this task leaves open
    exact_task: Any
    _python_task: PythonTask

    def raise_error(self) -> None:
        raise self._python_task.errors.pop()

    def load_exact_task(self) -> None:
        self._table[EXACT_TASK // 8] = address(self.exact_task)

    def _counting(self, function: Any) -> Any:
        return partial(_counted, function)


def element_at(address: int, kind: ElementType) -> NDArray[Any]:
    """Return an element in memory, as an array of rank 0."""
    memory = (ctypes.c_char * kind.storage.itemsize).from_address(address)
    return np.ndarray((), kind.numpy, memoryview(memory))
