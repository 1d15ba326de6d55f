"""aclnnL1Loss and aclnnL1LossBackward: absolute differences."""

from __future__ import annotations

from typing import Final, Literal

from ...declaration import (
    ALL_BUT_200I,
    NORM,
    Forward,
    OnDevice,
    RealNumber,
    declare_gradient,
    declare_loss,
    norm,
    relative,
)
from ...functional import ArrayT, DTypeLike, array_call
from ...kernels.arithmetic import Formula, Number, select, sign, two_difference


def loss(self: Number, target: Number, reduction: Number) -> Number:
    """The magnitude of the difference."""
    return abs(self - target)


def factors(self: Number, target: Number, reduction: Number) -> tuple[Number, ...]:
    """A difference that is a sum of two numbers, times its sign."""
    whole, rest = two_difference(self, target)
    side = select(whole < 0.0, -1.0, 1.0)
    return whole, side, rest, side


def grad_input(
    grad_output: Number, self: Number, target: Number, reduction: Number, size: Number
) -> Number:
    """The sign of NaN is NaN."""
    return norm(reduction, size) * sign(self - target) * grad_output


FORMULA: Final = Formula.of(loss, scalars=1, factors=factors)
LOSS: Final = declare_loss(
    FORMULA,
    name="l1_loss",
    api="aclnnL1Loss",
    latex=r"\text{out} = |\text{self} - \text{target}|",
    device=OnDevice(ALL_BUT_200I, ("LpLoss",), least_rank=1),
    accuracy=relative(0.5),
)
GRADIENT: Final = declare_gradient(
    Formula.of(grad_input, scalars=1),
    name="l1_loss_backward",
    api="aclnnL1LossBackward",
    latex=r"""
        \text{grad_input} = \text{norm} \cdot \text{sign}(\text{self} - \text{target})
            \cdot \text{grad_output} \qquad
    """
    + NORM,
    device=OnDevice(ALL_BUT_200I, ("L1LossGrad",)),
    # the norm of a mean is rounded, and the product
    accuracy=relative(1.5),
    forward=Forward("l1_loss", loss, "``abs(x - target)``", of_difference=True),
)


def l1_loss(
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the absolute differences ``abs(self - target)``, or their mean or sum.

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
    l1_loss_backward : its gradient

    Notes
    -----
    The formula is the vendor's (aclnnL1Loss), whose INT64 tensors are not supported.

    Accuracy: in F32 arithmetic, the default, an element in F32 is correctly rounded, one in F16 or
    BF16 within 0.5 + 1/256 ulp of the exact value. In F64 arithmetic F16, BF16 and F32 results are
    correctly rounded, and F64 elements within 0.75 ulp; with "exact" they are correctly rounded,
    too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x, target = np.array([0.5, 2, -3], np.float32), np.zeros(3, np.float32)
    >>> ar.l1_loss(x, target, "none"), ar.l1_loss(x, target, "sum")
    (array([0.5, 2. , 3. ], dtype=float32), array(5.5, dtype=float32))
    """
    return array_call(LOSS, (self, target), (reduction,), out, compute_dtype)


def l1_loss_backward(
    grad_output: ArrayT,
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of the absolute differences with respect to ``self``.

    It is ``norm * sign(self - target) * grad_output``; the norm is 1 / number of elements of the
    result for the mean, else 1. The sign of 0 is 0. The gradient with respect to ``target`` is its
    negative.

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
    l1_loss : the loss

    Notes
    -----
    The vendor's page has no formula (aclnnL1LossBackward). Where the difference is NaN, so is the
    result; the vendor's kernel and PyTorch give 0.

    Accuracy: in F32 arithmetic, the default, an F32 result is within 1.5 ulp of the exact value for
    the mean, and exact otherwise; an F16 or BF16 result is within 0.5 + 1/256 ulp. In F64
    arithmetic F16, BF16 and F32 results are correctly rounded, and F64 results within 0.75 ulp;
    with "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x, target = np.array([0.5, 2, -3], np.float32), np.array([0, 2, 0], np.float32)
    >>> ar.l1_loss_backward(np.float32(6), x, target)
    array([ 2.,  0., -2.], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self, target), (reduction,), out, compute_dtype)
