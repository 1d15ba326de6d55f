"""Both phases of operators that PyTorch computes: refusals, order, the checker, the timeline."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref import aclnn
from ascendref.borrowed.table import Parameter, borrowed
from ascendref.core.dtypes import DataType

from ..support.two_phase import refusal
from .calls import SHAPE, Call, good_call

NULL, INVALID, MISSING, TASK_FAILED = 161001, 161002, 561003, 507015
pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="torch is in the torch extra")

#: functions of integers that are no indices, or may be out of range
UNBOUNDED = (
    "aclnnAmpUpdateScale",
    "aclnnClippedSwiglu",
    "aclnnDynamicQuantV2",
    "aclnnFakeQuantPerChannelAffineCachemask",
    "aclnnFakeQuantPerTensorAffineCachemask",
    "aclnnOneHot",
)
#: results that are others without one of them
DECIDING = (("aclnnDynamicQuantV2", "offsetOut"),)


def refused(call: Call, **changes: Any) -> tuple[int, str]:
    """Return how phase 1 refuses a call with some arguments replaced."""
    phase_1 = getattr(aclnn, f"{call.operator.api}GetWorkspaceSize")
    return refusal(phase_1, **(call.arguments | changes))


@pytest.mark.daily(8)
@pytest.mark.parametrize("api", borrowed())
def test_arguments_that_must_be_given(api: str) -> None:
    call = good_call(api)
    assert refused(call) == (0, "")
    for param in call.operator.parameters:
        if not param.optional:
            status, message = refused(call, **{param.name: None})
            assert (status, message.split()[0]) == (NULL, param.name)


@pytest.mark.daily(8)
@pytest.mark.parametrize("api", borrowed())
def test_types_and_ranks(api: str) -> None:
    call = good_call(api)
    for param in call.operator.parameters:
        if not param.is_tensor:
            continue
        taken = [kind for kind in DataType if kind in param.types]
        name = f"{param.name}[0]" if param.is_list else param.name

        def in_place_of(value: Any, param: Parameter = param) -> tuple[int, str]:
            return refused(call, **{param.name: [value] if param.is_list else value})

        for kind in (DataType.ACL_FLOAT, DataType.ACL_INT32, DataType.ACL_BOOL):
            if kind not in taken:
                status, message = in_place_of(call.dev.empty(SHAPE, kind.numpy))
                assert status == INVALID
                assert f"{name} has type {kind.name}; allowed are" in message
        assert "ranks 0 to 8" in in_place_of(call.dev.empty((1,) * 9, taken[0].numpy))[1]
        status, message = in_place_of(np.zeros(3))
        assert (status, message.split(";")[0]) == (INVALID, f"{name} is a ndarray")


def moved(dev: ar.Device, value: Any, make: Callable[..., Any] = np.zeros) -> Any:
    """Return a tensor, or a list of tensors, of another device, with other data."""
    if isinstance(value, list):
        return [moved(dev, one, make) for one in value]
    if not isinstance(value, ar.Tensor):
        return value
    return (
        dev.tensor(make(value.shape, value.dtype))
        if value.size
        else dev.empty(value.shape, value.dtype)
    )


@pytest.mark.daily(8)
@pytest.mark.parametrize("api", borrowed())
def test_products_that_lack_it(api: str) -> None:
    call = good_call(api)
    dev = ar.Device("Atlas training")
    tensors = {
        param.name: moved(dev, call.arguments[param.name])
        for param in call.operator.parameters
        if param.is_tensor and call.arguments[param.name] is not None
    }
    status, message = refused(call, **tensors)
    assert status == MISSING
    assert f"{api} does not exist on Atlas training" in message


@pytest.mark.daily(8)
@pytest.mark.parametrize("api", borrowed())
def test_results_that_need_not_be_given(api: str) -> None:
    for param in borrowed()[api].parameters:
        if param.optional and param.is_written and not param.is_read:
            call = good_call(api)
            call.arguments[param.name] = None
            if (api, param.name) in DECIDING:
                call.run()
            else:
                call.check()


def test_shapes_types_and_places_of_results() -> None:
    dev = ar.Device("Atlas A2")
    memory = dev.malloc(4 * 100)
    x = ar.Tensor(memory, (3, 4), "float32")
    call = aclnn.aclnnAddGetWorkspaceSize
    for out, words in (
        (dev.empty((4, 3), "float32"), "out has shape (4, 3); (3, 4) is expected"),
        (dev.empty((3, 4), "int32"), "out has type int32, to which a result of type float32"),
        (ar.Tensor(memory, (3, 4), "float32", offset=4), "out overlaps self"),
        (ar.Tensor(dev.malloc(400), (3, 4), "float32", (0, 1)), "two indices to one address"),
        (ar.Tensor(dev.malloc(400), (3, 4), "float32", (-4, 1), 8), "PyTorch takes none below 0"),
    ):
        status, message = refusal(call, x, x, 1.0, out)
        assert status == INVALID
        assert words in message
    status, message = refusal(call, x, dev.empty((5,), "float32"), 1.0, x)
    assert status == INVALID
    assert message.startswith("aclnnAdd: ")
    assert refusal(call, x, x, 1.0, x)[0] == 0  # in place


def test_without_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    call = good_call("aclnnExp")
    monkeypatch.setitem(sys.modules, "torch", None)
    status, message = refused(call)
    assert status == MISSING
    assert 'pip install "torch' in message


def test_the_workspace_and_moved_tensors() -> None:
    dev = ar.Device("Atlas A2")
    x, out = dev.tensor(np.float32([1, 4, 9])), dev.empty((3,), "float32")
    size, executor = aclnn.aclnnSqrtGetWorkspaceSize(x, out)
    assert size > 0
    assert refusal(aclnn.aclnnSqrt, None, size, executor, None)[0] == NULL
    size, executor = aclnn.aclnnSqrtGetWorkspaceSize(x, out)
    executor.set_tensor_address(x, dev.tensor(np.float32([16, 25, 36])).memory)
    aclnn.aclnnSqrt(dev.malloc(size), size, executor, None)
    dev.synchronize()
    np.testing.assert_array_equal(out.numpy(), np.float32([4, 5, 6]))


def test_a_race_is_found_and_the_timeline_names_pytorchs_operator() -> None:
    for wait in (True, False):
        dev = ar.Device("Atlas A2", check=True)
        one, two = dev.create_stream(), dev.create_stream()
        x, y = dev.tensor(np.float32([1, 2])), dev.empty((2,), "float32")
        size, executor = aclnn.aclnnExpGetWorkspaceSize(x, y)
        aclnn.aclnnExp(dev.malloc(size), size, executor, one)
        if wait:
            event = dev.create_event()
            event.record(one)
            two.wait_event(event)
        size, executor = aclnn.aclnnInplaceNegGetWorkspaceSize(y)
        workspace = dev.malloc(size)
        if not wait:
            with pytest.raises(ar.HazardError, match="borrowed: aten::exp"):
                aclnn.aclnnInplaceNeg(workspace, size, executor, two)
            continue
        aclnn.aclnnInplaceNeg(workspace, size, executor, two)
        dev.synchronize()
        np.testing.assert_allclose(y.numpy(), -np.exp([1, 2]), rtol=1e-6)
        assert "borrowed: aten::exp" in [row.label for row in dev.trace().rows]


def test_shapes_that_the_data_decide() -> None:
    dev = ar.Device("Atlas A2")
    x = dev.tensor(np.float32([[0, 1, 0], [2, 0, 3]]))
    call = aclnn.aclnnNonzeroV2GetWorkspaceSize
    strided = ar.Tensor(dev.malloc(200), (2, 6), "int64", (1, 2))
    assert "its elements must be dense" in refusal(call, x, strided)[1]
    assert "out has rank 1; 2 is expected" in refusal(call, x, dev.empty((12,), "int64"))[1]
    assert "out has type int8" not in refusal(call, x, dev.empty((2, 6), "int8"))[1]
    small = dev.empty((2, 2), "int64")
    size, executor = call(x, small)
    status, message = refusal(aclnn.aclnnNonzeroV2, dev.malloc(size), size, executor, None)
    assert (status, small.shape) == (TASK_FAILED, (2, 2))
    assert "out has 4 elements; the result has 6" in message
    dev = ar.Device("Atlas A2")
    x, out = dev.tensor(np.int64([0, 0])), dev.empty((1,), "int64")  # no room to spare
    size, executor = aclnn.aclnnBincountGetWorkspaceSize(x, None, 0, out)
    aclnn.aclnnBincount(dev.malloc(size), size, executor, None)
    np.testing.assert_array_equal(out.numpy(), [2])
    x, out = dev.tensor(np.float32([[0, 1, 0], [2, 0, 3]])), dev.empty((2, 6), "int64")
    size, executor = call(x, out)
    executor.set_repeatable()
    aclnn.aclnnNonzeroV2(dev.malloc(size), size, executor, None)
    assert (out.shape, out.strides) == ((2, 3), (3, 1))
    np.testing.assert_array_equal(out.numpy(), [[0, 1, 1], [1, 0, 2]])
    status, message = refusal(aclnn.aclnnNonzeroV2, dev.malloc(size), size, executor, None)
    assert status == INVALID
    assert "tensors must not change after phase 1" in message


INDEXED = [
    (api, param.name)
    for api, row in borrowed().items()
    for param in row.parameters
    if param.is_index and api not in UNBOUNDED
]


@pytest.mark.daily(8)
@pytest.mark.parametrize(("api", "name"), INDEXED)
def test_an_index_out_of_range_fails_the_task(api: str, name: str) -> None:
    dev = ar.Device("Atlas A2")
    call = good_call(api)
    arguments = {key: moved(dev, value, np.zeros) for key, value in call.arguments.items()}
    far = moved(dev, call.arguments[name], lambda shape, dtype: np.full(shape, 10**8, dtype))
    phase_1 = getattr(aclnn, f"{api}GetWorkspaceSize")
    size, executor = phase_1(**(arguments | {name: far}))
    getattr(aclnn, api)(dev.malloc(size), size, executor, None)
    status, message = refusal(dev.synchronize)
    assert status == TASK_FAILED
    assert call.operator.label in message


def test_lists_and_arrays_that_are_none() -> None:
    dev = ar.Device("Atlas A2")
    x, out = dev.tensor(np.zeros((2, 3), np.float32)), dev.empty((2, 6), "float32")
    cat, amax = aclnn.aclnnCatGetWorkspaceSize, aclnn.aclnnAmaxGetWorkspaceSize
    assert refusal(cat, [x, x], 1, out)[0] == 0
    for list_, code, words in (
        ([x, None], NULL, "tensors[1] is None"),
        (x, INVALID, "tensors is a Tensor; a tuple or list of Tensor is expected"),
        ([], INVALID, "aclnnCat: "),
    ):
        status, message = refusal(cat, list_, 1, out)
        assert status == code
        assert words in message
    for dims, words in (
        (1, "dim is a int; a tuple or list is expected"),
        ([0.5], "dim[0] is a float; an integer is expected"),
        ([2**63], "dim[0] is 9223372036854775808; "),
        ([2], "aclnnAmax: "),
    ):
        status, message = refusal(amax, x, dims, False, dev.empty((2,), "float32"))
        assert status == INVALID
        assert words in message
    sums = aclnn.aclnnReduceSumGetWorkspaceSize
    assert "dtype is 99; a type of tensors" in refusal(sums, x, [1], True, 99, out)[1]
    norm, factor = aclnn.aclnnGroupNormSiluGetWorkspaceSize, dev.empty((3,), "float32")
    outs = [dev.empty((2, 3), "float32") for _ in range(3)]
    assert "by zero" in refusal(norm, x, factor, factor, 0, 1e-5, *outs)[1]
    loss = aclnn.aclnnMseLossOutGetWorkspaceSize
    assert "reduction is 3; 0 to 2 are allowed" in refusal(loss, x, x, 3, out)[1]
    quant, bytes_ = aclnn.aclnnAscendQuantGetWorkspaceSize, dev.empty((2, 3), "int8")
    status, message = refusal(quant, x, factor, None, False, "round", 3, bytes_)
    assert (status, "dstType is 3; ACL_INT8 (2)" in message) == (INVALID, True)
    split = aclnn.aclnnSplitTensorGetWorkspaceSize
    status, message = refusal(split, x, 2, 1, [dev.empty((2, 2), "float32")])
    assert (status, message) == (INVALID, "out has 1 tensors; 2 are expected")
    assert refusal(split, x, "2", 1, [])[0] == INVALID


def test_running_statistics_are_written_in_training_alone() -> None:
    for training in (False, True):
        dev = ar.Device("Atlas A2", check=True)
        x = dev.tensor(np.ones((2, 3, 4), np.float32))
        weight, bias, mean, var = [dev.tensor(np.ones(3, np.float32)) for _ in range(4)]
        for stream in (dev.create_stream(), dev.create_stream()):
            outs = [dev.empty(shape, "float32") for shape in ((2, 3, 4), (3,), (3,))]
            size, executor = aclnn.aclnnBatchNormGetWorkspaceSize(
                x, weight, bias, mean, var, training, 0.1, 1e-5, *outs
            )
            workspace = dev.malloc(size)
            if training and stream.number > dev.default_stream.number + 1:
                with pytest.raises(ar.HazardError, match="runningMean"):
                    aclnn.aclnnBatchNorm(workspace, size, executor, stream)
            else:
                aclnn.aclnnBatchNorm(workspace, size, executor, stream)
        dev.synchronize()


def test_names_that_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="did you mean aclnnSqrt"):
        aclnn.aclnnSqrtt  # noqa: B018


#: tensors whose shapes nothing would check where the function is computed
TRUSTED = {
    **{
        f"aclnn{kind}Pad{axes}dBackward": ("gradOutput",)
        for kind in ("Reflection", "Replication")
        for axes in (1, 2, 3)
    },
    "aclnnAdaptiveAvgPool2dBackward": ("gradOutput",),
    "aclnnAdaptiveAvgPool3dBackward": ("gradOutput",),
    "aclnnAvgPool2dBackward": ("gradOutput",),
    "aclnnAvgPool3dBackward": ("gradOutput",),
    "aclnnBatchNorm": ("weight", "bias", "runningMean", "runningVar"),
    "aclnnBatchNormBackward": ("gradOut", "weight", "saveInvstd"),
    "aclnnFastBatchNormBackward": ("gradOut", "weight", "saveInvstd"),
    "aclnnCdistBackward": ("grad", "cdist"),
    "aclnnCtcLossBackward": ("gradOut", "negLogLikelihood", "logAlpha"),
    "aclnnGroupNormBackward": ("gradOut", "mean", "rstd", "gamma"),
    "aclnnLayerNormBackward": ("gradOut", "mean", "rstd", "weightOptional"),
    "aclnnUnfoldGrad": ("gradOut",),
    **{
        f"aclnn{name}Backward": ("gradOutput",)
        for name in (
            "AdaptiveMaxPool2d",
            "AdaptiveMaxPool3d",
            "Convolution",
            "MaxPool2dWithIndices",
            "MaxPool3dWithArgmax",
            "MaxUnpool2d",
            "MaxUnpool3d",
        )
    },
    "aclnnConvolution": ("bias",),
    "aclnnLogSoftmaxBackward": ("gradOutput",),
    "aclnnSoftmaxBackward": ("gradOutput",),
    "aclnnConvTbcBackward": ("self",),
    "aclnnApplyAdamWV2": ("mRef", "vRef", "grad"),
    "aclnnAddLayerNorm": ("x2",),
    "aclnnAddRmsNorm": ("x2",),
    "aclnnInplaceAddRmsNorm": ("x2Ref",),
    "aclnnAddRmsNormCast": ("x2",),
    "aclnnAddRmsNormQuant": ("x2",),
    "aclnnAddRmsNormQuantV2": ("x2",),
    "aclnnAddLayerNormGrad": ("dy", "x2"),
    "aclnnDeepNorm": ("gx",),
    "aclnnDeepNormGrad": ("dy", "gx"),
    "aclnnRmsNormGrad": ("dy",),
}


@pytest.mark.parametrize("api", TRUSTED)
def test_tensors_that_are_too_small(api: str) -> None:
    call = good_call(api)
    call.arguments.update({"training": True} if "training" in call.arguments else {})
    for name in TRUSTED[api]:
        tensor = call.arguments[name]
        smaller = call.dev.empty((0, *tensor.shape[1:]), tensor.data_type.numpy)
        status, message = refused(call, **{name: smaller})
        assert (status, f"{name} has shape" in message) == (INVALID, True), (name, message)


def test_gradients_and_buffers_have_the_shapes_of_their_parameters() -> None:
    call = good_call("aclnnFusedSgd")
    for name in ("gradsRef", "momentumBufferListOptionalRef"):
        first, *others = call.arguments[name]
        smaller = call.dev.empty((1,), first.data_type.numpy)
        status, message = refused(call, **{name: [smaller, *others]})
        assert (status, f"{name}[0] has shape (1,)" in message) == (INVALID, True), message


@pytest.mark.parametrize(
    ("api", "changes", "text"),
    [
        ("aclnnGatherV2", {"dim": 7}, "dim is 7; -3 to 2 are allowed"),
        ("aclnnFlatten", {"axis": -9}, "axis is -9"),
        ("aclnnScatterReduce", {"reduce": -1}, "reduce is -1; 0, 1, 2, 3, 4, 5 are allowed"),
        ("aclnnDivMod", {"mode": 3}, "mode is 3; 0, 1, 2 are allowed"),
        ("aclnnDropout", {"p": 2.0}, "p is 2.0; 0 to 1 are allowed"),
        ("aclnnCumprod", {"dim": 0.9}, "dim is 0.9; an integer is expected"),
        ("aclnnSoftmax", {"dim": 9}, "dim is 9"),
        ("aclnnBincount", {"minlength": 2**40}, "minlength is 1099511627776"),
        ("aclnnAdds", {"other": np.arange(2.0)}, "other is a ndarray; a number"),
        ("aclnnSliceV2", {"steps": [1, 1, 1, 1, 1]}, "steps must have as many members"),
    ],
)
def test_attributes_that_pytorch_would_take(api: str, changes: Any, text: str) -> None:
    status, message = refused(good_call(api), **changes)
    assert (status, text in message) == (INVALID, True), message


def test_shapes_and_numbers_that_only_the_kernel_refuses() -> None:
    for api, name, shape in (
        ("aclnnInplaceEqTensor", "other", (2, 3, 5)),
        ("aclnnBucketize", "boundaries", ()),
        ("aclnnAddmv", "mat", (1, 5)),
        ("aclnnIndexAdd", "source", (0, 5)),
        ("aclnnInplaceAddmm", "selfRef", (1, 3, 2)),
        ("aclnnMaxDim", "self", (2, 0, 3)),
    ):
        call = good_call(api)
        given = call.dev.empty(shape, call.arguments[name].dtype)
        assert refused(call, **{name: given})[0] == INVALID, api
    for api, name, number in (
        ("aclnnAddmm", "alpha", 1e300),
        ("aclnnRsub", "alpha", True),
        ("aclnnInplaceFillScalar", "value", 1e300),
        ("aclnnSort", "dim", 2**63 - 1),
        ("aclnnRoll", "shifts", (-(2**63),)),
        ("aclnnCumsum", "dtype", 12),
    ):
        assert refused(good_call(api), **{name: number})[0] == INVALID, api


def test_numbers_that_a_kernel_refuses_are_no_matter_of_phase_1() -> None:
    dev = ar.Device("Atlas A2")
    one, places = dev.tensor(np.ones((1, 3), np.float32)), dev.tensor(np.int64([0, 0]))
    rows, square = dev.empty((2, 3), "float32"), dev.empty((3, 3), "float32")
    counts, many = dev.tensor(np.int64([1, 2, 3])), dev.empty((6,), "float32")
    assert refusal(aclnn.aclnnIndexGetWorkspaceSize, one, [places], rows)[0] == 0
    assert refusal(aclnn.aclnnInverseGetWorkspaceSize, square, square)[0] == 0
    repeat = aclnn.aclnnRepeatInterleaveGetWorkspaceSize
    assert refusal(repeat, one, counts, 6, many)[0] == 0
    mask = dev.empty((2, 3), "bool")
    scatter = aclnn.aclnnInplaceMaskedScatterGetWorkspaceSize
    assert refusal(scatter, rows, mask, one)[0] == 0


def test_types_that_only_the_kernel_refuses() -> None:
    dev = ar.Device("Atlas A2")
    whole = dev.tensor(np.arange(3, dtype=np.int32))
    status, message = refusal(aclnn.aclnnInplaceMulsGetWorkspaceSize, whole, 2.5)
    assert (status, "can't be cast" in message) == (INVALID, True)


@pytest.mark.parametrize(
    "api",
    ["InplaceAddbmm", "BatchNormBackward", "ConvTbc", "IndexAdd", "NLLLoss", "SoftmaxBackward"],
)
def test_mixtures_of_types_that_only_the_kernel_refuses(api: str) -> None:
    call = good_call(f"aclnn{api}")
    names = [param.name for param in call.operator.parameters if param.is_read and param.is_tensor]
    tensor = call.arguments[names[0]]
    assert tensor.data_type.numpy == np.float32
    status, message = refused(call, **{names[0]: call.dev.empty(tensor.shape, np.float16)})
    assert (status, "type" in message) == (INVALID, True), message


@pytest.mark.parametrize(
    "api", ["Matmul", "Mm", "BatchMatMul", "Mv", "Addmv", "Addmm", "Addbmm", "Baddbmm"]
)
def test_products_of_matrices_promote_types(api: str) -> None:
    call = good_call(f"aclnn{api}")
    names = [param.name for param in call.operator.parameters if param.is_read and param.is_tensor]
    for name in names:
        tensor = call.arguments[name]
        halves = tensor.numpy().astype(np.float16)
        call.arguments[name] = call.dev.tensor(halves.astype(np.float32))
        call.run()
        want = call.arguments["out"].numpy()
        call.arguments |= {
            "out": call.dev.empty(want.shape, np.float32),
            name: call.dev.tensor(halves),
        }
        call.run()
        np.testing.assert_array_equal(call.arguments["out"].numpy(), want)
        call.arguments[name] = tensor


def test_results_that_a_call_leaves_alone_are_not_written() -> None:
    dev = ar.Device("Atlas A2", check="report")
    x, rows, ones = (dev.tensor(np.ones(shape, np.float32)) for shape in ((3, 2), (3, 1), 2))
    grad, weight, bias = (
        dev.empty((3, 2), np.float32),
        dev.empty(2, np.float32),
        dev.empty(2, np.float32),
    )
    given = (x, x, [2], rows, rows, ones, ones, [True, False, False], grad, weight, bias)
    size, executor = aclnn.aclnnLayerNormBackwardGetWorkspaceSize(*given)
    aclnn.aclnnLayerNormBackward(dev.malloc(size), size, executor, None)
    dev.synchronize()
    grad.numpy()
    assert not dev.hazards
    assert (weight.numpy().view(np.uint8) == 0xFF).all()
    assert [hazard.kind for hazard in dev.hazards] == ["uninitialized-read"]


@pytest.mark.parametrize("label", [3, -7, 10**9])
def test_labels_of_planes_out_of_range_fail_the_task(label: int) -> None:
    dev = ar.Device("Atlas A2")
    one = dev.tensor(np.ones((1, 1, 1), np.float32))
    data, weight = dev.tensor(np.ones((1, 3, 1, 1), np.float32)), dev.tensor(np.ones(3, np.float32))
    total, target = dev.tensor(np.float32(1)), dev.tensor(np.full((1, 1, 1), label))
    given = (one, data, target, weight, 0, -100, total, dev.empty((1, 3, 1, 1), np.float32))
    size, executor = aclnn.aclnnNLLLoss2dBackwardGetWorkspaceSize(*given)
    aclnn.aclnnNLLLoss2dBackward(dev.malloc(size), size, executor, None)
    with pytest.raises(ar.AclError, match="indices from 0 to 2 are allowed"):
        dev.synchronize()
