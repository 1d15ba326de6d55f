"""The walk over tiles with operands whose elements have different sizes."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.cases import ARRANGEMENTS, SCALARS, numbers
from ..support.processes import run_program
from ..support.rounding import FORMATS, assert_bits

#: operator, types of its tensors, type of the result: elements of 1, 2, 4 and 8 bytes meet
SIZES: list[tuple[str, tuple[str, ...], str]] = [
    ("softplus_backward", ("float16", "bool"), "float16"),
    ("softplus_backward", ("float32", "int8"), "float32"),
    ("softplus_backward", ("bfloat16", "int64"), "float32"),
    ("softplus_backward", ("float64", "int16"), "float64"),
    ("hardshrink_backward", ("float64", "bfloat16"), "float64"),
    ("hardshrink_backward", ("float16", "float32"), "float32"),
    ("hardshrink_backward", ("bfloat16", "bfloat16"), "float64"),
    ("hardshrink_backward", ("float64", "float64"), "float16"),
    ("smooth_l1_loss_backward", ("float32", "bfloat16", "bfloat16"), "float32"),
    ("smooth_l1_loss_backward", ("float16", "float64", "float64"), "float64"),
]
#: three axes without a common multiple; tiles that are cut off on both axes; rows and columns
SHAPES = ((5, 33, 37), (70, 41), (3, 1100), (1100, 3))
INPUTS = ("contiguous", "transposed", "sliced", "reversed", "unaligned", "repeated")
OUTPUTS = ("contiguous", "transposed", "sliced", "unaligned")


@pytest.mark.full
@pytest.mark.parametrize(("operator", "kinds", "out"), SIZES, ids=lambda value: str(value))
def test_elements_of_several_sizes(operator: str, kinds: tuple[str, ...], out: str) -> None:
    scalars = SCALARS[operator][1]
    for shape in SHAPES:
        tensors = [numbers(kind, shape, seed) for seed, kind in enumerate(kinds)]
        want = np.empty(shape, FORMATS[out].dtype)
        getattr(ar, operator)(*tensors, *scalars, out=want)
        for first, last in product(INPUTS, OUTPUTS):
            # every tensor is laid out in another way
            ways = [INPUTS[(INPUTS.index(first) + k) % len(INPUTS)] for k in range(len(tensors))]
            views = [ARRANGEMENTS[way](t) for way, t in zip(ways, tensors, strict=True)]
            target = ARRANGEMENTS[last](np.full(shape, 77, FORMATS[out].dtype))
            getattr(ar, operator)(*views, *scalars, out=target)
            if "repeated" in ways:
                copies = [view.copy() for view in views]
                same = getattr(ar, operator)(*copies, *scalars, out=np.empty_like(want))
                assert_bits(target, same)
            else:
                assert_bits(target, want)


@pytest.mark.parametrize(
    ("operator", "kinds", "out"),
    [row for row in SIZES if row[0] != "softplus_backward"],
    ids=lambda value: str(value),
)
def test_broadcast_elements_of_several_sizes(
    operator: str, kinds: tuple[str, ...], out: str
) -> None:
    scalars = SCALARS[operator][1]
    shapes = [(41, 1), (70, 1, 5), (70, 41, 5)][-len(kinds) :]
    tensors = [
        numbers(kind, shape, seed)
        for seed, (kind, shape) in enumerate(zip(kinds, shapes, strict=True))
    ]
    want = np.empty((70, 41, 5), FORMATS[out].dtype)
    whole = [np.broadcast_to(tensor, want.shape).copy() for tensor in tensors]
    getattr(ar, operator)(*whole, *scalars, out=want)
    for first, last in product(("contiguous", "reversed", "unaligned"), OUTPUTS):
        views = [ARRANGEMENTS[first](tensor) for tensor in tensors]
        target = ARRANGEMENTS[last](np.full((70, 41, 5), 77, FORMATS[out].dtype))
        assert getattr(ar, operator)(*views, *scalars, out=target) is target
        assert_bits(target, want)


@pytest.mark.parametrize(
    ("kinds", "place"), [(("float64", "bfloat16"), 0), (("float16", "float32"), 1)]
)
@pytest.mark.parametrize("way", ["contiguous", "transposed", "sliced", "reversed", "unaligned"])
def test_in_place_with_elements_of_several_sizes(
    kinds: tuple[str, str], place: int, way: str
) -> None:
    tensors = [numbers(kind, (5, 33, 37), seed) for seed, kind in enumerate(kinds)]
    want = ar.hardshrink_backward(*tensors, 0.1)
    views: list[Any] = [ARRANGEMENTS[way](tensor) for tensor in tensors]
    assert want.dtype == views[place].dtype
    ar.hardshrink_backward(*views, 0.1, out=views[place])
    assert_bits(views[place], want)


@pytest.mark.parametrize("length", [63, 64, 256, 300])
@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_rows_of_wider_arrays(kind: str, length: int) -> None:
    """Long rows are computed where they are, whichever of them are a single one, or the result."""
    grad, x, target = [numbers(kind, (37, length + 2), seed) for seed in range(3)]
    inner = slice(None), slice(1, length + 1)
    for of_grad, of_x in product((slice(None), slice(5, 6)), repeat=2):
        rows = grad[inner][of_grad], x[inner][of_x]
        want = ar.hardshrink_backward(*[row.copy() for row in rows], 0.1)
        before, got = target.copy(), target.copy()
        if want.shape[0] > 1:
            ar.hardshrink_backward(*rows, 0.1, out=got[inner])
            before[inner] = want
            assert_bits(got, before)
    want = ar.hardshrink_backward(grad[inner].copy(), x[inner].copy(), 0.1)
    ar.hardshrink_backward(grad[inner], x[inner], 0.1, out=grad[inner])
    assert_bits(grad[inner], want)


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("threads", [1, 2])
def test_rows_of_several_tiles(rows: int, threads: int) -> None:
    """Rows apart from each other, one for all rows, and whole arrays that are transposed."""
    grad, x = [numbers("float32", (rows, 40_005), seed) for seed in range(2)]
    inner = slice(None), slice(2, 40_003)
    want = ar.hardshrink_backward(grad[inner].copy(), x[inner].copy(), 0.1)
    with ar.num_threads(threads):
        got = x.copy()
        ar.hardshrink_backward(grad[inner], x[inner], 0.1, out=got[inner])
        assert_bits(got[inner], want)
        assert_bits(got[:, [0, 1, -2, -1]], x[:, [0, 1, -2, -1]])
        one = ar.hardshrink_backward(np.broadcast_to(grad[:1], grad.shape), x, 0.1)
        assert_bits(one[:1], ar.hardshrink_backward(grad[:1].copy(), x[:1].copy(), 0.1))
        turned = [np.asfortranarray(array) for array in (grad, x)]
        assert_bits(ar.hardshrink_backward(*turned, 0.1)[inner], want)
        assert_bits(ar.hardshrink_backward(*turned, 0.1, out=turned[1])[inner], want)


def test_large_operands_with_gaps() -> None:
    values = np.random.default_rng(0).normal(size=(2, 700_000, 2)).astype(np.float32)
    grad, x = values[:, :, 0]
    want = ar.hardshrink_backward(grad.copy(), x.copy(), 0.1)
    assert_bits(ar.hardshrink_backward(grad, x, 0.1), want)
    assert_bits(ar.hardshrink_backward(grad, x, 0.1, out=x), want)


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64"])
def test_halves_in_rows_and_tiles(kind: str) -> None:
    """Both halves of a gradient are one loop's results, in arrays of any layout."""
    grad, x = numbers(kind, (70, 300), 0), numbers(kind, (70, 600), 1)
    want = ar.glu_backward(grad, x, 1)
    for first, last in product(INPUTS[:-1], OUTPUTS):
        views = [ARRANGEMENTS[first](tensor) for tensor in (grad, x)]
        target = ARRANGEMENTS[last](np.full((70, 600), 77, FORMATS[kind].dtype))
        assert_bits(ar.glu_backward(*views, 1, out=target), want)
        target = ARRANGEMENTS[last](np.full((600, 70), 77, FORMATS[kind].dtype))
        assert_bits(ar.glu_backward(*[view.T for view in views], 0, out=target), want.T)
    again = x.copy()
    assert_bits(ar.glu_backward(grad, again, 1, out=again), want)


def test_the_first_call_on_strided_arrays_may_be_in_place() -> None:
    """What copies tiles of the result from buffers is loaded then, before anything is written."""
    assert run_program("in_place") == "True\nTrue"
