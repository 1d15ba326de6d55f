"""The calls that are timed: every operator on arrays of some type, size and layout."""

from collections.abc import Callable
from functools import cache, partial
from math import gcd, prod
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from .. import operators
from ..core.dtypes import BFLOAT16, ELEMENT_TYPES, FLOAT16, FLOAT32, promote
from ..declaration.operator import OPERATORS, Operator
from ..declaration.views import PER_CHANNEL, View
from ..differentiable import needed_scalars
from ..functional.kernels import compute_type, kernels_for
from ..verify.scalars import scalar_values
from ..verify.setting import data_name

Call = Callable[[], object]
Arrays = tuple[NDArray[Any], ...]

#: element types that are timed
KINDS: Final = (FLOAT32.name, FLOAT16.name, BFLOAT16.name)
#: numbers of elements that are timed, by name
SIZES: Final = {"16": 16, "4 Ki": 1 << 12, "64 Ki": 1 << 16, "1 Mi": 1 << 20, "16 Mi": 1 << 24}
#: memory layouts: contiguous; all tensors but the first of several transposed; every second element
#: of a row; the first tensor one row for all rows
LAYOUTS: Final = ("dense", "transposed", "sliced", "broadcast")
#: contiguous layouts of an operator with sums per channel: images of rank 4, and one weight for all
#: channels
CHANNEL_LAYOUTS: Final = ("images", "one weight")

#: most channels of an array of rank 2, a power of two
_CHANNELS: Final = 64
#: the interval of numbers that tensors hold, apart from the data
_INTERVAL: Final = (-3.0, 3.0)


class Case(NamedTuple):
    """One call with the default scalars."""

    operator: str
    #: element type
    kind: str
    #: number of elements, or nearly
    size: int
    layout: str = "dense"
    #: whether it writes to given arrays
    out: bool = True

    @property
    def declared(self) -> Operator:
        return OPERATORS[self.operator]

    def shape(self) -> tuple[int, ...]:
        """Return the shape of the data, or of the arrays that they consist of."""
        if self.layout == "images":
            side = 56 if self.size >= 1 << 20 else 32
            return max(1, self.size // (_CHANNELS * side * side)), _CHANNELS, side, side
        channels = gcd(_CHANNELS, self.size)
        return self.size // channels, channels

    def whole(self, view: View | None) -> tuple[int, ...]:
        """Return the shape of a tensor, or of the result, with a view."""
        if view is None:
            return self.shape()
        return view.whole(self.shape(), self.declared.axis(scalar_values(self.operator)))


def kinds_of(operator: str, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return the element types, of some, that an operator takes."""
    tensors = OPERATORS[operator].tensors
    return tuple(k for k in kinds if all(ELEMENT_TYPES[k] in t.types for t in tensors))


def tensors(case: Case) -> Arrays:
    """Return the tensors of a call, filled with the same numbers every time."""
    rng = np.random.default_rng(7)
    declared = case.declared
    single = len([param for param in declared.tensors if param.view is not PER_CHANNEL]) == 1
    made = []
    for position, param in enumerate(declared.tensors):
        shape = case.whole(param.view)
        is_data = param.name == data_name(declared) or declared.forward is None
        low, high = declared.interval if is_data else _INTERVAL
        if param.view is PER_CHANNEL:
            count = 1 if case.layout == "one weight" else shape[0]
            made.append(_fill(rng, (count,), case.kind, low, high))
        elif case.layout == "transposed" and (position or single):
            made.append(_fill(rng, shape[::-1], case.kind, low, high).T)
        elif case.layout == "sliced":
            wide = (*shape[:-1], 2 * shape[-1])
            made.append(_fill(rng, wide, case.kind, low, high)[..., ::2])
        elif case.layout == "broadcast" and not position:
            row = _fill(rng, shape[-1:], case.kind, low, high)
            made.append(as_strided(row, shape, (0, row.itemsize)))
        else:
            made.append(_fill(rng, shape, case.kind, low, high))
    return tuple(made)


def _fill(
    rng: np.random.Generator, shape: tuple[int, ...], kind: str, low: float, high: float
) -> NDArray[Any]:
    numbers = rng.random(shape, np.float32)
    numbers *= np.float32(high - low)
    numbers += np.float32(low)
    return numbers.astype(ELEMENT_TYPES[kind].numpy)


def results(case: Case, arrays: Arrays, **options: Any) -> Any:
    """Return the results of ascendref's function, where later calls may write."""
    return _function(case.operator)(*arrays, **options)


@cache
def _function(operator: str) -> Callable[..., Any]:
    """Return an array function, with values for scalars that have no defaults."""
    function: Callable[..., Any] = getattr(operators, operator)
    needed = needed_scalars(OPERATORS[operator])
    return partial(function, **needed) if needed else function


def kernels_of(case: Case, compute_dtype: str | None = None) -> tuple[Any, ...]:
    """Return the kernels of a call."""
    types = (ELEMENT_TYPES[case.kind],) * len(case.declared.tensors)
    compute = compute_type(case.declared, compute_dtype, types)
    values = scalar_values(case.operator)
    return kernels_for(case.declared, types, promote(*types), compute, values)


def own_call(case: Case, arrays: Arrays, **options: Any) -> Call:
    """Return the call of ascendref's function; it has run, so that all is compiled."""
    made = results(case, arrays, **options)
    operands = (*arrays, *made) if isinstance(made, tuple) else (*arrays, made)
    viewed = case.declared.is_viewed and not case.declared.per_channel
    for kernel in kernels_of(case, options.get("compute_dtype")):
        kernel.make_ready("tiled" if viewed else kernel.layout(operands, False), case.size)
    results(case, arrays, **options)  # its layout comes for the second time
    if case.out:
        options |= {"out": made}
    return partial(_function(case.operator), *arrays, **options)


def bytes_moved(case: Case) -> int:
    """Return the minimum number of bytes that a call must read and write."""
    declared = case.declared
    elements = prod(case.whole(declared.result_view))
    for position, param in enumerate(declared.tensors):
        if param.view is not PER_CHANNEL:  # a weight is negligible
            shape = case.whole(param.view)
            elements += shape[-1] if case.layout == "broadcast" and not position else prod(shape)
    return elements * ELEMENT_TYPES[case.kind].numpy.itemsize
