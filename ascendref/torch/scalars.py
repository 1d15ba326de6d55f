"""The scalars of PyTorch's operators, rounded as in PyTorch, and the formula for them.

PyTorch converts λ and ε to the data's type (BF16 for BF16 data), and β and the threshold to F32
(F64 for F64 data). The device takes FLOAT for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple

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
from .formulas import (
    ELU,
    HARDSHRINK,
    HARDSHRINK_VALUE,
    HARDSWISH,
    HARDTANH,
    LOGIT,
    LOGIT_VALUE,
    RELU,
    SIGN,
    SOFTPLUS,
    SOFTPLUS_VALUE,
    SOFTSHRINK,
    THRESHOLD,
    THRESHOLD_BACKWARD,
)
from .tensors import Refused

#: arithmetic type -> where PyTorch's exponential becomes infinite, and where it becomes 0
_EXP_RANGE: Final = {
    FLOAT32: (88.72283172607422, -103.97208404541016),
    FLOAT64: (709.782712893384, -745.1332191019411),
}


#: ``choice(kind, compute, *scalars)`` returns a `Chosen`; the compute type is None if none is given
Choice = Callable[..., "Chosen"]


class Chosen(NamedTuple):
    """The formula for a call, not yet suited to a compute type, with its scalars."""

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
    if float_format(kind).largest < abs(number) < math.inf:
        raise Refused("a scalar is beyond its type")  # PyTorch raises, before it rounds
    return float(np.float32(number).astype(kind.numpy))


def of_type(formula: Formula, kind: ElementType, *scalars: Any) -> Chosen:
    """Return a formula with scalars of the data's type."""
    return Chosen(formula, tuple([rounded(value, kind) for value in scalars]))


def hardshrink_value(kind: ElementType, compute: str | None, lambd: Any) -> Chosen:
    """Return the formula for hardshrink."""
    return of_type(HARDSHRINK_VALUE, kind, lambd)


def hardshrink(kind: ElementType, compute: str | None, lambd: Any) -> Chosen:
    """Return the formula for the gradient of hardshrink, which is that of softshrink."""
    return of_type(HARDSHRINK, kind, lambd)


def softshrink(kind: ElementType, compute: str | None, lambd: Any) -> Chosen:
    """Return the formula for softshrink."""
    value = in_range(lambd, kind)
    if not 0 <= value < math.inf:
        raise Refused("lambd is not in the range of the data's type")
    return Chosen(SOFTSHRINK, (value,))


def hardtanh_value(kind: ElementType, compute: str | None, min_val: Any, max_val: Any) -> Chosen:
    """Return the formula for hardtanh."""
    return of_type(HARDTANH_VALUE.formula, kind, min_val, max_val)


def hardtanh(kind: ElementType, compute: str | None, min_val: Any, max_val: Any) -> Chosen:
    """Return the formula for the gradient of hardtanh."""
    return Chosen(HARDTANH, wide(kind, min_val, max_val))


def softplus_value(kind: ElementType, compute: str | None, beta: Any, threshold: Any) -> Chosen:
    """Return the formula for softplus."""
    return Chosen(SOFTPLUS_VALUE, (*wide(kind, beta, threshold), _exp_range(kind, compute)[0]))


def softplus(kind: ElementType, compute: str | None, beta: Any, threshold: Any) -> Chosen:
    """Return the formula for the gradient of softplus."""
    return Chosen(SOFTPLUS, (*wide(kind, beta, threshold), *_exp_range(kind, compute)))


def wide(kind: ElementType, *scalars: Any) -> tuple[float, ...]:
    """Return scalars rounded to F32, to F64 for F64 data."""
    width = FLOAT64 if kind is FLOAT64 else FLOAT32
    return tuple([rounded(value, width) for value in scalars])


def _exp_range(kind: ElementType, compute: str | None) -> tuple[float, float]:
    """Return the range of the exponential; results that are asked to be exact know no overflow."""
    if compute in ROUNDED_ONCE:
        return math.inf, -math.inf
    return _EXP_RANGE[FLOAT64 if kind is FLOAT64 and compute is None else FLOAT32]


def smooth_l1_loss(kind: ElementType, compute: str | None, reduction: int, beta: float) -> Chosen:
    """Return the formula for the gradient of the smooth L1 loss."""
    if reduction not in (0, 1, 2) or not beta >= 0:
        raise Refused("the operator does not take such a scalar")
    size = beta if kind is FLOAT64 else rounded(beta, FLOAT32)
    limits = float_format(FLOAT32)
    if size and not limits.normal <= size <= limits.largest and not math.isinf(size):
        raise Refused("beta is not in the range of normal FLOAT numbers")
    return Chosen(SMOOTH_L1.formula if size else SIGN, (float(reduction), size))


def logit_value(kind: ElementType, compute: str | None, eps: Any = None) -> Chosen:
    """Return the formula for logit."""
    low = rounded(-1.0 if eps is None else eps, kind)
    return Chosen(LOGIT_VALUE, (low, _upper_bound(kind, low)))


def logit(kind: ElementType, compute: str | None, eps: Any = None) -> Chosen:
    """Return the formula for the gradient of logit."""
    low = rounded(-1.0 if eps is None else eps, kind)
    if math.isnan(low):
        raise Refused("eps is NaN")
    if low < 0.0:
        return Chosen(LOGIT, (0.0, 1.0, math.nan))
    return Chosen(LOGIT, (low, _upper_bound(kind, low), 0.0))


def _upper_bound(kind: ElementType, low: float) -> float:
    """Return 1 - eps in the data's type."""
    return rounded(1.0 - low if kind is FLOAT64 else float(np.float32(1) - np.float32(low)), kind)


def relu(kind: ElementType, compute: str | None) -> Chosen:
    """Return the formula for relu."""
    return Chosen(RELU, ())


def threshold(kind: ElementType, compute: str | None, threshold: Any, value: Any) -> Chosen:
    """Return the formula for threshold."""
    return Chosen(THRESHOLD, (in_range(threshold, kind), in_range(value, kind)))


def threshold_backward(kind: ElementType, compute: str | None, threshold: Any) -> Chosen:
    """Return the formula for the gradient of threshold and of relu."""
    return Chosen(THRESHOLD_BACKWARD, (in_range(threshold, kind),))


def in_range(value: Any, kind: ElementType) -> float:
    """Round a scalar to F32, or F64 for F64 data; raise Refused if it is beyond the data's type."""
    rounded(value, kind)
    return wide(kind, value)[0]


#: operator -> its choice, where PyTorch's formula or scalars are not the device's
_OTHERS: Final[dict[str, Choice]] = {
    "hardshrink": hardshrink_value,
    "hardshrink_backward": hardshrink,
    "hardtanh": hardtanh_value,
    "hardtanh_backward": hardtanh,
    "softplus": softplus_value,
    "softplus_backward": softplus,
    "softshrink": softshrink,
    "softshrink_backward": hardshrink,
    "smooth_l1_loss_backward": smooth_l1_loss,
    "logit": logit_value,
    "logit_grad": logit,
    "relu": relu,
    "threshold": threshold,
    "threshold_backward": threshold_backward,
}
#: operator -> PyTorch's formula, where it takes the same scalars
_FORMULAS: Final = {"elu_backward": ELU, "hardswish": HARDSWISH}


def choice(operator: Operator) -> Choice:
    """Return what chooses the formula for PyTorch's operator."""
    if operator.name in _OTHERS:
        return _OTHERS[operator.name]
    formula = _FORMULAS.get(operator.name) or in_order_of_pytorch(operator)

    def usual(kind: ElementType, compute: str | None, *scalars: Any) -> Chosen:
        width = FLOAT64 if kind is FLOAT64 else FLOAT32
        given = scalar_numbers(operator, scalars)
        pairs = zip(operator.scalars, given, strict=True)
        try:
            values = [check_array_scalar(param, rounded(value, width)) for param, value in pairs]
            if operator.check_scalars is not None:
                operator.check_scalars(*values)
        except ArgumentError as error:
            raise Refused("the operator does not take such a scalar") from error
        return Chosen(formula, tuple(values))

    return usual


def scalars_of_pytorch(
    operator: Operator, scalars: tuple[Any, ...]
) -> tuple[tuple[Any, ...], dict[str, str]]:
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


def call_theirs(
    name: str, operator: Operator, tensors: tuple[Any, ...], scalars: tuple[Any, ...]
) -> Any:
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

    def reordered(formula: Formula) -> Formula:
        def function(*numbers: Any) -> Any:
            tensors = [numbers[order.index(place)] for place in range(len(order))]
            return formula.function(*tensors, *numbers[len(order) :])

        return formula._replace(name=f"torch_{formula.name}", function=function)

    return reordered(operator.formula)
