"""Formulas over any numbers, for tests of the arithmetics; the judge evaluates the same ones."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ascendref.kernels.arithmetic.functions import (
    exp,
    expm1,
    log,
    log1p,
    logistic,
    normal_cdf,
    normal_pdf,
    one_plus_exp,
    select,
    sign,
    single,
    softplus,
    sqrt,
    tanh,
)

#: the root of 2/π, rounded to 66 digits
SQRT_2_OVER_PI = Fraction("0.797884560802865355879892119868763736951717262329869315331851659341")
CUBIC = Fraction("0.044715")
BETA = float(np.float32(0.7))
#: no double
LIMIT = Fraction("1.758099340847376624")


class Case(NamedTuple):
    """A formula and what it takes."""

    function: Callable[..., Any]
    tensors: int
    #: float32 numbers
    scalars: tuple[float, ...] = ()
    #: whether the first tensor is in (0, 1)
    unit: bool = False
    #: where it, or its derivative, is 0
    root: float = 0.0


def _smooth_l1_backward(grad_out: Any, self: Any, target: Any, beta: Any, count: Any) -> Any:
    d = self - target
    return select(abs(d) < beta, d / beta, sign(d)) * grad_out / count


def _smooth_l1_unit(grad_out: Any, self: Any, target: Any, count: Any) -> Any:
    d = self - target
    return select(abs(d) < 1.0, d, sign(d)) * grad_out / count


def _softplus_backward(grad_output: Any, self: Any, beta: Any, threshold: Any) -> Any:
    z = beta * self
    return select(z > threshold, grad_output, grad_output / one_plus_exp(-z))


def _mish_backward(grad_output: Any, x: Any) -> Any:
    t = tanh(softplus(x))
    return grad_output * (t + x * logistic(x) * ((1.0 - t) * (1.0 + t)))


def _gelu_tanh_backward(grad_output: Any, x: Any) -> Any:
    inner = 2 * SQRT_2_OVER_PI * (x + CUBIC * x * x * x)
    slope = 2 * SQRT_2_OVER_PI * (1.0 + 3 * CUBIC * x * x)
    return grad_output * (logistic(inner) * (1.0 + x * logistic(-inner) * slope))


def _logit(x: Any) -> Any:
    """Without cancellation near 1/2."""
    near = log1p((2.0 * x - 1.0) / (1.0 - x))
    return select(abs(x - 0.5) < 0.25, near, log(x / (1.0 - x)))


#: formulas of operators
CASES = {
    "hardshrink_backward": Case(
        lambda g, x, lambd: select(abs(x) > lambd, g, 0.0), 2, (0.5,), root=0.5
    ),
    "smooth_l1_backward": Case(_smooth_l1_backward, 3, (BETA, 3.0)),
    "softplus_backward": Case(_softplus_backward, 2, (BETA, 20.0)),
    "logit_backward": Case(lambda x, dy: dy / abs(x * (1.0 - x)), 2, unit=True),
    "prelu_backward": Case(lambda g, x, weight: select(x > 0.0, g, g * weight), 3),
    "elu": Case(
        lambda x, alpha, scale, input_scale: (
            scale * select(x > 0.0, x, alpha * expm1(input_scale * x))
        ),
        1,
        tuple(np.float32([1.6732632, 1.050701, 1.0]).tolist()),
    ),
    "sigmoid": Case(logistic, 1),
    "log_sigmoid": Case(lambda x: -softplus(-x), 1),
    "silu": Case(lambda x: x * logistic(x), 1),
    "silu_backward": Case(
        lambda g, x: g * (logistic(x) * (1.0 + x * logistic(-x))), 2, root=-1.2784645427610738
    ),
    "mish": Case(lambda x: x * tanh(softplus(x)), 1),
    "mish_backward": Case(_mish_backward, 2, root=-1.1924312314250706),
    "gelu_erf": Case(lambda x: x * normal_cdf(x), 1),
    "gelu_erf_backward": Case(
        lambda g, x: g * (normal_cdf(x) + x * normal_pdf(x)), 2, root=-0.7517915246935645
    ),
    "gelu_tanh": Case(lambda x: x * logistic(2 * SQRT_2_OVER_PI * (x + CUBIC * x * x * x)), 1),
    "gelu_tanh_backward": Case(_gelu_tanh_backward, 2, root=-0.7524614220710162),
    "logit": Case(_logit, 1, unit=True, root=0.5),
}
#: functions, and formulas that are only for these tests
FUNCTIONS = {
    **{f.__name__: Case(f, 1) for f in (exp, expm1, log, log1p, sqrt, tanh, softplus)},
    **{f.__name__: Case(f, 1) for f in (normal_cdf, normal_pdf)},
    "gelu_quick": Case(lambda x: x * logistic(Fraction("1.702") * x), 1),
    "smooth_l1_unit": Case(_smooth_l1_unit, 3, (12345.0,)),
    "scaled_by_inverse": Case(lambda x, beta: x * single(1.0 / beta), 1, (3.0,)),
    "ratio": Case(lambda g, x, t: g * x / t, 3),
    "quotient": Case(lambda x, y: x / y, 2),
    "log1p_of_quotient": Case(lambda x, y: log1p(abs(x) / abs(y)), 2),
    "sum_with_constant": Case(lambda g, x: g * (x + LIMIT), 2, root=-float(LIMIT)),
    "compared_with_constant": Case(
        lambda x: select(x * (1.0 - x) < Fraction(1, 10), x, -x), 1, root=0.1127016653792583
    ),
}
