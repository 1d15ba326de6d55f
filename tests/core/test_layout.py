"""Shapes and strides: overlap within an array, merging of axes, tiles."""

from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ascendref.core.layout import collapse, has_internal_overlap
from ascendref.kernels.loops.tile_plan import tile_plan


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


@pytest.mark.full
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


@pytest.mark.full
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


@pytest.mark.full
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
