"""Binary cross-entropy: its weight may be omitted, and its sums and means are rounded once."""

from fractions import Fraction
from math import isnan
from typing import Any

import mpmath
import numpy as np
import pytest

import ascendref as ar

from ..support.rounding import FORMATS, array_of, assert_bits, encode_exact, exact
from ..support.two_phase import queue

KINDS = tuple(FORMATS)
FUNCTIONS = ("binary_cross_entropy", "binary_cross_entropy_backward")


def operands(kind: str, count: int, function: str = FUNCTIONS[0]) -> list[Any]:
    """Return probabilities and targets, the ends of their intervals included, after a gradient."""
    rng = np.random.default_rng(count)
    values = np.concatenate([[0.0, 1.0, 0.0, 1.0], rng.uniform(0, 1, count)])[:count]
    arrays = [array_of(kind, values), array_of(kind, np.roll(values, 1))]
    return arrays if function == FUNCTIONS[0] else [array_of(kind, values - 0.5), *arrays]


@pytest.mark.daily(18)
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("compute", [None, "float64", "bfloat16"])
def test_a_weight_that_is_omitted_is_1(function: str, compute: str | None, reduction: str) -> None:
    arrays = operands("float32", 5000, function)
    call = getattr(ar, function)
    want = call(*arrays, np.ones(5000, np.float32), reduction, compute_dtype=compute)
    assert_bits(call(*arrays, None, reduction, compute_dtype=compute), want)
    assert_bits(call(*arrays, reduction=reduction, compute_dtype=compute), want)


@pytest.mark.full
@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_on_the_device_it_is_none(function: str, reduction: int) -> None:
    dev = ar.Device("Atlas A2")
    arrays = operands("float32", 3000, function)
    want = getattr(ar, function)(*arrays, None, reduction)
    out = dev.empty(want.shape or (1,), want.dtype)  # a single sum may have any rank
    queue(dev, function, *map(dev.tensor, arrays), None, reduction, out)
    dev.synchronize()
    assert_bits(out.numpy().reshape(want.shape), want)


def exact_sum(x: Any, target: Any, weight: Any) -> Fraction:
    """Return the sum of losses, near enough to round it."""
    total = Fraction(0)
    with mpmath.workprec(300):
        for p, t, w in zip(exact(x), exact(target), exact(weight), strict=True):
            logs = [max(mpmath.log(q), -100) if q else -100 for q in (p, 1 - Fraction(p))]
            hit, miss = [Fraction(int(mpmath.floor(mpmath.mpf(log) * 2**250)), 2**250)
                         for log in logs]  # fmt: skip
            total -= Fraction(w) * (Fraction(t) * hit + (1 - Fraction(t)) * miss)
    return total


@pytest.mark.daily(12)
@pytest.mark.parametrize("count", [2, 37, 1100])
@pytest.mark.parametrize("kind", KINDS)
def test_sums_and_means_are_rounded_once(kind: str, count: int) -> None:
    x, target = operands(kind, count)
    weight = array_of(kind, np.linspace(0.5, 3, count))
    total = exact_sum(x, target, weight)
    for reduction, value in (("sum", total), ("mean", total / count)):
        got = ar.binary_cross_entropy(x, target, weight, reduction, compute_dtype="exact")
        want = encode_exact(value, kind)
        assert np.atleast_1d(got).view(f"u{got.itemsize}")[0] == want, reduction


def test_no_elements() -> None:
    empty = np.empty((0, 3), np.float32)
    assert isnan(ar.binary_cross_entropy(empty, empty))
    assert ar.binary_cross_entropy(empty, empty, reduction="sum") == 0


def test_shapes_are_those_of_self() -> None:
    x, row = np.full((2, 3), 0.5, np.float32), np.zeros(3, np.float32)
    with pytest.raises(ar.ArgumentValueError, match=r"weight has shape \(3,\)"):
        ar.binary_cross_entropy(x, x, row)
    assert ar.binary_cross_entropy_backward(np.float32(1), x, row, row).shape == (2, 3)
    with pytest.raises(ar.ArgumentValueError, match=r"target has shape .* does not broadcast to"):
        ar.binary_cross_entropy_backward(row, row, x)
