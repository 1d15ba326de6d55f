"""Scalars of every type, for all operators."""

from collections.abc import Callable
from decimal import Decimal
from math import inf
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar
from ascendref.functional.call_cache import CachedCall

from ..support.rounding import array_of, assert_bits

pytestmark = pytest.mark.tiny

ONE_AND_A_HALF: list[Any] = [
    1.5, np.float64(1.5), np.float32(1.5), np.float16(1.5), ml_dtypes.bfloat16(1.5),
    np.array(1.5), np.array(1.5, np.float16), np.array(1.5, ml_dtypes.bfloat16),
]  # fmt: skip
TWO: list[Any] = [
    2, np.int8(2), np.uint8(2), np.int16(2), np.int32(2), np.int64(2), np.uint64(2), np.array(2),
    np.array(2, np.int8),
]  # fmt: skip
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
    ["1", None, 0.5 + 0j, Decimal("0.5"), np.timedelta64(1, "ns"), [0.5], np.array([0.5]), b"1",
     np.complex64(0.5), object()],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
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


@pytest.mark.parametrize("name", [name for name, op in ar.OPERATORS.items() if op.breaks])
def test_scalars_between_breaks_are_alike(name: str) -> None:
    operator = ar.OPERATORS[name]
    variant, check = operator.formula.variant, operator.check_scalars

    def form(values: tuple[float, ...]) -> object:
        try:
            if check:
                check(*values)
        except ar.ArgumentValueError:
            return "refused"
        kinds = [("float32", "float32"), ("float32", "bfloat16"), ("float64", "float64")]
        return variant and [variant(*kind, *values) for kind in kinds]

    for place, param in enumerate(operator.scalars):
        for value in (-inf, -1.5, -(2.0**-150), -(2.0**-151), 0.0, 0.5, 0.99, 1.0 - 2.0**-25, 1.0):
            ends = operator.range_of(param, value)
            for others in ((1.0,) * len(operator.scalars), (0.0,) * len(operator.scalars)):
                forms = [
                    form((*others[:place], number, *others[place + 1 :]))
                    for number in (value, *(ends or ()))
                    if (number in (0, 1) or not param.is_flag) and abs(number) < inf
                ]
                assert all(found == forms[0] for found in forms), (param.name, value)


def test_a_new_scalar_is_read_by_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.linspace(-3, 3, 9, dtype=np.float32)
    want = [ar.leaky_relu_backward(x, x, float(k), False) for k in range(4)]
    ar.leaky_relu_backward(x, x, 0.5, False)
    monkeypatch.setattr(CachedCall, "find", lambda *_: pytest.fail("looked up"))
    for k, result in enumerate(want):
        for number in (k, float(k), np.float32(k), np.float64(k), np.int64(k)):
            assert_bits(ar.leaky_relu_backward(x, x, number, False), result)
    monkeypatch.undo()
    for number in (2**30, 2**31, -(2**30), -(2**31)):
        assert_bits(
            ar.leaky_relu_backward(x, x, number, False),
            ar.leaky_relu_backward(x, x, float(number), False),
        )
    with pytest.raises(ar.ArgumentValueError, match="negative_slope"):
        ar.leaky_relu_backward(x, x, -1.0, True)


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
