"""Gradients of ``ascendref.jax``: the bits of the array functions, under JAX's transformations."""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ascendref as ar
from ascendref.declaration.scalars import single
from ascendref.differentiable import differentiable_functions

from ..support.cases import DECLARED, FLOATS, SCALARS, numbers, whole_shapes
from ..support.operands import beyond_exp
from ..support.rounding import FORMATS, assert_bits

jax = pytest.importorskip("jax", reason="jax is an extra")

from jax import export  # noqa: E402
from jax import numpy as jnp  # noqa: E402

import ascendref.jax as aj  # noqa: E402

#: no element, one, a few, several tasks and blocks of sums, enough for several threads
SHAPES = [(0, 4), (2, 0, 4), (), (16,), (3, 1, 5), (7, 64), (2, 3, 40, 41), (3, 20_000)]
SHAPE = (7, 64)


@pytest.fixture(autouse=True)
def _with_float64() -> Any:
    with jax.enable_x64(True):
        yield


class Function(NamedTuple):
    """A function, the operators of its value and its gradient, and how to call all three."""

    declared: Any

    def __str__(self) -> str:
        return str(self.declared.name)

    @property
    def scalars(self) -> list[tuple[Any, ...]]:
        """The function's scalars in all tables, the defaults first, narrowed as by operators."""
        rows = SCALARS[self.declared.declared.name]
        return [tuple([single(s) if isinstance(s, float) else s for s in row]) for row in rows]

    def shapes(self, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return shapes of the operands, for elements of a shape."""
        operator = self.declared.operator
        scalars = self.declared.kernel_scalars(self.scalars[0]) if operator.is_viewed else ()
        shapes, _ = whole_shapes(operator.name, shape, scalars=scalars)
        return [shapes[place] for place in self.declared.places]

    def function(self, *arguments: Any, **options: Any) -> Any:
        """Call the function; scalars without defaults may be omitted."""
        if len(arguments) <= len(self.declared.places):
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


FUNCTIONS = {name: Function(f) for name, f in differentiable_functions().items()}
GRADIENTS = [name for name, case in FUNCTIONS.items() if case.declared.gradient is not None]
VALUES = [name for name, case in FUNCTIONS.items() if case.declared.computes_value]

each_gradient = pytest.mark.parametrize("name", GRADIENTS)
#: JAX compiles programs for every shape: a third of these is tested every day
each_declared = pytest.mark.parametrize(
    "case", [pytest.param(FUNCTIONS[n], id=n, marks=pytest.mark.daily(3)) for n in DECLARED]
)


def operands_of(
    case: Function, kind: str, shape: tuple[int, ...], *, tame: bool = False
) -> list[Any]:
    """Return operands of a function, for elements of a shape."""
    sums = case.declared.operator.per_channel
    return [
        numbers(kind, size, seed, tame=tame or (sums and seed > 1))
        for seed, size in enumerate(case.shapes(shape), 1)
    ]


def shapes_of(case: Function) -> list[tuple[int, ...]]:
    """Return those of all shapes that a function's elements have: halves need an axis."""
    return [shape for shape in SHAPES if shape or not case.declared.takes_halves]


def result_grad(function: Any, operands: list[Any], kind: str) -> Any:
    return numbers(kind, jax.eval_shape(function, *operands).shape, 3)


def summed(function: Any) -> Any:
    return lambda *operands: function(*operands).sum()


def pullback(function: Any, grad: Any, *operands: Any) -> Any:
    return jax.vjp(function, *operands)[1](grad)


@each_gradient
@pytest.mark.parametrize("kind", FLOATS)
def test_gradients_have_the_bits_of_the_array_functions(name: str, kind: str) -> None:
    case = FUNCTIONS[name]
    for scalars in case.scalars[:2]:
        check_gradients(case, kind, SHAPE, scalars)


@each_declared
@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_gradients_in_all_shapes_and_compute_types(case: Function, kind: str) -> None:
    for shape in shapes_of(case):
        check_gradients(case, kind, shape, case.scalars[0])
    for compute in FLOATS:
        check_gradients(case, kind, SHAPE, case.scalars[0], compute)
    check_gradients(case, kind, SHAPE, case.scalars[0], transform=lambda function: function)


def check_gradients(
    case: Function,
    kind: str,
    shape: tuple[int, ...],
    scalars: tuple[Any, ...],
    compute: str | None = None,
    transform: Callable[..., Any] = jax.jit,
) -> None:
    """Compare the gradients of a transformed function with those of the array functions."""
    operands = operands_of(case, kind, shape)
    function = partial(_call, case.function, scalars, compute)
    grad = result_grad(function, operands, kind)
    want = case.gradients(grad, *operands, scalars=scalars, compute_dtype=compute)
    got = transform(partial(pullback, function))(grad, *operands)
    assert len(got) == len(case.declared.places)
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


@each_declared
@settings(max_examples=8)  # JAX compiles for every shape
@given(data=st.data())
def test_gradients_of_any_shape_and_value(case: Function, data: st.DataObject) -> None:
    rank = int(case.declared.takes_halves)
    shape = data.draw(hnp.array_shapes(min_dims=rank, max_dims=4, min_side=0, max_side=5))
    kind = data.draw(st.sampled_from(["float32", "bfloat16"]))
    operands = operands_of(case, kind, shape)
    bits = hnp.arrays(f"u{FORMATS[kind].dtype.itemsize}", operands[0].shape)
    operands[0] = data.draw(bits).view(FORMATS[kind].dtype)
    grad = result_grad(case.function, operands, kind)
    want = case.gradients(grad, *operands)
    for actual, other in zip(pullback(case.function, grad, *operands), want, strict=False):
        assert_bits(np.asarray(actual), other)


@pytest.mark.parametrize("kind", FLOATS)
def test_the_gradient_for_a_target_is_the_negative(kind: str) -> None:
    x, target = operands_of(FUNCTIONS["smooth_l1_loss"], kind, (5, 6), tame=True)
    first, second = jax.grad(aj.smooth_l1_loss, (0, 1))(x, target)
    assert_bits(np.asarray(second), -np.asarray(first))


@each_declared
def test_batches_have_the_bits_of_single_calls(case: Function) -> None:
    shape = (4, 3, 50)
    rows = [
        [numbers("float32", o.shape, 9 + k) for o in operands_of(case, "float32", shape)]
        for k in range(6)
    ]
    operands = [np.stack(column) for column in zip(*rows, strict=True)]
    grad = result_grad(case.function, rows[0], "float32")
    axes = None, *[0] * len(operands)
    mapped = jax.vmap(partial(pullback, case.function), axes)
    batched, nested = jax.jit(mapped), jax.vmap(mapped, axes)
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


@each_declared
def test_gradients_in_loops_checkpoints_and_shards(case: Function) -> None:
    operands = operands_of(case, "float32", (8, 5), tame=True)
    loss = summed(case.function)
    want = np.asarray(jax.grad(loss)(*operands))
    value, grad = jax.jit(jax.value_and_grad(loss))(*operands)
    assert_bits(np.asarray(grad), want)
    # JAX's own sum, which XLA may compile in another order
    np.testing.assert_allclose(value, loss(*operands), rtol=1e-6)
    assert_bits(np.asarray(jax.jit(jax.grad(jax.checkpoint(loss)))(*operands)), want)
    _, rows = jax.lax.scan(lambda carry, _: (carry, jax.grad(loss)(*operands)), 0, length=3)
    assert_bits(np.asarray(rows[2]), want)
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("i",))
    spec = jax.sharding.PartitionSpec()
    mapped = jax.shard_map(jax.grad(loss), mesh=mesh, in_specs=spec, out_specs=spec)
    assert_bits(np.asarray(mapped(*operands)), want)


@each_gradient
def test_second_derivatives_are_those_of_the_formula(name: str) -> None:
    case = FUNCTIONS[name]
    operands = [
        jnp.linspace(0.1, 0.9, prod(shape)).reshape(shape) / number
        for number, shape in enumerate(case.shapes((2, 3)), 1)
    ]

    @jax.jit
    def slope(*operands: Any) -> Any:
        grad = jax.grad(lambda *inner: (case.function(*inner) ** 2).sum())(*operands)
        return jnp.sin(grad).sum()

    got = jax.jit(jax.grad(slope, tuple(range(len(operands)))))(*operands)
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
    for scalars in FUNCTIONS[name].scalars[:2]:
        check_values(FUNCTIONS[name], kind, SHAPE, scalars)


@pytest.mark.full
@pytest.mark.parametrize("case", [FUNCTIONS[name] for name in ("celu", "prelu", "glu")], ids=str)
@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_values_in_all_shapes_and_compute_types(case: Function, kind: str) -> None:
    for shape in shapes_of(case):
        check_values(case, kind, shape, case.scalars[0])
    for compute in FLOATS:
        check_values(case, kind, SHAPE, case.scalars[0], compute)


def check_values(
    case: Function,
    kind: str,
    shape: tuple[int, ...],
    scalars: tuple[Any, ...],
    compute: str | None = None,
) -> None:
    """Compare the values of a compiled function with those of the array function."""
    operands = operands_of(case, kind, shape)
    got = jax.jit(partial(_call, case.function, scalars, compute))(*operands)
    if case.declared.name == "logit" and kind == "float64":  # nor is 1 - eps narrowed then
        (eps,) = scalars
        operands, scalars = (np.clip(operands[0], eps, 1 - eps),), (-1.0,)
    want = getattr(ar, case.declared.name)(*operands, *scalars, compute_dtype=compute)
    assert_bits(np.asarray(got), want)


@pytest.mark.full
@pytest.mark.parametrize(
    "case", [FUNCTIONS[name] for name in ("celu", "squared_relu", "silu", "glu")], ids=str
)
def test_values_are_differentiated_as_their_formula(case: Function) -> None:
    step = 1e-5

    def function(x: Any) -> Any:
        return case.function(*[jnp.full(shape, x) for shape in case.shapes((1,))]).sum()

    for order in (function, jax.grad(function)):
        for x in (0.25, 0.625):
            difference = (order(x + step) - order(x - step)) / (2 * step)
            np.testing.assert_allclose(jax.grad(order)(x), difference, rtol=1e-8)
    value, slope = jax.value_and_grad(function)(0.25)
    assert (value, slope) == (function(0.25), jax.grad(function)(0.25))
    np.testing.assert_allclose(jax.hessian(function)(0.25), jax.grad(jax.grad(function))(0.25))


def test_a_hessian() -> None:
    assert float(jax.hessian(aj.softplus)(0.0)) == 0.25


def test_what_jax_refuses() -> None:
    """Forward mode, exported programs, and other platforms by name."""
    with pytest.raises(TypeError, match="can't apply forward-mode"):
        jax.jvp(aj.softplus, (1.0,), (1.0,))
    gradient = jax.jit(jax.grad(aj.softplus))
    with pytest.raises(ValueError, match="ascendref_gradient"):
        export.export(gradient)(0.0)
    traced = gradient.trace(1.0)
    traced.lower(lowering_platforms=("cpu",))
    with pytest.raises(NotImplementedError, match=r"cpu.* not found for platform cuda"):
        traced.lower(lowering_platforms=("cuda",))
