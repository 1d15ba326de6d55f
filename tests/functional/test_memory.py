"""Memory that a call takes: no layout makes a full-size copy."""

import tracemalloc

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar

from ..support.cases import ARRANGEMENTS, ENGINES

MIB = 1 << 20
SIDE = 2048
LAYOUTS = ("contiguous", "transposed", "reversed", "sliced", "repeated", "unaligned")


def _peak(call):
    for _ in range(2):  # compile first; a call on strided arrays is cached at its second occurrence
        call()
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


#: compute types and the layouts that are measured with them
CASES = [(None, layout) for layout in LAYOUTS] + [("float64", layout) for layout in LAYOUTS[:2]]


@pytest.mark.parametrize(("compute", "layout"), CASES)
@pytest.mark.parametrize("operator", ENGINES)
def test_an_elementwise_operator_takes_at_most_one_mebibyte(data, operator, compute, layout):
    x = ARRANGEMENTS[layout](data)
    out = np.empty_like(data)
    tensors = (x, data, data)[: len(ar.OPERATORS[operator].tensors)]
    assert _peak(lambda: getattr(ar, operator)(*tensors, out=out, compute_dtype=compute)) <= MIB


@pytest.mark.full
@pytest.mark.parametrize(("compute", "layout"), CASES)
@pytest.mark.parametrize("weights", ["one", "per channel"])
def test_prelu_takes_at_most_one_mebibyte_and_its_partial_sums(data, compute, layout, weights):
    x = ARRANGEMENTS[layout](data)
    weight = data[0, :1] if weights == "one" else data[0]
    out = (np.empty_like(data), np.empty_like(weight))
    partial_sums = data.size // 1024 * (4 if compute is None else 3 * 8)
    peak = _peak(lambda: ar.prelu_backward(data, x, weight, out=out, compute_dtype=compute))
    assert peak <= MIB + partial_sums


@pytest.mark.full
def test_a_weight_of_many_strided_axes_is_not_copied():
    channels = 1 << 21
    x = np.ones((1, channels), np.float32)
    weight = np.ones((2, 1 << 10, 1 << 10), np.float32).T.reshape(1 << 10, 1 << 10, 2)[::-1]
    out = (np.empty_like(x), np.empty(channels, np.float32))
    assert _peak(lambda: ar.prelu_backward(x, x, weight, out=out)) <= MIB


@pytest.mark.usefixtures("empty_call_cache")  # the last call's may make a result in vain
def test_a_result_is_the_only_large_allocation(data):
    peak = _peak(lambda: ar.softplus_backward(data.T, data))
    assert data.nbytes <= peak <= data.nbytes + MIB
