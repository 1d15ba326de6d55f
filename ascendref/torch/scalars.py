"""The scalars of PyTorch's operators, rounded as in PyTorch, and the formula for them.

PyTorch converts λ and ε to the data's type (BF16 for BF16 data), and β and the threshold to F32
(F64 for F64 data). The device takes FLOAT for all of them.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np

from ..core.dtypes import FLOAT32, FLOAT64, ROUNDED_ONCE, ElementType, float_format
from ..kernels.arithmetic.formula import Formula
from ..operators.prelu_backward import OPERATOR as PRELU
from ..operators.smooth_l1_loss_backward import OPERATOR as SMOOTH_L1
from .formulas import HARDSHRINK, LOGIT, SIGN, SLOPE_FLOAT64, SOFTPLUS, SOFTPLUS_FLOAT64

#: arithmetic type -> where its exponential becomes infinite, and where it becomes 0
_EXP_RANGE: Final = {
    FLOAT32: (88.72283172607422, -103.97208404541016),
    FLOAT64: (709.782712893384, -745.1332191019411),
}


class Refused(Exception):
    """A call that is left to PyTorch; the message says why."""


class Chosen(NamedTuple):
    """The formula for a call, with its scalars."""

    formula: Formula
    #: the formula's scalars
    values: tuple[float, ...]


def rounded(value: Any, kind: ElementType) -> float:
    """Round a scalar to an element type as PyTorch does, through F32."""
    if isinstance(value, complex):
        raise Refused("a scalar is complex")
    number = float(value)
    if kind is FLOAT64:
        return number
    with np.errstate(over="ignore"):
        result = float(np.float32(number).astype(kind.numpy))
    if math.isinf(result) and not math.isinf(number):
        raise Refused("a scalar is beyond its type")  # PyTorch raises
    return result


def hardshrink(kind: ElementType, compute: str, lambd: Any) -> Chosen:
    """Return the formula for the gradient of hardshrink."""
    return Chosen(HARDSHRINK, (rounded(lambd, kind),))


def softplus(kind: ElementType, compute: str, beta: Any, threshold: Any) -> Chosen:
    """Return the formula for the gradient of softplus."""
    width = FLOAT64 if kind is FLOAT64 else FLOAT32
    limits = _EXP_RANGE[FLOAT64 if compute in ROUNDED_ONCE else FLOAT32]
    formula = SOFTPLUS_FLOAT64 if kind is FLOAT64 else SOFTPLUS
    return Chosen(formula, (rounded(beta, width), rounded(threshold, width), *limits))


def smooth_l1_loss(kind: ElementType, compute: str, reduction: int, beta: float) -> Chosen:
    """Return the formula for the gradient of the smooth L1 loss."""
    if reduction not in (0, 1, 2) or not beta >= 0:
        raise Refused("the operator does not take such a scalar")
    size = beta if kind is FLOAT64 else rounded(beta, FLOAT32)
    limits = float_format(FLOAT32)
    if size and not limits.normal <= size <= limits.largest and not math.isinf(size):
        raise Refused("beta is not in the range of normal FLOAT numbers")
    values = float(reduction), size
    if size == 0.0:
        return Chosen(SIGN, values)
    if kind is FLOAT64 and compute in ROUNDED_ONCE:
        return Chosen(SLOPE_FLOAT64, values)
    return Chosen(SMOOTH_L1.formula.suited(compute, kind.name, values), values)


def logit(kind: ElementType, compute: str, eps: Any = None) -> Chosen:
    """Return the formula for the gradient of logit."""
    formula = LOGIT.suited(compute, kind.name, ())
    low = rounded(-1.0 if eps is None else eps, kind)
    if math.isnan(low):
        raise Refused("eps is NaN")
    if low < 0.0:
        return Chosen(formula, (0.0, 1.0, math.nan))
    high = rounded(1.0 - low if kind is FLOAT64 else float(np.float32(1) - np.float32(low)), kind)
    return Chosen(formula, (low, high, 0.0))


def prelu_input(kind: ElementType, compute: str) -> Chosen:
    """Return the formula for PReLU's gradient with respect to its input."""
    return Chosen(PRELU.formula, ())


def prelu_weight(kind: ElementType, compute: str) -> Chosen:
    """Return the formula for the terms of PReLU's gradient with respect to its weight."""
    assert PRELU.channel_term is not None
    return Chosen(PRELU.channel_term, ())
