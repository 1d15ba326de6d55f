"""Arithmetic step by step against formulas in which every operation is rounded."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import FLOAT32_STEPS, STEPS
from ..rounding import Doubles, rounded, step_by_step
from ..setting import Setting
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
    doubles = [array.astype(np.float64) for array in tensors]
    same, golden = compared(setting, doubles, actual, actual.size, compute, sweep.kind)
    at = None
    if not same.all():
        i, j = np.unravel_index(int(same.argmin()), same.shape)
        gradient = float(gradients[j]) if sweep.has_gradients else None
        at = element_row(float(data[i]), gradient, actual[i, j].item(), golden[i, j].item())
    return {
        "operator": sweep.operator,
        "dtype": sweep.kind,
        "setting": sweep.label,
        "compute_dtype": compute,
        "pairs": same.size,
        "differing": int(np.count_nonzero(~same)),
        "at": at,
    }


@np.errstate(all="ignore")
def compared(
    setting: Setting, tensors: list[Doubles], actual: Doubles, size: int, compute: str, kind: str
) -> tuple[NDArray[np.bool_], Doubles]:
    """Return where results of a type are those of the formula, and what the formula gives.

    Tensors have the shape of the results; ``size`` is the number of a call's results.
    """
    formula, scalars = setting.operator.formula, setting.formula_scalars(size)
    function = formula.suited(compute, kind, scalars[: formula.scalars]).function
    same, golden = np.zeros(actual.shape, np.bool_), []
    for sign in (0, 1, -1):
        doubt = sign * _DOUBTS[compute]
        value = step_by_step(function, tensors, scalars, STEPS[compute], doubt)
        golden.append(rounded(value, kind))
        same |= (actual == golden[-1]) & (np.signbit(actual) == np.signbit(golden[-1]))
        same |= np.isnan(actual) & np.isnan(golden[-1])
        if same.all():
            break
    return same, golden[0]
