"""Which bytes a view touches: those of its elements, whatever its strides, and no others."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ascendref as ar
from ascendref.device.checker.shadow import RUNS, Span, gaps_of

SHAPES = st.lists(st.integers(1, 5), min_size=0, max_size=4)
ITEMS = st.sampled_from(["int8", "float16", "float32", "float64"])


def touched(shape: list[int], strides: list[int], offset: int, itemsize: int) -> set[int]:
    """Return the bytes of a view, element by element."""
    found = set()
    for indices in itertools.product(*map(range, shape)):
        first = itemsize * (offset + sum(k * s for k, s in zip(indices, strides, strict=True)))
        found |= set(range(first, first + itemsize))
    return found


@st.composite
def views(draw: Any) -> tuple[list[int], list[int], int, str]:
    """Draw shape, strides and offset in elements, and type, of a view that begins at byte 0."""
    shape = draw(SHAPES)
    strides = [draw(st.integers(-7, 7)) for _ in shape]
    reach = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True))
    return shape, strides, -reach, draw(ITEMS)


@given(views())
@settings(max_examples=300)
def test_the_runs_of_a_view_are_the_bytes_of_its_elements(view: Any) -> None:
    shape, strides, offset, kind = view
    itemsize = np.dtype(kind).itemsize
    wanted = touched(shape, strides, offset, itemsize)
    steps = tuple(step * itemsize for step in strides)
    nbytes = max(wanted) + 1
    gaps = gaps_of(tuple(shape), steps, itemsize)
    runs = list(Span(0, nbytes, "view", gaps).runs())
    assert {byte for low, high in runs for byte in range(low, high)} == wanted
    assert (gaps is None) == (len(wanted) == nbytes)
    # as few as there can be, in order
    assert all(high < low for (_, high), (low, _) in itertools.pairwise(runs))


@given(views(), st.data())
@settings(max_examples=100, deadline=None)
def test_a_read_through_a_view_is_reported_exactly(view: Any, data: Any) -> None:
    """Reads of a byte that nothing wrote, and races with a write of one byte."""
    shape, strides, offset, kind = view
    wanted = touched(shape, strides, offset, np.dtype(kind).itemsize)
    nbytes = max(wanted) + 1
    byte = data.draw(st.integers(0, nbytes - 1))
    dev = ar.Device("Atlas A2", check="report")
    memory = dev.malloc(nbytes)
    if byte:
        dev.memset(memory, 0, byte)
    if byte + 1 < nbytes:
        dev.memset(memory.address + byte + 1, 0, nbytes - byte - 1)
    tensor = ar.Tensor(memory, shape, kind, strides=strides, offset=offset)
    tensor.numpy()
    assert [x.kind for x in dev.hazards] == (["uninitialized-read"] if byte in wanted else [])
    assert all(f"{memory.address + byte:#x} to" in x.problem for x in dev.hazards)
    other = ar.Device("Atlas A2", check="report")
    memory = other.malloc(nbytes)
    other.memset(memory, 0)
    stream = other.create_stream()
    other.memset_async(memory.address + byte, 1, 1, stream=stream)
    ar.Tensor(memory, shape, kind, strides=strides, offset=offset).numpy()
    assert [x.kind for x in other.hazards] == (["race"] if byte in wanted else [])
    stream.synchronize()


@pytest.mark.parametrize(
    ("shape", "strides", "runs"),
    [
        ((2, 2), (0, 3), [(0, 1), (3, 4)]),
        ((100, 100), (3, 3), [(3 * k, 3 * k + 1) for k in range(199)]),  # few of 10,000 elements
        ((20_000, 2), (2, 1), [(0, 40_000)]),
        ((RUNS,), (2,), [(2 * k, 2 * k + 1) for k in range(RUNS)]),
        ((RUNS + 1,), (2,), []),  # too many
        ((2**40, 2**20), (2**20, 2), []),
    ],
)
def test_runs_of_some_views(shape: Any, strides: Any, runs: Any) -> None:
    nbytes = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    assert list(Span(0, nbytes, "view", gaps_of(shape, strides, 1)).runs()) == runs
