"""Softplus where exp(-z) is beyond the compute type: quotients are accurate all the same."""

from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.correctness import assert_right
from ..support.operands import beyond_exp
from ..support.rounding import FORMATS, array_of, assert_bits, exact

COUNT = 1500


def check(
    grad: Any, x: Any, beta: float = 1.0, compute: str | None = None, kind: str | None = None
) -> None:
    """Compare results of a type with what the operator states; most of them are not 0."""
    out = None if kind is None else np.empty(grad.shape, FORMATS[kind].dtype)
    got = ar.softplus_backward(grad, x, beta, out=out, compute_dtype=compute)
    assert np.count_nonzero(exact(got)) > got.size // 2
    assert_right("softplus_backward", (grad, x), (beta, 20.0), (got,), compute)


@pytest.mark.parametrize("beta", [1.0, -0.5, float(np.float32(0.7))])
@pytest.mark.parametrize("kind", ["float32", "bfloat16", "float64"])
def test_quotients_are_within_the_stated_bound(kind: str, beta: float) -> None:
    grad, x = beyond_exp(kind, COUNT)
    check(grad, array_of(kind, exact(x) / beta), beta)


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float64"])
def test_quotients_of_mixed_types(kind: str) -> None:
    grad, x = beyond_exp("float32", COUNT)
    if kind == "float64":
        check(grad.astype("d"), x.astype("d"), compute="float32")
    else:
        check(grad, array_of(kind, exact(x)))


@pytest.mark.full
@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32"])
def test_quotients_of_float64_are_rounded_once_to_narrower_types(kind: str) -> None:
    check(*beyond_exp("float64", COUNT, kind), compute="float64", kind=kind)


def test_next_to_the_last_finite_exponential() -> None:
    """β·self rounds to the number whose exponential is the last finite one, and is beyond it."""
    beta, x = 1.4554425477981567, np.array([-487.67484087033705])
    assert beta * x[0] == -709.782712893384
    for kind in ("float64", "float32"):
        check(np.array([1e300]), x, beta, "float64", kind)


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_quotients_are_the_same_everywhere(kind: str) -> None:
    grad, x = beyond_exp(kind, COUNT)
    want = ar.softplus_backward(grad, x)
    out = np.empty(2 * COUNT, kind)[::2]
    assert_bits(ar.softplus_backward(grad, x, out=out), want)
    assert_bits(ar.softplus_backward(grad.copy()[::-1], x.copy()[::-1])[::-1], want)
    assert_bits(ar.softplus_backward(grad, x.copy(), out=grad), want)
