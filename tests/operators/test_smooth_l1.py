"""Edges of smooth L1: special values, thresholds and scalars, with results written out."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.operands import each_type, gives, row, tiniest
from ..support.rounding import FORMATS


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
