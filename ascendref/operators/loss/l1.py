"""aclnnL1Loss and aclnnL1LossBackward: absolute differences."""

from __future__ import annotations

from typing import Final, Literal

from ...declaration.accuracy import relative
from ...declaration.fields import ALL_BUT_200I, Forward, OnDevice
from ...declaration.losses import NORM, declare_gradient, declare_loss, norm
from ...declaration.scalars import RealNumber
from ...functional import ArrayT, DTypeLike, array_call, documented
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


FORMULA: Final = Formula.of(loss, scalars=1, factors=factors, once=loss)
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


@documented(LOSS)
def l1_loss(
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the absolute differences ``abs(self - target)``, or their mean or sum.

    Notes
    -----
    Formula: aclnnL1Loss, whose INT64 tensors are not supported. F32: correctly rounded.

    Examples
    --------
    >>> x, target = np.array([0.5, 2, -3], np.float32), np.zeros(3, np.float32)
    >>> ar.l1_loss(x, target, "none"), ar.l1_loss(x, target, "sum")
    (array([0.5, 2. , 3. ], dtype=float32), array(5.5, dtype=float32))
    """
    return array_call(LOSS, (self, target), (reduction,), out, compute_dtype)


@documented(GRADIENT)
def l1_loss_backward(
    grad_output: ArrayT,
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``norm * sign(self - target) * grad_output``, the gradient of `l1_loss` for ``self``.

    Notes
    -----
    The page of aclnnL1LossBackward has no formula. The sign of 0 is 0. The gradient for ``target``
    is the negative of this one. Where the difference is NaN, so is the result; the vendor's kernel
    and PyTorch give 0. F32: 1.5 ulp for the mean, and exact otherwise.

    Examples
    --------
    >>> x, target = np.array([0.5, 2, -3], np.float32), np.array([0, 2, 0], np.float32)
    >>> ar.l1_loss_backward(np.float32(6), x, target)
    array([ 2.,  0., -2.], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self, target), (reduction,), out, compute_dtype)
