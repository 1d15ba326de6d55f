"""aclnnHardswish, aclnnHardswishBackwardV2 and aclnnHardswishBackward: swish of straight lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ...core.dtypes import STEPS
from ...declaration.accuracy import relative
from ...declaration.fields import TRAINING_A2_A3, Forward, OnDevice, TensorParam, TorchOperator
from ...declaration.operator import Operator
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, select

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain


def out(self: Number) -> Number:
    """A parabola between two lines; NaN stays."""
    inside = self * (self + 3.0) / 6.0
    return select(self >= 3.0, self, select(self <= -3.0, 0.0, inside))


def out_once(self: Plain) -> Number:
    """The same, rounded once from doubles.

    Half of a tiny number may be a tie, which doubles do not tell from what is next to it.
    """
    tiny = abs(self) < 2.0**-100
    more: Any = select(tiny, self.lift(2.0**-30).copysign(self), self)
    inside = (self.widened() * (more.widened() + 3.0) * (1.0 / 6.0)).narrowed()
    return select(self >= 3.0, self, select(self <= -3.0, 0.0, inside))


def grad_input(grad_output: Number, self: Number) -> Number:
    """The documented slope; NaN is neither inside nor below."""
    return second(grad_output, self, self / 3.0 + 0.5)


def without_cancellation(grad_output: Number, self: Number) -> Number:
    """The same slope, whose sum is exact next to its zero."""
    return second(grad_output, self, (self + 1.5) / 3.0)


def grad_input_v1(grad_output: Number, self: Number) -> Number:
    """The first version, which counts -3 and 3 as inside."""
    return first(grad_output, self, self / 3.0 + 0.5)


def without_cancellation_v1(grad_output: Number, self: Number) -> Number:
    """The same without cancellation."""
    return first(grad_output, self, (self + 1.5) / 3.0)


def second(grad_output: Number, self: Number, slope: Number) -> Number:
    """The gradient times the slope where -3 and 3 are outside."""
    inside = (self > -3.0) & (self < 3.0)
    return select(inside, grad_output * slope, select(self <= -3.0, 0.0, grad_output))


def first(grad_output: Number, self: Number, slope: Number) -> Number:
    """The gradient times the slope where -3 and 3 are inside."""
    inside = (self >= -3.0) & (self <= 3.0)
    return select(inside, grad_output * slope, select(self < -3.0, 0.0, grad_output))


def gradient(documented: Callable[..., Any], other: Callable[..., Any]) -> Formula:
    """Return the formula of a gradient; arithmetic step by step has the documented operations."""

    def variant(compute: str, rounded: str) -> Callable[..., Any] | None:
        return None if compute in STEPS else other

    return Formula.of(documented, variant=variant)


VALUE: Final = Operator(
    name="hardswish",
    api="aclnnHardswish",
    latex=r"""
        \text{out} = \begin{cases}
            \text{self} & \text{if } \text{self} \geq 3 \\
            0 & \text{if } \text{self} \leq -3 \\
            \text{self} \cdot (\text{self} + 3) / 6 & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(out, once=out_once),
    device=OnDevice(TRAINING_A2_A3, ("HardSwish",)),
    # one rounding of the sum, one of the product and one of the quotient
    accuracy=relative(2.0),
    torch=TorchOperator("hardswish", out="out"),
    interval=(-4.0, 4.0),
).declare()
VALUE.declare(
    api="aclnnInplaceHardswish", tensors=(TensorParam("self", vendor="self"),), in_place="self"
)

GRADIENT: Final = Operator(
    name="hardswish_backward",
    api="aclnnHardswishBackwardV2",
    outputs=("out",),
    latex=r"""
        \text{out} = \begin{cases}
            0 & \text{if } \text{self} \leq -3 \\
            \text{grad_output} \cdot (\text{self} / 3 + 1 / 2) & \text{if } -3 < \text{self} < 3 \\
            \text{grad_output} & \text{otherwise}
        \end{cases}
    """,
    formula=gradient(grad_input, without_cancellation),
    device=OnDevice(TRAINING_A2_A3, ("HardSwishGradV2",), types="equal", least_rank=1),
    # one rounding of the sum, one of the quotient and one of the product
    accuracy=relative(2.5),
    forward=Forward(
        "hardswish", out, "``x * (x + 3) / 6`` between -3 and 3, 0 below and ``x`` above"
    ),
    torch=TorchOperator("hardswish_backward", out=None),
    interval=(-4.0, 4.0),
).declare()
GRADIENT.declare(
    api="aclnnHardswishBackward",
    formula=gradient(grad_input_v1, without_cancellation_v1),
    device=OnDevice(TRAINING_A2_A3, ("HardSwishGrad",), types="equal"),
)


@documented(VALUE)
def hardswish(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return ``self * (self + 3) / 6`` between -3 and 3, 0 below and ``self`` above.

    Notes
    -----
    Formula: aclnnHardswish, aclnnInplaceHardswish. From -3 to -inf the result is +0; PyTorch's is
    -0, and NaN at -inf. F32: 2 ulp.

    Examples
    --------
    >>> ar.hardswish(np.array([-4, -1.5, 0, 1.5, 4], np.float32))
    array([ 0.   , -0.375,  0.   ,  1.125,  4.   ], dtype=float32)
    """
    return array_call(VALUE, (self,), (), out, compute_dtype)


@documented(GRADIENT)
def hardswish_backward(
    grad_output: ArrayT,
    self: ArrayT,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of hardswish: ``grad_output * (self / 3 + 1 / 2)`` between -3 and 3.

    Notes
    -----
    Formula: aclnnHardswishBackwardV2: 0 from -3 down, ``grad_output`` from 3 on.
    aclnnHardswishBackward, the first version, counts -3 and 3 as inside: the slopes there are -1/2
    and 3/2. NaN in ``self`` passes the gradient, as in the vendor's kernels. F32 and F64 arithmetic
    evaluate ``(self + 1.5) / 3``, in which nothing cancels. F32: 2.5 ulp.

    Examples
    --------
    >>> ar.hardswish_backward(np.ones(5, np.float32), np.array([-3, -2.25, 0, 1.5, 3], np.float32))
    array([ 0.  , -0.25,  0.5 ,  1.  ,  1.  ], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (), out, compute_dtype)
