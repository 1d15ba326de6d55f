"""aclnnSoftMarginLoss and aclnnSoftMarginLossBackward: the logistic loss of a margin."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from ...declaration import (
    ALL_BUT_200I,
    NORM,
    TRAINING_A2_A3,
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
from ...kernels.arithmetic import Formula, Number, one_plus_exp, softplus


def loss(self: Number, target: Number, reduction: Number) -> Number:
    """The product is rounded, as on the device."""
    return softplus(-(target * self))


def grad_input(
    grad_output: Number, self: Number, target: Number, reduction: Number, size: Number
) -> Number:
    """The quotient is right however small, of an infinite gradient, too."""
    return norm(reduction, size) * -target * grad_output / one_plus_exp(target * self)


def margin(self: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the rounding of the product adds to the error: its ulp, times the derivative."""
    product = abs(self * target)
    return np.where(product.astype(np.float32) == product, 0.0, np.minimum(product, 128.0))


FORMULA: Final = Formula.of(loss, scalars=1, compute_bound=True)
GRADIENT_FORMULA: Final = Formula.of(grad_input, scalars=1, compute_bound=True)
WORDS: Final = "+ |target · self| where that is rounded, "
LOSS: Final = declare_loss(
    FORMULA,
    name="soft_margin_loss",
    api="aclnnSoftMarginLoss",
    latex=r"\text{out} = \ln(1 + e^{-\text{target} \cdot \text{self}})",
    device=OnDevice(ALL_BUT_200I, ("SoftMarginLoss",), least_rank=1),
    accuracy=loss_accuracy(2.0, FORMULA, more=margin, words=WORDS),
    torch=TorchOperator("soft_margin_loss", out="out"),
    interval=(-3.0, 3.0),  # PyTorch overflows in F16 beyond a product of 11
)
GRADIENT: Final = declare_gradient(
    GRADIENT_FORMULA,
    name="soft_margin_loss_backward",
    api="aclnnSoftMarginLossBackward",
    latex=r"""
        \text{grad_input} = \text{norm} \cdot
            \dfrac{-\text{target}}{1 + e^{\text{target} \cdot \text{self}}}
            \cdot \text{grad_output} \qquad
    """
    + NORM,
    device=OnDevice(TRAINING_A2_A3, ("SoftMarginLossGrad",)),
    # a larger target times the gradient may overflow before the quotient
    accuracy=loss_accuracy(
        3.0,
        GRADIENT_FORMULA,
        mean=2.0,
        decays=True,
        stated=lambda self, target: abs(target) <= 1.0,
        more=margin,
        words=WORDS + "for targets in [-1, 1], ",
    ),
    forward=Forward("soft_margin_loss", loss, "``log(1 + exp(-target * x))``"),
    torch=TorchOperator("soft_margin_loss_backward"),
    interval=(-3.0, 3.0),  # PyTorch overflows in F16 beyond a product of 11
)


def soft_margin_loss(
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the soft margin loss ``log(1 + exp(-target * self))``, or its mean or sum.

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
    soft_margin_loss_backward : its gradient

    Notes
    -----
    The formula is the vendor's (aclnnSoftMarginLoss). It is computed without overflow: for large
    negative ``target * self`` the result is the magnitude of the product, where PyTorch gives
    infinity.

    Accuracy: in F32 arithmetic, the default, an element in F32 is within 2 ulp of the exact value,
    plus as many as the magnitude of ``target * self`` where float32 does not hold that product; one
    in F16 or BF16 within 0.5 + 1/256 ulp plus as much of an F32 ulp, where the value is 0 or a
    normal float32. In F64 arithmetic F16, BF16 and F32 results are correctly rounded, and F64
    elements within 0.75 ulp; with "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x, target = np.array([0, 3, -200], np.float32), np.ones(3, np.float32)
    >>> ar.soft_margin_loss(x, target, "none")
    array([6.9314718e-01, 4.8587352e-02, 2.0000000e+02], dtype=float32)
    """
    return array_call(LOSS, (self, target), (reduction,), out, compute_dtype)


def soft_margin_loss_backward(
    grad_output: ArrayT,
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of the soft margin loss with respect to ``self``.

    It is ``norm * -target / (1 + exp(target * self)) * grad_output``; the norm is 1 / number of
    elements of the result for the mean, else 1.

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
    soft_margin_loss : the loss

    Notes
    -----
    The formula is the vendor's (aclnnSoftMarginLossBackward), without the overflow to NaN of its
    kernel and of PyTorch.

    Accuracy: in F32 arithmetic, the default, an F32 result is within 3 ulp of the exact value, 5
    ulp for the mean, plus as many as the magnitude of ``target * self`` where float32 does not hold
    that product; an F16 or BF16 result within 0.5 + 1/256 ulp plus as much of an F32 ulp. This
    holds for targets from -1 to 1, wherever the result for a gradient of 1 is 0 or a normal
    float32. In F64 arithmetic F16, BF16 and F32 results are correctly rounded, and F64 results
    within 0.75 ulp for such targets and normal float64 numbers; with "exact" they are correctly
    rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x, target = np.array([0, 3, -200], np.float32), np.ones(3, np.float32)
    >>> ar.soft_margin_loss_backward(np.float32(2), x, target, "sum")
    array([-1.        , -0.09485175, -2.        ], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self, target), (reduction,), out, compute_dtype)
