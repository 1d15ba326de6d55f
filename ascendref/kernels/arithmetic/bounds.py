"""Ranges of the numbers of each type, and helpers for bounds and conditions of balls."""

from __future__ import annotations

from math import inf
from typing import Any, Final, NamedTuple

from .registers import Condition, Register

#: a comparison that is known while emitting, or not
Truth = bool | Condition


class Range(NamedTuple):
    """The range of all finite numbers of a type."""

    bits: int  #: longest significand
    unit: float  #: all numbers are multiples of it
    low: float  #: no number is smaller
    high: float  #: no number is larger


def _float(bits: int, unit: float, high: float) -> Range:
    return Range(bits, unit, -high, high)


RANGE: Final[dict[str, Range]] = {
    "float16": _float(11, 2.0**-24, 2.0**16),
    "bfloat16": _float(8, 2.0**-133, 2.0**128),
    "float32": _float(24, 2.0**-149, 2.0**128),
    "float64": _float(53, 2.0**-1074, inf),
    "int64": _float(53, 1.0, 2.0**63),
    "int32": _float(32, 1.0, 2.0**31),
    "int16": _float(16, 1.0, 2.0**15),
    "int8": _float(8, 1.0, 2.0**7),
    "uint8": Range(8, 1.0, 0.0, 2.0**8),
    "bool": Range(1, 1.0, 0.0, 1.0),
    "count": Range(53, 1.0, 1.0, 2.0**53),
}

#: added to a bound where something may underflow; not a subnormal number, because adding those
#: takes a processor 25 to 50 times as long
UNDERFLOW: Final = 2.0**-1000
#: products from here on may lose bits, or their remainders may
LEAST: Final = 2.0**-960
#: results beyond it are in doubt
MOST: Final = 2.0**1000
#: covers the roundings of the bounds themselves, of floats as well
GROW: Final = 1 + 2.0**-18


class Format(NamedTuple):
    """What midpoints and bounds are computed in."""

    bits: int  #: longest significand
    least: float  #: smaller products may lose bits, or their remainders may
    most: float  #: results beyond it are in doubt
    tame: float  #: numbers up to it, and their inverses, are far from overflow and underflow

    @property
    def unit(self) -> float:
        """Return the bound of the relative error of an operation."""
        return 2.0**-self.bits


DOUBLES: Final = Format(53, LEAST, MOST, 2.0**400)
FLOATS: Final = Format(24, 2.0**-101, 2.0**120, 2.0**64)


def differ(a: Register, b: Register | float) -> Condition:
    """Whether two numbers differ; with NaN they do not."""
    return Condition(a.builder, a.builder.fcmp_ordered("!=", a.value, a.lift(b).value))


def either(a: Truth | None, b: Truth | None) -> Any:
    if a is True or b is True:
        return True
    if not isinstance(a, Condition):
        return b
    return a | b if isinstance(b, Condition) else a


def both(a: Truth | None, b: Truth | None) -> Any:
    if not a or not b:
        return False
    if a is True:
        return b
    return a if b is True else a & b


class Scaled(NamedTuple):
    """A bound: a register, None for 1, times a factor that is known while emitting.

    A product with a number that is known takes no instruction.
    """

    size: Register | None
    factor: float

    def plus(self, other: Scaled) -> Scaled:
        small, large = sorted((self, other), key=lambda bound: bound.factor)
        ratio = max(small.factor / large.factor, UNDERFLOW)
        if large.size is None:
            size = None if small.size is None else small.size.fma(ratio, 1.0)
            return Scaled(size, large.factor * (1.0 if size else 1.0 + ratio))
        if small.size is None:
            return Scaled(large.size + ratio, large.factor)
        size = large.size + small.size if ratio == 1.0 else small.size.fma(ratio, large.size)
        return Scaled(size, large.factor)

    def times(self, *others: Register | Scaled | float) -> Scaled:
        size, factor = self
        for other in others:
            known, more = (other, 1.0) if isinstance(other, Register) else (None, other)
            if isinstance(more, Scaled):
                known, more = more
            if known is not None:
                size = known if size is None else size * known
            factor *= more
        return Scaled(size, factor)

    def register(self, like: Register) -> Register:
        if self.size is None:
            return like.lift(self.factor)
        return self.size if self.factor == 1.0 else self.size * self.factor


def total(*parts: Any) -> Any:
    """Return the sum of the numbers that are not None: registers, or bounds."""
    found = None
    for part in parts:
        if part is not None:
            if found is None:
                found = part
            else:
                found = found.plus(part) if isinstance(found, Scaled) else found + part
    return found


def merged(a: tuple[Register, ...], b: tuple[Register, ...]) -> tuple[Register, ...]:
    return a + tuple(x for x in b if all(x is not y for y in a))
