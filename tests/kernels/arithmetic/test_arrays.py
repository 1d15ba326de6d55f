"""Formulas on arrays: values beside the judge's, types, and derivatives."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from ascendref.kernels.arithmetic.arrays import evaluate
from ascendref.kernels.arithmetic.exact import decide
from ascendref.kernels.arithmetic.functions import exp, log, log1p, select, sign, single, sqrt

from ...support.formulas import CASES, Case
from ...support.judge import error_in_ulp

#: where each formula is well-conditioned: no root of a derivative, tail or subnormal result
USUAL = (-0.6, 4.0)
#: ulp: most functions are off by 1 or less, but log1p of XLA by up to 128 from -0.42 on
ALLOWED = {"numpy": 6.0, "torch": 6.0, "jax": 150.0}
EXTREME = [1e-300, 0.25, 1.5, 20.0, 100.0, 700.0, 745.0, 800.0, 1e4]
POINTS = np.array([*EXTREME, 0.0, *[-x for x in EXTREME]])
IN_UNIT = np.array([1e-100, 0.1, 0.25, 0.5, 0.75, 0.9, 1 - 2.0**-53])


class Used(NamedTuple):
    """A library: its name, its module, and what makes its arrays."""

    name: str
    namespace: Any
    array: Any


@pytest.fixture(params=["numpy", "jax", "torch"])
def used(request: Any) -> Iterator[Used]:
    """Return NumPy, JAX with F64, or PyTorch."""
    if request.param == "jax":
        jax = pytest.importorskip("jax", reason="jax is an extra")
        with jax.enable_x64(True):
            yield Used("jax", jax.numpy, jax.numpy.asarray)
    elif request.param == "torch":
        torch = pytest.importorskip("torch", reason="torch is an extra")
        yield Used("torch", torch, torch.asarray)
    else:
        yield Used("numpy", np, np.asarray)


def sample(case: Case, count: int) -> list[NDArray[np.float64]]:
    """Return tensors of usual numbers."""
    rng = np.random.default_rng(count)
    values = list(rng.uniform(*USUAL, (case.tensors, count)))
    if case.unit:
        values[0] = rng.uniform(0.01, 0.99, count)
    return values


@pytest.mark.parametrize("name", CASES)
def test_values(name: str, used: Used) -> None:
    case = CASES[name]
    tensors = sample(case, 100)
    found = evaluate(case.function, used.namespace, [used.array(x) for x in tensors], case.scalars)
    assert "float64" in str(found.dtype)
    rows = zip(np.asarray(found).tolist(), *[x.tolist() for x in tensors], strict=True)
    for actual, *row in rows:
        error = error_in_ulp(actual, case.function, row, case.scalars, "float64")
        assert error <= ALLOWED[used.name], (row, actual)


@pytest.mark.parametrize("name", CASES)
def test_constants_widen_no_float32(name: str, used: Used) -> None:
    case = CASES[name]
    tensors = [used.array(x.astype(np.float32)) for x in sample(case, 100)]
    assert "float32" in str(evaluate(case.function, used.namespace, tensors, case.scalars).dtype)


@pytest.mark.parametrize("name", CASES)
def test_longdouble(name: str) -> None:
    case = CASES[name]
    tensors = sample(case, 20)
    wide = evaluate(case.function, np, [x.astype(np.longdouble) for x in tensors], case.scalars)
    assert wide.dtype == np.longdouble
    for k, value in enumerate(wide):
        expected = decide(case.function, [float(x[k]) for x in tensors], case.scalars, "float64")
        assert math.isclose(value, expected, rel_tol=1e-14)


def test_no_value_is_lost_far_out(used: Used) -> None:
    x = used.array(np.array([-1e4, -800.0, 800.0, 1e4]))
    for name, expected in (
        ("silu", [0.0, 0.0, 800.0, 1e4]),
        ("log_sigmoid", [-1e4, -800.0, 0.0, 0.0]),
        ("gelu_erf", [0.0, 0.0, 800.0, 1e4]),
    ):
        found = evaluate(CASES[name].function, used.namespace, [x])
        assert np.asarray(found).tolist() == expected


def test_special_values(used: Used) -> None:
    def with_scalars(x: Any, beta: Any, kind: Any) -> Any:
        norm = 1.0 / select(kind == 1.0, 0.0, select(kind < 0.0, -kind, 1.0))
        return select((x < 0.0) | (x > beta), 1.0, 0.0) * single(beta) * norm

    x = used.array(np.array([-1.0, 0.0, 2.0, math.nan, math.inf]))
    values = {
        exp: [math.exp(-1), 1.0, math.exp(2), math.nan, math.inf],
        log: [math.nan, -math.inf, math.log(2), math.nan, math.inf],
        log1p: [-math.inf, 0.0, math.log(3), math.nan, math.inf],
        sqrt: [math.nan, 0.0, math.sqrt(2), math.nan, math.inf],
        sign: [-1.0, 0.0, 1.0, math.nan, 1.0],
        lambda x: 1.0 / x: [-1.0, math.inf, 0.5, math.nan, 0.0],
        lambda x: x / 0.0: [-math.inf, math.nan, math.inf, math.nan, math.inf],
        lambda x: 3.0: [3.0] * 5,
    }
    for function, expected in values.items():
        found = np.asarray(evaluate(function, used.namespace, [x]))
        np.testing.assert_allclose(found, expected, rtol=1e-15)
    scaled = np.asarray(evaluate(with_scalars, used.namespace, [x], (1.1, -4.0)))
    assert scaled.tolist() == [float(np.float32(1.1)) / 4 * k for k in (1, 0, 1, 0, 1)]
    endless = np.asarray(evaluate(with_scalars, used.namespace, [x], (1.1, 1.0)))
    assert endless[[0, 2]].tolist() == [math.inf, math.inf]


def derivatives_in_jax(function: Any, x: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return a function's first and second derivatives, both backward."""
    jax = pytest.importorskip("jax", reason="jax is an extra")

    def derivative(of: Any) -> Any:
        return lambda v: jax.vjp(of, v)[1](jax.numpy.ones_like(v))[0]

    first = derivative(function)
    found = jax.jit(lambda v: (first(v), derivative(first)(v)))(jax.numpy.asarray(x))
    return [np.asarray(values) for values in found]


def derivatives_in_torch(function: Any, x: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return a function's first and second derivatives."""
    torch = pytest.importorskip("torch", reason="torch is an extra")
    data, found = torch.tensor(x, requires_grad=True), []
    value = function(data)
    for _ in range(2):
        if not value.requires_grad:
            value = data * 0.0
        (value,) = torch.autograd.grad(value.sum(), data, create_graph=True)
        found.append(value.detach().numpy())
    return found


DERIVATIVES = {"jax": derivatives_in_jax, "torch": derivatives_in_torch}


@pytest.mark.parametrize("used", DERIVATIVES, indirect=True)
@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_finite(name: str, used: Used) -> None:
    case = CASES[name]
    x = IN_UNIT if case.unit else POINTS
    # formulas are linear in a gradient, the first of several tensors but for a formula on (0, 1)
    for at in [0] if case.unit or case.tensors == 1 else range(1, case.tensors):
        others = [used.array(np.full_like(x, 1.5)) for _ in range(case.tensors)]

        def function(data: Any, others: Any = others, at: int = at) -> Any:
            tensors = [*others[:at], data, *others[at + 1 :]]
            return evaluate(case.function, used.namespace, tensors, case.scalars)

        for derivative in DERIVATIVES[used.name](function, x):
            assert np.isfinite(derivative).all(), (at, x[~np.isfinite(derivative)])


@pytest.mark.parametrize("used", DERIVATIVES, indirect=True)
@pytest.mark.parametrize(
    ("function", "derivative"),
    [("silu", "silu_backward"), ("mish", "mish_backward"), ("gelu_erf", "gelu_erf_backward"),
     ("gelu_tanh", "gelu_tanh_backward")],
)  # fmt: skip
def test_derivatives_have_the_right_values(function: str, derivative: str, used: Used) -> None:
    x = np.array([-20.0, -3.0, -1.0, 0.0, 0.5, 2.0, 20.0, 400.0])
    first = DERIVATIVES[used.name](
        lambda data: evaluate(CASES[function].function, used.namespace, [data]), x
    )[0]
    exact = [decide(CASES[derivative].function, (1.0, v), (), "float64") for v in x.tolist()]
    np.testing.assert_allclose(first, exact, rtol=1e-12, atol=1e-290)


@pytest.mark.parametrize("used", DERIVATIVES, indirect=True)
def test_a_division_by_0_that_is_not_chosen_has_no_derivative(used: Used) -> None:
    def function(data: Any) -> Any:
        zero = used.array(np.zeros(3))
        one = used.array(np.ones(3))
        formula = CASES["smooth_l1_backward"].function
        return evaluate(formula, used.namespace, [one, data, zero], (0.0, 3.0))

    for derivative in DERIVATIVES[used.name](function, np.array([-1.0, 0.0, 2.0])):
        assert derivative.tolist() == [0.0, 0.0, 0.0]
