"""What the checker takes for a read: tensors that a function replaces are none."""

from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.borrowed.table import borrowed

from ..support.two_phase import launch
from .calls import Call, good_call

#: functions that never read what a tensor of theirs held
REPLACING = (
    "InplaceZero InplaceOne InplaceFillScalar InplaceFillTensor InplaceCopy ForeachZeroInplace"
    " InplaceBernoulli InplaceBernoulliTensor InplaceNormal InplaceNormalTensor InplaceRandom"
    " InplaceRandomTensor InplaceRandomWithoutFromTo InplaceRandomWithoutFromToTensor"
    " InplaceUniform InplaceUniformTensor SimThreadExponential RReluWithNoise"
    " InplaceRReluWithNoise InplaceIndexCopy InplaceIndexFill InplaceIndexFillTensor"
    " InplaceMaskedFillScalar InplaceMaskedFillTensor InplaceMaskedScatter InplaceFillDiagonal"
    " InplaceScatterUpdate ScatterNdUpdate"
)
#: a number decides: functions, its name, one with which they do not read it, one with which they do
DECIDED = (
    ("IndexPutImpl InplacePut", "accumulate", False, True),
    ("InplaceScatter InplaceScatterValue InplaceScatterReduce", "reduce", 0, 1),
    ("Addmm Addmv Addbmm Baddbmm Gemm", "beta", 0, 2),
    ("InplaceAddmm InplaceAddbmm InplaceBaddbmm", "beta", 0.0, 1),
    ("Addmm", "beta", 0, None),
    ("Addr InplaceAddr", "betaOptional", 0, 2),
    ("FusedSgd", "isFirstStep", True, False),
)
NOT_READ = [
    *[(api, {}) for api in REPLACING.split()],
    *[(api, {name: none}) for apis, name, none, _ in DECIDED for api in apis.split()],
]
READ = [
    *[(api, {name: some}) for apis, name, _, some in DECIDED for api in apis.split()],
    *[(api, {}) for api in "InplaceAdd InplaceTril InplaceRenorm ScatterMax AddRelu".split()],
]


def copied(dev: ar.Device, value: Any) -> Any:
    """Return a tensor, or a list of tensors, with the same data on another device."""
    if isinstance(value, list):
        return [copied(dev, one) for one in value]
    return dev.tensor(value.numpy()) if isinstance(value, ar.Tensor) else value


def run_on_fresh_memory(api: str, changes: Any) -> Call:
    """Run a call, on a device of its own, whose tensor in question was never written."""
    dev, call = ar.Device("Atlas A2", check="report"), good_call(f"aclnn{api}")
    call.arguments = {name: copied(dev, x) for name, x in call.arguments.items()} | changes
    call.dev = dev
    params = call.operator.parameters
    for param in [x for x in params if x.unread is not None] or params[:1]:
        value = call.arguments[param.name]
        empty = [dev.empty(x.shape, x.dtype) for x in (value if param.is_list else [value])]
        call.arguments[param.name] = empty if param.is_list else empty[0]
    call.run()
    return call


@pytest.mark.parametrize(("api", "changes"), NOT_READ)
def test_what_is_replaced_is_not_read(api: str, changes: Any) -> None:
    call = run_on_fresh_memory(api, changes)
    for param in call.written:
        result = call.arguments[param.name]
        for tensor in result if param.is_list else [result]:
            tensor.numpy()  # elements that the call left alone count as written, too
    assert not call.dev.hazards


@pytest.mark.parametrize(("api", "changes"), READ)
def test_what_is_read_before_it_is_changed(api: str, changes: Any) -> None:
    call = run_on_fresh_memory(api, changes)
    assert "uninitialized-read" in [hazard.kind for hazard in call.dev.hazards]


#: functions that read some elements of a tensor, as data or lengths decide
PARTLY = (
    "Embedding IndexSelect GatherV2 GatherV3 Gather GatherNd Index Take FusedInferAttentionScoreV2"
    " FusedInferAttentionScoreV4 PromptFlashAttentionV3"
)


@pytest.mark.parametrize("written", [True, False])
@pytest.mark.parametrize("api", PARTLY.split())
def test_elements_that_are_not_read_need_no_values(api: str, written: bool) -> None:
    """Only a tensor of which nothing was written is one that is read too early."""
    dev, call = ar.Device("Atlas A2", check="report"), good_call(f"aclnn{api}")
    call.arguments = {name: copied(dev, x) for name, x in call.arguments.items()}
    lengths = {"actualSeqLengths": [1], "actualSeqLengthsKv": [2]}
    call.arguments |= {name: x for name, x in lengths.items() if name in call.arguments}
    call.dev = dev
    param = next(x for x in reversed(call.operator.parameters) if x.partly is not None)
    given = call.arguments[param.name]
    old = given[0] if param.is_list else given
    new = dev.empty(old.shape, old.dtype)
    if written:
        half = old.size // 2 * new.dtype.itemsize
        dev.memcpy(new.memory, old.memory, half)
    call.arguments[param.name] = [new] if param.is_list else new
    call.run()
    assert [x.kind for x in dev.hazards] == ([] if written else ["uninitialized-read"])


def test_every_row_that_reads_some_elements_is_tried() -> None:
    rows = borrowed().items()
    marked = {api for api, row in rows if any(x.partly is not None for x in row.parameters)}
    assert marked == {f"aclnn{api}" for api in PARTLY.split()}


def test_attention_without_lengths_reads_all() -> None:
    dev = ar.Device("Atlas A2", check="report")
    call = good_call("aclnnPromptFlashAttentionV3")
    call.arguments = {name: copied(dev, x) for name, x in call.arguments.items()}
    call.dev, old = dev, call.arguments["value"]
    new = call.arguments["value"] = dev.empty(old.shape, old.dtype)
    dev.memcpy(new.memory, old.memory, old.size)
    call.run()
    assert [x.kind for x in dev.hazards] == ["uninitialized-read"]


def test_every_row_that_replaces_a_tensor_is_tried() -> None:
    rows = borrowed().items()
    marked = {api for api, row in rows if any(x.unread is not None for x in row.parameters)}
    assert marked == {f"aclnn{api}" for api, _ in NOT_READ}


def test_elements_that_are_not_replaced_keep_their_values() -> None:
    dev = ar.Device("Atlas A2")
    rows = dev.tensor(np.float32([[1, 2], [3, 4], [5, 6]]))
    index, source = dev.tensor(np.int64([1])), dev.tensor(np.float32([[7, 8]]))
    launch(dev, "aclnnInplaceIndexCopy", rows, 0, index, source)
    dev.synchronize()
    np.testing.assert_array_equal(rows.numpy(), [[1, 2], [7, 8], [5, 6]])
