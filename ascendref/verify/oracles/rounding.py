"""Arithmetic in which every operation is rounded to a compute type, in NumPy.

A sum, product or quotient of two F16 or BF16 numbers in float64 can be rounded again with the same
result as a single rounding (2 * 11 + 2 <= 53 bits; Figueroa, "When is double rounding innocuous?").
The exponential is that of ``decimal`` where float64 leaves its rounding undecided.

Every rounding has a name, a *point*, so that one can be measured alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from ...core.dtypes import ELEMENT_TYPES
from .exact import exponential, round_fraction
from .formats import Doubles, format_of

#: the half-precision compute types
HALF: Final = ("float16", "bfloat16")
#: assumed bound of the relative error of NumPy's float64 exponential
_EXP_ERROR: Final = 2.0**-48
#: digits of an exponential that float64 cannot round
_DIGITS: Final = 60


def rounded(values: Doubles, kind: str) -> Doubles:
    """Round float64 values to a type, to nearest even, and return them as float64.

    Examples
    --------
    >>> import numpy as np
    >>> rounded(np.array([2049.0, 2051.0, 65520.0, -1e-9]), "float16")
    array([2048., 2052.,   inf,   -0.])
    """
    if kind == "float64":
        return values
    form = format_of(ELEMENT_TYPES[kind])
    finite = np.where(np.isfinite(values), values, 0)
    power = np.maximum(np.frexp(finite)[1] - 1, form.emin) - form.fraction
    steps = np.rint(np.ldexp(finite, -power))
    result: Doubles = np.copysign(np.ldexp(steps, power), finite)
    result = np.where(np.abs(result) > form.largest, np.copysign(math.inf, result), result)
    return np.where(np.isfinite(values), result, values)


@dataclass
class Arithmetic:
    """A compute type: what its operations round to, and at which points."""

    #: the compute type
    kind: str
    #: the only point that rounds; None for all
    only: str | None = None
    #: the points that were passed, in order
    points: list[str] = field(default_factory=list)

    def at(self, point: str, values: ArrayLike) -> Doubles:
        """Round at a point, unless another one is looked at alone."""
        if point not in self.points:
            self.points.append(point)
        doubles = np.asarray(values, np.float64)
        return rounded(doubles, self.kind) if self.only in (None, point) else doubles

    def exp_at(self, point: str, values: Doubles) -> Doubles:
        """Return the exponential, rounded once."""
        powers = np.exp(values)
        result = self.at(point, powers)
        if result is powers:
            return result
        doubt = _EXP_ERROR * np.where(np.isfinite(powers), powers, 0)
        undecided = rounded(powers - doubt, self.kind) != rounded(powers + doubt, self.kind)
        form = format_of(ELEMENT_TYPES[self.kind])
        for index in map(tuple, np.argwhere(undecided & np.isfinite(powers))):
            low, high = exponential(Fraction(float(values[index])), _DIGITS)
            result[index] = round_fraction((low + high) / 2, form)
        return result
