"""Comparisons and the acceptance rule, against exact fractions."""

from dataclasses import FrozenInstanceError
from fractions import Fraction
from math import inf, isinf, isnan, nan
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ascendref as ar

from ..support.rounding import FORMATS, array_of, decode, round_to
from .test_ulp import distance

LARGEST = float.fromhex("0x1.fffffffffffffp+1023")
#: types of a result and of its golden array
PAIRS = [
    *((kind, kind) for kind in FORMATS),
    ("float16", "float32"),
    ("bfloat16", "float32"),
    ("float16", "float64"),
    ("bfloat16", "float64"),
    ("float32", "float64"),
]


MOST = attrgetter("max_ulp", "max_absolute", "max_relative")
MEANS = attrgetter("mean_ulp", "mean_absolute", "mean_relative")
COUNTS = attrgetter(
    "differing", "wrong", "nan_mismatches", "infinity_mismatches", "zero_sign_mismatches",
    "missed_zeros",
)  # fmt: skip


def unit(value: Fraction, kind: str) -> Fraction:
    """Return the unit in the last place of a type at a number."""
    form = FORMATS[kind]
    exponent = 1 - form.bias
    while exponent < form.bias and abs(value) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    return Fraction(2) ** (exponent - form.fraction)


def number(value: Fraction) -> float:
    """Return a fraction as F64, infinite where it overflows."""
    try:
        return float(value)
    except OverflowError:
        return inf


def bits(value: float, kind: str) -> int:
    """Return the bits of a number of a type."""
    form = FORMATS[kind]
    return int(array_of(kind, np.float64(value)).view(form.raw))


def expected(actual: float, golden: float, kind: str, same: bool) -> tuple[float, ...]:
    """Return errors and counts of one element by the definitions, in fractions.

    The order is that of `MOST` and `COUNTS`.
    """
    rounded = float(round_to(kind, np.float64(golden)))
    wrong = actual != rounded and not (isnan(actual) and isnan(rounded))
    if isnan(actual) or isnan(golden):
        error = inf if isnan(actual) != isnan(golden) else 0.0
        return error, error, error, error > 0, wrong, error > 0, False, False, False
    infinity = wrong and (isinf(actual) or isinf(rounded))
    zero_sign = actual == rounded == 0 and str(actual) != str(rounded)
    if isinf(rounded):
        golden = rounded
    step = Fraction(2) ** (FORMATS[kind].bias + 1)
    left, right = (
        Fraction(x) if not isinf(x) else step * (1 if x > 0 else -1) for x in (actual, golden)
    )
    if same:
        ulp = float(distance(bits(actual, kind), bits(golden, kind), kind))
    else:
        ulp = number(abs(left - right) / unit(right, kind))
    absolute = inf if infinity else number(abs(left - right))
    missed = right == 0 and 0 < absolute < inf
    if isinf(absolute):
        relative = inf
    else:
        relative = number(abs(left - right) / abs(right)) if absolute and not missed else 0.0
    return ulp, absolute, relative, absolute != 0, wrong, False, infinity, zero_sign, missed


def numbers(kind: str) -> Any:
    """Draw numbers of a type, as F64: any bits."""
    form = FORMATS[kind]
    edges = [0, 1, form.infinity - 1, form.infinity, form.infinity + 1]
    edges += [form.sign | edge for edge in edges]
    return (st.sampled_from(edges) | st.integers(0, 2 * form.sign - 1)).map(
        lambda raw: float(decode(np.array(raw, np.uint64), kind))
    )


@st.composite
def elements(draw: Any, kind: str, golden_kind: str) -> tuple[float, float]:
    """Draw an element: what it should be, and a result near to it or anywhere."""
    golden = draw(numbers(golden_kind) | numbers(kind))
    if draw(st.booleans()):
        return draw(numbers(kind)), golden
    form, near = FORMATS[kind], bits(golden, kind)
    magnitude = near % form.sign + draw(st.integers(-3, 3))
    stepped = min(max(magnitude, 0), form.infinity) | near & form.sign
    return float(decode(np.array(stepped, np.uint64), kind)), golden


@pytest.mark.daily(3)
@pytest.mark.parametrize(("kind", "golden_kind"), PAIRS)
@settings(max_examples=60)
@given(data=st.data())
def test_any_elements(kind: str, golden_kind: str, data: Any) -> None:
    drawn = data.draw(st.lists(elements(kind, golden_kind), max_size=8))
    actual, golden = np.array(drawn).reshape(-1, 2).T
    found = ar.compare(array_of(kind, actual), array_of(golden_kind, golden))
    rows = [expected(a, g, kind, kind == golden_kind) for a, g in drawn]
    ulps, absolutes, relatives, *masks = zip(*rows, strict=True) if rows else [()] * 9
    assert COUNTS(found) == tuple(sum(mask) for mask in masks)
    names = found.actual_dtype, found.golden_dtype, found.elements
    assert names == (kind, golden_kind, len(rows))
    # a difference, a quotient and a sum are each rounded once to F64
    having = (len(rows), len(rows), len(rows) - found.missed_zeros)
    columns = (ulps, absolutes, relatives), MOST(found), MEANS(found), having
    for values, most, mean, count in zip(*columns, strict=True):
        assert most == pytest.approx(max(values, default=0.0), rel=1e-15, abs=1e-323)
        assert mean == pytest.approx(sum(values) / max(count, 1), rel=1e-14, abs=1e-323)
    if found.worst is None:
        assert max(ulps, default=0.0) == 0
    else:
        (index,) = found.worst.index
        assert ulps[index] == pytest.approx(max(ulps), rel=1e-15)
        assert all(ulp <= ulps[index] for ulp in ulps[:index])
        assert str((found.worst.actual, found.worst.golden)) == str(drawn[index])


def test_the_definitions_on_numbers_worked_out_by_hand() -> None:
    # ulp, absolute and relative error of one element
    for kind, golden_kind, actual, golden, errors in [
        ("float16", "float64", 1.0, 1 + 2**-12, (0.25, 2**-12, 2**-12 / (1 + 2**-12))),
        ("float16", "float64", 1.0, 1 - 2**-12, (0.5, 2**-12, 2**-12 / (1 - 2**-12))),
        ("float16", "float64", 0.0, 2.0**-24, (1.0, 2.0**-24, 1.0)),
        ("float16", "float64", 2.0**-24, 0.0, (1.0, 2.0**-24, 0.0)),
        ("float16", "float64", 0.0, 2.0**-30, (2.0**-6, 2.0**-30, 1.0)),
        ("float16", "float64", 65504.0, 65519.0, (15 / 32, 15.0, 15 / 65519)),
        ("float16", "float64", inf, 65519.0, (17 / 32, inf, inf)),
        ("float16", "float64", inf, 65520.0, (0.0, 0.0, 0.0)),
        ("float16", "float64", inf, 1e300, (0.0, 0.0, 0.0)),
        ("float16", "float64", 65504.0, 1e300, (1.0, inf, inf)),
        ("float16", "float64", 65504.0, inf, (1.0, inf, inf)),
        ("float16", "float64", -inf, inf, (2 * 65536 / 32, inf, inf)),
        ("float16", "float16", -inf, inf, (2.0 * 0x7C00, inf, inf)),
        ("float16", "float16", 65504.0, inf, (1.0, inf, inf)),
        ("float64", "float64", 1.0, 1.0 + 2**-52, (1.0, 2**-52, 2**-52 / (1 + 2**-52))),
        ("float64", "float64", -LARGEST, LARGEST, (float(2 * (0x7FF << 52) - 2), inf, inf)),
        ("float32", "float32", nan, nan, (0.0, 0.0, 0.0)),
        ("float32", "float32", nan, 1.0, (inf, inf, inf)),
        ("float32", "float64", 1.0, nan, (inf, inf, inf)),
        ("bfloat16", "float32", nan, inf, (inf, inf, inf)),
    ]:
        found = ar.compare(
            array_of(kind, np.array([actual])), array_of(golden_kind, np.array([golden]))
        )
        assert MOST(found) == errors, (actual, golden)


def test_the_worst_is_the_first_of_the_largest_wherever_it_is() -> None:
    golden = np.ones((3, 7, 2000))
    actual = golden.copy()
    actual[2, 6, 5] = actual[2, 1, 17] = actual[1, 5, 1999] = 1 + 2**-50
    actual[0, 0, 3] = actual[2, 6, 1999] = 1 + 2**-51
    found = ar.compare(actual, golden)
    assert found.worst == ar.verify.Worst((1, 5, 1999), 1 + 2**-50, 1.0)
    assert (found.elements, found.differing, found.max_ulp) == (42_000, 5, 4.0)
    assert found.mean_ulp == 16 / 42_000
    turned = ar.compare(actual.T, golden.T)
    assert turned.worst == ar.verify.Worst((5, 6, 2), 1 + 2**-50, 1.0)


def test_no_rank_and_no_elements() -> None:
    found = ar.compare(np.float16(1), np.float32(2))
    assert found.worst == ar.verify.Worst((), 1.0, 2.0)
    assert found.mean_ulp == 512
    empty = ar.compare(np.ones((0, 3), np.float16), np.ones((0, 3)))
    assert (empty.elements, empty.worst, empty.max_ulp, empty.mean_relative) == (0, None, 0, 0)
    ar.assert_accepted(np.ones(0, np.float16), np.ones(0))


def test_a_comparison_is_read_in_a_few_lines() -> None:
    golden = np.array([1.0, nan, inf, 0.0, 1000.4], np.float64)
    actual = np.array([1.0, 1.0, 65504.0, -0.0, 1000.0], np.float16)
    assert str(ar.compare(actual, golden)).splitlines() == [
        "float16 against float64: 3 of 5 elements differ, 3 wrongly rounded",
        "ulp:      max inf        mean inf",
        "absolute: max inf        mean inf",
        "relative: max inf        mean inf",
        "worst at (1,): 1.0 instead of nan",
        "mismatches: NaN 1, infinity 1, sign of zero 1",
    ]
    assert str(ar.compare(golden[:1], golden[:1])).splitlines() == [
        "float64 against float64: 0 of 1 elements differ, 0 wrongly rounded",
        "ulp:      max 0          mean 0",
        "absolute: max 0          mean 0",
        "relative: max 0          mean 0",
    ]


def test_a_comparison_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        ar.compare(np.ones(1), np.ones(1)).wrong = 3  # type: ignore[misc]


@pytest.mark.parametrize("function", [ar.compare, ar.assert_accepted])
@pytest.mark.parametrize(
    ("actual", "golden", "message"),
    [
        (
            np.ones(2, np.float16),
            np.ones(2, FORMATS["bfloat16"].dtype),
            "golden has type bfloat16; float16, as actual, or a wider type is expected",
        ),
        (
            np.ones(2, np.float32),
            np.ones(2, np.float16),
            "golden has type float16; float32, as actual, or a wider type is expected",
        ),
        (
            np.ones(2, np.float16),
            np.ones(2, np.int64),
            "golden has type int64; allowed are float16, bfloat16, float32, float64 in native byte"
            " order",
        ),
        (
            [1.0],
            np.ones(1),
            "actual is a list; an array is expected (NumPy, torch, or any object with __dlpack__ or"
            " __array__)",
        ),
        (
            np.ones((2, 3), np.float16),
            np.ones(3),
            "golden has shape (3,); (2, 3), as actual, is expected",
        ),
    ],
)
def test_bad_arguments(function: Any, actual: Any, golden: Any, message: str) -> None:
    with pytest.raises(ar.ArgumentError) as caught:
        function(actual, golden)
    assert str(caught.value) == message
    assert isinstance(caught.value, TypeError) == ("shape" not in message)


#: the rule of a type: relative and absolute tolerance, and the cap
RULES = {
    "float16": (2.0**-9, 2.0**-9, 0.1),
    "bfloat16": (2.0**-6, 2.0**-6, 1.0),
    "float32": (2.0**-10, 2.0**-16, 0.01),
}
each_rule = pytest.mark.parametrize("kind", RULES)


def refusal(actual: Any, golden: Any) -> list[str]:
    """Return the lines of the error by which a result is refused."""
    with pytest.raises(AssertionError) as caught:
        ar.assert_accepted(actual, golden)
    return str(caught.value).splitlines()


@pytest.mark.filterwarnings("ignore:the result is accepted")
@each_rule
def test_one_percent_may_be_out_of_tolerance(kind: str) -> None:
    rtol, atol, _ = RULES[kind]
    actual = array_of(kind, np.ones(200))
    golden = np.ones(200)
    edge = atol / (1 - rtol) + 1 / (1 - rtol)  # golden - 1 == atol + rtol * golden
    golden[:2] = edge + 1e-9
    ar.assert_accepted(actual, golden)
    golden[2] = edge - 1e-9
    ar.assert_accepted(actual, golden)
    golden[2] = edge + 2e-9
    assert refusal(actual, golden) == [
        f"the result is not accepted as {kind}",
        "3 of 200 elements out of tolerance, 1 % may be: |actual - golden| <="
        f" 2**{np.log2(atol):.0f} + 2**{np.log2(rtol):.0f} * |golden|",
        f"  the largest error at (2,): actual 1.0, golden {golden[2].item()!r}, error"
        f" {golden[2] - 1:g}",
    ]


@pytest.mark.filterwarnings("ignore:the result is accepted")
@each_rule
def test_the_tolerance_is_met_exactly(kind: str) -> None:
    rtol, atol, _ = RULES[kind]
    golden = np.zeros(50)
    golden[7] = -atol / (1 + rtol)
    actual = array_of(kind, np.zeros(50))
    ar.assert_accepted(actual, golden)
    golden[:] = 0
    actual[7] = atol
    ar.assert_accepted(actual, golden)
    actual[7] = np.nextafter(actual[7], actual.dtype.type(1))
    assert "1 of 50 elements out of tolerance" in refusal(actual, golden)[1]


@pytest.mark.filterwarnings("ignore:the result is accepted")
@each_rule
def test_no_element_may_be_beyond_the_cap(kind: str) -> None:
    *_, cap = RULES[kind]
    golden = np.zeros((1000, 2))
    actual = array_of(kind, golden)
    golden[400, 1] = cap  # the cap is the larger one: 32 ulp of that are less
    ar.assert_accepted(actual, golden)
    golden[400, 1] = cap * (1 + 2**-50)
    assert refusal(actual, golden) == [
        f"the result is not accepted as {kind}",
        "1 of 2,000 elements beyond the cap, none may be: |actual - golden| <="
        f" max({cap:g}, 32 ulp)",
        f"  the largest error at (400, 1): actual 0.0, golden {golden[400, 1].item()!r}, error"
        f" {cap:g}",
    ]


@each_rule
def test_32_ulp_are_within_the_cap(kind: str) -> None:
    golden = np.zeros(1000)
    golden[5] = 3 * 2.0**12
    unit_there = 2.0 ** (13 - FORMATS[kind].fraction)
    assert 32 * unit_there > RULES[kind][2]
    actual = array_of(kind, golden + 32 * unit_there * (golden > 0))
    ar.assert_accepted(actual, golden)
    golden[5] -= 2.0**-20
    assert "1 of 1,000 elements beyond the cap" in refusal(actual, golden)[1]


def test_both_parts_are_reported() -> None:
    lines = refusal(np.array([1.0, 2.0, -5.0], np.float32), np.array([1.0, 2.005, 3.0]))
    assert [line[:40] for line in lines] == [
        "the result is not accepted as float32",
        "2 of 3 elements out of tolerance, 1 % ma",
        "  the largest error at (2,): actual -5.0",
        "1 of 3 elements beyond the cap, none may",
        "  the largest error at (2,): actual -5.0",
    ]


@each_rule
@pytest.mark.parametrize(
    ("actual", "golden"),
    [(nan, 1.0), (1.0, nan), (inf, 1.0), (1.0, inf), (inf, -inf), (nan, inf), (-inf, nan)],
)
def test_what_is_no_finite_number_must_be_matched(kind: str, actual: float, golden: float) -> None:
    x, y = array_of(kind, np.ones(30_000)), np.ones(30_000)
    x[20_000] = actual
    y[20_000] = golden
    lines = refusal(x, y)
    assert lines[1].startswith("1 of 30,000 elements beyond the cap")
    assert lines[2].endswith(f"at (20000,): actual {actual!r}, golden {golden!r}, error inf")
    x[20_000] = golden
    ar.assert_accepted(x, y)


@each_rule
@pytest.mark.parametrize("golden", [nan, inf, -inf])
def test_what_is_no_finite_number_is_out_of_tolerance(kind: str, golden: float) -> None:
    lines = refusal(array_of(kind, np.zeros(50)), np.array([golden] * 3 + [0.0] * 47))
    assert lines[1].startswith("3 of 50 elements out of tolerance")
    assert lines[3].startswith("3 of 50 elements beyond the cap")


def test_what_rounds_to_infinity_is_infinite() -> None:
    ar.assert_accepted(np.array([inf, -inf], np.float16), np.array([65520.0, -1e300]))
    assert "error inf" in refusal(np.array([65504.0], np.float16), np.array([65520.0]))[2]
    ar.assert_accepted(np.array([65504.0], np.float16), np.array([65519.0]))


def test_float64_has_no_rule() -> None:
    with pytest.raises(ar.ArgumentTypeError) as caught:
        ar.assert_accepted(np.ones(1), np.ones(1))
    assert str(caught.value) == (
        "actual has type float64; allowed are float16, bfloat16, float32 in native byte order"
    )


def test_accepted_results_that_are_far_off_are_warned_of() -> None:
    x = np.linspace(-4, 4, 200).astype(np.float16)
    erf, tanh = ar.gelu(x), ar.gelu(x, "tanh")
    with pytest.warns(UserWarning, match="more than 32 ulp off"):
        ar.assert_accepted(tanh, erf)
    ar.assert_accepted(erf, ar.gelu(x, compute_dtype="float64"))


def test_errors_are_relative_to_what_differs_from_0() -> None:
    found = ar.compare(np.float32([1.5, 1e-9, 2.0]), np.float32([1.0, 0.0, 2.0]))
    assert (found.max_relative, found.mean_relative, found.missed_zeros) == (0.5, 0.25, 1)
    assert "inf" not in str(found)
