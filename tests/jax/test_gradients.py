"""Gradients of ``ascendref.jax``: the bits of the array functions, under JAX's transformations."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ascendref as ar
from ascendref import operators
from ascendref.declaration.scalars import single
from ascendref.functional.differentiable import differentiable_functions

from ..support.cases import FLOATS, SCALARS, numbers
from ..support.operands import beyond_exp
from ..support.rounding import FORMATS, assert_bits

jax = pytest.importorskip("jax", reason="jax is an extra")

from jax import numpy as jnp  # noqa: E402

import ascendref.jax as aj  # noqa: E402

#: no element, one, a few, several tasks and blocks of sums, enough for several threads
SHAPES = [(0, 4), (), (16,), (7, 64), (2, 3, 40, 41), (3, 20_000)]


@pytest.fixture(autouse=True)
def _with_float64() -> Any:
    with jax.enable_x64(True):
        yield


class Function(NamedTuple):
    """A function and the operator that is its gradient, and how to call both."""

    declared: Any

    @property
    def operands(self) -> int:
        """Number of operands."""
        return len(self.declared.places)

    @property
    def scalars(self) -> list[tuple[Any, ...]]:
        """The function's scalars in all tables, the defaults first."""
        return SCALARS[self.declared.declared.name]

    def function(self, *arguments: Any, **options: Any) -> Any:
        """Call the function; scalars without defaults may be omitted."""
        if len(arguments) <= self.operands:
            options = self.declared.needed(self.declared.declared) | options
        return getattr(aj, self.declared.name)(*arguments, **options)

    def gradients(self, grad: Any, *operands: Any, scalars: Any = (), **options: Any) -> Any:
        """Return what the operator returns for the same arguments."""
        operator = self.declared.operator
        if self.declared.forward.of_result:
            value = getattr(ar, self.declared.declared.name)
            operands = (value(*operands, *(scalars or self.scalars[0]), **options),)
        tensors = [grad] * len(operator.tensors)
        for place, operand in zip(self.declared.places, operands, strict=True):
            tensors[place] = operand
        numbers = self.declared.kernel_scalars(scalars) if scalars else ()
        needed = {} if numbers else self.declared.needed(operator)
        got = getattr(ar, operator.name)(*tensors, *numbers, **needed, **options)
        return got if isinstance(got, tuple) else (got,)


FUNCTIONS = {
    name: Function(function)
    for name, function in differentiable_functions(operators).items()
    if function.gradient is not None
}
VALUES = [n for n, f in differentiable_functions(operators).items() if f.computes_value]

each_function = pytest.mark.parametrize("name", FUNCTIONS)


def operands_of(name: str, kind: str, shape: tuple[int, ...], *, tame: bool = False) -> list[Any]:
    """Return operands of a function."""
    data = numbers(kind, shape, 1, tame=tame)
    if name == "prelu":
        return [data, numbers(kind, (shape[1] if len(shape) > 1 else 1,), 2, tame=True)]
    others = [numbers(kind, shape, seed, tame=tame) for seed in (2, 3)]
    return [data, *others][: FUNCTIONS[name].operands]


def result_grad(function: Any, operands: list[Any], kind: str) -> Any:
    """Return a gradient for a function's result."""
    return numbers(kind, jax.eval_shape(function, *operands).shape, 3)


def summed(function: Any) -> Any:
    """Return the sum of a function's results."""
    return lambda *operands: function(*operands).sum()


def pullback(function: Any, grad: Any, *operands: Any) -> Any:
    return jax.vjp(function, *operands)[1](grad)


@each_function
@pytest.mark.parametrize("kind", FLOATS)
def test_gradients_have_the_bits_of_the_array_functions(name: str, kind: str) -> None:
    case = FUNCTIONS[name]
    for compute in (None, *FLOATS):
        for shape in SHAPES if compute is None else SHAPES[2:5]:
            operands = operands_of(name, kind, shape)
            for scalars in case.scalars[: 2 if compute is None else 1]:
                # JAX keeps F64's scalars, the operators narrow them
                scalars = tuple([single(s) if isinstance(s, float) else s for s in scalars])
                function = partial(_call, case.function, scalars, compute)
                grad = result_grad(function, operands, kind)
                want = case.gradients(grad, *operands, scalars=scalars, compute_dtype=compute)
                calls = [jax.jit(partial(pullback, function))]
                calls += [partial(pullback, function)] if shape == (7, 64) else []
                for call in calls:
                    got = call(grad, *operands)
                    assert len(got) == case.operands
                    for actual, other in zip(got, want, strict=False):
                        assert_bits(np.asarray(actual), other)


def _call(function: Any, scalars: Any, compute: str | None, *operands: Any) -> Any:
    return function(*operands, *scalars, compute_dtype=compute)


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "float64"])
def test_softplus_divides_by_exponentials_beyond_its_type(kind: str) -> None:
    grad, x = beyond_exp(kind, 1000)
    (got,) = jax.jit(partial(pullback, aj.softplus))(grad, x)
    assert np.count_nonzero(got) > 500
    assert_bits(np.asarray(got), ar.softplus_backward(grad, x))


@each_function
@settings(max_examples=20)  # JAX compiles for every shape
@given(data=st.data())
def test_gradients_of_any_shape_and_value(name: str, data: st.DataObject) -> None:
    case = FUNCTIONS[name]
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    kind = data.draw(st.sampled_from(["float32", "bfloat16"]))
    bits = hnp.arrays(f"u{FORMATS[kind].dtype.itemsize}", shape)
    operands = operands_of(name, kind, shape)
    operands[0] = data.draw(bits).view(FORMATS[kind].dtype)
    grad = result_grad(case.function, operands, kind)
    want = case.gradients(grad, *operands)
    for actual, other in zip(pullback(case.function, grad, *operands), want, strict=False):
        assert_bits(np.asarray(actual), other)


@pytest.mark.parametrize("kind", FLOATS)
def test_the_gradient_for_a_target_is_the_negative(kind: str) -> None:
    x, target = operands_of("smooth_l1_loss", kind, (5, 6), tame=True)
    first, second = jax.grad(aj.smooth_l1_loss, (0, 1))(x, target)
    assert_bits(np.asarray(second), -np.asarray(first))


@each_function
def test_batches_have_the_bits_of_single_calls(name: str) -> None:
    case, shape = FUNCTIONS[name], (4, 3, 50)
    rows = [
        [numbers("float32", o.shape, 9 + k) for o in operands_of(name, "float32", shape)]
        for k in range(6)
    ]
    operands = [np.stack(column) for column in zip(*rows, strict=True)]
    grad = result_grad(case.function, rows[0], "float32")
    batched = jax.jit(jax.vmap(partial(pullback, case.function), (None, *[0] * len(operands))))
    nested = jax.vmap(
        jax.vmap(partial(pullback, case.function), (None, *[0] * len(operands))),
        (None, *[0] * len(operands)),
    )
    halves = [operand.reshape(2, 3, *operand.shape[1:]) for operand in operands]
    for got in (
        batched(grad, *operands),
        [g.reshape(6, *g.shape[2:]) for g in nested(grad, *halves)],
    ):
        for number, row in enumerate(rows):
            for actual, want in zip(got, case.gradients(grad, *row), strict=False):
                assert_bits(np.asarray(actual[number]), want)


def test_a_batch_of_data_with_one_weight() -> None:
    x, weight = numbers("float32", (5, 40, 3), 1, tame=True), np.float32([0.1, 0.2, -3])
    got = jax.vmap(jax.grad(summed(aj.prelu), (0, 1)), (0, None))(x, weight)
    for number, row in enumerate(x):
        want = ar.prelu_backward(np.ones_like(row), row, weight)
        for actual, other in zip(got, want, strict=True):
            assert_bits(np.asarray(actual[number]), other)


@each_function
def test_gradients_in_loops_checkpoints_and_shards(name: str) -> None:
    operands = operands_of(name, "float32", (8, 5), tame=True)
    loss = summed(FUNCTIONS[name].function)
    want = np.asarray(jax.grad(loss)(*operands))
    value, grad = jax.jit(jax.value_and_grad(loss))(*operands)
    assert_bits(np.asarray(grad), want)
    # JAX's own arithmetic; XLA adds the values of gelu in another order when it compiles
    np.testing.assert_allclose(value, loss(*operands), rtol=1e-6 if name == "gelu" else 0)
    assert_bits(np.asarray(jax.grad(jax.checkpoint(loss))(*operands)), want)
    _, rows = jax.lax.scan(lambda carry, _: (carry, jax.grad(loss)(*operands)), 0, length=3)
    assert_bits(np.asarray(rows[2]), want)
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("i",))
    spec = jax.sharding.PartitionSpec()
    mapped = jax.shard_map(jax.grad(loss), mesh=mesh, in_specs=spec, out_specs=spec)
    assert_bits(np.asarray(mapped(*operands)), want)


@each_function
def test_second_derivatives_are_those_of_the_formula(name: str) -> None:
    case, data = FUNCTIONS[name], jnp.linspace(0.1, 0.9, 6).reshape(2, 3)
    second = jnp.full(3, 0.25) if name == "prelu" else data / 3
    operands = [data, second][: case.operands]

    def slope(*operands: Any) -> Any:
        grad = jax.grad(lambda *inner: (case.function(*inner) ** 2).sum())(*operands)
        return jnp.sin(grad).sum()

    got = jax.grad(slope, tuple(range(len(operands))))(*operands)
    step = 1e-6
    for number, operand in enumerate(operands):
        for place in np.ndindex(operand.shape):
            ends = []
            for sign in (1, -1):
                moved = list(operands)
                moved[number] = operand.at[place].add(sign * step)
                ends.append(slope(*moved))
            difference = (ends[0] - ends[1]) / (2 * step)
            np.testing.assert_allclose(got[number][place], difference, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("kind", FLOATS)
def test_values_have_the_bits_of_the_array_functions(name: str, kind: str) -> None:
    function = getattr(aj, name)
    for compute in (None, *FLOATS):
        for shape in SHAPES[:4]:
            x = numbers(kind, shape, 1)
            got = jax.jit(partial(function, compute_dtype=compute))(x)
            assert_bits(np.asarray(got), getattr(ar, name)(x, compute_dtype=compute))


@pytest.mark.parametrize("name", VALUES)
def test_values_are_differentiated_as_their_formula(name: str) -> None:
    function, step = getattr(aj, name), 1e-5
    for order in (function, jax.grad(function)):
        for x in (0.25, 0.625):
            difference = (order(x + step) - order(x - step)) / (2 * step)
            np.testing.assert_allclose(jax.grad(order)(x), difference, rtol=1e-8)
    value, slope = jax.value_and_grad(function)(0.25)
    assert (value, slope) == (function(0.25), jax.grad(function)(0.25))
    np.testing.assert_allclose(jax.hessian(function)(0.25), jax.grad(jax.grad(function))(0.25))


def test_a_hessian() -> None:
    assert float(jax.hessian(aj.softplus)(0.0)) == 0.25


def test_forward_mode_is_refused_by_jax() -> None:
    with pytest.raises(TypeError, match="can't apply forward-mode"):
        jax.jvp(aj.softplus, (1.0,), (1.0,))


def test_a_program_for_another_platform_is_refused_by_name() -> None:
    traced = jax.jit(jax.grad(aj.softplus)).trace(1.0)
    traced.lower(lowering_platforms=("cpu",))
    with pytest.raises(NotImplementedError, match=r"cpu.* not found for platform cuda"):
        traced.lower(lowering_platforms=("cuda",))
