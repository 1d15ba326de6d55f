"""aclnnSmoothL1LossBackward: slope d/β near zero, ±1 beyond, scaled for the reduction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import ArrayT
from ..core.dtypes import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, DTypeLike, ElementType, float_format
from ..declaration.accuracy import HALF_ULP, Bound
from ..declaration.operator import OnDevice, Operator, TensorParam, declare
from ..declaration.scalars import RealNumber, ScalarParam, single
from ..declaration.shapes import broadcast_shapes
from ..functional.call import array_call
from ..kernels.arithmetic.formula import (
    Formula,
    Truth,
    copysign,
    exponent,
    float32,
    fma,
    inf,
    least,
    narrow,
    number,
    one,
    rnd,
    select,
    sign,
    sign_of_sum,
    split,
    two_difference,
    wide,
    zero,
)

#: numbers of the reductions in the vendor's API
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def count_for(reduction: float, size: int) -> float:
    """What the reduction divides by: for the mean, the number of results (of all parts)."""
    return wide(size) if reduction == 1 else -reduction if reduction < 0 else 1.0


def norm_for(reduction: float, size: int) -> float:
    """What the reduction multiplies by."""
    return 1.0 / count_for(reduction, size)


def part_scalars(values: tuple[float, ...], size: int) -> tuple[float, ...]:
    """In a part, the mean is over all results: minus their number replaces the reduction."""
    reduction, beta = values
    return (-float(size) if reduction == 1 else reduction), beta


# --- F32 arithmetic, any β ------------------------------------------------------------------------


def prepare(
    reduction: float, beta: float, size: int
) -> tuple[float, float, float, float, float, float, float]:
    """β arrives as FLOAT; the mean divides by the number of results.

    norm·d/β is computed as scale·(lift·d), where lift is a power of two: for β below 1 it brings β
    near 1, so that the scale, a sum of two numbers, does not overflow. With β = 0 every nonzero d
    is at the limit, and ``added`` makes every zero positive; for other β it is the neutral −0.
    """
    norm = norm_for(reduction, size)
    limit, lift, scale, added = wide(float32(beta)), 1.0, norm, -zero
    if limit == 0.0:
        limit, added = least, zero
    elif limit < inf:
        lift = 2.0 ** min(max(1 - exponent(limit), 0), 127)
        scale = norm / (lift * limit)
    else:
        scale = 0.0
    large, small = split(scale)
    return number(limit), number(lift), large, small, number(lift * scale), number(norm), added


def grad_input(
    grad_out: float,
    self: float,
    target: float,
    limit: float,
    lift: float,
    scale: float,
    scale_rest: float,
    inverse: float,
    norm: float,
    added: float,
) -> float:
    """Difference and quotient are sums of two numbers; the last addition rounds."""
    d, lost = two_difference(self, target)
    lifted = lift * d
    quotient = fma(lifted, scale, added)
    rest = fma(lost, inverse, fma(lifted, scale_rest, fma(lifted, scale, -quotient)))
    outside = abs(d) >= limit
    slope = select(outside, copysign(norm, d), quotient)
    corrected = fma(slope, grad_out, select(outside, zero, rest) * grad_out)
    # the plain product has the right infinities and signs of zeros
    return select(abs(corrected) > zero, corrected, slope * grad_out)


# --- F32 arithmetic, β = 1 ------------------------------------------------------------------------


def prepare_unit(reduction: float, beta: float, size: int) -> tuple[float, float]:
    """The norm is a sum of two numbers; the smaller one is positive, so that infinities stay."""
    norm = norm_for(reduction, size)
    large = number(norm)
    if wide(large) > norm:
        large = number(wide(large) * (1.0 - 2.0**-24))  # the next smaller float32
    rest, least_rest = norm - wide(large), norm * 2.0**-60
    return large, number(select(rest > least_rest, rest, least_rest))


def unit(grad_out: float, self: float, target: float, norm: float, norm_rest: float) -> float:
    """The formula without the division by β; the last addition rounds."""
    d, lost = two_difference(self, target)
    outside = abs(d) >= one
    slope = select(outside, copysign(one, d), d)
    scaled = fma(grad_out, norm, grad_out * norm_rest)
    corrected = fma(slope, scaled, select(outside, zero, lost) * scaled)
    return select(abs(corrected) > zero, corrected, slope * scaled)


# --- half-precision arithmetic or results ---------------------------------------------------------


def prepare_steps(reduction: float, beta: float, size: int) -> tuple[float, float]:
    """β arrives as FLOAT; the mean divides by the number of results."""
    return narrow(beta), number(norm_for(reduction, size))


def steps(grad_out: float, self: float, target: float, beta: float, norm: float) -> float:
    """The formula as it is documented, operation by operation.

    A true division by β keeps the two branches apart at |d| = β.
    """
    d = rnd(self - target)
    slope = select(abs(d) < beta, rnd(d / beta), sign(d))
    return rnd(rnd(norm * slope) * grad_out)


def prepare_unit_steps(reduction: float, beta: float, size: int) -> tuple[float]:
    """The mean divides by the number of results."""
    return (number(norm_for(reduction, size)),)


def unit_steps(grad_out: float, self: float, target: float, norm: float) -> float:
    """The same for β = 1, without the division."""
    d = rnd(self - target)
    return rnd(rnd(norm * within_one(d)) * grad_out)


def within_one(d: float) -> float:
    """The slope for β = 1; NaN stays."""
    return select(d > one, one, select(d < -one, -one, d))


# --- F64 arithmetic, any β ------------------------------------------------------------------------


def prepare_truth(
    reduction: float, beta: float, size: int
) -> tuple[float, float, float, float, float, float]:
    """β arrives as FLOAT."""
    return prepare_counts(reduction, narrow(beta), size)


def prepare_counts(
    reduction: float, beta: float, size: int
) -> tuple[float, float, float, float, float, float]:
    """Count and β·count are exact, the latter as a sum of two; their inverses are rounded."""
    count = count_for(reduction, size)
    large = beta * count
    small = fma(beta, count, -large) if beta < inf else zero
    return beta, count, large, small, one / count, one / large


def double(
    grad_out: float,
    self: float,
    target: float,
    beta: float,
    count: float,
    large: float,
    small: float,
    inverse_count: float,
    inverse: float,
) -> float:
    """One division of an exact product, with its remainder; a power of two guards its range."""
    d, lost = two_difference(self, target)
    inside = is_inside(d, lost, beta)
    slope = select(inside, d, sign(d))
    usual = abs(grad_out) < 2.0**400
    lifted = select(usual, 2.0**300, 2.0**-300) * grad_out
    product = lifted * slope
    product_rest = fma(lifted, slope, -product) + lifted * select(inside, lost, zero)
    inverse = select(inside, inverse, inverse_count)
    first = product * inverse
    excess = fma(first, select(inside, large, count), -product)
    missing = product_rest - fma(first, select(inside, small, zero), excess)
    corrected = fma(missing, inverse, first)
    # the first approximation has the right infinities and signs of zeros
    value = select(abs(corrected) > zero, corrected, first) * select(usual, 2.0**-300, 2.0**300)
    return select(inside & (beta == inf), (zero * d) * grad_out, value)


def truth(
    grad_out: float,
    self: float,
    target: float,
    beta: float,
    count: float,
    large: float,
    small: float,
    inverse_count: float,
    inverse: float,
) -> tuple[float, bool]:
    """Three roundings; if all of them are exact, so is the result, and it may be a tie.

    The gradient is multiplied by the difference first: a product that leaves the range of doubles
    is far beyond that of the narrower types.
    """
    d, lost = two_difference(self, target)
    outside = abs(d) >= beta
    # a NaN is not outside
    slope = select(outside, select(abs(d) > zero, copysign(one, d), zero), d)
    product = grad_out * slope
    value = product * select(outside, inverse_count, inverse)
    value = select((beta == inf) & (abs(d) < inf), (zero * d) * grad_out, value)
    same = fma(value, select(outside, count, large), -product) == zero
    exact = (lost == zero) & (fma(grad_out, slope, -product) == zero) & same & (small == zero)
    return value, exact


def decide(
    middle: float,
    grad_out: float,
    self: float,
    target: float,
    beta: float,
    count: float,
    large: float,
    small: float,
    inverse_count: float,
    inverse: float,
) -> int:
    """The sign of grad_out·slope - middle·count, times β inside; middle·β is exact."""
    d, lost = two_difference(self, target)
    if is_inside(d, lost, beta):
        return sign_of_sum(((grad_out, self), (-grad_out, target), (-middle * beta, count)))
    return sign_of_sum(((grad_out, sign(d)), (-middle, count)))


def is_inside(d: float, lost: float, beta: float) -> bool:
    """Whether |d + lost| < β, where d is the rounded sum of both."""
    return (abs(d) < beta) | ((abs(d) == beta) & (sign(d) * lost < zero))


# --- F64 arithmetic, β = 1 ------------------------------------------------------------------------


def prepare_unit_truth(reduction: float, beta: float, size: int) -> tuple[float, float]:
    """The count is exact, its inverse is rounded."""
    count = count_for(reduction, size)
    return count, one / count


def unit_truth(
    grad_out: float, self: float, target: float, count: float, inverse: float
) -> tuple[float, bool]:
    """As for any β.

    A difference is exact if both numbers can be recovered from it. Of the counts, powers of two
    have an exact inverse.
    """
    d = self - target
    slope = within_one(d)
    product = grad_out * slope
    whole = (self - d == target) & (d + target == self)
    exact = whole & (fma(grad_out, slope, -product) == zero)
    return product * inverse, exact & (fma(inverse, count, -one) == zero)


def decide_unit(
    middle: float, grad_out: float, self: float, target: float, count: float, inverse: float
) -> int:
    """As for any β."""
    return decide(middle, grad_out, self, target, one, count, count, zero, inverse, inverse)


# --- declaration ----------------------------------------------------------------------------------

HALVES = (FLOAT16.name, BFLOAT16.name)
STEPS = Formula(
    "smooth_l1_loss_backward_grad_input_steps", steps, prepare_steps, tensors=3, scalars=2
)
UNIT_STEPS = Formula(
    "smooth_l1_loss_backward_grad_input_unit_steps",
    unit_steps,
    prepare_unit_steps,
    tensors=3,
    scalars=2,
)
UNIT = Formula(
    "smooth_l1_loss_backward_grad_input_unit",
    unit,
    prepare_unit,
    tensors=3,
    scalars=2,
    truth=Truth(unit_truth, prepare_unit_truth, decide_unit),
)


def variant(compute: str, rounded: str, reduction: float, beta: float) -> Formula | None:
    """Half precision does not show the errors of F32, and β = 1 needs no division."""
    unit_beta = single(beta) == 1.0
    if compute == FLOAT64.name:
        return UNIT if unit_beta and rounded != FLOAT64.name else None
    if rounded in HALVES or compute in HALVES:
        return UNIT_STEPS if unit_beta else STEPS
    return UNIT if unit_beta else None


def accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """At worst, one rounding of the norm and one of the product.

    No bound is stated where norm·d/β is subnormal and has fewer bits. In F64 both errors are
    corrected, and the range suffices.
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
    return Bound(ulp if kind is FLOAT32 else HALF_ULP, more=more, words="for norm·d/β 0 or normal")


OPERATOR = declare(
    Operator(
        name="smooth_l1_loss_backward",
        api="aclnnSmoothL1LossBackward",
        tensors=(TensorParam("grad_out"), TensorParam("self"), TensorParam("target")),
        scalars=(
            ScalarParam("reduction", choices=REDUCTIONS, c_type="int64_t"),
            ScalarParam("beta", least=0.0, c_type="float"),
        ),
        outputs=("grad_input",),
        latex=r"""
            \text{grad_input} = \text{norm} \cdot \text{grad_out} \cdot \begin{cases}
                d / \beta & \text{if } |d| < \beta \\
                \text{sign}(d) & \text{otherwise}
            \end{cases}
            \qquad d = \text{self} - \text{target}, \quad
            \text{norm} = \begin{cases}
                1 / N & \text{for the mean of } N \text{ results} \\
                1 & \text{otherwise}
            \end{cases}
        """,
        part_scalars=part_scalars,
        formula=Formula(
            "smooth_l1_loss_backward_grad_input",
            grad_input,
            prepare,
            tensors=3,
            scalars=2,
            variant=variant,
            double=double,
            truth=Truth(truth, prepare_truth, decide),
        ),
        shapes=broadcast_shapes,
        device=OnDevice(
            products=("Atlas training", "Atlas inference", "Atlas A2", "Atlas A3"),
            kernels=("SmoothL1LossGradV2",),
        ),
        accuracy=accuracy,
    )
)


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
    """Return the gradient of the smooth L1 loss with respect to ``self``.

    With ``d = self - target`` it is ``norm * slope * grad_out``. The slope is ``d / beta`` for
    ``|d| < beta`` and the sign of ``d`` otherwise; the norm is 1 / number of elements of the result
    for the mean, else 1.

    Parameters
    ----------
    grad_out, self, target : array
        Gradient of the loss, prediction and target; rank 0 to 8, F16, BF16, F32 or F64 (types may
        differ). Shapes broadcast.
    reduction : {"none", "mean", "sum"} or {0, 1, 2}, optional
        How the forward operator reduced the elementwise losses.
    beta : real number, optional
        The ``|d|`` at which the loss turns from quadratic to linear; at least 0, narrowed to
        float32. 0 gives the gradient of the L1 loss.
    out : array, optional
        Output array with the broadcast shape and any float dtype. It must not overlap an input
        unless it is the same view.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64"} or dtype, optional
        Type in which the formula is evaluated, in any form that `cast` accepts. None means F64 for
        F64 data and F32 for all other data.

    Returns
    -------
    array
        The caller's kind of array, with the broadcast shape and the promoted type, in the memory
        layout that NumPy's functions choose (``order="K"``); ``out`` if given.

    Raises
    ------
    ArgumentTypeError
        If an argument is not an array or has an unsupported dtype.
    ArgumentValueError
        If shapes do not broadcast, a rank exceeds 8, the reduction is unknown, ``beta`` is negative
        or NaN, or ``out`` has the wrong shape, overlaps an input, is read-only or does not share
        its memory with NumPy.

    Notes
    -----
    The formula is the vendor's (aclnnSmoothL1LossBackward). With ``beta`` 0 and ``d`` 0 the result
    is 0, where PyTorch gives ``-grad_out``. The loss depends only on ``self - target``, so the
    gradient with respect to ``target`` is the negative of this one. Where an input was broadcast,
    its gradient is the sum over the broadcast axes.

    Rounding: for every ``compute_dtype``, the result is rounded to the promoted type of the inputs
    and then cast to the type of ``out``: from BF16 inputs, an F32 ``out`` gets BF16 values. In F64
    arithmetic it is rounded once, directly to the type of ``out``.

    Accuracy: in F32 arithmetic, the default, an F32 result is within 1 ulp of the exact value,
    1.5 ulp for the mean, and an F16 or BF16 result within 0.5 + 1/256 ulp, wherever
    ``norm * slope`` is 0 or a normal float32. In F64 arithmetic F16, BF16 and F32 results are
    correctly rounded and F64 results within 1 ulp.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.array([0.5, 2.0, -3.0], np.float32)
    >>> ar.smooth_l1_loss_backward(np.ones_like(x), x, np.zeros_like(x), "sum")
    array([ 0.5,  1. , -1. ], dtype=float32)
    """
    return array_call(OPERATOR, (grad_out, self, target), (reduction, beta), out, compute_dtype)
