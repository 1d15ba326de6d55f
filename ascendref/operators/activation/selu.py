"""aclnnSelu and aclnnSeluBackward: elu with constants that keep mean and variance."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from ...core.dtypes import floats_and
from ...declaration.accuracy import relative
from ...declaration.fields import ALL_BUT_200I, TRAINING_A2_A3, Forward, OnDevice, TensorParam
from ...declaration.operator import Operator
from ...declaration.scalars import single as single_value
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, expm1, only_in_float32, select

SCALE: Final = Fraction("1.05070098735548049342")
#: the limit at -inf, negated: α·scale
LIMIT: Final = Fraction("1.67326324235437728481") * SCALE
TYPES: Final = floats_and("int8", "int32")


def out(self: Number) -> Number:
    """Linear above 0, exponential below."""
    return select(self > 0.0, SCALE * self, LIMIT * expm1(self))


def grad_input(grad_output: Number, result: Number) -> Number:
    """The gradient from the result of the forward operator."""
    return grad_output * select(result > 0.0, SCALE, result + LIMIT)


def grad_input_float32(grad_output: Number, result: Number) -> Number:
    """The same with a limit of two numbers: results next to it leave the second one."""
    high = single_value(float(LIMIT))
    return grad_output * select(result > 0.0, SCALE, (result + high) + (LIMIT - Fraction(high)))


VALUE: Final = Operator(
    name="selu",
    api="aclnnSelu",
    tensors=(TensorParam("self", TYPES),),
    latex=r"""
        \text{out} = \text{scale} \cdot \begin{cases}
            \text{self} & \text{if } \text{self} > 0 \\
            \alpha \cdot (e^{\text{self}} - 1) & \text{otherwise}
        \end{cases} \qquad \alpha = 1.673263\ldots, \quad \text{scale} = 1.050700\ldots
    """,
    formula=Formula.of(out, compute_bound=True),
    device=OnDevice(TRAINING_A2_A3, ("Selu",)),
    integers="truncated",
    # one rounding of the exponential, one of the constant and one of the product
    accuracy=relative(2.0),
    interval=(-8.0, 8.0),
).declare()
VALUE.declare(api="aclnnInplaceSelu", in_place="self")

GRADIENT: Final = Operator(
    name="selu_backward",
    api="aclnnSeluBackward",
    tensors=(TensorParam("grad_output", TYPES), TensorParam("result", TYPES)),
    latex=r"""
        \text{grad_input} = \text{grad_output} \cdot \begin{cases}
            \text{scale} & \text{if } \text{result} > 0 \\
            \text{result} + \alpha \cdot \text{scale} & \text{otherwise}
        \end{cases} \qquad \alpha = 1.673263\ldots, \quad \text{scale} = 1.050700\ldots
    """,
    formula=Formula.of(grad_input, variant=only_in_float32(grad_input_float32)),
    device=OnDevice(ALL_BUT_200I, ("SeluGrad",), types="equal"),
    integers="truncated",
    accuracy=relative(2.0),
    forward=Forward(
        "selu",
        out,
        "``1.0507... * x``, or ``1.7580... * (exp(x) - 1)`` where ``x`` is not positive",
        of_result=True,
    ),
    interval=(-1.75, 2.0),
).declare()


@documented(VALUE)
def selu(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return ``scale * self``, or ``scale * alpha * (exp(self) - 1)`` where it is not positive.

    ``alpha`` is 1.67326324235437728481, ``scale`` is 1.05070098735548049342.

    Notes
    -----
    Formula: aclnnSelu, aclnnInplaceSelu. Next to 0 nothing cancels, except in F16 and BF16
    arithmetic and the vendor's kernel, which round the exponential. F32: 2 ulp.

    Examples
    --------
    >>> ar.selu(np.array([-1, 0, 2], np.float32))
    array([-1.1113307,  0.       ,  2.101402 ], dtype=float32)
    """
    return array_call(VALUE, (self,), (), out, compute_dtype)


@documented(GRADIENT)
def selu_backward(
    grad_output: ArrayT,
    result: ArrayT,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of selu, from its result.

    It is ``grad_output * scale`` where ``result`` is positive, else
    ``grad_output * (result + alpha * scale)``, with the constants of `selu`.

    Parameters
    ----------
    grad_output, result : array, of one shape, also INT8 or INT32
        Gradient of the result, and the result.

    Notes
    -----
    Formula: the code of aclnnSeluBackward; its page describes a derivative for the input. Results
    below ``-alpha * scale``, which selu never returns, give negative derivatives. F32: 2 ulp.

    Examples
    --------
    >>> y = ar.selu(np.array([-1, 0, 2], np.float32))
    >>> ar.selu_backward(np.ones_like(y), y)
    array([0.64676857, 1.7580993 , 1.050701  ], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, result), (), out, compute_dtype)
