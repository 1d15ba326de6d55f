"""Sums of products of doubles without any rounding: fixed-point numbers of 4352 bits.

A sum is an array of 32-bit limbs, each with a sign and 31 spare bits for carries. It covers the
range from the square of the smallest double to the square of the largest (Kulisch's accumulator).
It decides roundings that floating-point arithmetic cannot, which is rare.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ..compiler.jit import helper
from .intrinsics import bits64, from_bits64

#: limbs: products reach from 2**-2148 to 2**2048, and 2**63 of them may be added
LIMBS: Final = 136
#: position of the bit with value 1
_POINT: Final = 2176
#: products that may be added before carries are propagated: each adds less than 2**35 to a limb
CARRY_EVERY: Final = 1 << 27

_LIMB: Final = np.int64(0xFFFFFFFF)
_WIDTH: Final = np.int64(32)
_FRACTION: Final = np.int64((1 << 52) - 1)
_LEADING: Final = np.int64(1 << 52)
_HALF: Final = np.int64((1 << 26) - 1)


@helper
def nothing() -> Any:
    """Return a sum of no terms."""
    return np.zeros(LIMBS, np.int64)


@helper
def _parts(value: Any) -> Any:
    """Return significand and exponent of the magnitude of a finite double."""
    bits = bits64(value)
    stored = (bits >> np.int64(52)) & np.int64(0x7FF)
    fraction = bits & _FRACTION
    if stored == 0:
        return fraction, np.int64(-1074)
    return fraction | _LEADING, stored - np.int64(1075)


@helper
def _deposit(total: Any, piece: Any, position: Any, sign: Any) -> None:
    """Add an integer of at most 54 bits, shifted to a position."""
    limb, shift = position >> np.int64(5), position & np.int64(31)
    total[limb] += sign * ((piece << shift) & _LIMB)
    rest = piece >> (_WIDTH - shift)
    total[limb + 1] += sign * (rest & _LIMB)
    total[limb + 2] += sign * (rest >> _WIDTH)


@helper
def add_product(total: Any, a: Any, b: Any) -> None:
    """Add ``a * b``, both finite."""
    left, left_exponent = _parts(a)
    right, right_exponent = _parts(b)
    sign = np.int64(1 if (a < 0) == (b < 0) else -1)
    position = left_exponent + right_exponent + np.int64(_POINT)
    # four products of halves of 26 and 27 bits
    half = np.int64(26)
    left_low, left_high = left & _HALF, left >> half
    right_low, right_high = right & _HALF, right >> half
    _deposit(total, left_low * right_low, position, sign)
    _deposit(total, left_low * right_high, position + half, sign)
    _deposit(total, left_high * right_low, position + half, sign)
    _deposit(total, left_high * right_high, position + half + half, sign)


@helper
def carry(total: Any) -> None:
    """Propagate carries: every limb except the last is then from 0 to below 2**32."""
    moving = np.int64(0)
    for k in range(LIMBS - 1):
        limb = total[k] + moving
        total[k] = limb & _LIMB
        moving = limb >> _WIDTH
    total[LIMBS - 1] += moving


@helper
def nearest(total: Any) -> Any:
    """Return the sum rounded to a double, and the rounded remainder.

    The sign of the remainder and whether it is 0 are exact, which is all that ``to_odd`` needs.
    """
    carry(total)
    sign = 1.0
    if total[LIMBS - 1] < 0:
        sign = -1.0
        for k in range(LIMBS):
            total[k] = -total[k]
        carry(total)
    top = LIMBS - 1
    while top > 2 and total[top] == 0:
        top -= 1
    # three limbs hold at least 65 bits; lower limbs are merged into a sticky bit of the last one
    last = total[top - 2]
    for k in range(top - 2):
        if total[k] != 0:
            last |= np.int64(1)
            break
    first = np.float64(total[top]) * 2.0**64
    second = np.float64(total[top - 1]) * 2.0**32
    high = first + second
    low = (second - (high - first)) + np.float64(last)
    value = high + low
    rest = low - (value - high)
    return sign * _shifted(value, top), sign * _shifted(rest, top)


@helper
def to_odd(value: Any, rest: Any) -> Any:
    """Return a double with a sticky bit for the remainder, so that it can be rounded again."""
    bits = bits64(value)
    if rest == 0 or bits & np.int64(1):
        return value
    return from_bits64(bits + np.int64(1 if (rest > 0) == (value > 0) else -1))


@helper
def _shifted(value: Any, top: Any) -> Any:
    """Return a value whose unit is the lowest bit of the third limb from ``top`` as it is."""
    power = (top - 2) * 32 - _POINT
    # one factor may be too small or too large for a double
    while power < -960:
        value *= 2.0**-960
        power += 960
    while power > 960:
        value *= 2.0**960
        power -= 960
    return value * 2.0**power


@helper
def sign_of_sum(products: Any) -> Any:
    """Return -1, 0 or 1: the sign of the sum of ``a * b`` over pairs."""
    total = nothing()
    for a, b in products:
        add_product(total, a, b)
    carry(total)
    if total[LIMBS - 1] < 0:
        return -1
    for k in range(LIMBS):
        if total[k] != 0:
            return 1
    return 0
