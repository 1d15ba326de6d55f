"""The scalars of calls: an operator's defaults, and what was given instead."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from .. import operators
from ..declaration.operator import OPERATORS
from ..declaration.scalars import check_array_scalar


def default_scalars(operator: str) -> dict[str, float | str]:
    """Return the scalars of a call that names none, as the array function's signature has them.

    Examples
    --------
    >>> from ascendref.bench.scalars import default_scalars
    >>> default_scalars("smooth_l1_loss_backward")
    {'reduction': 'mean', 'beta': 1.0}
    """
    parameters = inspect.signature(getattr(operators, operator)).parameters
    return {param.name: parameters[param.name].default for param in OPERATORS[operator].scalars}


def scalar_values(
    operator: str, given: Mapping[str, float | str] | None = None
) -> tuple[float, ...]:
    """Return the scalars as numbers, the defaults where none is given.

    Examples
    --------
    >>> from ascendref.bench.scalars import scalar_values
    >>> scalar_values("smooth_l1_loss_backward", {"beta": 0.5})
    (1.0, 0.5)
    """
    values = default_scalars(operator) | dict(given or {})
    return tuple([check_array_scalar(p, values[p.name]) for p in OPERATORS[operator].scalars])
