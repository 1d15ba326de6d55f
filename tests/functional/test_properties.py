"""Properties for any arrays and scalars: the layout never changes the bits."""

from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import ascendref as ar

from ..support.cases import BROADCASTING, ELEMENTWISE, ENGINES, HALVED, SCALARS, TENSORS, numbers
from ..support.correctness import assert_right, is_gradient
from ..support.rounding import FORMATS, assert_bits, assert_same_bits, bits_of

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
        return chosen
    return tuple(
        draw(
            st.sampled_from(list(param.choices))
            if param.choices
            else st.booleans()
            if param.is_flag
            else st.floats(param.least, allow_nan=param.least is None)
        )
        for param in ar.OPERATORS[operator].scalars
    )


@pytest.mark.parametrize("operator", ENGINES)
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
    whole = [np.broadcast_to(array, shape).copy() for array in arrays]
    got = getattr(ar, operator)(*whole, *scalars)
    views = [view_of(array, draw) for array in arrays]
    assert_bits(getattr(ar, operator)(*views, *scalars), got)
    out = view_of(np.zeros(shape, FORMATS[kind].dtype), draw)
    getattr(ar, operator)(*views, *scalars, out=out)
    assert_bits(out, got)
    same = [number for number, size in enumerate(shapes) if size == shape]
    target = views[draw(st.sampled_from(same))]
    getattr(ar, operator)(*views, *scalars, out=target)
    assert_bits(target, got)


@pytest.mark.full
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
    whole = np.broadcast_to(grad, shape).copy(), x, weight
    want = ar.prelu_backward(*whole)
    assert_right("prelu_backward", whole, (), want)
    views = [view_of(array, draw) for array in (grad, x, weight)]
    assert_same_bits(ar.prelu_backward(*views), want)
    out = tuple(view_of(np.zeros(array.shape, array.dtype), draw) for array in want)
    ar.prelu_backward(*views, out=out)
    assert_same_bits(out, want)


@given(data=st.data())
def test_results_are_laid_out_as_numpys(data: Any) -> None:
    shape = tuple(data.draw(st.lists(st.integers(0, 4), max_size=4)))
    shapes = [stretched(shape, data.draw) for _ in range(2)]
    a, b = (view_of(np.ones(size, np.float32), data.draw) for size in shapes)
    for first, second in ((a, b), (b, a)):
        want = np.add(first, second)
        for _ in range(2):  # checked, and from the cache
            got = ar.hardshrink_backward(first, second)
            assert (got.shape, got.flags.owndata) == (np.shape(want), True)
            assert got.strides == np.asarray(want).strides
        assert_bits(got, ar.hardshrink_backward(first.copy(), second.copy()))
    for kind in ("float32", "float64"):
        assert ar.cast(a, kind).strides == a.astype(kind).strides


@pytest.mark.daily(4)
@pytest.mark.parametrize(
    "operator", [name for name in ELEMENTWISE if SCALARS[name][0] and name not in HALVED]
)
@settings(max_examples=150)
@given(data=st.data())
def test_random_scalars(operator: str, data: Any) -> None:
    kind = data.draw(KINDS)
    arrays = [numbers(kind, (60,), seed) for seed in range(len(TENSORS[operator]))]
    scalars = scalars_of(operator, data.draw)
    if (check := ar.OPERATORS[operator].check_scalars) is not None:
        try:
            check(*scalars)
        except ar.ArgumentValueError:
            reject()  # not allowed together
    # thresholds and the data meet: a scalar itself is among the values
    limit = next((float(s) for s in scalars[::-1] if not isinstance(s, str)), 0.0)
    place = next(k for k, name in enumerate(TENSORS[operator]) if not is_gradient(name))
    with np.errstate(over="ignore", invalid="ignore"):
        arrays[place][:2] = limit, -limit
    for compute in (None, "float64"):
        got = getattr(ar, operator)(*arrays, *scalars, compute_dtype=compute)
        assert_right(operator, tuple(arrays), scalars, (got,), compute)


@settings(max_examples=200)
@given(bits=st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=40))
def test_hardshrink_passes_any_bits_of_numbers(bits: list[int]) -> None:
    grad = np.array(bits, np.uint32).view(np.float32)
    got = ar.hardshrink_backward(grad, np.ones_like(grad), 0.5)
    number = ~np.isnan(grad)
    np.testing.assert_array_equal(bits_of(got)[number], bits_of(grad)[number])
    assert np.isnan(got[~number]).all()
