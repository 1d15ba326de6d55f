"""The same bits from serial and parallel kernels, for every number of threads and elements."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
import pytest

import ascendref as ar
from ascendref.core.dtypes import ELEMENT_TYPES
from ascendref.core.threads import PARALLEL_FROM
from ascendref.kernels.loops.array_kernels import PART
from ascendref.kernels.runtime.launch import LAUNCHER, RUNNING

from ..support import calls
from ..support.cases import ARRANGEMENTS, ENGINES, LAUNCHED, SCALARS, SUMMING, numbers, whole_shapes
from ..support.correctness import assert_right
from ..support.processes import run
from ..support.rounding import assert_bits, assert_same_bits, bits_of

#: operator -> scalars whose meaning does not depend on the number of elements
SUMMED = {name: next(s for s in rows if s[:1] != ("mean",)) for name, rows in SCALARS.items()}
SIZES = (PARALLEL_FROM - 1, PARALLEL_FROM, PARALLEL_FROM + 1, 2 * PART + 1, 3 * PART - 1)
#: rows and columns of strided arrays around the threshold
GRIDS = ((127, 258), (128, 256), (129, 255), (33, 1000), (1000, 35), (40000, 1), (1, 40000))
KINDS = ("bfloat16", "float32")


@contextmanager
def serially() -> Iterator[None]:
    """Mark a launch as running, so that calls in here work on their own thread."""
    assert not LAUNCHER._words[RUNNING // 8]
    LAUNCHER._words[RUNNING // 8] = 1
    try:
        yield
    finally:
        LAUNCHER._words[RUNNING // 8] = 0


def call(operator: str, tensors: Any, out: Any = None) -> tuple[Any, ...]:
    """Call an operator with its scalars; return its results as a tuple."""
    return calls.call(operator, *tensors, *SUMMED[operator], out=out)


def vectors(operator: str, kind: str, shape: tuple[int, ...]) -> list[Any]:
    """Return tensors for an operator; the weight has one element per channel."""
    shapes, _ = whole_shapes(operator, shape)
    tame = operator == "prelu_backward"
    return [numbers(kind, size, seed, tame=tame) for seed, size in enumerate(shapes)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("operator", ["silu", *ENGINES])
def test_contiguous_elements_around_the_threshold(operator: str, kind: str, size: int) -> None:
    tensors = vectors(operator, kind, (size,))
    whole = call(operator, tensors)[0]
    with serially():
        assert_bits(call(operator, tensors)[0], whole)
    for part in (slice(0, 5000), slice(size - 5000, size)):
        assert_bits(call(operator, [tensor[part] for tensor in tensors])[0], whole[part])


@pytest.mark.full
@pytest.mark.parametrize("shape", GRIDS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("operator", [*ENGINES, *SUMMING])
def test_strided_elements_around_the_threshold(operator: str, kind: str, shape: Any) -> None:
    tensors = vectors(operator, kind, shape)
    views = [np.asfortranarray(tensor) for tensor in tensors]
    want = call(operator, tensors)
    for inputs in (tensors, views):
        for dense in (True, False):
            out = [np.zeros(array.shape, array.dtype) for array in want]
            if not dense:
                out[0] = np.zeros((*shape[::-1], 2), out[0].dtype)[..., 0].T
            given = tuple(out) if len(out) > 1 else out[0]
            got = call(operator, inputs, given)
            assert_same_bits(got, want)
            with serially():
                assert_same_bits(call(operator, inputs, given), want)


@pytest.mark.parametrize("operator", LAUNCHED)
def test_the_number_of_threads_does_not_change_the_bits(operator: str) -> None:
    before = numba.get_num_threads()
    for shape in ((3, 41, 1300), (200, 700), (1700, 90), (100_001,)):
        tensors = vectors(operator, "float32", shape)
        want = [array.copy() for array in call(operator, tensors)]
        try:
            for threads in range(1, numba.config.NUMBA_NUM_THREADS + 1):
                numba.set_num_threads(threads)
                for _ in range(3):
                    assert_same_bits(call(operator, tensors), want)
                    assert_same_bits(call(operator, [np.asfortranarray(t) for t in tensors]), want)
        finally:
            numba.set_num_threads(before)
        with serially():
            assert_same_bits(call(operator, tensors), want)


@pytest.mark.full
@pytest.mark.parametrize("compute", ["bfloat16", "float64"])
def test_sums_of_other_compute_types_in_parallel(compute: str) -> None:
    for shape in ((2, 30, 1100), (1500, 40)):
        tensors = vectors("prelu_backward", "bfloat16", shape)
        got = ar.prelu_backward(*tensors, compute_dtype=compute)
        assert_right("prelu_backward", tuple(tensors), (), got, compute)


@pytest.mark.full
@pytest.mark.parametrize("layout", ["dense", "reversed"])
def test_the_threshold_decides_which_work_is_launched(layout: str) -> None:
    """The launcher is loaded for large work, and not before."""
    program = f"""
import numpy as np, ascendref as ar
for size in ({PARALLEL_FROM} - 1, {PARALLEL_FROM}):
    x = np.ones(size, np.float32)
    ar.hardshrink_backward(x{"[::-1]" if layout == "reversed" else ""}, x)
    print("launcher" in [row.kernel for row in ar.kernel_statistics()])
"""
    assert run("-c", program, NUMBA_NUM_THREADS="2").split() == ["False", "True"]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("before", [0, 1, 7])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("operator", ["hardshrink_backward", "logit_grad"])
def test_large_results_have_the_bits_of_small_ones(
    operator: str, kind: str, before: int, threads: int
) -> None:
    """A result of 8 MiB goes past the caches, in whole lines, wherever it begins and ends."""
    dtype = ELEMENT_TYPES[kind].numpy
    size = 8 * 1024 * 1024 // dtype.itemsize + 13
    some = numbers(kind, (40_000,), 5), numbers(kind, (40_000,), 6)
    tensors = [np.resize(a, size) for a in some]
    memory = np.full(before + size + 1, 3, dtype)
    with ar.num_threads(threads):
        (got,) = call(operator, tensors, memory[before:-1])
    (period,) = call(operator, some)
    assert_bits(got, np.resize(period, size))
    assert (memory[:before] == 3).all()
    assert memory[-1] == 3


#: views of a large array: what repeats, and others
VIEWS: tuple[Any, ...] = (
    ARRANGEMENTS["repeated"],
    lambda a: np.broadcast_to(a[:1, :1], a.shape),
    lambda a: np.broadcast_to(a[:, :1], a.shape),
    lambda a: a,
    ARRANGEMENTS["unaligned"],
)


@pytest.mark.daily(4)
@pytest.mark.parametrize("columns", [1500, 64, 33, 17, 7])
@pytest.mark.parametrize(
    ("kind", "made"),
    [(kind, kind) for kind in KINDS] + [("float32", "float16"), ("float16", "float64")],
)
@pytest.mark.parametrize("operator", ["hardshrink_backward", "smooth_l1_loss_backward"])
def test_large_broadcasts_have_the_bits_of_contiguous_arrays(
    operator: str, kind: str, made: str, columns: int
) -> None:
    """Tiles of large results begin with a line of the cache, wherever the result begins."""
    shape = (300_000 // columns + 1, columns)
    tensors = vectors(operator, kind, shape)
    size, dtype = tensors[0].size, ELEMENT_TYPES[made].numpy
    for views in itertools.product(VIEWS, repeat=2):
        seen = [view(tensor) for view, tensor in zip(views, tensors, strict=False)] + tensors[2:]
        want = np.empty(shape, dtype)
        call(operator, [tensor.copy() for tensor in seen], want)
        for before, threads in ((1, 1), (9, 2)):
            memory = np.zeros(size + 80, dtype)
            first = -memory.ctypes.data % 64 // dtype.itemsize + before
            out = memory[first:][:size].reshape(shape)
            with ar.num_threads(threads):
                call(operator, seen, out)
            assert np.array_equal(bits_of(out), bits_of(want))
            assert not memory[:first].any()
            assert not memory[first + size :].any()
        if kind == made:
            seen[1] = np.array(seen[1])
            assert np.array_equal(bits_of(call(operator, seen, seen[1])[0]), bits_of(want))
