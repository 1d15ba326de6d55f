"""Partial sums of prelu's weight gradient: merged, they have the bits of one call."""

import pickle
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ascendref as ar

from ..support.cases import SUM_TYPES, numbers
from ..support.operands import each_type
from ..support.rounding import array_of, assert_bits, assert_same_bits


def data(kind: str, shape: tuple[int, ...], *, tame: bool = False) -> tuple[Any, Any, Any]:
    """Return gradient, input and a weight for each channel."""
    channels = shape[1] if len(shape) > 1 else 1
    return (
        numbers(kind, shape, 1, tame=tame),
        numbers(kind, shape, 2, tame=tame),
        numbers(kind, (channels,), 3, tame=True),
    )


def parts_of(arrays: Any, cuts: list[int], step: int | None, compute: Any) -> Any:
    """Return the results and the partial sums of parts along the first axis.

    ``step`` is the number of terms of one index, where positions are given.
    """
    grad, x, weight = arrays
    made = [
        ar.prelu_partial(
            grad[start:stop],
            x[start:stop],
            weight,
            first=None if step is None else start * step,
            compute_dtype=compute,
        )
        for start, stop in pairwise(cuts)
    ]
    return [result for result, _ in made], [partial for _, partial in made]


def merged(arrays: Any, cuts: list[int], step: int | None, compute: Any, first: int = 0) -> Any:
    """Return the sums of all parts, merged into one of them."""
    _, parts = parts_of(arrays, cuts, step, compute)
    return parts.pop(first).merge(*parts).round()


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("kind", "compute"),
    [
        pytest.param(*types, marks=[pytest.mark.exhaustive] if number % 2 else [])
        for number, types in enumerate(SUM_TYPES)
    ],
)
@pytest.mark.parametrize("tame", [True, False])
@pytest.mark.parametrize("positions", [True, False])
def test_merged_parts_have_the_bits_of_the_whole(
    kind: str, compute: str | None, tame: bool, positions: bool
) -> None:
    arrays = data(kind, (71, 3, 8, 16), tame=tame)
    want = ar.prelu_backward(*arrays, compute_dtype=compute)
    cuts = [0, 8, 8, 40, 56, 64, 71]
    grads, parts = parts_of(arrays, cuts, 128 if positions else None, compute)
    assert_bits(np.concatenate(grads), want[0])
    if positions:
        parts = parts[3:] + parts[:3]
    for total in (
        parts[0].merge(*parts[1:]),
        reduce(ar.Partial.merge, parts),
        parts[0].merge(parts[1]).merge(reduce(ar.Partial.merge, parts[2:])),
        pickle.loads(pickle.dumps(parts[0])).merge(*pickle.loads(pickle.dumps(parts[1:]))),
    ):
        assert (total.terms, total.ranges) == (71 * 128, ((0, 71 * 128),))
        assert_bits(total.round(), want[1])


@pytest.mark.full
@pytest.mark.parametrize(
    "kind",
    [
        "float32",
        *[pytest.param(kind, marks=pytest.mark.exhaustive) for kind in ("float16", "float64")],
    ],
)
def test_exact_sums_may_be_cut_anywhere(kind: str) -> None:
    arrays = data(kind, (97, 5, 3))
    want = ar.prelu_backward(*arrays, compute_dtype="float64")[1]
    _, parts = parts_of(arrays, [0, 1, 7, 8, 50, 97], None, "float64")
    for order in (parts, parts[::-1]):
        assert_bits(order[0].merge(*order[1:]).round(), want)


@pytest.mark.daily(2)
@each_type
def test_exact_sums_that_cancel(kind: str) -> None:
    """What is left after cancellation decides, in another part than what cancels."""
    large, small = (2.0**14, 2.0**-7) if kind == "float16" else (2.0**60, 2.0**-60)
    x = array_of(kind, np.array([-large, small, large, -1, -0.0, 0.0, -small, -small], np.float64))
    grad = array_of(kind, np.array([large, -1, large, 2, 3, 4, small, -1], np.float64))
    signs = array_of(kind, np.array([1, 1, -1, 1, 1, 1, 1, 1], np.float64))
    x, grad = -abs(x), grad * signs
    for cuts in ([0, 8], [0, 1, 2, 3, 8], [0, 2, 4, 6, 8]):
        want = ar.prelu_backward(grad, x, x[:1], compute_dtype="float64")[1]
        assert_bits(merged((grad, x, x[:1]), cuts, 1, "float64", -1), want)


@pytest.mark.full
@pytest.mark.parametrize("compute", [None, "float64"])
@pytest.mark.parametrize(
    "terms",
    [[inf, 1], [inf, -inf], [nan, 1], [-0.0, -0.0], [-0.0, 0.0], [1, -1], [inf, inf], [-inf, 5]],
)
def test_special_values(compute: str | None, terms: list[float]) -> None:
    """Products of any kind, with 1024 neutral terms between them."""
    grad = np.full(2048, -0.0 if compute else 0.0, np.float32)
    x = np.zeros(2048, np.float32)  # products of -0 and 0 are -0
    x[[0, 1024]], grad[[0, 1024]] = -1, np.negative(terms)
    want = ar.prelu_backward(grad, x, x[:1], compute_dtype=compute)[1]
    assert_bits(merged((grad, x, x[:1]), [0, 1024, 2048], None, compute), want)


@pytest.mark.daily(2)
@each_type
def test_rounding_to_other_types_is_rounding_the_exact_sum(kind: str) -> None:
    arrays = data(kind, (300, 2), tame=True)
    _, (part,) = parts_of(arrays, [0, 300], 1, "float64")
    wide = [array.astype(np.float64) for array in arrays]
    _, (same,) = parts_of(wide, [0, 300], 1, "float64")
    for target in ("float16", "bfloat16", "float32", "float64"):
        assert part.round(target).dtype == array_of(target, np.zeros(1)).dtype
        assert_bits(part.round(target), same.round(target))
    with pytest.raises(ar.ArgumentTypeError, match="dtype is 'int8'"):
        part.round("int8")


@pytest.mark.full
@settings(max_examples=50)
@given(
    rows=st.lists(st.integers(0, 5), min_size=1, max_size=6),
    shape=st.sampled_from([(), (3,), (2, 5), (1,)]),
    order=st.randoms(use_true_random=False),
    types=st.sampled_from([("float32", None), ("bfloat16", "float64"), ("float64", None)]),
)
def test_any_parts_in_any_order(
    rows: list[int], shape: tuple[int, ...], order: Any, types: tuple[str, str | None]
) -> None:
    kind, compute = types
    size = 1024 * sum(rows) + 77
    arrays = data(kind, (size, *shape), tame=True)
    if shape and len(shape) > 1:
        arrays = arrays[0], arrays[1], arrays[2][:1]  # one weight for all
    step = int(np.prod(shape[1:])) * (shape[0] if shape and arrays[2].size == 1 else 1)
    cuts = [0, *np.cumsum(np.array(rows) * 1024).tolist(), size]
    want = ar.prelu_backward(*arrays, compute_dtype=compute)[1]
    _, parts = parts_of(arrays, cuts, step, compute)
    order.shuffle(parts)
    while len(parts) > 1:
        parts.append(parts.pop(0).merge(parts.pop(0)))
    assert_bits(parts[0].round(), want)


def test_one_weight_keeps_its_shape() -> None:
    x = -np.ones((2, 3), np.float32)
    for shape in ((), (1,), (1, 1)):
        _, part = ar.prelu_partial(x, x, np.ones(shape, np.float32))
        assert_bits(part.round(), np.full(shape, 6, np.float32))


@pytest.mark.full
def test_no_terms() -> None:
    x, weight = np.ones((0, 3), np.float32), np.ones(3, np.float32)
    for compute in (None, "float64"):
        result, none = ar.prelu_partial(x, x, weight, compute_dtype=compute)
        assert (result.shape, none.terms) == ((0, 3), 0)
        assert_bits(none.round(), np.zeros(3, np.float32))
        one = -np.ones((1, 3), np.float32)
        _, some = ar.prelu_partial(one, one, weight, compute_dtype=compute)
        for total in (none.merge(some), some.merge(none), none.merge(none, some)):
            assert_bits(total.round(), weight)


def test_parts_that_do_not_line_up_are_refused() -> None:
    x, weight = -np.ones(5000, np.float32), np.ones(1, np.float32)
    _, (first, second) = parts_of((x, x, weight), [0, 1000, 5000], None, None)
    with pytest.raises(ar.ArgumentValueError, match=r"others\[0\].*1000.*multiples of 1024"):
        first.merge(second)
    with pytest.raises(ar.ArgumentValueError, match=r"first.*1000.*multiples of 1024"):
        ar.prelu_partial(x, x, weight, first=1000)
    _, placed = ar.prelu_partial(x[:1000], x[:1000], weight, first=0)
    _, behind = ar.prelu_partial(x, x, weight, first=2048)
    with pytest.raises(ar.ArgumentValueError, match=r"others\[0\].*1000"):
        placed.merge(behind)


@pytest.mark.full
def test_terms_that_occur_twice_or_never_are_refused() -> None:
    x, weight = -np.ones(2048, np.float32), np.ones(1, np.float32)
    for compute in (None, "float64"):
        parts = [
            ar.prelu_partial(x[:1024], x[:1024], weight, first=k, compute_dtype=compute)[1]
            for k in (0, 1024, 2048)
        ]
        with pytest.raises(ar.ArgumentValueError, match=r"others\[1\] has term 1024"):
            parts[0].merge(parts[1], parts[1])
        with pytest.raises(ar.ArgumentValueError, match="term 1024 is missing"):
            parts[0].merge(parts[2]).round()
        with pytest.raises(ar.ArgumentValueError, match="term 0 is missing"):
            parts[2].round()
        assert parts[0].merge(parts[2]).merge(parts[1]).round() == 3072


@pytest.mark.full
def test_parts_of_other_sums_are_refused() -> None:
    x, weight = -np.ones((4, 2), np.float32), np.ones(2, np.float32)
    _, part = ar.prelu_partial(x, x, weight)
    half = x.astype(np.float16)
    for other, problem in (
        (ar.prelu_partial(x, x, weight, compute_dtype="float64")[1], "compute_dtype float64"),
        (ar.prelu_partial(half, half, half[0])[1], "dtype float16"),
        (ar.prelu_partial(x, x, weight[:1])[1], r"shape \(1,\)"),
    ):
        with pytest.raises(ar.ArgumentValueError, match=rf"others\[0\] has {problem}"):
            part.merge(other)
    with pytest.raises(ar.ArgumentTypeError, match=r"others\[0\] is 5"):
        part.merge(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("first", "error"), [(-1024, ValueError), ("0", TypeError), (1.5, TypeError)]
)
def test_bad_positions(first: Any, error: type[Exception]) -> None:
    x = np.ones(4, np.float32)
    with pytest.raises(error, match=r"^first is"):
        ar.prelu_partial(x, x, x[:1], first=first)


@pytest.mark.full
def test_parts_of_any_layout() -> None:
    grad, x, weight = data("float32", (64, 6, 64), tame=True)
    want = ar.prelu_backward(grad, x, weight)
    turned = [np.asfortranarray(array) for array in (grad, x)]
    for arrays in (turned, [array[::-1, ::-1][::-1, ::-1] for array in (grad, x)]):
        for compute in (None, "float64"):
            want = ar.prelu_backward(grad, x, weight, compute_dtype=compute)
            got, part = ar.prelu_partial(*arrays, weight, compute_dtype=compute)
            assert_same_bits((got, part.round()), want)
    row = grad[0, 0]
    want = ar.prelu_backward(row, x, weight)
    got, part = ar.prelu_partial(row, x, weight)
    assert_same_bits((got, part.round()), want)


@pytest.mark.full
def test_a_blocks_sums_are_rounded_to_nearest_in_wide_arithmetic() -> None:
    """F64 sums of exact products next to a tie between two doubles."""
    x = -np.array([1, 2.0**-53, 2.0**-120] * 2, np.float64)
    grad = np.array([1, 1, 1, 1, 1, -1], np.float64)
    for cuts in ([0, 6], [0, 3, 6], [0, 1, 2, 3, 4, 5, 6]):
        got = merged((grad, x, x[:1]), cuts, 1, "float64")
        assert_bits(got, ar.prelu_backward(grad, x, x[:1])[1])
        assert got[0] == -2.0  # -(2 + 2**-52) lies in the middle, from which nothing is left over


@pytest.mark.full
@pytest.mark.parametrize("spread", [1, 30, 400])
def test_sums_of_f64_are_the_exact_ones_rounded(spread: int) -> None:
    rng = np.random.default_rng(spread)
    terms, channels = 3000, 5
    x, grad = (
        np.ldexp(
            rng.uniform(-1, 1, (terms, channels)), rng.integers(-spread, spread + 1, terms)[:, None]
        )
        for _ in range(2)
    )
    x = -abs(x)
    # most of the terms cancel
    x[1::2], grad[1::2] = x[::2], -grad[::2] * (1 + 2.0**-45)
    want = [
        float(sum(Fraction(a) * Fraction(b) for a, b in zip(x[:, c], grad[:, c], strict=True)))
        for c in range(channels)
    ]
    weight = np.ones(channels)
    assert_bits(ar.prelu_backward(grad, x, weight)[1], np.array(want))
    assert_bits(merged((grad, x, weight), [0, 1, 2, 500, 3000], 1, None, 3), np.array(want))
