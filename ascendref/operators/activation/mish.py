"""aclnnMish and aclnnMishBackward: the input times the tanh of its softplus, and its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...core.dtypes import FLOAT32
from ...declaration import (
    ALL_BUT_200I,
    TRAINING_A2_A3,
    Forward,
    OnDevice,
    Operator,
    TorchOperator,
    declare,
    equal_shapes,
    near_zero,
    relative,
)
from ...functional import ArrayT, DTypeLike, array_call
from ...kernels.arithmetic import Formula, Number, logistic, softplus, tanh, within

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain


def tanh_of_softplus(self: Number) -> Number:
    """The factor."""
    return tanh(softplus(self))


def out(self: Number) -> Number:
    """The documented product, which is NaN at -inf."""
    return self * tanh_of_softplus(self)


def out_float32(self: Plain) -> Plain:
    """The tanh is n / (n + 2) for n = (1 + e)² - 1; from 20 on it is 1.

    In float64 it has no error but that of the exponential; this took a third of the time as well.
    """
    e = self.at_most(20.0).exp().widened()
    n = e * (e + 2.0)
    return (self.widened() * n / (n + 2.0)).narrowed()


def variant(compute: str, rounded: str) -> Callable[..., Any] | None:
    """In float32 only."""
    return out_float32 if compute == FLOAT32.name else None


VALUE = Operator(
    name="mish",
    api="aclnnMish",
    outputs=("out",),
    latex=r"\text{out} = \text{self} \cdot \tanh(\ln(1 + e^{\text{self}}))",
    formula=Formula.of(out, variant=variant, compute_bound=True),
    shapes=equal_shapes,
    device=OnDevice(TRAINING_A2_A3, ("Mish",), types="equal"),
    accuracy=relative(1.75, tanh_of_softplus),
    torch=TorchOperator("mish", out="out"),
    interval=(-8.0, 8.0),
)
declare(VALUE)
declare(VALUE, api="aclnnInplaceMish", in_place="self")


def grad_input(grad_output: Number, self: Number) -> Number:
    """1 - tanh² of softplus is (2q / (1 + q²))², which does not cancel.

    The slope is negated, so that it underflows to -0.
    """
    x = within(self, 2048.0, grad_output)
    q = logistic(-x)
    root = 2.0 * q / (1.0 + q * q)
    return -grad_output * (-x * logistic(x) * (root * root) - tanh_of_softplus(x))


GRADIENT = Operator(
    name="mish_backward",
    api="aclnnMishBackward",
    latex=r"""
        \text{grad_input} = \text{grad_output} \cdot (\tau + x \, \sigma(x) (1 - \tau^2)) \qquad
        x = \text{self}, \quad \tau = \tanh(\ln(1 + e^x))
    """,
    formula=Formula.of(grad_input, compute_bound=True),
    device=OnDevice(ALL_BUT_200I, ("MishGrad",)),
    # the two terms cancel next to the derivative's zero
    accuracy=near_zero(2, 2, grad_input),
    forward=Forward("mish", out, "``x * tanh(log(1 + exp(x)))``"),
    torch=TorchOperator("mish_backward", out=None),
    interval=(-8.0, 8.0),
)
declare(GRADIENT)


def mish(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return ``self * tanh(log(1 + exp(self)))``.

    Parameters
    ----------
    self : array
        Input; rank 0 to 8, F16, BF16, F32 or F64.
    out : array, optional
        Array for the result, with the same shape and any float dtype. It may be the input, but must
        not overlap it in part.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the formula is evaluated; None means F64 for F64 data, else F32.

    Returns
    -------
    array
        The same shape and type, as the caller's kind of array; ``out`` if given.

    Raises
    ------
    ArgumentTypeError
        If an argument is not an array or has an unsupported dtype.
    ArgumentValueError
        If the rank exceeds 8, or ``out`` does not fit.

    Notes
    -----
    The formula is the vendor's (aclnnMish, and aclnnInplaceMish, which overwrites its input). At
    -inf it gives NaN, as in PyTorch, where the limit is -0.

    Accuracy: in F32 arithmetic, the default, an F32 result is within 1.75 ulp of the exact value,
    an F16 or BF16 result within 0.5 + 1/256 ulp, unless ``self`` is below -87, where the tanh is
    subnormal. In F64 arithmetic these are correctly rounded, and F64 results within 0.75 ulp unless
    ``self`` is below -702; with "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> ar.mish(np.array([-1, 0, 2], np.float32))
    array([-0.30340147,  0.        ,  1.943959  ], dtype=float32)
    """
    return array_call(VALUE, (self,), (), out, compute_dtype)


def mish_backward(
    grad_output: ArrayT,
    self: ArrayT,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of ``self * tanh(log(1 + exp(self)))``.

    Parameters
    ----------
    grad_output, self : array
        Gradient of the result and input of the forward operator; rank 0 to 8, F16, BF16, F32 or F64
        (types may differ). Shapes broadcast.
    out : array, optional
        Array for the result, with the broadcast shape and any float dtype. It may be an input
        itself, but must not overlap one otherwise.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the formula is evaluated; None means F64 for F64 data, else F32.

    Returns
    -------
    array
        The broadcast shape and the promoted type, as the caller's kind of array; ``out`` if given.

    Raises
    ------
    ArgumentTypeError
        If an argument is not an array or has an unsupported dtype.
    ArgumentValueError
        If shapes do not broadcast, a rank exceeds 8, or ``out`` does not fit.

    Notes
    -----
    The formula is the derivative (aclnnMishBackward, whose page has none). At ±inf it gives NaN, as
    in PyTorch, where the limits are 1 and 0.

    Accuracy: the derivative is 0 near -1.192, where two terms cancel. Wherever it is a normal
    number of the arithmetic: in F32 arithmetic, the default, the error of an F32 result is at most
    2 ulp plus 2**-23 times the gradient, that of an F16 or BF16 result 0.5 + 1/256 ulp plus as
    much. In F64 arithmetic F16, BF16 and F32 results are correctly rounded, and F64 results within
    1 ulp plus 2**-58 times the gradient; with "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.array([-1, 0, 1], np.float32)
    >>> ar.mish_backward(np.ones_like(x), x)
    array([0.05921675, 0.6       , 1.0490363 ], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (), out, compute_dtype)
