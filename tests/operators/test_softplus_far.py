"""Softplus where exp(-z) is beyond the compute type: quotients are accurate all the same."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import ml_dtypes
import mpmath
import numpy as np
import pytest

import ascendref as ar
from ascendref.core.dtypes import ELEMENT_TYPES

from ..support.operands import beyond_exp, gives, row
from ..support.rounding import FORMATS, array_of, assert_bits, exact
from ..support.two_phase import place, queue

COUNT = 1500


def errors(got: Any, grad: Any, x: Any, beta: float = 1.0) -> Any:
    """Return how far results are from the exact quotients, in units in the last place."""
    form = FORMATS[str(got.dtype)]
    found = []
    with mpmath.workprec(200), np.errstate(over="ignore"):
        rows = zip(exact(got).tolist(), exact(grad).tolist(), exact(x).tolist(), strict=True)
        for actual, g, value in rows:
            want = mpmath.mpf(g) / (1 + mpmath.exp(-mpmath.mpf(beta) * mpmath.mpf(value)))
            exponent = max(mpmath.frexp(want)[1] - 1, 1 - form.bias)
            unit = mpmath.mpf(2) ** (exponent - form.fraction)
            found.append(float(abs(actual - want) / unit))
    return np.array(found)


def check(got: Any, grad: Any, x: Any, beta: float = 1.0) -> None:
    """Compare results with what the operator states."""
    kind = ELEMENT_TYPES[str(got.dtype)]
    accuracy = ar.OPERATORS["softplus_backward"].accuracy
    assert accuracy is not None
    bound = accuracy(kind, {"beta": beta, "threshold": 20.0}, got.size)
    assert np.count_nonzero(exact(got)) > got.size // 2
    np.testing.assert_array_equal(np.signbit(exact(got)), np.signbit(exact(grad)))
    assert bound.more is None
    assert errors(got, grad, x, beta).max() <= bound.ulp


@pytest.mark.parametrize("beta", [1.0, -0.5])
@pytest.mark.parametrize("kind", ["float32", "bfloat16", "float64"])
def test_softplus_quotients_are_within_the_stated_bound(kind: str, beta: float) -> None:
    grad, x = beyond_exp(kind, COUNT)
    x = array_of(kind, exact(x) / beta)
    check(ar.softplus_backward(grad, x, beta), grad, x, beta)


def test_softplus_quotients_in_float64_are_within_1_ulp_for_any_beta() -> None:
    beta = float(np.float32(0.7))
    grad, x = beyond_exp("float64", COUNT)
    x /= beta
    check(ar.softplus_backward(grad, x, beta), grad, x, beta)


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_softplus_quotients_of_half_precision_and_float32(kind: str) -> None:
    grad, x = beyond_exp("float32", COUNT)
    x = array_of(kind, exact(x))
    got = ar.softplus_backward(grad, x)
    assert got.dtype == np.float32
    check(got, grad, x)


def test_softplus_quotients_in_float32_of_float64_data() -> None:
    grad, x = beyond_exp("float32", COUNT)
    got = ar.softplus_backward(grad.astype("d"), x.astype("d"), compute_dtype="float32")
    check(got.astype(np.float32), grad, x)


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32"])
def test_softplus_quotients_of_float64_are_rounded_once_to_narrower_types(kind: str) -> None:
    grad, x = beyond_exp("float64", COUNT, kind)
    out = np.empty(COUNT, FORMATS[kind].dtype)
    ar.softplus_backward(grad, x, out=out, compute_dtype="float64")
    assert np.count_nonzero(exact(out)) > COUNT // 2
    assert errors(out, grad, x).max() <= 0.5


@pytest.mark.parametrize(
    ("kind", "grad", "x", "want"),
    [
        ("float32", 1e38, -90.0, 0.08194012),
        ("float32", 1e38, -180.0, 6.71e-41),
        ("float64", 1e300, -715.0, 3.0160979341335355e-11),
        ("float64", 1e308, -1440.0, 4.129964e-318),
    ],
)
def test_softplus_quotient_by_an_exponential_beyond_its_type(
    kind: str, grad: float, x: float, want: float
) -> None:
    got = ar.softplus_backward(row(kind, grad, -grad), row(kind, x, x))
    np.testing.assert_allclose(got, [want, -want], rtol=1e-3 if want < 1e-40 else 1e-7)


def test_softplus_next_to_the_last_finite_exponential() -> None:
    """β·self rounds to the number whose exponential is the last finite one, and is beyond it."""
    beta, x = 1.4554425477981567, np.array([-487.67484087033705])
    assert beta * x[0] == -709.782712893384
    grad = np.array([1e300])
    assert errors(ar.softplus_backward(grad, x, beta), grad, x, beta)[0] <= 1
    out = np.empty(1, np.float32)
    ar.softplus_backward(grad, x, beta, out=out, compute_dtype="float64")
    assert errors(out, grad, x, beta)[0] <= 0.5


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "float64"])
def test_softplus_far_out_infinities_and_nan_stay(kind: str) -> None:
    grad = row(kind, inf, -inf, nan)
    largest = float(ml_dtypes.finfo(FORMATS[kind].dtype).max)
    for x in (-100.0, -150.0, -720.0, -1500.0, -1e30, -1.3e38, -largest):
        gives(
            ar.softplus_backward(grad, row(kind, x, x, x)),
            kind,
            inf,
            -inf,
            nan,
        )
    gives(ar.softplus_backward(row(kind, inf, nan), row(kind, -inf, -inf)), kind, nan, nan)
    for x in (-inf, -largest):
        got = ar.softplus_backward(row(kind, largest, -largest), row(kind, x, x))
        gives(got, kind, 0, -0.0)


@pytest.mark.parametrize("compute", ["float16", "bfloat16"])
def test_softplus_steps_of_half_precision_give_zero_where_exp_overflows(compute: str) -> None:
    got = ar.softplus_backward(
        row("float32", 6e4, -6e4), row("float32", -90, -90), compute_dtype=compute
    )
    gives(got, "float32", 0, -0.0)


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_softplus_on_the_device_has_the_same_quotients(kind: str) -> None:
    grad, x = beyond_exp(kind, COUNT)
    device = ar.Device("Atlas A2")
    result = place(device, np.zeros_like(grad))
    queue(device, "softplus_backward", place(device, grad), place(device, x), 1.0, 20.0, result)
    device.synchronize()
    assert_bits(result.numpy(), ar.softplus_backward(grad, x))


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_softplus_far_out_writes_the_same_quotients_everywhere(kind: str) -> None:
    grad, x = beyond_exp(kind, COUNT)
    want = ar.softplus_backward(grad, x)
    out = np.empty(2 * COUNT, kind)[::2]
    assert_bits(ar.softplus_backward(grad, x, out=out), want)
    assert_bits(ar.softplus_backward(grad.copy()[::-1], x.copy()[::-1])[::-1], want)
    assert_bits(ar.softplus_backward(grad, x.copy(), out=grad), want)
