"""The time of one small call, split into arguments, dispatch and loop."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from .cases import Arrays, Call, Case, kernel_of, own_call, tensors
from .scalars import scalar_values
from .timing import take_turns


class Breakdown(NamedTuple):
    """The seconds of a call on 16 elements with ``out=``, and of its parts."""

    operator: str
    kind: str
    #: the whole call
    call: float
    #: the compiled function on 16 elements
    kernel: float
    #: the compiled function on none: its arguments and its own checks of the arrays
    dispatch: float

    @property
    def arguments(self) -> float:
        """Time of the array function before and after the kernel."""
        return self.call - self.kernel

    @property
    def loop(self) -> float:
        """Time of the loop over 16 elements."""
        return self.kernel - self.dispatch


def measure_breakdown(operator: str, kind: str, budget: float) -> Breakdown:
    """Measure one operator and type."""
    case = Case(operator, kind, 16)
    arrays = tensors(case)
    result = np.empty_like(arrays[1])
    right, wrong = (*arrays, result), (*arrays, result[..., :0])
    calls = (own_call(case, arrays), kernel_call(case, right), kernel_call(case, wrong))
    return Breakdown(operator, kind, *[timing.seconds for timing in take_turns(calls, budget)])


def kernel_call(case: Case, operands: Arrays) -> Call:
    """Return the call of the compiled function alone, which refuses a result of another size.

    The operands must outlive it.
    """
    kernel = kernel_of(case)
    if case.declared.channel_term is not None:
        return partial(kernel.dense, operands, np.empty_like(operands[2]))
    return partial(kernel.bind(scalar_values(case.operator)), *map(id, operands))
