"""aclnnHardsigmoid and aclnnHardsigmoidBackward: a straight line from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...core.dtypes import STEPS, floats_and
from ...declaration.accuracy import relative, rounded_once
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
from ...kernels.arithmetic import Formula, Number, select

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain

TYPES: Final = floats_and("int32")
#: to multiply with instead of a division: doubles; floats, as a sum of two numbers
SIXTH: Final = 1.0 / 6.0
HIGH_SIXTH: Final = float(np.float32(SIXTH))
LOW_SIXTH: Final = SIXTH - HIGH_SIXTH


def out(self: Number) -> Number:
    """The documented line, clipped; NaN stays."""
    line = self / 6.0 + 0.5
    return select(line < 0.0, 0.0, select(line > 1.0, 1.0, line))


def out_without_cancellation(self: Number) -> Number:
    """The same line, whose sum is exact next to -3."""
    return clipped(self, (self + 3.0) / 6.0)


def out_float32(self: Plain) -> Number:
    """The same bits: the sum is no subnormal number, for which the product may be another one."""
    line = self + 3.0
    return clipped(self, line.fma(HIGH_SIXTH, line * LOW_SIXTH))


def out_once(self: Plain) -> Number:
    """The same line, rounded once from doubles."""
    return clipped(self, ((self.widened() + 3.0) * SIXTH).narrowed())


def clipped(self: Number, line: Number) -> Number:
    """The line between 0 and 1, by its input; NaN stays."""
    return select(self < -3.0, 0.0, select(self > 3.0, 1.0, line))


def grad_input(grad_output: Number, self: Number) -> Number:
    """The bounds are those of the input, which is not rounded."""
    return inside(self, grad_output / 6.0)


def grad_input_float32(grad_output: Plain, self: Number) -> Number:
    """The same bits with a product, which rounds the quotient of a float correctly as a double."""
    return inside(self, (grad_output.widened() * SIXTH).narrowed())


def grad_input_half(grad_output: Number, self: Number) -> Number:
    """The same with a product, which floats round to the nearest number of 16 bits."""
    return inside(self, grad_output * SIXTH)


def inside(self: Number, gradient: Number) -> Number:
    """The gradient on the line, 0 beside it and for NaN."""
    return select((self > -3.0) & (self < 3.0), gradient, 0.0)


def variant(compute: str, rounded: str) -> Callable[..., Any] | None:
    """Arithmetic step by step rounds the documented operations."""
    if compute in STEPS:
        return None
    return out_float32 if compute == "float32" else out_without_cancellation


def gradient_variant(compute: str, rounded: str) -> Callable[..., Any] | None:
    """Products take less time than quotients."""
    if compute != "float32":
        return None
    return grad_input_half if rounded in ("float16", "bfloat16") else grad_input_float32


VALUE: Final = Operator(
    name="hardsigmoid",
    api="aclnnHardsigmoid",
    tensors=(TensorParam("self", TYPES),),
    latex=r"\text{out} = \min(\max(\text{self} / 6 + 1 / 2, \, 0), \, 1)",
    formula=Formula.of(out, variant=variant, once=out_once),
    device=OnDevice(TRAINING_A2_A3, ("HardSigmoid",), types="equal"),
    integers="truncated",
    # one rounding of the sum and one of the quotient
    accuracy=relative(1.0),
    torch=TorchOperator("hardsigmoid", out="out"),
).declare()
VALUE.declare(
    api="aclnnInplaceHardsigmoid",
    tensors=(TensorParam("self", TYPES, vendor="self"),),
    in_place="self",
)

GRADIENT: Final = Operator(
    name="hardsigmoid_backward",
    api="aclnnHardsigmoidBackward",
    outputs=("out",),
    latex=r"""
        \text{out} = \begin{cases}
            \text{grad_output} / 6 & \text{if } 0 < \text{self} / 6 + 1 / 2 < 1 \\
            0 & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(grad_input, variant=gradient_variant, once=grad_input),
    device=OnDevice(ALL_BUT_200I, ("HardSigmoidGrad",)),
    accuracy=rounded_once,
    forward=Forward("hardsigmoid", out, "``x / 6 + 1 / 2``, clipped to 0 and 1"),
    torch=TorchOperator("hardsigmoid_backward"),
).declare()


@documented(VALUE)
def hardsigmoid(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return ``self / 6 + 1 / 2``, clipped to 0 and 1.

    Notes
    -----
    Formula: aclnnHardsigmoid, aclnnInplaceHardsigmoid. NaN stays. F32 and F64 arithmetic evaluate
    ``(self + 3) / 6``, in which nothing cancels next to -3. F32: 1 ulp.

    Examples
    --------
    >>> ar.hardsigmoid(np.array([-4, -1.5, 0, 3], np.float32))
    array([0.  , 0.25, 0.5 , 1.  ], dtype=float32)
    """
    return array_call(VALUE, (self,), (), out, compute_dtype)


@documented(GRADIENT)
def hardsigmoid_backward(
    grad_output: ArrayT,
    self: ArrayT,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of hardsigmoid: ``grad_output / 6`` between -3 and 3, else 0.

    Notes
    -----
    Formula: the code of aclnnHardsigmoidBackward, whose page has none. At exactly -3 and 3, and for
    NaN in ``self``, the result is 0, whatever the gradient. Correctly rounded.

    Examples
    --------
    >>> x = np.array([-3, 0, 2.5, 3], np.float32)
    >>> ar.hardsigmoid_backward(np.full_like(x, 12), x)
    array([0., 2., 2., 0.], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (), out, compute_dtype)
