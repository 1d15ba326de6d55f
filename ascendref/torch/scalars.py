"""The scalars of PyTorch's operators, rounded as in PyTorch, and the formula for them.

PyTorch converts λ and ε to the data's type (BF16 for BF16 data), and β and the threshold to F32
(F64 for F64 data). The device takes FLOAT for all of them.
"""

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import torch

from ..core.dtypes import FLOAT32, FLOAT64, ROUNDED_ONCE, ElementType, float_format
from ..core.errors import ArgumentError
from ..declaration.operator import Operator
from ..declaration.scalars import check_array_scalar
from ..differentiable import default_scalars, scalar_numbers
from ..kernels.arithmetic.formula import Formula
from ..operators.activation.hardtanh import VALUE as HARDTANH_VALUE
from ..operators.loss.smooth_l1 import OPERATOR as SMOOTH_L1
from . import formulas
from .tensors import Args, Refused

#: arithmetic type -> where PyTorch's exponential becomes infinite, and where it becomes 0
_EXP_RANGE: Final = {
    FLOAT32: (88.72283172607422, -103.97208404541016),
    FLOAT64: (709.782712893384, -745.1332191019411),
}


#: a formula, not yet suited to a compute type, and its scalars
Chosen = tuple[Formula, tuple[float, ...]]
#: ``choice(kind, compute, *scalars)``; the compute type is None if none is given
Choice = Callable[..., Chosen]


def rounded(value: Any, kind: ElementType) -> float:
    """Round a scalar to an element type as PyTorch does, through F32."""
    if isinstance(value, complex):
        raise Refused("a scalar is complex")
    number = float(value)
    if kind is FLOAT64:
        return number
    if float_format(kind).largest < abs(number) < math.inf:
        raise Refused("a scalar is beyond its type")  # PyTorch raises, before it rounds
    return float(np.float32(number).astype(kind.numpy))


def wide(value: Any, kind: ElementType) -> float:
    """Round a scalar to F32, to F64 for F64 data."""
    return rounded(value, FLOAT64 if kind is FLOAT64 else FLOAT32)


def in_range(value: Any, kind: ElementType) -> float:
    """Round a scalar to F32, or F64 for F64 data; raise Refused if it is beyond the data's type."""
    rounded(value, kind)
    return wide(value, kind)


def softshrink(kind: ElementType, compute: str | None, lambd: Any) -> Chosen:
    value = in_range(lambd, kind)
    if not 0 <= value < math.inf:
        raise Refused("lambd is not in the range of the data's type")
    return formulas.SOFTSHRINK, (value,)


def softplus_value(kind: ElementType, compute: str | None, beta: Any, threshold: Any) -> Chosen:
    highest, _ = _exp_range(kind, compute)
    return formulas.SOFTPLUS_VALUE, (wide(beta, kind), wide(threshold, kind), highest)


def softplus(kind: ElementType, compute: str | None, beta: Any, threshold: Any) -> Chosen:
    return formulas.SOFTPLUS, (wide(beta, kind), wide(threshold, kind), *_exp_range(kind, compute))


def _exp_range(kind: ElementType, compute: str | None) -> tuple[float, float]:
    """Return the range of the exponential; results that are asked to be exact know no overflow."""
    if compute in ROUNDED_ONCE:
        return math.inf, -math.inf
    return _EXP_RANGE[FLOAT64 if kind is FLOAT64 and compute is None else FLOAT32]


def smooth_l1_loss(kind: ElementType, compute: str | None, reduction: int, beta: float) -> Chosen:
    if reduction not in (0, 1, 2) or not beta >= 0:
        raise Refused("the operator does not take such a scalar")
    size = beta if kind is FLOAT64 else rounded(beta, FLOAT32)
    limits = float_format(FLOAT32)
    if size and not limits.normal <= size <= limits.largest and not math.isinf(size):
        raise Refused("beta is not in the range of normal FLOAT numbers")
    return SMOOTH_L1.formula if size else formulas.SIGN, (float(reduction), size)


def logit_value(kind: ElementType, compute: str | None, eps: Any = None) -> Chosen:
    low = rounded(-1.0 if eps is None else eps, kind)
    return formulas.LOGIT_VALUE, (low, _upper_bound(kind, low))


def logit(kind: ElementType, compute: str | None, eps: Any = None) -> Chosen:
    low = rounded(-1.0 if eps is None else eps, kind)
    if math.isnan(low):
        raise Refused("eps is NaN")
    if low < 0.0:
        return formulas.LOGIT, (0.0, 1.0, math.nan)
    return formulas.LOGIT, (low, _upper_bound(kind, low), 0.0)


def _upper_bound(kind: ElementType, low: float) -> float:
    """Return 1 - eps in the data's type."""
    return rounded(1.0 - low if kind is FLOAT64 else float(np.float32(1) - np.float32(low)), kind)


#: operator -> PyTorch's formula, and how each scalar is rounded
_ROUNDED: Final[dict[str, tuple[Formula, Callable[[Any, ElementType], float]]]] = {
    "hardshrink": (formulas.HARDSHRINK_VALUE, rounded),
    "hardshrink_backward": (formulas.HARDSHRINK, rounded),
    "softshrink_backward": (formulas.HARDSHRINK, rounded),
    "hardtanh": (HARDTANH_VALUE.formula, rounded),
    "hardtanh_backward": (formulas.HARDTANH, wide),
    "relu": (formulas.RELU, rounded),
    "threshold": (formulas.THRESHOLD, in_range),
    "threshold_backward": (formulas.THRESHOLD_BACKWARD, in_range),
}
#: operator -> its choice, where scalars also decide the formula or what else it takes
_OTHERS: Final[dict[str, Choice]] = {
    "softplus": softplus_value,
    "softplus_backward": softplus,
    "softshrink": softshrink,
    "smooth_l1_loss_backward": smooth_l1_loss,
    "logit": logit_value,
    "logit_grad": logit,
}
#: operator -> PyTorch's formula, where it takes the device's scalars
_FORMULAS: Final = {"elu_backward": formulas.ELU, "hardswish": formulas.HARDSWISH}


def choice(operator: Operator) -> Choice:
    """Return what chooses the formula for PyTorch's operator."""
    if operator.name in _OTHERS:
        return _OTHERS[operator.name]
    if operator.name in _ROUNDED:
        theirs, rounding = _ROUNDED[operator.name]
        return lambda kind, compute, *scalars: (
            theirs,
            tuple([rounding(value, kind) for value in scalars]),
        )
    formula = _FORMULAS.get(operator.name) or in_order_of_pytorch(operator)

    def usual(kind: ElementType, compute: str | None, *scalars: Any) -> Chosen:
        pairs = zip(operator.scalars, scalar_numbers(operator, scalars), strict=True)
        try:
            values = [check_array_scalar(param, wide(value, kind)) for param, value in pairs]
            if operator.check_scalars is not None:
                operator.check_scalars(*values)
        except ArgumentError as error:
            raise Refused("the operator does not take such a scalar") from error
        return formula, tuple(values)

    return usual


def scalars_of_pytorch(operator: Operator, scalars: Args) -> tuple[Args, dict[str, str]]:
    """Return those that PyTorch's operator takes by place, and those that it takes as keywords."""
    keywords = operator.torch.keywords if operator.torch else ()
    placed, named = [], {}
    for param, value in zip(operator.scalars, scalars, strict=False):
        if param.name in keywords:
            choices = (param.choices or {}).items()
            named[param.name] = next(name for name, number in choices if number == value)
        else:
            placed.append(value)
    return tuple(placed), named


def call_theirs(name: str, operator: Operator, tensors: Args, scalars: Args) -> Any:
    """Call a function of PyTorch that has the scalars of one of our operators."""
    placed, named = scalars_of_pytorch(operator, scalars)
    return getattr(torch.ops.aten, name)(*tensors, *placed, **named)


def in_order_of_pytorch(operator: Operator) -> Formula:
    """Return an operator's formula with the tensors in the order of PyTorch's operator."""
    if operator.torch is None or operator.unused:
        return operator.formula
    names = [param.name for param in operator.tensors]
    scalars = default_scalars(operator)
    taken, _ = operator.for_torch({**{name: name for name in names}, **scalars})
    order = [names.index(name) for name in taken if name in names]
    if order == sorted(order):
        return operator.formula

    def function(*numbers: Any) -> Any:
        tensors = [numbers[order.index(place)] for place in range(len(order))]
        return operator.formula.function(*tensors, *numbers[len(order) :])

    return operator.formula._replace(name=f"torch_{operator.formula.name}", function=function)
