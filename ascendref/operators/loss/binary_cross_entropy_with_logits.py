"""aclnnBinaryCrossEntropyWithLogits and its gradient: the loss of a logistic function."""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ...declaration.fields import ALL_BUT_200I, Forward, OnDevice, TensorParam
from ...declaration.losses import (
    NORM,
    cancelled,
    declare_gradient,
    declare_loss,
    loss_accuracy,
    norm,
    weighted,
)
from ...declaration.scalars import RealNumber
from ...declaration.shapes import shape_of
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, inf, logistic, select, softplus, within


def loss(
    self: Number, target: Number, weight: Number, pos_weight: Number, reduction: Number
) -> Number:
    """The first factor is that of all."""
    return weight * cost(self, target, weight, pos_weight)


def cost(self: Number, target: Number, weight: Number, pos_weight: Number) -> Number:
    """Two terms that do not cancel; each is a logarithm of a logistic function.

    Where a factor is 0 and its logarithm finite, the other term is left, and the sign of its zero.
    """
    first, second, miss, hit = terms(self, target, weight, pos_weight)
    both = select((second == 0.0) & (self > -inf), miss, hit + miss)
    return select((first == 0.0) & (self < inf), hit, both)


def terms(self: Number, target: Number, weight: Number, pos_weight: Number) -> tuple[Number, ...]:
    """Return the factors of both terms, then the terms."""
    first, second = 1.0 - target, pos_weight * target
    miss = first * softplus(alone(self, first, second, weight))
    hit = second * softplus(alone(-self, second, first, weight))
    return first, second, miss, hit


def smooth_loss(
    self: Number, target: Number, weight: Number, pos_weight: Number, reduction: Number
) -> Number:
    """The loss as libraries differentiate it; only signs of zeros differ.

    Where `cost` drops a term, the derivative for the target would miss that term's.
    """
    _, _, miss, hit = terms(self, target, weight, pos_weight)
    return weight * (hit + miss)


def grad_input(
    grad_output: Number,
    self: Number,
    target: Number,
    weight: Number,
    pos_weight: Number,
    reduction: Number,
    size: Number,
) -> Number:
    """The gradient is the last factor, so that nothing before it depends on its size."""
    factor = weight * slope(grad_output, self, target, weight, pos_weight)
    return norm(reduction, size) * factor * grad_output


def slope(
    grad_output: Number, self: Number, target: Number, weight: Number, pos_weight: Number
) -> Number:
    """The terms cancel only next to a zero.

    Where a factor is 0, the other term is left, and the sign of its zero.
    """
    first, second = 1.0 - target, pos_weight * target
    miss = first * logistic(alone(self, first, second, weight, grad_output))
    hit = second * logistic(alone(-self, second, first, weight, grad_output))
    return select(first == 0.0, -hit, select(second == 0.0, miss, miss - hit))


def alone(value: Number, own: Number, other: Number, *factors: Number) -> Number:
    """Return the argument of a term's function, which does not underflow before infinite factors.

    Those of both terms see only the sign where the other term's own factor is 0. Elsewhere, a term
    that underflows leaves the other one.
    """
    limited = within(value, inf, *factors)
    return within(select(other == 0.0, limited, value), inf, own)


def weighted_target(target: Number, pos_weight: Number) -> Number:
    """Return the factor of the target's term."""
    return pos_weight * target


def stated(
    self: NDArray[np.float64], target: NDArray[np.float64], *weights: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Tell where a bound is stated."""
    return weighted(target, *weights) & (weights[-1] > 0)


def rounded(
    self: NDArray[np.float64],
    target: NDArray[np.float64],
    weight: NDArray[np.float64],
    pos_weight: NDArray[np.float64],
) -> Any:
    """Return the error from rounding the terms."""
    odds = np.exp(-abs(self))
    near, far = 1.0 / (1.0 + odds), odds / (1.0 + odds)
    miss = (1.0 - target) * np.where(self < 0, far, near)
    hit = pos_weight * target * np.where(self < 0, near, far)
    rest: NDArray[np.float64] = cancelled(8.0, np.minimum(miss, hit), miss - hit)
    return rest


TENSORS: Final = (
    TensorParam("self"),
    TensorParam("target", domain=(0.0, 1.0)),
    TensorParam("weight", vendor="weightOptional", default=1.0),
    TensorParam("pos_weight", vendor="posWeightOptional", default=1.0),
)
FORMULA: Final = Formula.of(loss, scalars=1, compute_bound=True)
GRADIENT_FORMULA: Final = Formula.of(grad_input, scalars=1, compute_bound=True)
WORDS: Final = "for targets in [0, 1], weights of 1e-6 to 1e6, "
LOSS: Final = declare_loss(
    FORMULA,
    name="binary_cross_entropy_with_logits",
    api="aclnnBinaryCrossEntropyWithLogits",
    tensors=TENSORS,
    latex=r"""
        \text{out} = \text{weight} \cdot \left(
            \text{pos_weight} \cdot \text{target} \cdot \ln(1 + e^{-\text{self}})
            + (1 - \text{target}) \cdot \ln(1 + e^{\text{self}}) \right)
    """,
    shapes=shape_of("self", "target"),
    device=OnDevice(
        ALL_BUT_200I, ("SigmoidCrossEntropyWithLogitsV2",), types="target", least_rank=1
    ),
    accuracy=loss_accuracy(
        5.0,
        FORMULA,
        parts={"pos_weight · target": weighted_target, "sums": cost},
        stated=stated,
        words=WORDS,
    ),
    settings=(
        {"reduction": "none", "weight": 1.0, "pos_weight": 1.0},
        {"reduction": "none", "pos_weight": 3.0},
    ),
    interval=(-8.0, 8.0),
)
GRADIENT: Final = declare_gradient(
    GRADIENT_FORMULA,
    name="binary_cross_entropy_with_logits_backward",
    api="aclnnBinaryCrossEntropyWithLogitsBackward",
    tensors=(TensorParam("grad_output"), *TENSORS),
    latex=r"""
        \text{grad_input} = \text{norm} \cdot \text{weight} \cdot \left(
            \dfrac{1 - \text{target}}{1 + e^{-\text{self}}}
            - \dfrac{\text{pos_weight} \cdot \text{target}}{1 + e^{\text{self}}}
        \right) \cdot \text{grad_output} \qquad
    """
    + NORM,
    shapes=shape_of("self", "target"),
    device=OnDevice(
        ALL_BUT_200I, ("SigmoidCrossEntropyWithLogitsGradV2",), empty_first=True, types="target"
    ),
    accuracy=loss_accuracy(
        5.0,
        GRADIENT_FORMULA,
        mean=1.5,
        decays=True,
        parts={"pos_weight · target": weighted_target, "differences": slope},
        stated=stated,
        more=rounded,
        words="+ 8 · smaller term / difference, " + WORDS,
    ),
    forward=Forward(
        "binary_cross_entropy_with_logits",
        smooth_loss,
        "the binary cross-entropy of the logistic function of ``x`` and target",
    ),
    settings=(
        {"reduction": "none", "weight": 1.0, "pos_weight": 1.0},
        {"reduction": "none", "target": 1.0},
        {"pos_weight": 3.0},
    ),
    interval=(-8.0, 8.0),
)


@documented(LOSS)
def binary_cross_entropy_with_logits(
    self: ArrayT,
    target: ArrayT,
    weight: ArrayT | None = None,
    pos_weight: ArrayT | None = None,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the binary cross-entropy of logistic functions, or its mean or sum.

    With ``p = 1 / (1 + exp(-self))`` it is
    ``-weight * (pos_weight * target * log(p) + (1 - target) * log(1 - p))``.

    Parameters
    ----------
    self, target : array, of one shape; targets are between 0 and 1
        Predictions and targets.
    weight, pos_weight : array, broadcast to the shape of ``self``, optional
        Factors of each element and of its first term; None means 1.

    Notes
    -----
    Formula: aclnnBinaryCrossEntropyWithLogits. It is computed without overflow or cancellation. An
    infinite loss times a factor of 0 is NaN: at inf with target 1, and at -inf with target 0, as in
    PyTorch. F32: 5 ulp, for targets in [0, 1] and weights from 1e-6 to 1e6, wherever
    ``pos_weight * target``, the sum of both terms and the result are 0 or normal.

    Examples
    --------
    >>> x, target = np.array([0, 3, -200], np.float32), np.array([0.5, 1, 1], np.float32)
    >>> ar.binary_cross_entropy_with_logits(x, target, reduction="none")
    array([6.9314718e-01, 4.8587352e-02, 2.0000000e+02], dtype=float32)
    """
    operator, tensors = LOSS.given((self, target, weight, pos_weight))
    return array_call(operator, tensors, (reduction,), out, compute_dtype)


@documented(GRADIENT)
def binary_cross_entropy_with_logits_backward(
    grad_output: ArrayT,
    self: ArrayT,
    target: ArrayT,
    weight: ArrayT | None = None,
    pos_weight: ArrayT | None = None,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of the binary cross-entropy of logistic functions.

    With ``p = 1 / (1 + exp(-self))`` it is
    ``norm * weight * ((1 - target) * p - pos_weight * target * (1 - p)) * grad_output``.

    Parameters
    ----------
    weight, pos_weight : array, broadcast to the shape of ``self``, optional
        Factors of each element and of its first term; None means 1.

    Notes
    -----
    The page of aclnnBinaryCrossEntropyWithLogitsBackward has no formula.

    F32: 5 ulp, 6.5 ulp for the mean, plus 8 ulp times the smaller of two terms, which cancel next
    to the zero of the derivative, divided by their difference. This holds for targets in [0, 1],
    weights from 1e-6 to 1e6 and terms of at most 2**20 times the difference, wherever
    ``pos_weight * target``, the difference and the result for a gradient of 1 are 0 or normal. F64
    results of such inputs are within 1 ulp plus 2**-4 ulp times the same quotient.

    Examples
    --------
    >>> x, target = np.array([0, 3, -200], np.float32), np.array([0.5, 1, 1], np.float32)
    >>> ar.binary_cross_entropy_with_logits_backward(np.float32(3), x, target)
    array([ 0.        , -0.04742587, -1.        ], dtype=float32)
    """
    operator, tensors = GRADIENT.given((grad_output, self, target, weight, pos_weight))
    return array_call(operator, tensors, (reduction,), out, compute_dtype)
