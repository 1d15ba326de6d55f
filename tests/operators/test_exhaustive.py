"""All 65,536 values of BF16 and F16, through every operator and through the codecs."""

from fractions import Fraction
from functools import cache
from math import inf, nan
from typing import Any

import mpmath
import numpy as np
import pytest
from numba import njit

import ascendref as ar
from ascendref.kernels.arithmetic.codecs import decoder, encoder

from ..support.calls import call
from ..support.cases import ELEMENTWISE, LOSSES, SCALARS, SUM_TYPES
from ..support.correctness import HALVES, assert_right, is_gradient
from ..support.rounding import (
    FORMATS,
    array_of,
    bits_of,
    decode,
    encode,
    encode_exact,
    every,
    exact,
    round_integers,
    round_to,
)
from .entries import ENTRIES

HALF_SUMS = [row for row in SUM_TYPES if row[0] in HALVES]
#: elements per call: below the size from which kernels run in parallel
PIECE = 1 << 14


def gradients(kind: str) -> list[Any]:
    """Return a few gradients: plain, negative, inexact, tiny, huge, special."""
    values = array_of(kind, np.array([1.0, -0.7, 3e-5, 60000.0, -0.0, inf, nan]))
    return [np.full(PIECE, value) for value in values]


@pytest.mark.daily(8)
@pytest.mark.parametrize(
    ("kind", "compute"),
    [
        # by default each type and each of these compute types once
        (kind, compute)
        if (kind, compute) in (("float16", None), ("bfloat16", "float64"))
        else pytest.param(kind, compute, marks=pytest.mark.exhaustive)
        for kind in HALVES
        for compute in (None, "float64", *HALVES)
    ],
)
@pytest.mark.parametrize("operator", [*ELEMENTWISE, *LOSSES])
def test_every_value_through_an_elementwise_operator(
    operator: str, kind: str, compute: str | None
) -> None:
    declared = ar.OPERATORS[operator]
    names = declared.operand_names
    data = [name for name in names if not is_gradient(name)]
    for number, scalars in enumerate([*SCALARS[operator], *ENTRIES[operator].more]):
        others = {name: np.full(PIECE, 0.25 * number).astype(every(kind).dtype) for name in data}
        for gradient in gradients(kind)[number % 3 :: 3][: len(names)]:
            for x in every(kind).reshape(-1, PIECE):
                values = others | {data[0]: x}
                tensors = tuple([values.get(name, gradient) for name in names])
                if declared.is_viewed:
                    tensors = declared.joined(np, [array[None] for array in tensors], scalars)
                got = call(operator, *tensors, *scalars, compute_dtype=compute)
                assert_right(operator, tensors, scalars, got, compute)


@pytest.mark.full
@pytest.mark.parametrize(("kind", "compute"), HALF_SUMS)
def test_every_value_through_prelu(kind: str, compute: str | None) -> None:
    weight = array_of(kind, np.array([0.3]))
    for gradient in gradients(kind):
        for x in every(kind).reshape(4, 1, PIECE):
            tensors = gradient.reshape(1, PIECE), x, weight
            got = ar.prelu_backward(*tensors, compute_dtype=compute)
            assert_right("prelu_backward", tensors, (), got, compute)


@pytest.mark.full
@pytest.mark.parametrize(("kind", "compute"), HALF_SUMS)
def test_every_value_is_its_own_sum(kind: str, compute: str | None) -> None:
    """One term per channel: the sum is the term, the sign of zero included."""
    for x in every(kind).reshape(4, 1, PIECE):
        tensors = np.ones((1, PIECE), x.dtype), x, np.ones(PIECE, x.dtype)
        got = ar.prelu_backward(*tensors, compute_dtype=compute)
        assert_right("prelu_backward", tensors, (), got, compute)


@pytest.mark.parametrize("grad", [1.0, 60000.0, -1e-3])
@pytest.mark.parametrize("kind", HALVES)
def test_exp_is_correctly_rounded_in_half_precision(kind: str, grad: float) -> None:
    """The judge's exp is float64 rounded once; here mpmath decides the close ones."""
    x = every(kind)
    values = exact(x)
    finite = np.isfinite(values)
    with np.errstate(all="ignore"):
        true = np.exp(-values[finite])
    near = round_to(kind, true * (1 - 2.0**-50)) != round_to(kind, true * (1 + 2.0**-50))
    for value, approximation in zip(values[finite][near], true[near], strict=True):
        with mpmath.workprec(200):
            power = mpmath.exp(-mpmath.mpf(value))
            fraction = Fraction(int(mpmath.floor(power * 2**180)), 2**180)
        assert encode_exact(fraction, kind) == encode(np.array([approximation]), kind)[0], value
    g = np.full_like(x, grad)
    for at in range(0, 1 << 16, PIECE):
        piece = g[at : at + PIECE], x[at : at + PIECE]
        got = ar.softplus_backward(*piece, 1.0, inf, compute_dtype=kind)
        assert_right("softplus_backward", piece, (1.0, inf), (got,), kind)


@cache
def loop(convert: Any) -> Any:
    """Return a loop that applies a codec to every element."""

    @njit
    def run(source: Any, target: Any) -> None:
        for i in range(source.size):
            target[i] = convert(source[i])

    return run


def converted(convert: Any, source: Any, dtype: Any) -> Any:
    """Apply a codec to an array."""
    target = np.empty(source.size, dtype)
    loop(convert)(source, target)
    return target


def around_every_tie(kind: str, dtype: Any) -> Any:
    """Return every value of a type, every midpoint of neighbours, and both neighbours of each."""
    form = FORMATS[kind]
    upward = decode(np.arange(form.infinity, dtype=np.uint16), kind)
    # beyond the largest number the next power of two takes the part of the neighbour
    following = np.append(upward[1:], 2.0 ** (form.bias + 1))
    middle = upward + (following - upward) / 2
    points = np.concatenate([upward, middle]).astype(dtype)
    assert (points == np.concatenate([upward, middle])).all()
    with np.errstate(over="ignore", under="ignore"):
        points = np.concatenate(
            [points, np.nextafter(points, dtype(inf)), np.nextafter(points, dtype(-inf))]
        )
    points = np.concatenate([points, np.array([inf, np.finfo(dtype).max], dtype)])
    return np.concatenate([points, -points])


@pytest.mark.parametrize("register", [np.float32, np.float64])
@pytest.mark.parametrize("kind", HALVES)
def test_encode_at_every_value_and_around_every_tie(kind: str, register: Any) -> None:
    values = around_every_tie(kind, register)
    compute = "float32" if register is np.float32 else "float64"
    got = converted(encoder(compute, kind), values, np.uint16)
    np.testing.assert_array_equal(got, encode(values.astype(np.float64), kind))


@pytest.mark.parametrize("kind", HALVES)
def test_float64_data_rounds_once_on_its_way_to_half_precision(kind: str) -> None:
    values = around_every_tie(kind, np.float64)
    got = converted(decoder("float64", kind), values, np.float32)
    np.testing.assert_array_equal(bits_of(got), bits_of(round_to(kind, values).astype(np.float32)))


@pytest.mark.parametrize("kind", HALVES)
def test_integers_round_once_on_their_way_to_half_precision(kind: str) -> None:
    powers = [2**power for power in range(1, 63)]
    # ties of a number with 8 or 11 significant bits, and one more or less
    ties = [p + (p >> shift) * odd for p in powers for shift in (8, 11) for odd in (1, 3)]
    numbers = [tie + step for tie in ties for step in (-1, 0, 1)]
    fits = [n for n in numbers if n < 2**63]
    values = np.array(fits + [-n for n in fits] + [2**63 - 1, -(2**63), 0], np.int64)
    got = converted(decoder("int64", kind), values, np.float32)
    np.testing.assert_array_equal(got, round_integers(kind, values).astype(np.float32))


@pytest.mark.full
@pytest.mark.parametrize("register", [np.float32, np.float64])
def test_int64_rounds_once_on_its_way_to_a_register(register: Any) -> None:
    kind = np.dtype(register).name
    bits = FORMATS[kind].fraction + 1
    ties = [2**p + 2 ** (p - bits) * odd for p in range(bits, 63) for odd in (1, 3)]
    numbers = [tie + step for tie in ties for step in (-1, 0, 1)]
    values = np.array(numbers + [-n for n in numbers] + [2**63 - 1, -(2**63)], np.int64)
    got = converted(decoder("int64", kind), values, register)
    np.testing.assert_array_equal(got, round_integers(kind, values).astype(register))


@pytest.mark.parametrize("kind", HALVES)
def test_every_element_decodes_to_its_value_and_back(kind: str) -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    for compute, register in (("float32", np.float32), ("float64", np.float64)):
        values = converted(decoder(kind, compute), bits, register)
        number = ~np.isnan(decode(bits, kind))
        np.testing.assert_array_equal(np.isnan(values), ~number)
        # a conversion does not turn -0 into 0
        np.testing.assert_array_equal(
            bits_of(values[number]), bits_of(decode(bits[number], kind).astype(register))
        )
        back = converted(encoder(compute, kind), values, np.uint16)
        np.testing.assert_array_equal(back[number], bits[number])
        assert np.isnan(decode(back[~number], kind)).all()


@pytest.mark.parametrize("kind", HALVES)
@pytest.mark.parametrize("compute", ["float32", "float64"])
def test_a_nan_with_any_payload_stays_a_nan(kind: str, compute: str) -> None:
    form = FORMATS[compute]
    payloads = [1 << bit for bit in range(form.fraction)] + [(1 << form.fraction) - 1]
    bits = [sign | form.infinity | payload for payload in payloads for sign in (0, form.sign)]
    values = np.array(bits, form.raw).view(form.dtype)
    got = decode(converted(encoder(compute, kind), values, np.uint16), kind)
    assert np.isnan(got).all()


def test_a_cast_after_the_result_rounds_a_second_time() -> None:
    """The result is rounded to its own type first, then cast: by definition two roundings."""
    value = np.array([1 + 2.0**-8 + 2.0**-40])
    once = converted(encoder("float64", "bfloat16"), value, np.uint16)
    narrow = converted(encoder("float64", "float32"), value, np.float32)
    twice = converted(encoder("float32", "bfloat16"), narrow, np.uint16)
    assert (once[0], twice[0]) == (0x3F81, 0x3F80)
