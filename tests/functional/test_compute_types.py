"""Compute types, for all operators."""

from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.calls import call
from ..support.cases import FLOATS
from ..support.operands import arguments, each_engine
from ..support.rounding import FORMATS, assert_bits, assert_same_bits


@pytest.mark.full
@each_engine
def test_compute_types_may_be_named_in_numpys_ways(operator: str) -> None:
    tensors = arguments(operator, (20,))
    for kind in FLOATS:
        want = call(operator, *tensors, compute_dtype=kind)
        for name in (FORMATS[kind].dtype, FORMATS[kind].dtype.type):
            assert_same_bits(call(operator, *tensors, compute_dtype=name), want)


@pytest.mark.daily(2)
@pytest.mark.parametrize("compute", [None, "float16", "bfloat16", "float32"])
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@each_engine
def test_a_wider_output_gets_results_rounded_to_the_type_of_the_inputs(
    operator: str, kind: str, compute: str | None
) -> None:
    tensors = arguments(operator, (5, 20), kind)
    want = call(operator, *tensors, compute_dtype=compute)
    wide = tuple(np.empty(result.shape, np.float32) for result in want)
    out = wide if len(wide) > 1 else wide[0]
    if ar.OPERATORS[operator].same_type:
        with pytest.raises(ar.ArgumentTypeError, match=f"{kind} is expected"):
            getattr(ar, operator)(*tensors, out=out, compute_dtype=compute)
        return
    getattr(ar, operator)(*tensors, out=out, compute_dtype=compute)
    assert_bits(wide[0], want[0].astype(np.float32))


@pytest.mark.full
def test_a_wider_output_of_softplus_gets_float32_for_integers() -> None:
    (grad, _), integers = arguments("softplus_backward", (20,), "bfloat16"), np.arange(-9, 11)
    out = np.empty(20, np.float32)
    ar.softplus_backward(grad, integers, out=out)
    assert_bits(out, ar.softplus_backward(grad.astype(np.float32), integers))
    assert_bits(ar.softplus_backward(grad, integers), out.astype(grad.dtype))


@pytest.mark.parametrize("operator", ["softplus_backward", "smooth_l1_loss_backward"])
def test_a_wider_output_is_rounded_once_in_float64(operator: str) -> None:
    tensors = arguments(operator, (5, 20), "bfloat16")
    out = np.empty((5, 20), np.float32)
    getattr(ar, operator)(*tensors, out=out, compute_dtype="float64")
    want = getattr(ar, operator)(*[t.astype("d") for t in tensors]).astype(np.float32)
    assert_bits(out, want)
    assert np.any(out != out.astype(FORMATS["bfloat16"].dtype))


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
    for refused, argument, allowed in (
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
            refused(shorts)
        kind = "uint16" if allowed is every else "int16"
        assert str(raised.value) == f"{argument} has type {kind}; {allowed} in native byte order"


@each_engine
@pytest.mark.parametrize("name", ["float8", "int32", "complex64", 3, [], "", np.bool_])
def test_other_compute_types_are_refused(operator: str, name: Any) -> None:
    with pytest.raises(ar.ArgumentTypeError, match="compute_dtype"):
        getattr(ar, operator)(*arguments(operator, (4,)), compute_dtype=name)


@pytest.mark.full
@each_engine
def test_the_compute_type_is_float32_unless_a_tensor_is_float64(operator: str) -> None:
    for kind in FLOATS:
        tensors = arguments(operator, (200,), kind)
        name = "float64" if kind == "float64" else "float32"
        assert_same_bits(call(operator, *tensors), call(operator, *tensors, compute_dtype=name))
