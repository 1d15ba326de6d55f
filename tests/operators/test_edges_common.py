"""Edges that all operators share: shapes, outputs, overlaps, scalars, compute types."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from inspect import Parameter, signature
from math import inf
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar

from ..support.cases import TENSORS
from ..support.oracles import expected
from ..support.rounding import FORMATS, array_of, assert_bits

FLOATS = tuple(FORMATS)
each_type = pytest.mark.parametrize("kind", FLOATS)
each_operator = pytest.mark.parametrize("operator", ar.OPERATORS)
elementwise = pytest.mark.parametrize("operator", [n for n in ar.OPERATORS if "prelu" not in n])


def arguments(operator: str, shape: tuple[int, ...], kind: str = "float32") -> list[Any]:
    """Return plain tensors for an operator."""
    rng = np.random.default_rng(7)
    arrays = [array_of(kind, rng.uniform(-1, 1, shape)) for _ in TENSORS[operator]]
    if operator == "prelu_backward":
        arrays[2] = array_of(kind, np.array([0.3]))
    return arrays


def results(got: Any) -> tuple[Any, ...]:
    """Return results as a tuple."""
    return got if isinstance(got, tuple) else (got,)


DEFAULTS = {
    name: tuple(
        parameter.default
        for parameter in signature(getattr(ar, name)).parameters.values()
        if parameter.default is not Parameter.empty and parameter.kind is not Parameter.KEYWORD_ONLY
    )
    for name in ar.OPERATORS
}


@each_operator
@each_type
def test_defaults_are_the_documented_ones(operator: str, kind: str) -> None:
    tensors = arguments(operator, (50,), kind)
    got = results(getattr(ar, operator)(*tensors))
    for actual, want in zip(
        got, expected(operator, tuple(tensors), DEFAULTS[operator]), strict=True
    ):
        assert_bits(actual, *want)


@each_operator
@each_type
def test_rank_0_is_one_element(operator: str, kind: str) -> None:
    tensors = arguments(operator, (), kind)
    got = results(getattr(ar, operator)(*tensors))
    vector = results(getattr(ar, operator)(*[tensor.reshape(1) for tensor in tensors]))
    assert got[0].shape == ()
    assert isinstance(got[0], np.ndarray)
    assert_bits(got[0].reshape(1), vector[0])


@each_operator
def test_results_are_in_c_order_whatever_the_inputs_are_in(operator: str) -> None:
    tensors = arguments(operator, (5, 7))
    for order in (np.asfortranarray, lambda array: array[::-1]):
        laid_out = [*map(order, tensors[:2]), *tensors[2:]]
        for result in results(getattr(ar, operator)(*laid_out)):
            assert result.flags.c_contiguous
            assert result.flags.owndata
    assert ar.cast(np.asfortranarray(tensors[0]), "float32").flags.c_contiguous
    assert ar.cast(np.asfortranarray(tensors[0]), "float64").flags.c_contiguous


@each_operator
def test_rank_8_is_allowed_and_rank_9_is_not(operator: str) -> None:
    function = getattr(ar, operator)
    assert results(function(*arguments(operator, (1, 2) * 4)))[0].shape == (1, 2) * 4
    with pytest.raises(ar.ArgumentValueError, match="rank 9"):
        function(*arguments(operator, (1,) * 9))
    function(*arguments(operator, (1, 2) * 4))
    with pytest.raises(ar.ArgumentValueError, match="rank 9"):  # the second call in a row, too
        function(*arguments(operator, (1,) * 9))


@each_operator
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2, 5)])
def test_empty_arrays_give_empty_results(operator: str, shape: tuple[int, ...]) -> None:
    tensors = arguments(operator, shape)
    if operator == "prelu_backward" and len(shape) > 1:
        tensors[2] = np.ones(shape[1], np.float32)
    out = np.empty(shape, np.float32)
    given = (out, np.empty(tensors[2].shape, np.float32)) if "prelu" in operator else out
    assert results(getattr(ar, operator)(*tensors))[0].shape == shape
    assert getattr(ar, operator)(*tensors, out=given) is given


@pytest.mark.parametrize("shapes", [((0, 1), (1, 4)), ((0,), (3, 1)), ((2, 0, 1), (5,))])
@pytest.mark.parametrize("operator", ["hardshrink_backward", "smooth_l1_loss_backward"])
def test_empty_arrays_broadcast(operator: str, shapes: Any) -> None:
    arrays = [np.ones(shape, np.float32) for shape in shapes]
    tensors = [*arrays, arrays[0]][: len(TENSORS[operator])]
    assert getattr(ar, operator)(*tensors).shape == np.broadcast_shapes(*shapes)


@pytest.mark.parametrize("operator", ["softplus_backward", "logit_grad"])
def test_shapes_that_would_broadcast_are_refused(operator: str) -> None:
    function = getattr(ar, operator)
    for one, other in (((3,), (1,)), ((1, 3), (3,)), ((0,), (1,)), ((), (1,))):
        with pytest.raises(ar.ArgumentValueError, match="shape"):
            function(np.ones(one, np.float32), np.ones(other, np.float32))


@pytest.mark.parametrize("operator", ["hardshrink_backward", "smooth_l1_loss_backward"])
def test_shapes_that_do_not_broadcast_are_refused(operator: str) -> None:
    arrays = [np.ones(shape, np.float32) for shape in ((3, 2), (3,), (1,))]
    with pytest.raises(ar.ArgumentValueError, match="shape"):
        getattr(ar, operator)(*arrays[: len(TENSORS[operator])])


@elementwise
@each_type
def test_an_output_may_be_any_view_with_distinct_elements(operator: str, kind: str) -> None:
    tensors = arguments(operator, (6, 8), kind)
    want = getattr(ar, operator)(*tensors)
    room = np.full((20, 20), 77, want.dtype)
    for view in (room[1:13:2, 2:10], room[:8, :6].T, room[11:5:-1, 17:1:-2], room[::3, 4:20:2][:6]):
        view = view[:6, :8]
        assert getattr(ar, operator)(*tensors, out=view) is view
        assert_bits(view, want)


@each_operator
def test_an_output_whose_elements_share_memory_is_refused(operator: str) -> None:
    tensors = arguments(operator, (3, 4))
    memory = np.full(12, 77, np.float32)
    for strides in ((0, 4), (4, 4), (8, 4), (4, 0), (-4, 4), (6, 2), (16, 2)):
        start = memory[4:] if strides[0] < 0 else memory
        view = np.lib.stride_tricks.as_strided(start, (3, 4), strides)
        given = (view, np.empty(1, np.float32)) if "prelu" in operator else view
        with pytest.raises(ar.ArgumentValueError, match="two indices to one address"):
            getattr(ar, operator)(*tensors, out=given)
    assert (memory == 77).all()


@each_operator
def test_in_place_over_each_input_gives_the_same_bits(operator: str) -> None:
    for number in range(2):
        tensors = arguments(operator, (40, 50))
        want = results(getattr(ar, operator)(*tensors))
        sums = np.empty(1, np.float32)
        target = tensors[number]
        got = getattr(ar, operator)(*tensors, out=(target, sums) if "prelu" in operator else target)
        assert results(got)[0] is target
        assert_bits(target, want[0])


@each_operator
def test_one_array_may_be_every_input_and_the_output(operator: str) -> None:
    if operator == "prelu_backward":
        x = np.array([-2.0], np.float32)
        sums = np.empty(1, np.float32)
        ar.prelu_backward(x, x, x, out=(x, sums))
        assert (x[0], sums[0]) == (4, 4)
        return
    x = arguments(operator, (300,))[0]
    want = getattr(ar, operator)(*[x.copy() for _ in TENSORS[operator]])
    getattr(ar, operator)(*[x for _ in TENSORS[operator]], out=x)
    assert_bits(x, want)


@each_operator
@pytest.mark.parametrize("shift", [1, 4, -2])
def test_an_output_that_partly_overlaps_an_input_is_refused(operator: str, shift: int) -> None:
    memory = np.linspace(0.1, 0.9, 40, dtype=np.float32)
    before = memory.copy()
    out = memory[10 + shift : 20 + shift]
    for number in range(2):
        tensors = arguments(operator, (10,))
        tensors[number] = memory[10:20]
        given = (out, np.empty(1, np.float32)) if "prelu" in operator else out
        with pytest.raises(ar.ArgumentValueError, match="overlaps"):
            getattr(ar, operator)(*tensors, out=given)
    assert_bits(memory, before)


def test_an_output_on_an_input_in_another_order_is_refused() -> None:
    x = np.ones((4, 4), np.float32)
    for out in (x.T, x[::-1], x[:, ::-1]):
        with pytest.raises(ar.ArgumentValueError, match="overlaps"):
            ar.hardshrink_backward(x, x, out=out)
    with pytest.raises(ar.ArgumentValueError, match="overlaps"):
        ar.hardshrink_backward(x[0], x, out=x)  # one row of the output is read for all of them


def test_interleaved_views_do_not_overlap() -> None:
    memory = np.linspace(-1, 1, 20, dtype=np.float32)
    x, out = memory[::2], memory[1::2]
    want = ar.hardshrink_backward(x.copy(), x.copy())
    ar.hardshrink_backward(x, x, out=out)
    assert_bits(memory[1::2], want)


@elementwise
def test_an_array_read_twice_with_a_strided_alias_is_fine(operator: str) -> None:
    memory = arguments(operator, (64,))[0]
    tensors = [memory[:32], memory[32:0:-1], memory[::2]][: len(TENSORS[operator])]
    assert_bits(
        getattr(ar, operator)(*tensors), getattr(ar, operator)(*[t.copy() for t in tensors])
    )


# --- scalars -------------------------------------------------------------------------------------

ONE_AND_A_HALF: list[Any] = [
    1.5,
    np.float64(1.5),
    np.float32(1.5),
    np.float16(1.5),
    ml_dtypes.bfloat16(1.5),
    np.array(1.5),
    np.array(1.5, np.float16),
    np.array(1.5, ml_dtypes.bfloat16),
]
TWO: list[Any] = [
    2,
    np.int8(2),
    np.uint8(2),
    np.int16(2),
    np.int32(2),
    np.int64(2),
    np.uint64(2),
    np.array(2),
    np.array(2, np.int8),
]
TRUE: list[Any] = [True, np.True_, np.array(True)]


def scalar_calls() -> dict[str, Callable[[Any], Any]]:
    """Return, for every scalar argument, a call whose result depends on it."""
    x = np.array([0.25, 0.5, 1.25, 1.75, 2.5, -0.75, -1.25, -3], np.float32)
    g = np.full_like(x, 3)
    near = np.array([0.125, 0.25, 0.5, 0.75, 0.875], np.float32)
    return {
        "lambd": lambda value: ar.hardshrink_backward(g, x, value),
        "beta of softplus": lambda value: ar.softplus_backward(g, x, value, 50.0),
        "threshold": lambda value: ar.softplus_backward(g, x, 1.0, value),
        "beta of smooth L1": lambda value: ar.smooth_l1_loss_backward(g, x, x[::-1], "sum", value),
        "eps": lambda value: ar.logit_grad(near, near, value),
    }


CALLS = scalar_calls()
each_scalar = pytest.mark.parametrize("argument", CALLS)


@each_scalar
@pytest.mark.parametrize("values", [ONE_AND_A_HALF, TWO, TRUE], ids=["1.5", "2", "true"])
def test_a_scalar_of_any_kind_means_its_value(argument: str, values: list[Any]) -> None:
    call = CALLS[argument]
    want = call(float(values[0]))
    for value in values:
        assert_bits(call(value), want)


@each_scalar
@pytest.mark.parametrize("value", [10**400, -(10**400), 2**63, 2**64 + 1, -(2**63) - 1])
def test_huge_integers_are_scalars(argument: str, value: int) -> None:
    call = CALLS[argument]
    number = float(value) if abs(value) < 10**300 else (inf if value > 0 else -inf)
    if argument == "beta of smooth L1" and value < 0:
        with pytest.raises(ar.ArgumentValueError, match="beta"):
            call(value)
        return
    assert_bits(call(value), call(number))


@each_scalar
@pytest.mark.parametrize(
    "value",
    [
        "1",
        None,
        0.5 + 0j,
        Decimal("0.5"),
        [0.5],
        np.array([0.5]),
        b"1",
        np.complex64(0.5),
        object(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_real_number_is_refused_however_often(argument: str, value: Any) -> None:
    call = CALLS[argument]
    if value is None and argument == "eps":
        assert_bits(call(None), call(-1.0))
        return
    for _ in range(2):
        with pytest.raises(ar.ArgumentTypeError, match=r"lambd|beta|threshold|eps"):
            call(value)
        call(0.5)  # an equal number before it makes no difference


@each_scalar
def test_a_scalar_that_changes_between_calls_is_read_again(argument: str) -> None:
    class Cell:
        def __init__(self, value: float) -> None:
            self.value = value

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array(self.value)

    call = CALLS[argument]
    cell = Cell(0.25)
    for value in (0.25, 1.5, 0.75):
        cell.value = value
        assert_bits(call(cell), call(value))


def test_scalars_are_narrowed_to_float32_in_every_compute_type() -> None:
    between = 1 + 2.0**-24 + 2.0**-40  # float32 makes 1 + 2**-23 of it
    x = np.array([1.0, 1 + 2.0**-23, 1 + 2.0**-22])
    for compute in ("float32", "float64"):
        got = ar.hardshrink_backward(np.ones(3), x, between, compute_dtype=compute)
        assert got.tolist() == [0, 0, 1]
    # float16 and bfloat16 take their scalar from float32 and so round it twice
    tie = 1 + 2.0**-8 + 2.0**-40
    x = array_of("bfloat16", np.array([1 + 2.0**-7]))
    got = ar.hardshrink_backward(x, x, tie, compute_dtype="bfloat16")
    assert got[0] == x[0]


# --- compute types -------------------------------------------------------------------------------


@each_operator
def test_compute_types_may_be_named_in_numpys_ways(operator: str) -> None:
    tensors = arguments(operator, (20,))
    for kind in FLOATS:
        want = results(getattr(ar, operator)(*tensors, compute_dtype=kind))
        for name in (FORMATS[kind].dtype, FORMATS[kind].dtype.type):
            got = results(getattr(ar, operator)(*tensors, compute_dtype=name))
            for actual, other in zip(got, want, strict=True):
                assert_bits(actual, other)


def test_compute_types_may_be_named_in_other_libraries_ways() -> None:
    tensors = arguments("softplus_backward", (20,))
    names: dict[str, list[Any]] = {
        kind: [kind, ar.DataType.of(kind), ar.DataType.of(kind).name] for kind in FLOATS
    }
    torch = pytest.importorskip("torch", reason="torch is in the bench extra, not in the test's")
    jnp = pytest.importorskip("jax.numpy", reason="jax is in the bench extra, not in the test's")
    for kind in FLOATS:
        want = ar.softplus_backward(*tensors, compute_dtype=kind)
        for name in (*names[kind], getattr(torch, kind), getattr(jnp, kind)):
            assert_bits(ar.softplus_backward(*tensors, compute_dtype=name), want)
            assert_bits(ar.cast(tensors[0], name), ar.cast(tensors[0], kind))
        assert ar.DataType.of(getattr(torch, kind)) is ar.DataType.of(kind)
    assert_bits(
        ar.softplus_backward(*tensors, compute_dtype=np.int64(ar.DataType.ACL_BF16)),
        ar.softplus_backward(*tensors, compute_dtype="bfloat16"),
    )
    for name in (torch.int8, torch.float8_e5m2, jnp.int8, ar.DataType.ACL_INT8):
        with pytest.raises(ar.ArgumentTypeError, match="compute_dtype"):
            ar.softplus_backward(*tensors, compute_dtype=name)


def test_a_type_that_is_refused_comes_with_those_that_the_argument_takes() -> None:
    x, shorts = np.ones(4, np.float32), np.ones(4, np.int16)
    floats = "allowed are float16, bfloat16, float32, float64"
    every = f"{floats}, int8, int32, uint8, int16, int64, bool"
    for call, argument, allowed in (
        (lambda y: ar.softplus_backward(y, x), "grad_output", floats),
        (lambda y: ar.softplus_backward(x, y.astype("u2")), "self", every),
        (lambda y: ar.prelu_backward(x, y, x), "self", floats),
        (lambda y: ar.prelu_backward(x, x, y), "weight", floats),
        (lambda y: ar.hardshrink_backward(x, x, out=y), "out", floats),
        (lambda y: ar.logit_grad(x, x, out=y), "out", "float32 is expected"),
        (lambda y: ar.cast(y, "float16"), "array", floats),
        (lambda y: ar.compare(y, x), "actual", floats),
        (lambda y: ar.assert_accepted(y, x), "actual", floats.removesuffix(", float64")),
    ):
        with pytest.raises(ar.ArgumentTypeError) as raised:
            call(shorts)
        kind = "uint16" if allowed is every else "int16"
        assert str(raised.value) == f"{argument} has type {kind}; {allowed} in native byte order"


@each_operator
@pytest.mark.parametrize("name", ["float8", "int32", "complex64", 3, [], "", np.bool_])
def test_other_compute_types_are_refused(operator: str, name: Any) -> None:
    with pytest.raises(ar.ArgumentTypeError, match="compute_dtype"):
        getattr(ar, operator)(*arguments(operator, (4,)), compute_dtype=name)


@each_operator
def test_the_compute_type_is_float32_unless_a_tensor_is_float64(operator: str) -> None:
    for kind in FLOATS:
        tensors = arguments(operator, (200,), kind)
        name = "float64" if kind == "float64" else "float32"
        for default, named in zip(
            results(getattr(ar, operator)(*tensors)),
            results(getattr(ar, operator)(*tensors, compute_dtype=name)),
            strict=True,
        ):
            assert_bits(default, named)


def test_half_precision_arithmetic_rounds_after_every_operation() -> None:
    """float16: 2049 is 2048 already; and 1/3 · 3 in BF16 goes through a rounded third."""
    x = np.array([2049.0], np.float32)
    got = ar.smooth_l1_loss_backward(
        np.ones(1, np.float32),
        x,
        np.array([2047.0], np.float32),
        "sum",
        4.0,
        compute_dtype="float16",
    )
    assert got[0] == 0.25  # (2048 - 2047) / 4
    third = ar.smooth_l1_loss_backward(
        np.full(1, 3, np.float32),
        np.ones(1, np.float32),
        np.zeros(1, np.float32),
        "sum",
        3.0,
        compute_dtype="bfloat16",
    )
    assert third[0] == float(array_of("bfloat16", np.array([171 / 512 * 3]))[0])


def test_bfloat16_data_is_never_rounded_twice_in_truth_mode() -> None:
    """d = 1 + 2**-7 over 3, times 3 + 2**-6: the exact product decides, not a float32 of it."""
    rng = np.random.default_rng(11)
    grad, x = (array_of("bfloat16", rng.uniform(0.5, 1, 4000)) for _ in range(2))
    beta = 3.0
    got = ar.smooth_l1_loss_backward(grad, x, np.zeros_like(x), 0, beta, compute_dtype="float64")
    exactly = np.array(
        [float(Fraction(float(a)) * Fraction(float(b)) / 3) for a, b in zip(grad, x, strict=True)]
    )
    assert_bits(got, array_of("bfloat16", exactly))
