"""Phase 1: the code of every fault of every argument, the order of checks, plans, workspaces."""

import math
from collections.abc import Callable
from itertools import combinations
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pytest

import ascendref as ar
from ascendref.declaration.fields import vendor_name
from ascendref.declaration.shapes import equal_shapes
from ascendref.twophase.phase_1 import plan_call

from ..operators.entries import ENTRIES
from ..support.cases import whole_shapes
from ..support.two_phase import WITH_FUNCTIONS, phase_1, plain, refusal

NULL, INVALID, MISSING = 161001, 161002, 561003
#: shape of the tensors of a good call
SHAPE = (2, 3, 4)


class Call(NamedTuple):
    """The arguments of a good call, by name, to be spoiled."""

    operator: str
    dev: Any
    arguments: dict[str, Any]

    def refusal(self, /, **spoilt: Any) -> tuple[int, str]:
        """Return how phase 1 refuses the call with some arguments replaced."""
        return refusal(phase_1, self.operator, **(self.arguments | spoilt))


def good_call(operator: str, product: str = "Atlas A2", shape: Any = SHAPE) -> Call:
    """Return a call that phase 1 accepts."""
    dev = ar.Device(product)
    declared = ar.OPERATORS[operator]
    given = plain(operator, ENTRIES[operator].scalars[0])
    scalars = dict(zip(scalar_names(operator), given, strict=True))
    inputs, first = whole_shapes(operator, shape)
    shapes = zip(declared.tensor_names, [*inputs, first, (3,)], strict=False)
    tensors = {name: dev.empty(size, "float32") for name, size in shapes}
    unused = {vendor_name(param.name): dev.empty(shape, "float32") for param in declared.unused}
    known = tensors | scalars | unused
    arguments = {name: known[name] for name in declared.arguments}
    return Call(operator, dev, arguments)


def scalar_names(operator: str) -> list[str]:
    """Return what the vendor calls the scalars of an operator."""
    return [param.vendor or vendor_name(param.name) for param in ar.OPERATORS[operator].scalars]


#: operator and name of a tensor
TENSORS = [(name, tensor) for name in WITH_FUNCTIONS for tensor in ar.OPERATORS[name].tensor_names]
RESULTS = [
    (operator, name)
    for operator, name in TENSORS
    if name in ar.OPERATORS[operator].tensor_names[len(ar.OPERATORS[operator].tensors) :]
]
SCALARS = [
    (name, scalar)
    for name in WITH_FUNCTIONS
    for scalar, param in zip(scalar_names(name), ar.OPERATORS[name].scalars, strict=True)
    if not param.is_text
]


def like(tensor: Any, **changes: Any) -> Any:
    """Return a tensor described as another one, but for some changes."""
    fields = ("memory", "shape", "dtype", "strides", "offset")
    return ar.Tensor(**({field: getattr(tensor, field) for field in fields} | changes))


def freed(dev: Any, tensor: Any) -> Any:
    """Return a tensor whose memory is gone."""
    other = dev.empty(tensor.shape, tensor.dtype)
    dev.free(other.memory)
    return other


#: what can be wrong with any tensor: name -> spoilt tensor, all 161002
TENSOR_FAULTS: dict[str, Callable[[Any, Any], Any]] = {
    "no tensor": lambda dev, t: np.zeros(SHAPE, np.float32),
    "memory for a tensor": lambda dev, t: t.memory,
    "uint16": lambda dev, t: dev.empty(t.shape, "uint16"),
    "complex64": lambda dev, t: dev.empty(t.shape, "complex64"),
    "string": lambda dev, t: ar.Tensor(t.memory, t.shape, "ACL_STRING"),
    "rank 9": lambda dev, t: dev.empty((1,) * 6 + SHAPE, t.dtype),
    "freed": freed,
    "past the end": lambda dev, t: like(t, offset=1),
    "before the beginning": lambda dev, t: like(t, offset=-1),
    "negative stride": lambda dev, t: like(t, strides=(-1,) * len(t.shape)),
    "no memory": lambda dev, t: like(t, memory=None),
    "memory of the host": lambda dev, t: like(t, memory=dev.malloc_host(1024)),
    "another device": lambda dev, t: ar.Device("Atlas A2").empty(t.shape, t.dtype),
    "negative size": lambda dev, t: like(t, shape=(-2, 3, 4), strides=None),
}


@pytest.mark.parametrize(("operator", "name"), TENSORS)
def test_faults_of_tensors(operator: str, name: str) -> None:
    for fault, spoil in TENSOR_FAULTS.items():
        call = good_call(operator)
        status, message = call.refusal(**{name: spoil(call.dev, call.arguments[name])})
        assert status == INVALID, fault
        # a device is the first tensor's; when that one is elsewhere, the others are the odd ones
        assert name in message or fault == "another device", fault


@pytest.mark.parametrize("operator", WITH_FUNCTIONS)
def test_every_argument_must_be_given(operator: str) -> None:
    call = good_call(operator)
    assert call.refusal() == (0, "")
    optional = ar.OPERATORS[operator].nullable
    for name in call.arguments:
        status, message = call.refusal(**{name: None})
        assert status == (0 if name in optional else NULL)
        assert message.startswith(f"{name} ") or name in optional


@pytest.mark.parametrize(("operator", "name"), TENSORS)
@pytest.mark.parametrize("product", ["Atlas training", "Atlas inference", "Atlas A2", "Atlas A3"])
def test_types_per_product(operator: str, name: str, product: str) -> None:
    """Every type that the table of a product does not list is refused by name."""
    family = ar.Product.find(product)
    params = ar.OPERATORS[operator].on(family)
    if params is None:
        return
    param = dict(zip(ar.OPERATORS[operator].tensor_names, params, strict=True))[name]
    taken = {kind.name for kind in param.types}
    f32_f16 = {"float32", "float16"}
    integers = {"int8", "int16", "int32", "int64", "uint8", "bool"}
    bf16 = {"bfloat16"} if product in ("Atlas A2", "Atlas A3") else set()
    f64 = {"float64"} if product in ENTRIES[operator].float64 else set()
    others = integers if (operator, name) == ("softplus_backward", "self") else set()
    assert taken == f32_f16 | bf16 | f64 | others | set(ENTRIES[operator].integers)
    call = good_call(operator, product)
    for kind in {"float32", "float16", "bfloat16", "float64", *integers} - taken:
        tensor = call.dev.empty(call.arguments[name].shape, kind)
        status, message = call.refusal(**{name: tensor})
        assert status == INVALID
        assert f"{name} has type {kind}; allowed are" in message


@pytest.mark.parametrize("operator", ["prelu_backward", "logit_grad"])
def test_tensors_of_one_type(operator: str) -> None:
    call = good_call(operator)
    for name, value in call.arguments.items():
        if isinstance(value, ar.Tensor):
            status, message = call.refusal(**{name: call.dev.empty(value.shape, "float16")})
            assert status == INVALID
            assert "has type float" in message


@pytest.mark.parametrize("product", [product.name for product in ar.PRODUCTS])
@pytest.mark.parametrize("operator", WITH_FUNCTIONS)
def test_operators_per_product(operator: str, product: str) -> None:
    status, message = good_call(operator, product).refusal()
    if product in ENTRIES[operator].products:
        assert status == 0
    else:
        assert status == MISSING
        assert ar.OPERATORS[operator].api in message
        assert product in message


@pytest.mark.parametrize(("operator", "name"), SCALARS)
def test_faults_of_scalars(operator: str, name: str) -> None:
    call = good_call(operator)
    for value in ("0.5", 1j, ar.Scalar(1, "complex64"), np.zeros(2), [1.0], call.arguments):
        status, message = call.refusal(**{name: value})
        assert status == INVALID
        assert name in message
    declared, results = ar.OPERATORS[operator], {}
    if name == "reduction" and declared.reduction is not None:
        results = {declared.tensor_names[-1]: call.dev.empty((), "float32")}  # 1 is the mean
    good: tuple[Any, ...] = (1, True, 1.0, np.float16(1), np.int8(1), ar.Scalar(1, "int64"))
    if name == "dim":  # the last axis
        good = (2, -1, 2.0, np.float16(-1), np.int8(2), ar.Scalar(-1, "int64"))
        for value in (3, -4, 0.5, float("nan"), float("inf"), 2**70):
            status, message = call.refusal(dim=value)
            assert (status, message.startswith("dim is")) == (INVALID, True)
    for value in good:
        assert call.refusal(**{name: value}, **results)[0] == 0


INF, NAN = math.inf, math.nan
LAMBDAS = (-0.5, -1e-300, -INF, NAN, ar.Scalar(-1, "float16")), (0.0, -0.0, INF)
NO_FORMS = ("tan", "Tanh", "", b"\xff", 1, 0.0, True, np.zeros(2), ar.Scalar(1, "int64"))


@pytest.mark.parametrize(
    ("operator", "name", "refused", "taken", "text"),
    [
        ("softshrink", "lambd", *LAMBDAS, "lambd"),
        ("softshrink_backward", "lambd", *LAMBDAS, "lambd"),
        ("gelu_backward", "approximate", NO_FORMS, ("none", "tanh", b"none"), "'none', 'tanh'"),
        ("smooth_l1_loss_backward", "reduction", (3, -1, 0.5, "mean", NAN, 2**70), (), "reduction"),
        ("smooth_l1_loss_backward", "beta", (-1.0, *LAMBDAS[0][1::2]), (0.0, INF), "beta"),
        ("smooth_l1_loss_backward", "beta", LAMBDAS[0][4:], (), "beta"),
    ],
)
def test_values_of_scalars(operator: str, name: str, refused: Any, taken: Any, text: str) -> None:
    call = good_call(operator)
    for value in refused:
        status, message = call.refusal(**{name: value})
        assert status == INVALID
        assert name in message
        assert text in message
    for value in taken:
        assert call.refusal(**{name: value})[0] == 0


@pytest.mark.parametrize(("operator", "name"), TENSORS)
def test_shapes_that_do_not_fit(operator: str, name: str) -> None:
    call, declared = good_call(operator), ar.OPERATORS[operator]
    results = declared.tensor_names[len(declared.tensors) :]
    shapes = [(2, 3, 5), (7,), (2, 0, 4), (2, 2, 3, 4)]
    if declared.shapes is equal_shapes:
        shapes.append((4,))  # no broadcasting
    for shape in shapes:
        tensor = call.dev.empty(shape, "float32")
        if declared.device.empty_first and 0 in shape and name not in results:
            continue  # decided before shapes are compared
        status, message = call.refusal(**{name: tensor})
        assert status == INVALID, shape
        assert "shape" in message or "elements" in message


def test_weights_of_prelu() -> None:
    call = good_call("prelu_backward")
    empty = call.dev.empty
    for weight, sums in (((), ()), ((1, 1), (1, 1)), ((3,), (3,)), ((1, 3, 1, 1), (3,))):
        tensors = {"weight": empty(weight, "float32"), "gradWeight": empty(sums, "float32")}
        assert call.refusal(**tensors)[0] == 0
    for weight, sums in (((2,), (2,)), ((1, 3, 1, 1), (1, 3, 1, 1)), ((1,), ()), ((0,), (0,))):
        tensors = {"weight": empty(weight, "float32"), "gradWeight": empty(sums, "float32")}
        assert call.refusal(**tensors)[0] == INVALID
    one_axis = {name: empty((3,), "float32") for name in ("gradOutput", "self", "gradInput")}
    status, message = call.refusal(**one_axis)
    assert status == INVALID  # rank 1 has one channel
    assert "weight" in message


@pytest.mark.parametrize(("operator", "name"), RESULTS)
def test_results_must_own_their_elements(operator: str, name: str) -> None:
    call = good_call(operator)
    result = call.arguments[name]
    status, message = call.refusal(**{name: like(result, strides=(0,) * len(result.shape))})
    assert status == INVALID
    assert "one address" in message


@pytest.mark.parametrize("operator", WITH_FUNCTIONS)
def test_overlaps(operator: str) -> None:
    call = good_call(operator)
    declared = ar.OPERATORS[operator]
    names, inputs = declared.tensor_names, len(declared.tensors)
    out = names[inputs]
    shape = call.arguments[out].shape
    size = prod(shape)
    memory = call.dev.malloc(4 * 2 * size + 64)
    for name, param in list(zip(names, declared.tensors, strict=False))[:2]:
        here = ar.Tensor(memory, call.arguments[name].shape, "float32")
        shifted = ar.Tensor(memory, shape, "float32", None, 2)
        status, message = call.refusal(**{name: here, out: shifted})
        assert status == INVALID
        assert f"{out} overlaps {name}" in message
        if param.view is not declared.result_view:
            continue  # the result has another shape
        assert call.refusal(**{name: here, out: here})[0] == 0
        again = ar.Tensor(memory, shape, "float32")
        assert call.refusal(**{name: here, out: again})[0] == 0  # the same view, described twice
        apart = ar.Tensor(memory, shape, "float32", None, size)
        assert call.refusal(**{name: here, out: apart})[0] == 0
        # columns that take turns share no element
        strides = (6 * shape[2], 2 * shape[2], 2)
        even, odd = (ar.Tensor(memory, shape, "float32", strides, k) for k in (0, 1))
        assert call.refusal(**{name: even, out: odd})[0] == 0


def test_results_of_prelu_must_be_apart() -> None:
    call = good_call("prelu_backward")
    part = like(call.arguments["gradInput"], shape=(3,), strides=None)
    status, message = call.refusal(gradWeight=part)
    assert status == INVALID
    assert "gradWeight overlaps gradInput" in message


def test_the_first_fault_in_the_vendors_order_decides() -> None:
    """Null, product, types, ranks, attributes, shapes: with two faults the earlier one counts."""
    dev = ar.Device("Atlas A2")
    elsewhere = ar.Device("Atlas 200I/500 A2")
    tensor, wide = dev.empty((2, 3), "float32"), dev.empty((1,) * 9, "float32")
    good = dict.fromkeys(("gradOut", "self", "target"), tensor)
    good |= {"reduction": 1, "beta": 1.0, "gradInput": dev.empty((2, 3), "float32")}
    other = elsewhere.empty((2, 3), "float32")
    faults: list[tuple[dict[str, Any], int, str]] = [
        ({"target": None}, NULL, "target"),
        ({"gradOut": other}, MISSING, "aclnnSmoothL1LossBackward"),
        ({"gradInput": dev.empty((2, 3), "int32")}, INVALID, "gradInput has type"),
        ({"self": wide}, INVALID, "self has rank 9"),
        ({"reduction": 7}, INVALID, "reduction"),
        ({"beta": -1.0}, INVALID, "beta"),
        ({"gradInput": dev.empty((2, 4), "float32")}, INVALID, "gradInput has shape"),
    ]
    assert refusal(phase_1, "smooth_l1_loss_backward", **good)[0] == 0
    for fault, status, text in faults:
        found = refusal(phase_1, "smooth_l1_loss_backward", **good | fault)
        assert found[0] == status
        assert text in found[1]
    for (first, status, text), (second, *_) in combinations(faults, 2):
        if first.keys() & second.keys():
            continue
        found = refusal(phase_1, "smooth_l1_loss_backward", **good | second | first)
        assert found[0] == status
        assert text in found[1]


def test_tensors_without_any_memory_tell_no_device() -> None:
    empty = ar.Tensor(None, (0,), "float32")
    assert refusal(phase_1, "hardshrink_backward", empty, empty, 0.5, empty)[0] == 107002
    some = ar.Device("Atlas A2").empty(0, "float32")
    assert refusal(phase_1, "hardshrink_backward", empty, empty, 0.5, some)[0] == 0


def test_refusals_write_nothing_and_are_the_threads_last_message() -> None:
    call = good_call("logit_grad")
    free = call.dev.memory_free
    out = call.arguments["out"]
    call.dev.memset(out.memory, 0xFF)
    before = out.numpy().tobytes()
    ar.recent_error_message()
    assert call.refusal(dy=None)[0] == NULL
    assert "EZ1001" in str(ar.recent_error_message())
    assert out.numpy().tobytes() == before
    assert call.dev.memory_free == free


def test_phase_1_touches_no_data() -> None:
    """A tensor of 32 GiB costs nothing to plan with."""
    dev = ar.Device("Atlas A2")
    big = dev.empty(2**33, "float32")
    assert phase_1("hardshrink_backward", big, big, 0.5, big)[0] == 0


def test_equal_calls_share_a_plan() -> None:
    call = good_call("softplus_backward")
    again = good_call("softplus_backward")
    operator = ar.OPERATORS["softplus_backward"]

    def plan(call: Call, **changes: Any) -> Any:
        return plan_call(operator, tuple((call.arguments | changes).values()))[0]

    first = plan(call)
    assert plan(again) is first
    assert plan(call, beta=ar.Scalar(1.0, "float32")) is first
    out = call.arguments["gradInput"]
    assert plan(call, beta=2.0) is not first
    assert plan(call, gradInput=call.dev.empty(SHAPE, "float16")) is not first
    assert plan(call, gradInput=like(out, strides=(12, 1, 3))) is not first
    assert plan(call, gradInput=call.arguments["self"]) is not first
    with pytest.raises(AttributeError):
        first.workspace = 0


def kernels(operator: str, *arguments: Any) -> list[str]:
    """Return what the device launches for a call."""
    return [step.kernel for step in phase_1(operator, *arguments)[1].steps]


def test_workspaces() -> None:
    """Every intermediate takes ``(bytes + 32 + 511) & ~511``; those that never meet share."""
    dev = ar.Device("Atlas A2")
    f32, other = dev.empty(1000, "float32"), dev.empty(1000, "float32")
    f16 = dev.empty(1000, "float16")
    strided = ar.Tensor(dev.malloc(8000), (1000,), "float32", (2,))
    half, full = 2048, 4096  # 2000 + 32 and 4000 + 32 bytes, in steps of 512

    def size(*arguments: Any) -> int:
        found: int = phase_1("hardshrink_backward", *arguments)[0]
        return found

    assert size(f32, f32, 0.5, other) == 0
    assert size(strided, f32, 0.5, other) == full
    assert size(strided, strided, 0.5, other) == 2 * full
    assert size(f16, f32, 0.5, other) == full
    assert size(f16, f16, 0.5, other) == half
    assert size(f32, f32, 0.5, f16) == full
    assert kernels("hardshrink_backward", f16, f16, 0.5, other) == ["HardShrinkGrad", "Cast"]
    # a strided input of another type: the copy in C order is gone when the result is made
    strided_f16 = ar.Tensor(dev.malloc(4000), (1000,), "float16", (2,))
    assert size(strided_f16, f32, 0.5, other) == half + full
    assert size(strided_f16, f32, 0.5, strided) == full + full
    steps = kernels("hardshrink_backward", strided_f16, f32, 0.5, strided)
    assert steps == ["Contiguous", "Cast", "HardShrinkGrad", "ViewCopy"]
    # axes of size 1 and single elements are contiguous whatever their strides
    one = ar.Tensor(dev.malloc(4), (1, 1), "float32", (7, 9))
    assert size(one, one, 0.5, dev.empty((1, 1), "float32")) == 0
    steps = kernels("hardshrink_backward", one, f32, 0.5, dev.empty((1, 1000), "float32"))
    assert steps == ["BroadcastTo", "BroadcastTo", "HardShrinkGrad"]


def test_workspaces_of_a_generated_operator() -> None:
    dev = ar.Device("Atlas A2")
    x, out = dev.empty(1000, "float32"), dev.empty(1000, "float32")
    strided = ar.Tensor(dev.malloc(8000), (1000,), "float32", (2,))
    empty = dev.empty(0, "float32")
    base = 16777216
    assert phase_1("logit_grad", x, x, -1.0, out)[0] == base
    assert phase_1("logit_grad", strided, x, -1.0, out)[0] == base + 4096
    assert phase_1("logit_grad", strided, strided, -1.0, out)[0] == base + 2 * 4096
    assert phase_1("logit_grad", x, x, -1.0, strided)[0] == base
    assert phase_1("logit_grad", empty, empty, -1.0, empty)[0] == 0


@pytest.mark.full
@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32"])
def test_workspaces_of_prelu_hold_its_terms_and_its_sums(kind: str) -> None:
    dev = ar.Device("Atlas A2")
    x, weight = dev.empty((4, 300, 5), kind), dev.empty(300, kind)
    size, executor = phase_1(
        "prelu_backward", x, x, weight, dev.empty(x.shape, kind), dev.empty(300, kind)
    )
    terms = (6000 * x.dtype.itemsize + 543) // 512 * 512
    sums = (1200 + 543) // 512 * 512
    assert size == terms + (0 if kind == "float32" else sums)
    assert [step.kernel for step in executor.steps][:2] == ["PReluGradUpdate", "PReluGradReduce"]
