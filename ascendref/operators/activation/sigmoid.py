"""aclnnSigmoid and aclnnSigmoidBackward: the logistic function, and its gradient by its result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ...core.dtypes import FLOAT32, FLOAT64
from ...declaration.accuracy import relative
from ...declaration.fields import ALL_BUT_200I, Forward, OnDevice, TorchOperator
from ...declaration.operator import Operator
from ...declaration.shapes import broadcast_shapes
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, logistic, select

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain


def out(self: Number) -> Number:
    """The logistic function."""
    return logistic(self)


VALUE = Operator(
    name="sigmoid",
    api="aclnnSigmoid",
    latex=r"\text{out} = \dfrac{1}{1 + e^{-\text{self}}}",
    formula=Formula.of(out, compute_bound=True, short=("float16", "bfloat16")),
    device=OnDevice(ALL_BUT_200I, ("Sigmoid",), types="equal"),
    # one rounding of the exponential, one of the sum and one of the quotient
    accuracy=relative(1.75),
    torch=TorchOperator("sigmoid", out="out"),
    interval=(-8.0, 8.0),
).declare()
VALUE.declare(
    api="aclnnInplaceSigmoid",
    in_place="self",
    device=VALUE.device._replace(float64=ALL_BUT_200I, least_rank=1),
)


def grad_input(grad_output: Number, output: Number) -> Number:
    """The documented products."""
    return grad_output * output * (1.0 - output)


#: the square of a larger number may overflow, and its product with any number does not underflow
FAR: Final = 2.0**63


def grad_input_by_slope(grad_output: Number, output: Number) -> Number:
    """The same, but no product underflows before the last."""
    return grad_output * (output * (1.0 - output))


def grad_input_float64(grad_output: Number, output: Number) -> Number:
    """The same, and none overflows."""
    far = grad_input(grad_output, output)
    return select(abs(output) > FAR, far, grad_input_by_slope(grad_output, output))


def grad_input_float32(grad_output: Plain, output: Plain) -> Number:
    """The same with one rounding less."""
    far = grad_input(grad_output, output)
    return select(abs(output) > FAR, far, grad_output * output.fma(-output, output))


def variant(compute: str, rounded: str) -> Callable[..., Any] | None:
    """Arithmetic step by step rounds the documented products."""
    wide = grad_input_float64 if rounded == FLOAT64.name else grad_input_by_slope
    return {FLOAT32.name: grad_input_float32, FLOAT64.name: wide}.get(compute)


GRADIENT = Operator(
    name="sigmoid_backward",
    api="aclnnSigmoidBackward",
    latex=r"\text{grad_input} = \text{grad_output} \cdot \text{output} \cdot (1 - \text{output})",
    formula=Formula.of(grad_input, variant=variant),
    shapes=broadcast_shapes,
    device=OnDevice(ALL_BUT_200I, ("SigmoidGrad",), float64=ALL_BUT_200I, least_rank=1),
    # one rounding of the slope and one of the product
    accuracy=relative(1.75),
    forward=Forward("sigmoid", out, "``1 / (1 + exp(-x))``", of_result=True),
    torch=TorchOperator("sigmoid_backward"),
    interval=(0.0, 1.0),
).declare()


@documented(VALUE)
def sigmoid(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return the logistic function, ``1 / (1 + exp(-self))``.

    Notes
    -----
    Formula: aclnnSigmoid, aclnnInplaceSigmoid. It is 0 at -inf and 1 at inf. Complex numbers are
    refused. F32: 1.75 ulp.

    Examples
    --------
    >>> ar.sigmoid(np.array([-1, 0, np.inf], np.float32))
    array([0.26894143, 0.5       , 1.        ], dtype=float32)
    """
    return array_call(VALUE, (self,), (), out, compute_dtype)


@documented(GRADIENT)
def sigmoid_backward(
    grad_output: ArrayT,
    output: ArrayT,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of the logistic function, ``grad_output * output * (1 - output)``.

    Parameters
    ----------
    grad_output, output : array, broadcast; ``output`` may be any number
        Gradient of the result, and the result.

    Notes
    -----
    Formula: aclnnSigmoidBackward. Complex numbers are refused. F32: 1.75 ulp.

    Examples
    --------
    >>> y = ar.sigmoid(np.array([-1, 0, np.inf], np.float32))
    >>> ar.sigmoid_backward(np.ones_like(y), y)
    array([0.19661194, 0.25      , 0.        ], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, output), (), out, compute_dtype)
