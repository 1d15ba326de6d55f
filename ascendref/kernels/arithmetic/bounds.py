"""Ranges of the numbers of each type, and helpers for bounds and conditions of balls."""

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
#: covers the roundings of the bounds themselves
GROW: Final = 1 + 2.0**-40


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


def total(*parts: Register | None) -> Register | None:
    """Return the sum of the numbers that are not None."""
    found = None
    for part in parts:
        if part is not None:
            found = part if found is None else found + part
    return found


def merged(a: tuple[Register, ...], b: tuple[Register, ...]) -> tuple[Register, ...]:
    return a + tuple(x for x in b if all(x is not y for y in a))
