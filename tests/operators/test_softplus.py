"""Edges of softplus: special values, thresholds and scalars, with results written out."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest

import ascendref as ar

from ..support.operands import each_type, gives, row
from ..support.rounding import FORMATS, assert_bits


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
