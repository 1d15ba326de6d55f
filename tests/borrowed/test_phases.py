"""Both phases of operators that PyTorch computes: refusals, order, the checker, the timeline."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref import aclnn
from ascendref.borrowed.table import Parameter, borrowed
from ascendref.core.dtypes import DataType
from ascendref.device.memory.virtual_memory import GRANULARITY, PhysicalMemory, ReservedMemory

from ..support.two_phase import launch, refusal
from ..support.two_phase import refused as refused_call
from .calls import SHAPE, Call, good_call

NULL, INVALID, MISSING, TASK_FAILED = 161001, 161002, 561003, 507015
each_function = pytest.mark.parametrize("api", borrowed())

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
    """Return how phase 1 refuses a call with some arguments replaced, or made by a function."""
    made = {name: x(call) if callable(x) else x for name, x in changes.items()}
    return refused_call(call.operator.api, **(call.arguments | made))


@pytest.mark.daily(8)
@each_function
def test_arguments_that_must_be_given(api: str) -> None:
    call = good_call(api)
    assert refused(call) == (0, "")
    for param in call.operator.parameters:
        if not param.optional:
            status, message = refused(call, **{param.name: None})
            assert (status, message.split()[0]) == (NULL, param.name)


@pytest.mark.daily(8)
@each_function
def test_types_and_ranks(api: str) -> None:
    call = good_call(api)
    for param in call.operator.parameters:
        if not param.is_tensor or param.is_refused:
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
    empty = dev.empty(value.shape, value.dtype)
    return dev.tensor(make(value.shape, value.dtype)) if value.size else empty


@pytest.mark.parametrize(
    "api", [x for x, row in borrowed().items() if any(p.is_refused for p in row.parameters)]
)
def test_arguments_without_which_alone_a_call_is_computed(api: str) -> None:
    call = good_call(api)
    for param in call.operator.parameters:
        if param.is_refused:
            given = call.dev.empty((1,), "float32") if param.is_tensor else [1]
            status, message = refused(call, **{param.name: given})
            assert (status, message.split(";")[0]) == (INVALID, f"{param.name} is given")


@pytest.mark.daily(8)
@each_function
def test_products_that_lack_it(api: str) -> None:
    dev, call = ar.Device("Atlas training"), good_call(api)
    status, message = refused(call, **{k: moved(dev, v) for k, v in call.arguments.items()})
    assert status == MISSING
    assert f"{api} does not exist on Atlas training" in message


@pytest.mark.daily(8)
@each_function
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
    for out, words in (
        (dev.empty((4, 3), "float32"), "out has shape (4, 3); (3, 4) is expected"),
        (dev.empty((3, 4), "bool"), "out has type bool, to which a result of type float32"),
        (ar.Tensor(memory, (3, 4), "float32", offset=4), "out overlaps self"),
        (ar.Tensor(dev.malloc(400), (3, 4), "float32", (0, 1)), "two indices to one address"),
        (ar.Tensor(dev.malloc(400), (3, 4), "float32", (-4, 1), 8), "PyTorch takes none below 0"),
    ):
        status, message = refused_call("aclnnAdd", x, x, 1.0, out)
        assert status == INVALID
        assert words in message
    status, message = refused_call("aclnnAdd", x, dev.empty((5,), "float32"), 1.0, x)
    assert status == INVALID
    assert message.startswith("aclnnAdd: ")
    assert refused_call("aclnnAdd", x, x, 1.0, x)[0] == 0  # in place


@pytest.mark.parametrize("api", [api for api, row in borrowed().items() if row.loose])
def test_axes_of_length_1_in_results_that_may_have_others(api: str) -> None:
    first = good_call(api)
    first.run()
    for name in first.operator.loose:
        want = first.arguments[name].numpy()
        for shape in ((1, *want.shape), (*want.shape, 1), tuple(n for n in want.shape if n > 1)):
            call = good_call(api)
            call.arguments[name] = call.dev.empty(shape, want.dtype)
            call.run()
            np.testing.assert_array_equal(call.arguments[name].numpy(), want.reshape(shape))
        status, message = refused(call, **{name: call.dev.empty((2, *want.shape), want.dtype)})
        assert (status, f"{name} has shape (2, " in message) == (INVALID, True)


def test_axes_of_length_1_count_where_the_pages_give_the_shape() -> None:
    for api, name in (
        ("LayerNorm", "meanOutOptional"),
        ("ReduceSum", "out"),
        ("Eye", "out"),
        ("GroupNorm", "rstdOut"),
    ):
        call = good_call(f"aclnn{api}")
        given = call.arguments[name]
        other = call.dev.empty((1, *given.shape), given.dtype)
        assert f"; {given.shape} is expected" in refused(call, **{name: other})[1]


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
    for waits in (True, False):
        dev = ar.Device("Atlas A2", check=True)
        one, two = dev.create_stream(), dev.create_stream()
        x, y = dev.tensor(np.float32([1, 2])), dev.empty((2,), "float32")
        launch(dev, "aclnnExp", x, y, stream=one)
        if not waits:
            with pytest.raises(ar.HazardError, match="borrowed: aten::exp"):
                launch(dev, "aclnnInplaceNeg", y, stream=two)
            continue
        event = dev.create_event()
        event.record(one)
        two.wait_event(event)
        launch(dev, "aclnnInplaceNeg", y, stream=two)
        dev.synchronize()
        np.testing.assert_allclose(y.numpy(), -np.exp([1, 2]), rtol=1e-6)
        assert "borrowed: aten::exp" in [row.label for row in dev.trace().rows]


def test_shapes_that_the_data_decide() -> None:
    dev = ar.Device("Atlas A2")
    x = dev.tensor(np.float32([[0, 1, 0], [2, 0, 3]]))
    for out, words, known in (
        (ar.Tensor(dev.malloc(200), (2, 6), "int64", (1, 2)), "its elements must be dense", True),
        (dev.empty((12,), "int64"), "out has rank 1; 2 is expected", True),
        (dev.empty((2, 6), "int8"), "out has type int8", False),
    ):
        assert (words in refused_call("aclnnNonzeroV2", x, out)[1]) == known
    small = dev.empty((2, 2), "int64")
    status, message = refusal(launch, dev, "aclnnNonzeroV2", x, small)
    assert (status, small.shape) == (TASK_FAILED, (2, 2))
    assert "out has 4 elements; the result has 6" in message
    dev = ar.Device("Atlas A2")
    x, out = dev.tensor(np.int64([0, 0])), dev.empty((1,), "int64")  # no room to spare
    launch(dev, "aclnnBincount", x, None, 0, out)
    np.testing.assert_array_equal(out.numpy(), [2])
    x, out = dev.tensor(np.float32([[0, 1, 0], [2, 0, 3]])), dev.empty((2, 6), "int64")
    size, executor = aclnn.aclnnNonzeroV2GetWorkspaceSize(x, out)
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
    arguments = {key: moved(dev, value) for key, value in call.arguments.items()}
    far = moved(dev, call.arguments[name], lambda shape, dtype: np.full(shape, 10**8, dtype))
    launch(dev, api, **(arguments | {name: far}))
    status, message = refusal(dev.synchronize)
    assert status == TASK_FAILED
    assert call.operator.label in message


def test_running_statistics_are_written_in_training_alone() -> None:
    for training in (False, True):
        dev = ar.Device("Atlas A2", check=True)
        x = dev.tensor(np.ones((2, 3, 4), np.float32))
        given = x, *[dev.tensor(np.ones(3, np.float32)) for _ in range(4)], training, 0.1, 1e-5
        for number in range(2):
            outs = [dev.empty(shape, "float32") for shape in ((2, 3, 4), (3,), (3,))]
            stream = dev.create_stream()
            if training and number:
                with pytest.raises(ar.HazardError, match="runningMean"):
                    launch(dev, "aclnnBatchNorm", *given, *outs, stream=stream)
            else:
                launch(dev, "aclnnBatchNorm", *given, *outs, stream=stream)
        dev.synchronize()


#: tensors whose shapes nothing would check where the function is computed, and the functions
TRUSTED = {
    "gradOutput": (
        "ReflectionPad1dBackward ReflectionPad2dBackward ReflectionPad3dBackward"
        " ReplicationPad1dBackward ReplicationPad2dBackward ReplicationPad3dBackward"
        " AdaptiveAvgPool2dBackward AdaptiveAvgPool3dBackward AvgPool2dBackward AvgPool3dBackward"
        " AdaptiveMaxPool2dBackward AdaptiveMaxPool3dBackward ConvolutionBackward"
        " MaxPool2dWithIndicesBackward MaxPool3dWithArgmaxBackward MaxUnpool2dBackward"
        " MaxUnpool3dBackward LogSoftmaxBackward SoftmaxBackward"
    ),
    "weight bias runningMean runningVar": "BatchNorm",
    "gradOut weight saveInvstd": "BatchNormBackward FastBatchNormBackward",
    "grad cdist": "CdistBackward",
    "gradOut negLogLikelihood logAlpha": "CtcLossBackward",
    "gradOut mean rstd gamma": "GroupNormBackward",
    "gradOut mean rstd weightOptional": "LayerNormBackward",
    "gradOut": "UnfoldGrad",
    "bias": "Convolution",
    "self": "ConvTbcBackward",
    "mRef vRef grad": "ApplyAdamWV2",
    "x2": "AddLayerNorm AddRmsNorm AddRmsNormCast AddRmsNormQuant AddRmsNormQuantV2",
    "x2Ref": "InplaceAddRmsNorm",
    "dy x2": "AddLayerNormGrad",
    "gx": "DeepNorm",
    "dy gx": "DeepNormGrad",
    "dy": "RmsNormGrad",
}


@pytest.mark.parametrize(
    ("api", "names"), [(api, names) for names, apis in TRUSTED.items() for api in apis.split()]
)
def test_tensors_that_are_too_small(api: str, names: str) -> None:
    call = good_call(f"aclnn{api}")
    call.arguments.update({"training": True} if "training" in call.arguments else {})
    for name in names.split():
        tensor = call.arguments[name]
        smaller = call.dev.empty((0, *tensor.shape[1:]), tensor.data_type.numpy)
        status, message = refused(call, **{name: smaller})
        assert (status, f"{name} has shape" in message) == (INVALID, True), (name, message)


def tensor(shape: tuple[int, ...], dtype: str = "float32") -> Callable[[Call], ar.Tensor]:
    """Return a function that makes a tensor for a call."""
    return lambda call: call.dev.empty(shape, dtype)


def list_of(shape: tuple[int, ...], dtype: str = "float16") -> Callable[[Call], list[ar.Tensor]]:
    """Return a function that makes a list of one tensor for a call."""
    return lambda call: [call.dev.empty(shape, dtype)]


def first_is_other(name: str) -> Callable[[Call], list[ar.Tensor]]:
    """Return a function that gives the first tensor of a list another shape."""
    return lambda call: [call.dev.empty((1,), "float32"), *call.arguments[name][1:]]


BUFFERS = "momentumBufferListOptionalRef"


@pytest.mark.parametrize(
    ("api", "changes", "text"),
    [
        ("GatherV2", {"dim": 7}, "dim is 7; -3 to 2 are allowed"),
        ("Flatten", {"axis": -9}, "axis is -9"),
        ("ScatterReduce", {"reduce": -1}, "reduce is -1; 0, 1, 2, 3, 4, 5 are allowed"),
        ("DivMod", {"mode": 3}, "mode is 3; 0, 1, 2 are allowed"),
        ("Dropout", {"p": 2.0}, "p is 2.0; 0 to 1 are allowed"),
        ("Cumprod", {"dim": 0.9}, "dim is 0.9; an integer is expected"),
        ("Softmax", {"dim": 9}, "dim is 9"),
        ("Bincount", {"minlength": 2**40}, "minlength is 1099511627776"),
        ("Adds", {"other": np.arange(2.0)}, "other is a ndarray; a number"),
        ("SliceV2", {"steps": [1, 1, 1, 1, 1]}, "steps must have as many members"),
        ("Amax", {"dim": 1}, "dim is a int; a tuple or list is expected"),
        ("Amax", {"dim": [0.5]}, "dim[0] is a float; an integer is expected"),
        ("Amax", {"dim": [2**63]}, "dim[0] is 9223372036854775808; "),
        ("Amax", {"dim": [5]}, "aclnnAmax: "),
        ("Cat", {"tensors": tensor((2, 3))}, "tensors is a Tensor; a tuple or list of Tensor is"),
        ("Cat", {"tensors": []}, "aclnnCat: "),
        ("SplitTensor", {"out": []}, "out has 0 tensors; 3 are expected"),
        ("SplitTensor", {"splitSections": "2"}, "splitSections is a str; an integer is expected"),
        ("FusedSgd", {"gradsRef": first_is_other("gradsRef")}, "gradsRef[0] has shape (1,)"),
        ("FusedSgd", {BUFFERS: first_is_other(BUFFERS)}, f"{BUFFERS}[0] has shape (1,)"),
        ("ReduceSum", {"dtype": 99}, "dtype is 99; a type of tensors"),
        ("GroupNormSilu", {"group": 0}, "by zero"),
        ("MseLossOut", {"reduction": 3}, "reduction is 3; 0 to 2 are allowed"),
        ("AscendQuant", {"dstType": 3}, "dstType is 3; ACL_INT8 (2)"),
        ("Quantize", {"dtype": 0}, "dtype is torch.float32"),
        ("QuantMatmulV4", {"pertokenScaleOptional": None}, "without scales of rows, only BF16"),
        ("QuantMatmulV4", {"offset": tensor((5,))}, "an offset is given"),
        ("MaxPool", {"autoPad": 1}, "autoPad is 1"),
        ("MaxPool", {"dilations": [2]}, "only 1 is computed"),
        ("MaxPool", {"pads": [1, 0, 1, 0]}, "or 4 equal ones"),
        ("SimThreadExponential", {"count": 3}, "count is 3"),
        ("SimThreadExponential", {"lambda_": 0.0}, "must be above 0"),
        ("InplaceUniformTensor", {"seedTensor": tensor((2,), "int64")}, "must have one element"),
        ("Resize", {"mode": "cubic"}, "mode is 'cubic'; nearest, bilinear are allowed"),
        ("Resize", {"scales": [1, 2, 2, 3]}, "scales is (1.0, 2.0, 2.0, 3.0)"),
        ("UpsampleNearest2d", {"outputSize": [0, 4]}, "sizes above 0 are expected"),
        ("UpsampleNearest2d", {"self": tensor((2, 3, 4))}, "self has shape (2, 3, 4)"),
        ("RotaryPositionEmbedding", {"mode": 4}, "mode is 4; 0, 1, 2, 3 are allowed"),
        ("RotaryPositionEmbedding", {"cos": tensor((1, 1, 5, 4))}, "cos has shape (1, 1, 5, 4)"),
        ("RotaryPositionEmbedding", {"x": tensor((2, 8))}, "x has shape (2, 8)"),
        ("WeightQuantBatchMatmulV2", {"antiquantScale": tensor((3, 5), "float16")}, "(3, 5)"),
        ("WeightQuantBatchMatmulV2", {"biasOptional": tensor((4,))}, "biasOptional has shape"),
        *[
            (f"FusedInferAttentionScoreV{version}", changes, text)
            for version in (2, 4)
            for changes, text in (
                ({"inputLayout": "SBH"}, "inputLayout is 'SBH'; BSH, BSND"),
                ({"sparseMode": 5}, "sparseMode is 5; 0, 1, 2, 3, 4 are allowed"),
                ({"innerPrecise": 4}, "innerPrecise is 4"),
                ({"numKeyValueHeads": 3}, "numHeads is 4 and numKeyValueHeads 3"),
                ({"numHeads": 8}, "query has 4 heads; 8 are expected"),
                ({"key": list_of((3, 4, 14))}, "key has heads of 7 elements; query has"),
                ({"key": list_of((3, 4, 12), "bfloat16")}, "key has type torch.bfloat16"),
                ({"blockSize": 8}, "blocks of 2 heads and 8 positions are expected"),
                ({"blockTableOptional": tensor((3, 3), "int64")}, "2 rows are expected"),
                ({"blockTableOptional": None}, "key has rank 3; that of BNSD is expected"),
                ({"actualSeqLengthsKvOptional": None}, "blockTable needs it"),
                ({"actualSeqLengthsKvOptional": [13, 2]}, "2 numbers from 0 to 12"),
                ({"actualSeqLengthsOptional": [2]}, "2 numbers from 0 to 1, or one"),
                ({"pseShiftOptional": tensor((2, 4, 1, 4), "float16")}, "pseShift has shape"),
                ({"attenMaskOptional": tensor((2, 4), "bool")}, "attenMask has shape (2, 4)"),
            )
        ],
        ("PromptFlashAttentionV3", {"inputLayout": "TND"}, "BSH, BSND, BNSD, BNSD_BSND are"),
        ("PromptFlashAttentionV3", {"sparseMode": 1}, "attenMask is None; sparseMode 1 needs it"),
        (
            "PromptFlashAttentionV3",
            {"sparseMode": 3, "attenMask": tensor((3, 5), "bool")},
            "(2048, 2048) is expected",
        ),
        ("PromptFlashAttentionV3", {"pseShift": tensor((2, 4, 2, 5), "float16")}, "pseShift has"),
        ("PromptFlashAttentionV3", {"actualSeqLengthsKv": [6]}, "2 numbers from 0 to 5"),
        ("PromptFlashAttentionV3", {"value": tensor((2, 2, 6, 7), "float16")}, "2 batches of as"),
        ("ClippedSwiglu", {"groupIndexOptional": tensor((2,), "int64")}, "only NULL is computed"),
        # what only the kernel refuses
        ("InplaceEqTensor", {"other": tensor((2, 3, 5))}, ""),
        ("Bucketize", {"boundaries": tensor(())}, ""),
        ("Addmv", {"mat": tensor((1, 5))}, ""),
        ("IndexAdd", {"source": tensor((0, 5))}, ""),
        ("BatchMatMul", {"mat2": tensor((5, 2))}, "mat2 has rank 2; 3 is expected"),
        ("BatchMatMul", {"self": tensor((3, 3, 5))}, "must match"),
        ("InplaceBaddbmm", {"batch1": tensor((1, 3, 5))}, ""),
        ("InplaceAddmm", {"selfRef": tensor((1, 3, 2))}, ""),
        ("MaxDim", {"self": tensor((2, 0, 3))}, ""),
        ("Addmm", {"alpha": 1e300}, ""),
        ("Rsub", {"alpha": True}, ""),
        ("InplaceFillScalar", {"value": 1e300}, ""),
        ("Sort", {"dim": 2**63 - 1}, ""),
        ("Roll", {"shifts": (-(2**63),)}, ""),
        ("Cumsum", {"dtype": 12}, ""),
        ("InplaceMuls", {"selfRef": tensor((3,), "int32"), "other": 2.5}, "can't be cast"),
        # types that only the kernel refuses together
        *[
            (api, {name: tensor(shape, "float16")}, "type")
            for api, name, shape in (
                ("InplaceAddbmm", "selfRef", (3, 2)),
                ("BatchNormBackward", "gradOut", (3, 4, 5)),
                ("ConvTbc", "self", (5, 2, 3)),
                ("IndexAdd", "self", (4, 6, 3)),
                ("NLLLoss", "self", (4, 5)),
                ("SoftmaxBackward", "gradOutput", (2, 3, 5)),
            )
        ],
    ],
)
def test_arguments_that_are_refused(api: str, changes: Any, text: str) -> None:
    status, message = refused(good_call(f"aclnn{api}"), **changes)
    assert (status, text in message) == (INVALID, True), message


def test_a_member_that_is_none() -> None:
    call = good_call("aclnnCat")
    one = call.arguments["tensors"][0]
    status, message = refused(call, tensors=[one, None])
    assert (status, message) == (NULL, "tensors[1] is None; every member must be a Tensor")


def test_numbers_that_a_kernel_refuses_are_no_matter_of_phase_1() -> None:
    dev = ar.Device("Atlas A2")
    one, places = dev.tensor(np.ones((1, 3), np.float32)), dev.tensor(np.int64([0, 0]))
    rows, square = dev.empty((2, 3), "float32"), dev.empty((3, 3), "float32")
    counts, many = dev.tensor(np.int64([1, 2, 3])), dev.empty((6,), "float32")
    for api, *given in (
        ("aclnnIndex", one, [places], rows),
        ("aclnnInverse", square, square),
        ("aclnnRepeatInterleave", one, counts, 6, many),
        ("aclnnInplaceMaskedScatter", rows, dev.empty((2, 3), "bool"), one),
    ):
        assert refused_call(api, *given) == (0, "")


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
    grad, weight, bias = (dev.empty(shape, np.float32) for shape in ((3, 2), 2, 2))
    given = (x, x, [2], rows, rows, ones, ones, [True, False, False], grad, weight, bias)
    launch(dev, "aclnnLayerNormBackward", *given)
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
    launch(dev, "aclnnNLLLoss2dBackward", *given)
    with pytest.raises(ar.AclError, match="indices from 0 to 2 are allowed"):
        dev.synchronize()


# ---- calls whose tensors lie elsewhere

#: bytes at which two inputs and the result lie, each of 32 bytes, in a kilobyte; what is said to it
PLACES = (
    ((0, 32, 64), None),
    ((512, 96, 864), None),
    ((4, 4, 900), None),  # inputs may overlap
    ((4, 20, 800), None),
    ((64, 96, 64), None),  # in place
    ((96, 64, 64), None),
    ((64, 96, 80), "overlaps"),
    ((64, 96, 72), "overlaps"),
    ((80, 96, 64), "overlaps"),
    ((0, 32, 996), "covers the bytes"),
    ((0, 1020, 64), "covers the bytes"),
    ((0, 2, 64), "multiple of 4"),
)


@pytest.mark.parametrize("virtual", [False, True])
@pytest.mark.parametrize("api", ["aclnnHardshrinkBackward", "aclnnMul"])
def test_calls_whose_tensors_lie_elsewhere_share_decisions(
    api: str, virtual: bool, monkeypatch: Any
) -> None:
    dev = ar.Device("Atlas A2")
    start = GRANULARITY - 1024 if virtual else 0
    memory: Any = dev.malloc(1024)
    if virtual:  # half of it is mapped
        memory = ReservedMemory.reserve(dev.address_space, 2 * GRANULARITY)
        memory.map(0, PhysicalMemory(dev.address_space, GRANULARITY))
    module = "borrowed" if api == "aclnnMul" else "twophase"
    module, decides = f"ascendref.{module}.phase_1", "Compute" if api == "aclnnMul" else "validate"
    decide: Any = getattr(import_module(module), decides)
    made: list[Any] = []
    monkeypatch.setattr(f"{module}.{decides}", lambda *given: made.append(given) or decide(*given))

    def found(places: tuple[int, ...]) -> str | None:
        dev.memset(memory.address + start, 0, 1024)
        x, y, out = (ar.Tensor(memory.address + start + at, (8,), "float32") for at in places)
        numbers = np.float32([-2, 0.25, 3, -0.5, 1, 0, 7, -8])
        given = (x, y, out) if api == "aclnnMul" else (x, y, 0.5, out)
        status, message = refused_call(api, *given)
        if status:
            assert status == INVALID
            return message
        y.view()[:] = numbers
        x.view()[:] = numbers[::-1]
        first, second = x.numpy(), y.numpy()
        launch(dev, api, *given)
        dev.synchronize()
        shrunk = np.where(np.abs(second) > 0.5, first, 0)
        np.testing.assert_array_equal(out.numpy(), first * second if api == "aclnnMul" else shrunk)
        return None

    for places, problem in PLACES:
        message = found(places)
        assert message is None if problem is None else problem in str(message), places
    made.clear()
    for places, problem in PLACES:
        if problem is None:
            found(tuple([at + 92 for at in places]))
    assert not made
