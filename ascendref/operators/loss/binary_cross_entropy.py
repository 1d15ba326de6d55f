"""aclnnBinaryCrossEntropy and aclnnBinaryCrossEntropyBackward: the loss of a probability."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ...declaration.fields import ALL_BUT_200I, Forward, OnDevice, TensorParam, TorchOperator
from ...declaration.losses import (
    NORM,
    declare_gradient,
    declare_loss,
    loss_accuracy,
    norm,
    weighted,
)
from ...declaration.scalars import RealNumber
from ...declaration.shapes import equal_shapes, shape_of
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, log, log1p, select

#: the least denominator of the gradient
EPSILON: Final = Fraction("1e-12")


def loss(self: Number, target: Number, weight: Number, reduction: Number) -> Number:
    """Each logarithm is at least -100."""
    hit, miss = at_least(-100.0, log(self)), at_least(-100.0, log1p(-self))
    return -weight * (target * hit + (1.0 - target) * miss)


def grad_input(
    grad_output: Number,
    self: Number,
    target: Number,
    weight: Number,
    reduction: Number,
    size: Number,
) -> Number:
    """The gradient is the last factor, so that nothing before it depends on its size."""
    slope = (self - target) / at_least(EPSILON, self * (1.0 - self))
    return norm(reduction, size) * slope * weight * grad_output


def at_least(limit: Any, value: Number) -> Number:
    """The larger one; NaN stays."""
    return select(value < limit, limit, value)


def stated(
    self: NDArray[np.float64], target: NDArray[np.float64], weight: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Tell where a bound is stated."""
    return (self >= 0) & (self <= 1) & weighted(target, weight)


TENSORS: Final = (TensorParam("self"), TensorParam("target", domain=(0.0, 1.0)))
FORMULA: Final = Formula.of(loss, scalars=1, compute_bound=True)
GRADIENT_FORMULA: Final = Formula.of(grad_input, scalars=1)
WORDS: Final = "for self and target in [0, 1], weights of 1e-6 to 1e6, "
LOSS: Final = declare_loss(
    FORMULA,
    name="binary_cross_entropy",
    api="aclnnBinaryCrossEntropy",
    tensors=(*TENSORS, TensorParam("weight", default=1.0)),
    latex=r"""
        \text{out} = -\text{weight} \cdot \left( \text{target} \cdot \max(\ln \text{self}, -100)
            + (1 - \text{target}) \cdot \max(\ln(1 - \text{self}), -100) \right)
    """,
    shapes=equal_shapes,
    device=OnDevice(ALL_BUT_200I, ("BinaryCrossEntropy",)),
    same_type=True,
    accuracy=loss_accuracy(4.0, FORMULA, stated=stated, words=WORDS),
    torch=TorchOperator(
        "binary_cross_entropy",
        out="out",
        format="preserve",
        limits=dict.fromkeys(("self", "target"), (0.0, 1.0)),
    ),
    settings=({"reduction": "none", "weight": 1.0}, {"reduction": "none"}),
    interval=(0.01, 0.99),
)
GRADIENT: Final = declare_gradient(
    GRADIENT_FORMULA,
    name="binary_cross_entropy_backward",
    api="aclnnBinaryCrossEntropyBackward",
    tensors=(
        TensorParam("grad_output"),
        *TENSORS,
        TensorParam("weight", vendor="weightOptional", default=1.0),
    ),
    latex=r"""
        \text{grad_input} = \text{norm} \cdot \dfrac{\text{self} - \text{target}}
            {\max(\text{self} \, (1 - \text{self}), 10^{-12})}
            \cdot \text{weight} \cdot \text{grad_output} \qquad
    """
    + NORM,
    shapes=shape_of("self"),
    device=OnDevice(ALL_BUT_200I, ("BinaryCrossEntropyGrad",)),
    accuracy=loss_accuracy(4.0, GRADIENT_FORMULA, mean=1.5, stated=stated, words=WORDS),
    forward=Forward("binary_cross_entropy", loss, "the binary cross-entropy of ``x`` and target"),
    torch=TorchOperator("binary_cross_entropy_backward", format="preserve"),
    settings=({"reduction": "none", "weight": 1.0}, {"reduction": "none", "target": 1.0}, {}),
    interval=(0.01, 0.99),
)


@documented(LOSS)
def binary_cross_entropy(
    self: ArrayT,
    target: ArrayT,
    weight: ArrayT | None = None,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``-weight * (target * log(self) + (1 - target) * log(1 - self))``, or its mean or sum.

    Parameters
    ----------
    self, target : array, of one shape and type, between 0 and 1
        Predictions and targets.
    weight : array of the same shape and type, optional
        A factor for each element; None means 1.

    Notes
    -----
    Formula: the kernel of aclnnBinaryCrossEntropy, and PyTorch's, with logarithms of at least -100,
    which the vendor's page does not have. NaN outside [0, 1], where PyTorch raises an error.
    F32: 4 ulp, for targets in [0, 1], weights from 1e-6 to 1e6 and results that are 0 or a normal
    float32.

    Examples
    --------
    >>> x, target = np.array([0.25, 0.5, 0], np.float32), np.array([0, 1, 1], np.float32)
    >>> ar.binary_cross_entropy(x, target, reduction="none")
    array([  0.28768206,   0.6931472 , 100.        ], dtype=float32)
    >>> ar.binary_cross_entropy(x, target, np.array([1, 2, 0], np.float32), "sum")
    array(1.6739764, dtype=float32)
    """
    operator, tensors = LOSS.given((self, target, weight))
    return array_call(operator, tensors, (reduction,), out, compute_dtype)


@documented(GRADIENT)
def binary_cross_entropy_backward(
    grad_output: ArrayT,
    self: ArrayT,
    target: ArrayT,
    weight: ArrayT | None = None,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``norm * (self - target) / max(self * (1 - self), 1e-12) * weight * grad_output``.

    Parameters
    ----------
    weight : array, broadcast to the shape of ``self``, optional
        The factor of each element; None means 1.

    Notes
    -----
    The gradient of `binary_cross_entropy` for ``self``. Formula: the kernel of
    aclnnBinaryCrossEntropyBackward, and PyTorch's; the vendor's page does not have the limit of the
    denominator. In F64 arithmetic this is 1e-12, in F32 arithmetic, and in PyTorch, the float32
    next to it. F32: 4 ulp, 5.5 ulp for a mean, for inputs and targets in [0, 1] and weights from
    1e-6 to 1e6, wherever the result for a gradient of 1 is 0 or a normal float32.

    Examples
    --------
    >>> x, target = np.array([0.25, 0.5, 0], np.float32), np.array([0, 1, 1], np.float32)
    >>> ar.binary_cross_entropy_backward(np.float32(3), x, target)
    array([ 1.3333335e+00, -2.0000000e+00, -1.0000000e+12], dtype=float32)
    """
    operator, tensors = GRADIENT.given((grad_output, self, target, weight))
    return array_call(operator, tensors, (reduction,), out, compute_dtype)
