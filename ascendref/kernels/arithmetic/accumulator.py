"""Sums of products of doubles without any rounding: fixed-point numbers of 4352 bits.

A sum is an array of 32-bit limbs, each with a sign and 31 spare bits for carries. It covers the
range from the square of the smallest double to the square of the largest (Kulisch's accumulator).
It decides roundings that floating-point arithmetic cannot, which is rare. Compiled code adds, and
Python rounds (``exact_sum.py``).
"""

from typing import Any, Final

import numpy as np

from ..compiler.jit import helper
from .exact_sum import ALL_MINUS, LIMBS, POINT
from .intrinsics import bits64

#: products that may be added before carries are propagated: each adds less than 2**35 to a limb
CARRY_EVERY: Final = 1 << 26

_LIMB: Final = np.int64(0xFFFFFFFF)
_WIDTH: Final = np.int64(32)
_FRACTION: Final = np.int64((1 << 52) - 1)
_LEADING: Final = np.int64(1 << 52)
_HALF: Final = np.int64((1 << 26) - 1)


@helper
def clear(record: Any) -> None:
    for k in range(ALL_MINUS):
        record[k] = 0
    record[ALL_MINUS] = 1


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
    left, left_exponent = _parts(a)
    right, right_exponent = _parts(b)
    sign = np.int64(1 if (a < 0) == (b < 0) else -1)
    position = left_exponent + right_exponent + np.int64(POINT)
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
