"""Formulas over any numbers, for tests of the arithmetics; the judge evaluates the same ones."""

from __future__ import annotations

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


def hardshrink_backward(grad_output: Any, self: Any, lambd: Any) -> Any:
    """The gradient outside ±λ."""
    return select(abs(self) > lambd, grad_output, 0.0)


def smooth_l1_backward(grad_out: Any, self: Any, target: Any, beta: Any, count: Any) -> Any:
    """The slope of a parabola near 0, ±1 elsewhere."""
    d = self - target
    return select(abs(d) < beta, d / beta, sign(d)) * grad_out / count


def smooth_l1_unit(grad_out: Any, self: Any, target: Any, count: Any) -> Any:
    """The same for a parabola that ends at ±1."""
    d = self - target
    return select(abs(d) < 1.0, d, sign(d)) * grad_out / count


def softplus_backward(grad_output: Any, self: Any, beta: Any, threshold: Any) -> Any:
    """The gradient times the logistic function."""
    z = beta * self
    return select(z > threshold, grad_output, grad_output / one_plus_exp(-z))


def logit_backward(x: Any, dy: Any) -> Any:
    """The gradient over x·(1 - x)."""
    return dy / abs(x * (1.0 - x))


def prelu_backward(grad_output: Any, self: Any, weight: Any) -> Any:
    """The gradient, times the weight where the input is not positive."""
    return select(self > 0.0, grad_output, grad_output * weight)


def elu(x: Any, alpha: Any, scale: Any, input_scale: Any) -> Any:
    """Linear above 0, exponential below."""
    return scale * select(x > 0.0, x, alpha * expm1(input_scale * x))


def sigmoid(x: Any) -> Any:
    """The logistic function."""
    return logistic(x)


def log_sigmoid(x: Any) -> Any:
    """Its logarithm."""
    return -softplus(-x)


def silu(x: Any) -> Any:
    """x times the logistic function."""
    return x * logistic(x)


def silu_backward(grad_output: Any, x: Any) -> Any:
    """The derivative of silu times the gradient; 0 near -1.278."""
    return grad_output * (logistic(x) * (1.0 + x * logistic(-x)))


def mish(x: Any) -> Any:
    """x times the hyperbolic tangent of softplus."""
    return x * tanh(softplus(x))


def mish_backward(grad_output: Any, x: Any) -> Any:
    """The derivative of mish times the gradient; 0 near -1.192."""
    t = tanh(softplus(x))
    return grad_output * (t + x * logistic(x) * ((1.0 - t) * (1.0 + t)))


def gelu_erf(x: Any) -> Any:
    """x times the normal distribution function."""
    return x * normal_cdf(x)


def gelu_erf_backward(grad_output: Any, x: Any) -> Any:
    """The derivative of gelu times the gradient; 0 near -0.752."""
    return grad_output * (normal_cdf(x) + x * normal_pdf(x))


def gelu_tanh(x: Any) -> Any:
    """The approximation of gelu, which is x·logistic(2·inner)."""
    return x * logistic(2 * SQRT_2_OVER_PI * (x + CUBIC * x * x * x))


def gelu_tanh_backward(grad_output: Any, x: Any) -> Any:
    """Its derivative times the gradient; 0 near -0.752."""
    inner = 2 * SQRT_2_OVER_PI * (x + CUBIC * x * x * x)
    slope = 2 * SQRT_2_OVER_PI * (1.0 + 3 * CUBIC * x * x)
    return grad_output * (logistic(inner) * (1.0 + x * logistic(-inner) * slope))


def logit(x: Any) -> Any:
    """log(x / (1 - x)), without cancellation near 1/2."""
    near = log1p((2.0 * x - 1.0) / (1.0 - x))
    return select(abs(x - 0.5) < 0.25, near, log(x / (1.0 - x)))


def gelu_quick(x: Any) -> Any:
    """x times the logistic function of 1.702·x."""
    return x * logistic(Fraction("1.702") * x)


def scaled_by_inverse(x: Any, beta: Any) -> Any:
    """x times 1/β in float32."""
    return x * single(1.0 / beta)


def ratio(g: Any, x: Any, t: Any) -> Any:
    """A product over a number."""
    return g * x / t


def quotient(x: Any, y: Any) -> Any:
    """A number over another."""
    return x / y


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


BETA = float(np.float32(0.7))

#: formulas of operators, by name
CASES = {
    case.function.__name__: case
    for case in (
        Case(hardshrink_backward, 2, (0.5,), root=0.5),
        Case(smooth_l1_backward, 3, (BETA, 3.0)),
        Case(softplus_backward, 2, (BETA, 20.0)),
        Case(logit_backward, 2, unit=True),
        Case(prelu_backward, 3),
        Case(elu, 1, tuple(np.float32([1.6732632, 1.050701, 1.0]).tolist())),
        Case(sigmoid, 1),
        Case(log_sigmoid, 1),
        Case(silu, 1),
        Case(silu_backward, 2, root=-1.2784645427610738),
        Case(mish, 1),
        Case(mish_backward, 2, root=-1.1924312314250706),
        Case(gelu_erf, 1),
        Case(gelu_erf_backward, 2, root=-0.7517915246935645),
        Case(gelu_tanh, 1),
        Case(gelu_tanh_backward, 2, root=-0.7524614220710162),
        Case(logit, 1, unit=True, root=0.5),
    )
}
#: functions, and formulas that are only for these tests
FUNCTIONS = {
    case.function.__name__: case
    for case in (
        *[Case(f, 1) for f in (exp, expm1, log, log1p, sqrt, tanh, softplus)],
        *[Case(f, 1) for f in (normal_cdf, normal_pdf, gelu_quick)],
        Case(smooth_l1_unit, 3, (12345.0,)),
        Case(scaled_by_inverse, 1, (3.0,)),
        Case(ratio, 3),
        Case(quotient, 2),
    )
}
