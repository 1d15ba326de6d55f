"""Exact sums of products of doubles in Python, and the record from which they are read."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, copysign, floor
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .exact import Exact, Undecided, exact, round_fraction

#: limbs: products reach from 2**-2148 to 2**2048, and 2**63 of them may be added
LIMBS: Final = 136
#: words of a record: the limbs, the sum of the terms that are not finite (0 if all are), a bound of
#: the error of the finite terms, and whether all terms were -0
SPECIAL, BOUND, ALL_MINUS, RECORD = range(LIMBS, LIMBS + 4)
#: position of the bit with value 1
POINT: Final = 2176


class ExactSum(NamedTuple):
    """An exact sum in Python, or one with a bound of its error."""

    #: the sum of the finite terms, in units of the lowest bit
    total: int = 0
    #: sum of the terms that are not finite; 0 if all are finite
    special: float = 0.0
    #: whether all terms were -0
    all_minus: bool = True
    #: how far the sum of the finite terms may be off
    doubt: int = 0

    @classmethod
    def of_record(cls, record: NDArray[np.int64]) -> ExactSum:
        """Return the sum in a record whose carries are propagated."""
        low, high = record[: LIMBS - 1].astype("<u4"), record[LIMBS - 1 : LIMBS].astype("<i8")
        total = int.from_bytes(low.tobytes() + high.tobytes(), "little", signed=True)
        special, bound = record[SPECIAL:ALL_MINUS].view(np.float64).tolist()
        return cls(total, special, bool(record[ALL_MINUS]), ceil(Fraction(bound) * 2**POINT))

    @classmethod
    def of_terms(
        cls, function: Callable[..., Exact], terms: list[tuple[float, ...]], bits: int
    ) -> ExactSum:
        """Return the sum of a function's values, computed with a given number of bits."""
        total = cls()
        for numbers in terms:
            value = function(*[exact(number, bits) for number in numbers])
            if value.special:
                term = cls(0, float(value.low), not value.low and copysign(1, value.low) < 0)
            elif isinstance(value.low, float) or isinstance(value.high, float):
                raise Undecided  # an end is infinite
            else:
                low, high = floor(value.low * 2**POINT), ceil(value.high * 2**POINT)
                term = cls(low, 0.0, False, high - low)
            total = total.plus(term)
        return total

    def plus(self, other: ExactSum) -> ExactSum:
        return ExactSum(
            self.total + other.total,
            self.special + other.special,
            self.all_minus and other.all_minus,
            self.doubt + other.doubt,
        )

    def rounded(self, kind: str, count: int = 1) -> float:
        """Return the sum over ``count``, rounded once; ArithmeticError if that is undecided."""
        if self.special != 0:
            return self.special
        if not self.total and not self.doubt:
            return -0.0 if self.all_minus else 0.0
        ends = self.total - self.doubt, self.total + self.doubt
        low, high = [round_fraction(Fraction(end, count << POINT), kind) for end in ends]
        if low != high:
            raise ArithmeticError(f"a sum between {low} and {high} is too close to a tie")
        return high
