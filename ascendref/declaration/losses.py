"""What losses and their gradients have in common: the reduction of elementwise values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..kernels.arithmetic.functions import Number, select
from .operator import Mode
from .scalars import ScalarParam

_MODES: Final[tuple[Mode, ...]] = ("none", "mean", "sum")
#: numbers of the reductions in the vendor's API
REDUCTIONS: Final[dict[str, int]] = {mode: number for number, mode in enumerate(_MODES)}
#: the scalar, the first one of every loss
REDUCTION: Final = ScalarParam("reduction", choices=REDUCTIONS, c_type="int64_t")


def mode(scalars: Sequence[float]) -> Mode:
    """Return what a loss does with its terms, from its scalars."""
    return _MODES[int(scalars[0])]


def norm(reduction: Number, size: Number) -> Number:
    """What the gradient of a loss is multiplied by."""
    return 1.0 / count(reduction, size)


def count(reduction: Number, size: Number) -> Number:
    """What it is divided by: for the mean, the number of all results."""
    return select(reduction == 1.0, size, 1.0)
