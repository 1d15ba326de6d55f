"""Other calls that results may be of: with other scalars, or with tensors in other places."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.errors import ArgumentError
from ...declaration.scalars import ScalarParam
from ...differentiable import default_scalars
from .calls import Call
from .judging import Judged, judge_call

#: numbers that are tried for every scalar that takes any, besides those that the operator declares
_USUAL: Final = (1.0, 0.0, 0.5, 2.0, 0.1, 0.01, 10.0, 20.0, 100.0)


def judged(call: Call, label: str, *, is_reference: bool = False) -> Judged:
    """Judge a call, and find others that wrong results would fit, or raise an ArgumentError."""
    verdicts = judge_call(call)
    right = all([verdict.right for verdict in verdicts])
    others = [] if right or is_reference else would_fit(call)
    attrs = call.scalars
    return Judged(label, call.operator.name, attrs, verdicts, others, is_reference, call=call)


def would_fit(call: Call) -> list[str]:
    """Return the changes of a call with which its results would be right, each in words."""
    found = []
    for words, tensors, scalars in _alternatives(call):
        try:
            other = call.with_others(tensors, scalars)
            if not other.has_shapes:
                continue
            verdicts = judge_call(other, steps=False)
        except ArgumentError:  # there is no such call
            continue
        if all([verdict.right for verdict in verdicts]):
            found.append(words)
    return found


#: a change in words, and the tensors and the scalars that are others
Change = tuple[str, Mapping[str, NDArray[Any]], Mapping[str, float | str]]


def _alternatives(call: Call) -> Iterator[Change]:
    """Yield single changes of a call."""
    for param in call.operator.scalars:
        for value in _other_values(call, param):
            text = repr(value) if isinstance(value, str) else f"{value:.9g}"
            if param.is_flag:
                text = str(bool(value))
            yield f"{param.name}={text}", {}, {param.name: value}
    for one, other in combinations(call.tensors, 2):
        swapped = {one: call.tensors[other], other: call.tensors[one]}
        yield f"{one} and {other} swapped", swapped, {}
    for name, array in call.tensors.items():
        if name.startswith("grad") or name == "dy":
            yield f"{name}=1", {name: np.ones_like(array)}, {}


def _other_values(call: Call, param: ScalarParam) -> list[float | str]:
    """Return other values of a scalar, the likeliest first."""
    value = call.scalars[param.name]
    if param.choices is not None:
        found: list[float | str] = [*param.choices]
    elif param.is_flag:
        found = [0.0, 1.0]
    elif param.is_axis:
        rank = max(array.ndim for array in call.tensors.values())
        found = [float(axis) for axis in range(rank) if axis not in (value, float(value) + rank)]
    else:
        with np.errstate(all="ignore"):
            number = np.float32(value)
            # for a neighbour, data that are equal to a boundary are on its other side
            near = [np.nextafter(number, np.float32(x)) for x in (-np.inf, np.inf)]
            computed = [-number, 1 / number, *near]
        declared = [setting.get(param.name) for setting in call.operator.settings]
        declared += [default_scalars(call.operator)[param.name]]
        known = [each for each in declared if each is not None]
        found = [*known, *_USUAL, *[float(x) for x in computed if not np.isnan(x)]]
    return [other for other in dict.fromkeys(found) if other != value]
