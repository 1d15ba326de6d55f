"""dask arrays in tests: ways to cut an array, and lazy results against what is declared of them."""

from typing import Any

import dask
import dask.array as da
import numpy as np
from hypothesis import strategies as st

from .operands import results


def computed(got: Any) -> tuple[Any, ...]:
    """Return lazy results as arrays, after a look at what is known of them before."""
    lazy = results(got)
    for array in lazy:
        assert isinstance(array, da.Array)
    arrays: tuple[Any, ...] = dask.compute(*lazy, scheduler="synchronous")
    for before, after in zip(lazy, arrays, strict=True):
        assert type(after) is np.ndarray
        assert (before.dtype, before.shape) == (after.dtype, after.shape)
        assert type(before._meta) is np.ndarray
        assert before._meta.dtype == after.dtype
        for chunks, size in zip(before.chunks, after.shape, strict=True):
            assert sum(chunks) == size
    return arrays


def assert_blocks(array: Any) -> None:
    """Assert that every block has the shape that is declared."""
    blocks = array.to_delayed()
    for place, block in zip(
        np.ndindex(array.numblocks),
        dask.compute(*blocks.ravel().tolist(), scheduler="synchronous"),
        strict=True,
    ):
        declared = [sizes[k] for sizes, k in zip(array.chunks, place, strict=True)]
        assert list(block.shape) == declared


@st.composite
def cuts(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Draw chunks for a shape, with chunks of size 0 among them."""
    chunks = []
    for size in shape:
        ends = sorted(draw(st.lists(st.integers(0, size), max_size=3)))
        chunks.append(tuple(np.diff([0, *ends, size]).tolist()))
    return tuple(chunks)


@st.composite
def smaller(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Draw a shape that broadcasts to another one."""
    return tuple(
        [draw(st.sampled_from([1, size])) for size in shape[draw(st.integers(0, len(shape))) :]]
    )
