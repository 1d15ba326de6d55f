"""aclnnThreshold and aclnnThresholdBackward: numbers above a threshold, and their gradient."""

from __future__ import annotations

from typing import Final

from ...core.dtypes import floats_and
from ...declaration.accuracy import rounded_once
from ...declaration.fields import (
    ALL_BUT_200I,
    TRAINING_A2_A3,
    Forward,
    OnDevice,
    TensorParam,
    TorchOperator,
)
from ...declaration.operator import Operator
from ...declaration.scalars import RealNumber, ScalarParam
from ...declaration.shapes import broadcast_shapes
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, select


def out(self: Number, threshold: Number, value: Number) -> Number:
    """The input where it is above the threshold or NaN."""
    return select((self > threshold) | ~(self == self), self, value)


def grad_input(grad_output: Number, self: Number, threshold: Number) -> Number:
    """Where masked, the result is +0 even for an infinite gradient."""
    return select(self > threshold, grad_output, 0.0)


THRESHOLD: Final = ScalarParam("threshold")
VALUE: Final = Operator(
    name="threshold",
    api="aclnnThreshold",
    tensors=(TensorParam("self", floats_and("int8", "int16", "int32", "int64", "uint8")),),
    scalars=(THRESHOLD, ScalarParam("value")),
    latex=r"""
        \text{out} = \begin{cases}
            \text{self} & \text{if } \text{self} > \text{threshold} \\
            \text{value} & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(out, scalars=2, selects=True),
    device=OnDevice(TRAINING_A2_A3, ("Threshold",)),
    integers="exact",
    accuracy=rounded_once,
    torch=TorchOperator("threshold", out="out"),
    settings=({"threshold": 0.5, "value": 20.0}, {"threshold": -1.0, "value": 0.1}),
).declare()
VALUE.declare(api="aclnnInplaceThreshold", in_place="self")
GRADIENT: Final = Operator(
    name="threshold_backward",
    api="aclnnThresholdBackward",
    tensors=tuple(
        [
            TensorParam(name, floats_and("int8", "int32", "uint8"))
            for name in ("grad_output", "self")
        ]
    ),
    scalars=(THRESHOLD,),
    outputs=("out",),
    latex=r"""
        \text{out} = \begin{cases}
            \text{grad_output} & \text{if } \text{self} > \text{threshold} \\
            0 & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(grad_input, scalars=1, selects=True),
    shapes=broadcast_shapes,
    device=OnDevice(ALL_BUT_200I, ("ThresholdGradV2D",)),
    same_type=True,
    integers="exact",
    accuracy=rounded_once,
    forward=Forward("threshold", out, "``x`` where it is above ``threshold``, else ``value``"),
    torch=TorchOperator("threshold_backward"),
    settings=({"threshold": 0.5}, {"threshold": 0.0}, {"threshold": -1.0}),
).declare()


@documented(VALUE)
def threshold(
    self: ArrayT,
    threshold: RealNumber,
    value: RealNumber,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``self`` where it is above a threshold, else a value.

    Parameters
    ----------
    threshold, value : real number
        Limit, and the replacement of data not above it.

    Notes
    -----
    Formula: aclnnThreshold. NaN in ``self`` stays NaN; a threshold that is NaN replaces all other
    numbers, unlike in PyTorch, which keeps them. Exact: the input or ``value``, which is rounded.

    Examples
    --------
    >>> ar.threshold(np.array([0.25, 0.5, 0.75], np.float32), 0.5, -1)
    array([-1.  , -1.  ,  0.75], dtype=float32)
    >>> ar.threshold(np.array([0, 1, 2], np.uint8), 1.9, 300)
    array([255, 255,   2], dtype=uint8)
    """
    return array_call(VALUE, (self,), (threshold, value), out, compute_dtype)


@documented(GRADIENT)
def threshold_backward(
    grad_output: ArrayT,
    self: ArrayT,
    threshold: RealNumber,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of threshold: ``grad_output`` where ``self`` is above it, else 0.

    Parameters
    ----------
    threshold : real number, 0 for the gradient of `relu`
        Limit above which the gradient passes.

    Notes
    -----
    Formula: aclnnThresholdBackward. NaN in ``self`` gives 0, where PyTorch passes the gradient.
    Exact: the gradient or 0.

    Examples
    --------
    >>> x = np.array([-1, 0, 2], np.int8)
    >>> ar.threshold_backward(np.array([5, 6, 7], np.int8), x, 0)
    array([0, 0, 7], dtype=int8)
    """
    return array_call(GRADIENT, (grad_output, self), (threshold,), out, compute_dtype)
