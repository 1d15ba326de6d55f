"""The half-precision compute types against formulas in which every operation is rounded."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ..oracles.rounding import Arithmetic, rounded
from .sweep import Sweep
from .sweep_result import Element

#: data and gradients of the grid
_SIDE: Final = 320


class HalfPrecisionResult(NamedTuple):
    """One operator, type and setting in one half-precision compute type."""

    sweep: Sweep
    compute: str
    pairs: int
    #: results whose bits differ from the formula's, except for NaN
    differing: int
    #: the first of them
    at: Element | None

    @property
    def holds(self) -> bool:
        """Tell whether all are the same."""
        return not self.differing


@np.errstate(all="ignore")
def measure_half_precision(sweep: Sweep, compute: str) -> HalfPrecisionResult:
    """Compare every pair of a grid of data and gradients."""
    reference, setting = sweep.reference, sweep.setting
    data, gradients = sweep.grid(_SIDE)
    g, x, others = (
        np.ascontiguousarray(array)
        for array in np.broadcast_arrays(gradients, data[:, None], setting.others(data)[:, None])
    )
    actual = reference.call(setting, compute, g, x, others).astype(np.float64)
    golden = reference.evaluate(setting, Arithmetic(compute), g, x, others)
    golden = rounded(golden, sweep.kind)
    same = (actual == golden) & (np.signbit(actual) == np.signbit(golden))
    same |= np.isnan(actual) & np.isnan(golden)
    at = None
    if not same.all():
        first = np.unravel_index(int(same.argmin()), same.shape)
        at = Element(*(float(array[first]) for array in (x, g, actual, golden)))
    return HalfPrecisionResult(sweep, compute, same.size, int(np.count_nonzero(~same)), at)
