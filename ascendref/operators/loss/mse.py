"""aclnnMseLoss and aclnnMseLossBackward: squared differences."""

from __future__ import annotations

from typing import Final, Literal

from ...declaration.fields import ALL_BUT_200I, INFERENCE_A2_A3, Forward, OnDevice, TorchOperator
from ...declaration.losses import NORM, declare_gradient, declare_loss, loss_accuracy, norm
from ...declaration.scalars import RealNumber
from ...functional import ArrayT, DTypeLike, array_call, documented
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
        1.5, GRADIENT_FORMULA, mean=2.0, parts={"differences": lambda self, target: self - target}
    ),
    forward=Forward("mse_loss", loss, "``(x - target) ** 2``", of_difference=True),
    torch=TorchOperator("mse_loss_backward", format="contiguous"),
)


@documented(LOSS)
def mse_loss(
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the squared differences ``(self - target) ** 2``, or their mean or sum.

    Notes
    -----
    Formula: aclnnMseLoss. F32: 2 ulp where the element is 0 or a normal float32.

    Examples
    --------
    >>> x, target = np.array([0.5, 2, -3], np.float32), np.zeros(3, np.float32)
    >>> ar.mse_loss(x, target, "none"), ar.mse_loss(x, target, "sum")
    (array([0.25, 4.  , 9.  ], dtype=float32), array(13.25, dtype=float32))
    """
    return array_call(LOSS, (self, target), (reduction,), out, compute_dtype)


@documented(GRADIENT)
def mse_loss_backward(
    grad_output: ArrayT,
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``norm * 2 * (self - target) * grad_output``, the gradient of `mse_loss` for ``self``.

    Notes
    -----
    Formula: aclnnMseLossBackward. The gradient for ``target`` is the negative of this one.
    F32: 1.5 ulp, 3.5 ulp for the mean, wherever the difference and the result for a gradient of 1
    are 0 or normal.

    Examples
    --------
    >>> x, target = np.array([0.5, 2, -3], np.float32), np.zeros(3, np.float32)
    >>> ar.mse_loss_backward(np.float32(1), x, target, "sum")
    array([ 1.,  4., -6.], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self, target), (reduction,), out, compute_dtype)
