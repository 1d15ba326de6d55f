"""aclnnKlDivBackward and aclnnKlDivTargetBackward: gradients of the Kullback-Leibler divergence."""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import FLOAT16, FLOAT32, FLOAT64, ElementType
from ...declaration.fields import A2_A3, Forward, OnDevice, Types
from ...declaration.losses import BATCH_REDUCTION, cancelled, declare_gradient, loss_accuracy, norm
from ...declaration.scalars import RealNumber, ScalarParam
from ...declaration.shapes import shape_of
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, exp, log, select, within

#: beyond it every exponential overflows or underflows
LIMIT: Final = 2048.0


def divergence(self: Number, target: Number, log_target: Number) -> Number:
    """The loss itself: a target of 0 costs nothing, whose logarithm is not asked for."""
    zero = target == 0.0
    given = target * log(select(zero, 1.0, target)) - target * self
    return select(log_target == 1.0, exp(target) * (target - self), given)


def of_self(
    grad_output: Number, self: Number, target: Number, reduction: Number, size: Number
) -> Number:
    """The gradient for ``self``, which does not depend on it."""
    return norm(reduction, size) * -target * grad_output


def of_self_log(
    grad_output: Number, self: Number, target: Number, reduction: Number, size: Number
) -> Number:
    """The same for logarithms of targets. No exponential underflows before an infinite factor."""
    return norm(reduction, size) * -exp(within(target, LIMIT, grad_output)) * grad_output


def of_target(
    grad_output: Number, self: Number, target: Number, reduction: Number, size: Number
) -> Number:
    """The gradient for the target."""
    return norm(reduction, size) * (log(target) - self + 1.0) * grad_output


def of_target_log(
    grad_output: Number, self: Number, target: Number, reduction: Number, size: Number
) -> Number:
    """The same for logarithms of targets."""
    z = within(target, LIMIT, grad_output, self)
    return norm(reduction, size) * (exp(z) * (target - self + 1.0)) * grad_output


def computed(types: Types) -> ElementType:
    """The device computes in F32, unless all tensors are F16."""
    if FLOAT64 in types:
        return FLOAT64
    return FLOAT16 if set(types) == {FLOAT16} else FLOAT32


def factor(target: Number, log_target: Number) -> Number:
    """The exponential of a logarithm of a target."""
    return select(log_target == 1.0, exp(target), 1.0)


def total(self: Number, target: Number, log_target: Number) -> Number:
    """The sum that an exponential is multiplied by."""
    return select(log_target == 1.0, target - self + 1.0, 0.0)


def product(self: Number, target: Number, log_target: Number) -> Number:
    """The factor of the gradient for a logarithm of a target."""
    return select(log_target == 1.0, exp(target) * (target - self + 1.0), 0.0)


def rounded(self: NDArray[np.float64], target: NDArray[np.float64]) -> Any:
    """Return the error from rounding the terms, with a logarithm or without."""
    return np.fmax(
        *[
            cancelled(2.0, abs(first) + abs(self) + 1.0, first - self + 1.0)
            for first in (np.log(target), target)
        ]
    )


NORM: Final = r"""
    \text{norm} = \begin{cases}
        1 / N & \text{for the mean of } N \text{ results} \\
        1 / B & \text{for the mean over a first axis of length } B \\
        1 & \text{otherwise}
    \end{cases}
"""
LOG_TARGET: Final = ScalarParam("log_target", c_type="bool")
FORWARD: Final = Forward(
    "kl_div", divergence, "the Kullback-Leibler divergence ``target * (log(target) - x)``"
)
SELF_FORMULA: Final = Formula.of_forms(of_self, of_self_log, scalars=1)
GRADIENT: Final = declare_gradient(
    SELF_FORMULA,
    LOG_TARGET,
    reduction=BATCH_REDUCTION,
    name="kl_div_backward",
    api="aclnnKlDivBackward",
    latex=r"""
        \text{grad_input} = -\text{norm} \cdot \text{grad_output} \cdot \begin{cases}
            e^\text{target} & \text{if log_target} \\
            \text{target} & \text{otherwise}
        \end{cases} \qquad
    """
    + NORM,
    shapes=shape_of("self"),
    device=OnDevice(A2_A3, ("KlDivLossGrad",), least_rank=1),
    result=computed,
    accuracy=loss_accuracy(
        2.0, SELF_FORMULA, mean=1.5, decays=True, parts={"exp(target) with log_target": factor}
    ),
    forward=FORWARD,
    settings=({"reduction": "none"}, {"reduction": "none", "log_target": 1, "target": "self"}, {}),
)
TARGET_FORMULA: Final = Formula.of_forms(of_target, of_target_log, scalars=1)
TARGET_GRADIENT: Final = declare_gradient(
    TARGET_FORMULA,
    LOG_TARGET,
    reduction=BATCH_REDUCTION,
    name="kl_div_target_backward",
    api="aclnnKlDivTargetBackward",
    outputs=("grad_target",),
    latex=r"""
        \text{grad_target} = \text{norm} \cdot \text{grad_output} \cdot \begin{cases}
            e^\text{target} \, (\text{target} - \text{self} + 1) & \text{if log_target} \\
            \ln \text{target} - \text{self} + 1 & \text{otherwise}
        \end{cases} \qquad
    """
    + NORM,
    shapes=shape_of("target"),
    device=OnDevice(A2_A3, ("KlDivTargetLossGrad",), types="target", least_rank=1),
    result=computed,
    accuracy=loss_accuracy(
        3.0,
        TARGET_FORMULA,
        mean=1.5,
        decays=True,
        parts={"exp(target)": factor, "sum": total, "product with log_target": product},
        more=rounded,
        words="+ 2 · terms / sum, ",
    ),
    forward=FORWARD,
    settings=(
        {"reduction": "none"},
        {"reduction": "none", "log_target": 1},
        {"reduction": "none", "target": "self"},
        {},
    ),
)


@documented(GRADIENT)
def kl_div_backward(
    grad_output: ArrayT,
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum", "batchmean"] | RealNumber = "mean",
    log_target: bool = False,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``-norm * target * grad_output``, a gradient of the Kullback-Leibler divergence.

    Parameters
    ----------
    grad_output, self, target : array, broadcast to the shape of ``self``
        ``self`` has logarithms of predictions.
    log_target : bool, optional, whether ``target`` has logarithms: ``exp(target)`` is its value
        Whether the target is given as its logarithm.

    Notes
    -----
    Formula: the kernel of aclnnKlDivBackward, whose page has none. The vendor's function also takes
    a ``self`` that is smaller than the target, and sums the gradient over the axes that broadcast;
    such shapes are refused here. This is the gradient for ``self``; `kl_div_target_backward` is
    that for the target.

    As on the device, the result is rounded to F32 unless all tensors are F16 or one is F64, and
    then cast to the type of ``out``.

    F32: 2 ulp, 3.5 ulp for a mean, wherever the result for a gradient of 1 and, with
    ``log_target``, ``exp(target)`` are 0 or normal.

    Examples
    --------
    >>> x, target = np.zeros((2, 2), np.float32), np.array([[0.25, 0.75], [0.5, 0.5]], np.float32)
    >>> ar.kl_div_backward(np.float32(1), x, target, "batchmean")
    array([[-0.125, -0.375],
           [-0.25 , -0.25 ]], dtype=float32)
    """
    arguments = (grad_output, self, target), (reduction, log_target)
    return array_call(GRADIENT, *arguments, out, compute_dtype)


@documented(TARGET_GRADIENT)
def kl_div_target_backward(
    grad_output: ArrayT,
    self: ArrayT,
    target: ArrayT,
    reduction: Literal["none", "mean", "sum", "batchmean"] | RealNumber = "mean",
    log_target: bool = False,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of the Kullback-Leibler divergence for the target.

    It is ``norm * (log(target) - self + 1) * grad_output``, for logarithms of targets
    ``norm * exp(target) * (target - self + 1) * grad_output``.

    Parameters
    ----------
    grad_output, self, target : array, broadcast to the shape of ``target``
        ``self`` has logarithms of predictions.
    log_target : bool, optional, whether ``target`` has logarithms
        Whether the target is given as its logarithm.

    Notes
    -----
    Formula: aclnnKlDivTargetBackward. A target of 0 gives an infinite result without
    ``log_target``, a negative one NaN. `kl_div_backward` is the gradient for ``self``.

    The result is rounded as that of `kl_div_backward`.

    F32: 3 ulp, 4.5 ulp for a mean, plus 2 ulp times the magnitudes of the three terms, which may
    cancel, divided by their sum. This holds for terms of at most 2**20 times the sum, wherever the
    result for a gradient of 1 and, with ``log_target``, ``exp(target)``, the sum and their product
    are 0 or normal. F64 results are within 1 ulp plus 2**-6 ulp times the same quotient there.

    Examples
    --------
    >>> x, target = np.array([-1, -1], np.float32), np.array([0.5, 1], np.float32)
    >>> ar.kl_div_target_backward(np.float32(1), x, target, "sum")
    array([1.3068528, 2.       ], dtype=float32)
    """
    arguments = (grad_output, self, target), (reduction, log_target)
    return array_call(TARGET_GRADIENT, *arguments, out, compute_dtype)
