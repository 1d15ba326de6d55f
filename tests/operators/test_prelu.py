"""Edges of prelu: branches, channels, weights and sums."""

from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.cases import FLOATS, numbers
from ..support.operands import each_type
from ..support.rounding import FORMATS, array_of, assert_bits, assert_same_bits


def array(kind: str, values: Any) -> Any:
    """Return an array of a type."""
    return array_of(kind, np.array(values, np.float64))


#: what a row shows -> gradient, input, weight and both results
ROWS: dict[str, tuple[Any, ...]] = {
    "the channel is axis 1": (
        1, [[[-1, -2], [-3, -4], [-5, -6]]], [2, 3, 4], [[[2, 2], [3, 3], [4, 4]]], [-3, -7, -11]),
    **{f"one weight of shape {shape} serves all channels and keeps its shape": (
        1, [[-1, -2, 3]], np.full(shape, 2), [[2, 2, 1]], np.full(shape, -3))
       for shape in ((), (1,), (1, 1, 1))},
    **{f"a weight of shape {shape} is read in C order": (
        1, [[-1] * 4], np.reshape([1, 2, 3, 4], shape), [[1, 2, 3, 4]], [-1] * 4)
       for shape in ((4,), (2, 2), (1, 4, 1, 1), (4, 1))},
    "rank 0 has one channel": (1, -2, [3], 3, [-2]),
    "rank 1 has one channel": (1, [-2] * 5, [3], [3] * 5, [-10]),
    **{f"a gradient of rank {rank} counts once per element": (
        np.reshape([1, 2], (1, 2)[-rank:]), [[-1, -2], [-3, 4], [5, -6]], [1, 10],
        [[1, 20], [1, 2], [1, 20]], [-4, -16]) for rank in (1, 2)},
}  # fmt: skip


@pytest.mark.full
@each_type
@pytest.mark.parametrize("row", ROWS)
def test_results(kind: str, row: str) -> None:
    grad, x, weight, *results = [array(kind, values) for values in ROWS[row]]
    for given in (weight, np.asfortranarray(weight)):
        got = ar.prelu_backward(grad, x, given.reshape(weight.shape))
        assert_same_bits(got, results)


@pytest.mark.parametrize(
    ("x", "shape"),
    [*[((4, 3), shape) for shape in ((2,), (4,), (12,), (0,), (3, 2))], ((), (5,)), ((5,), (5,))],
)
def test_other_counts_of_weights_are_refused(x: Any, shape: Any) -> None:
    x = np.ones(x, np.float32)
    with pytest.raises(ar.ArgumentValueError, match="weight"):
        ar.prelu_backward(x, x, np.ones(shape, np.float32))


def test_a_result_of_the_weights_shape_is_refused_for_several_channels() -> None:
    x = np.ones((1, 3, 2, 2), np.float32)
    out = np.empty_like(x), np.empty((1, 3, 1, 1), np.float32)
    with pytest.raises(ar.ArgumentValueError, match=r"out\[1\]"):
        ar.prelu_backward(x, x, np.ones((1, 3, 1, 1), np.float32), out=out)


@pytest.mark.parametrize("grad", [(2, 3), (3,), (4, 3, 1), (1, 4, 3)])
def test_a_gradient_that_does_not_broadcast_to_the_input_is_refused(grad: Any) -> None:
    x = np.ones((4, 3), np.float32)
    if grad == (3,):
        assert ar.prelu_backward(np.ones(grad, np.float32), x, x[0])[0].shape == (4, 3)
        return
    with pytest.raises(ar.ArgumentValueError, match="grad_output"):
        ar.prelu_backward(np.ones(grad, np.float32), x, x[0])


@each_type
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 4), (2, 4, 0)])
def test_empty_input_has_sums_of_zero(kind: str, shape: Any) -> None:
    x = np.empty(shape, FORMATS[kind].dtype)
    channels = shape[1] if len(shape) > 1 else 1
    weight = np.ones(channels, x.dtype)
    out = np.empty_like(x), np.full(channels, 77, x.dtype)
    for got in (ar.prelu_backward(x, x, weight), ar.prelu_backward(x, x, weight, out=out)):
        assert got[0].shape == shape
        assert_bits(got[1], np.zeros(channels, x.dtype))


@pytest.mark.parametrize(
    "grad", [pytest.param(x, marks=[] if x == "float32" else pytest.mark.full) for x in FLOATS]
)
def test_types_must_be_equal(grad: str) -> None:
    for x, weight in ((x, weight) for x in FLOATS for weight in FLOATS):
        arrays = [np.ones(1, FORMATS[kind].dtype) for kind in (grad, x, weight)]
        if grad == x == weight:
            assert ar.prelu_backward(*arrays)[1].dtype == arrays[0].dtype
        else:
            with pytest.raises(ar.ArgumentTypeError, match=r"self|weight"):
                ar.prelu_backward(*arrays)


def test_the_sum_is_rounded_once_at_the_end() -> None:
    """257 ones cannot be added in BF16 arithmetic, which stops at 256 of them; F32 holds them."""
    x = np.full(1 + 2 * 512 + 256, -1, FORMATS["bfloat16"].dtype)
    grad = np.ones_like(x)
    got = ar.prelu_backward(grad, x, x[:1])[1]
    assert_bits(got, array("bfloat16", [-1281]))


def test_running_sums_take_their_terms_in_order() -> None:
    """17 terms in float32: the first and the last share a running sum, 2**24 comes first."""
    values = np.zeros(33, np.float32)
    values[0], values[16], values[32] = 2.0**24, 1, 1
    got = ar.prelu_backward(values, np.full(33, -1, np.float32), np.ones(1, np.float32))[1]
    assert got[0] == -(2.0**24)  # (2**24 + 1) + 1, where 1 + 1 first would give 2**24 + 2


@pytest.mark.parametrize("compute", [None, "float64"])
@pytest.mark.parametrize(
    "shape",
    [
        *[(terms, 40) for terms in (1, 7, 17, 100, 1000, 1023, 1024, 1025, 2056, 3500)],
        *[(1030, channels) for channels in (64, 70, 130)],
        *[(70, 5, 3), (90, 3, 7, 7), (7, 2, 16), (3, 2, 1100)],
    ],
)
def test_the_bits_of_a_channel_depend_on_its_terms_alone(
    shape: tuple[int, ...], compute: str | None
) -> None:
    """They are the same on its own and among others, in every layout."""
    x, grad = (numbers("float32", shape, seed, tame=True) for seed in (1, 2))
    weight = numbers("float32", shape[1:2], 3, tame=True)
    layouts = [[np.array(a, order=order) for a in (grad, x)] for order in ("C", "F")]
    out = np.empty(shape, np.float32, order="F"), np.empty_like(weight)
    whole = [ar.prelu_backward(*arrays, weight, compute_dtype=compute) for arrays in layouts]
    whole.append(ar.prelu_backward(*layouts[1], weight, out=out, compute_dtype=compute))
    for c in range(shape[1]):
        alone = [np.ascontiguousarray(a[:, c]).reshape(-1) for a in (grad, x)]
        result, total = ar.prelu_backward(*alone, weight[c : c + 1], compute_dtype=compute)
        for results, sums in whole:
            assert_bits(results[:, c].reshape(-1), result)
            assert_bits(sums[c : c + 1], total)


def test_sums_may_replace_a_gradient_that_broadcasts() -> None:
    """The second result is exactly the view of grad_output, which every channel still reads."""
    x = np.full((2, 64, 64), -1, np.float32)
    grad, weight = np.arange(64, dtype=np.float32), np.ones(64, np.float32)
    want = ar.prelu_backward(grad, x, weight)
    got = ar.prelu_backward(grad, x, weight, out=(np.empty_like(x), grad))
    assert got[1] is grad
    assert_same_bits(got, want)


def test_two_results_in_one_memory_are_refused() -> None:
    x = np.ones((1, 4), np.float32)
    memory = np.full(6, 77, np.float32)
    with pytest.raises(ar.ArgumentValueError, match=r"out\[1\]"):
        ar.prelu_backward(x, x, x[0], out=(memory[:4].reshape(1, 4), memory[2:]))
    assert (memory == 77).all()
