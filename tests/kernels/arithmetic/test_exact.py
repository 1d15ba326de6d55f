"""Exact decisions beside an independent judge, and on numbers worked out by hand."""

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import ascendref as ar
from ascendref.core.dtypes import ELEMENT_TYPES, float_format
from ascendref.kernels.arithmetic import enclosures
from ascendref.kernels.arithmetic.exact import Undecided, decide, round_fraction
from ascendref.kernels.arithmetic.functions import (
    exp,
    log,
    log1p,
    normal_cdf,
    select,
    sign,
    single,
    softplus,
    sqrt,
    tanh,
)

from ...support.formulas import CASES, Case
from ...support.judge import judged

silu_backward, gelu_erf_backward, gelu_tanh_backward, softplus_backward = (
    CASES[f"{name}_backward"].function for name in ("silu", "gelu_erf", "gelu_tanh", "softplus")
)
KINDS = ("float32", "float64", "float16", "bfloat16")
TINY = 2.0**-149
COUNT = 320


def same(actual: float, expected: float) -> bool:
    """Whether two numbers have the same bits, or both are NaN."""
    return str(actual) == str(expected)


def inputs(case: Case, seed: int) -> list[list[float]]:
    """Return inputs: usual ones, any size, ties, subnormal numbers, numbers near a root."""
    rng = np.random.default_rng(seed)
    size = (case.tensors, COUNT // 5)
    near = case.root + rng.standard_normal(size) * 10.0 ** -rng.integers(1, 16, size)
    near[:-1] = rng.standard_normal(near[:-1].shape)
    kinds = [
        rng.standard_normal(size) * 4,
        rng.standard_normal(size) * 2.0 ** rng.integers(-140, 8, size),
        rng.integers(-12, 12, size) / 4.0,
        rng.integers(-50, 50, size) * TINY,
        near,
    ]
    values = np.concatenate(kinds, axis=1)
    if case.unit:
        values[0] = np.abs(np.sin(values[0]))
    return values.T.tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", CASES)
def test_the_judge_agrees(name: str) -> None:
    case = CASES[name]
    for k, row in enumerate(inputs(case, len(name))):
        kind = KINDS[k % 7 % 4]
        values = row if kind == "float64" else [float(np.float32(x)) for x in row]
        actual = decide(case.function, values, case.scalars, kind)
        assert same(actual, judged(case.function, values, case.scalars, kind)), (values, kind)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.unit])
@pytest.mark.parametrize("x", [5e-324, 1e-310, 1.0, 40.0, 100.0, 745.5, 5000.0, 1e5])
def test_far_out_and_next_to_0(name: str, x: float) -> None:
    case = CASES[name]
    for at in (x, -x):
        for kind in KINDS[:2]:
            values = [5e-324, at, 0.75][: case.tensors] if case.tensors > 1 else [at]
            actual = decide(case.function, values, case.scalars, kind)
            assert same(actual, judged(case.function, values, case.scalars, kind)), (values, kind)


def nearest_to(root: float, count: int) -> list[float]:
    """Return the F32 numbers around a root."""
    found = [np.float32(root)]
    for _ in range(count):
        found = [np.nextafter(found[0], -np.inf, dtype=np.float32), *found]
        found.append(np.nextafter(found[-1], np.inf, dtype=np.float32))
    return [float(x) for x in found]


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.root < 0])
def test_next_to_a_root_of_a_derivative(name: str) -> None:
    case = CASES[name]
    for x in nearest_to(case.root, 10):
        for gradient in (1.0, -TINY, 3.4e38):
            actual = decide(case.function, (gradient, x), (), "float32")
            assert same(actual, judged(case.function, (gradient, x), (), "float32")), x


def test_a_tie_is_exact() -> None:
    # 1 + 2**-24 is half way between two F32 numbers, of which 1 is even
    scale = (1 + 2.0**-24,)
    assert decide(lambda x, s: x * s, (1.0,), scale, "float32") == 1.0
    assert decide(lambda x, s: x * s, (1 + 2.0**-23,), (1.0,), "float32") == 1 + 2.0**-23
    assert decide(lambda x, t: x / t * t, (1 + 2.0**-24, 3.0), (), "float32") == 1.0
    third = decide(lambda x: x * Fraction(1, 3), (3 + 3 * 2.0**-24,), (), "float32")
    assert third == 1.0


@pytest.mark.parametrize("steps", [1, 3, 5])
@pytest.mark.parametrize("x", [2.0**-1074, 2.0**-149, 2.0**-24])
def test_a_term_decides_half_of_a_subnormal_number(steps: int, x: float) -> None:
    # the factor is 1/2 + x/4, so the tie is left upwards for x above 0
    for kind, unit in (("float32", TINY), ("float64", 2.0**-1074)):
        half = steps // 2 * unit
        for at, expected in ((x, half + unit), (-x, half)):
            actual = decide(softplus_backward, (steps * unit, at), (1.0, 20.0), kind)
            assert actual == expected


def test_a_number_next_to_a_tie_that_no_precision_reaches() -> None:
    # silu'(5000) is 1 + 4999 exp(-5000): only that it is above 1 is known
    assert decide(silu_backward, (1 + 2.0**-24, 5000.0), (), "float32") == 1 + 2.0**-23
    assert decide(silu_backward, (1 + 3 * 2.0**-24, 5000.0), (), "float32") == 1 + 2.0**-22
    product = decide(lambda x, y: x * tanh(y), (1 + 3 * 2.0**-24, 5000.0), (), "float32")
    assert product == 1 + 2.0**-23


def test_an_underflow_keeps_its_sign() -> None:
    assert same(decide(lambda x: -exp(x), (-5000.0,), (), "float64"), -0.0)
    assert same(decide(gelu_erf_backward, (1.0, -100.0), (), "float64"), -0.0)
    assert same(decide(gelu_erf_backward, (-1.0, -3000.0), (), "float32"), 0.0)
    assert same(decide(gelu_erf_backward, (1.0, -1e300), (), "float64"), -0.0)
    assert same(decide(lambda x: x * x, (-TINY,), (), "float32"), 0.0)


def test_the_limit_of_a_type() -> None:
    assert decide(lambda x: x, (65519.99,), (), "float16") == 65504
    assert decide(lambda x: x, (65520.0,), (), "float16") == math.inf
    assert decide(lambda x: -exp(x), (1e300,), (), "float64") == -math.inf
    assert decide(lambda x: exp(x) - 1 / exp(-x), (0.0,), (), "float64") == 0.0


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x / 0.0, math.inf),
        (lambda x: x / -0.0, -math.inf),
        (lambda x: (x - x) / 0.0, math.nan),
        (lambda x: 1.0 / (x / math.inf), math.inf),
        (lambda x: select(x > math.nan, 1.0, math.inf), math.inf),
        (lambda x: select((x < math.inf) & (x > -math.inf), -0.0, 1.0), -0.0),
        (lambda x: select(x == 2.0, x, x / 0.0), 2.0),
        (lambda x: select(x > 0.0, x, log(x - 3.0)), 2.0),
        (lambda x: 1.0 / select(x == 2.0, 3.0, 0.0), 1 / 3),
        (lambda x: log(x - 3.0), math.nan),
        (lambda x: log(x - 2.0), -math.inf),
        (lambda x: log(x - 1.0), 0.0),
        (lambda x: log1p(x - 3.0), -math.inf),
        (lambda x: sqrt(x - 3.0), math.nan),
        (lambda x: sqrt(x + 0.25), 1.5),
        (lambda x: sqrt(x) * sqrt(x), 2.0),
        (lambda x: sign(-x) * sign(x - 2.0), -0.0),
        (lambda x: exp(-math.inf * x), 0.0),
        (lambda x: tanh(x * math.inf), 1.0),
        (lambda x: softplus(x - 2.0), math.log(2)),
        (lambda x: softplus(-exp(-2500.0 * x)), math.log(2)),
        (lambda x: normal_cdf(-exp(-2500.0 * x)), 0.5),
        (lambda x: single(x + 1e-12), 2.0),
        (lambda x: single(x * 1e38 * 1e38), math.inf),
        (lambda x: math.nan * x, math.nan),
    ],
)
def test_special_values_are_those_of_ieee_754(function: Any, expected: float) -> None:
    assert same(decide(function, (2.0,), (), "float64"), expected)


@pytest.mark.parametrize("x", [-90.0, -104.0, -1e4, -1e30, 104.0])
@pytest.mark.parametrize(
    "formula", [gelu_erf_backward, gelu_tanh_backward, silu_backward], ids=["erf", "tanh", "silu"]
)
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_zero_times_a_number_beyond_every_type_has_the_sign_of_the_product(
    zero: float, formula: Any, x: float
) -> None:
    # the derivatives are between -2**-5900 and 0 at the smallest of these
    expected = math.copysign(0.0, zero if x > 0 else -zero)
    for kind in ("float32", "float64"):
        assert same(decide(formula, (zero, x), (), kind), expected)


def test_zero_times_what_may_be_infinite_is_undecided() -> None:
    def product(x: Any) -> Any:
        return (x - 2.0) * (exp(1e9 * x) - exp(2e9 * x))

    with pytest.raises(Undecided):
        decide(product, (2.0,), (), "float64")


def test_irrational_numbers_that_are_equal() -> None:
    def compared(x: Any) -> Any:
        return select(sqrt(x) * sqrt(x) == x, 1.0, 2.0)

    with pytest.raises(Undecided, match=r"compared of \(2.0,\), \(\) after 10240 bits"):
        decide(compared, (2.0,), (), "float64")
    assert decide(compared, (2.25,), (), "float64") == 1.0


def test_the_signs_of_zeros_are_told_apart_by_the_cache() -> None:
    def inverse(x: Any, y: Any) -> Any:
        return y / x

    assert decide(inverse, (0.0,), (1,), "float32") == math.inf
    assert decide(inverse, (-0.0,), (1,), "float32") == -math.inf


def test_integers_beyond_float64() -> None:
    # a tie of F32 but for the last bit, which no double holds
    assert decide(lambda x: x, (2**62 + 2**38 + 1,), (), "float32") == 2.0**62 + 2.0**39
    assert decide(lambda x: x, (2**62 + 2**38,), (), "float32") == 2.0**62


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_fractions_are_rounded_as_by_numpy(kind: str) -> None:
    rng = np.random.default_rng(5)
    values = rng.standard_normal(500) * 2.0 ** rng.integers(-160, 140, 500)
    with np.errstate(all="ignore"):
        theirs = values.astype(kind).astype(np.float64)
    assert [round_fraction(Fraction(x), kind) for x in values.tolist()] == theirs.tolist()


@pytest.mark.parametrize("bits", [160, 640])
@pytest.mark.parametrize("x", [2.0**-200, 0.3, 4.4, 4.5, 8.9, 9.1, 13.3, 38.1, 85.3])
def test_the_normal_distribution_has_as_many_bits_as_asked_for(x: float, bits: int) -> None:
    low, high = enclosures.normal_cdf(Fraction(-x), bits)
    assert 0 < high - low < low * Fraction(2) ** (2 - bits)


@pytest.mark.full
@pytest.mark.parametrize("bits", [160, 640, 10240])
@pytest.mark.parametrize("exponent", [-8, -40, -159, -161, -3000, -11000])
@pytest.mark.parametrize("factor", [Fraction(1), Fraction(-1), Fraction(5, 3), Fraction(-7, 5)])
def test_log1p_next_to_0_has_as_many_bits_as_asked_for(
    factor: Fraction, exponent: int, bits: int
) -> None:
    x = factor * Fraction(2) ** exponent
    low, high = enclosures.log1p(x, bits)
    with mpmath.workprec(3 * bits - exponent):
        value = mpmath.log1p(mpmath.mpf(x.numerator) / x.denominator)
        ends = [mpmath.mpf(end.numerator) / end.denominator for end in (low, high)]
        assert ends[0] < value < ends[1]
        assert ends[1] - ends[0] < abs(value) * mpmath.mpf(2) ** (4 - bits)


#: formulas with numbers that `within` clips, and scalars
CLIPPED = {
    "silu_backward": (),
    "swish_backward": (-3e38,),
    "fast_gelu_backward": (),
    "mish_backward": (),
    "swiglu": (),
    "swiglu_backward": (0.0,),
    "elu_backward": (3e38, 3e38, 1.0, 0.0),
    "kl_div_backward": (0.0, 1.0),
    "kl_div_target_backward": (0.0, 1.0),
}


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("name", CLIPPED)
def test_far_out_narrow_numbers_need_fewer_bits(name: str, kind: str) -> None:
    formula, form = ar.OPERATORS[name].formula, float_format(ELEMENT_TYPES[kind])
    sizes = [600.0, 604.0, 2048.0, 8192.0, form.largest, form.smallest, 1.0]
    # their product is a tie
    sizes += [1.5, 1.0 + 2.0**-form.fraction]
    rng = np.random.default_rng(0)
    size = (1.0,) if formula.sized else ()
    for _ in range(40):
        elements = [float(rng.choice(sizes) * rng.choice([-1, 1])) for _ in range(formula.tensors)]
        call = formula.function, elements, (*CLIPPED[name], *size), kind
        wide, narrow = decide(*call), decide(*call, narrow=True)
        assert (narrow, math.copysign(1, narrow)) == (wide, math.copysign(1, wide)), elements


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("share", [-60.0, -0.5, 0.125, 20.0])
@pytest.mark.parametrize("x", [601.0, 1089.0, -1850.0, -24320.0])
def test_logarithms_far_out_decide_ties(x: float, share: float, narrow: bool) -> None:
    """What log(1 + exp(±x)) is above the larger of ±x and 0 is one positive number."""

    line = Fraction(share * max(x, 0.0) + (1.0 - share) * max(-x, 0.0))

    def formula(x: Any, tie: Any) -> Any:
        return share * softplus(x) + (1.0 - share) * softplus(-x) - line + tie

    for tie, above in ((2049.0, 2050.0), (-2051.0, -2050.0)):
        assert decide(formula, (x, tie), (), "float16", narrow=narrow) == above
