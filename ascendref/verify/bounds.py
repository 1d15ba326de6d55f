"""The accuracy that is stated for each operator, and that `ascendref verify` measures against."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from .subjects import Setting


class Bound(NamedTuple):
    """What may be wrong with a result."""

    #: largest error in units in the last place
    ulp: float
    #: whether every result is the exact value rounded once, to nearest even
    rounded: bool = False

    def __str__(self) -> str:
        return "correctly rounded" if self.rounded else f"{self.ulp:.4g} ulp"

    def holds(self, wrong: int, mismatches: int, max_ulp: float) -> bool:
        """Tell whether a measurement stays within."""
        return not (wrong if self.rounded else mismatches or max_ulp > self.ulp)


#: one rounding and nothing else
ROUNDED: Final = Bound(0.5, rounded=True)
#: F32 arithmetic is so much finer than the half-precision types that little is lost beyond their
#: own rounding
_HALF: Final = Bound(0.5 + 2.0**-8)


def stated(operator: str, kind: str, compute: str, setting: Setting) -> Bound | None:
    """Return what is stated for a result type and a compute type; None where nothing is."""
    if compute == "float64":
        return ROUNDED
    if compute != "float32":
        return None  # what these types compute is stated bit for bit, see steps
    half = kind != "float32"
    scalars = setting.scalars
    if operator in ("hardshrink_backward", "prelu_backward"):
        return ROUNDED
    if operator == "logit_grad":
        return _HALF if half else Bound(1.5)
    if operator == "softplus_backward":
        if scalars["beta"] != 1:
            return None
        return _HALF if half else Bound(1.75)
    if operator == "smooth_l1_loss_backward":
        if half:
            return _HALF if scalars["beta"] == 1 else None
        return Bound(1.0 if scalars["beta"] == 1 and scalars["reduction"] != "mean" else 2.0)
    return None


def sum_bound(kind: str, compute: str, terms: int) -> float:
    """Return the bound of a channel's sum of products, relative to the sum of their magnitudes.

    One rounding of each product, one at every level of the tree (64 terms of a lane one after the
    other, 4 levels of lanes, the levels above the blocks of 1024), and one to the result's type.
    """
    fraction = {"float16": 10, "bfloat16": 7, "float32": 23}
    levels = 1 + 64 + 4 + math.ceil(math.log2(max(terms / 1024, 1)))
    unit = 2.0 ** -(53 if compute == "float64" else 24)
    return levels * unit + 2.0 ** -(fraction[kind] + 1)
