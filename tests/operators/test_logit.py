"""Edges of logit: special values, thresholds and scalars, with results written out."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.operands import each_type, gives, row, tiniest


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
