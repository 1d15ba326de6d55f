"""Results of the half-precision compute types beside the step-by-step oracle, on a grid."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from .steps import Arithmetic, evaluate, rounded
from .sweep import Place, Plan

#: the half-precision compute types
HALF: Final = ("float16", "bfloat16")
#: data and gradients of the grid
_SIDE: Final = 320


class GridCase(NamedTuple):
    """One operator, type and setting in one half-precision compute type."""

    plan: Plan
    compute: str
    pairs: int
    #: results that have another bit than the oracle's, NaN aside
    differing: int
    #: the first of them
    at: Place | None

    @property
    def holds(self) -> bool:
        """Tell whether all are the same."""
        return not self.differing


@np.errstate(all="ignore")
def measure_grid(plan: Plan, compute: str) -> GridCase:
    """Compare every pair of a grid of data and gradients."""
    data, gradients = plan.grid(_SIDE)
    third = plan.setting.third(data)
    g, x, third = (
        np.ascontiguousarray(array)
        for array in np.broadcast_arrays(gradients, data[:, None], third[:, None])
    )
    result = plan.subject.call(plan.setting, compute, g, x, third).astype(np.float64)
    wanted = evaluate(plan.subject, plan.setting, Arithmetic(compute), (g, x, third))
    wanted = rounded(wanted, plan.kind)
    same = (result == wanted) & (np.signbit(result) == np.signbit(wanted))
    same |= np.isnan(result) & np.isnan(wanted)
    at = None
    if not same.all():
        i, j = np.unravel_index(int(same.argmin()), same.shape)
        at = Place(float(x[i, j]), float(g[i, j]), float(result[i, j]), float(wanted[i, j]))
    return GridCase(plan, compute, same.size, int(np.count_nonzero(~same)), at)
