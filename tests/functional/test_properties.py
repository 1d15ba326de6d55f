"""Properties for any arrays and scalars: the layout never changes the bits."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import ascendref as ar
from ascendref.core.layout import collapse, has_internal_overlap, tile_plan

from ..support.cases import SCALARS, TENSORS, numbers
from ..support.oracles import expected
from ..support.rounding import FORMATS, assert_bits, bits_of

ELEMENTWISE = [name for name in ar.OPERATORS if name != "prelu_backward"]
BROADCASTING = ("hardshrink_backward", "smooth_l1_loss_backward")
KINDS = st.sampled_from(["bfloat16", "float32"])
SHAPES = st.lists(st.integers(0, 9), max_size=4).map(tuple) | st.sampled_from(
    [(40, 70), (3, 33, 35), (1, 1500), (1500, 1), (2, 3, 1, 2, 1, 3, 2, 2), (70, 2, 40)]
)


def view_of(values: Any, draw: Any) -> Any:
    """Lay values out at random: any order of the axes, gaps, either direction, any alignment."""
    rank = values.ndim
    order = draw(st.permutations(range(rank)))
    steps = [draw(st.sampled_from([1, 1, 2, 3, -1, -2])) for _ in range(rank)]
    room = [
        abs(step) * size + draw(st.integers(0, 2))
        for step, size in zip(steps, values.shape, strict=True)
    ]
    count = prod(room)
    shift = draw(st.integers(0, values.itemsize))
    memory = np.zeros((count + 1) * values.itemsize, np.uint8)[shift:]
    whole = memory[: count * values.itemsize].view(values.dtype)
    whole = whole.reshape([room[axis] for axis in order]).transpose(np.argsort(order))
    cut = []
    for step, size in zip(steps, values.shape, strict=True):
        part = slice(0, size * abs(step), abs(step))
        cut.append(part)
    view = whole[(..., *cut)]
    view = view[(..., *[slice(None, None, 1 if step > 0 else -1) for step in steps])]
    assert view.shape == values.shape
    view[...] = values
    return view


def stretched(shape: tuple[int, ...], draw: Any) -> tuple[int, ...]:
    """Return a shape that broadcasts to another."""
    shape = tuple(1 if draw(st.booleans()) else size for size in shape)
    return shape[draw(st.integers(0, len(shape))) :]


def scalars_of(operator: str, draw: Any) -> tuple[Any, ...]:
    """Return scalars of the table, or random ones."""
    if draw(st.booleans()):
        chosen: tuple[Any, ...] = draw(st.sampled_from(SCALARS[operator]))
        return tuple(-1.0 if value is None else value for value in chosen)
    if operator == "smooth_l1_loss_backward":
        return draw(st.sampled_from([0, 1, 2])), draw(st.floats(0, allow_nan=False))
    return tuple(draw(st.floats()) for _ in SCALARS[operator][0])


@pytest.mark.parametrize("operator", ELEMENTWISE)
@settings(max_examples=150)
@given(data=st.data())
def test_the_layout_of_elementwise_operators_does_not_change_the_bits(
    operator: str, data: Any
) -> None:
    draw = data.draw
    kind, shape = draw(KINDS), draw(SHAPES)
    count = len(TENSORS[operator])
    shapes = [shape] * count
    if operator in BROADCASTING:
        shapes = [stretched(shape, draw) for _ in range(count - 1)]
        shapes.insert(draw(st.integers(0, count - 1)), shape)
    arrays = [numbers(kind, size, seed) for seed, size in enumerate(shapes)]
    scalars = scalars_of(operator, draw)
    want = expected(operator, tuple(arrays), scalars)[0]
    views = [view_of(array, draw) for array in arrays]
    got = getattr(ar, operator)(*views, *scalars)
    assert_bits(got, *want)
    out = view_of(np.zeros(shape, FORMATS[kind].dtype), draw)
    getattr(ar, operator)(*views, *scalars, out=out)
    assert_bits(out, got)
    same = [number for number, size in enumerate(shapes) if size == shape]
    target = views[draw(st.sampled_from(same))]
    getattr(ar, operator)(*views, *scalars, out=target)
    assert_bits(target, got)
    whole = [np.broadcast_to(array, shape).copy() for array in arrays]
    assert_bits(getattr(ar, operator)(*whole, *scalars), got)


@settings(max_examples=200)
@given(data=st.data())
def test_the_layout_of_prelu_does_not_change_the_bits(data: Any) -> None:
    draw = data.draw
    kind, shape = draw(KINDS), draw(SHAPES)
    tame = draw(st.booleans())
    x = numbers(kind, shape, 0, tame=tame)
    grad = numbers(kind, stretched(shape, draw), 1, tame=tame)
    channels = shape[1] if len(shape) > 1 else 1
    sizes = [(channels,), (1, channels, 1), (1,), ()] if channels != 1 else [(1,), (1, 1), ()]
    weight = numbers(kind, draw(st.sampled_from(sizes)), 2, tame=tame)
    want = expected("prelu_backward", (grad, x, weight))
    views = [view_of(array, draw) for array in (grad, x, weight)]
    got = ar.prelu_backward(*views)
    out = tuple(view_of(np.zeros(array.shape, array.dtype), draw) for array in got)
    ar.prelu_backward(*views, out=out)
    whole = ar.prelu_backward(np.broadcast_to(grad, shape).copy(), x, weight)
    for actual, strided, dense, alternatives in zip(got, out, whole, want, strict=True):
        assert_bits(actual, *alternatives)
        assert_bits(strided, actual)
        assert_bits(dense, actual)


@pytest.mark.parametrize("operator", ELEMENTWISE)
@settings(max_examples=150)
@given(data=st.data())
def test_random_scalars(operator: str, data: Any) -> None:
    kind = data.draw(KINDS)
    arrays = [numbers(kind, (60,), seed) for seed in range(len(TENSORS[operator]))]
    scalars = scalars_of(operator, data.draw)
    # thresholds and the data meet: a scalar itself is among the values
    limit = np.float64(scalars[-1])
    with np.errstate(over="ignore", invalid="ignore"):
        arrays[operator != "logit_grad"][:2] = limit, -limit
    for compute in (None, "float64"):
        got = getattr(ar, operator)(*arrays, *scalars, compute_dtype=compute)
        assert_bits(got, *expected(operator, tuple(arrays), scalars, compute)[0])


def addresses(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    """Return the address of every element in C order."""
    steps = [
        [index * stride for index in range(size)]
        for size, stride in zip(shape, strides, strict=True)
    ]
    return [sum(part) for part in product(*steps)]


STRIDED = st.lists(st.tuples(st.integers(0, 4), st.integers(-20, 20)), min_size=0, max_size=4).map(
    lambda axes: (tuple(size for size, _ in axes), tuple(stride for _, stride in axes))
)


@settings(max_examples=500)
@given(view=STRIDED, itemsize=st.sampled_from([2, 4]))
@example(view=((3, 0), (4, 4)), itemsize=4)
@example(view=((0, 3, 3), (0, 4, 4)), itemsize=4)
def test_shared_addresses_are_found_exactly(view: Any, itemsize: int) -> None:
    shape, strides = view
    starts = addresses(shape, strides)
    taken = [start + byte for start in starts for byte in range(itemsize)]
    memory = np.zeros(1000, np.uint8)
    array = np.ndarray(shape, f"i{itemsize}", memory, 500, strides)
    assert has_internal_overlap(array) == (len(set(taken)) < len(taken))


@settings(max_examples=300)
@given(view=STRIDED, data=st.data())
def test_collapsing_keeps_every_address_in_order(view: Any, data: Any) -> None:
    shape, strides = view
    other = tuple(data.draw(st.sampled_from([s, 2 * s, 0])) for s in strides)
    sizes, steps = collapse(shape, (strides, other))
    assert 1 not in sizes
    for before, after in zip((strides, other), steps, strict=True):
        assert addresses(sizes, after) == addresses(shape, before)


def walked(plan: Any, tiles: int, operand: int) -> list[int]:
    """Return the addresses that an operand is read at when tiles are walked by their plan."""
    axes, room = plan[:2].tolist()
    lengths, edges, counts = plan[2 : 2 + 3 * axes].reshape(axes, 3).T.tolist()
    strides = plan[2 + (3 + operand) * axes :][:axes].tolist()
    assert prod(counts) == tiles
    assert edges[0] * edges[1] <= min(1024, 2 * room)
    assert set(edges[2:]) <= {1}
    result = []
    for place in product(*map(range, counts)):
        corners = [index * edge for index, edge in zip(place, edges, strict=True)]
        sides = [
            range(corner, min(corner + edge, length))
            for corner, edge, length in zip(corners, edges, lengths, strict=True)
        ]
        # the innermost axis comes first
        for index in product(*reversed(sides)):
            result.append(sum(i * s for i, s in zip(reversed(index), strides, strict=True)))
    return result


@settings(max_examples=100)
@given(data=st.data())
def test_tiles_cover_every_element_once_and_pair_the_operands(data: Any) -> None:
    draw = data.draw
    shape = draw(st.lists(st.integers(1, 40), min_size=1, max_size=3).map(tuple))
    order = draw(st.permutations(range(len(shape))))
    size, dense = 4, [0] * len(shape)
    for axis in order:
        dense[axis] = size * draw(st.sampled_from([1, -1]))
        size *= shape[axis]
    other = tuple(draw(st.sampled_from([stride, 0, 4, 8 * k])) for k, stride in enumerate(dense))
    plan, tiles = tile_plan(shape, (other, tuple(dense)), (4, 4))
    pairs = list(zip(walked(plan, tiles, 0), walked(plan, tiles, 1), strict=True))
    want = list(zip(addresses(shape, other), addresses(shape, tuple(dense)), strict=True))
    assert sorted(pairs) == sorted(want)


@settings(max_examples=200)
@given(bits=st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=40))
def test_hardshrink_passes_any_bits_of_numbers(bits: list[int]) -> None:
    grad = np.array(bits, np.uint32).view(np.float32)
    got = ar.hardshrink_backward(grad, np.ones_like(grad), 0.5)
    number = ~np.isnan(grad)
    np.testing.assert_array_equal(bits_of(got)[number], bits_of(grad)[number])
    assert np.isnan(got[~number]).all()
