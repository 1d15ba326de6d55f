"""Operators that PyTorch computes: every row of the table beside its judge."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

import ascendref as ar
from ascendref import aclnn
from ascendref.borrowed.table import borrowed

from ..support.two_phase import refusal
from .calls import calls, good_call, types_of

pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="torch is in the torch extra")


@pytest.mark.daily(8)
@pytest.mark.parametrize("api", borrowed())
def test_results_are_those_of_the_judge(api: str) -> None:
    operator = borrowed()[api]
    for kind in types_of(operator):
        for call in calls(operator, kind):
            call.check()


def test_every_adapter_has_a_row() -> None:
    from ascendref.borrowed.adapters import ADAPTERS

    named = {row.expression.partition("(")[0] for row in borrowed().values()}
    assert ADAPTERS.keys() == {name for name in named if not name.startswith("aten.")}


SEEDED = [api for api, row in borrowed().items() if {"seed", "seedTensor"} & set(row.arguments)]


@pytest.mark.daily(4)
@pytest.mark.parametrize("api", SEEDED)
def test_random_numbers_follow_from_the_seed_and_the_offset(api: str) -> None:
    found = []
    for seed, offset in ((7, 0), (7, 0), (8, 0), (7, 1)):
        call = good_call(api)
        call.arguments |= {"offset": offset}
        if "seedTensor" in call.arguments:
            call.arguments |= {"seedTensor": call.dev.tensor(np.int64([seed]))}
        else:
            call.arguments |= {"seed": seed}
        call.run()
        found.append(call.arguments[call.written[0].name].numpy().tobytes())
    first, same, *others = found
    assert first == same
    assert first not in others


@pytest.mark.parametrize(
    "api", [api for api in SEEDED if "seedTensor" in borrowed()[api].arguments]
)
def test_seeds_and_offsets_in_tensors_are_read_when_the_task_runs(api: str) -> None:
    numbers = good_call(api.removesuffix("Tensor"))
    numbers.arguments |= {"seed": 9, "offset": 5}
    numbers.run()
    call = good_call(api)
    dev = call.dev
    seed, start = dev.tensor(np.int64([0])), dev.tensor(np.int64([0]))
    call.arguments |= {"seedTensor": seed, "offsetTensor": start, "offset": 2}
    size, executor = getattr(aclnn, f"{api}GetWorkspaceSize")(**call.arguments)
    workspace = dev.malloc(size)
    for tensor, number in ((seed, 9), (start, 3)):
        size, fill = aclnn.aclnnInplaceFillScalarGetWorkspaceSize(tensor, number)
        aclnn.aclnnInplaceFillScalar(dev.malloc(size), size, fill, None)
    getattr(aclnn, api)(workspace, size, executor, None)
    dev.synchronize()
    found, want = (each.arguments[each.written[0].name].numpy() for each in (call, numbers))
    np.testing.assert_array_equal(found, want)


def test_rows_are_quantised_from_both_ends_if_an_offset_is_wanted() -> None:
    dev = ar.Device("Atlas A2")
    x = dev.tensor(np.float32([[1, 2, 3], [-4, 0, 2]]))
    one, two = dev.empty((2, 3), "int8"), dev.empty((2, 3), "int8")
    scales = dev.empty((2,), "float32"), dev.empty((2,), "float32")
    size, executor = aclnn.aclnnDynamicQuantGetWorkspaceSize(x, None, one, scales[0])
    aclnn.aclnnDynamicQuant(dev.malloc(size), size, executor, None)
    size, executor = aclnn.aclnnDynamicQuantV2GetWorkspaceSize(
        x, None, None, 2, two, scales[1], None
    )
    aclnn.aclnnDynamicQuantV2(dev.malloc(size), size, executor, None)
    dev.synchronize()
    np.testing.assert_array_equal(one.numpy(), two.numpy())
    np.testing.assert_array_equal(scales[0].numpy(), scales[1].numpy())


def test_unsigned_integers_and_arguments_that_are_not_computed() -> None:
    dev = ar.Device("Atlas A2")
    x, scale = dev.tensor(np.float32([[-3, 1.4, 700]])), dev.tensor(np.float32([0.5]))
    phase_1 = aclnn.aclnnQuantizeGetWorkspaceSize
    for dtype, code, want in (("uint8", 4, [0, 5, 255]), ("int8", 2, [-4, 5, 127])):
        out = dev.empty((1, 3), dtype)
        size, executor = phase_1(x, scale, dev.tensor(np.int32([2])), code, 0, out)
        aclnn.aclnnQuantize(dev.malloc(size), size, executor, None)
        dev.synchronize()
        np.testing.assert_array_equal(out.numpy(), [want])
    assert "dtype is torch.float32" in refusal(phase_1, x, scale, None, 0, 0, out)[1]
    bytes_, factor = dev.empty((2, 2), "int8"), dev.empty((2,), "float32")
    half, flat = dev.empty((2, 2), "float16"), dev.empty((1,), "float32")
    product = aclnn.aclnnQuantMatmulV4GetWorkspaceSize
    rest = (None, False, False, half)
    assert refusal(product, bytes_, bytes_, factor, None, factor, *rest)[0] == 0
    message = refusal(product, bytes_, bytes_, factor, None, None, *rest)[1]
    assert "without scales of rows, only BF16" in message
    message = refusal(product, bytes_, bytes_, factor, factor, factor, *rest)[1]
    assert "an offset is given" in message
    pool, plane = aclnn.aclnnMaxPoolGetWorkspaceSize, dev.empty((1, 4, 4), "float32")
    pooled = dev.empty((1, 2, 2), "float32")
    assert refusal(pool, plane, [2], [2], 0, [], [], 0, pooled)[0] == 0
    for changes, words in (
        (([2], [2], 1, [], []), "autoPad is 1"),
        (([2], [2], 0, [], [2]), "only 1 is computed"),
        (([2], [2], 0, [1, 0, 1, 0], []), "or 4 equal ones"),
    ):
        assert words in refusal(pool, plane, *changes, 0, pooled)[1]
    exponential = aclnn.aclnnSimThreadExponentialGetWorkspaceSize
    assert "count is 3" in refusal(exponential, factor, 3, 1.0, 0, 0)[1]
    assert "must be above 0" in refusal(exponential, factor, 2, 0.0, 0, 0)[1]
    uniform = aclnn.aclnnInplaceUniformTensorGetWorkspaceSize
    pair = dev.empty((2,), "int64")
    assert "must have one element" in refusal(uniform, flat, 0, 1, pair, pair, 0)[1]
    gate = aclnn.aclnnClippedSwigluGetWorkspaceSize
    shape = dev.empty((1, 2), "float32")
    message = refusal(gate, dev.empty((1, 4), "float32"), pair, -1, 1, 1, 1, True, shape)[1]
    assert "only NULL is computed" in message
