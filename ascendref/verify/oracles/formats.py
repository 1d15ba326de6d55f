"""The formats of the floating-point types: bits, exponents, largest numbers."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import ElementType, float_format

Doubles = NDArray[np.float64]


class Format(NamedTuple):
    """A binary floating-point format."""

    #: bits of the significand after the point
    fraction: int
    #: exponent of the smallest normal number
    emin: int
    #: exponent of the largest number
    emax: int
    #: the largest number
    largest: float
    #: the power of two beyond the largest number; infinity for F64
    beyond: float


@cache
def format_of(kind: ElementType) -> Format:
    """Return the format of an element type.

    Examples
    --------
    >>> from ascendref.core.dtypes import FLOAT16
    >>> format_of(FLOAT16)
    Format(fraction=10, emin=-14, emax=15, largest=65504.0, beyond=65536.0)
    """
    form = float_format(kind)
    emin, emax = (math.frexp(number)[1] - 1 for number in (form.normal, form.largest))
    return Format(form.fraction, emin, emax, form.largest, form.beyond)
