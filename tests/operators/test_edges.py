"""Edges of hardshrink, softplus, smooth L1 and logit, one test each, with results written out."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.rounding import FORMATS, array_of, assert_bits

FLOATS = tuple(FORMATS)
each_type = pytest.mark.parametrize("kind", FLOATS)


def row(kind: str, *values: float) -> Any:
    """Return a vector of a type."""
    return array_of(kind, np.array(values, np.float64))


def gives(actual: Any, kind: str, *values: float) -> None:
    """Assert the bits of a vector."""
    assert_bits(actual, row(kind, *values))


def tiniest(kind: str) -> float:
    """Return the smallest subnormal of a type."""
    form = FORMATS[kind]
    return 2.0 ** (1 - form.bias - form.fraction)


# --- hardshrink ----------------------------------------------------------------------------------


@each_type
def test_hardshrink_masks_at_exactly_plus_and_minus_lambda(kind: str) -> None:
    up = 0.5 * (1 + 2.0 ** -FORMATS[kind].fraction)
    x = row(kind, 0.5, -0.5, up, -up)
    gives(ar.hardshrink_backward(row(kind, 3, 3, 3, 3), x, 0.5), kind, 0, 0, 3, 3)


@each_type
def test_hardshrink_nan_input_masks(kind: str) -> None:
    gives(ar.hardshrink_backward(row(kind, 3, nan), row(kind, nan, nan), 0.5), kind, 0, 0)


@each_type
def test_hardshrink_masked_gradient_of_any_value_gives_plus_zero(kind: str) -> None:
    grad = row(kind, inf, -inf, nan, -1, -0.0)
    gives(ar.hardshrink_backward(grad, row(kind, *[0.25] * 5), 0.5), kind, 0, 0, 0, 0, 0)


@each_type
def test_hardshrink_passes_the_gradient_bit_for_bit(kind: str) -> None:
    grad = (inf, -inf, nan, -0.0, tiniest(kind), -tiniest(kind))
    gives(ar.hardshrink_backward(row(kind, *grad), row(kind, *[1] * 6), 0.5), kind, *grad)


@each_type
@pytest.mark.parametrize("lambd", [0.0, -0.0, -1.0, -inf])
def test_hardshrink_negative_lambda_counts_as_zero(kind: str, lambd: float) -> None:
    tiny = tiniest(kind)
    x = row(kind, 0, -0.0, tiny, -tiny, 1, -1)
    gives(ar.hardshrink_backward(row(kind, *[2] * 6), x, lambd), kind, 0, 0, 2, 2, 2, 2)


@each_type
@pytest.mark.parametrize("lambd", [nan, inf])
def test_hardshrink_nan_or_infinite_lambda_masks_everything(kind: str, lambd: float) -> None:
    x = row(kind, 0, 5, -inf, inf, nan)
    gives(ar.hardshrink_backward(row(kind, *[2] * 5), x, lambd), kind, 0, 0, 0, 0, 0)


@each_type
def test_hardshrink_infinite_input_passes_under_a_finite_lambda(kind: str) -> None:
    gives(ar.hardshrink_backward(row(kind, 2, 3), row(kind, inf, -inf), 1e4), kind, 2, 3)


def test_hardshrink_lambda_is_narrowed_to_float32() -> None:
    x = np.array([np.float32(0.1), 0.1])
    assert x[0] > 0.1
    gives(ar.hardshrink_backward(np.ones(2), x, 0.1), "float64", 0, 0)


@pytest.mark.parametrize(
    ("grad", "x", "promoted"),
    [
        ("float16", "bfloat16", "float32"),
        ("bfloat16", "float16", "float32"),
        ("float16", "float32", "float32"),
        ("float32", "bfloat16", "float32"),
        ("float64", "float16", "float64"),
        ("bfloat16", "float64", "float64"),
    ],
)
def test_hardshrink_mixed_types_meet_in_the_promoted_one(grad: str, x: str, promoted: str) -> None:
    gives(ar.hardshrink_backward(row(grad, 3, 3), row(x, 0.25, 0.75)), promoted, 0, 3)


def test_mixed_results_round_to_the_promoted_type_before_the_cast() -> None:
    grad = np.array([1 + 2.0**-8 + 2.0**-20], np.float32)
    other = np.ones(1, np.float16)
    out = np.empty(1, FORMATS["bfloat16"].dtype)
    ar.hardshrink_backward(grad, other, 0.5, out=out)
    gives(out, "bfloat16", 1 + 2.0**-7)
    # float64 arithmetic with a float32 result: 2**-40 is lost before the tie is looked at
    wide = np.array([1 + 2.0**-8 + 2.0**-40])
    ar.hardshrink_backward(wide, other, 0.5, out=out)
    gives(out, "bfloat16", 1 + 2.0**-7)
    ar.hardshrink_backward(wide, other, 0.5, out=out, compute_dtype="float32")
    gives(out, "bfloat16", 1)


# --- softplus ------------------------------------------------------------------------------------


@each_type
def test_softplus_at_zero_is_half(kind: str) -> None:
    gives(ar.softplus_backward(row(kind, 1, -3), row(kind, 0, -0.0)), kind, 0.5, -1.5)


@each_type
def test_softplus_exactly_at_the_threshold_takes_the_logistic_function(kind: str) -> None:
    up = 2 * (1 + 2.0 ** -FORMATS[kind].fraction)
    got = ar.softplus_backward(row(kind, 1, 1), row(kind, 2, up), 1.0, 2.0)
    gives(got[1:], kind, 1)
    assert abs(float(got[0]) - 1 / (1 + np.exp(-2.0))) < 2.0**-8


@each_type
def test_softplus_nan_threshold_never_passes(kind: str) -> None:
    gives(ar.softplus_backward(row(kind, 2, 2), row(kind, 0, -0.0), 1.0, nan), kind, 1, 1)


@each_type
def test_softplus_nan_input_gives_nan(kind: str) -> None:
    gives(ar.softplus_backward(row(kind, 1, 0, inf), row(kind, nan, nan, nan)), kind, nan, nan, nan)


@each_type
@pytest.mark.parametrize(("beta", "x"), [(0.0, inf), (0.0, -inf), (inf, 0.0), (nan, 1.0)])
def test_softplus_indeterminate_product_gives_nan(kind: str, beta: float, x: float) -> None:
    gives(ar.softplus_backward(row(kind, 1, -inf), row(kind, x, x), beta), kind, nan, nan)


@each_type
def test_softplus_overflow_of_exp_gives_zero_with_the_gradients_sign(kind: str) -> None:
    x = row(kind, -1e4, -1e4, -inf, -inf)
    gives(ar.softplus_backward(row(kind, 1, -1, 2, -2), x), kind, 0, -0.0, 0, -0.0)


@each_type
def test_softplus_infinite_gradient_propagates(kind: str) -> None:
    x = row(kind, 1, -1, 30, -1e4, inf)
    for grad in (inf, -inf):
        gives(ar.softplus_backward(row(kind, *[grad] * 5), x), kind, *[grad] * 5)


@each_type
def test_softplus_infinite_gradient_over_an_infinite_denominator_is_nan(kind: str) -> None:
    gives(ar.softplus_backward(row(kind, inf, -inf), row(kind, -inf, -inf)), kind, nan, nan)


@each_type
def test_softplus_nan_gradient_propagates(kind: str) -> None:
    gives(ar.softplus_backward(row(kind, nan, nan), row(kind, 1, 30)), kind, nan, nan)


@each_type
@pytest.mark.parametrize(("threshold", "factor"), [(0.0, 0.5), (5.0, 0.5), (-1.0, 1.0)])
def test_softplus_beta_zero_halves_or_passes(kind: str, threshold: float, factor: float) -> None:
    got = ar.softplus_backward(row(kind, 2, -4), row(kind, 7, -9), 0.0, threshold)
    gives(got, kind, 2 * factor, -4 * factor)


@pytest.mark.parametrize("integer", ["int8", "int16", "int32", "int64", "uint8", "bool"])
@each_type
def test_softplus_takes_integers_as_self(kind: str, integer: str) -> None:
    got = ar.softplus_backward(row(kind, 2, 2), np.array([0, 1], integer), 1.0, 0.5)
    gives(got, kind, 1, 2)


@pytest.mark.parametrize("integer", ["int8", "int16", "int32", "int64", "uint8"])
def test_softplus_takes_the_extremes_of_integers(integer: str) -> None:
    info = np.iinfo(integer)
    x = np.array([info.min, info.max], integer)
    got = ar.softplus_backward(row("float32", 2, 2), x, 1.0, 0.5)
    gives(got, "float32", 1 if info.min == 0 else 0, 2)  # exp(128) is beyond float32 already


@pytest.mark.parametrize(
    ("kind", "compute"),
    [
        ("float32", None),
        ("float16", None),
        ("float32", "float16"),
        ("bfloat16", "bfloat16"),
        ("float32", "float64"),
        ("float64", None),
        ("float64", "float32"),
    ],
)
def test_softplus_any_byte_but_0_is_true(kind: str, compute: str | None) -> None:
    """NumPy and torch make such bytes of C memory, and they call them true."""
    truths = np.arange(256, dtype=np.uint8)
    grad = row(kind, *np.linspace(-2, 2, 256))
    want = ar.softplus_backward(grad, truths != 0, 3.0, compute_dtype=compute)
    assert_bits(ar.softplus_backward(grad, truths.view(np.bool_), 3.0, compute_dtype=compute), want)


def test_softplus_any_byte_but_0_is_true_in_every_layout() -> None:
    truths = np.arange(256, dtype=np.uint8)
    grad = row("float32", *np.linspace(-2, 2, 256))
    want = ar.softplus_backward(grad, truths != 0, 3.0)
    for order in (slice(None, None, -1), slice(None, None, 2)):
        got = ar.softplus_backward(grad[order], truths.view(np.bool_)[order], 3.0)
        assert_bits(got, want[order])
    large = ar.softplus_backward(np.tile(grad, 300), np.tile(truths, 300).view(np.bool_), 3.0)
    assert_bits(large, np.tile(want, 300))


def test_softplus_mixed_halves_give_float32() -> None:
    got = ar.softplus_backward(row("float16", 2), row("bfloat16", 0))
    gives(got, "float32", 1)


def test_softplus_float64_is_computed_in_float64() -> None:
    x = np.array([2.0**-30])
    gives(ar.softplus_backward(np.ones(1), x), "float64", 1 / (1 + np.exp(-x[0])))
    assert ar.softplus_backward(np.ones(1), x)[0] != 0.5
    assert ar.softplus_backward(np.ones(1), x, compute_dtype="float32")[0] == 0.5


# --- smooth L1 -----------------------------------------------------------------------------------


def smooth(grad: Any, d: Any, reduction: Any = "none", beta: Any = 1.0) -> Any:
    """Return smooth L1's gradient for differences against a target of zeros."""
    return ar.smooth_l1_loss_backward(grad, d, np.zeros_like(d), reduction, beta)


@each_type
def test_smooth_l1_exactly_at_beta_is_the_sign(kind: str) -> None:
    down = 0.75 * (1 - 2.0 ** -FORMATS[kind].fraction)
    x = row(kind, 0.75, -0.75, down, -down)
    got = smooth(row(kind, 1, 1, 1, 1), x, beta=0.75)
    gives(got[:2], kind, 1, -1)
    assert (abs(got[2:]) < 1).all()


@each_type
def test_smooth_l1_inside_beta_is_linear(kind: str) -> None:
    gives(smooth(row(kind, 3, 3, 3), row(kind, 0.25, -0.5, 0), beta=2.0), kind, 0.375, -0.75, 0)


@each_type
def test_smooth_l1_beta_zero_is_the_sign(kind: str) -> None:
    tiny = tiniest(kind)
    x = row(kind, tiny, -tiny, 5, -inf)
    gives(smooth(row(kind, 2, 2, 2, 2), x, beta=0.0), kind, 2, -2, 2, -2)


@each_type
def test_smooth_l1_beta_zero_and_no_difference_give_zero(kind: str) -> None:
    got = smooth(row(kind, 3, -3, inf, 3), row(kind, 0, 0, 0, -0.0), beta=0.0)
    gives(got, kind, 0, -0.0, nan, 0)  # 0 · inf


@each_type
@pytest.mark.parametrize("beta", [0.0, 1.0, inf])
def test_smooth_l1_nan_difference_gives_nan(kind: str, beta: float) -> None:
    x = row(kind, nan, inf, 1)
    target = row(kind, 0, inf, nan)
    got = ar.smooth_l1_loss_backward(row(kind, 1, 1, 1), x, target, "sum", beta)
    gives(got, kind, nan, nan, nan)


@each_type
def test_smooth_l1_infinite_difference_is_the_sign(kind: str) -> None:
    for beta in (0.0, 1.0, inf):
        gives(smooth(row(kind, 2, 2), row(kind, inf, -inf), beta=beta), kind, 2, -2)


@each_type
def test_smooth_l1_infinite_beta_gives_zero_slope(kind: str) -> None:
    gives(smooth(row(kind, 2, 2), row(kind, 5, -5), beta=inf), kind, 0, -0.0)


def test_smooth_l1_beta_beyond_float32_is_infinite() -> None:
    beyond = 3.5e38
    assert np.isfinite(beyond)
    for kind in ("float16", "float32", "float64"):
        gives(smooth(row(kind, 2, 2), row(kind, 5, -5), beta=beyond), kind, 0, -0.0)


def test_smooth_l1_divides_by_beta_and_does_not_multiply_by_its_inverse() -> None:
    d, beta = np.float32(0.05), np.float32(0.3)
    assert d / beta != d * (np.float32(1) / beta)
    gives(smooth(row("float32", 1), row("float32", d), beta=0.3), "float32", d / beta)


@pytest.mark.parametrize(("name", "number"), [("none", 0), ("mean", 1), ("sum", 2)])
@each_type
def test_smooth_l1_reductions_by_name_and_number(kind: str, name: str, number: int) -> None:
    want = [0.125, -0.25, 0.5, 0.0] if name == "mean" else [0.5, -1.0, 2.0, 0.0]
    grad, x = row(kind, 1, 1, 2, 1), row(kind, 0.5, -1, 3, 0)
    for reduction in (name, number, np.int64(number), float(number)):
        gives(smooth(grad, x, reduction), kind, *want)


def test_smooth_l1_mean_is_the_default_and_counts_broadcast_elements() -> None:
    grad = np.float32(12)
    got = ar.smooth_l1_loss_backward(grad, np.full((3, 1), 5, np.float32), np.zeros(4, np.float32))
    assert got.shape == (3, 4)
    assert (got == 1).all()


def test_smooth_l1_norm_is_not_rounded_to_float32() -> None:
    x = np.full(41, 9, np.float32)
    assert np.float32(1 / 41) * np.float32(41) != 1
    assert (ar.smooth_l1_loss_backward(np.full_like(x, 41), x, np.zeros_like(x)) == 1).all()


@pytest.mark.parametrize("reduction", [-1, 3, 0.5, nan, "average", "", "MEAN"])
def test_smooth_l1_other_reductions_are_refused(reduction: Any) -> None:
    with pytest.raises(ar.ArgumentValueError, match="reduction"):
        smooth(np.ones(1, np.float32), np.ones(1, np.float32), reduction)


def test_smooth_l1_gradient_of_the_target_is_the_negative_one() -> None:
    x, target = np.linspace(-3, 3, 50), np.linspace(2, -2, 50)
    for beta in (0.0, 0.7):
        ours = ar.smooth_l1_loss_backward(np.ones(50), x, target, beta=beta)
        assert (ar.smooth_l1_loss_backward(np.ones(50), target, x, beta=beta) == -ours).all()


@pytest.mark.parametrize("reduction", [None, True, False, np.True_, b"mean", [1], 3, nan, "all"])
def test_smooth_l1_says_what_reductions_there_are(reduction: Any) -> None:
    with pytest.raises(
        ar.ArgumentError,
        match=r"^reduction is .*; allowed are 0 \('none'\), 1 \('mean'\), 2 \('sum'\)$",
    ):
        smooth(np.ones(1, np.float32), np.ones(1, np.float32), reduction)


@pytest.mark.parametrize("beta", [-1.0, nan, -inf, -1e-300, -1])
def test_smooth_l1_negative_or_nan_beta_is_refused(beta: float) -> None:
    with pytest.raises(ar.ArgumentValueError, match="beta"):
        smooth(np.ones(1, np.float32), np.ones(1, np.float32), beta=beta)


# --- logit ---------------------------------------------------------------------------------------


def logit(kind: str, x: float, dy: float, eps: Any) -> Any:
    """Return logit's gradient at one point."""
    return ar.logit_grad(row(kind, x), row(kind, dy), eps)


ANYWHERE = (0.0, -0.0, 0.5, 1.0, -1.0, 2.0, inf, -inf, nan)


@each_type
@pytest.mark.parametrize("x", ANYWHERE)
def test_logit_row_1_eps_nan_gives_nan(kind: str, x: float) -> None:
    gives(logit(kind, x, 1, nan), kind, nan)


@each_type
@pytest.mark.parametrize("x", ANYWHERE)
def test_logit_row_2_eps_infinite_gives_zero(kind: str, x: float) -> None:
    for dy in (1, -1, nan, inf):
        gives(logit(kind, x, dy, inf), kind, 0)


@each_type
@pytest.mark.parametrize("x", ANYWHERE)
@pytest.mark.parametrize("eps", [1 + 2.0**-5, 1e30, 2])
def test_logit_row_3_eps_above_one_gives_nan(kind: str, x: float, eps: float) -> None:
    gives(logit(kind, x, 1, eps), kind, nan)


def test_logit_eps_beyond_float32_counts_as_infinite() -> None:
    gives(logit("float64", 0.5, 1, 1e300), "float64", 0)


@each_type
@pytest.mark.parametrize("x", ANYWHERE)
def test_logit_row_4_eps_one_gives_the_gradient_times_infinity(kind: str, x: float) -> None:
    for dy, want in ((2, inf), (-2, -inf), (0, nan), (nan, nan), (-inf, -inf)):
        gives(logit(kind, x, dy, 1), kind, want)


@each_type
@pytest.mark.parametrize("eps", [-1.0, 0.0, 0.3, -inf])
def test_logit_row_5_nan_input_gives_nan(kind: str, eps: float) -> None:
    gives(logit(kind, nan, 1, eps), kind, nan)


@each_type
@pytest.mark.parametrize("eps", [-1.0, -1e-30, -inf, None])
@pytest.mark.parametrize("x", [-1.0, 2.0, inf, -inf, "tiny"])
def test_logit_row_6_negative_eps_outside_gives_nan(kind: str, eps: Any, x: Any) -> None:
    gives(logit(kind, -tiniest(kind) if x == "tiny" else x, 1, eps), kind, nan)


@each_type
@pytest.mark.parametrize(
    ("eps", "x"), [(0.25, 0.1875), (0.25, 0.8125), (0.0, -1.0), (0.0, 2.0), (0.25, 0.0), (0.25, 1)]
)
def test_logit_row_7_outside_eps_gives_plus_zero(kind: str, eps: float, x: float) -> None:
    for dy in (1, -1, inf, nan):
        gives(logit(kind, x, dy, eps), kind, 0)


@each_type
@pytest.mark.parametrize("eps", [0.0, 0.25, 0.75])
@pytest.mark.parametrize("x", [inf, -inf])
def test_logit_row_7_infinite_input_gives_plus_zero(kind: str, eps: float, x: float) -> None:
    gives(logit(kind, x, -1, eps), kind, 0)


@each_type
def test_logit_exactly_at_eps_and_one_minus_eps_is_inside(kind: str) -> None:
    for x in (0.25, 0.75):
        gives(logit(kind, x, 3, 0.25), kind, 16)


@each_type
def test_logit_eps_above_half_masks_everything_inside(kind: str) -> None:
    for x in (0.1, 0.5, 0.8, 0.9):
        gives(logit(kind, x, 3, 0.75), kind, 0)


@each_type
@pytest.mark.parametrize("eps", [-1.0, 0.0, -0.0])
@pytest.mark.parametrize("x", [0.0, -0.0, 1.0])
def test_logit_row_8_zero_and_one_give_the_gradient_times_infinity(
    kind: str, eps: float, x: float
) -> None:
    for dy, want in ((2, inf), (-2, -inf), (0, nan), (-0.0, nan), (nan, nan)):
        gives(logit(kind, x, dy, eps), kind, want)


@each_type
@pytest.mark.parametrize("eps", [-1.0, 0.0, 0.25, None])
def test_logit_row_9_inside_is_the_formula(kind: str, eps: Any) -> None:
    cases = ((3, 12), (-1, -4), (inf, inf), (-inf, -inf), (nan, nan), (0, 0), (-0.0, -0.0))
    for dy, want in cases:
        gives(logit(kind, 0.5, dy, eps), kind, want)


def test_logit_one_minus_eps_is_evaluated_in_float32() -> None:
    """1 - 2**-26 is 1 in float32, and the numbers just below 1 are inside."""
    x = np.array([1 - 2.0**-30])
    got = ar.logit_grad(x, np.ones(1), 2.0**-26)
    gives(got, "float64", 1 / (x[0] * (1 - x[0])))


def test_logit_eps_is_narrowed_to_float32() -> None:
    x = np.array([0.1])
    assert np.float64(np.float32(0.1)) > 0.1
    gives(ar.logit_grad(x, np.ones(1), 0.1), "float64", 0)
    tenth = Fraction(0.1)
    gives(
        ar.logit_grad(x, np.ones(1), np.nextafter(np.float32(0.1), np.float32(0))),
        "float64",
        float(1 / (tenth * (1 - tenth))),
    )


def test_logit_defaults_to_minus_one() -> None:
    gives(ar.logit_grad(row("float32", 2), row("float32", 1)), "float32", nan)
