"""Double-doubles against rational numbers and against balls of 280 bits."""

import functools
import math
import operator
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest
from numpy.typing import NDArray

from ascendref.kernels.arithmetic import double_double
from ascendref.kernels.arithmetic.double_double import (
    LEAST,
    RANGE,
    RELATIVE_ERROR,
    DoubleDouble,
    exponential,
)

from ...support.traced import compiled

Numbers = tuple[NDArray[np.float64], NDArray[np.float64]]
_UNIT = 2.0**-53

_EXACT: dict[str, Any] = {"log": lambda x: x.log(), "log1p": lambda x: x.log1p()}


def _traced(function: Any, operands: int) -> Any:
    """Return a function of double-doubles as a function of pairs of arrays."""

    def trace(*parts: Any) -> Any:
        result = function(*map(DoubleDouble, parts[::2], parts[1::2]))
        return (result.high, result.low) if isinstance(result, DoubleDouble) else result

    run = compiled(trace, *[np.float64] * (2 * operands))
    return lambda *numbers: run(*[part for number in numbers for part in number])


@functools.cache
def _function(name: str) -> Any:
    return _traced(getattr(double_double, name), 1)


def _with_low(high: NDArray[np.float64], rng: np.random.Generator) -> Numbers:
    """Return normalised double-doubles, some of them with a small or no low part."""
    sizes = rng.choice([0.0, 1.0, 1.0, 2.0**-30], high.size)
    low = high * _UNIT * sizes * rng.uniform(-0.49, 0.49, high.size)
    total = high + low
    return total, low - (total - high)


def _samples(name: str, count: int) -> Numbers:
    """Return arguments in the range: uniform, of any magnitude, and next to difficult points."""
    rng = np.random.default_rng(len(name))
    low, high = RANGE[name]
    signs = rng.choice([-1.0, 1.0], count)
    near_1 = 1 + np.exp2(rng.uniform(-52, -1, count)) * signs
    whole = rng.integers(-1000, 1000, count) * (math.log(2) / 2)
    x = np.concatenate(
        [
            rng.uniform(max(low, -700.0), min(high, 700.0), count),
            rng.uniform(-3, 3, count),
            np.exp2(rng.uniform(-60, 10, count)) * signs,
            np.exp2(rng.uniform(-959, 999, count)) * signs,
            near_1,
            -near_1,
            whole * (1 + rng.integers(-3, 3, count) * 2.0**-52),
        ]
    )
    return _with_low(x[(x > low) & (x < high) & (np.abs(x) > 1.01 * LEAST)], rng)


@pytest.mark.parametrize("count", [700, pytest.param(60_000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", _EXACT)
def test_function_is_within_its_bound(name: str, count: int) -> None:
    numbers = _samples(name, count)
    results = _function(name)(numbers)
    with flint.ctx.workprec(280):
        for high, low, *result in zip(*numbers, *results, strict=True):
            exact = _EXACT[name](flint.arb(float(high)) + flint.arb(float(low)))
            found = flint.arb(float(result[0])) + flint.arb(float(result[1]))
            assert abs(float(found / exact - 1)) < RELATIVE_ERROR[name] / 4


@pytest.mark.parametrize("count", [700, pytest.param(60_000, marks=pytest.mark.exhaustive)])
def test_exponential_is_within_its_bound(count: int) -> None:
    numbers = _samples("exponential", count)

    def trace(high: Any, low: Any) -> Any:
        p, power = exponential(DoubleDouble(high, low))
        return p.high, p.low, power

    with flint.ctx.workprec(2200):
        for row in zip(*numbers, *compiled(trace, *[np.float64] * 2)(*numbers), strict=True):
            x0, x1, p0, p1, power = map(flint.arb, map(float, row))
            exact = (x0 + x1).exp() / power - 1
            bound = abs(exact) * RELATIVE_ERROR["exponential"]
            bound += 0 if power == 1 else 2.0**-105
            assert float(abs(exact - p0 - p1) / bound) < 0.25


@pytest.mark.parametrize(
    ("name", "bound"), [("add", 3.0), ("sub", 3.0), ("mul", 5.0), ("truediv", 15.0)]
)
def test_operation_is_within_its_bound(name: str, bound: float) -> None:
    rng = np.random.default_rng(3)
    sizes = np.exp2(rng.uniform(-60, 60, (2, 3000)))
    sizes[1, ::3] = sizes[0, ::3] * (1 + np.exp2(rng.uniform(-60, -1, 1000)))  # they nearly cancel
    a, b = (_with_low(size * rng.choice([-1, 1], 3000), rng) for size in sizes)
    operation = getattr(operator, name)
    results = _traced(operation, 2)(a, b)
    for parts in zip(*a, *b, *results, strict=True):
        a0, a1, b0, b1, high, low = map(Fraction, map(float, parts))
        exact = operation(a0 + a1, b0 + b1)
        assert abs(high + low - exact) <= abs(exact) * Fraction(bound * (1 + 2**-20) * _UNIT**2)
        assert float(high + low) == float(high)  # normalised


def test_sum_with_a_double_is_within_its_bound() -> None:
    rng = np.random.default_rng(6)
    high = np.exp2(rng.uniform(-60, 60, 3000))
    high[::3] = -1 - np.exp2(rng.uniform(-52, -1, 1000))
    numbers = _with_low(high, rng)
    for formula, sign in ((lambda x: x + 1, 1), (lambda x: 1 - x, -1)):
        for x0, x1, *result in zip(*numbers, *_traced(formula, 1)(numbers), strict=True):
            exact = 1 + sign * (Fraction(float(x0)) + Fraction(float(x1)))
            found = sum(map(Fraction, map(float, result)))
            assert abs(found - exact) <= abs(exact) * Fraction(2.0 * (1 + 2**-20) * _UNIT**2)


def test_square_root_is_within_its_bound() -> None:
    rng = np.random.default_rng(4)
    numbers = _with_low(np.exp2(rng.uniform(-900, 900, 3000)), rng)
    results = _traced(DoubleDouble.sqrt, 1)(numbers)
    for parts in zip(*numbers, *results, strict=True):
        x0, x1, high, low = map(Fraction, map(float, parts))
        # (root (1 + e))**2 = x (1 + 2 e) but for e**2
        assert abs((high + low) ** 2 / (x0 + x1) - 1) <= 2 * Fraction(3.126 * _UNIT**2)
    zero = np.zeros(1)
    assert _traced(DoubleDouble.sqrt, 1)((zero, zero)) == (0.0, 0.0)


def test_constants_have_106_bits() -> None:
    third = Fraction(1, 3)
    high, low = _traced(lambda x: x.lift(third), 1)((np.zeros(1), np.zeros(1)))
    assert high[0] == 1 / 3
    assert low[0] == float(third - Fraction(1 / 3))


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq"])
def test_comparison_uses_both_parts(name: str) -> None:
    parts = [(h, lo) for h in (-1.0, 1.0) for lo in (-(2.0**-60), 0.0, 2.0**-60)]
    cases = [(*a, *b) for a in parts for b in parts]
    a0, a1, b0, b1 = np.array(cases).T
    compare = getattr(operator, name)
    (found,) = _traced(compare, 2)((a0, a1), (b0, b1))
    assert [*found] == [compare((a, b), (c, d)) for a, b, c, d in cases]


def test_a_selection_takes_both_parts() -> None:
    a, b = (np.array([1.0, 2.0]), np.array([0.0, 2.0**-60])), (np.array([1.0, 1.0]), np.zeros(2))
    high, low = _traced(lambda x, y: (x > y).select(x, y), 2)(a, b)
    assert [*high] == [1.0, 2.0]
    assert [*low] == [0.0, 2.0**-60]


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv"])
def test_operation_on_infinity_or_nan_gives_no_finite_result(name: str) -> None:
    ends = (np.array([math.inf, -math.inf, math.nan]),) * 2
    three = np.full(3, 3.0), np.zeros(3)
    for operands in ((ends, three), (three, ends)):
        high, _ = _traced(getattr(operator, name), 2)(*operands)
        assert not np.isfinite(high).any()


def test_logarithms_at_their_ends() -> None:
    zero = np.zeros(5)
    high, _ = _function("log")((np.array([0.0, -1.0, math.inf, math.nan, 1e300]), zero))
    ends = [-math.inf, math.nan, math.inf, math.nan, math.log(1e300)]
    np.testing.assert_array_equal(high, ends)
    ends[2] = math.nan  # inf + 1 is no double-double
    high, _ = _function("log1p")((np.array([-1.0, -2.0, math.inf, math.nan, 1e300]), zero))
    np.testing.assert_array_equal(high, ends)
