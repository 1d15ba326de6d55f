"""Calls whose kernels read array headers: every view is computed or refused, cached or not."""

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar
from ascendref.core.dtypes import ELEMENT_TYPES
from ascendref.kernels.loops.elementwise import elementwise
from ascendref.kernels.runtime import array_header as header

from ..support.cases import ARRANGEMENTS
from ..support.rounding import assert_bits

Array = np.ndarray[Any, Any]
KINDS = (np.float32, np.float16, ml_dtypes.bfloat16, np.float64)


@pytest.mark.tiny
def test_arrays_look_as_expected() -> None:
    assert header.has_expected_headers()


class Subclass(np.ndarray[Any, Any]):
    """A subclass of ndarray."""


VIEWS: dict[str, Callable[[Array], Any]] = {
    "contiguous": lambda a: a,
    "subclass": lambda a: a.view(Subclass),
    "reversed": lambda a: np.ascontiguousarray(a[::-1])[::-1],
    "Fortran order": np.asfortranarray,
    "unaligned": ARRANGEMENTS["unaligned"],
    "broadcast": lambda a: np.broadcast_to(a[:1], a.shape),
    "part": lambda a: np.concatenate([a, a], axis=1)[:, : a.shape[1]],
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
}


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_of_an_input_has_its_result(kind: Any, view: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(3):  # the call is cached from the first time on
        g, x = rng.standard_normal((2, 6, 7)).astype(kind)
        seen = VIEWS[view](x)
        rows = list(zip(g, np.array(seen), strict=True))
        want = np.array([ar.softplus_backward(*row) for row in rows])
        assert_bits(ar.softplus_backward(g, seen), want)
        assert_bits(
            ar.softplus_backward(seen, g),
            np.array([ar.softplus_backward(*row[::-1]) for row in rows]),
        )
        out = VIEWS["part"](np.zeros_like(g))
        assert ar.softplus_backward(g, seen, out=out) is out
        assert_bits(np.array(out), want)


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("view", ["subclass", "reversed", "Fortran order", "unaligned", "part"])
def test_every_view_of_a_result_is_written(kind: Any, view: str) -> None:
    rng = np.random.default_rng(4)
    g, x = rng.standard_normal((2, 6, 7)).astype(kind)
    want = ar.softplus_backward(g, x)
    out = VIEWS[view](np.zeros_like(x))
    assert ar.softplus_backward(g, x, out=out) is out
    assert_bits(np.array(out), want)
    sums = np.zeros(7, kind)
    result = VIEWS[view](np.zeros_like(x))
    wanted = ar.prelu_backward(g, x, x[0])
    ar.prelu_backward(g, x, x[0], out=(result, sums))
    assert_bits(np.array(result), wanted[0])
    assert_bits(sums, wanted[1])


@pytest.mark.tiny
def test_bad_arguments_are_refused_after_good_ones() -> None:
    x = np.linspace(0.1, 0.9, 12).astype(np.float32).reshape(3, 4)
    memory = np.zeros(24, np.float32)
    other = memory[:12].reshape(3, 4)
    ar.softplus_backward(x, x, 1.0, 20.0, out=other)
    frozen = np.zeros_like(x)
    frozen.flags.writeable = False
    bad: list[tuple[Any, ...]] = [
        (x, x[:2]),
        (x, x.astype(np.complex64)),
        (x.astype(">f4"), x),
        (x, "text"),
        (None, x),
        (x, x, None),
        (x, x, 1 + 0j),
        (np.zeros((1,) * 9, np.float32), np.zeros((1,) * 9, np.float32)),
    ]
    for arguments in bad:
        with pytest.raises(ar.ArgumentError):
            ar.softplus_backward(*arguments)
    for out in (frozen, np.zeros((4, 3), np.float32), np.zeros(12, np.float32), [0.0], "text",
                memory[6:18].reshape(3, 4), np.zeros((3, 4), np.int32)):  # fmt: skip
        with pytest.raises(ar.ArgumentError):
            ar.softplus_backward(x, other, 1.0, 20.0, out=out)
    with pytest.raises(ar.ArgumentError):
        ar.softplus_backward(x, x, 1.0, 20.0, compute_dtype="int8")
    assert not frozen.any()


@pytest.mark.tiny
def test_bad_arguments_are_refused_after_good_strided_ones() -> None:
    memory = np.linspace(-0.9, 0.9, 64).astype(np.float32)
    g, x = memory[:12].reshape(4, 3).T, memory[16:28].reshape(4, 3).T
    apart = memory[32:44].reshape(4, 3).T
    want = ar.hardshrink_backward(np.array(g), np.array(x))
    for _ in range(2):
        assert_bits(ar.hardshrink_backward(g, x, out=apart), want)
    before = memory.copy()
    frozen = apart.view()
    frozen.flags.writeable = False
    for out in (frozen, memory[10:22].reshape(4, 3).T, memory[20:32].reshape(4, 3).T,
                memory[32:44].reshape(3, 4).T, apart.astype(np.int32)):  # fmt: skip
        with pytest.raises(ar.ArgumentError):
            ar.hardshrink_backward(g, x, out=out)
    with pytest.raises(ar.ArgumentError):
        ar.hardshrink_backward(g, x.astype(np.complex64), out=apart)
    assert_bits(memory, before)
    # exactly an input's view is allowed, and another type of result
    wide = ar.hardshrink_backward(g, x, out=np.zeros((4, 3)).T)
    assert_bits(wide, want.astype(np.float64))
    assert ar.hardshrink_backward(g, x, out=x) is x
    assert_bits(np.array(x), want)


@pytest.mark.full
def test_bad_arguments_of_sums_are_refused_after_good_ones() -> None:
    x = np.linspace(-1, 1, 12).astype(np.float32).reshape(3, 4)
    weight = np.ones(4, np.float32)
    out = np.zeros_like(x), np.zeros(4, np.float32)
    ar.prelu_backward(x, x, weight, out=out)
    for arguments in ((x, x, weight[:3]), (x, x[0], weight), (x, x, None), (x, weight, "text")):
        with pytest.raises(ar.ArgumentError):
            ar.prelu_backward(*arguments)
    whole = np.zeros(16, np.float32)
    overlapping = whole[:12].reshape(3, 4), whole[10:14]
    for bad in (out[0], (out[0],), (out[0], out[1][:3]), overlapping, (x.T, out[1])):
        with pytest.raises(ar.ArgumentError):
            ar.prelu_backward(x, x, weight, out=bad)
    assert not whole.any()


@pytest.mark.tiny
def test_kernels_work_where_array_headers_are_unexpected(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = ar.OPERATORS["logit_grad"]
    kind = ELEMENT_TYPES["float32"]
    formula = operator.formula.suited("float32", "float32", (-1.0,))
    kernel = elementwise(formula, (kind, kind), kind, kind, "float32")
    monkeypatch.setattr(header, "has_expected_headers", lambda: False)
    table = header.operand_table(tuple(header.Operand(kind.numpy, result=k == 2) for k in range(3)))
    monkeypatch.setattr(kernel, "table", table.ctypes.data)
    monkeypatch.delitem(kernel.__dict__, "fixed", raising=False)
    x = np.linspace(0.1, 0.9, 9).astype(np.float32)
    out = np.zeros_like(x)
    assert not kernel._dense((x, x, out), (-1.0,))
    assert not out.any()
    kernel((x, x, out), (-1.0,))
    monkeypatch.undo()
    assert_bits(out, ar.logit_grad(x, x))
