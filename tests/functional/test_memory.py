"""Memory that a call takes: no layout makes a full-size copy."""

from __future__ import annotations

import tracemalloc

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar

from ..support.cases import ARRANGEMENTS

MIB = 1 << 20
SIDE = 2048
LAYOUTS = ("contiguous", "transposed", "reversed", "sliced", "repeated", "unaligned")


def _peak(call):
    call()  # compile first
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module", params=[np.float32, ml_dtypes.bfloat16], ids=["f32", "bf16"])
def data(request):
    rng = np.random.default_rng(1)
    return rng.uniform(0.1, 0.9, (SIDE, SIDE)).astype(request.param)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("operator", [name for name in ar.OPERATORS if name != "prelu_backward"])
def test_an_elementwise_operator_takes_at_most_one_mebibyte(data, operator, layout):
    x = ARRANGEMENTS[layout](data)
    out = np.empty_like(data)
    tensors = (x, data, data)[: len(ar.OPERATORS[operator].tensors)]
    assert _peak(lambda: getattr(ar, operator)(*tensors, out=out)) <= MIB


@pytest.mark.parametrize("layout", ["contiguous", "transposed"])
@pytest.mark.parametrize("operator", [name for name in ar.OPERATORS if name != "prelu_backward"])
def test_truth_takes_no_more_memory(data, operator, layout):
    x = ARRANGEMENTS[layout](data)
    out = np.empty_like(data)
    tensors = (x, data, data)[: len(ar.OPERATORS[operator].tensors)]
    assert _peak(lambda: getattr(ar, operator)(*tensors, out=out, compute_dtype="float64")) <= MIB


@pytest.mark.parametrize("layout", ["contiguous", "transposed"])
def test_true_sums_take_three_partial_sums_per_block(data, layout):
    x, weight = ARRANGEMENTS[layout](data), data[0]
    out = (np.empty_like(data), np.empty_like(weight))
    partial_sums = data.size // 1024 * 3 * 8

    def call():
        ar.prelu_backward(data, x, weight, out=out, compute_dtype="float64")

    assert _peak(call) <= MIB + partial_sums


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("weights", ["one", "per channel"])
def test_prelu_takes_at_most_one_mebibyte_and_its_partial_sums(data, layout, weights):
    x = ARRANGEMENTS[layout](data)
    weight = data[0, :1] if weights == "one" else data[0]
    out = (np.empty_like(data), np.empty_like(weight))
    partial_sums = data.size // 1024 * 4
    assert _peak(lambda: ar.prelu_backward(data, x, weight, out=out)) <= MIB + partial_sums


def test_a_weight_of_many_strided_axes_is_not_copied():
    channels = 1 << 21
    x = np.ones((1, channels), np.float32)
    weight = np.ones((2, 1 << 10, 1 << 10), np.float32).T.reshape(1 << 10, 1 << 10, 2)[::-1]
    out = (np.empty_like(x), np.empty(channels, np.float32))
    assert _peak(lambda: ar.prelu_backward(x, x, weight, out=out)) <= MIB


def test_a_result_is_the_only_large_allocation(data):
    peak = _peak(lambda: ar.softplus_backward(data.T, data))
    assert data.nbytes <= peak <= data.nbytes + MIB
