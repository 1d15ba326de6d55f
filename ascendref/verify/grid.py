"""Results of the half-precision compute types beside the step-by-step oracle, on a grid."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from .. import operators
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
    subject, numpy = plan.subject, plan.element.numpy
    data, gradients = plan.grid(_SIDE)
    x, g = (np.ascontiguousarray(a) for a in np.broadcast_arrays(data[:, None], gradients))
    other = plan.setting.other
    if isinstance(other, str):
        column = data if other == "self" else -data
        third = np.ascontiguousarray(np.broadcast_to(column[:, None], x.shape))
    else:
        third = np.full_like(x, 0.0 if other is None else other)
    tensors: dict[str, Any] = {subject.gradient: g, subject.data: x}
    if subject.other is not None:
        tensors[subject.other] = third
    if isinstance(other, str):  # a weight for each channel, which is axis 1
        tensors = {name: array[None] for name, array in tensors.items()}
        tensors[subject.other or ""] = column
    result = getattr(operators, plan.operator)(
        **tensors, **plan.setting.scalars, compute_dtype=compute
    )
    result = (result[0][0] if isinstance(result, tuple) else result).astype(np.float64)
    wanted = evaluate(subject, plan.setting, Arithmetic(compute), (g, x, third))
    wanted = rounded(wanted, plan.kind)
    same = (result == wanted) & (np.signbit(result) == np.signbit(wanted))
    same |= np.isnan(result) & np.isnan(wanted)
    at = None
    if not same.all():
        i, j = np.unravel_index(int(same.argmin()), same.shape)
        at = Place(float(x[i, j]), float(g[i, j]), float(result[i, j]), float(wanted[i, j]))
    assert x.dtype == numpy
    return GridCase(plan, compute, same.size, int(np.count_nonzero(~same)), at)
