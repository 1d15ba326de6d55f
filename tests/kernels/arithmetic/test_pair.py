"""Formulas of pairs against balls of 240 bits, and their infinities, NaN and signs of zeros."""

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

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
    one_plus_exp,
    select,
    sign,
    single,
    softplus,
    sqrt,
)
from ascendref.kernels.arithmetic.pair import Pair

from ...support import formulas
from ...support.judge import ball, judged
from ...support.stepped import stepped
from ...support.traced import compiled

Array = NDArray[np.float64]

#: results below it, or results of intermediate ones below it, may be off by an ulp or more
_SMALL = 2.0**-1018


def _formula(name: str) -> Callable[..., Any]:
    """Return a formula with its scalars."""
    case = (formulas.CASES | formulas.FUNCTIONS)[name]
    return lambda *tensors: case.function(*tensors, *case.scalars)


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
    return gradient, x, target


#: formula -> what makes its operands
_OPERANDS: dict[str, Callable[..., tuple[Array, ...]]] = {
    "softplus_backward": lambda n, rng: (_any(n, rng), _wide(n, rng).clip(-2000, 2000)),
    "smooth_l1_backward": _losses,
    "logit_backward": _two(_unit, _any),
    "silu": _one(_wide),
    "elu": _one(_wide),
    "log_sigmoid": _one(_wide),
    "gelu_erf": _one(_usual),
    "mish": _one(_wide),
    "sigmoid": _one(_wide),
    "exp": lambda n, rng: (rng.uniform(-746, 709.7, n),),
    "expm1": lambda n, rng: (_wide(n, rng).clip(-1e4, 709.7),),
    "log": _positive,
    "log1p": _above_minus_1,
    "tanh": _one(_wide),
    "normal_cdf": _one(_usual),
    "normal_pdf": _one(_usual),
    "softplus": _one(_wide),
    "sqrt": _positive,
    "quotient": _two(_any, _any),
}
#: what results are compared from, where factors are subnormal before their products are
_FROM = {"gelu_erf": 2.0**-1009, "mish": 2.0**-1007, "silu": 2.0**-1007}
#: largest errors next to the zeros of formulas
_CANCELLING = {"silu_backward": 2.0**-67, "gelu_erf_backward": 2.0**-60}


def _run(formula: Callable[..., Any], *arrays: Any) -> Array:
    """Return the formula of pairs, rounded, or its condition."""

    def trace(*registers: Any) -> Any:
        result = formula(*map(Pair, registers))
        return result.rounded() if isinstance(result, Pair) else result

    operands = [np.asarray(array, np.float64) for array in arrays]
    return np.asarray(compiled(trace, *[np.float64] * len(operands))(*operands)[0])


def _errors(name: str, arrays: tuple[Array, ...]) -> tuple[Array, Array]:
    """Return the rounded exact values and the errors of results."""
    results = _run(_formula(name), *arrays)
    values, errors = np.empty_like(results), np.empty_like(results)
    for k, row in enumerate(zip(*[array.tolist() for array in arrays], strict=True)):
        value = ball(_formula(name), row, (), 240)
        if value is None or not value.is_finite():
            # exponentials so far out take more bits
            values[k] = judged(_formula(name), row, (), "float64")
            errors[k] = 0.0 if results[k] == values[k] else math.inf
            continue
        with flint.ctx.workprec(240):
            values[k] = float(value)
            if np.isfinite(results[k]) and np.isfinite(values[k]):
                # an ulp of a tiny number has a reciprocal that is no double
                ulp = flint.arb(math.ulp(values[k]))
                errors[k] = abs(float((flint.arb(float(results[k])) - value) / ulp))
            else:
                errors[k] = 0.0 if results[k] == values[k] else math.inf
    return values, errors


@pytest.mark.parametrize("count", [2000, pytest.param(100_000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.daily(2)) for name in _OPERANDS]
)
def test_result_is_within_three_quarters_of_an_ulp(name: str, count: int) -> None:
    arrays = _OPERANDS[name](count, np.random.default_rng(len(name)))
    values, errors = _errors(name, arrays)
    usual = np.abs(values) >= _FROM.get(name, _SMALL)
    assert errors[usual].max() < 0.7
    if name not in _FROM:
        assert errors.max() < 1.5


@pytest.mark.parametrize("count", [1500, pytest.param(100_000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", _CANCELLING)
def test_error_next_to_a_zero_is_small_beside_the_terms(name: str, count: int) -> None:
    zero = formulas.CASES[name].root
    rng = np.random.default_rng(5)
    gradient, x = rng.normal(0, 1, count), rng.uniform(-20, 20, count)
    _, errors = _errors(name, (gradient, x))
    assert errors[np.abs(x - zero) > 2.0**-5].max() < 0.75
    x = zero * (1 + np.exp2(-rng.uniform(20, 50, count)) * _signs(count, rng))
    values, errors = _errors(name, (np.ones(count), x))
    assert (errors * np.spacing(np.abs(values))).max() < _CANCELLING[name]


def test_constants_that_are_no_doubles_are_pairs() -> None:
    x = np.random.default_rng(1).normal(0, 1, 1000)
    results = _run(lambda x: x * Fraction(1, 3) / Fraction(1, 7) - Fraction(1, 9), x)
    for number, result in zip(map(Fraction, x.tolist()), results.tolist(), strict=True):
        exact = number * 7 / 3 - Fraction(1, 9)
        assert abs(Fraction(result) - exact) <= Fraction(0.501) * Fraction(math.ulp(result))


# --- infinities, NaN and zeros --------------------------------------------------------------------

_ENDS = np.array(
    [0, -0.0, math.inf, -math.inf, math.nan, 1, -1, 0.5, 5e-324, -5e-324, 1e-300, 1e308, -1e308]
)


@pytest.mark.parametrize("name", _OPERANDS)
def test_ends_are_those_of_plain_doubles(name: str) -> None:
    """Infinities, NaN and signs of zeros; what is finite may be 4 ulp off."""
    tensors = (formulas.CASES | formulas.FUNCTIONS)[name].tensors
    arrays = [part.ravel() for part in np.meshgrid(*[_ENDS] * tensors)]
    expected = stepped(_formula(name), arrays, (), "float64")
    found = _run(_formula(name), *arrays)
    near = np.isclose(found, expected, rtol=2.0**-50, atol=1e-323, equal_nan=True)
    same = near & (np.isnan(found) | (np.signbit(found) == np.signbit(expected)))
    assert same.all(), [array[~same][:3] for array in (*arrays, found, expected)]


@pytest.mark.parametrize("function", [exp, expm1, log, log1p, logistic, normal_cdf, softplus, sqrt])
def test_second_double_of_a_vanishing_quotient_is_ignored(function: Callable[..., Any]) -> None:
    x = np.array([math.inf, -math.inf])
    results = _run(lambda x: function(abs(1.0 / x)), x)
    np.testing.assert_array_equal(results, _run(function, np.zeros(2)))


def test_quotient_is_right_where_the_exponential_is_beyond_the_doubles() -> None:
    gradient, z = np.array([1e308, 1.7e308, -1e308, 1e308]), np.array([-1400, -1450, -800, -1456.0])

    def formula(g: Any, z: Any) -> Any:
        return g / one_plus_exp(-z)

    exact = [judged(formula, row, (), "float64") for row in zip(gradient, z, strict=True)]
    np.testing.assert_allclose(_run(formula, gradient, z), exact, rtol=2.0**-52, atol=5e-324)


# --- comparisons and selection --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq"])
def test_comparison_uses_both_parts(name: str) -> None:
    compare = getattr(operator, name)
    steps = np.array([-(2.0**-70), 0.0, 2.0**-70])
    a, b = (part.ravel() for part in np.meshgrid(steps, steps))
    found = _run(lambda x, y: compare(1.0 + x, 1.0 + y), a, b)
    np.testing.assert_array_equal(found, compare(a, b))
    # infinities and NaN compare as doubles do, also if the second doubles are NaN or infinite
    a, b = (part.ravel() for part in np.meshgrid(_ENDS, _ENDS))
    np.testing.assert_array_equal(_run(compare, a, b), compare(a, b))
    with np.errstate(over="ignore"):
        expected = compare(a * 3.0, b * 3.0)
    np.testing.assert_array_equal(_run(lambda x, y: compare(x * 3.0, y * 3.0), a, b), expected)


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
