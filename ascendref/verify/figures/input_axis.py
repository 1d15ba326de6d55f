"""The input axis of figures, with equal distances between a type's neighbouring numbers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ...core.dtypes import ELEMENT_TYPES, float_format
from ..accuracy.sweep_result import PROFILE_BITS
from ..oracles.formats import Doubles


def place(values: ArrayLike, kind: str) -> Doubles:
    """Return where data stand on the axis.

    It is 0 at zero and logarithmic in both directions, in binades.
    """
    numpy = ELEMENT_TYPES[kind].numpy
    raw = np.dtype(f"u{numpy.itemsize}")
    with np.errstate(over="ignore"):
        bits = np.asarray(values, numpy).view(raw).astype(np.int64)
    half = 1 << (8 * raw.itemsize - 1)
    steps = np.where(bits < half, bits, half - bits)
    placed: Doubles = steps / float(1 << float_format(ELEMENT_TYPES[kind]).fraction)
    return placed


def profile_places(kind: str) -> Doubles:
    """Return where the middle of each bin of a profile stands; NaN for bins of NaN."""
    numpy = ELEMENT_TYPES[kind].numpy
    raw = np.dtype(f"u{numpy.itemsize}")
    shift = 8 * raw.itemsize - PROFILE_BITS
    bits = (np.arange(1 << PROFILE_BITS) << shift) + (1 << shift >> 1)
    middle = bits.astype(raw).view(numpy)
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(middle.astype(np.float64)), np.nan, place(middle, kind))


def edge(kind: str) -> float:
    """Return where infinity stands."""
    return float(place([math.inf], kind)[0])


def powers_of_ten(kind: str) -> range:
    """Return the exponents of the powers of ten that are normal numbers of a type."""
    form = float_format(ELEMENT_TYPES[kind])
    return range(math.ceil(math.log10(form.normal)), math.ceil(math.log10(form.largest)))
