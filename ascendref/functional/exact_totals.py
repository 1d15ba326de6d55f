"""Exact sums, one per channel, that can be added to each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..core.fork_safety import import_to_end

#: bits of a limb, and half its range
_WIDTH: Final = 32
_HALF: Final = 1 << 31


@dataclass(frozen=True, eq=False)
class ExactTotals:
    """Exact sums of finite products, and a summary of the others.

    A sum is a fixed-point number in 32-bit limbs, lowest first. Each limb is from -2**31 to below
    2**31, so limbs beyond the added numbers are 0, also for negative sums.
    """

    #: channels × limbs, from limb ``lowest`` on; all others are 0
    limbs: NDArray[np.int64]
    lowest: int
    #: sum of the products that are not finite; 0 if all are finite
    special: NDArray[np.float64]
    #: whether all products were -0
    all_minus: NDArray[np.bool_]

    @classmethod
    def zero(cls, channels: int) -> ExactTotals:
        """Return the sums of no terms."""
        limbs = np.zeros((channels, 0), np.int64)
        return cls(limbs, 0, np.zeros(channels), np.ones(channels, np.bool_))

    @classmethod
    def of_records(cls, records: NDArray[np.int64]) -> ExactTotals:
        """Return the sums from the records of a kernel (``kernels/loops/partial_sums.py``)."""
        layout = _kernels()
        return cls(
            *_trimmed(records[:, : layout.LIMBS].copy(), 0),
            records[:, layout.SPECIAL].copy().view(np.float64),
            records[:, layout.ALL_MINUS] != 0,
        )

    def added(self, other: ExactTotals) -> ExactTotals:
        """Return the sums of both."""
        lowest = min(self.lowest, other.lowest)
        ends = [totals.lowest + totals.limbs.shape[1] for totals in (self, other)]
        limbs = np.zeros(
            (len(self.limbs), max(ends) - lowest + 1), np.int64
        )  # one more for a carry
        for totals, end in zip((self, other), ends, strict=True):
            limbs[:, totals.lowest - lowest : end - lowest] += totals.limbs
        with np.errstate(invalid="ignore"):
            special = self.special + other.special
        return ExactTotals(*_trimmed(limbs, lowest), special, self.all_minus & other.all_minus)

    def rounded(self, *, odd: bool) -> NDArray[np.float64]:
        """Return the sums as doubles: rounded to nearest, or to odd if they are rounded again."""
        layout = _kernels()
        records = np.zeros((len(self.limbs), layout.RECORD), np.int64)
        records[:, self.lowest : self.lowest + self.limbs.shape[1]] = self.limbs
        records[:, layout.SPECIAL] = self.special.view(np.int64)
        records[:, layout.ALL_MINUS] = self.all_minus
        rounded: NDArray[np.float64] = layout.rounded_records(records, odd=odd)
        return rounded


def _trimmed(limbs: NDArray[np.int64], lowest: int) -> tuple[NDArray[np.int64], int]:
    """Propagate carries; return the limbs without zeros at both ends, and the lowest's index."""
    for k in range(limbs.shape[1] - 1):
        carries = (limbs[:, k] + _HALF) >> _WIDTH
        limbs[:, k] -= carries << _WIDTH
        limbs[:, k + 1] += carries
    used = np.flatnonzero(limbs.any(axis=0))
    if not used.size:
        return limbs[:, :0], 0
    return limbs[:, used[0] : used[-1] + 1].copy(), lowest + int(used[0])


@cache
def _kernels() -> Any:
    """Return the module of the kernels, imported here because that imports Numba."""
    return import_to_end("ascendref.kernels.loops.partial_sums")
