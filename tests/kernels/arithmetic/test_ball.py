"""Balls contain the exact value, and what they decide is correctly rounded. The judge is Arb."""

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from numpy.typing import NDArray

from ascendref.kernels.arithmetic import codecs
from ascendref.kernels.arithmetic.ball import Ball, QuickBall, QuickestBall
from ascendref.kernels.arithmetic.bounds import DOUBLES, FLOATS, either
from ascendref.kernels.arithmetic.float_ball import FloatBall, HalfBall
from ascendref.kernels.arithmetic.functions import select
from ascendref.kernels.arithmetic.pair_ball import PairBall
from ascendref.kernels.arithmetic.registers import Condition, Register
from ascendref.kernels.arithmetic.rounding_test import open_, rounded

from ...support import formulas, judge
from ...support.formulas import Case
from ...support.rounding import FORMATS, round_to
from ...support.traced import compiled

CASES = formulas.CASES | formulas.FUNCTIONS
#: a few formulas every day
each_formula = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.daily(4)) for name in CASES]
)


def nearest(value: Fraction, kind: str) -> float:
    """Return the nearest number of a format, ties to even."""
    return judge.nearest(fmpq(value.numerator, value.denominator), kind)


def run(
    ball: type[Ball], case: Case, arrays: list[NDArray[Any]], kind: str, out: str
) -> tuple[NDArray[Any], ...]:
    """Return rounded results, what is undecided, midpoints (two doubles), bounds and doubts."""

    def traced(*registers: Register) -> tuple[Any, ...]:
        builder = registers[0].builder
        given = registers[: case.tensors]
        if ball.format is DOUBLES:
            given = tuple([x.widened() for x in given])
        tensors = [ball.tensor(x, kind) for x in given]
        scalars = [ball.scalar(x, narrowed=True) for x in registers[case.tensors :]]
        if case.scalars and "smooth_l1" in case.function.__name__:
            scalars[-1] = ball.count(registers[-1])
        value = case.function(*tensors, *scalars).whole()
        encoded, undecided = rounded(value, out)
        result = Register(builder, codecs.to_register(out, np.float64)(builder, encoded))
        high = value.mid.high
        low = value.mid.low if ball is PairBall else high * 0.0
        no, zero = high.is_nan() & (high == high), high.lift(0.0)
        error = zero if value.inexact is False else value.error()
        if isinstance(value.inexact, Condition):
            error = value.inexact.select(error, 0.0)
        if ball.format is FLOATS:
            # scalars beyond their limits, and elements
            undecided = either(undecided, open_(value))
            high, low, error = (x.widened() for x in (high, low, error))
        return (result, undecided or no, high, low, error, either(value.doubt, open_(value)) or no)

    dtype = np.float64 if kind == "float64" else np.float32
    function = compiled(traced, *[dtype] * case.tensors, scalars=len(case.scalars))
    return function(*arrays, scalars=case.scalars)


def inputs(name: str, kind: str, count: int) -> list[NDArray[Any]]:
    """Return inputs of all magnitudes, subnormal ones, and those next to roots and ties."""
    rng = np.random.default_rng(len(name))
    form = FORMATS[kind]
    least, smallest = 1 - form.bias, 2.0 ** (1 - form.bias - form.fraction)

    def fit(values: NDArray[Any]) -> NDArray[Any]:
        """Round to the format; large numbers become 1."""
        found = round_to(kind, values)
        return np.where(np.abs(found) < 2.0**form.bias, found, 1.0)

    def column(root: float) -> NDArray[Any]:
        sign = rng.choice([-1.0, 1.0], count)
        parts = [
            rng.normal(size=count),
            rng.uniform(-12, 12, count),
            rng.uniform(-105, 90, count),
            sign * 2.0 ** rng.uniform(max(least, -300), min(form.bias, 299), count),
            sign * 2.0 ** rng.uniform(-30, 4, count),
            np.ldexp(1 + rng.integers(-40, 40, count) * 2.0**-23, -24) * sign,
            sign * rng.integers(0, 200, count) * smallest,
            root * (1 + rng.normal(size=count) * 2.0 ** rng.uniform(-23, -3, count)),
            rng.integers(-40, 40, count) / 8.0,
            np.zeros(count),
        ]
        return fit(np.stack(parts)[rng.integers(0, len(parts), count), np.arange(count)])

    columns = [column(1.0) for _ in range(CASES[name].tensors)]
    at = min(1, len(columns) - 1)
    columns[at] = column(CASES[name].root or 0.5)
    if CASES[name].unit:
        half = count // 2
        columns[0][:half] = fit(rng.random(half))
    if name.startswith("smooth_l1"):
        third = count // 3
        columns[2][:third] = fit(columns[1][:third] + rng.choice([0.7, -1.0, 0.25, 1], third))
    return columns


def exact_value(case: Case, key: tuple[float, ...]) -> Fraction | None:
    """Return the value to 2500 bits, or None if there is none."""
    value = judge.ball(case.function, key, case.scalars, 2600)
    if value is None or not value.is_finite():
        return None
    mantissa, exponent = value.mid().man_exp()
    exponent = int(exponent)
    exponent = max(-20000, min(exponent, 20000))
    return Fraction(int(mantissa)) * Fraction(2) ** exponent


@pytest.mark.full
@each_formula
@pytest.mark.parametrize(
    ("ball", "kind", "out", "count"),
    [
        (Ball, "float32", "float32", 800),
        (Ball, "float16", "float16", 400),
        (Ball, "bfloat16", "bfloat16", 400),
        (QuickestBall, "float32", "float32", 800),
        (QuickBall, "bfloat16", "bfloat16", 400),
        (FloatBall, "bfloat16", "bfloat16", 800),
        (HalfBall, "float16", "float16", 800),
        (PairBall, "float32", "float32", 400),
        (PairBall, "float64", "float64", 400),
        (Ball, "float64", "float32", 200),
        (Ball, "float32", "bfloat16", 200),
    ],
)
def test_values_are_within_balls(
    name: str, ball: type[Ball], kind: str, out: str, count: int
) -> None:
    """Compare with exact values: what is decided, midpoints and bounds."""
    case = CASES[name]
    arrays = inputs(name, kind, count)
    results = run(ball, case, arrays, kind, out)
    columns = [a.astype(np.float64).tolist() for a in (*arrays, *results)]
    for row in zip(*columns, strict=True):
        key, (result, undecided, high, low, error, doubt) = row[: len(arrays)], row[len(arrays) :]
        exact = exact_value(case, key)
        if exact is None:
            continue
        if not undecided:
            assert result == nearest(exact, out), (name, key, high, low, error, float(exact))
        if not doubt and np.isfinite(high) and np.isfinite(error):
            distance = abs(exact - Fraction(high) - Fraction(low))
            # the bound may have underflowed, but a result of a narrower type is 0 then
            assert distance <= Fraction(error) + Fraction(2) ** -1073, (name, key, high, low, error)


@pytest.mark.parametrize("ball", [FloatBall, HalfBall])
@pytest.mark.parametrize("name", [name for name in CASES if name != "scaled_by_inverse"])
def test_floats_decide_most_results(name: str, ball: type[Ball]) -> None:
    case, kind = CASES[name], "float16" if ball is HalfBall else "bfloat16"
    rng = np.random.default_rng(9)
    arrays = [round_to(kind, rng.uniform(0.1, 0.9, 4096)) for _ in range(case.tensors)]
    _, undecided, *_ = run(ball, case, arrays, kind, kind)
    assert undecided.mean() <= 0.03


#: x where half of a subnormal number, a tie of float32, is decided by a term that x makes
SMALL = np.concatenate([[0.0, -0.0], np.outer([1, -1], 2.0 ** np.arange(-149.0, -20)).ravel()])


@pytest.mark.parametrize(
    "name",
    [
        "softplus_backward", "silu", "silu_backward", "gelu_erf", "gelu_erf_backward",
        "gelu_tanh", "gelu_tanh_backward", "gelu_quick", "mish", "mish_backward",
    ],
)  # fmt: skip
def test_tiny_terms_decide_ties(name: str) -> None:
    case = CASES[name]
    rng = np.random.default_rng(7)
    x = SMALL * rng.integers(1, 9, SMALL.size)
    arrays = [(2.0**-149 * rng.choice([1, -3, 5], x.size)).astype(np.float32)] * (case.tensors - 1)
    arrays.append(x.astype(np.float32))
    result, undecided, *_ = run(PairBall, case, arrays, "float32", "float32")
    assert not undecided.any()
    for *key, found in zip(*arrays, result, strict=True):
        exact = exact_value(case, tuple(map(float, key)))
        assert exact is not None
        assert found == nearest(exact, "float32")


@each_formula
def test_pairs_decide_subnormal_data(name: str) -> None:
    case = CASES[name]
    rng = np.random.default_rng(8)
    arrays = [
        (rng.integers(-(1 << 22), 1 << 22, 4096) * 2.0**-149).astype(np.float32)
        for _ in range(case.tensors)
    ]
    if case.unit or name in ("log", "sqrt"):
        arrays = [np.abs(a) for a in arrays]
    arrays[-1] = np.where(arrays[-1] == 0, np.float32(2.0**-149), arrays[-1])
    assert not run(PairBall, case, arrays, "float32", "float32")[1].any()


@pytest.mark.parametrize("beta", [0.0, -0.0])
def test_a_scalar_of_0_is_exact(beta: float) -> None:
    case = CASES["softplus_backward"]._replace(scalars=(beta, 20.0))
    g = (np.arange(-9, 9) * 2.0**-149).astype(np.float32)
    x = np.full(g.size, 0.3, np.float32)
    for ball in (Ball, PairBall):
        result, undecided, *_ = run(ball, case, [g, x], "float32", "float32")
        assert ball is Ball or not undecided.any()
        assert np.array_equal(result[~undecided], np.float32(g / 2)[~undecided])


def test_exact_quotients_and_roots_are_seen_by_pairs() -> None:
    """Half of them are ties of float32."""
    rng = np.random.default_rng(4)
    exact = rng.integers(1 << 24, 1 << 25, 4096).astype(np.float64)
    divisor = rng.integers(1 << 23, 1 << 24, 4096).astype(np.float64)
    for name, arrays in (
        ("ratio", [exact * divisor, np.ones(4096), divisor]),  # the product has 49 bits
        ("sqrt", [exact * exact]),
    ):
        result, undecided, *_ = run(PairBall, CASES[name], arrays, "float64", "float32")
        assert not undecided.any()
        assert np.array_equal(result, exact.astype(np.float32))


def test_pairs_of_an_exact_difference_of_0() -> None:
    g, x = np.array([1.0, -3.0, 2.0**-1074]), np.array([0.5, -(2.0**-1074), 1e300])
    case = CASES["smooth_l1_backward"]
    result, undecided, *_ = run(PairBall, case, [g, x, x], "float64", "float64")
    assert not undecided.any()
    assert not result.any()


def test_ties_are_decided_by_remainders() -> None:
    """Products of short numbers are exact in doubles, and may be ties of the result's type."""
    rng = np.random.default_rng(3)
    g = rng.integers(1 << 23, 1 << 24, 4096).astype(np.float32)
    x, t = (rng.integers(0, 4, 4096).astype(np.float32) / 8 for _ in range(2))
    result, undecided, *_ = run(Ball, CASES["smooth_l1_unit"]._replace(scalars=(1.0,)),
                                [g, x, t], "float32", "float32")  # fmt: skip
    assert not undecided.any()
    exact = g.astype(np.float64) * (x.astype(np.float64) - t)
    assert np.array_equal(result, exact.astype(np.float32))
    assert (exact != result).any()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("ball", [Ball, QuickestBall, PairBall])
def test_infinite_inputs_are_decided(name: str, ball: type[Ball]) -> None:
    case = CASES[name]
    values = np.array([inf, -inf, np.nan, 0.0, 1.0, -1.0], np.float32)
    grid = [a.ravel() for a in np.meshgrid(*[values] * case.tensors)]
    chosen = ~np.all([np.isfinite(a) for a in grid], axis=0)
    data = [a[chosen] for a in grid]
    result, undecided, *_ = run(ball, case, data, "float32", "float32")
    assert ball is QuickestBall or not undecided.any()
    if ball is not PairBall:  # double-doubles get numbers alone
        rows = np.transpose(data)[~undecided].tolist()
        for row, found in zip(rows, result[~undecided].tolist(), strict=True):
            assert str(found) == str(judge.judged(case.function, row, case.scalars, "float32")), row


def test_a_doubt_of_the_branch_not_taken_does_not_count() -> None:
    def formula(x: Any) -> Any:
        difference = (x + 2.0**-60) - x  # cancels: its sign is open
        return select(x > 1.0, x, select(difference > 0.0, x, -x))

    case = Case(formula, 1)
    x = np.array([2.0, 0.5], np.float32)
    _, undecided, *_ = run(Ball, case, [x], "float32", "float32")
    assert undecided.tolist() == [False, True]


def test_division_by_zero_is_decided() -> None:
    g = np.array([1.0, -1.0, 0.0, 2.0], np.float32)
    x = np.array([0.0, 1.0, 0.0, 1.0], np.float32)
    for ball in (Ball, PairBall):
        result, undecided, *_ = run(ball, CASES["logit_backward"], [x, g], "float32", "float32")
        assert not undecided.any()
        assert np.array_equal(result, [inf, -inf, np.nan, inf], equal_nan=True)


@pytest.mark.parametrize("ball", [Ball, PairBall])
def test_int64_is_a_double_and_a_remainder(ball: type[Ball]) -> None:
    numbers = [2**53 + 1, 2**60 + 2**35 + 1, -(2**62) - 1, 2**62 + 2**37, 3, 2**63 - 1]
    value = np.array([float(n) for n in numbers])
    rest = np.array([float(n - int(v)) for n, v in zip(numbers, value, strict=True)])

    def traced(high: Register, low: Register) -> Any:
        x = ball.tensor(high, "int64", low)
        encoded, undecided = rounded(x * 0.75, "float32")
        return Register(high.builder, encoded), undecided or high.is_nan()

    result, undecided = compiled(traced, np.float64, np.float64)(value, rest)
    for number, found, is_open in zip(numbers, result.tolist(), undecided, strict=True):
        assert is_open or found == nearest(Fraction(3 * number, 4), "float32")
    assert ball is Ball or not undecided.any()


@each_formula
def test_random_data_are_decided(name: str) -> None:
    rng = np.random.default_rng(5)
    case = CASES[name]
    arrays = [rng.normal(size=1 << 18).astype(np.float32) for _ in range(case.tensors)]
    if case.unit:
        arrays[0] = rng.random(1 << 18).astype(np.float32)
    _, undecided, *_ = run(Ball, case, arrays, "float32", "float32")
    assert undecided.sum() <= 3
