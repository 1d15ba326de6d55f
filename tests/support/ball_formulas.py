"""Formulas for tests of balls, and the same in ball arithmetic of any precision (Arb)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from flint import arb, fmpq

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

ROOT_2_OVER_PI = Fraction("0.797884560802865355879892119868763736951717262329869315331851659341")


class Case(NamedTuple):
    """A formula, its number of tensors, the values of its scalars, and its exact value."""

    formula: Callable[..., Any]
    tensors: int
    scalars: tuple[float, ...]
    exact: Callable[..., Any]


def hardshrink(g: Any, x: Any, lambd: Any) -> Any:
    return select(abs(x) > lambd, g, 0.0)


def smooth_l1(g: Any, x: Any, t: Any, beta: Any, count: Any) -> Any:
    d = x - t
    return select(abs(d) < beta, d / beta, sign(d)) * g / count


def smooth_l1_unit(g: Any, x: Any, t: Any, count: Any) -> Any:
    d = x - t
    return select(abs(d) < 1.0, d, sign(d)) * g / count


def softplus_gradient(g: Any, x: Any, beta: Any, threshold: Any) -> Any:
    z = beta * x
    return select(z > threshold, g, g / one_plus_exp(-z))


def logit_gradient(g: Any, x: Any) -> Any:
    return g / abs(x * (1.0 - x))


def prelu(g: Any, x: Any, w: Any) -> Any:
    return select(x > 0.0, g, g * w)


def elu(x: Any, alpha: Any) -> Any:
    return select(x > 0.0, x, alpha * expm1(x))


def log_sigmoid(x: Any) -> Any:
    return -softplus(-x)


def silu(x: Any) -> Any:
    return x * logistic(x)


def silu_gradient(g: Any, x: Any) -> Any:
    return g * (logistic(x) * (1.0 + x * logistic(-x)))


def mish(x: Any) -> Any:
    return x * tanh(softplus(x))


def mish_gradient(g: Any, x: Any) -> Any:
    t = tanh(softplus(x))
    return g * (t + x * logistic(x) * ((1.0 - t) * (1.0 + t)))


def gelu(x: Any) -> Any:
    return x * normal_cdf(x)


def gelu_gradient(g: Any, x: Any) -> Any:
    return g * (normal_cdf(x) + x * normal_pdf(x))


def gelu_tanh(x: Any) -> Any:
    inner = 2 * ROOT_2_OVER_PI * (x + Fraction("0.044715") * x * x * x)
    return x * logistic(inner)


def gelu_tanh_gradient(g: Any, x: Any) -> Any:
    inner = 2 * ROOT_2_OVER_PI * (x + Fraction("0.044715") * x * x * x)
    slope = 2 * ROOT_2_OVER_PI * (1 + Fraction("0.134145") * x * x)
    return g * (logistic(inner) * (1 + x * logistic(-inner) * slope))


def gelu_quick(x: Any) -> Any:
    return x * logistic(Fraction("1.702") * x)


def scaled_by_inverse(x: Any, beta: Any) -> Any:
    return x * single(1.0 / beta)


def ratio(g: Any, x: Any, t: Any) -> Any:
    return g * x / t


# --- the same, exactly ----------------------------------------------------------------------------


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + (-x).exp()) if x >= 0 else x.exp() / (1 + x.exp())


def _softplus(x: Any) -> Any:
    return x.exp().log1p() if x <= 0 else x + (-x).exp().log1p()


def _cdf(x: Any) -> Any:
    return (-x / arb(2).sqrt()).erfc() / 2


def _pdf(x: Any) -> Any:
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def _clip(d: Any, beta: Any) -> Any:
    return d / beta if abs(d) < beta else arb(1 if d > 0 else -1 if d < 0 else 0)


def _mish_gradient(g: Any, x: Any) -> Any:
    t, u = _softplus(x).tanh(), 2 * _softplus(x)
    return g * (t + x * _sigmoid(x) * 4 * u.exp() / (u.exp() + 1) ** 2)


def _inner(x: Any) -> Any:
    return 2 * (2 / arb.pi()).sqrt() * (x + arb(fmpq(44715, 10**6)) * x**3)


def _gelu_tanh_gradient(g: Any, x: Any) -> Any:
    z = _inner(x)
    slope = 2 * (2 / arb.pi()).sqrt() * (1 + arb(fmpq(134145, 10**6)) * x**2)
    return g * (_sigmoid(z) + x * _sigmoid(z) * _sigmoid(-z) * slope)


CASES = {
    "hardshrink": Case(hardshrink, 2, (0.5,), lambda g, x, b: g if abs(x) > b else arb(0)),
    "smooth_l1": Case(
        smooth_l1, 3, (0.699999988079071, 1.0), lambda g, x, t, b, n: _clip(x - t, b) * g / n
    ),
    "smooth_l1_mean": Case(
        smooth_l1, 3, (0.699999988079071, 65536.0), lambda g, x, t, b, n: _clip(x - t, b) * g / n
    ),
    "smooth_l1_unit": Case(
        smooth_l1_unit, 3, (12345.0,), lambda g, x, t, n: _clip(x - t, arb(1)) * g / n
    ),
    "softplus_gradient": Case(
        softplus_gradient,
        2,
        (1.0, 20.0),
        lambda g, x, b, t: g if b * x > t else g * _sigmoid(b * x),
    ),
    "logit_gradient": Case(logit_gradient, 2, (), lambda g, x: g / abs(x * (1 - x))),
    "prelu": Case(prelu, 3, (), lambda g, x, w: g if x > 0 else g * w),
    "elu": Case(elu, 1, (1.100000023841858,), lambda x, a: x if x > 0 else a * x.expm1()),
    "sigmoid": Case(logistic, 1, (), _sigmoid),
    "log_sigmoid": Case(log_sigmoid, 1, (), lambda x: -_softplus(-x)),
    "silu": Case(silu, 1, (), lambda x: x * _sigmoid(x)),
    "silu_gradient": Case(
        silu_gradient, 2, (), lambda g, x: g * _sigmoid(x) * (1 + x * _sigmoid(-x))
    ),
    "mish": Case(mish, 1, (), lambda x: x * _softplus(x).tanh()),
    "mish_gradient": Case(mish_gradient, 2, (), _mish_gradient),
    "gelu": Case(gelu, 1, (), lambda x: x * _cdf(x)),
    "gelu_gradient": Case(gelu_gradient, 2, (), lambda g, x: g * (_cdf(x) + x * _pdf(x))),
    "gelu_tanh": Case(gelu_tanh, 1, (), lambda x: x * _sigmoid(_inner(x))),
    "gelu_tanh_gradient": Case(gelu_tanh_gradient, 2, (), _gelu_tanh_gradient),
    "exp": Case(exp, 1, (), lambda x: x.exp()),
    "expm1": Case(expm1, 1, (), lambda x: x.expm1()),
    "log": Case(log, 1, (), lambda x: x.log()),
    "log1p": Case(log1p, 1, (), lambda x: x.log1p()),
    "sqrt": Case(sqrt, 1, (), lambda x: x.sqrt()),
    "single": Case(
        scaled_by_inverse, 1, (3.0,), lambda x, b: x * arb(float(np.float32(1 / float(b))))
    ),
    "ratio": Case(ratio, 3, (), lambda g, x, t: g * x / t),
    "gelu_quick": Case(gelu_quick, 1, (), lambda x: x * _sigmoid(x * arb(fmpq(1702, 1000)))),
}
