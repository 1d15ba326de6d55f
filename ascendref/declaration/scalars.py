"""Scalar parameters, and the check of what is given for them."""

from __future__ import annotations

from math import inf, isnan
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import import_array
from ..core.dtypes import BY_NUMPY
from ..core.errors import ArgumentError, ArgumentTypeError, ArgumentValueError, shown


class ScalarParam(NamedTuple):
    """A scalar argument."""

    #: name in the array functions; the vendor's is the same in camelCase
    name: str
    #: least value; NaN is refused where there is one
    least: float | None = None
    #: the integers that are allowed, by name; None for any real number
    choices: dict[str, int] | None = None

    @property
    def expected(self) -> str:
        """What it may be, for a message."""
        if self.choices is None:
            return "a real number is expected"
        return "allowed are " + ", ".join(f"{n} ({name!r})" for name, n in self.choices.items())


def check_scalar(param: ScalarParam, given: Any) -> float:
    """Return the value of a scalar of any real type, or raise an ArgumentError."""
    value = _number(param, given)
    if param.choices is not None and value not in param.choices.values():
        raise ArgumentValueError(param.name, f"is {value!r}; {param.expected}")
    if param.least is not None and (isnan(value) or value < param.least):
        raise ArgumentValueError(param.name, f"is {value!r}; it must be at least {param.least:g}")
    return value


def check_named(param: ScalarParam, given: Any) -> float:
    """Check a scalar of an array function, where choices go by name too but truth values do not."""
    if param.choices is not None:
        kind = type(given)  # an object may say that it is of another class, or raise
        if issubclass(kind, str) and given in param.choices:
            given = param.choices[given]
        elif issubclass(kind, str | bool | np.bool_):
            raise ArgumentValueError(param.name, f"is {shown(given)}; {param.expected}")
    return check_scalar(param, given)


def single(value: float) -> float:
    """Return a scalar as FLOAT; what is too large becomes infinite.

    Examples
    --------
    >>> single(0.1), single(1e39)
    (0.10000000149011612, inf)
    """
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _number(param: ScalarParam, value: Any) -> float:
    """Return the value of a real scalar of any type."""
    cause = None
    try:
        if isinstance(value, Real):
            try:
                return float(value)
            except OverflowError:
                return inf if value > 0 else -inf  # type: ignore[operator] # Real has no order
        if isinstance(value, np.generic) or hasattr(value, "__array__"):
            array = import_array(param.name, value).array
            if array.ndim == 0 and (array.dtype in BY_NUMPY or array.dtype.kind in "biuf"):
                return float(array)
    except (ArgumentError, MemoryError):
        raise
    except Exception as error:  # the object's own
        cause = error
    raise ArgumentTypeError(param.name, f"is {shown(value)}; {param.expected}") from cause
