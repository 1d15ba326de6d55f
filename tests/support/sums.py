"""Sums per channel: in the order that defines their bits, and exact ones rounded once."""

from fractions import Fraction
from typing import Any

import numpy as np

from .rounding import FORMATS, decode, encode, encode_exact, round_to

Array = np.ndarray[Any, Any]


def channels_of(array: Array, weight: Array) -> Array:
    """Return the elements as rows, one for each channel: of axis 1 if the weight has several."""
    if weight.size == 1:
        return array.reshape(1, -1)
    count = array.shape[1]
    return np.moveaxis(array, 1, 0).reshape(count, array.size // max(count, 1))


def tree_sum(rows: Array, kind: str) -> Array:
    """Add each row in a type, as float64 numbers; an empty row gives +0.

    Blocks of 1024 terms; term k of a block goes to running sum k mod 16, which starts at -0 and
    takes its terms in order; the upper half of the sixteen is added to the lower until one is left;
    blocks are added in neighbouring pairs, an odd last one moving up.
    """

    def rnd(value: Any) -> Any:
        return value if kind == "float32" else round_to(kind, value)

    count, terms = rows.shape
    if terms == 0:
        return np.zeros(count)
    register = np.float32 if kind == "float32" else np.float64
    blocks = -(-terms // 1024)
    length = 1024 if blocks > 1 else -(-terms // 16) * 16
    padded = np.full((count, blocks * length), -0.0, register)  # x + -0 is x, signed zeros too
    padded[:, :terms] = rows
    steps = padded.reshape(count, blocks, length // 16, 16)
    sums = np.full((count, blocks, 16), -0.0, register)
    for step in range(length // 16):
        sums = rnd(sums + steps[:, :, step])
    while sums.shape[2] > 1:
        half = sums.shape[2] // 2
        sums = rnd(sums[:, :, :half] + sums[:, :, half:])
    level = [sums[:, block, 0] for block in range(blocks)]
    while len(level) > 1:
        pairs = [rnd(x + y) for x, y in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[2 * len(pairs) :]
    return level[0].astype(np.float64)


def exact_sums(a: Array, b: Array, kind: str) -> list[Array]:
    """Return the bits of the sums of each row's products: of all that are less than 1 ulp off.

    There are several in F64 alone; elsewhere the sum is rounded once.
    """
    columns = zip(*[_exact_sum(*row, kind) for row in zip(a, b, strict=True)], strict=True)
    found = [np.array(column, FORMATS[kind].raw) for column in columns]
    return found or [np.zeros(0, FORMATS[kind].raw)]


def _exact_sum(a: Array, b: Array, kind: str) -> tuple[int, int]:
    """Return the bits of the sum of products, and in F64 of the number beyond the exact sum."""
    terms = np.multiply(a, b, dtype=np.longdouble)
    if not np.isfinite(terms).all():
        special = terms[~np.isfinite(terms)].sum()
        return (int(encode(np.array(special, np.float64), kind)),) * 2
    total = sum_of_products(a, b)
    if total == 0:
        minus = terms.size > 0 and bool(np.signbit(terms).all())
        return (FORMATS[kind].sign if minus else 0,) * 2
    near = encode_exact(total, kind)
    value = float(decode(np.array(near, np.uint64), kind))
    if kind != "float64" or np.isinf(value) or Fraction(value) == total:
        return near, near
    away = np.nextafter(value, np.inf if total > Fraction(value) else -np.inf)
    return near, int(encode(away, kind))


def sum_of_products(a: Array, b: Array) -> Fraction:
    """Return the exact sum of the products of float64 numbers."""
    if not a.size:
        return Fraction(0)
    significands, exponents = np.frexp([a.astype(np.float64), b.astype(np.float64)])
    integers = (significands * 2.0**53).astype(np.int64).astype(object)
    shifts = exponents.sum(axis=0)
    lowest = int(shifts.min())
    total = np.sum(integers[0] * integers[1] << (shifts - lowest).astype(object))
    return int(total) * Fraction(2) ** (lowest - 2 * 53)
