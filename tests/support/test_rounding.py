"""Rounding and decoding as the oracles do it: on numbers worked out by hand, and beside NumPy."""

from fractions import Fraction

import numpy as np
import pytest

from .rounding import FORMATS, array_of, decode, encode, encode_exact, round_integers

INF = float("inf")

# value, bits in that type; u is the unit in the last place of 1
BY_HAND = {
    "float16": [
        (1.0, 0x3C00),
        (-2.0, 0xC000),
        (1 + 2**-11, 0x3C00),  # tie, the even one is below
        (1 + 3 * 2**-11, 0x3C02),  # tie, the even one is above
        (1 + 2**-11 + 2**-52, 0x3C01),  # above the tie by one bit of a float64
        (1 + 3 * 2**-11 - 2**-52, 0x3C01),
        (65504.0, 0x7BFF),
        (65519.99999999999, 0x7BFF),
        (65520.0, 0x7C00),  # the tie with the next power of two overflows
        (2.0**-14, 0x0400),
        (2.0**-14 - 2.0**-26, 0x0400),  # rounds up into the normal numbers
        (2.0**-24, 0x0001),
        (2.0**-25, 0x0000),  # tie between 0 and the smallest subnormal
        (2.0**-25 + 2.0**-77, 0x0001),
        (3 * 2.0**-25, 0x0002),
        (-(2.0**-26), 0x8000),
        (5e-324, 0x0000),
        (1e300, 0x7C00),
        (-INF, 0xFC00),
    ],
    "bfloat16": [
        (1.0, 0x3F80),
        (-2.0, 0xC000),
        (1 + 2**-8, 0x3F80),
        (1 + 3 * 2**-8, 0x3F82),
        # float32 has the ties' neighbours only down to 2**-23: through it these would be ties
        (1 + 2**-8 + 2**-40, 0x3F81),
        (1 + 3 * 2**-8 - 2**-40, 0x3F81),
        ((2 - 2**-7) * 2.0**127, 0x7F7F),
        ((2 - 2**-8) * 2.0**127, 0x7F80),
        ((2 - 2**-8) * 2.0**127 - 2.0**90, 0x7F7F),
        (2.0**-126, 0x0080),
        (2.0**-133, 0x0001),
        (2.0**-134, 0x0000),
        (2.0**-134 + 2.0**-186, 0x0001),
        (3 * 2.0**-134, 0x0002),
        (-1e300, 0xFF80),
        (-0.0, 0x8000),
    ],
    "float32": [
        (1 + 2**-24, 0x3F800000),
        (1 + 3 * 2**-24, 0x3F800002),
        (1 + 2**-24 + 2**-52, 0x3F800001),
        (2.0**-149, 0x00000001),
        (2.0**-150, 0x00000000),
        (3 * 2.0**-150, 0x00000002),
        ((2 - 2**-23) * 2.0**127, 0x7F7FFFFF),
        ((2 - 2**-24) * 2.0**127, 0x7F800000),
        (-(2.0**-126), 0x80800000),
    ],
}


@pytest.mark.parametrize("kind", BY_HAND)
def test_values_worked_out_by_hand(kind: str) -> None:
    values, bits = zip(*BY_HAND[kind], strict=True)
    assert [hex(b) for b in encode(np.array(values), kind)] == [hex(b) for b in bits]
    for value, wanted in BY_HAND[kind]:
        if value and abs(value) < INF:
            assert encode_exact(Fraction(value), kind) == wanted, value


@pytest.mark.parametrize("kind", FORMATS)
def test_nan_stays_nan(kind: str) -> None:
    assert np.isnan(decode(encode(np.array([np.nan, -np.nan]), kind), kind)).all()


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32"])
def test_an_element_is_decoded_and_encoded_to_itself(kind: str) -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    if kind == "float32":
        bits = np.random.default_rng(4).integers(0, 1 << 32, 1 << 16, np.uint32)
        bits[::8] &= 0x807FFFFF  # subnormal numbers
    values = decode(bits, kind)
    number = ~np.isnan(values)
    np.testing.assert_array_equal(encode(values, kind)[number], bits[number])


@pytest.mark.parametrize("kind", ["float16", "float32"])
def test_float64_agrees_with_numpy(kind: str) -> None:
    rng = np.random.default_rng(2)
    values = rng.standard_normal(1 << 14) * 2.0 ** rng.integers(-160, 140, 1 << 14)
    with np.errstate(all="ignore"):
        theirs = values.astype(FORMATS[kind].dtype)
    np.testing.assert_array_equal(array_of(kind, values), theirs)


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32"])
def test_both_roundings_agree(kind: str) -> None:
    rng = np.random.default_rng(3)
    values = rng.standard_normal(2000) * 2.0 ** rng.integers(-150, 130, 2000)
    fractions = [encode_exact(Fraction(float(value)), kind) for value in values]
    zero = encode(values, kind) & (FORMATS[kind].sign - 1) == 0  # a fraction has no signed zero
    np.testing.assert_array_equal(encode(values, kind)[~zero], np.array(fractions)[~zero])


def test_integers_beyond_float64() -> None:
    # 2**62 + 2**54 is a tie of BF16; one more decides it, which float64 could not hold
    values = np.array([2**62 + 2**54, 2**62 + 2**54 + 1, -(2**62) - 2**54 - 1], np.int64)
    np.testing.assert_array_equal(
        round_integers("bfloat16", values), [2.0**62, 2.0**62 + 2.0**55, -(2.0**62) - 2.0**55]
    )
