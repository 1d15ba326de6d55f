"""Where the time of one small call goes."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..dtypes import ELEMENT_TYPES, promote
from ..functional import kernel_for
from ..spec import check_scalar
from .timing import take_turns
from .work import Arrays, Call, Case, defaults, ours, tensors

#: the objects whose addresses a call has
_KEPT: Final[WeakKeyDictionary[Call, Arrays]] = WeakKeyDictionary()


class Split(NamedTuple):
    """The seconds of a call on 16 elements with ``out=``, and of its parts."""

    operator: str
    kind: str
    #: all of it
    call: float
    #: the compiled function on 16 elements
    kernel: float
    #: the compiled function on none: its arguments and its own checks of the arrays
    dispatch: float

    @property
    def arguments(self) -> float:
        """What the array function does before and after."""
        return self.call - self.kernel

    @property
    def loop(self) -> float:
        """What 16 elements cost."""
        return self.kernel - self.dispatch


def split(operator: str, kind: str, budget: float) -> Split:
    """Measure one operator and type."""
    case = Case(operator, kind, 16)
    arrays = tensors(case)
    calls = (ours(case, arrays), launch(case, arrays, 16), launch(case, arrays, 0))
    return Split(operator, kind, *[timing.seconds for timing in take_turns(calls, budget)])


def launch(case: Case, arrays: Arrays, size: int) -> Call:
    """Return the call of the compiled function alone; with a result of another size it refuses."""
    declared = case.declared
    types = (ELEMENT_TYPES[case.kind],) * len(arrays)
    values = tuple([check_scalar(*pair) for pair in defaults(case.operator)])
    kernel: Any = kernel_for(declared, types, promote(*types), "float32", values)
    result = np.empty_like(arrays[1])[..., :size]
    if declared.channel_term is not None:
        return partial(kernel.dense, (*arrays, result), np.empty_like(arrays[2]))
    twin = kernel.bind(values).small
    operands = (*arrays, result)
    # addresses are good as long as their objects are
    call = partial(twin, *map(id, operands))
    _KEPT[call] = operands
    return call
