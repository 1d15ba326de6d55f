"""aclnnMseLoss and aclnnMseLossBackward: squared differences."""

from __future__ import annotations

from typing import Final, Literal

from ...declaration import (
    ALL_BUT_200I,
    INFERENCE_A2_A3,
    NORM,
    Forward,
    OnDevice,
    RealNumber,
    TorchOperator,
    declare_gradient,
    declare_loss,
    loss_accuracy,
    norm,
)
from ...functional import ArrayT, DTypeLike, array_call
from ...kernels.arithmetic import Formula, Number, two_difference


def loss(self: Number, target: Number, reduction: Number) -> Number:
    """The square of the difference."""
    d = self - target
    return d * d


def factors(self: Number, target: Number, reduction: Number) -> tuple[Number, ...]:
    """The square of a difference that is a sum of two numbers."""
    whole, rest = two_difference(self, target)
    return whole, whole, 2.0 * whole, rest, rest, rest


def grad_input(
    grad_output: Number, self: Number, target: Number, reduction: Number, size: Number
) -> Number:
    """The gradient is the last factor, so that nothing before it depends on its size."""
    return 2.0 * norm(reduction, size) * (self - target) * grad_output


FORMULA: Final = Formula.of(loss, scalars=1, factors=factors)
GRADIENT_FORMULA: Final = Formula.of(grad_input, scalars=1)
LOSS: Final = declare_loss(
    FORMULA,
    name="mse_loss",
    api="aclnnMseLoss",
    latex=r"\text{out} = (\text{self} - \text{target})^2",
    device=OnDevice(ALL_BUT_200I, ("MseLoss",), least_rank=1),
    # the rounding of the difference counts twice
    accuracy=loss_accuracy(2.0, FORMULA),
    torch=TorchOperator("mse_loss", out="out"),
)
GRADIENT: Final = declare_gradient(
    GRADIENT_FORMULA,
    name="mse_loss_backward",
    api="aclnnMseLossBackward",
    latex=r"""
        \text{grad_input} = \text{norm} \cdot 2 \, (\text{self} - \text{target})
            \cdot \text{grad_output} \qquad
    """
    + NORM,
    device=OnDevice(INFERENCE_A2_A3, ("MseLossGradV2",), types="inputs"),
    # one rounding each of difference and product, and for the mean of norm and another product
    accuracy=loss_accuracy(
        1.5,
        GRADIENT_FORMULA,
        mean=2.0,
        parts={"differences": lambda grad, self, target, reduction, size: self - target},
    ),
    forward=Forward("mse_loss", loss, "``(x - target) ** 2``", of_difference=True),
    torch=TorchOperator("mse_loss_backward", format="contiguous"),
)


def mse_loss(
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the squared differences ``(self - target) ** 2``, or their mean or sum.

    Parameters
    ----------
    self, target : array
        Prediction and target; rank 0 to 8, F16, BF16, F32 or F64 (types may differ). Shapes
        broadcast.
    reduction : {"none", "mean", "sum"} or {0, 1, 2}, optional
        Whether the result has all elements, or is their mean or sum, of rank 0.
    out : array, optional
        Array for the result, with its shape and any float dtype. It may be an input itself, but
        must not overlap one otherwise.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the formula is evaluated; None means F64 for F64 data, else F32.

    Returns
    -------
    array
        The promoted type, as the caller's kind of array; ``out`` if given. The mean of no elements
        is NaN, their sum 0.

    Raises
    ------
    ArgumentTypeError
        If an argument is not an array or has an unsupported dtype.
    ArgumentValueError
        If shapes do not broadcast, a rank exceeds 8, the reduction is unknown, or ``out``
        does not fit.

    See Also
    --------
    mse_loss_backward : its gradient

    Notes
    -----
    The formula is the vendor's (aclnnMseLoss).

    Accuracy: in F32 arithmetic, the default, an element in F32 is within 2 ulp of the exact value,
    one in F16 or BF16 within 0.5 + 1/256 ulp, where it is 0 or a normal float32. In F64 arithmetic
    F16, BF16 and F32 results are correctly rounded, and F64 elements within 0.75 ulp; with "exact"
    they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x, target = np.array([0.5, 2, -3], np.float32), np.zeros(3, np.float32)
    >>> ar.mse_loss(x, target, "none"), ar.mse_loss(x, target, "sum")
    (array([0.25, 4.  , 9.  ], dtype=float32), array(13.25, dtype=float32))
    """
    return array_call(LOSS, (self, target), (reduction,), out, compute_dtype)


def mse_loss_backward(
    grad_output: ArrayT,
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of the squared differences with respect to ``self``.

    It is ``norm * 2 * (self - target) * grad_output``; the norm is 1 / number of elements of the
    result for the mean, else 1. The gradient with respect to ``target`` is its negative.

    Parameters
    ----------
    grad_output, self, target : array
        Gradient of the loss, prediction and target; rank 0 to 8, F16, BF16, F32 or F64 (types may
        differ). Shapes broadcast.
    reduction : {"none", "mean", "sum"} or {0, 1, 2}, optional
        How the forward operator reduced the elementwise losses.
    out : array, optional
        Array for the result, with its shape and any float dtype. It may be an input itself, but
        must not overlap one otherwise.
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
        If shapes do not broadcast, a rank exceeds 8, the reduction is unknown, or ``out``
        does not fit.

    See Also
    --------
    mse_loss : the loss

    Notes
    -----
    The formula is the vendor's (aclnnMseLossBackward).

    Accuracy: in F32 arithmetic, the default, an F32 result is within 1.5 ulp of the exact value,
    3.5 ulp for the mean, and an F16 or BF16 result within 0.5 + 1/256 ulp, wherever the difference
    and the result for a gradient of 1 are 0 or normal float32 numbers. In F64 arithmetic F16, BF16
    and F32 results are correctly rounded, and F64 results within 0.75 ulp where these are 0 or
    normal float64 numbers; with "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x, target = np.array([0.5, 2, -3], np.float32), np.zeros(3, np.float32)
    >>> ar.mse_loss_backward(np.float32(1), x, target, "sum")
    array([ 1.,  4., -6.], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self, target), (reduction,), out, compute_dtype)
