"""The stated accuracy of operators, which `ascendref verify` checks."""

from __future__ import annotations

from ...core.dtypes import ELEMENT_TYPES, FLOAT64
from ...declaration.accuracy import ROUNDED, Bound
from ...declaration.operator import OPERATORS
from ..oracles.reference import Setting


def stated(operator: str, kind: str, compute: str, setting: Setting, size: int) -> Bound | None:
    """Return the stated bound for a result type, a compute type and a number of results.

    None if there is none: half-precision compute types are checked bit for bit instead (see
    `half_precision`), and PyTorch's operators have no stated bound.
    """
    if compute == "float64" and kind != FLOAT64.name:
        return ROUNDED
    if compute not in ("float32", "float64"):
        return None
    accuracy = OPERATORS[operator].accuracy
    return None if accuracy is None else accuracy(ELEMENT_TYPES[kind], setting.scalars, size)


def sum_bound(kind: str, compute: str, terms: int) -> float | None:
    """Return the bound of a channel's sum of products, relative to the sum of their magnitudes.

    None for a sum that is correctly rounded.
    """
    accuracy = OPERATORS["prelu_backward"].sum_accuracy
    if compute == "float64" or accuracy is None:
        return None
    return accuracy(ELEMENT_TYPES[kind], terms)
