"""How accurate an operator states its results to be."""

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
    #: what is to be added, from float64 arrays of the tensors without the gradient; infinite where
    #: nothing is stated
    more: Callable[..., NDArray[np.float64]] | None = None
    #: the same in words
    words: str = ""

    def __str__(self) -> str:
        if self.rounded:
            return "correctly rounded"
        return f"{self.ulp:.4g} ulp" + (f" {self.words}" if self.words else "")


#: one rounding and nothing else
ROUNDED: Final = Bound(0.5, rounded=True)
#: in half precision; F32 arithmetic is so much finer that little is lost beyond the last rounding
HALF_ULP: Final = 0.5 + 2.0**-8

#: what is stated of results in F32 arithmetic, or of F64 ones in F64 arithmetic, from their type,
#: the scalars by name and their number
Accuracy = Callable[[ElementType, Mapping[str, Any], int], Bound]


def rounded_once(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """State that the formula rounds at its end alone."""
    return ROUNDED
