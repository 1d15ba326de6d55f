"""The half-precision compute types against formulas in which every operation is rounded."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..rounding import rounded, step_by_step
from .rows import StepByStepRow, element_row
from .sweep import Sweep

#: data and gradients of the grid
_SIDE: Final = 320
#: an ulp of F32, in which functions are computed before they are rounded: next to the middle
#: between two numbers, both are allowed
_DOUBTS: Final = (0.0, 2.0**-23, -(2.0**-23))


@np.errstate(all="ignore")
def measure_half_precision(sweep: Sweep, compute: str) -> StepByStepRow:
    """Compare every pair of a grid of data and gradients."""
    setting = sweep.setting
    data, gradients = sweep.grid(_SIDE)
    tensors = setting.tensors(data[:, None], gradients[None])
    actual = setting.call(compute, tensors).astype(np.float64)
    formula, scalars = setting.operator.formula, setting.formula_scalars(actual.size)
    doubles = [array.astype(np.float64) for array in tensors]
    same, golden = np.zeros(actual.shape, np.bool_), []
    for doubt in _DOUBTS:
        value = step_by_step(formula.function, doubles, scalars, compute, doubt)
        golden.append(rounded(value, sweep.kind))
        same |= (actual == golden[-1]) & (np.signbit(actual) == np.signbit(golden[-1]))
        same |= np.isnan(actual) & np.isnan(golden[-1])
        if same.all():
            break
    at = None
    if not same.all():
        i, j = np.unravel_index(int(same.argmin()), same.shape)
        gradient = float(gradients[j]) if sweep.has_gradients else None
        at = element_row(float(data[i]), gradient, actual[i, j].item(), golden[0][i, j].item())
    return {
        "operator": sweep.operator,
        "dtype": sweep.kind,
        "setting": sweep.label,
        "compute_dtype": compute,
        "pairs": same.size,
        "differing": int(np.count_nonzero(~same)),
        "at": at,
    }
