"""Formulas of pairs against balls of 240 bits, and their infinities, NaN and signs of zeros."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np
import pytest
from numpy.typing import NDArray

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
from ascendref.kernels.arithmetic.pair import Pair
from tests.support.traced import compiled

Array = NDArray[np.float64]

#: results below it, or results of intermediate ones below it, may be off by an ulp or more
_SMALL = 2.0**-1018
_SELU = 1.6732632423543772


def _exact_logistic(x: Any) -> Any:
    return 1 / (1 + (-x).exp()) if x > -5000 else flint.arb(-5000).exp()


def _exact_softplus(x: Any) -> Any:
    return x.exp().log1p() if x < 5000 else x


def _exact_cdf(x: Any) -> Any:
    return (-x / flint.arb(2).sqrt()).erfc() / 2


def _exact_pdf(x: Any) -> Any:
    return (-x * x / 2).exp() / (2 * flint.arb.pi()).sqrt()


def _smooth_l1_backward(g: Any, x: Any, target: Any, beta: Any, count: Any) -> Any:
    d = x - target
    return select(abs(d) < beta, d / beta, sign(d)) * g / count


def _exact_smooth_l1_backward(g: Any, x: Any, target: Any, beta: Any, count: Any) -> Any:
    d = x - target
    slope = d / beta if abs(d) < beta else (d > 0) - (d < 0)
    return slope * g / count


class _Case(NamedTuple):
    """A formula."""

    formula: Callable[..., Any]
    exact: Callable[..., Any]  #: of balls
    operands: Callable[[int, np.random.Generator], tuple[Array, ...]]
    small: float = _SMALL  #: what its results are compared from


# --- operands: a number of them and a generator of random numbers give arrays ---------------------


def _signs(n: int, rng: np.random.Generator) -> Array:
    return rng.choice([-1.0, 1.0], n)


def _any(n: int, rng: np.random.Generator) -> Array:
    """Return numbers of any magnitude."""
    return np.asarray(np.exp2(rng.uniform(-1074, 1023.9, n)) * _signs(n, rng))


def _usual(n: int, rng: np.random.Generator) -> Array:
    """Return arguments of activation functions."""
    parts = [
        rng.uniform(-3, 3, n),
        rng.normal(0, 8, n),
        rng.uniform(-45, 45, n),
        np.exp2(rng.uniform(-60, 4, n)) * _signs(n, rng),
    ]
    return np.asarray(rng.permutation(np.concatenate(parts))[:n])


def _wide(n: int, rng: np.random.Generator) -> Array:
    """Return these, what makes exponentials underflow or overflow, and any others."""
    parts = [_usual(n, rng), rng.uniform(-1456, 1456, n), rng.uniform(-760, 760, n), _any(n, rng)]
    return np.asarray(rng.permutation(np.concatenate(parts))[:n])


def _unit(n: int, rng: np.random.Generator) -> Array:
    """Return numbers between 0 and 1, next to the ends above all."""
    parts = [
        rng.uniform(0, 1, n),
        np.exp2(rng.uniform(-1074, -1, n)),
        1 - np.exp2(rng.uniform(-53, -1, n)),
    ]
    return np.asarray(rng.permutation(np.concatenate(parts))[:n])


def _one(make: Callable[..., Array]) -> Callable[..., tuple[Array, ...]]:
    return lambda n, rng: (make(n, rng),)


def _two(first: Callable[..., Array], second: Callable[..., Array]) -> Any:
    return lambda n, rng: (first(n, rng), second(n, rng))


def _above_minus_1(n: int, rng: np.random.Generator) -> tuple[Array, ...]:
    parts = [abs(_any(n, rng)), np.exp2(rng.uniform(-60, 0, n)) * _signs(n, rng), -_unit(n, rng)]
    return (rng.permutation(np.concatenate(parts))[:n].clip(-1 + 2.0**-53),)


def _positive(n: int, rng: np.random.Generator) -> tuple[Array, ...]:
    near_1 = 1 + np.exp2(rng.uniform(-52, -1, n)) * _signs(n, rng)
    return (rng.permutation(np.concatenate([abs(_any(n, rng)), near_1]))[:n],)


def _losses(n: int, rng: np.random.Generator) -> tuple[Array, ...]:
    x = _usual(n, rng)
    near = x * (1 + np.exp2(rng.uniform(-52, -1, n)))
    target = np.where(rng.random(n) < 0.5, _usual(n, rng), near)
    gradient = np.exp2(rng.uniform(-900, 1000, n)) * _signs(n, rng)
    return gradient, x, target, rng.uniform(1e-3, 4, n), rng.integers(1, 10**6, n).astype(float)


_CASES: dict[str, _Case] = {
    "softplus_backward": _Case(
        lambda g, z: g / one_plus_exp(-z), lambda g, z: g * _exact_logistic(z), _two(_any, _wide)
    ),
    "softplus_backward of a product": _Case(
        lambda g, x, beta: g / one_plus_exp(-(beta * x)),
        lambda g, x, beta: g * _exact_logistic(beta * x),
        lambda n, rng: (_any(n, rng), _wide(n, rng).clip(-2000, 2000), rng.uniform(0.1, 2, n)),
    ),
    "smooth_l1_backward": _Case(_smooth_l1_backward, _exact_smooth_l1_backward, _losses),
    "logit_grad": _Case(
        lambda x, dy: dy / abs(x * (1.0 - x)),
        lambda x, dy: dy / abs(x * (1 - x)),
        _two(_unit, _any),
    ),
    "silu": _Case(lambda x: x / one_plus_exp(-x), lambda x: x * _exact_logistic(x), _one(_wide)),
    "elu": _Case(
        lambda x: select(x > 0.0, x, expm1(x) * _SELU),
        lambda x: x if x > 0 else x.expm1() * flint.arb(_SELU),
        _one(_wide),
    ),
    "log_sigmoid": _Case(lambda x: -softplus(-x), lambda x: -_exact_softplus(-x), _one(_wide)),
    # their second factors are subnormal before the products are
    "gelu": _Case(
        lambda x: x * normal_cdf(x), lambda x: x * _exact_cdf(x), _one(_usual), 2.0**-1009
    ),
    "mish": _Case(
        lambda x: x * tanh(softplus(x)),
        lambda x: x * _exact_softplus(x).tanh(),
        _one(_wide),
        2.0**-1007,
    ),
    "logistic": _Case(logistic, _exact_logistic, _one(_wide)),
    "exp": _Case(exp, lambda x: x.exp(), lambda n, rng: (rng.uniform(-746, 709.7, n),)),
    "expm1": _Case(expm1, lambda x: x.expm1(), lambda n, rng: (_wide(n, rng).clip(-1e4, 709.7),)),
    "log": _Case(log, lambda x: x.log(), _positive),
    "log1p": _Case(log1p, lambda x: x.log1p(), _above_minus_1),
    "tanh": _Case(tanh, lambda x: x.tanh(), _one(_wide)),
    "normal_cdf": _Case(normal_cdf, _exact_cdf, _one(_usual)),
    "normal_pdf": _Case(normal_pdf, _exact_pdf, _one(_usual)),
    "softplus": _Case(softplus, _exact_softplus, _one(_wide)),
    "sqrt": _Case(sqrt, lambda x: x.sqrt(), _positive),
    "division": _Case(operator.truediv, operator.truediv, _two(_any, _any)),
}

#: Their derivatives are 0 somewhere; apart from that neighbourhood they are like the others.
_CANCELLING: dict[str, tuple[Callable[..., Any], Callable[..., Any], float, float]] = {
    "silu_backward": (
        lambda g, x: g * (logistic(x) * (1.0 + x * logistic(-x))),
        lambda g, x: g * _exact_logistic(x) * (1 + x * _exact_logistic(-x)),
        -1.2784645427610738,
        2.0**-67,
    ),
    "gelu_backward": (
        lambda g, x: g * (normal_cdf(x) + x * normal_pdf(x)),
        lambda g, x: g * (_exact_cdf(x) + x * _exact_pdf(x)),
        -0.7517915246935645,
        2.0**-60,
    ),
}


def _run(formula: Callable[..., Any], *arrays: Any) -> Array:
    """Return the formula of pairs, rounded, or its condition."""

    def trace(*registers: Any) -> Any:
        result = formula(*map(Pair, registers))
        return result.rounded() if isinstance(result, Pair) else result.bit

    operands = [np.asarray(array, np.float64) for array in arrays]
    return np.asarray(compiled(trace, *[np.float64] * len(operands))(*operands)[0])


def _errors(
    formula: Callable[..., Any], exact: Callable[..., Any], arrays: tuple[Array, ...]
) -> tuple[Array, Array, Array]:
    """Return the results, rounded exact values, and errors."""
    results = _run(formula, *arrays)
    values, errors = np.empty_like(results), np.empty_like(results)
    with flint.ctx.workprec(240):
        for k, row in enumerate(zip(*arrays, strict=True)):
            value = exact(*[flint.arb(float(x)) for x in row])
            values[k] = float(value)
            if np.isfinite(results[k]) and np.isfinite(values[k]):
                # an ulp of a tiny number has a reciprocal that is no double
                ulp = flint.arb(math.ulp(values[k]))
                errors[k] = abs(float((flint.arb(float(results[k])) - value) / ulp))
            else:
                errors[k] = 0.0 if results[k] == values[k] else math.inf
    return results, values, errors


def _check(name: str, count: int) -> None:
    case = _CASES[name]
    arrays = case.operands(count, np.random.default_rng(len(name)))
    _, values, errors = _errors(case.formula, case.exact, arrays)
    usual = np.abs(values) >= case.small
    assert errors[usual].max() < 0.7
    if case.small == _SMALL:
        assert errors.max() < 1.5


@pytest.mark.parametrize("name", _CASES)
def test_result_is_within_three_quarters_of_an_ulp(name: str) -> None:
    _check(name, 2000)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", _CASES)
def test_result_is_within_three_quarters_of_an_ulp_everywhere(name: str) -> None:
    _check(name, 100_000)


def _check_cancelling(name: str, count: int) -> None:
    formula, exact, zero, most = _CANCELLING[name]
    rng = np.random.default_rng(5)
    gradient, x = rng.normal(0, 1, count), rng.uniform(-20, 20, count)
    _, _, errors = _errors(formula, exact, (gradient, x))
    assert errors[np.abs(x - zero) > 2.0**-5].max() < 0.75
    x = zero * (1 + np.exp2(-rng.uniform(20, 50, count)) * _signs(count, rng))
    _, values, errors = _errors(formula, exact, (np.ones(count), x))
    assert (errors * np.spacing(np.abs(values))).max() < most


@pytest.mark.parametrize("name", _CANCELLING)
def test_error_next_to_a_zero_is_small_beside_the_terms(name: str) -> None:
    _check_cancelling(name, 1500)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", _CANCELLING)
def test_error_next_to_a_zero_is_small_beside_the_terms_everywhere(name: str) -> None:
    _check_cancelling(name, 100_000)


def test_constants_that_are_no_doubles_are_pairs() -> None:
    x = np.random.default_rng(1).normal(0, 1, 1000)
    results = _run(lambda x: x * Fraction(1, 3) / Fraction(1, 7) - Fraction(1, 9), x)
    for number, result in zip(map(Fraction, x.tolist()), results.tolist(), strict=True):
        exact = number * 7 / 3 - Fraction(1, 9)
        assert abs(Fraction(result) - exact) <= Fraction(0.501) * Fraction(math.ulp(result))


# --- infinities, NaN and zeros --------------------------------------------------------------------

_ENDS = np.array(
    [
        0.0,
        -0.0,
        math.inf,
        -math.inf,
        math.nan,
        1,
        -1,
        0.5,
        5e-324,
        -5e-324,
        1e-300,
        1.7e308,
        -1.7e308,
    ]
)

_PLAIN: dict[str, Callable[..., Any]] = {
    "softplus_backward": lambda g, z: g / (1 + np.exp(-z)),
    "logit_grad": lambda x, dy: dy / np.abs(x * (1 - x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x) * _SELU),
    "log_sigmoid": lambda x: -np.logaddexp(0, -x),
    "mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "tanh": np.tanh,
    "softplus": lambda x: np.logaddexp(0, x),
    "sqrt": np.sqrt,
    "division": lambda x, y: x / y,
}


def _same(left: Array, right: Array) -> NDArray[np.bool_]:
    """Whether two results are both NaN, or equal up to 4 ulp with the same sign."""
    near = np.isclose(left, right, rtol=2.0**-50, atol=1e-323, equal_nan=True)
    return near & (np.isnan(left) | (np.signbit(left) == np.signbit(right)))


@pytest.mark.parametrize("name", _PLAIN)
def test_ends_are_those_of_plain_doubles(name: str) -> None:
    formula = _CASES[name].formula
    two = name in ("softplus_backward", "logit_grad", "division")
    arrays = [part.ravel() for part in np.meshgrid(_ENDS, _ENDS)] if two else [_ENDS]
    with np.errstate(all="ignore"):
        expected = _PLAIN[name](*arrays)
    if name == "softplus_backward":
        # there, plain doubles divide an infinite gradient by an overflow
        expected = np.where((arrays[1] == -1.7e308) & np.isinf(arrays[0]), arrays[0], expected)
    assert _same(_run(formula, *arrays), expected).all()


def test_ends_of_smooth_l1_backward() -> None:
    parts = [part.ravel() for part in np.meshgrid(_ENDS, _ENDS, _ENDS)]
    g, x, target = parts
    beta, count = np.full_like(g, 0.5), np.full_like(g, 3.0)
    with np.errstate(all="ignore"):
        d = x - target
        expected = np.where(np.abs(d) < beta, d / beta, np.sign(d)) * g / count
    assert _same(_run(_smooth_l1_backward, *parts, beta, count), expected).all()


@pytest.mark.parametrize("function", [exp, expm1, log, log1p, logistic, normal_cdf, softplus, sqrt])
def test_second_double_of_a_vanishing_quotient_is_ignored(function: Callable[..., Any]) -> None:
    x = np.array([math.inf, -math.inf])
    results = _run(lambda x: function(abs(1.0 / x)), x)
    np.testing.assert_array_equal(results, _run(function, np.zeros(2)))


def test_quotient_is_right_where_the_exponential_is_beyond_the_doubles() -> None:
    gradient, z = np.array([1e308, 1.7e308, -1e308, 1e308]), np.array([-1400, -1450, -800, -1456.0])
    results = _run(_CASES["softplus_backward"].formula, gradient, z)
    with flint.ctx.workprec(240):
        exact = [
            float(flint.arb(float(g)) * _exact_logistic(flint.arb(float(y))))
            for g, y in zip(gradient, z, strict=True)
        ]
    np.testing.assert_allclose(results, exact, rtol=2.0**-52, atol=5e-324)


# --- comparisons and selection --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq"])
def test_comparison_uses_both_parts(name: str) -> None:
    compare = getattr(operator, name)
    steps = np.array([-(2.0**-70), 0.0, 2.0**-70])
    a, b = (part.ravel() for part in np.meshgrid(steps, steps))
    found = _run(lambda x, y: compare(1.0 + x, 1.0 + y), a, b)
    np.testing.assert_array_equal(found, compare(a, b))


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq"])
def test_comparison_of_infinities_and_nan_is_that_of_doubles(name: str) -> None:
    compare = getattr(operator, name)
    a, b = (part.ravel() for part in np.meshgrid(_ENDS, _ENDS))
    np.testing.assert_array_equal(_run(compare, a, b), compare(a, b))
    # infinities whose second doubles are NaN or infinite
    with np.errstate(over="ignore"):
        expected = compare(a * 3.0, b * 3.0)
    np.testing.assert_array_equal(_run(lambda x, y: compare(x * 3.0, y * 3.0), a, b), expected)


def test_conditions_combine() -> None:
    x = np.array([-2.0, -0.5, 0.5, 2.0])
    inside = _run(lambda x: (x > -1.0) & (x < 1.0), x)
    outside = _run(lambda x: (x <= -1.0) | (x >= 1.0), x)
    np.testing.assert_array_equal(inside, [False, True, True, False])
    np.testing.assert_array_equal(outside, ~inside.astype(bool))
    np.testing.assert_array_equal(_run(lambda x: ~(x > 0.0), x), [True, True, False, False])


def test_select_takes_both_parts_and_constants() -> None:
    x = np.array([-1.0, 1.0])
    third = Fraction(1, 3)
    results = _run(lambda x: select(x > 0.0, third, 0.0) * 3.0 - 1.0, x)
    assert results[0] == -1.0
    assert abs(results[1]) < 2.0**-100
    np.testing.assert_array_equal(_run(lambda x: select(x > 0.0, x, 7.0), x), [7.0, 1.0])


def test_sign_and_single() -> None:
    np.testing.assert_array_equal(_run(sign, _ENDS), np.sign(_ENDS))
    x = np.array([0.1, 1e-50, 1e300, -0.0])
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(_run(single, x), x.astype(np.float32))
