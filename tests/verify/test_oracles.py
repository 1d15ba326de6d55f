"""The oracles of `ascendref verify`: by hand, at ties and subnormals, one against the other."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from ascendref.core.dtypes import BFLOAT16, ELEMENT_TYPES, FLOAT16, FLOAT32
from ascendref.verify.accuracy.channel_sums import exact_sum
from ascendref.verify.accuracy.runner import Runner
from ascendref.verify.accuracy.sweep import Sweep
from ascendref.verify.accuracy.sweep_result import SweepResult
from ascendref.verify.oracles import exact, jit, judge
from ascendref.verify.oracles.factors import COLUMNS, DIVISOR, SLACK
from ascendref.verify.oracles.formats import Format, format_of
from ascendref.verify.oracles.reference import Reference
from ascendref.verify.oracles.rounding import Arithmetic, rounded
from ascendref.verify.references import (
    REFERENCES,
    prelu_backward,
    smooth_l1_loss_backward,
    softplus_backward,
)

HALF, BRAIN, SINGLE = (format_of(kind) for kind in (FLOAT16, BFLOAT16, FLOAT32))
POWER = Fraction(2)
TINY = 2.0**-24  # the smallest number of F16


# --- rounding a fraction --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Fraction(1), 1.0),
        (Fraction(1, 3), 0.333251953125),
        # ties: 1 + 2**-11 lies between 1 and 1 + 2**-10, the next one up goes to the even neighbour
        (1 + POWER**-11, 1.0),
        (1 + 3 * POWER**-11, 1 + 2.0**-9),
        (1 + POWER**-11 + POWER**-300, 1 + 2.0**-10),
        # a binade's end: the unit below 1 is half the one above
        (1 - POWER**-12, 1.0),
        (1 - POWER**-12 - POWER**-100, 1 - 2.0**-11),
        # subnormals: half of the smallest is a tie to 0, a trace more is not
        (POWER**-25, 0.0),
        (POWER**-25 + POWER**-400, TINY),
        (3 * POWER**-25, 2 * TINY),
        (Fraction(1023 * 2 + 1) * POWER**-25, 1024 * TINY),
        # the largest number, and from where on it is infinity
        (Fraction(65519), 65504.0),
        (Fraction(65520), math.inf),
        (Fraction(65520) - POWER**-200, 65504.0),
    ],
)
def test_a_fraction_is_rounded_once(value: Fraction, expected: float) -> None:
    assert exact.round_fraction(value, HALF) == expected
    assert exact.round_fraction(-value, HALF) == -expected


def test_a_negative_underflow_is_a_negative_zero() -> None:
    assert math.copysign(1, exact.round_fraction(-(POWER**-30), HALF)) == -1
    factor = prelu_backward.exact(-1.0, TINY)
    assert math.copysign(1, exact.golden(factor, -TINY, HALF).rounded) == -1


# --- operators, by hand ---------------------------------------------------------------------------


def golden(
    name: str, x: float, other: float, g: float, *numbers: float, form: Format = HALF
) -> float:
    """Return what the slow oracle says."""
    return exact.golden(REFERENCES[name].exact(x, other, *numbers), g, form).rounded


@pytest.mark.parametrize(
    ("name", "x", "other", "g", "numbers", "expected"),
    [
        ("hardshrink_backward", 0.5, 0.0, 3.0, (0.5,), 0.0),
        ("hardshrink_backward", -0.75, 0.0, 3.0, (0.5,), 3.0),
        ("hardshrink_backward", math.nan, 0.0, math.inf, (0.5,), 0.0),
        # e**0 = 1; half of the smallest number is a tie, which any z above 0 breaks
        ("softplus_backward", 0.0, 0.0, 3.0, (1.0, 20.0), 1.5),
        ("softplus_backward", 0.0, 0.0, TINY, (1.0, 20.0), 0.0),
        ("softplus_backward", 2.0**-133, 0.0, TINY, (1.0, 20.0), TINY),
        ("softplus_backward", -(2.0**-133), 0.0, 3 * TINY, (1.0, 20.0), TINY),
        ("softplus_backward", 20.0, 0.0, 8192.0, (1.0, 20.0), 8192.0),
        # 1 / (1 + e) = 0.26894142137, between 0.26879882812 and 0.26904296875
        ("softplus_backward", -1.0, 0.0, 1.0, (1.0, 20.0), 0.26904296875),
        ("softplus_backward", -1e30, 0.0, 1.0, (1.0, 20.0), 0.0),
        ("softplus_backward", -1e30, 0.0, math.inf, (1.0, 20.0), math.inf),
        ("prelu_backward", 2.0, math.nan, 3.0, (), 3.0),
        ("prelu_backward", -0.0, 0.25, 3.0, (), 0.75),
        # (1 + 2**-10) * (1 + 2**-10) = 1 + 2**-9 + 2**-20
        ("prelu_backward", -1.0, 1 + 2.0**-10, 1 + 2.0**-10, (), 1 + 2.0**-9),
        ("prelu_backward", -1.0, 0.5, TINY, (), 0.0),
        ("prelu_backward", -1.0, 0.5, 3 * TINY, (), 2 * TINY),
        ("smooth_l1_loss_backward", 1.0, 0.5, 3.0, (1.0, 1.0), 1.5),
        ("smooth_l1_loss_backward", 1.0, 0.5, 3.0, (0.5, 1.0), 3.0),
        ("smooth_l1_loss_backward", 1.0, 0.5, 3.0, (1.0, 3.0), 0.5),
        ("smooth_l1_loss_backward", 0.5, 0.5, 3.0, (0.0, 1.0), 0.0),
        ("smooth_l1_loss_backward", -math.inf, 0.5, 3.0, (1.0, 1.0), -3.0),
        ("logit_grad", 0.5, 0.0, 3.0, (-1.0, 2.0), 12.0),
        # 1 / (3 / 16) = 5.333..., between 5.33203125 and 5.3359375
        ("logit_grad", 0.25, 0.0, 1.0, (-1.0, 2.0), 5.33203125),
        ("logit_grad", 0.0, 0.0, 1.0, (-1.0, 2.0), math.inf),
        ("logit_grad", 2.0, 0.0, 1.0, (0.0, 1.0), 0.0),
        ("logit_grad", 0.25, 0.0, 1.0, (math.inf, -math.inf), 0.0),
    ],
)
def test_hand_computed_results(
    name: str, x: float, other: float, g: float, numbers: tuple[float, ...], expected: float
) -> None:
    assert golden(name, x, other, g, *numbers) == expected


@pytest.mark.parametrize(
    ("name", "x", "other", "g", "numbers"),
    [
        ("softplus_backward", math.nan, 0.0, 1.0, (1.0, 20.0)),
        ("softplus_backward", -math.inf, 0.0, math.inf, (1.0, 20.0)),
        ("prelu_backward", -1.0, math.inf, 0.0, ()),
        ("smooth_l1_loss_backward", math.inf, math.inf, 1.0, (1.0, 1.0)),
        ("smooth_l1_loss_backward", 0.0, 0.0, math.inf, (0.0, 1.0)),
        ("logit_grad", 0.0, 0.0, 0.0, (-1.0, 2.0)),
        ("logit_grad", 2.0, 0.0, 1.0, (-1.0, 2.0)),
        ("logit_grad", 0.5, 0.0, 1.0, (1.5, -0.5)),
    ],
)
def test_results_that_are_no_number(
    name: str, x: float, other: float, g: float, numbers: tuple[float, ...]
) -> None:
    assert math.isnan(golden(name, x, other, g, *numbers))


def test_the_branch_of_softplus_is_taken_by_the_exact_product() -> None:
    # 3 * x is 1 + 2**-24: float32 rounds it to 1, which is not above the threshold
    x = float(np.float32(1 / 3)) + 2.0**-26
    beta, threshold = 3.0, float(np.float32(1.0))
    assert Fraction(beta) * Fraction(x) > 1
    assert golden("softplus_backward", x, 0.0, 1.0, beta, threshold, form=SINGLE) == 1.0


def test_decimal_and_mpmath_agree_on_softplus() -> None:
    for x in np.random.default_rng(0).normal(0, 30, 200).astype(np.float32).tolist():
        factor = softplus_backward.exact(x, 0.0, 1.0, math.inf)
        assert callable(factor)
        low, high = factor(60)
        with mpmath.workprec(300):
            true = 1 / (1 + mpmath.exp(-mpmath.mpf(x)))
            sign, significand, exponent, _ = true._mpf_
            value = Fraction(significand) * POWER**exponent
        assert not sign
        assert low < value < high
        assert (high - low) / value < Fraction(1, 10**55)


# --- the fast oracle against the slow one ---------------------------------------------------------


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("name", REFERENCES)
def test_both_oracles_agree(name: str, kind: str) -> None:
    reference = REFERENCES[name]
    rng = np.random.default_rng(1)
    for setting in reference.settings:
        made = Sweep(name, kind, setting, (), exhaustive=False)
        data, gradients = made.grid(200)
        data, gradients = rng.choice(data, 24), rng.choice(gradients, 24)
        data = np.concatenate([data, np.array([2.0**-24, -(2.0**-24)], data.dtype)])
        # multiples of the number of results: many a mean is a tie, and next to one by such data
        fifteens = [15.0 * odd for odd in range(1, 18, 2)]
        special = np.array([0.0, -0.0, np.inf, np.nan, *fifteens], gradients.dtype)
        with np.errstate(invalid="ignore"):
            g = np.concatenate([gradients, special]).astype(np.float64)
            x = data.astype(np.float64)
            other = setting.others(data).astype(np.float64)
        numbers = reference.prepared(setting, 15)
        form = format_of(ELEMENT_TYPES[kind])
        wanted = np.array(
            [
                [exact.golden(reference.exact(a, b, *numbers), y, form).rounded for y in g.tolist()]
                for a, b in zip(x.tolist(), other.tolist(), strict=True)
            ]
        )
        histogram, worst, hard = judged(reference, x, other, numbers, g, wanted, form)
        assert histogram[judge.FIRST_WRONG :].sum() == 0, setting
        assert histogram.sum() + hard == wanted.size
        assert worst <= 0.5


def judged(
    reference: Reference, x: Any, other: Any, numbers: Any, g: Any, actual: Any, form: Format
) -> tuple[Any, float, int]:
    """Return what the fast oracle says about results: classes, largest error, hard cases."""
    factors = np.empty((x.size, COLUMNS))
    reference.factors(x, other, *numbers, factors)
    worst, column = np.empty((1, x.size)), np.empty((1, x.size), np.int64)
    histogram = np.zeros((1, 1, judge.CLASSES), np.int64)
    hard = np.empty((1, x.size * g.size), np.int64)
    results = actual[None].astype(np.float32)
    found = judge.judge(factors, g, results, form, worst, column, histogram, hard)
    return histogram[0, 0], float(worst.max()), int(found[0])


def judge_one(
    name: str, x: float, g: float, actual: float, *numbers: float, form: Format = HALF
) -> Any:
    """Return class, error and hard cases of one result."""
    arrays = np.array([x]), np.array([0.0])
    histogram, worst, hard = judged(
        REFERENCES[name], *arrays, numbers, np.array([g]), np.array([[actual]]), form
    )
    return (int(histogram.argmax()) if histogram.any() else None), worst, hard


def test_results_are_classified() -> None:
    half = "logit_grad", 0.25, 1.0
    eps = -1.0, 2.0
    # the exact value is 5.333...: 5.33203125 is next to it, and units are 2**-8 there
    assert judge_one(*half, 5.33203125, *eps)[0] == judge.ROUNDED
    found = judge_one(*half, 5.3359375, *eps)
    assert found[0] == judge.FIRST_WRONG + 1  # at most 1
    assert found[1] == pytest.approx(2 / 3)
    assert judge_one(*half, 5.33203125 - 2.0**-8, *eps)[0] == judge.FIRST_WRONG + 2
    assert judge_one(*half, math.nan, *eps)[0] == judge.NAN
    assert judge_one(*half, math.inf, *eps)[0] == judge.NAN - 1
    assert judge_one("logit_grad", 0.5, 1.0, 4.0, *eps)[0] == judge.EXACT
    assert judge_one("logit_grad", 0.5, -0.0, 0.0, *eps)[0] == judge.ZERO_SIGN
    assert judge_one("logit_grad", 2.0, 1.0, math.nan, *eps)[0] == judge.EXACT


def test_an_infinity_is_the_number_after_the_largest() -> None:
    eps = -1.0, 2.0
    found = judge_one("logit_grad", 2.0**-14, 60000.0, 65504.0, *eps)
    assert found[:2] == (judge.FIRST_WRONG + 1, 1.0)
    assert judge_one("logit_grad", 2.0**-14, 60000.0, math.inf, *eps)[0] == judge.EXACT


def test_ties_that_float64_cannot_decide_are_hard() -> None:
    table = np.zeros((1, COLUMNS))
    smooth_l1_loss_backward.factors(np.array([3.0]), np.array([0.0]), 4.0, 1.0, table)
    assert table[0, SLACK] == 0  # three quarters are exact
    smooth_l1_loss_backward.factors(np.array([1.0]), np.array([0.0]), 3.0, 1.0, table)
    assert 0 < table[0, SLACK] < 2.0**-100
    # 1 / (3 / 16) of 3 * 2**-29 is half of the smallest number
    assert judge_one("logit_grad", 0.25, 3 * 2.0**-29, 0.0, -1.0, 2.0) == (None, 0.0, 1)


def test_ties_of_a_quotient_are_decided_by_its_products() -> None:
    # a third of 3 * 2**-25 is half of the smallest number: a tie, to 0
    third = "smooth_l1_loss_backward", 1.0
    assert judge_one(*third, 3 * 2.0**-25, 0.0, 3.0, 1.0) == (judge.ROUNDED, 0.5, 0)
    assert judge_one(*third, 3 * 2.0**-25, TINY, 3.0, 1.0)[0] == judge.FIRST_WRONG
    # with a trace more in the datum there is no tie, and none with a trace less
    for trace, actual in ((2.0**-120, TINY), (-(2.0**-120), 0.0)):
        arrays = np.array([1.0]), np.array([-trace]), (3.0, 1.0)
        gradient, results = np.array([3 * 2.0**-25]), np.array([[actual]])
        found = judged(REFERENCES[third[0]], *arrays, gradient, results, HALF)
        assert found[0][judge.ROUNDED] == 1
        assert found[2] == 0


def test_hard_cases_are_judged_like_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "smooth_l1_loss_backward"
    reference = REFERENCES[name]

    def without_quotients(*arguments: Any) -> None:
        reference.factors(*arguments)
        arguments[-1][:, DIVISOR] = 0

    (setting,) = reference.given({"reduction": "mean", "beta": 1.0})[:1]
    results = []
    for factors in (reference.factors, without_quotients):
        monkeypatch.setitem(REFERENCES, name, replace(reference, factors=factors))
        made = Sweep(name, "float16", setting, ("float32", "float16"), exhaustive=True)
        results.append(SweepResult(made, done=1900))
        Runner(results[-1]).step()
    assert results[0].hard == 0
    assert results[1].hard > 1000
    for computed in made.computed:
        first, second = (result.tallies[computed] for result in results)
        assert first.as_dict() == second.as_dict()
        assert first.wrong


def test_the_c_library_has_the_exponential_that_the_fast_oracle_trusts() -> None:
    values = np.concatenate(
        [np.random.default_rng(0).uniform(-600, 0, 4000), -np.logspace(-9, 0, 1000)]
    )
    table = np.empty((values.size, COLUMNS))
    softplus_backward.factors(values, values, 1.0, math.inf, table)
    for x, row in zip(values.tolist(), table.tolist(), strict=True):
        true = Fraction(Decimal(x).exp())
        factor = Fraction(row[0]) + Fraction(row[1])
        assert abs(factor - true / (1 + true)) <= Fraction(row[SLACK]) / 8


def test_an_edited_file_has_another_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "operators").mkdir()
    file = tmp_path / "operators" / "one.py"
    file.write_text("1")
    monkeypatch.setattr(jit, "_VERIFY", tmp_path)
    before = jit._source_digest.__wrapped__()
    assert jit._source_digest.__wrapped__() == before
    file.write_text("2")
    assert jit._source_digest.__wrapped__() != before


# --- sums and steps -------------------------------------------------------------------------------


def test_sums_are_exact() -> None:
    rng = np.random.default_rng(0)
    terms = rng.normal(size=1000) * np.exp2(rng.integers(-900, 900, 1000))
    assert exact_sum(terms) == sum(map(Fraction, terms.tolist()))
    assert exact_sum(np.array([1e300, 5e-324, -1e300])) == Fraction(5e-324)
    assert exact_sum(np.zeros(3)) == 0


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32"])
def test_arrays_are_rounded_like_fractions(kind: str) -> None:
    form = format_of(ELEMENT_TYPES[kind])
    rng = np.random.default_rng(0)
    numbers = np.exp2(rng.uniform(form.emin - form.fraction - 3, form.emax + 2, 2000))
    ties = rounded(numbers, kind)
    ulp = np.exp2(np.maximum(np.floor(np.log2(numbers)), form.emin) - form.fraction)
    values = np.concatenate([numbers, np.where(np.isinf(ties), 1, ties) + ulp / 2])
    found = rounded(values, kind)
    wanted = [exact.round_fraction(Fraction(v), form) for v in values.tolist()]
    np.testing.assert_array_equal(found, wanted)


def test_the_half_precision_exponential_is_rounded_once() -> None:
    arguments = rounded(np.linspace(-17, 11, 3001), "float16")
    found = Arithmetic("float16").exp_at("e", arguments)
    with mpmath.workprec(200):
        for x, value in zip(arguments.tolist(), found.tolist(), strict=True):
            _, significand, exponent, _ = mpmath.exp(mpmath.mpf(x))._mpf_
            assert exact.round_fraction(Fraction(significand) * POWER**exponent, HALF) == value
