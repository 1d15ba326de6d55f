"""Kernels with results that are rounded once, in stages.

Most roundings are decided by what every element is computed with. The code that decides the others
takes longer to compile than all the rest. It is a separate task, loaded at the first such element;
the call then starts again, which is possible unless it has overwritten its input. Kernels return
the number of elements that needed it, which is counted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from numpy.typing import NDArray

from ..compiler.jit import merged
from ..runtime.array_header import EXACT_TASK
from ..runtime.kernel import Kernel, Piece
from ..runtime.launch import FAILURE, NO_EXACT_TASK, TABLE, address, call_task, set_word
from ..runtime.memory import word


class HardCases(threading.local):
    """The number of elements that needed an exact decision, over all calls of a thread.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> from ascendref.kernels.loops.exact_kernel import hard_cases
    >>> x = np.float32(0.25)
    >>> before = hard_cases.count
    >>> ar.logit_grad(x, x, compute_dtype="float64") is not None, hard_cases.count - before
    (True, 0)
    """

    def __init__(self) -> None:
        self.count = 0


hard_cases: Final = HardCases()


def counted(kernel: Callable[..., int], *operands: int) -> int:
    """Call a kernel and count the exact decisions that it returns."""
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
    """Base of the kernels whose results are rounded once."""

    _table: NDArray[Any]

    @Piece
    def exact_task(self) -> Any:
        """The task that decides the roundings that were left open."""
        return self._exact_task()

    def _exact_task(self) -> Any:
        """Compile, or load, the exact task."""
        raise NotImplementedError

    def load_exact_task(self) -> None:
        self._table[EXACT_TASK // 8] = address(self.exact_task)

    def _call(self, layout: str, *arguments: Any) -> int:
        return counted(partial(super()._call, layout), *arguments)
