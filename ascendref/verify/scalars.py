"""The scalars of calls: an operator's defaults, and what was given instead."""

from collections.abc import Mapping

from .. import differentiable
from ..declaration.operator import OPERATORS
from ..declaration.scalars import check_array_scalar


def default_scalars(operator: str) -> dict[str, float | str]:
    """Return the scalars of a call that names none, as the array function's signature has them."""
    return differentiable.default_scalars(OPERATORS[operator])


def scalar_values(
    operator: str, given: Mapping[str, float | str] | None = None
) -> tuple[float, ...]:
    """Return the scalars as numbers, the defaults where none is given."""
    values = default_scalars(operator) | dict(given or {})
    return tuple([check_array_scalar(p, values[p.name]) for p in OPERATORS[operator].scalars])
