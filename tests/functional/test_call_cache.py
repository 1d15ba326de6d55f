"""The cache of checked calls: which calls it serves, and what a cached call compares."""

from __future__ import annotations

from decimal import Decimal
from math import nan
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.functional import call, call_cache

from ..support.operands import arguments, each_operator, results
from ..support.rounding import assert_bits

X = np.linspace(-2, 2, 12, dtype=np.float32)


@pytest.fixture
def checked(empty_call_cache: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows by the name of the operator with every full check."""
    names: list[str] = []
    full_check = call._checked_call

    def counted(record: call_cache.Call) -> Any:
        names.append(record.operator.name)
        return full_check(record)

    monkeypatch.setattr(call, "_checked_call", counted)
    return names


@each_operator
def test_a_call_of_any_contiguous_shape_is_checked_once(operator: str, checked: list[str]) -> None:
    for shape in ((12,), (3, 4), (12,), (5, 1, 2)):
        tensors = arguments(operator, shape)
        got = results(getattr(ar, operator)(*tensors))
        assert checked == [operator]
        outs = tuple(np.empty_like(result) for result in got)
        given = outs if len(outs) > 1 else outs[0]
        assert getattr(ar, operator)(*tensors, out=given) is given
        for out, result in zip(outs, got, strict=True):
            assert_bits(out, result)
    assert checked == [operator]


@pytest.mark.parametrize("operator", [name for name in ar.OPERATORS if name != "prelu_backward"])
def test_a_call_on_strided_arrays_is_checked_twice_for_each_layout(
    operator: str, checked: list[str]
) -> None:
    function = getattr(ar, operator)
    for count, step in enumerate((2, 3), 1):
        for _ in range(4):
            tensors = [np.repeat(tensor, step)[::step] for tensor in arguments(operator, (12,))]
            assert_bits(function(*tensors), function(*[tensor.copy() for tensor in tensors]))
        assert len(checked) == 2 * count + 1  # and the contiguous copies once


def test_calls_that_alternate_are_found_in_the_table(checked: list[str]) -> None:
    for _ in range(3):
        for lambd in (0.25, 0.5):
            ar.hardshrink_backward(X, X, lambd)
            ar.hardshrink_backward(X, X, lambd, compute_dtype="float64")
    assert len(checked) == 4


def test_calls_that_are_never_cached(checked: list[str]) -> None:
    out = X.copy()
    for call_again in (
        lambda: ar.hardshrink_backward(X, X, np.float32(0.5)),
        lambda: ar.hardshrink_backward(X, X, True),
        lambda: ar.hardshrink_backward(X, X, compute_dtype=np.dtype(np.float32)),
        lambda: ar.hardshrink_backward(out, X, out=out),
        lambda: ar.hardshrink_backward(X, X.view(np.recarray)),
    ):
        before = len(checked)
        call_again()
        call_again()
        assert len(checked) == before + 2


def test_the_table_has_a_limit(checked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_cache, "_CACHE_LIMIT", 3)
    for lambd in range(10):
        ar.hardshrink_backward(X, X, lambd)
        assert len(call_cache._CACHED_CALLS) <= 3


SCALARS = ((0.5,), (0.5, nan), ("sum", 1.0), (), (1, 2.0, 3.0))


@pytest.mark.parametrize("scalars", SCALARS, ids=str)
@pytest.mark.parametrize("tensors", [2, 3])
def test_what_a_cached_call_compares(tensors: int, scalars: tuple[Any, ...]) -> None:
    """The same for every closure, those for any numbers of tensors and scalars included."""
    calls: list[int] = []

    def kernel(*addresses: int) -> int:
        calls.append(len(addresses))
        return len(addresses)

    record = call_cache.Call(ar.OPERATORS["logit_grad"], (X,) * tensors, scalars, None, "float64")
    for make in (
        call_cache._any_operands,
        call_cache._CLOSURES.get((tensors, len(scalars)), call_cache._any_operands),
    ):
        cached = make(kernel, scalars, record.compute_dtype, np.dtype(np.float32), None)
        calls.clear()
        equal = tuple(s + 0.0 if type(s) is float and s == s else s for s in scalars)
        out = np.empty_like(X)
        assert cached(record.tensors, equal, out, "float64") is out
        made = cached(record.tensors, scalars, None, "float64")
        assert (made.shape, made.dtype) == (X.shape, X.dtype)
        assert calls == [tensors + 1] * 2
        for k, scalar in enumerate(scalars):
            for other in (
                0.75,
                None,
                np.array(scalar),
                True,
                Decimal("0.5"),
                1 if scalar == 1 else 2,
            ):
                if type(other) is type(scalar) and other == scalar:
                    continue
                changed = (*scalars[:k], other, *scalars[k + 1 :])
                assert cached(record.tensors, changed, out, "float64") is None
        assert cached(record.tensors, scalars, out, "float32") is None
        assert cached(record.tensors, scalars, out, None) is None
        assert cached(([1.0],) * tensors, scalars, None, "float64") is None
        assert len(calls) == 2
