"""dask arrays that broadcast, however each is cut: the results of one call on NumPy arrays."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ascendref as ar

from ..support.calls import array_function, call
from ..support.cases import ENGINES, SUMMING, numbers
from ..support.rounding import assert_bits, assert_same_bits

da = pytest.importorskip("dask.array")

from ..support.chunks import assert_blocks, computed, cuts, smaller  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Increasing number of chunks")


def assert_same(operator: str, lazy: list[Any], tensors: list[Any], **options: Any) -> None:
    """Assert that lazy results are those of one call."""
    got = call(operator, *lazy, **options)
    assert_same_bits(computed(got), call(operator, *tensors, **options))
    for array in got:
        assert_blocks(array)
    if operator == "prelu_backward" and isinstance(lazy[1], da.Array):
        assert got[0].chunks == lazy[1].chunks


def broadcastable(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return every shape that broadcasts to another one."""
    tails = [shape[k:] for k in range(len(shape) + 1)]
    return list(dict.fromkeys(s for tail in tails for s in product(*[(1, n) for n in tail])))


#: an axis in one chunk, in single elements, and with chunks of size 0
WAYS = (
    lambda size: (size,),
    lambda size: (1,) * size,
    lambda size: (0, *[1] * (size > 1), 0, size - (size > 1), 0),
)


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    "shape",
    [
        (),
        (3,),
        (2, 3),
        *[
            pytest.param(shape, marks=pytest.mark.exhaustive)
            for shape in [(1,), (3, 1), (2, 1, 3), (2, 3, 4), (1, 3, 2, 2), (2, 3, 1, 2)]
        ],
    ],
)
def test_every_gradient_that_broadcasts(shape: tuple[int, ...]) -> None:
    """Among NumPy and dask arrays, each cut in every way."""
    channels = shape[1] if len(shape) > 1 else 1
    x = numbers("float32", shape, 1, tame=True)
    weights = [(), (1, 1), (channels,), (channels, 1, 1)]
    number = 0
    for small in broadcastable(shape):
        grad = numbers("float32", small, 2, tame=True)
        for ways in product((None, *WAYS), repeat=2):
            # the weight takes its turns
            number += 1
            weight = numbers("float32", weights[number % 4], 3, tame=True)
            tensors = [grad, x, weight]
            all_ways = [*ways, (*WAYS, None)[number // 4 % 4]]
            if all_ways == [None] * 3:
                continue
            lazy = [
                t if way is None else da.from_array(t, chunks=tuple(map(way, t.shape)))
                for t, way in zip(tensors, all_ways, strict=True)
            ]
            assert_same("prelu_backward", lazy, tensors)
            if isinstance(lazy[0], da.Array) or isinstance(lazy[1], da.Array):
                assert_same("hardshrink_backward", lazy[:2], tensors[:2])


@given(data=st.data())
def test_any_shapes_in_any_chunks(data: st.DataObject) -> None:
    operator = data.draw(st.sampled_from([*ENGINES, *SUMMING]))
    shape = tuple(data.draw(st.lists(st.integers(0, 4), max_size=4)))
    if shape and data.draw(st.booleans()):  # more than one block of the tree of a sum
        shape = (shape[0] * 700, *shape[1:])
    names = [tensor.name for tensor in ar.OPERATORS[operator].tensors]
    shapes = [shape] * len(names)
    if operator not in SUMMING:
        shapes = [data.draw(smaller(shape)) for _ in names]
    else:
        channels = data.draw(st.sampled_from([1, shape[1] if len(shape) > 1 else 1]))
        weight = data.draw(st.permutations([channels, *[1] * data.draw(st.integers(0, 2))]))
        shapes = [data.draw(smaller(shape)), shape, () if weight == [1] else tuple(weight)]
    kind = data.draw(st.sampled_from(["float32", "bfloat16"]))
    tensors = [numbers(kind, s, k, tame=True) for k, s in enumerate(shapes)]
    lazily = data.draw(
        st.lists(st.booleans(), min_size=len(names), max_size=len(names)).filter(any)
    )
    lazy = [
        da.from_array(t, chunks=data.draw(cuts(t.shape))) if is_lazy else t
        for t, is_lazy in zip(tensors, lazily, strict=True)
    ]
    compute = data.draw(st.sampled_from([None, "bfloat16", "float64"]))
    assert_same(operator, lazy, tensors, compute_dtype=compute)


def test_a_result_without_elements_beside_axes_of_length_one() -> None:
    """dask alone declares length 1."""
    grad, x = np.ones((1, 1), np.float32), np.ones((0, 3), np.float32)
    for lazy in ([da.from_array(grad), x], [grad, da.from_array(x)]):
        assert_same("hardshrink_backward", lazy, [grad, x])


@pytest.mark.parametrize("operator", [n for n, o in ar.OPERATORS.items() if len(o.tensors) > 1])
def test_shapes_that_do_not_fit_have_the_message_of_numpy_arrays(operator: str) -> None:
    names = [tensor.name for tensor in ar.OPERATORS[operator].tensors]
    function = array_function(operator)
    bad = [[(4, 3), (2, 3), (3,)], [(4,), (2, 3), (3,)], [(1, 4), (2, 3), (3,)]]
    if operator == "prelu_backward":
        bad += [[(2, 3), (2, 3), (2,)], [(5, 7), (5, 7), (2, 3)], [(2, 2, 3), (2, 3), (3,)]]
    for shapes in bad:
        tensors = [np.ones(s, np.float32) for s in shapes[: len(names)]]
        with pytest.raises(ar.ArgumentValueError) as want:
            function(*tensors)
        for number in range(len(names)):
            lazy = [da.from_array(t) if k == number else t for k, t in enumerate(tensors)]
            with pytest.raises(ar.ArgumentValueError) as got:
                function(*lazy)
            assert str(got.value) == str(want.value)


def of_unknown_size(array: Any, chunks: Any) -> Any:
    """Return an array as dask's, of which the length of the first axis is not known."""
    lazy = da.from_array(array, chunks=chunks)
    return lazy[da.from_array(np.ones(len(array), bool), chunks=(lazy.chunks[0],))]


def test_axes_of_unknown_size_must_be_cut_alike() -> None:
    x = numbers("float32", (8, 2), 1, tame=True)
    lazy = of_unknown_size(x, (4, 1))
    assert_bits(
        ar.hardshrink_backward(lazy, of_unknown_size(x, (4, 2))).compute(),
        ar.hardshrink_backward(x, x),
    )
    for small in (x[:1], x[0], x[0, 0]):
        got = ar.hardshrink_backward(small, lazy)
        assert np.isnan(got.shape[0])
        assert_bits(got.compute(), ar.hardshrink_backward(small, x))
    # the only chunk of the one would be taken for each of the other's
    for other in (of_unknown_size(x[:4], (4, 2)), of_unknown_size(x, (2, 2))):
        with pytest.raises(
            ar.ArgumentValueError, match=r"^self has shape \(nan, 2\).*axis -2.*compute_chunk_sizes"
        ):
            ar.hardshrink_backward(lazy, other)
    # a chunk of length 1 would be repeated
    short = of_unknown_size(x[:2], (1, 2))
    with pytest.raises(
        ar.ArgumentValueError, match=r"^self has a chunk of length 1 on axis -2.*grad_output has 4"
    ):
        ar.hardshrink_backward(lazy, short).compute(scheduler="synchronous")


def test_unknown_sizes_do_not_fit_known_ones() -> None:
    cube = numbers("float32", (2, 2, 2, 2), 1)
    mask = da.from_array(np.ones(2, bool))
    lazy = da.from_array(cube)
    for axis in range(4):
        lazy = lazy[(*[slice(None)] * axis, mask)]
    assert np.isnan(lazy.shape).all()
    assert_bits(
        ar.hardshrink_backward(cube[0, 0, 0, 0], lazy).compute(),
        ar.hardshrink_backward(cube[0, 0, 0, 0], cube),
    )
    with pytest.raises(
        ar.ArgumentValueError,
        match=r"^self has shape \(nan, nan, nan, nan\), which does not broadcast with \(2,\) of",
    ):
        ar.hardshrink_backward(cube[0, 0, 0], lazy)
    with pytest.raises(ar.ArgumentValueError, match=r"^weight has shape \(nan,\).*terms are"):
        ar.prelu_backward(cube, cube, of_unknown_size(cube[0, 0, 0], 1))
