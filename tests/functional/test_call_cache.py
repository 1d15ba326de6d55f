"""The cache of checked calls: which calls it serves, and what a cached call compares."""

from fractions import Fraction
from math import inf, nan, prod
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar
from ascendref.functional import call, call_cache
from ascendref.kernels.runtime.kernel import Kernel

from ..support.calls import array_function
from ..support.calls import call as call_of
from ..support.cases import ALIKE, HALVED, LOSSES, SUMMING, whole_shapes
from ..support.operands import arguments
from ..support.rounding import assert_bits, assert_same_bits

X = np.linspace(-2, 2, 12, dtype=np.float32)


@pytest.fixture
def checked(empty_call_cache: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows by the name of the operator with every full check."""
    names: list[str] = []
    full_check = call._checked_call

    def counted(record: call_cache.ArrayCall) -> Any:
        names.append(record.operator.name)
        return full_check(record)

    monkeypatch.setattr(call, "_checked_call", counted)
    return names


@pytest.mark.parametrize("operator", [*ALIKE, *SUMMING])
def test_a_call_of_any_contiguous_shape_is_checked_once(operator: str, checked: list[str]) -> None:
    for shape in ((12,), (3, 4), (12,), (5, 1, 2)):
        tensors = arguments(operator, shape)
        got = call_of(operator, *tensors)
        assert checked == [operator]
        outs = tuple(np.empty_like(result) for result in got)
        given = outs if len(outs) > 1 else outs[0]
        assert array_function(operator)(*tensors, out=given) is given
        assert_same_bits(outs, got)
    assert checked == [operator]


@pytest.mark.parametrize("operator", ALIKE)
def test_a_call_on_strided_arrays_is_checked_twice_for_each_layout(
    operator: str, checked: list[str]
) -> None:
    function = array_function(operator)
    for count, step in enumerate((2, 3), 1):
        for _ in range(4):
            tensors = [np.repeat(tensor, step)[::step] for tensor in arguments(operator, (12,))]
            assert_bits(function(*tensors), function(*[tensor.copy() for tensor in tensors]))
        assert len(checked) == 2 * count + 1  # and the contiguous copies once


@pytest.mark.parametrize("operator", ["mse_loss", "prelu_backward"])
def test_a_sum_of_strided_arrays_is_checked_twice_for_each_layout(
    operator: str, checked: list[str]
) -> None:
    rng, weight = np.random.default_rng(3), (X[:5],) * (operator == "prelu_backward")
    for count, step in enumerate((2, 3), 1):
        for _ in range(4):
            x = rng.random((40, 5 * step)).astype(np.float32)[:, ::step]
            row = np.broadcast_to(x[0].copy(), x.shape)
            got = call_of(operator, row, x, *weight)
            assert_same_bits(got, call_of(operator, row.copy(), x.copy(), *weight))
        assert len(checked) == 2 * count + 1  # and the contiguous copies once
    assert_same_bits(call_of(operator, row, x, *weight), got)
    outs = tuple(np.empty_like(result) for result in got)
    given = outs if len(outs) > 1 else outs[0]
    assert array_function(operator)(row, x, *weight, out=given) is given
    assert_same_bits(outs, got)


def viewed_call(operator: str, shape: tuple[int, ...], *dim: int) -> tuple[Any, list[Any], Any]:
    """Return a function with its scalars, tensors whose views have a shape, and a result."""
    rng, function = np.random.default_rng(5), array_function(operator)
    shapes, result = whole_shapes(operator, shape, scalars=dim)
    tensors = [rng.uniform(-1, 1, size).astype(np.float32) for size in shapes]
    return lambda *t, **o: function(*t, *dim, **o), tensors, np.empty(result, np.float32)


@pytest.mark.parametrize("operator", [*HALVED, "prelu"])
def test_a_call_on_views_is_checked_twice_for_each_layout(
    operator: str, checked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Kernel, "copies_first", lambda *_: False)
    calls = [
        viewed_call(operator, shape, *dim)
        for shape in ((3, 4), (4, 3, 2))
        for dim in ([(0,), (1,), (-1,)] if operator in HALVED else [()])
    ]
    expected = [function(*tensors).copy() for function, tensors, _ in calls]
    for k in range(4):
        for (function, tensors, out), like in zip(calls, expected, strict=True):
            assert_bits(function(*tensors), like)
            assert function(*[tensor.copy() for tensor in tensors], out=out) is out
            assert_bits(out, like)
        if k == 1:
            checked.clear()
    assert not checked


@pytest.mark.parametrize("operator", [*HALVED, "prelu"])
def test_what_a_cached_call_on_views_leaves_to_the_full_check(
    operator: str, checked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Kernel, "copies_first", lambda *_: False)
    function, tensors, out = viewed_call(operator, (2, 4), *([1] if operator in HALVED else []))
    expected = function(*tensors, out=out).copy()
    for _ in range(3):
        function(*tensors, out=out)
    checked.clear()
    whole = np.empty((4, 16), np.float32)
    shared = whole[: out.shape[0], : out.shape[1]]
    for place, tensor in enumerate(tensors):
        inside = np.lib.stride_tricks.as_strided(
            whole[:, 1:], tensor.shape, whole.strides[-tensor.ndim :]
        )
        inside[...] = tensor
        kept = whole.copy()
        given = [*tensors[:place], inside, *tensors[place + 1 :]]
        with pytest.raises(ar.ArgumentValueError, match=r"^out overlaps"):
            function(*given, out=shared)
        np.testing.assert_array_equal(whole, kept)
    frozen = out.copy()
    frozen.setflags(write=False)
    with pytest.raises(ar.ArgumentValueError, match=r"^out "):
        function(*tensors, out=frozen)
    assert len(checked) == len(tensors) + 1
    assert_bits(function(*tensors, out=out), expected)
    assert function(*[tensor.astype(np.float64) for tensor in tensors]).dtype == np.float64


def test_calls_that_alternate_are_found_in_the_table(checked: list[str]) -> None:
    for _ in range(3):
        for lambd in (0.25, 0.5):
            ar.hardshrink_backward(X, X, lambd)
            ar.hardshrink_backward(X, X, lambd, compute_dtype="float64")
    assert len(checked) == 2


def test_calls_that_are_never_cached(checked: list[str]) -> None:
    out = X.copy()
    for call_again in (
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
    monkeypatch.setattr(Kernel, "copies_first", lambda *_: False)
    for size in range(20, 30):
        for _ in range(2):
            ar.hardshrink_backward(*[np.zeros(size, np.float32)[::2]] * 2)
        assert len(call_cache._CACHED_CALLS) <= 3


BIG = 10**400


@pytest.mark.parametrize(
    ("scalar", "is_checked"),
    [
        (0.25, False),
        (1, False),
        (nan, False),
        (np.float32(0.25), False),
        (np.float64(0.25), False),
        (np.float16(0.25), False),
        (np.int64(1), False),
        (True, True),
        (BIG, True),
        (Fraction(1, 4), True),
        (np.array(0.25), True),
        (np.array(0.25, np.float32)[()], False),
        (ml_dtypes.bfloat16(0.25), True),
    ],
    ids=lambda value: f"{type(value).__name__}-{value!r}"[:24],
)
def test_which_scalars_a_cached_call_takes(
    scalar: Any, is_checked: bool, checked: list[str]
) -> None:
    ar.hardshrink_backward(X, X, 0.5)
    checked.clear()
    for _ in range(2):
        checked.clear()
        with np.errstate(over="ignore"):
            got = ar.hardshrink_backward(X, X, scalar)
        assert len(checked) == is_checked
        value = inf if scalar is BIG else float(scalar)
        assert_bits(got, np.where(abs(X) > value, X, np.float32(0)))


def test_choices_and_limits_in_a_cached_call(checked: list[str]) -> None:
    def call_it(reduction: Any, beta: Any) -> Any:
        return ar.smooth_l1_loss_backward(X, X, -X, reduction, beta)

    for reduction in ("none", "mean"):
        call_it(reduction, 0.5)
    assert len(checked) == 1
    assert_bits(call_it(1, 0.5), call_it("mean", 0.5))
    assert_bits(call_it(np.int64(0), 0.5), call_it("none", 0.5))
    assert_bits(call_it(2.0, 0.5), call_it("sum", 0.5))
    assert len(checked) == 1
    for reduction, beta, name in (
        ("max", 0.5, "reduction"),
        (3, 0.5, "reduction"),
        (True, 0.5, "reduction"),
        *[("mean", beta, "beta") for beta in (-0.5, nan, -inf, -1e-300, -1)],
    ):
        with pytest.raises(ar.ArgumentValueError, match=name):
            call_it(reduction, beta)


@pytest.mark.full
@pytest.mark.parametrize("operator", LOSSES)
def test_a_cached_loss_writes_one_element_of_rank_0(operator: str, checked: list[str]) -> None:
    tensors = [np.full((2, 3), 0.5, np.float32)] * 2
    function = getattr(ar, operator)
    for reduction in ("mean", "sum"):
        want = function(*tensors, reduction=reduction, out=np.empty((), np.float32))
        around = np.full(8, 77, np.float32)
        for shape in ((0,), (1,), (2,), (1, 1)):
            out = around[4 : 4 + prod(shape)].reshape(shape)
            with pytest.raises(ar.ArgumentValueError, match="out"):
                function(*tensors, reduction=reduction, out=out)
        assert (around == 77).all()
        before = len(checked)
        assert_bits(function(*tensors, reduction=reduction, out=around[4:5].reshape(())), want)
        assert len(checked) == before
        assert np.count_nonzero(around != 77) == 1


def test_scalars_that_select_another_formula_are_checked_once(checked: list[str]) -> None:
    for beta in (0.5, 0.75, 1.0, 2.0, 1.0, 0.5):
        got = ar.smooth_l1_loss_backward(X, X, -X, "none", beta)
        want = [ar.smooth_l1_loss_backward(x, x, -x, "none", beta) for x in X.reshape(3, 4)[:, ::1]]
        assert_bits(got, np.concatenate(want))
    assert len(checked) == 2  # with β = 1 and without
