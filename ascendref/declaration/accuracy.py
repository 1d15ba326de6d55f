"""The accuracy that an operator states: error bounds in units in the last place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import ElementType


class Bound(NamedTuple):
    """How far a result may be from the exact value of the formula."""

    #: largest error, in units in the last place of the exact value
    ulp: float
    #: whether every result is the exact value rounded once, to nearest even
    rounded: bool = False
    #: computes, from float64 arrays of the tensors without the gradient, what is added to ``ulp``
    #: for each element; infinity where no bound is stated
    more: Callable[..., NDArray[np.float64]] | None = None
    #: ``more`` in words
    words: str = ""

    def __str__(self) -> str:
        if self.rounded:
            return "correctly rounded"
        return f"{self.ulp:.4g} ulp" + (f" {self.words}" if self.words else "")


#: the exact value rounded once
ROUNDED: Final = Bound(0.5, rounded=True)
#: ulp of half-precision results of F32 arithmetic: the last rounding dominates
HALF_ULP: Final = 0.5 + 2.0**-8

#: ``accuracy(kind, scalars, size)`` returns the error bound of results of a type in F32 arithmetic
#: (F64 arithmetic for F64), given the scalars by name and the number of results
Accuracy = Callable[[ElementType, Mapping[str, Any], int], Bound]


def rounded_once(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """Accuracy of a formula with a single rounding, at its end."""
    return ROUNDED
