"""Arithmetic step by step against formulas in which every operation is rounded."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...core.dtypes import FLOAT32_STEPS, STEPS
from ..rounding import rounded, step_by_step
from .rows import StepByStepRow, element_row
from .sweep import Sweep

#: data and gradients of the grid
_SIDE: Final = 320
#: compute type -> an ulp of the type in which functions are computed before they are rounded: next
#: to the middle between two numbers, both are allowed
_DOUBTS: Final = {"float16": 2.0**-23, "bfloat16": 2.0**-23, FLOAT32_STEPS: 2.0**-51}


@np.errstate(all="ignore")
def measure_steps(sweep: Sweep, compute: str) -> StepByStepRow:
    """Compare every pair of a grid of data and gradients."""
    setting = sweep.setting
    data, gradients = sweep.grid(_SIDE)
    tensors = setting.tensors(data[:, None], gradients[None])
    actual = setting.call(compute, tensors).astype(np.float64)
    formula, scalars = setting.operator.formula, setting.formula_scalars(actual.size)
    function = formula.suited(compute, sweep.kind, scalars[: formula.scalars]).function
    doubles = [array.astype(np.float64) for array in tensors]
    same, golden = np.zeros(actual.shape, np.bool_), []
    for sign in (0, 1, -1):
        doubt = sign * _DOUBTS[compute]
        value = step_by_step(function, doubles, scalars, STEPS[compute], doubt)
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
