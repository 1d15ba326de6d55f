"""What `ascendref verify` measures with: golden values, their rounding, classes of results."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import ascendref as ar
from ascendref.core.dtypes import BFLOAT16, ELEMENT_TYPES, FLOAT32, float_format
from ascendref.functional.kernels import formula_kernel
from ascendref.kernels.arithmetic import Formula, Number, tanh
from ascendref.verify.accuracy import golden
from ascendref.verify.accuracy.channel_sums import exact_sum
from ascendref.verify.accuracy.float64 import measure_float64
from ascendref.verify.accuracy.golden import Golden, golden_values, settle
from ascendref.verify.accuracy.sweep import Sweep
from ascendref.verify.judge import CLASSES, FIRST_WRONG, NAN, ROUNDED, ZERO_SIGN, judge
from ascendref.verify.rounding import rounded, step_by_step
from ascendref.verify.setting import Setting, given_settings, settings
from ascendref.verify.ties import round_next_to_middle

from ..support.judge import judged
from ..support.rounding import round_to

HALVES = "float16", "bfloat16"
NARROW = (*HALVES, "float32")
TINY = 2.0**-24  # the smallest number of F16
TRACE = 2.0**-120


# --- golden values --------------------------------------------------------------------------------


def grid(setting: Setting, kind: str) -> tuple[Any, ...]:
    """Return tensors: data and gradients with ties, specials, thresholds."""
    rng = np.random.default_rng(1)
    data, gradients = Sweep(setting, kind, (), exhaustive=False).grid(200)
    dtype = ELEMENT_TYPES[kind].numpy
    data = np.concatenate([rng.choice(data, 14), np.array([TINY, -TINY, 1.0, 0.0], dtype)])
    # multiples of the number of results: many a mean is a tie, and next to one by such data
    fifteens = [15.0 * odd for odd in range(1, 18, 2)]
    special = np.array([0.0, -0.0, np.inf, np.nan, *fifteens], dtype)
    gradients = np.concatenate([rng.choice(gradients, 15), special])
    tensors = setting.tensors(data[:, None], gradients[None])
    return tuple(array.astype(np.float64) for array in tensors)


@pytest.mark.full
@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("name", ar.OPERATORS)
def test_golden_values_are_the_exact_values_rounded_once(name: str, kind: str) -> None:
    element = ELEMENT_TYPES[kind]
    for setting in settings(name):
        with np.errstate(all="ignore"):
            tensors = grid(setting, kind)
            found = golden_values(setting, tensors, element)
            right = setting.call("float64", [x.astype(element.numpy) for x in tensors])
            # where large terms cancel, or an exponential overflows before a factor of 0
            results = right.astype(np.float32)
            disputed = (results != found.rounded) & ~np.isnan(results)
            assert disputed.mean() < 0.05
            settle(setting, tensors, element, found, results)
        scalars = setting.formula_scalars(found.values.size)
        elements = zip(*(array.ravel().tolist() for array in tensors), strict=True)
        function = setting.operator.formula.function
        for given, value in zip(elements, found.rounded.ravel().tolist(), strict=True):
            wanted = judged(function, given, scalars, kind)
            assert repr(value) == repr(float(np.float32(wanted))), (setting.label, given)


@pytest.mark.full
def test_fractions_and_exact_products_decide_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("prelu_backward", "smooth_l1_loss_backward", "softplus_backward"):
        with np.errstate(all="ignore"):
            tensors = grid(settings(name)[0], "bfloat16")
            usual = golden_values(settings(name)[0], tensors, BFLOAT16)
            with monkeypatch.context() as patch:
                nowhere = lambda function, tensors, scalars, values, kind: values * np.nan  # noqa: E731
                patch.setattr(golden, "round_next_to_middle", nowhere)
                by_fractions = golden_values(settings(name)[0], tensors, BFLOAT16)
        assert usual.hard == by_fractions.hard > 0
        np.testing.assert_array_equal(usual.rounded, by_fractions.rounded)


def test_where_terms_cancel_results_are_decided_exactly() -> None:
    (setting,) = given_settings("logit_grad", {"eps": -1.0})
    tensors = setting.tensors(np.array([[0.25]]), np.array([[1.0, 2.0]]))
    right = golden_values(setting, tensors, FLOAT32)
    values = right.values * [[1 + 2.0**-20, 1]]
    found = Golden(values, np.float32(values), 0)
    settle(setting, tensors, FLOAT32, found, right.rounded)
    np.testing.assert_array_equal(found.values, right.values)
    np.testing.assert_array_equal(found.rounded, right.rounded)
    wrong = np.nextafter(right.rounded, np.float32(0))
    settle(setting, tensors, FLOAT32, found, wrong)
    np.testing.assert_array_equal(found.rounded, right.rounded)


def tanhshrink(self: Number) -> Number:
    """Cancels next to 0, where it is self³ / 3."""
    return self - tanh(self)


@pytest.mark.full
@pytest.mark.parametrize("kind", NARROW)
def test_a_difference_that_underflows_has_the_sign_of_the_exact_value(kind: str) -> None:
    element = ELEMENT_TYPES[kind]
    form = float_format(element)
    setting = Setting(replace(ar.OPERATORS["silu"], formula=Formula.of(tanhshrink)), {})
    exponents = np.arange(np.log2(form.normal) - form.fraction, 3)
    data = 2.0**exponents * np.linspace(1, 1.75, 4)[:, None]
    data = np.concatenate([data, -data]).astype(element.numpy)
    kernel = formula_kernel(setting.operator.formula, (element,), element, element, "float64")
    kernel((data, right := np.empty_like(data)), ())
    tensors, results = [data.astype(np.float64)], right.astype(np.float32)
    found = golden_values(setting, tensors, element)
    settle(setting, tensors, element, found, results)
    for x, *values in np.nditer([tensors[0], results, found.rounded]):
        wanted = float(np.float32(judged(tanhshrink, [float(x)], (), kind)))
        assert [repr(float(value)) for value in values] == [repr(wanted)] * 2, float(x)


def test_differences_of_a_block_are_decided_until_many_results_are_wrong() -> None:
    (setting,) = given_settings("logit_grad", {"eps": -1.0})
    tensors = setting.tensors(np.linspace(0.1, 0.9, 30)[:, None], np.linspace(1, 2, 50)[None])
    right = golden_values(setting, tensors, FLOAT32)
    far = np.full_like(right.values, 1e30)
    for results, decided in ((right.rounded, 1500), (np.zeros_like(right.rounded), 1000)):
        found = Golden(far.copy(), np.float32(far), 0)
        settle(setting, tensors, FLOAT32, found, results)
        assert np.count_nonzero(found.rounded == right.rounded) == decided


@pytest.mark.parametrize(
    ("function", "elements", "expected"),
    [
        # half of the smallest number is a tie, to 0; with a trace more it is none
        (lambda x, y: x * y, (0.5, TINY), 0.0),
        (lambda x, y: x * y, (0.5, 3 * TINY), 2 * TINY),
        (lambda x, y: x * 0.5 + y, (TINY, TRACE), TINY),
        (lambda x, y: x * 0.5 + y, (TINY, -TRACE), 0.0),
        (lambda x, y: -(x * 0.5) - y, (TINY, TRACE), -TINY),
        (lambda x, y: x / y, (3 * TINY / 2, 3.0), 0.0),
        (lambda x, y: x / (y + TRACE), (3 * TINY / 2, 3.0), 0.0),
        # thirds are no doubles, but products and sums of thirds may be ties
        (lambda x, y: x / 3.0 * y, (TINY, 1.5), 0.0),
        (lambda x, y: x / 3.0 * (y / 7.0) + TRACE, (TINY, 10.5), TINY),
        (lambda x, y: x / 3.0 + y / 3.0, (TINY, TINY / 2), 0.0),
        (lambda x, y: x / (y - TRACE), (3 * TINY / 2, 3.0), TINY),
        (lambda x, y: x / y, (3 * TINY / 2, 3.0 - 2.0**-50), TINY),
        # a comparison with a rounded number that is close
        (lambda x, y: (x + y < 1.0).select(x * 0.5, x), (TINY, TRACE), 0.0),
        (lambda x, y: (x + y < TINY).select(x * 0.5, x), (TINY, -TRACE), 0.0),
        (lambda x, y: (x + y).sign() * x * 0.5, (TINY, TRACE), 0.0),
        # functions next to 0
        (lambda x, y: x / y.one_plus_exp(), (TINY, TRACE), 0.0),
        (lambda x, y: x / y.one_plus_exp(), (TINY, -TRACE), TINY),
        (lambda x, y: x / y.one_plus_exp(), (TINY, 0.0), 0.0),
        (lambda x, y: x * y.normal_cdf(), (TINY, TRACE), TINY),
        (lambda x, y: x.tanh() + y - y, (1.5 * TINY, 0.0), None),
        (lambda x, y: (x - y).expm1() * 0.5 * TINY / x, (TRACE, 0.0), TINY),
        (lambda x, y: (x * y).sqrt(), (TINY / 4, TINY), 0.0),
        # nothing is known of irrational numbers, nor of comparisons with them
        (lambda x, y: x * y.exp() / y.exp(), (TINY / 2, 1.0), None),
        (lambda x, y: (y.exp() > 2.5).select(x * 0.5, x), (TINY, 1.0), None),
        (lambda x, y: (y > 2.5).select(x, x * 0.5), (TINY, 1.0), 0.0),
    ],
)
def test_ties_and_what_is_next_to_them(
    function: Callable[..., Any], elements: tuple[float, ...], expected: float | None
) -> None:
    arrays = [np.array([x]) for x in elements]
    middle = np.array([1.5 * TINY if expected == 2 * TINY else TINY / 2])
    if expected is not None and expected < 0:
        middle = -middle
    (found,) = round_next_to_middle(function, arrays, (), middle, "float16").tolist()
    assert math.isnan(found) if expected is None else found == expected


# --- results --------------------------------------------------------------------------------------


def verdict(value: float, actual: float) -> tuple[int, float]:
    """Return class and error of an F16 result."""
    rounded_value = np.array([[rounded(np.array(value), "float16")]], np.float32)
    worst, column = np.empty((1, 1)), np.empty((1, 1), np.int64)
    histogram = np.zeros((1, 1, CLASSES), np.int64)
    results = np.array([[[actual]]], np.float32)
    form = float_format(ELEMENT_TYPES["float16"])
    judge(np.array([[value]]), rounded_value, results, form, worst, column, histogram)
    assert histogram.sum() == 1
    return int(histogram.argmax()), worst.item()


@pytest.mark.full
def test_results_are_classified() -> None:
    # 5.33203125 is next to 16 / 3, and units are 2**-8 there
    assert verdict(16 / 3, 5.33203125) == (ROUNDED, pytest.approx(1 / 3))
    assert verdict(16 / 3, 5.3359375) == (FIRST_WRONG + 1, pytest.approx(2 / 3))
    assert verdict(16 / 3, 5.33203125 - 2.0**-8)[0] == FIRST_WRONG + 2
    assert verdict(16 / 3, math.nan)[0] == NAN
    assert verdict(16 / 3, math.inf)[0] == NAN - 1
    assert verdict(4.0, 4.0) == (0, 0.0)
    assert verdict(-0.0, 0.0) == (ZERO_SIGN, math.inf)
    assert verdict(-1e-9, 0.0)[0] == ZERO_SIGN
    assert verdict(math.nan, math.nan) == (0, 0.0)
    # an infinity is the number after the largest
    assert verdict(1e6, 65504.0) == (FIRST_WRONG + 1, 1.0)
    assert verdict(1e6, math.inf) == (0, 0.0)
    assert verdict(65519.95, math.inf)[0] == FIRST_WRONG
    assert verdict(65520.05, 65504.0) == (FIRST_WRONG, pytest.approx(0.5 + 0.05 / 32))
    assert verdict(65535.0, 65504.0) == (FIRST_WRONG + 1, pytest.approx(31 / 32))


def test_errors_of_doubles_are_exact() -> None:
    (setting,) = given_settings("logit_grad", {"eps": -1.0})
    found = measure_float64(setting, 0, False)
    assert found["wrongly_rounded"] == 0
    assert 0.499 < found["max_ulp"] < 0.5
    # 1 / (1/4 · 3/4) is a third of an ulp from the nearest double
    assert setting.beyond(16 / 3, (0.25, 1.0), 1) == float(Fraction(16, 3) - Fraction(16 / 3))


# --- sums and steps -------------------------------------------------------------------------------


def test_sums_are_exact() -> None:
    rng = np.random.default_rng(0)
    terms = rng.normal(size=1000) * np.exp2(rng.integers(-900, 900, 1000))
    assert exact_sum(terms) == sum(map(Fraction, terms.tolist()))
    assert exact_sum(np.array([1e300, 5e-324, -1e300])) == Fraction(5e-324)
    assert exact_sum(np.zeros(3)) == 0


@pytest.mark.parametrize("kind", NARROW)
def test_arrays_are_rounded_once(kind: str) -> None:
    form = float_format(ELEMENT_TYPES[kind])
    rng = np.random.default_rng(0)
    numbers = np.exp2(rng.uniform(np.log2(form.smallest) - 3, np.log2(form.beyond) + 1, 2000))
    near = rounded(numbers, kind)
    ulp = np.exp2(np.floor(np.log2(np.maximum(numbers, form.normal))) - form.fraction)
    ties = np.where(np.isinf(near), 1, near) + ulp / 2
    values = np.concatenate([numbers, ties, np.nextafter(ties, 0), -ties, [np.inf, np.nan, -0.0]])
    wanted = round_to(kind, values)
    found = rounded(values, kind)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))


@pytest.mark.parametrize("kind", HALVES)
def test_every_step_is_rounded(kind: str) -> None:
    arguments = rounded(np.linspace(-17, 11, 301), kind)
    found = step_by_step(lambda x: x.exp(), [arguments], (), kind)
    with mpmath.workprec(200):
        powers = np.array([float(mpmath.exp(mpmath.mpf(x))) for x in arguments.tolist()])
    np.testing.assert_array_equal(found, round_to(kind, powers))
    product = round_to(kind, round_to(kind, 0.1) * arguments)
    steps = step_by_step(lambda x, scale: scale * x + 1.0, [arguments], (0.1,), kind)
    np.testing.assert_array_equal(steps, round_to(kind, product + 1.0))
