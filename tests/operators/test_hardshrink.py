"""Edges of hardshrink: special values, thresholds and scalars, with results written out."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest

import ascendref as ar

from ..support.operands import each_type, gives, row, tiniest
from ..support.rounding import FORMATS


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
