"""The golden values of a block: what results must be.

The formula's value is computed with pairs of doubles, within an ulp of float64, by an engine that
correctly rounded results do not use. Rounding it to their type is undecided for a few *hard cases*
next to the middle between two numbers. Exact sums and products tell ties from what is next to one
(`ties.py`), and Python's fractions decide the rest. They also decide where the two engines differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import FLOAT64, ElementType, float_format
from ..judge import Doubles, round_values
from ..setting import Setting
from ..ties import round_next_to_middle

#: wrong results of a block after which no more differences are decided: they are no rarity but a
#: defect
_WRONG: Final = 1000


class Golden(NamedTuple):
    """The golden values of a block."""

    #: the formula's values
    values: Doubles
    #: the exact values, rounded once
    rounded: NDArray[np.float32]
    #: how many of them were hard cases
    hard: int


def golden_values(setting: Setting, tensors: Sequence[Doubles], kind: ElementType) -> Golden:
    """Return the golden values of a call on tensors of a type and one shape, given as float64."""
    values = setting.value(tensors)
    rounded, hard = np.empty(values.shape, np.float32), np.empty(values.shape, np.bool_)
    round_values(values.reshape(-1), float_format(kind), rounded.reshape(-1), hard.reshape(-1))
    count = int(np.count_nonzero(hard))
    if count:  # most blocks have none
        places = np.nonzero(hard)
        elements = [array[places] for array in tensors]
        function, scalars = setting.operator.formula.function, setting.formula_scalars(values.size)
        found = round_next_to_middle(function, elements, scalars, values[places], kind.name)
        for i in np.flatnonzero(np.isnan(found)).tolist():
            found[i] = setting.exact([x[i].item() for x in elements], values.size, kind.name)
        rounded[places] = found
    return Golden(values, rounded, count)


def settle(
    setting: Setting,
    tensors: Sequence[Doubles],
    kind: ElementType,
    golden: Golden,
    results: NDArray[np.float32],
) -> None:
    """Decide golden values exactly where correctly rounded results differ from them.

    Next to a zero of a formula large terms cancel, and its value lacks bits.
    """
    differ = results != golden.rounded
    differ &= ~(np.isnan(results) & np.isnan(golden.rounded))
    wrong = 0
    for place in np.argwhere(differ).tolist():
        index = tuple(place)
        elements = [array[index].item() for array in tensors]
        for array, name in ((golden.values, FLOAT64.name), (golden.rounded, kind.name)):
            array[index] = setting.exact(elements, results.size, name)
        wrong += results[index] != golden.rounded[index]
        if wrong == _WRONG:
            break
