"""Scalars of the functions of ``ascendref.jax``: as precise in gradients as in values."""

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

import ascendref as ar
from ascendref.declaration.scalars import single

from ..support.cases import FLOATS, numbers
from ..support.rounding import assert_bits

jax = pytest.importorskip("jax", reason="jax is an extra")

from jax import numpy as jnp  # noqa: E402

import ascendref.jax as aj  # noqa: E402

#: two numbers, the F32 numbers next to which differ from them by 1.5e-9 and 2.2e-9
TENTH, FIFTH = 0.1, 0.2
#: below and above the first, and both below the F32 number that it is narrowed to
BELOW, ABOVE = 0.0999999999, 0.1000000005


class Case(NamedTuple):
    """A function with scalars that F32 has not, and what it is in higher precision."""

    #: the function of JAX, which takes the scalars, and those
    function: Callable[..., Any]
    scalars: tuple[Any, ...]
    #: where it is evaluated; other operands are 0
    x: tuple[float, ...]
    #: value, first and second derivative of one element
    exact: tuple[Callable[[Any], Any], ...]


def _logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-np.longdouble(TENTH) * x))


CASES = {
    "hardshrink": Case(
        aj.hardshrink,
        (TENTH,),
        (BELOW, ABOVE, -ABOVE, 3.0),
        (lambda x: x if abs(x) > TENTH else 0, lambda x: abs(x) > TENTH, lambda x: 0),
    ),
    "softplus": Case(
        aj.softplus,
        (TENTH, 0.3),
        (-2.5, 0.7, 2.999999999, 3.0000000005, 4.0),
        (
            lambda x: x if TENTH * x > 0.3 else np.log1p(np.exp(TENTH * x)) / np.longdouble(TENTH),
            lambda x: 1 if TENTH * x > 0.3 else _logistic(x),
            lambda x: 0 if TENTH * x > 0.3 else TENTH * _logistic(x) * _logistic(-x),
        ),
    ),
    "smooth_l1_loss": Case(
        lambda x, *s, **o: aj.smooth_l1_loss(x, jnp.zeros_like(x), "sum", *s, **o),
        (TENTH,),
        (0.01, -0.03, BELOW, ABOVE, 2.0),
        (
            lambda x: x * x / 2 / np.longdouble(TENTH) if abs(x) < TENTH else abs(x) - TENTH / 2,
            lambda x: x / np.longdouble(TENTH) if abs(x) < TENTH else np.sign(x),
            lambda x: 1 / np.longdouble(TENTH) if abs(x) < TENTH else 0,
        ),
    ),
    "logit": Case(
        aj.logit,
        (TENTH,),
        (BELOW, ABOVE, 0.3, 0.8999999995, 0.9000000001),
        (
            lambda x: np.log(_limited(x) / (1 - _limited(x))),
            lambda x: 1 / (x * (1 - x)) if _limited(x) == x else 0,
            lambda x: (2 * x - 1) / (x * (1 - x)) ** 2 if _limited(x) == x else 0,
        ),
    ),
}


def _limited(x: Any) -> Any:
    return min(max(x, np.longdouble(TENTH)), np.longdouble(1 - TENTH))


each_case = pytest.mark.parametrize("name", CASES)


@each_case
def test_f64_data_have_f64_scalars(name: str) -> None:
    """A scalar that is narrowed gives an error of 1e-8, or another branch."""
    case = CASES[name]
    with jax.enable_x64(True):
        x = jnp.array(case.x)

        def slope(x: Any, as_scalar: Any = float) -> Any:
            return jax.grad(lambda x: case.function(x, *map(as_scalar, case.scalars)).sum())(x)

        values = jnp.stack(
            [case.function(x[k : k + 1], *case.scalars).sum() for k in range(len(x))]
        )
        curve = jax.jit(jax.grad(lambda x: slope(x).sum()))
        slopes = [slope(x), slope(x, np.float64), slope(x, np.array), jax.jit(slope)(x)]
        first, second = case.exact[1:]
        for got, exact in (
            (values, case.exact[0]),
            *[(s, first) for s in slopes],
            (curve(x), second),
        ):
            want = [exact(np.longdouble(element)) for element in case.x]
            np.testing.assert_allclose(np.asarray(got), np.array(want, float), rtol=4e-15)


@pytest.mark.parametrize("beta", [1e-80, 1 + 1e-12, 1e80])
def test_scalars_beyond_f32(beta: float) -> None:
    parts = np.array([-0.75, 0.3, 2.0])
    near, far = parts * beta, parts / beta
    logistic = 1 / (1 + np.exp(-parts.astype(np.longdouble)))
    for function, x, want in (
        (lambda x: aj.smooth_l1_loss(x, 0 * x, "sum", beta), near, np.clip(parts, -1, 1)),
        (lambda x: aj.softplus(x, beta).sum(), far, logistic),
        (lambda x: aj.hardshrink(x, beta).sum(), near, abs(parts) > 1),
        (lambda x: aj.logit(x, 1e-80).sum(), np.array([1e-81, 1e-79, 0.5]), [0, 1e79, 4]),
    ):
        with jax.enable_x64(True):
            got = jax.grad(function)(x)
        np.testing.assert_allclose(np.asarray(got), np.array(want, float), rtol=4e-16)


@pytest.mark.parametrize(
    ("beta", "want"), [(1e-300, [-1, 0, 1, 1]), (1e300, [-1e-300, 0, 0, 3.0 / 1e300])]
)
def test_the_slope_of_a_beta_near_the_ends_of_f64(beta: float, want: list[float]) -> None:
    """Beta is not narrowed to FLOAT, which would make it 0 or infinite."""
    x = np.array([-1.0, 0.0, 1e-200, 3.0])
    with jax.enable_x64(True):
        got = jax.grad(lambda x: aj.smooth_l1_loss(x, jnp.zeros_like(x), "sum", beta))(x)
    assert got.tolist() == want


@pytest.mark.parametrize("eps", [1 - 1e-12, 1.0, 1 + 1e-12, np.nan, np.inf])
def test_an_eps_that_leaves_nothing_is_that_of_the_operator(eps: float) -> None:
    """But for one that F32 does not tell from 1: it is what it is."""
    x = np.array([0.0, 0.25, 0.5, 1.0, 2.0])
    with jax.enable_x64(True):
        got = jax.grad(lambda x: aj.logit(x, eps).sum())(x)
    other = {1 - 1e-12: 0.75, 1 + 1e-12: 2.0}.get(eps, eps)
    assert_bits(np.asarray(got), ar.logit_grad(x, np.ones_like(x), other))


@each_case
@pytest.mark.parametrize(
    ("kind", "compute", "x64"),
    [
        ("float32", None, False),
        *[
            pytest.param(*row, marks=pytest.mark.exhaustive)
            for row in product(FLOATS, (None, "bfloat16", "float32", "float64"), (False, True))
            if row[0] != "float64" or row[1:] in (("bfloat16", True), ("float32", True))
        ],
    ],
)
def test_other_arithmetic_has_scalars_of_f32(
    name: str, kind: str, compute: str | None, x64: bool
) -> None:
    """Values and derivatives of scalars that are equal in F32 are equal."""
    case = CASES[name]
    x = numbers(kind, (40,), 1, tame=True)

    def total(x: Any, scalars: Any) -> Any:
        return case.function(x, *scalars, compute_dtype=compute).sum()

    def slopes(x: Any, scalars: Any) -> Any:
        return jax.grad(total)(x, scalars)

    def curves(x: Any, scalars: Any) -> Any:
        return jax.grad(lambda x: slopes(x, scalars).sum())(x)

    # of F64 data, values and second derivatives are JAX's own, in F64
    functions = (slopes,) if kind == "float64" else (total, slopes, curves)
    with jax.enable_x64(x64):
        for function in functions:
            got = [function(x, scalars) for scalars in (case.scalars, [*map(single, case.scalars)])]
            assert_bits(*map(np.asarray, got))
