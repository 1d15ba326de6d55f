"""Numbers for rows of the table of edges."""

from collections.abc import Callable
from math import inf, nan

from ...support.rounding import FORMATS

ANYWHERE = (0.0, -0.0, 0.5, 1.0, -1.0, 2.0, inf, -inf, nan)


def tiniest(kind: str) -> float:
    """Return the smallest subnormal of a type."""
    form = FORMATS[kind]
    return 2.0 ** (1 - form.bias - form.fraction)


def minus_tiniest(kind: str) -> float:
    """Return the negative subnormal next to 0."""
    return -tiniest(kind)


def largest(kind: str) -> float:
    """Return the largest number of a type."""
    form = FORMATS[kind]
    return 2.0**form.bias * (2 - 2.0**-form.fraction)


def minus_largest(kind: str) -> float:
    """Return the smallest number of a type."""
    return -largest(kind)


def beyond(power: float) -> Callable[[str], float]:
    """Return what gives the number next to a power of 2, away from 0."""
    return lambda kind: power * (1 + 2.0 ** -FORMATS[kind].fraction)


def within(power: float) -> Callable[[str], float]:
    """Return what gives the number next to a power of 2, towards 0."""
    return lambda kind: power * (1 - 2.0 ** -(FORMATS[kind].fraction + 1))


def all_of(count: int, value: float) -> tuple[float, ...]:
    """Return a vector of one value."""
    return (value,) * count
