"""Distances in representable numbers, against whole numbers that count the numbers of a type."""

from math import inf, nan
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.core.dtypes import ELEMENT_TYPES
from ascendref.verify.comparison.ulp import spacing

from ..support.rounding import FORMATS, array_of, decode, exact

NAN = 2**64 - 1
each_type = pytest.mark.parametrize("kind", FORMATS)


def test_distances_worked_out_by_hand() -> None:
    # from 1 to 2 there are 2**fraction steps, and as many in every other binade
    for kind, form in FORMATS.items():
        binade = 1 << form.fraction
        finite = (1 << form.exponent) - 1  # binades of one sign, the subnormal numbers' included
        smallest = 2.0 ** (1 - form.bias - form.fraction)
        largest = float(exact(np.array([form.infinity - 1], form.raw).view(form.dtype))[0])
        for a, b, steps in [
            (1.0, 1.0, 0),
            (1.0, 2.0, binade),
            (1.0, 1.0 + 2.0**-form.fraction, 1),
            (1.0, 1.0 - 2.0 ** (-form.fraction - 1), 1),
            (-1.0, 4.0, 2 * form.bias * binade + 2 * binade),
            (0.0, -0.0, 0),
            (0.0, smallest, 1),
            (-smallest, smallest, 2),
            (-0.0, 2.0 ** (1 - form.bias), binade),
            (largest, inf, 1),
            (-largest, inf, 2 * finite * binade - 1),
            (-inf, inf, 2 * finite * binade),
            (-inf, -inf, 0),
            (nan, -nan, 0),
            (nan, 0.0, NAN),
            (nan, inf, NAN),
        ]:
            x, y = array_of(kind, np.float64(a)), array_of(kind, np.float64(b))
            assert ar.ulp_distance(x, y) == steps, (kind, a, b)
            assert ar.ulp_distance(y, x) == steps, (kind, b, a)


def position(bits: int, kind: str) -> int | None:
    """Count numbers from 0 to the one with some bits; None for NaN."""
    form = FORMATS[kind]
    magnitude = bits % form.sign
    if magnitude > form.infinity:
        return None
    return -magnitude if bits >= form.sign else magnitude


def distance(a: int, b: int, kind: str) -> int:
    """Return the distance of two numbers with some bits."""
    left, right = position(a, kind), position(b, kind)
    if left is None or right is None:
        return 0 if left is right else NAN
    return abs(left - right)


@each_type
def test_any_bits(kind: str) -> None:
    form = FORMATS[kind]
    rng = np.random.default_rng(8)
    specials = [0, 1, form.infinity - 1, form.infinity, form.infinity + 1, form.sign - 1]
    specials += [form.sign | bits for bits in specials]
    bits = np.array([*specials, *rng.integers(0, 2 * form.sign - 1, 60, np.uint64)], np.uint64)
    x = bits.astype(form.raw).view(form.dtype)
    found = ar.ulp_distance(x[:, None], x)
    assert found.dtype == np.uint64
    wanted = [[distance(a, b, kind) for b in bits.tolist()] for a in bits.tolist()]
    assert found.tolist() == wanted


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_numbers_in_their_order_are_one_step_apart(kind: str) -> None:
    form = FORMATS[kind]
    values = np.unique(decode(np.arange(1 << 16), kind))  # sorted; -0 and +0 are one
    x = array_of(kind, values[~np.isnan(values)])
    assert x.size == 2 * form.infinity + 1
    assert (ar.ulp_distance(x[1:], x[:-1]) == 1).all()
    assert (ar.ulp_distance(x, x[0]) == np.arange(x.size)).all()


def test_other_libraries_and_layouts() -> None:
    class Foreign:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.arange(6.0, dtype=np.float32)[::-2]

    assert ar.ulp_distance(Foreign(), np.array([5, 3, 1.5], np.float32)).tolist() == [0, 0, 1 << 22]
    assert ar.ulp_distance(np.ones((0, 3)), np.ones((2, 1, 3))).shape == (2, 0, 3)
    assert isinstance(ar.ulp_distance(np.float16(1), np.float16(2)), np.uint64)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (np.ones(2, np.float32), np.ones(2), "b has type float64; float32, as a, is expected"),
        (
            np.ones(2, np.int16),
            np.ones(2),
            "a has type int16; allowed are float16, bfloat16, float32, float64 in native byte"
            " order",
        ),
        (
            np.ones((3, 2)),
            np.ones((3, 1, 3)),
            "b has shape (3, 1, 3), which does not broadcast with (3, 2) of a",
        ),
    ],
)
def test_bad_arguments(a: Any, b: Any, message: str) -> None:
    with pytest.raises(ar.ArgumentError) as caught:
        ar.ulp_distance(a, b)
    assert str(caught.value) == message
    assert isinstance(caught.value, TypeError) == ("shape" not in message)


@each_type
def test_the_unit_in_the_last_place(kind: str) -> None:
    form = FORMATS[kind]
    unit, least = 2.0**-form.fraction, 2.0 ** (1 - form.bias - form.fraction)
    normal, last = 2.0 ** (1 - form.bias), 2.0**form.bias
    values, units = zip(
        (1.0, unit),
        (-1.9, unit),
        (2.0, 2 * unit),
        (1 - 2.0**-53, unit / 2),
        (0.0, least),
        (-least, least),
        (normal, least),
        (1.9 * normal, least),
        (2 * normal, 2 * least),
        (5e-324, least),
        (last, unit * last),
        (1.99 * last, unit * last),
        (inf, unit * last),
        strict=True,
    )
    assert spacing(np.array(values), ELEMENT_TYPES[kind]).tolist() == list(units)
