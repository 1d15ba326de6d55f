"""The formulas of PyTorch's operators, where they differ from the device's.

They differ in what they select, in NaN and infinities, and in the type of the scalars, which
depends on the data's (``scalars.py``). The arithmetic is that of the operators. Tensors are in
PyTorch's order. Where PyTorch's scalar and vector loops disagree, these follow the scalar loop.
"""

from __future__ import annotations

from typing import Final

from ..kernels.arithmetic.formula import (
    Formula,
    Truth,
    blend,
    inf,
    nan,
    number,
    one,
    select,
    zero,
)
from ..operators.logit_grad import decide as decide_logit
from ..operators.logit_grad import double as double_logit
from ..operators.logit_grad import out as logit_value
from ..operators.logit_grad import steps as steps_of_logit
from ..operators.smooth_l1_loss_backward import OPERATOR as SMOOTH_L1
from ..operators.smooth_l1_loss_backward import STEPS as SMOOTH_L1_STEPS
from ..operators.smooth_l1_loss_backward import decide as decide_slope
from ..operators.smooth_l1_loss_backward import double as double_slope
from ..operators.smooth_l1_loss_backward import grad_input as slope_value
from ..operators.smooth_l1_loss_backward import (
    prepare,
    prepare_counts,
    prepare_steps,
)
from ..operators.smooth_l1_loss_backward import steps as steps_of_slope
from ..operators.smooth_l1_loss_backward import truth as true_slope
from ..operators.softplus_backward import decide as decide_logistic
from ..operators.softplus_backward import double as double_logistic
from ..operators.softplus_backward import grad_input as logistic
from ..operators.softplus_backward import steps as steps_of_logistic
from ..operators.softplus_backward import truth as true_logistic

# --- hardshrink -----------------------------------------------------------------------------------


def prepare_lambd(lambd: float) -> tuple[float]:
    """A negative λ is kept: no number is within its bounds."""
    return (number(lambd),)


def shrunk(grad_output: float, self: float, lambd: float) -> float:
    """The gradient passes where ``self`` is not within the bounds, which includes NaN."""
    return blend((self >= -lambd) & (self <= lambd), zero, grad_output)


HARDSHRINK: Final = Formula(
    "torch_hardshrink_backward", shrunk, prepare_lambd, tensors=2, scalars=1, selects=True
)

# --- softplus -------------------------------------------------------------------------------------
#
# PyTorch computes gradient·e/(e + 1) with e = exp(β·self). This is NaN where e is infinite in the
# arithmetic's type (z above ``highest``), or 0 (z below ``lowest``) with an infinite gradient.


def prepare_minus(
    beta: float, threshold: float, highest: float, lowest: float
) -> tuple[float, float, float, float]:
    """The formula needs only -β."""
    return -number(beta), number(threshold), number(highest), number(lowest)


def prepare_plus(
    beta: float, threshold: float, highest: float, lowest: float
) -> tuple[float, float, float, float]:
    """Double precision needs β."""
    return number(beta), number(threshold), number(highest), number(lowest)


def edges(
    value: float, grad_output: float, z: float, threshold: float, highest: float, lowest: float
) -> float:
    """The result of PyTorch's formula for z = β·self, from a value without a threshold."""
    lost = (z > highest) | ((z < lowest) & (abs(grad_output) == inf))
    return select(z > threshold, grad_output, select(lost, nan, value))


def softplus(
    grad_output: float,
    self: float,
    minus_beta: float,
    threshold: float,
    highest: float,
    lowest: float,
) -> float:
    """z is rounded before the comparison with the threshold."""
    value = logistic(grad_output, self, minus_beta, inf)
    return edges(value, grad_output, -(minus_beta * self), threshold, highest, lowest)


def softplus_steps(
    grad_output: float,
    self: float,
    minus_beta: float,
    threshold: float,
    highest: float,
    lowest: float,
) -> float:
    """The device's steps: e itself leaves the range of F16 before the threshold."""
    value = steps_of_logistic(grad_output, self, minus_beta, inf)
    return edges(value, grad_output, -(minus_beta * self), threshold, highest, lowest)


def softplus_double(
    grad_output: float,
    self: float,
    remainder: float | None,
    beta: float,
    threshold: float,
    highest: float,
    lowest: float,
) -> float:
    """As above, for F64."""
    value = double_logistic(grad_output, self, remainder, beta, inf)
    return edges(value, grad_output, beta * self, threshold, highest, lowest)


def softplus_truth(
    grad_output: float,
    self: float,
    remainder: float | None,
    beta: float,
    threshold: float,
    highest: float,
    lowest: float,
) -> tuple[float, bool]:
    """The product of F32 numbers is exact, and so is the comparison with the threshold."""
    value, exact = true_logistic(grad_output, self, remainder, beta, inf)
    z = beta * self
    return edges(value, grad_output, z, threshold, highest, lowest), exact | (z > threshold)


def softplus_decide(
    middle: float,
    grad_output: float,
    self: float,
    remainder: float | None,
    beta: float,
    threshold: float,
    highest: float,
    lowest: float,
) -> int:
    """The edges are never open."""
    return decide_logistic(middle, grad_output, self, remainder, beta, threshold)


SOFTPLUS: Final = Formula(
    "torch_softplus_backward",
    softplus,
    prepare_minus,
    tensors=2,
    scalars=4,
    steps=softplus_steps,
    double=softplus_double,
    truth=Truth(softplus_truth, prepare_plus, softplus_decide),
    remainder=True,
    long=True,
)

# --- smooth L1 loss -------------------------------------------------------------------------------

#: for F64 data β is not a FLOAT
SLOPE: Final = SMOOTH_L1.formula._replace(
    name="torch_smooth_l1_loss_backward",
    variant=None,
    truth=Truth(true_slope, prepare_counts, decide_slope),
)
#: for results of half precision
SLOPE_STEPS: Final = SMOOTH_L1_STEPS

# With β = 0 PyTorch treats a difference of 0 as negative; these replace it by -1.


def lowered(self: float, target: float) -> float:
    """The replacement for ``self``."""
    return select(self - target == zero, -one, self)


def dropped(self: float, target: float) -> float:
    """The replacement for ``target``."""
    return select(self - target == zero, zero, target)


def signed(
    grad_output: float,
    self: float,
    target: float,
    limit: float,
    lift: float,
    scale: float,
    scale_rest: float,
    inverse: float,
    norm: float,
    added: float,
) -> float:
    """F32 arithmetic."""
    x, y = lowered(self, target), dropped(self, target)
    return slope_value(grad_output, x, y, limit, lift, scale, scale_rest, inverse, norm, added)


def signed_steps(grad_output: float, self: float, target: float, beta: float, norm: float) -> float:
    """Half-precision arithmetic or results."""
    x, y = lowered(self, target), dropped(self, target)
    return steps_of_slope(grad_output, x, y, beta, norm)


def signed_double(
    grad_output: float,
    self: float,
    target: float,
    beta: float,
    count: float,
    large: float,
    small: float,
    inverse_count: float,
    inverse: float,
) -> float:
    """F64 arithmetic."""
    x, y = lowered(self, target), dropped(self, target)
    return double_slope(grad_output, x, y, beta, count, large, small, inverse_count, inverse)


def signed_truth(
    grad_output: float,
    self: float,
    target: float,
    beta: float,
    count: float,
    large: float,
    small: float,
    inverse_count: float,
    inverse: float,
) -> tuple[float, bool]:
    """F64 arithmetic for narrower results."""
    x, y = lowered(self, target), dropped(self, target)
    return true_slope(grad_output, x, y, beta, count, large, small, inverse_count, inverse)


def signed_decide(
    middle: float,
    grad_output: float,
    self: float,
    target: float,
    beta: float,
    count: float,
    large: float,
    small: float,
    inverse_count: float,
    inverse: float,
) -> int:
    """The decision on the same numbers."""
    x, y = lowered(self, target), dropped(self, target)
    return decide_slope(
        middle, grad_output, x, y, beta, count, large, small, inverse_count, inverse
    )


SIGN: Final = Formula(
    "torch_l1_loss_backward",
    signed,
    prepare,
    tensors=3,
    scalars=2,
    double=signed_double,
    truth=Truth(signed_truth, prepare_counts, signed_decide),
)
#: for results of half precision
SIGN_STEPS: Final = Formula(
    "torch_l1_loss_backward_steps", signed_steps, prepare_steps, tensors=3, scalars=2
)

# --- logit ----------------------------------------------------------------------------------------


def prepare_bounds(low: float, high: float, elsewhere: float) -> tuple[float, float, float]:
    """The bounds of ``self`` within which the formula applies, and the result outside of them."""
    return number(low), number(high), number(elsewhere)


def logit(grad_output: float, self: float, low: float, high: float, elsewhere: float) -> float:
    """The operator's formula, which takes the data first."""
    return logit_value(self, grad_output, low, high, elsewhere)


def logit_steps(
    grad_output: float, self: float, low: float, high: float, elsewhere: float
) -> float:
    """Half-precision arithmetic."""
    return steps_of_logit(self, grad_output, low, high, elsewhere)


def logit_double(
    grad_output: float, self: float, low: float, high: float, elsewhere: float
) -> float:
    """F64 arithmetic."""
    return double_logit(self, grad_output, low, high, elsewhere)


def logit_truth(
    grad_output: float, self: float, low: float, high: float, elsewhere: float
) -> tuple[float, bool]:
    """F64 arithmetic for narrower results."""
    return logit_value(self, grad_output, low, high, elsewhere), False


def logit_decide(
    middle: float, grad_output: float, self: float, low: float, high: float, elsewhere: float
) -> int:
    """The operator's decision."""
    return decide_logit(middle, self, grad_output, low, high, elsewhere)


LOGIT: Final = Formula(
    "torch_logit_backward",
    logit,
    prepare_bounds,
    tensors=2,
    scalars=3,
    steps=logit_steps,
    double=logit_double,
    truth=Truth(logit_truth, prepare_bounds, logit_decide),
)
