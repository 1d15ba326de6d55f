"""aclnnSmoothL1Loss and aclnnSmoothL1LossBackward: quadratic near zero, linear beyond."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, ElementType, float_format
from ...declaration.accuracy import HALF_ULP, Bound
from ...declaration.fields import ALL_BUT_200I, Forward, OnDevice, TorchOperator
from ...declaration.losses import NORM, count, declare_gradient, declare_loss, loss_accuracy, norm
from ...declaration.scalars import RealNumber, ScalarParam, single
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, inf, select, sign, two_difference

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain


def grad_input(
    grad_out: Number, self: Number, target: Number, reduction: Number, beta: Number, size: Number
) -> Number:
    """A true division by β keeps the two branches apart at ``|d| == β``."""
    d = self - target
    slope = select(abs(d) < beta, d / beta, sign(d))
    return norm(reduction, size) * slope * grad_out


def grad_input_float64(
    grad_out: Number, self: Number, target: Number, reduction: Number, beta: Number, size: Number
) -> Number:
    """The same with one division at the end, so that d/β does not lose bits by underflow.

    A power of two keeps the product within the range of float64.
    """
    usual = abs(grad_out) < 2.0**400
    lifted = grad_out * select(usual, 2.0**300, 2.0**-300)
    d = self - target
    inside = abs(d) < beta
    slope, divisor = select(inside, d, sign(d)), select(inside, beta, 1.0)
    value = lifted * slope / (divisor * count(reduction, size))
    return value * select(usual, 2.0**-300, 2.0**300)


# --- float32 within 1.5 ulp -----------------------------------------------------------------------


def grad_input_float32(
    grad_out: Plain, self: Plain, target: Plain, reduction: Plain, beta: Plain, size: Plain
) -> Any:
    """Difference and quotient are sums of two numbers; the last addition rounds.

    norm·d/β is computed as scale·(lift·d), where lift is a power of two: for β below 1 it brings β
    near 1, so that the scale does not overflow. With β = 0 every nonzero d is at the limit, and a
    zero is added that makes every zero positive; for other β it is the neutral −0.
    """
    factor: Any = norm(reduction, size)
    no_beta = beta == 0.0
    limit = no_beta.select(2.0**-149, beta)
    lift = (1.0 / limit.power()).at_least(1.0).at_most(2.0**127)
    lift = no_beta.select(1.0, lift)
    scale = no_beta.select(factor, (beta < inf).select(factor / (lift * limit), 0.0))
    large = self.lift(scale)
    small = scale - large.widened()
    d, lost = two_difference(self, target)
    lifted = d * lift
    quotient = lifted.fma(large, no_beta.select(0.0, -0.0))
    product_rest = lifted.fma(small, lifted.fma(large, -quotient))
    rest = lost.fma(lift * scale, product_rest)
    inside = ~(abs(d) >= limit)  # or NaN
    slope = inside.select(quotient, self.lift(factor).copysign(d))
    corrected = slope.fma(grad_out, inside.select(rest, 0.0) * grad_out)
    # the plain product has the right infinities and signs of zeros
    return (~(abs(corrected) > 0.0)).select(slope * grad_out, corrected)


def unit_float32(
    grad_out: Plain, self: Plain, target: Plain, reduction: Plain, beta: Plain, size: Plain
) -> Any:
    """The same for β = 1, without a division; the norm is a sum of two numbers.

    The smaller one is positive, so that infinities stay.
    """
    factor: Any = norm(reduction, size)
    near = self.lift(factor).widened()
    below = self.lift(near * (1.0 - 2.0**-24))  # the next smaller float32
    large = (near > factor).select(below.widened(), near)
    small = (factor - large).at_least(factor * 2.0**-60)
    d, lost = two_difference(self, target)
    inside = ~(abs(d) >= 1.0)  # or NaN
    slope = inside.select(d, self.lift(1.0).copysign(d))
    scaled = grad_out.fma(large, grad_out * small)
    corrected = slope.fma(scaled, inside.select(lost, 0.0) * scaled)
    return (~(abs(corrected) > 0.0)).select(slope * scaled, corrected)


def unit(
    grad_out: Number, self: Number, target: Number, reduction: Number, beta: Number, size: Number
) -> Number:
    """The formula for β = 1, without the division; NaN stays."""
    d = self - target
    slope = select(d > 1.0, 1.0, select(d < -1.0, -1.0, d))
    return norm(reduction, size) * slope * grad_out


def loss(self: Number, target: Number, reduction: Number, beta: Number) -> Number:
    """A derivative of the quadratic is infinite outside its range, or NaN."""
    d = self - target
    near = abs(d) < beta
    inner = select(near, d, 0.0)
    return select(near, 0.5 * inner * inner / beta, abs(d) - 0.5 * beta)


# --- declaration ----------------------------------------------------------------------------------


#: names of the types whose results do not show the errors of float32
HALF_PRECISION: Final = {FLOAT16.name, BFLOAT16.name}


#: the least and greatest numbers that are 1 as FLOAT, and what grad_input_float64 takes
_UNIT: Final = 1.0 - 2.0**-25, 1.0 + 2.0**-24
_MOST: Final = 2.0**299
_BREAKS: Final = _UNIT[0], *[math.nextafter(number, math.inf) for number in (_UNIT[1], _MOST)]


def variant(compute: str, rounded: str, reduction: float, beta: float) -> Callable[..., Any] | None:
    """Versions for float32 and float64; β = 1 needs no division."""
    unit_beta = _UNIT[0] <= beta <= _UNIT[1]
    if compute == FLOAT32.name and rounded not in HALF_PRECISION:
        return unit_float32 if unit_beta else grad_input_float32
    if compute == FLOAT64.name == rounded and beta <= _MOST:
        return grad_input_float64
    return unit if unit_beta else None


def accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """At worst, one rounding of the norm and one of the product.

    Where norm/β is not a normal F32 number, it is rounded as well. No bound is stated where
    norm·d/β is subnormal and has fewer bits. In F64 both errors are corrected, and the range
    suffices.
    """
    if kind is FLOAT64:
        return Bound(1.0)
    beta = single(scalars["beta"])
    mean = scalars["reduction"] in ("mean", 1)

    def more(self: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
        d = np.abs(self - target)
        slope = np.where(d < beta, d / beta, 1.0) / (size if mean else 1)
        return np.where((slope > 0) & (slope < float_format(FLOAT32).normal), math.inf, 0.0)

    ulp = 1.5 if mean else 1.0
    if 0 < beta < math.inf:
        factor = 1 / (beta * (max(size, 1) if mean else 1))
        if not float_format(FLOAT32).normal <= factor <= float_format(FLOAT32).largest:
            ulp = 2.5
    return Bound(ulp if kind is FLOAT32 else HALF_ULP, more=more, words="for norm·d/β 0 or normal")


def within(self: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell where no square or difference overflows."""
    return abs(self - target) < 2.0**63


BETA = ScalarParam("beta", least=0.0, c_type="float")
LOSS_FORMULA = Formula.of(loss, scalars=2)
LOSS = declare_loss(
    LOSS_FORMULA,
    BETA,
    name="smooth_l1_loss",
    api="aclnnSmoothL1Loss",
    latex=r"""
        \text{out} = \begin{cases}
            d^2 / 2 \beta & \text{if } |d| < \beta \\
            |d| - \beta / 2 & \text{otherwise}
        \end{cases}
        \qquad d = \text{self} - \text{target}
    """,
    device=OnDevice(ALL_BUT_200I, ("SmoothL1LossV2",), least_rank=1),
    # the roundings of the difference, twice, of the square and of the quotient
    accuracy=loss_accuracy(3.5, LOSS_FORMULA, stated=within, words="for |d| < 2^63, "),
    torch=TorchOperator("smooth_l1_loss", out="out"),
    settings=(
        {"reduction": "none"},
        {"reduction": "none", "beta": 0.7},
        {"reduction": "none", "beta": 0.0},
    ),
)
OPERATOR = declare_gradient(
    Formula.of(grad_input, scalars=2, variant=variant),
    BETA,
    name="smooth_l1_loss_backward",
    api="aclnnSmoothL1LossBackward",
    latex=r"""
        \text{grad_input} = \text{norm} \cdot \text{grad_out} \cdot \begin{cases}
            d / \beta & \text{if } |d| < \beta \\
            \text{sign}(d) & \text{otherwise}
        \end{cases}
        \qquad d = \text{self} - \text{target}, \quad
    """
    + NORM,
    breaks={"beta": _BREAKS},
    device=OnDevice(ALL_BUT_200I, ("SmoothL1LossGradV2",)),
    accuracy=accuracy,
    forward=Forward(
        "smooth_l1_loss",
        loss,
        "the smooth L1 loss: quadratic where ``abs(x - target) < beta``, linear elsewhere",
        of_difference=True,
    ),
    torch=TorchOperator("smooth_l1_loss_backward", format="contiguous"),
    settings=(
        {"reduction": "none"},
        {"reduction": "none", "target": 0.0},
        {"reduction": "none", "beta": 0.7},
        {"reduction": "none", "beta": 0.0},
        {},
        {"beta": 0.7},
    ),
)


@documented(LOSS)
def smooth_l1_loss(
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    beta: RealNumber = 1.0,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the smooth L1 loss, or its mean or sum.

    With ``d = self - target`` it is ``d**2 / (2 * beta)`` for ``|d| < beta`` and
    ``|d| - beta / 2`` otherwise.

    Parameters
    ----------
    beta : real number, optional
        The ``|d|`` at which the loss turns from quadratic to linear; at least 0. 0 gives `l1_loss`.

    Notes
    -----
    Formula: aclnnSmoothL1Loss. F32: 3.5 ulp, in F32 arithmetic where ``|d|`` is below 2**63 and the
    element 0 or a normal float32.

    Examples
    --------
    >>> x, target = np.array([0.5, 2, -3], np.float32), np.zeros(3, np.float32)
    >>> ar.smooth_l1_loss(x, target, "none"), ar.smooth_l1_loss(x, target, "sum")
    (array([0.125, 1.5  , 2.5  ], dtype=float32), array(4.125, dtype=float32))
    """
    return array_call(LOSS, (self, target), (reduction, beta), out, compute_dtype)


@documented(OPERATOR)
def smooth_l1_loss_backward(
    grad_out: ArrayT,
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    beta: RealNumber = 1.0,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``norm * slope * grad_out``, the gradient of `smooth_l1_loss` for ``self``.

    The slope is ``d / beta`` for ``|d| < beta``, else the sign of ``d = self - target``.

    Parameters
    ----------
    beta : real number, optional, as for `smooth_l1_loss`
        The scalar of the formula.

    Notes
    -----
    Formula: aclnnSmoothL1LossBackward. With ``beta`` 0 and ``d`` 0 the result is 0, where PyTorch
    gives ``-grad_out``. The loss depends only on ``self - target``, so the gradient for ``target``
    is the negative of this one. F32: 1 ulp, 1.5 ulp for the mean, wherever ``norm * slope`` is 0 or
    a normal float32; 2.5 ulp where ``norm / beta`` is not a normal float32.

    Examples
    --------
    >>> x = np.array([0.5, 2.0, -3.0], np.float32)
    >>> ar.smooth_l1_loss_backward(np.ones_like(x), x, np.zeros_like(x), "sum")
    array([ 0.5,  1. , -1. ], dtype=float32)
    """
    return array_call(OPERATOR, (grad_out, self, target), (reduction, beta), out, compute_dtype)
