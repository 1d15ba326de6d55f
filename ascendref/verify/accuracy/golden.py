"""The golden values of a block: what results must be.

The formula's value is computed with pairs of doubles, within an ulp of float64, by an engine that
correctly rounded results do not use. Rounding it to their type is undecided for a few *hard cases*
next to the middle between two numbers. Exact sums and products tell ties from their neighbours
(`ties.py`), and Python's fractions decide the rest. They also decide where the two engines differ.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import FLOAT64, ElementType, float_format
from ..judge import Doubles, round_values
from ..setting import Setting
from ..ties import round_next_to_middle

#: differences of a block that are decided together; more of them only if most results are right:
#: otherwise they are a defect, not a rarity
_TOGETHER: Final = 1000


class Golden(NamedTuple):
    """The golden values of a block."""

    values: Doubles
    #: the exact values, rounded once
    rounded: NDArray[np.float32]
    #: how many of them were hard cases
    hard: int


def golden_values(setting: Setting, tensors: Sequence[Doubles], kind: ElementType) -> Golden:
    """Return the golden values of a call on tensors of a type and one shape, given as float64."""
    values = setting.value(tensors)
    flat = [array.reshape(-1) for array in (*tensors, values)]
    rounded, hard = _rounded(setting, flat[:-1], flat[-1], kind, values.size)
    return Golden(values, rounded.reshape(values.shape), hard)


def settle(
    setting: Setting,
    tensors: Sequence[Doubles],
    kind: ElementType,
    golden: Golden,
    results: NDArray[np.float32],
) -> None:
    """Decide golden values exactly where correctly rounded results differ from them.

    Next to a zero of a formula large terms cancel, and its value has too few bits, even for the
    sign of a result that underflows.
    """
    places = np.argwhere(_differ(results, golden.rounded))
    for start in range(0, len(places), _TOGETHER):
        index = tuple(places[start : start + _TOGETHER].T)
        elements = [array[index] for array in tensors]
        given = np.column_stack(elements).tolist()
        values = np.array([setting.exact(each, results.size, FLOAT64.name) for each in given])
        golden.values[index] = values
        golden.rounded[index], _ = _rounded(setting, elements, values, kind, results.size)
        if np.count_nonzero(_differ(results[index], golden.rounded[index])) > _TOGETHER / 2:
            break


def _differ(results: NDArray[np.float32], golden: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Tell where results differ, in the sign of zeros too; NaN equals NaN."""
    differ: NDArray[np.bool_] = (results != golden) | (np.signbit(results) != np.signbit(golden))
    return differ & ~(np.isnan(results) & np.isnan(golden))


def _rounded(
    setting: Setting, tensors: Sequence[Doubles], values: Doubles, kind: ElementType, size: int
) -> tuple[NDArray[np.float32], int]:
    """Return exact values that are known as float64, rounded once, and how many are hard cases.

    They and the tensors have rank 1; ``size`` is the number of the call's results.
    """
    rounded, hard = np.empty(values.shape, np.float32), np.empty(values.shape, np.bool_)
    round_values(values, float_format(kind), rounded, hard)
    count = int(np.count_nonzero(hard))
    if count:  # most blocks have none
        elements = [array[hard] for array in tensors]
        function, scalars = setting.operator.formula.function, setting.formula_scalars(size)
        found = round_next_to_middle(function, elements, scalars, values[hard], kind.name)
        for i in np.flatnonzero(np.isnan(found)).tolist():
            found[i] = setting.exact([x[i].item() for x in elements], size, kind.name)
        rounded[hard] = found
    return rounded, count
