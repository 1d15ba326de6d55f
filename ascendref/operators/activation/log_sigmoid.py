"""aclnnLogSigmoid and aclnnLogSigmoidBackward: the logarithm of the logistic function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.dtypes import FLOAT32_STEPS
from ...declaration.accuracy import relative
from ...declaration.fields import (
    ALL_BUT_200I,
    TRAINING_A2_A3,
    Forward,
    OnDevice,
    TensorParam,
    TorchOperator,
)
from ...declaration.operator import Operator
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, log, one_plus_exp, softplus


def out(self: Number) -> Number:
    """The logarithm without cancellation; it is -0 at inf."""
    return -softplus(-self)


def steps_of_float32(self: Number) -> Number:
    """The documented operations, which give the digits of published results."""
    return log(1.0 / one_plus_exp(-self))


def variant(compute: str, rounded: str) -> Callable[..., Any] | None:
    return steps_of_float32 if compute == FLOAT32_STEPS else None


VALUE = Operator(
    name="log_sigmoid",
    api="aclnnLogSigmoid",
    latex=r"\text{out} = \ln \dfrac{1}{1 + e^{-\text{self}}}",
    formula=Formula.of(out, variant=variant, compute_bound=True),
    device=OnDevice(
        TRAINING_A2_A3, ("LogSigmoid",), types="equal", least_rank=1, header="aclnn_logsigmoid.h"
    ),
    accuracy=relative(1.0),
    interval=(-8.0, 8.0),
).declare()
# PyTorch's operator keeps a number for its gradient, which the device does not need
VALUE.declare(
    api="aclnnLogSigmoidForward",
    device=VALUE.device._replace(products=ALL_BUT_200I),
    order=("self", "out", "buffer"),
    unused=(TensorParam("buffer", default=0.0),),
)


def grad_input(grad_output: Number, self: Number) -> Number:
    """The quotient is right however large the exponential."""
    return grad_output / one_plus_exp(self)


GRADIENT = Operator(
    name="log_sigmoid_backward",
    api="aclnnLogSigmoidBackward",
    latex=r"\text{grad_input} = \dfrac{\text{grad_output}}{1 + e^{\text{self}}}",
    formula=Formula.of(grad_input, compute_bound=True, short=("float16", "bfloat16")),
    device=OnDevice(
        ALL_BUT_200I,
        ("LogSigmoidGrad",),
        types="equal",
        least_rank=1,
        header="aclnn_logsigmoid_backward.h",
    ),
    order=("grad_output", "self", "buffer", "grad_input"),
    unused=(TensorParam("buffer"),),
    # one rounding of the exponential, one of the sum and one of the quotient
    accuracy=relative(1.75),
    forward=Forward("log_sigmoid", out, "``-log(1 + exp(-x))``"),
    # PyTorch's operator takes exp(-abs(self)) as well
    torch=TorchOperator(
        "log_sigmoid_backward", lambda grad_output, self: (grad_output, self, (-abs(self)).exp())
    ),
    interval=(-8.0, 8.0),
).declare()


@documented(VALUE)
def log_sigmoid(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return the logarithm of the logistic function, ``-log(1 + exp(-self))``.

    Notes
    -----
    Formula: aclnnLogSigmoid; aclnnLogSigmoidForward takes a second result, which is ignored and may
    be null. The result is -0 at inf, -inf at -inf and, in F16 and BF16 arithmetic, where the
    exponential overflows. F32: 1 ulp.

    Examples
    --------
    >>> ar.log_sigmoid(np.array([-1, 0, np.inf], np.float32))
    array([-1.3132616, -0.6931472, -0.       ], dtype=float32)
    """
    return array_call(VALUE, (self,), (), out, compute_dtype)


@documented(GRADIENT)
def log_sigmoid_backward(
    grad_output: ArrayT,
    self: ArrayT,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of the logistic function's logarithm, ``grad_output / (1 + exp(self))``.

    Notes
    -----
    Formula: aclnnLogSigmoidBackward, whose third tensor is ignored. At inf the result is 0 times
    the gradient, at -inf the gradient. F32: 1.75 ulp, also where ``exp(self)`` is beyond the range
    of F32.

    Examples
    --------
    >>> ar.log_sigmoid_backward(np.ones(3, np.float32), np.array([-1, 0, 30], np.float32))
    array([7.3105860e-01, 5.0000000e-01, 9.3576236e-14], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (), out, compute_dtype)
