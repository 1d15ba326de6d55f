"""The two-phase API: every row of the table of cases through both phases."""

import inspect
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar
from ascendref import aclnn
from ascendref.core.dtypes import ELEMENT_TYPES, promote
from ascendref.declaration.operator import APIS

from ..support.calls import call
from ..support.cases import CASES, HALVED, LAUNCHED, SCALARS, Case, build, whole_shapes
from ..support.operands import rare
from ..support.rounding import FORMATS, assert_bits, assert_same_bits
from ..support.two_phase import (
    WITH_FUNCTIONS,
    from_device,
    launch,
    phase_1,
    phase_2,
    place,
    plain,
    queue,
    refusal,
)

A2 = ar.Product.find("Atlas A2")


def result_type(case: Case) -> str:
    """Return the type of the results of a row."""
    return case.out or promote(*[ELEMENT_TYPES[kind] for kind in case.types]).name


def on_device(case: Case) -> bool:
    """Tell whether a row of the table is one for the device, which computes in F32."""
    declared = ar.OPERATORS[case.operator]
    if case.operator not in WITH_FUNCTIONS:
        return False
    params = declared.on(A2)
    assert params is not None
    out = result_type(case)
    kinds = [*case.types, *[out] * len(declared.outputs)]
    # tensors lie at whole elements
    return (
        case.compute is None
        and "unaligned" not in case.layout
        and not ("rank 0" in case.layout and declared.device.least_rank)
        and (declared.device.types == "cast" or out == result_type(case._replace(out=None)))
        and all(
            kind in [allowed.name for allowed in param.types]
            for param, kind in zip(params, kinds, strict=True)
        )
    )


ROWS = [case for case in CASES if on_device(case)]


def tensors_of(
    dev: Any, case: Case, scalars: tuple[Any, ...]
) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the arrays of a row, its inputs on the device, and its results there."""
    arrays, out = build(case)
    inputs = [place(dev, array) for array in arrays]
    if out is None:
        results = call(case.operator, *arrays, *scalars)
        results = results if isinstance(results, tuple) else (results,)
        kind = ELEMENT_TYPES[result_type(case)].numpy
        return arrays, inputs, [dev.empty(result.shape, kind) for result in results]
    given = out if isinstance(out, tuple) else (out,)
    results = []
    for array in given:
        same = [k for k, other in enumerate(arrays) if other is array]
        results.append(inputs[same[0]] if same else place(dev, array))
    return arrays, inputs, results


@pytest.mark.parametrize(
    "case",
    [rare(x) if x.types[0] == "float32" else pytest.param(x, marks=pytest.mark.full) for x in ROWS],
    ids=str,
)
def test_the_vendors_flow_gives_the_bits_of_the_array_function(case: Case) -> None:
    dev = ar.Device(A2)
    stream = dev.create_stream()
    for number, scalars in enumerate(SCALARS[case.operator]):
        arrays, inputs, results = tensors_of(dev, case, scalars)
        known = plain(case.operator, scalars)
        want = from_device(case.operator, arrays, known, [t.dtype for t in results])
        given = [ar.Scalar(v, "float64") if number % 2 and not isinstance(v, str) else v
                 for v in known]  # fmt: skip
        size, executor = phase_1(case.operator, *inputs, *given, *results)
        workspace = dev.malloc(size) if size else None
        phase_2(case.operator, workspace, size, executor, stream)
        stream.synchronize()
        if want[0].size == 0:
            continue  # nothing is written then
        assert_same_bits([tensor.numpy() for tensor in results], want)


@pytest.mark.parametrize("operator", WITH_FUNCTIONS)
def test_the_table_has_rows_for_every_type_that_a_device_takes(operator: str) -> None:
    params = ar.OPERATORS[operator].on(A2)
    assert params is not None
    rows = [case for case in ROWS if case.operator == operator]
    for position, param in enumerate(params[: len(ar.OPERATORS[operator].tensors)]):
        assert {case.types[position] for case in rows} == {kind.name for kind in param.types}
    layouts = {"crossed", "sliced", "stride 0", "empty", "out transposed"}
    if operator not in HALVED:
        layouts.add("in place 0")
    assert layouts <= {case.layout for case in rows}


@pytest.mark.parametrize("execution", ["eager", "lazy", "random"])
@pytest.mark.parametrize("operator", LAUNCHED)
def test_every_way_of_execution_gives_the_same_bits(operator: str, execution: str) -> None:
    case = Case(operator, ("float32",) * len(ar.OPERATORS[operator].tensors), "swapped")
    dev = ar.Device(A2, execution=execution, seed=3)
    scalars = plain(operator, SCALARS[operator][0])
    arrays, inputs, results = tensors_of(dev, case, scalars)
    queue(dev, operator, *inputs, *scalars, *results)
    dev.synchronize()
    want = from_device(operator, arrays, scalars, [t.dtype for t in results])
    assert_same_bits([tensor.numpy() for tensor in results], want)


def test_names_signatures_and_keywords() -> None:
    parameters = {
        "aclnnLogit": "input eps out",
        "aclnnHardshrinkBackward": "gradOutput self lambd gradInput",
        "aclnnSoftplusBackward": "gradOutput self beta threshold gradInput",
        "aclnnPreluBackward": "gradOutput self weight gradInput gradWeight",
        "aclnnSmoothL1LossBackward": "gradOut self target reduction beta gradInput",
        "aclnnLogitGrad": "x dy eps out",
        "aclnnElu": "self alpha scale inputScale out",
        "aclnnInplaceElu": "selfRef alpha scale inputScale",
        "aclnnEluBackward": ("gradOutput alpha scale inputScale isResult selfOrResult gradInput"),
        "aclnnInplaceCelu": "selfRef alpha",
        "aclnnInplaceLeakyRelu": "selfRef negativeSlope",
        "aclnnLeakyReluBackward": ("gradOutput self negativeSlope selfIsResult gradInput"),
        "aclnnInplaceSelu": "selfRef",
        "aclnnSeluBackward": "gradOutput result gradInput",
        "aclnnInplaceHardswish": "self",
        "aclnnInplaceHardsigmoid": "self",
        "aclnnHardswishBackward": "gradOutput self out",
        "aclnnHardswishBackwardV2": "gradOutput self out",
        "aclnnHardsigmoidBackward": "gradOutput self out",
    }
    named = {f"{api}GetWorkspaceSize": known for api, known in parameters.items()}
    named |= dict.fromkeys(APIS, "workspace workspaceSize executor stream")
    for name, known in named.items():
        assert " ".join(inspect.signature(getattr(aclnn, name)).parameters) == known
    both = [name for api in APIS for name in (api, f"{api}GetWorkspaceSize")]
    assert sorted(aclnn.__all__) == sorted(both)
    assert all(getattr(aclnn, name).__name__ == name for name in both)
    dev = ar.Device(A2)
    x, out = dev.tensor(np.float32([0.25])), dev.empty(1, "float32")
    size, executor = aclnn.aclnnLogitGradGetWorkspaceSize(out=out, eps=-1.0, dy=x, x=x)
    aclnn.aclnnLogitGrad(
        stream=None, executor=executor, workspaceSize=size, workspace=dev.malloc(size)
    )
    dev.synchronize()
    assert out.numpy() == np.float32(0.25) / np.float32(0.1875)
    with pytest.raises(TypeError, match="dy"):
        aclnn.aclnnLogitGradGetWorkspaceSize(x, eps=-1.0, out=out)
    with pytest.raises(TypeError, match="lambd"):
        aclnn.aclnnLogitGradGetWorkspaceSize(x, x, -1.0, out, lambd=1)


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_any_byte_but_0_is_true(kind: str) -> None:
    dev = ar.Device(A2)
    truths = np.arange(256, dtype=np.uint8)
    grad = np.linspace(-2, 2, 256).astype(FORMATS[kind].dtype)
    raw, out = dev.tensor(truths), dev.empty(256, kind)
    tensor = ar.Tensor(raw.memory, raw.shape, "ACL_BOOL")
    queue(dev, "softplus_backward", dev.tensor(grad), tensor, 3.0, 20.0, out)
    dev.synchronize()
    want = dev.empty(256, kind)
    queue(dev, "softplus_backward", dev.tensor(grad), dev.tensor(truths != 0), 3.0, 20.0, want)
    dev.synchronize()
    assert_bits(out.numpy(), want.numpy())
    assert len(set(out.numpy()[1:] / grad[1:])) < 10


def test_a_tensor_as_torch_describes_it() -> None:
    """Rank-1 storage, a format by rank and an offset: the same numbers as contiguous ND."""
    dev = ar.Device(A2)
    x = np.linspace(-2, 2, 120, dtype=np.float32)
    memory = dev.tensor(x).memory
    view = ar.Tensor(
        memory, (2, 3, 4, 4), "ACL_FLOAT", (48, 16, 4, 1), 24, "NCHW", storage_shape=(120,)
    )
    out = dev.empty(view.shape, "float32")
    queue(dev, "softplus_backward", view, view, ar.Scalar(1, "int64"), ar.Scalar(20, 11), out)
    dev.synchronize()
    part = x[24:].reshape(view.shape)
    assert_bits(out.numpy(), ar.softplus_backward(part, part))


@pytest.mark.parametrize(
    "kind", ["bool", "int8", "int32", "uint8", "int16", "int64", "float16", "bfloat16", "float64"]
)
def test_scalars_of_every_real_type(kind: str) -> None:
    dev = ar.Device(A2)
    x = np.linspace(-3, 3, 32, dtype=np.float32)
    tensor, out = dev.tensor(x), dev.empty(32, "float32")
    queue(dev, "hardshrink_backward", tensor, tensor, ar.Scalar(1, kind), out)
    dev.synchronize()
    assert_bits(out.numpy(), ar.hardshrink_backward(x, x, 1.0))


@pytest.mark.full
def test_products_are_rounded_before_they_are_summed() -> None:
    dev = ar.Device(A2)
    g = np.array([1.0078125, 1.0], ml_dtypes.bfloat16)  # its square needs twice as many bits
    x, weight = -g, np.ones(1, ml_dtypes.bfloat16)
    result, sums = dev.empty(2, weight.dtype), dev.empty(1, weight.dtype)
    queue(dev, "prelu_backward", *map(dev.tensor, (g, x, weight)), result, sums)
    dev.synchronize()
    product = np.float32(g[0]) * np.float32(x[0])
    rounded = np.float32(product.astype(ml_dtypes.bfloat16))
    assert rounded != product
    assert float(sums.numpy()[0]) == float((rounded - np.float32(1)).astype(ml_dtypes.bfloat16))


def test_f64_softplus_is_computed_in_f32() -> None:
    dev = ar.Device(A2)
    x = np.linspace(-5, 5, 64)
    tensor, out = dev.tensor(x), dev.empty(64, "float64")
    queue(dev, "softplus_backward", tensor, tensor, 1.0, 20.0, out)
    dev.synchronize()
    narrow = x.astype(np.float32)
    assert_bits(out.numpy(), ar.softplus_backward(narrow, narrow).astype(np.float64))
    assert (out.numpy() != ar.softplus_backward(x, x)).any()


@pytest.mark.parametrize("operator", WITH_FUNCTIONS)
def test_empty_tensors(operator: str) -> None:
    """Success, no workspace, a valid executor, and nothing is queued or written."""
    dev = ar.Device(A2)
    shapes, first = whole_shapes(operator, (0, 3))
    inputs = [dev.empty(shape, "float32") for shape in shapes]
    results = [dev.empty(first, "float32")]
    if operator == "prelu_backward":
        results.append(dev.tensor(np.float32([5, 6, 7])))
    scalars = plain(operator, SCALARS[operator][0])
    size, executor = phase_1(operator, *inputs, *scalars, *results)
    assert size == executor.workspace_size == 0
    phase_2(operator, None, 0, executor, None)
    dev.synchronize()
    assert len(dev.trace()) == 0
    if operator == "prelu_backward":
        assert results[1].numpy().tolist() == [5, 6, 7]


def test_hardshrink_with_an_empty_input_does_not_compare_shapes() -> None:
    dev = ar.Device(A2)
    empty, out = dev.empty((0, 3), "float32"), dev.tensor(np.float32([5, 6]))
    queue(dev, "hardshrink_backward", empty, dev.empty((7, 9), "float32"), 0.5, out)
    dev.synchronize()
    assert out.numpy().tolist() == [5, 6]


def test_the_two_versions_of_the_gradient_of_gelu() -> None:
    dev = ar.Device("Atlas training")
    g, x = np.float32([1, -2, 3]), np.float32([-1, 0.5, 2])
    tensors = dev.tensor(g), dev.tensor(x)
    wide, narrow = dev.empty(3, "float32"), dev.empty(3, "float16")
    for form in ("none", "tanh", b"tanh"):
        queue(dev, "gelu_backward", *tensors, form, wide)
        dev.synchronize()
        name = form if isinstance(form, str) else form.decode()
        assert_same_bits([wide.numpy()], [ar.gelu_backward(g, x, name)])
    status, message = refusal(phase_1, "gelu_backward", *tensors, "none", narrow)
    assert (status, "gradInput has type float16" in message) == (161002, True)
    # the first version computes the tanh form and casts its result
    launch(dev, "aclnnGeluBackward", *tensors, narrow)
    dev.synchronize()
    assert_same_bits([narrow.numpy()], [ar.gelu_backward(g, x, "tanh").astype(np.float16)])
    assert list(dev.trace())[-1].label == "aclnnGeluBackward"
