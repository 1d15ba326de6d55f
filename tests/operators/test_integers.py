"""Results of integer type: exact in integers, or truncated."""

from collections.abc import Callable
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.core.dtypes import ELEMENT_TYPES, FLOATS
from ascendref.core.status import Status
from ascendref.declaration.fields import A2_A3, OnDevice, TensorParam
from ascendref.declaration.operator import Operator
from ascendref.functional import array_call
from ascendref.kernels.arithmetic import Formula, exp, select, sign

from ..support.correctness import truncated
from ..support.rounding import array_of, assert_bits, nearest
from ..support.two_phase import phase_1, queue, refusal

BYTES = ("int8", "uint8")
NARROW = {
    kind: np.arange(np.iinfo(kind).min, np.iinfo(kind).max + 1).astype(kind) for kind in BYTES
}
#: thresholds and values: fractions, numbers beyond the types, NaN
SCALARS = (0, 1, -1, 0.9, -0.9, 5.5, -5.5, 127, 128, -129, 255.9, 256, 1e30, -1e30, inf, -inf, nan)


def wrapped(value: int, kind: str) -> int:
    """Return an integer modulo the range of a type."""
    limits = np.iinfo(kind)
    return (value - int(limits.min)) % (int(limits.max) - int(limits.min) + 1) + int(limits.min)


def test_relu_of_every_byte() -> None:
    assert ar.relu(NARROW["int8"]).tolist() == [max(x, 0) for x in range(-128, 128)]


@pytest.mark.parametrize("kind", BYTES)
def test_threshold_of_every_byte_and_scalar(kind: str) -> None:
    x = NARROW[kind]
    for limit in SCALARS:
        for value in SCALARS:
            low, other = truncated(limit, kind), truncated(value, kind)
            want = [element if element > low else other for element in x.tolist()]
            assert ar.threshold(x, limit, value).tolist() == want, (limit, value)


@pytest.mark.full
@pytest.mark.parametrize("kind", BYTES)
def test_the_gradient_of_every_pair_of_bytes(kind: str) -> None:
    x = NARROW[kind]
    for limit in SCALARS:
        got = ar.threshold_backward(x, x[:, None], limit)
        assert got.dtype == kind
        passes = [element > truncated(limit, kind) for element in x.tolist()]
        assert got.tolist() == [x.tolist() if p else [0] * 256 for p in passes]


@pytest.mark.parametrize("kind", ["int16", "int32", "int64"])
def test_extremes(kind: str) -> None:
    low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    numbers = [low, low + 1, -1, 0, 1, high // 2 + 1, high - 1, high]
    x = np.array(numbers, kind)
    for limit in (low, low + 1, 0, high - 1, high, 2.0**70, -(2.0**70)):
        at = min(max(int(float(limit)), low), high)  # scalars are doubles
        want = [number if number > at else -5 for number in numbers]
        assert ar.threshold(x, limit, -5).tolist() == want
        assert ar.threshold(x[::-1], limit, -5).tolist() == want[::-1]
    if kind != "int16":
        assert ar.relu(x).tolist() == [max(number, 0) for number in numbers]


@pytest.mark.full
def test_other_compute_types_round_the_data() -> None:
    x = np.array([2**24 + 1, -7, 2**31 - 1], np.int32)
    assert (
        ar.relu(x).tolist()
        == ar.relu(x, compute_dtype="exact").tolist()
        == [2**24 + 1, 0, 2**31 - 1]
    )
    assert ar.relu(x, compute_dtype="float32").tolist() == [2**24, 0, 2**31 - 1]
    assert ar.relu(x, compute_dtype="float64").tolist() == x.clip(0).tolist()
    assert ar.relu(x, compute_dtype="bfloat16").tolist() == [2**24, 0, 2**31 - 1]
    assert ar.relu(x, compute_dtype="float16").tolist() == [2**31 - 1, 0, 2**31 - 1]


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    "out", ["int8", "uint8", "int32", "int64", *[kind.name for kind in FLOATS]]
)
@pytest.mark.parametrize("kind", ["uint8", "int8", "int32", "int64"])
@pytest.mark.parametrize("step", [1, -2])
def test_results_are_cast_once_to_the_type_of_out(kind: str, out: str, step: int) -> None:
    limits = np.iinfo(kind)
    rng = np.random.default_rng(3)
    # ties of the floats, with and without something below
    odd = [257, 2049, 2**24 + 1, 2**24 + 2**16 + 1, 2**53 + 1, 2**54 + 2**46 + 1, 2**62 + 2**54 + 1]
    some = rng.integers(limits.min, limits.max, 400, dtype=kind, endpoint=True).tolist()
    numbers = [n for k in odd for n in (k, -k) if limits.min <= n <= limits.max] + some
    x = np.array(numbers, kind)[::step]
    result = np.empty(x.shape, ELEMENT_TYPES[out].numpy)
    assert ar.threshold(x, limits.min, int(limits.min), out=result) is result
    if ELEMENT_TYPES[out].floating:
        want = np.array([nearest(number, 0, out) for number in x.tolist()])
        assert_bits(result, array_of(out, want))
    else:
        assert result.tolist() == [wrapped(number, out) for number in x.tolist()]


def test_a_float_is_cast_to_no_integer() -> None:
    x, out = np.ones(3, np.float32), np.zeros(3, np.int32)
    with pytest.raises(ar.ArgumentTypeError, match=r"^out has type int32; allowed are float16"):
        ar.threshold(x, 0, 0, out=out)
    with pytest.raises(ar.ArgumentTypeError, match=r"^out has type int8; int32 is expected"):
        ar.relu(out, out=np.zeros(3, np.int8))
    with pytest.raises(ar.ArgumentTypeError, match=r"^self has type uint8"):
        ar.relu(np.zeros(3, np.uint8))
    with pytest.raises(ar.ArgumentTypeError, match="takes tensors of one type"):
        ar.threshold_backward(x, out, 0)


@pytest.mark.parametrize("compute", [None, "exact", "float32"])
def test_dask_and_torch(compute: str | None) -> None:
    x = np.arange(-50, 50, dtype=np.int64).reshape(4, 25)
    want = ar.relu(x, compute_dtype=compute)
    da = pytest.importorskip("dask.array")
    lazy = ar.relu(da.from_array(x, chunks=(2, 9)), compute_dtype=compute)
    assert lazy.dtype == x.dtype
    assert lazy.compute().tolist() == want.tolist()
    torch = pytest.importorskip("torch")
    for _ in range(3):  # the second call is cached
        got = ar.relu(torch.from_numpy(x), compute_dtype=compute)
        assert got.dtype == torch.int64
        assert got.tolist() == want.tolist()


def test_integers_on_the_device() -> None:
    dev = ar.Device("Atlas A2")
    x = np.array([2**62 + 2**54 + 1, 5, -3], np.int64)
    tensor = dev.tensor(x)
    for out in ("int64", "int8", "bfloat16"):
        result = dev.empty(3, ELEMENT_TYPES[out].numpy)
        queue(dev, "threshold", tensor, 4, 9, result)
        dev.synchronize()
        want = ar.threshold(x, 4, 9, out=np.empty(3, result.dtype))
        assert result.numpy().tobytes() == want.tobytes()
    queue(dev, "relu", tensor, tensor)  # in place
    dev.synchronize()
    assert tensor.numpy().tolist() == [2**62 + 2**54 + 1, 5, 0]


def test_types_that_the_device_refuses() -> None:
    dev = ar.Device("Atlas A2")
    made = {kind: dev.empty(3, kind) for kind in ("float32", "int16", "int64", "uint8")}
    for call, why in (
        (lambda: phase_1("threshold", made["float32"], 0, 0, made["int64"]), "promoted type is"),
        (lambda: phase_1("relu", made["int16"], made["int16"]), "has type int16"),
        (lambda: phase_1("relu", made["int64"], made["float32"]), "tensors of one type"),
        (lambda: phase_1("threshold_backward", *[made["int64"]] * 2, 0, made["int64"]), "int64"),
    ):
        code, message = refusal(call)
        assert code == Status.ACLNN_ERR_PARAM_INVALID
        assert why in message


# --- operators that are declared here -------------------------------------------------------------


def declared(formula: Callable[..., Any], integers: Any, count: int = 1) -> Operator:
    """Return an operator of integers."""
    types = tuple([kind for kind in ELEMENT_TYPES.values() if kind.name != "bool"])
    names = formula.__code__.co_varnames[:count]
    return Operator(
        name=formula.__name__,
        api=f"aclnn{formula.__name__}",
        latex="",
        formula=Formula.of(formula),
        device=OnDevice(A2_A3, ("Kernel",)),
        tensors=tuple([TensorParam(name, types) for name in names]),
        same_type=True,
        integers=integers,
    )


def polynomial(a: Any, b: Any) -> Any:
    """Use every operation."""
    chosen = select((a < b) & ~(a == 3) | (b >= 100), 7 - abs(a), -b)
    return a * b - sign(a) * 2 + chosen * select(a > b, 1, Fraction(-2))


def in_python(a: int, b: int) -> int:
    chosen = 7 - abs(a) if (a < b and a != 3) or b >= 100 else -b
    return a * b - ((a > 0) - (a < 0)) * 2 + chosen * (1 if a > b else -2)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "int64"])
def test_operations_of_integers_wrap(kind: str) -> None:
    operator = declared(polynomial, "exact", 2)
    limits, rng = np.iinfo(kind), np.random.default_rng(5)
    a, b = (rng.integers(limits.min, limits.max, 500, dtype=kind, endpoint=True) for _ in range(2))
    a[:4], b[:4] = [limits.min, limits.max, 0, 3], [limits.min, limits.max, 1, 4]
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    want = [wrapped(in_python(*pair), kind) for pair in pairs]
    assert array_call(operator, (a, b), (), None, None).tolist() == want
    assert array_call(operator, (a[::-1], b[::-1]), (), None, "exact").tolist() == want[::-1]


def halved(a: Any) -> Any:
    return a / 2


def exponential(a: Any) -> Any:
    return exp(a)


def with_half(a: Any) -> Any:
    return a + 0.5


@pytest.mark.parametrize(
    ("formula", "why"),
    [(halved, "division"), (exponential, "exp"), (with_half, "0.5, which is not an integer")],
)
def test_what_integers_lack_is_named(formula: Any, why: str) -> None:
    with pytest.raises(TypeError, match=why):
        array_call(declared(formula, "exact"), (np.ones(3, np.int8),), (), None, None)


def hard_sigmoid(a: Any) -> Any:
    """Scaled, so that there is something to truncate."""
    value = a / 6.0 + 0.5
    return 100.0 * select(value < 0.0, 0.0, select(value > 1.0, 1.0, value))


def wild(a: Any) -> Any:
    """NaN at 0, beyond the type elsewhere."""
    return a * (1.0 / abs(a)) * 1e30


@pytest.mark.daily(2)
@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "int64"])
@pytest.mark.parametrize("compute", [None, "float32", "float64"])
def test_truncation(kind: str, compute: str | None) -> None:
    x = np.array([-4, -3, -2, -1, 0, 1, 2, 3, 4]).clip(np.iinfo(kind).min).astype(kind)
    got = array_call(declared(hard_sigmoid, "truncated"), (x,), (), None, compute)
    assert got.dtype == kind
    assert got.tolist() == [
        int(100 * min(max(Fraction(n, 6) + Fraction(1, 2), 0), 1)) for n in x.tolist()
    ]
    got = array_call(declared(wild, "truncated"), (x[::-1],), (), None, compute)
    limits = np.iinfo(kind)
    assert got.tolist() == [
        limits.max if n > 0 else limits.min if n else 0 for n in x[::-1].tolist()
    ]


def test_truncated_results_are_not_exact() -> None:
    operator = declared(hard_sigmoid, "truncated")
    with pytest.raises(
        ar.ArgumentValueError, match=r"^compute_dtype is 'exact'; results of integer"
    ):
        array_call(operator, (np.ones(3, np.int32),), (), None, "exact")
    floats = array_call(operator, (np.ones(3, np.float32),), (), None, "exact")
    assert floats.tolist() == [np.float32(200 / 3)] * 3
