"""aclnnSigmoid and aclnnSigmoidBackward: the logistic function, and its gradient by its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import FLOAT32, FLOAT64, ElementType
from ...declaration.accuracy import Bound, relative
from ...declaration.fields import ALL_BUT_200I, Forward, OnDevice, TorchOperator
from ...declaration.operator import Operator
from ...declaration.shapes import broadcast_shapes
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, inf, logistic, select

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain


def out(self: Number) -> Number:
    """The logistic function."""
    return logistic(self)


VALUE = Operator(
    name="sigmoid",
    api="aclnnSigmoid",
    latex=r"\text{out} = \dfrac{1}{1 + e^{-\text{self}}}",
    formula=Formula.of(out, compute_bound=True),
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


def grad_input_by_slope(grad_output: Number, output: Number) -> Number:
    """The same, but no product underflows before the last."""
    return grad_output * (output * (1.0 - output))


def grad_input_float32(grad_output: Plain, output: Plain) -> Plain:
    """The same with one rounding less."""
    return grad_output * select(output < inf, output.fma(-output, output), -output)


def variant(compute: str, rounded: str) -> Callable[..., Any] | None:
    """Half-precision arithmetic rounds the documented products."""
    return {FLOAT32.name: grad_input_float32, FLOAT64.name: grad_input_by_slope}.get(compute)


def accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """One rounding of the slope and one of the product, unless the output's square overflows."""
    limit = 2.0**511 if kind is FLOAT64 else 2.0**63

    def more(output: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where((abs(output) > limit) & (abs(output) < np.inf), np.inf, 0.0)

    ulp = relative(1.75)(kind, scalars, size).ulp
    return Bound(ulp, more=more, words=f"for |output| <= {limit:g}")


GRADIENT = Operator(
    name="sigmoid_backward",
    api="aclnnSigmoidBackward",
    latex=r"\text{grad_input} = \text{grad_output} \cdot \text{output} \cdot (1 - \text{output})",
    formula=Formula.of(grad_input, variant=variant),
    shapes=broadcast_shapes,
    device=OnDevice(ALL_BUT_200I, ("SigmoidGrad",), float64=ALL_BUT_200I, least_rank=1),
    accuracy=accuracy,
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
    Formula: aclnnSigmoidBackward. Complex numbers are refused. F32: 1.75 ulp, unless
    ``abs(output)`` is finite and above 2**63, for F64 results above 2**511.

    Examples
    --------
    >>> y = ar.sigmoid(np.array([-1, 0, np.inf], np.float32))
    >>> ar.sigmoid_backward(np.ones_like(y), y)
    array([0.19661194, 0.25      , 0.        ], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, output), (), out, compute_dtype)
