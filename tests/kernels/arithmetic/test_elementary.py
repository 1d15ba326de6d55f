"""Elementary functions against Arb: largest errors, special values, and all float32 numbers."""

from collections.abc import Callable
from functools import partial
from math import inf, nan
from typing import Any, Final

import flint
import numpy as np
import pytest
from flint import arb
from numpy.typing import NDArray

from ascendref.kernels.arithmetic import coefficients, elementary, logistic_floats, normal, quick
from ascendref.kernels.arithmetic.elementary import RELATIVE_ERROR
from ascendref.kernels.arithmetic.registers import Register

from ...support.daily import todays
from ...support.traced import compiled
from .coefficients import tables

FUNCTIONS: dict[str, Callable[[Register], Register]] = {
    "exp": elementary.exp,
    "expm1": elementary.expm1,
    "log": elementary.log,
    "log1p": elementary.log1p,
    "tanh": elementary.tanh,
    "softplus": elementary.softplus,
    "normal_cdf": normal.normal_cdf,
    "normal_pdf": normal.normal_pdf,
}
#: in ulp, for float and double, as the functions' docstrings say
BOUNDS = {
    "exp": (0.77, 0.82),
    "expm1": (0.6, 0.86),
    "log": (0.84, 0.88),
    "log1p": (0.84, 0.88),
    "tanh": (0.57, 0.7),
    "softplus": (0.85, 0.9),
    "normal_cdf": (0.84, 0.93),
    "normal_pdf": (0.79, 0.85),
}
PRECISION = 110
with flint.ctx.workprec(PRECISION):
    ROOT = arb(2).sqrt()
    DENSITY = 1 / (2 * arb.pi()).sqrt()
EXACT: dict[str, Callable[[arb], arb]] = {
    "exp": arb.exp,
    "expm1": arb.expm1,
    "log": arb.log,
    "log1p": arb.log1p,
    "tanh": arb.tanh,
    "softplus": lambda x: x.exp().log1p() if x < 60 else x + (-x).exp().log1p(),
    "normal_cdf": lambda x: (-x / ROOT).erfc() / 2,
    "normal_pdf": lambda x: (-x * x / 2).exp() * DENSITY,
}
LIFT = arb(2) ** 200
TYPES = [np.float32, np.float64]
#: for float and double: least exponents of subnormal results, bits of the fraction and one more
LEAST, BITS = {np.float32: -149, np.float64: -1074}, {np.float32: 24, np.float64: 53}


@pytest.fixture(autouse=True)
def precision() -> Any:
    """Arb computes with so many bits."""
    with flint.ctx.workprec(PRECISION):
        yield


def samples(kind: Any, name: str, count: int) -> NDArray[Any]:
    """Numbers of all magnitudes, around 0 and 1, and where the results are neither 0 nor 1."""
    rng = np.random.default_rng(sum(name.encode()))
    wide = kind is np.float64
    ends = (-745.0, 709.0) if wide else (-104.0, 88.0)
    bits = rng.integers(0, 1 << (64 if wide else 32), count, dtype=np.uint64)
    spread = bits.view(kind) if wide else bits.astype(np.uint32).view(kind)
    signs = rng.choice([-1, 1], count)
    parts = [
        np.where(np.isfinite(spread), spread, 1.0),
        rng.normal(size=count),
        rng.uniform(-12.0, 12.0, count),
        rng.uniform(-1.5, 1.5, count),
        rng.uniform(*ends, count),
        rng.uniform(-38.5, 38.5, count),
        signs * 2.0 ** rng.uniform(-60.0, 6.0, count),
        1.0 + signs * 2.0 ** rng.uniform(-50.0, -1.0, count),
    ]
    x = np.concatenate([part.astype(kind) for part in parts])
    if name == "log":
        x = abs(x[x != 0])
    elif name == "log1p":
        x = np.where(x <= -1.0, 1.5 - x, x)
    elif name in ("exp", "expm1", "softplus"):  # results beyond 2**128 or 2**1024 are special
        x = x[x < (ends[1] if name != "softplus" else inf)]
    return x.astype(kind)


def errors(exact: list[arb], got: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the errors in ulp of the exact value and in units of 2**-53 of it."""
    kind = got.dtype.type
    # the difference from a tiny double may be no double
    tiny = abs(got) < 2.0**-800
    values, off = np.empty(got.size), np.empty(got.size)
    for k, (value, result, lifted) in enumerate(zip(exact, got.tolist(), tiny, strict=True)):
        difference = value - result
        values[k], off[k] = float(value), float(LIFT * difference if lifted else difference)
    _, exponent = np.frexp(values)
    least = LEAST[kind]
    spacing = np.where(values == 0.0, least, np.maximum(exponent - BITS[kind], least))
    ulps = np.ldexp(abs(off), -spacing - 200 * tiny)
    part = np.where(abs(values) >= 2.0**-1022, abs(np.frexp(values)[0]), inf)
    return ulps, ulps / part


@pytest.mark.daily(2)
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_error(name: str, kind: Any) -> None:
    x = samples(kind, name, 15_000)
    (got,) = compiled(FUNCTIONS[name], kind)(x)
    exact = EXACT[name]
    ulps, relative = errors([exact(arb(number)) for number in x.tolist()], got)
    assert x.size >= 100_000
    assert ulps.max() <= BOUNDS[name][kind is np.float64], x[ulps.argmax()]
    if kind is np.float64:
        assert relative.max() <= RELATIVE_ERROR[name], x[relative.argmax()]


@pytest.mark.parametrize("name", quick.RELATIVE_ERROR)
def test_relative_error_of_quick_functions(name: str) -> None:
    x = samples(np.float64, name.removeprefix("one_plus_"), 3_000)
    if "exp" in name:
        x = x[abs(x) < 600.0]
    elif "normal" in name:
        x = x[abs(x) < quick.FARTHEST]
    elif name == "softplus":
        x = x[x > -600.0]
    x = x[abs(x) < 2.0**1000]
    (got,) = compiled(getattr(quick, name), np.float64)(x)
    exact = EXACT.get(name, lambda x: x.exp() + 1)
    _, relative = errors([exact(arb(number)) for number in x.tolist()], got)
    assert 2.0 * relative.max() * 2.0**-53 <= quick.RELATIVE_ERROR[name], x[relative.argmax()]
    (got,) = compiled(getattr(quick, name), np.float64)(np.array([-inf, inf, nan, -1.0, -0.0, 0.0]))
    if name not in ("expm1", "log", "log1p"):  # what is next to 0 or 1, or large, stands for limits
        limits = {"exp": (0, inf), "softplus": (0, inf), "tanh": (-1, 1), "normal_cdf": (0, 1),
                  "normal_pdf": (0, 0)}  # fmt: skip
        for place, limit in enumerate(limits.get(name, (1, inf))):
            assert got[place] > 2.0**800 if limit == inf else abs(got[place] - limit) < 2.0**-500
            got[place] = limit
    special = {
        "exp": [0.0, inf, nan, got[3], 1.0, 1.0],
        "expm1": [-1.0, inf, nan, got[3], -0.0, 0.0],
        "one_plus_exp": [1.0, inf, nan, got[3], 2.0, 2.0],
        "log": [nan, inf, nan, nan, -inf, -inf],
        "log1p": [nan, inf, nan, -inf, -0.0, 0.0],
        "softplus": [0.0, inf, nan, *got[3:]],
        "tanh": [-1.0, 1.0, nan, got[3], -0.0, 0.0],
        "normal_cdf": [0.0, 1.0, nan, *got[3:]],
        "normal_pdf": [0.0, 0.0, nan, *got[3:]],
    }
    np.testing.assert_array_equal(got, special[name])
    assert (np.signbit(got) == np.signbit(special[name]))[~np.isnan(got)].all()


def test_relative_error_of_quick_logarithms_of_quotients() -> None:
    rng = np.random.default_rng(0)
    x, over = 2.0 ** rng.uniform(-300.0, 300.0, (2, 10_000))
    x[:5_000] = over[:5_000] * 2.0 ** rng.uniform(-60.0, 5.0, 5_000)
    function = compiled(quick.log1p_of_quotient, np.float64, np.float64)
    (got,) = function(x, over)
    exact = [(arb(a) / arb(b)).log1p() for a, b in zip(x.tolist(), over.tolist(), strict=True)]
    _, relative = errors(exact, got)
    assert 2.0 * relative.max() * 2.0**-53 <= quick.RELATIVE_ERROR["log1p"]
    (got,) = function(np.array([-0.0, 0.0]), np.ones(2))
    assert got.tolist() == [0.0, 0.0]
    assert np.signbit(got).tolist() == [True, False]


def times_falling_logistic(numerator: Register, x: Register) -> Register:
    return logistic_floats.times_logistic(numerator, -x)


@pytest.mark.parametrize("rounded", [False, True], ids=["", "of a rounded argument"])
@pytest.mark.parametrize("kind", TYPES)
def test_error_of_over_one_plus_exp(kind: Any, rounded: bool) -> None:
    rng = np.random.default_rng(0)
    wide = kind is np.float64
    x = np.concatenate(
        [
            rng.uniform(-40.0, 40.0, 40_000),
            rng.uniform(*((-130.0, 1460.0) if wide else (-70.0, 194.0)), 40_000),
            (1023 if wide else 127) * np.log(2.0) + rng.uniform(-2.0, 2.0, 20_000),
        ]
    ).astype(kind)
    numerator = (rng.normal(size=x.size) * 2.0 ** rng.uniform(-10.0, 120.0, x.size)).astype(kind)
    if wide:
        numerator[::2] *= 2.0**890
    rest = (rng.uniform(-0.5, 0.5, x.size) * np.spacing(x)).astype(kind)
    if rounded:
        (got,) = compiled(elementary.over_one_plus_exp, kind, kind, kind)(numerator, x, rest)
    else:
        rest[:] = 0.0
        (got,) = compiled(elementary.over_one_plus_exp, kind, kind)(numerator, x)
    triples = zip(numerator.tolist(), x.tolist(), rest.tolist(), strict=True)
    exact = [arb(n) / (1 + (arb(number) + arb(lost)).exp()) for n, number, lost in triples]
    ulps, relative = errors(exact, got)
    assert ulps.max() <= 1.75
    if wide:
        assert relative.max() <= RELATIVE_ERROR["over_one_plus_exp"]
    elif not rounded:
        (got,) = compiled(times_falling_logistic, kind, kind)(numerator, x)
        assert errors(exact, got)[0].max() <= 1.75


#: arguments and results that are exact, for both types
SPECIAL: dict[str, list[tuple[float, float]]] = {
    "exp": [(0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, 0.0), (1e30, inf), (-1e30, 0.0)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -1.0), (1e30, inf), (-1e30, -1.0)],
    "log": [(1.0, 0.0), (0.0, -inf), (-0.0, -inf), (inf, inf), (-inf, nan), (-1e-30, nan)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1.0, -inf), (inf, inf), (-inf, nan), (-1.5, nan)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0), (1e30, 1.0), (-1e30, -1.0)],
    "softplus": [(inf, inf), (-inf, 0.0), (1e30, 1e30), (-1e30, 0.0)],
    "normal_cdf": [(0.0, 0.5), (-0.0, 0.5), (inf, 1.0), (-inf, 0.0), (1e30, 1.0), (-1e30, 0.0)],
    "normal_pdf": [(inf, 0.0), (-inf, 0.0), (1e30, 0.0), (-1e30, 0.0)],
}
#: functions whose value at tiny arguments is the argument
LIKE_X = {"expm1", "log1p", "tanh"}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(name: str, kind: Any) -> None:
    cases = [*SPECIAL[name], (nan, nan)]
    if name in LIKE_X:
        tiny = float(np.finfo(kind).smallest_subnormal)
        cases += [(x, x) for k in (1, 2, 3, 2**20) for x in (k * tiny, -k * tiny)]
    x, expected = np.array(cases, kind).T
    (got,) = compiled(FUNCTIONS[name], kind)(x)
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(
        np.signbit(got), np.signbit(expected) | np.isnan(expected) & np.signbit(got)
    )


@pytest.mark.parametrize("kind", TYPES)
def test_special_values_of_over_one_plus_exp(kind: Any) -> None:
    cases = [
        (1.0, 0.0, 0.5),
        (3.0, -inf, 3.0),
        (3.0, inf, 0.0),
        (-3.0, inf, -0.0),
        (0.0, 1e30, 0.0),
        (inf, 1e30, inf),
        (inf, -inf, inf),
        (inf, inf, nan),
        (nan, 1.0, nan),
        (1.0, nan, nan),
    ]
    numerator, x, expected = np.array(cases, kind).T
    functions = [
        elementary.over_one_plus_exp,
        times_falling_logistic,
        partial(logistic_floats.over_one_plus_exp_half, wide=True),
        partial(logistic_floats.over_one_plus_exp_half, wide=False),
    ]
    for function in functions if kind is np.float32 else functions[:1]:
        (got,) = compiled(function, kind, kind)(numerator, x)
        np.testing.assert_array_equal(got, expected)
    with np.errstate(invalid="ignore"):
        rest = x - x  # NaN for infinities
    rest[np.abs(x) == 1e30] = 1e20
    (got,) = compiled(elementary.over_one_plus_exp, kind, kind, kind)(numerator, x, rest)
    np.testing.assert_array_equal(got, expected)


def test_coefficients_are_those_of_the_fits() -> None:
    namespace: dict[str, Any] = {}
    exec(tables(), namespace)
    del namespace["Final"], namespace["__builtins__"]
    for name, table in namespace.items():
        assert table == getattr(coefficients, name), name


def of_12_bits(x: Register) -> Register:
    """Return a float, or a double that is one, without the lower half of its fraction."""
    return x.lift((x.narrowed().bits() & -(1 << 12)).register())


def slope_of_logistic(x: Register) -> Register:
    one = x.lift(1.0)
    return elementary.over_one_plus_exp(one, x) * elementary.over_one_plus_exp(one, -x)


def exact_gelu(x: Register) -> Register:
    return x * normal.normal_cdf(x)


def exact_gelu_slope(x: Register) -> Register:
    return normal.normal_cdf(x) + x * normal.normal_pdf(x)


#: functions for float16 need not be right for larger arguments
HALF_LIMIT: Final = 87.0


def within_limit(x: Register) -> Register:
    return x.at_most(HALF_LIMIT).at_least(-HALF_LIMIT)


#: functions of floats alone, each with the same of doubles, and its bound in ulp
OF_FLOATS: dict[str, tuple[Callable[..., Register], Callable[..., Register], float]] = {
    **{name: (function, function, BOUNDS[name][0]) for name, function in FUNCTIONS.items()},
    "wide_exp": (
        lambda x: elementary.wide_exp(x.at_most(20.0)),
        lambda x: elementary.exp(x.at_most(20.0)),
        0.28,
    ),
    "falling_logistic": (
        lambda x: logistic_floats.falling_logistic(abs(x).at_most(104.0)),
        lambda x: elementary.over_one_plus_exp(x.lift(1.0), abs(x)),
        1.75,
    ),
    "times_logistic": (
        lambda x: logistic_floats.times_logistic(x.lift(-1.0), x),
        lambda x: elementary.over_one_plus_exp(x.lift(-1.0), -x),
        1.75,
    ),
    "first of glu_slopes": (
        lambda x: logistic_floats.glu_slopes(x.lift(-1.0), x, x)[0],
        lambda x: elementary.over_one_plus_exp(x.lift(-1.0), -x),
        1.5,
    ),
    "second of glu_slopes": (
        lambda x: logistic_floats.glu_slopes(x.lift(1.0), x.lift(1.0), x)[1],
        slope_of_logistic,
        3.0,
    ),
    "over_one_plus_exp_half": (
        lambda x: logistic_floats.over_one_plus_exp_half(x.lift(-1.0), x, wide=True),
        lambda x: elementary.over_one_plus_exp(x.lift(-1.0), x),
        1.75,
    ),
    "over_one_plus_exp_half for float16": (
        lambda x: logistic_floats.over_one_plus_exp_half(
            x.lift(-1.0), x.at_most(HALF_LIMIT), wide=False
        ),
        lambda x: elementary.over_one_plus_exp(x.lift(-1.0), x.at_most(HALF_LIMIT)),
        1.75,
    ),
    "first of glu_slopes for bfloat16": (
        lambda x: logistic_floats.glu_slopes(x.lift(-1.0), x, x, half=True)[0],
        lambda x: elementary.over_one_plus_exp(x.lift(-1.0), -x),
        2.0,
    ),
    "second of glu_slopes for bfloat16": (
        lambda x: logistic_floats.glu_slopes(x.lift(1.0), x.lift(1.0), x, half=True)[1],
        slope_of_logistic,
        3.5,
    ),
    "first of glu_slopes_float16": (
        lambda x: logistic_floats.glu_slopes_float16(x.lift(-1.0), x, within_limit(x))[0],
        lambda x: elementary.over_one_plus_exp(x.lift(-1.0), -within_limit(x)),
        2.0,
    ),
    "second of glu_slopes_float16": (
        lambda x: logistic_floats.glu_slopes_float16(x.lift(1.0), x.lift(1.0), within_limit(x))[1],
        lambda x: slope_of_logistic(within_limit(x)),
        3.5,
    ),
    "logit": (
        logistic_floats.logit,
        lambda x: (x >= 0.5).select(
            elementary.log1p((2.0 * x - 1.0) / (1.0 - x)),
            -elementary.log1p((1.0 - 2.0 * x) / x),
        ),
        1.53,
    ),
    "gelu": (normal.gelu, exact_gelu, 1.65),
    "gelu_half for bfloat16": (
        lambda x: normal.gelu_half(of_12_bits(x).at_least(-13.25), wide=True),
        lambda x: exact_gelu(of_12_bits(x).at_least(-13.25)),
        1200.0,
    ),
    "gelu_half for float16": (
        lambda x: normal.gelu_half(of_12_bits(x).at_least(-5.5), wide=False),
        lambda x: exact_gelu(of_12_bits(x).at_least(-5.5)),
        1025.0,
    ),
    "gelu_slope_half": (
        lambda x: normal.gelu_slope_half(x.lift(1.0), of_12_bits(x)),
        lambda x: exact_gelu_slope(of_12_bits(x)),
        1400.0,
    ),
    "gelu_slope": (
        lambda x: normal.gelu_slope(x.lift(1.0), x),
        exact_gelu_slope,
        3.0,
    ),
}


def compared(
    function: Callable[[Register], Register], exact: Callable[[Register], Register]
) -> Callable[[Register], Any]:
    """Return the function of floats, that of doubles, and the former's error in ulp."""

    def run(x: Register) -> tuple[Register, Register, Register]:
        got, double = function(x), exact(x.widened())
        power = (abs(double).bits() >> 52 << 52).register()
        ulp = (power * 2.0**-23).at_least(2.0**-149)
        return got, double, abs(got.widened() - double) / ulp

    return run


#: blocks of 2**20 floats
some_floats = pytest.mark.parametrize(
    "blocks",
    [
        pytest.param(np.random.default_rng(0).integers(1 << 12, size=1).tolist(), id="some"),
        pytest.param(todays(range(1 << 12), 32), id="all", marks=pytest.mark.exhaustive),
    ],
)


@some_floats
@pytest.mark.parametrize("name", OF_FLOATS)
def test_floats(name: str, blocks: list[int]) -> None:
    """Compare blocks of 2**20 floats with the function of doubles, which is far more precise."""
    function, exact, bound = OF_FLOATS[name]
    run = compiled(compared(function, exact), np.float32)
    for block in blocks:
        x = np.arange(block << 20, block + 1 << 20, dtype=np.uint32).view(np.float32)
        got, double, ulps = run(x)
        with np.errstate(over="ignore"):
            special = ~np.isfinite(got) & ((got == double.astype(np.float32)) | np.isnan(double))
        wrong = ~(special | (ulps <= bound))
        assert not wrong.any(), x[wrong][:9]


@some_floats
def test_relative_errors_of_quick_functions_of_floats(blocks: list[int]) -> None:
    assert all(quick.FLOAT_ERROR[name] > 2.0 * bound[0] for name, bound in BOUNDS.items())

    def both(x: Register) -> tuple[Register, Register]:
        return quick.one_plus_exp(x), elementary.exp(x.widened()) + 1.0

    run = compiled(both, np.float32)
    for block in (*blocks, 0x418, 0xC18):  # with the largest errors
        x = np.arange(block << 20, block + 1 << 20, dtype=np.uint32).view(np.float32)
        x = x[abs(x) <= quick.FLOAT_FARTHEST["one_plus_exp"]]
        got, exact = run(x)
        off = abs(got - exact) / exact
        assert not x.size or off.max() * 2.0**24 <= quick.FLOAT_ERROR["one_plus_exp"]
