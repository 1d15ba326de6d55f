"""aclnnSoftMarginLoss and aclnnSoftMarginLossBackward: the logistic loss of a margin."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from ...declaration.fields import ALL_BUT_200I, TRAINING_A2_A3, Forward, OnDevice, TorchOperator
from ...declaration.losses import NORM, declare_gradient, declare_loss, loss_accuracy, norm
from ...declaration.scalars import RealNumber
from ...functional import ArrayT, DTypeLike, array_call, documented
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
    """The error from rounding the product: its ulp, times the derivative."""
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


@documented(LOSS)
def soft_margin_loss(
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the soft margin loss ``log(1 + exp(-target * self))``, or its mean or sum.

    Notes
    -----
    Formula: aclnnSoftMarginLoss. It does not overflow: for large negative ``target * self`` it is
    the magnitude of the product, where PyTorch gives infinity. F32: 2 ulp, plus
    ``abs(target * self)`` ulp where float32 does not hold that product, wherever the element is 0
    or a normal float32.

    Examples
    --------
    >>> x, target = np.array([0, 3, -200], np.float32), np.ones(3, np.float32)
    >>> ar.soft_margin_loss(x, target, "none")
    array([6.9314718e-01, 4.8587352e-02, 2.0000000e+02], dtype=float32)
    """
    return array_call(LOSS, (self, target), (reduction,), out, compute_dtype)


@documented(GRADIENT)
def soft_margin_loss_backward(
    grad_output: ArrayT,
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``norm * -target / (1 + exp(target * self)) * grad_output``, a gradient for ``self``.

    Notes
    -----
    Formula: aclnnSoftMarginLossBackward, of `soft_margin_loss`, without the overflow to NaN of its
    kernel and of PyTorch. F32: 3 ulp, 5 ulp for the mean, plus ``abs(target * self)`` ulp where
    float32 does not hold that product. This holds for targets from -1 to 1, wherever the result for
    a gradient of 1 is 0 or normal.

    Examples
    --------
    >>> x, target = np.array([0, 3, -200], np.float32), np.ones(3, np.float32)
    >>> ar.soft_margin_loss_backward(np.float32(2), x, target, "sum")
    array([-1.        , -0.09485175, -2.        ], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self, target), (reduction,), out, compute_dtype)
