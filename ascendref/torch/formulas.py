"""The formulas of PyTorch's operators, where they differ from the device's.

They differ in what they select, in NaN and infinities, and in the type of the scalars, which
depends on the data's (``scalars.py``). Tensors are in PyTorch's order. Where PyTorch's scalar and
vector loops disagree, these follow the scalar loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ..core.dtypes import FLOAT32
from ..declaration.losses import norm
from ..kernels.arithmetic.formula import Formula, only_in_float32
from ..kernels.arithmetic.functions import Number, exp, inf, log, nan, one_plus_exp, select
from ..kernels.arithmetic.functions import softplus as log_one_plus_exp
from ..operators.activation.hardshrink import forward as hardshrink_value
from ..operators.activation.logit import (
    between,
    clamped,
    quotient,
    quotient_float32,
    value_variant,
    without_cancellation,
)
from ..operators.activation.softplus import in_float32

if TYPE_CHECKING:  # at run time this would import Numba
    from ..kernels.arithmetic.plain import Plain


def softshrink(self: Number, lambd: Number) -> Number:
    """Between -λ and λ the sign of zero is that of ``self``."""
    inside = select(self < -lambd, self + lambd, self * 0.0)
    return select(self > lambd, self - lambd, inside)


def hardtanh(grad_output: Number, self: Number, min_val: Number, max_val: Number) -> Number:
    """The gradient passes where ``self`` is not beyond a bound, which includes NaN."""
    return select((self <= min_val) | (self >= max_val), 0.0, grad_output)


def softplus_value(self: Number, beta: Number, threshold: Number, highest: Number) -> Number:
    """PyTorch's exponential is infinite where z is above ``highest``."""
    z = beta * self
    value = select(z > highest, inf, log_one_plus_exp(z)) / beta
    return select(z > threshold, self, value)


def hardshrink(grad_output: Number, self: Number, lambd: Number) -> Number:
    """The gradient passes where ``self`` is not within the bounds, which includes NaN.

    A negative λ is kept: no number is within its bounds.
    """
    return select((self >= -lambd) & (self <= lambd), 0.0, grad_output)


def softplus(
    grad_output: Number,
    self: Number,
    beta: Number,
    threshold: Number,
    highest: Number,
    lowest: Number,
) -> Any:
    """PyTorch computes gradient·e/(e + 1) with e = exp(β·self).

    This is NaN where e is infinite in the arithmetic's type (z above ``highest``), or 0 (z below
    ``lowest``) with an infinite gradient.
    """
    z = beta * self
    value = grad_output / one_plus_exp(-z)
    return _as_pytorch(value, grad_output, z, threshold, highest, lowest)


def softplus_float32(
    grad_output: Plain, self: Plain, beta: Plain, threshold: Plain, highest: Plain, lowest: Plain
) -> Any:
    """The same quotient as in the operator."""
    z = beta * self
    value = grad_output.times_logistic(z)
    return _as_pytorch(value, grad_output, z, threshold, highest, lowest)


def _as_pytorch(
    value: Any, grad_output: Any, z: Any, threshold: Any, highest: Any, lowest: Any
) -> Any:
    lost = (z > highest) | ((z < lowest) & (abs(grad_output) == inf))
    return select(z > threshold, grad_output, select(lost, nan, value))


def softplus_variant(compute: str, rounded: str, *scalars: float) -> Callable[..., Any] | None:
    """As in the operator."""
    return softplus_float32 if in_float32(compute, rounded) else None


def sign(
    grad_output: Number, self: Number, target: Number, reduction: Number, beta: Number, size: Number
) -> Number:
    """With β = 0 PyTorch treats a difference of 0 as negative; NaN stays."""
    d = self - target
    slope = select(d > 0.0, 1.0, select(d <= 0.0, -1.0, d))
    return norm(reduction, size) * slope * grad_output


def logit_value(self: Number, eps: Number, high: Number) -> Number:
    """The upper bound is given."""
    z = clamped(self, eps, high)
    return log(z / (1.0 - z))


def logit_value_without_cancellation(self: Number, eps: Number, high: Number) -> Number:
    """The same as in the operator."""
    return without_cancellation(clamped(self, eps, high))


def logit_value_float32(self: Plain, eps: Plain, high: Plain) -> Any:
    """The same as in the operator."""
    return clamped(self, eps, high).logit()  # type: ignore[attr-defined]


def logit_value_variant(
    compute: str, rounded: str, eps: float, high: float
) -> Callable[..., Any] | None:
    """As in the operator."""
    if compute == FLOAT32.name:
        return logit_value_float32
    return value_variant(compute, rounded, eps) and logit_value_without_cancellation


def logit(grad_output: Number, self: Number, low: Number, high: Number, other: Number) -> Number:
    """The bounds of ``self`` are given, and the result outside of them."""
    return between(self, low, high, quotient(self, grad_output), other)


def logit_float32(grad_output: Plain, self: Plain, low: Plain, high: Plain, other: Plain) -> Number:
    """The same with the denominator of the operator in float32."""
    return between(self, low, high, quotient_float32(self, grad_output), other)


def relu(self: Number) -> Number:
    """PyTorch keeps -0."""
    return select(~(self < 0.0), self, 0.0)


def threshold(self: Number, threshold: Number, value: Number) -> Number:
    """Every number is kept if the threshold is NaN."""
    return select(~(self <= threshold), self, value)


def threshold_backward(grad_output: Number, self: Number, threshold: Number) -> Number:
    """The gradient passes where ``self`` or the threshold is NaN."""
    return select(~(self <= threshold), grad_output, 0.0)


def hardswish(self: Number) -> Number:
    """PyTorch multiplies by numbers from 0 to 6: -0 from -3 down, NaN at -inf, inf by overflow."""
    factor = select(self >= 3.0, 6.0, select(self <= -3.0, 0.0, self + 3.0))
    return self * factor / 6.0


def elu_of_data(
    grad_output: Number, self: Number, alpha: Number, scale: Number, input_scale: Number
) -> Number:
    """NaN counts as positive, and an infinite gradient meets an exponential of 0."""
    slope = input_scale * (alpha * scale) * exp(input_scale * self)
    return grad_output * select(self <= 0.0, slope, scale)


def elu_of_result(
    grad_output: Number, self: Number, alpha: Number, scale: Number, input_scale: Number
) -> Number:
    """NaN counts as positive."""
    slope = input_scale * (self + alpha * scale)
    return grad_output * select(self <= 0.0, slope, scale)


HARDSHRINK_VALUE: Final = Formula.of(hardshrink_value, 1, selects=True)
HARDSHRINK: Final = Formula.of(hardshrink, 1, selects=True)
SOFTSHRINK: Final = Formula.of(softshrink, 1)
HARDTANH: Final = Formula.of(hardtanh, 2, selects=True)
SOFTPLUS_VALUE: Final = Formula.of(softplus_value, 3, compute_bound=True)
SOFTPLUS: Final = Formula.of(softplus, 4, variant=softplus_variant, compute_bound=True)
SIGN: Final = Formula.of(sign, 2)
LOGIT_VALUE: Final = Formula.of(logit_value, 2, variant=logit_value_variant, compute_bound=True)
LOGIT: Final = Formula.of(logit, 3, variant=only_in_float32(logit_float32))
HARDSWISH: Final = Formula.of(hardswish)
ELU: Final = Formula.of_forms(elu_of_data, elu_of_result, scalars=3, compute_bound=True)
RELU: Final = Formula.of(relu, selects=True)
THRESHOLD: Final = Formula.of(threshold, 2, selects=True)
THRESHOLD_BACKWARD: Final = Formula.of(threshold_backward, 1, selects=True)
