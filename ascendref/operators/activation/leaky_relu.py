"""aclnnLeakyRelu and aclnnLeakyReluBackward: a slope below 0, and the gradient."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...core.dtypes import FLOAT32, ElementType
from ...core.errors import ArgumentValueError
from ...declaration.accuracy import Bound, relative, rounded_once
from ...declaration.fields import ALL_BUT_200I, TRAINING_A2_A3, Forward, OnDevice, TorchOperator
from ...declaration.operator import Operator
from ...declaration.scalars import RealNumber, ScalarParam
from ...declaration.shapes import broadcast_shapes
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, select

SLOPE: Final = ScalarParam("negative_slope")


def out(self: Number, negative_slope: Number) -> Number:
    """Select: the slope may be negative, infinite or above 1."""
    return select(self > 0.0, self, negative_slope * self)


def grad_input(
    grad_output: Number, self: Number, negative_slope: Number, self_is_result: Number
) -> Number:
    """Where the result of the forward operator is positive, its input is, for slopes from 0 on."""
    return select(self > 0.0, grad_output, negative_slope * grad_output)


def check_slope(negative_slope: float, self_is_result: float) -> None:
    """The sign of a result tells that of the input unless the slope is negative."""
    if self_is_result and not negative_slope >= 0:
        raise ArgumentValueError(
            "negative_slope", f"is {negative_slope!r}; it must be at least 0 if self_is_result"
        )


def accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """One rounding in F32; half-precision results of a float32 slope are rounded twice."""
    return (rounded_once if kind is FLOAT32 else relative(0.5))(kind, scalars, size)


VALUE: Final = Operator(
    name="leaky_relu",
    api="aclnnLeakyRelu",
    scalars=(SLOPE,),
    latex=r"""
        \text{out} = \begin{cases}
            \text{self} & \text{if } \text{self} > 0 \\
            \text{negative_slope} \cdot \text{self} & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(out, scalars=1, once=out),
    device=OnDevice(TRAINING_A2_A3, ("LeakyRelu",), float64=("Atlas training",)),
    accuracy=accuracy,
    torch=TorchOperator("leaky_relu", out="out"),
    settings=({}, {"negative_slope": -2.5}),
).declare()
VALUE.declare(
    api="aclnnInplaceLeakyRelu",
    in_place="self",
    device=VALUE.device._replace(float64=TRAINING_A2_A3),
)

GRADIENT: Final = Operator(
    name="leaky_relu_backward",
    api="aclnnLeakyReluBackward",
    scalars=(SLOPE, ScalarParam("self_is_result", c_type="bool")),
    check_scalars=check_slope,
    breaks={"negative_slope": (0.0,)},
    latex=r"""
        \text{grad_input} = \begin{cases}
            \text{grad_output} & \text{if } \text{self} > 0 \\
            \text{negative_slope} \cdot \text{grad_output} & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(grad_input, scalars=2, once=grad_input),
    shapes=broadcast_shapes,
    device=OnDevice(ALL_BUT_200I, ("LeakyReluGrad",), float64=ALL_BUT_200I),
    accuracy=accuracy,
    forward=Forward("leaky_relu", out, "``x`` where it is positive, else ``negative_slope * x``"),
    torch=TorchOperator("leaky_relu_backward"),
    settings=({}, {"negative_slope": -2.5}, {"negative_slope": 0.3, "self_is_result": True}),
).declare()


@documented(VALUE)
def leaky_relu(
    self: ArrayT,
    negative_slope: RealNumber = 0.01,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``self`` where it is positive, else ``negative_slope * self``.

    Parameters
    ----------
    negative_slope : real number, optional
        Factor of negative data.

    Notes
    -----
    Formula: aclnnLeakyRelu, aclnnInplaceLeakyRelu. It selects, so an infinite slope leaves positive
    inputs as they are. The device narrows F64 tensors to F32. F32: correctly rounded.

    Examples
    --------
    >>> ar.leaky_relu(np.array([-2, 0, 2], np.float32), 0.25)
    array([-0.5,  0. ,  2. ], dtype=float32)
    """
    return array_call(VALUE, (self,), (negative_slope,), out, compute_dtype)


@documented(GRADIENT)
def leaky_relu_backward(
    grad_output: ArrayT,
    self: ArrayT,
    negative_slope: RealNumber = 0.01,
    self_is_result: bool = False,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``grad_output`` where ``self`` is positive, else ``negative_slope * grad_output``.

    Parameters
    ----------
    negative_slope : real number, optional
        Factor of negative data.
    self_is_result : bool, optional
        Whether ``self`` is the result of `leaky_relu`, which has the sign of its input if
        ``negative_slope`` is at least 0, as it must be then.

    Notes
    -----
    Formula: aclnnLeakyReluBackward. NaN counts as not positive. The device narrows F64 tensors to
    F32. F32: correctly rounded.

    Examples
    --------
    >>> ar.leaky_relu_backward(np.ones(3, np.float32), np.array([-2, 0, 2], np.float32), 0.25)
    array([0.25, 0.25, 1.  ], dtype=float32)
    """
    scalars = (negative_slope, self_is_result)
    return array_call(GRADIENT, (grad_output, self), scalars, out, compute_dtype)
