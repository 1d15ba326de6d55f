"""Scalar parameters of operators, and the checks of their arguments."""

from __future__ import annotations

from ctypes import c_float
from math import inf, isnan
from numbers import Real
from typing import NamedTuple, SupportsFloat

import numpy as np

from ..core.arrays import import_array
from ..core.dtypes import BY_NUMPY
from ..core.errors import ArgumentError, ArgumentTypeError, ArgumentValueError, shown

#: a real number of Python, NumPy or torch, or an array of rank 0
RealNumber = SupportsFloat


class ScalarParam(NamedTuple):
    """A scalar parameter."""

    #: name in the array functions
    name: str
    #: smallest allowed value (NaN is then refused); None for no limit
    least: float | None = None
    #: allowed integers, by name; None for any real number
    choices: dict[str, int] | None = None
    #: type of the parameter in the vendor's C function
    c_type: str = "const aclScalar *"
    #: the vendor's name; None for the same in camelCase
    vendor: str | None = None
    #: its value where the vendor's functions get none; None if they must get one
    default: float | None = None
    #: the choice that every other number means to the vendor's functions; None if they refuse those
    otherwise: float | None = None

    @property
    def is_flag(self) -> bool:
        """Whether it is true or false."""
        return self.c_type == "bool"

    @property
    def is_text(self) -> bool:
        """Whether the vendor's functions take the name of a choice."""
        return self.c_type == "const char *"

    @property
    def is_axis(self) -> bool:
        """Whether it is the number of an axis, which no formula takes."""
        return self.c_type == "int64_t" and self.choices is None

    @property
    def python_type(self) -> str:
        """The Python type that the two-phase functions take."""
        if self.is_flag:
            return "bool"
        return "str" if self.is_text else "Scalar or real number"

    @property
    def expected(self) -> str:
        """The values that are allowed, for a message."""
        if self.is_flag:
            return "allowed are True and False"
        if self.choices is None:
            return f"{'an integer' if self.is_axis else 'a real number'} is expected"
        return "allowed are " + ", ".join(f"{n} ({name!r})" for name, n in self.choices.items())


def check_scalar(param: ScalarParam, argument: object) -> float:
    """Return the value of a two-phase function's argument, or raise an ArgumentError.

    It is a real number of any type, or the name of a choice where the vendor's functions take text.
    """
    if param.is_text:
        name = argument.decode(errors="replace") if isinstance(argument, bytes) else argument
        if not isinstance(name, str) or name not in (choices := param.choices or {}):
            allowed = ", ".join(map(repr, param.choices or ()))
            raise ArgumentValueError(param.name, f"is {shown(name)}; allowed are {allowed}")
        return float(choices[name])
    if param.otherwise is not None:
        value = _number(param, argument)
        return value if value in (param.choices or {}).values() else param.otherwise
    return _check_number(param, argument)


def check_array_scalar(param: ScalarParam, argument: object) -> float:
    """Return the value of an array function's argument, or raise an ArgumentError.

    For a scalar with choices, the argument may be the name of one, but not a bool.
    """
    if param.choices is not None:
        kind = type(argument)  # `isinstance` would ask the object, which may lie or raise
        if issubclass(kind, str) and argument in param.choices:
            argument = param.choices[argument]
        elif issubclass(kind, str | bool | np.bool_):
            raise ArgumentValueError(param.name, f"is {shown(argument)}; {param.expected}")
    return _check_number(param, argument)


def _check_number(param: ScalarParam, argument: object) -> float:
    value = _number(param, argument)
    if param.is_flag and value not in (0.0, 1.0):
        raise ArgumentValueError(param.name, f"is {value!r}; {param.expected}")
    if param.choices is not None and value not in param.choices.values():
        raise ArgumentValueError(param.name, f"is {value!r}; {param.expected}")
    if param.is_axis and not value.is_integer():
        raise ArgumentValueError(param.name, f"is {value!r}; {param.expected}")
    if param.least is not None and (isnan(value) or value < param.least):
        raise ArgumentValueError(param.name, f"is {value!r}; it must be at least {param.least:g}")
    return value


def single(value: float) -> float:
    """Return a scalar rounded to FLOAT; numbers beyond its range become infinite.

    Examples
    --------
    >>> single(0.1), single(1e39)
    (0.10000000149011612, inf)
    """
    return c_float(value).value


def _number(param: ScalarParam, value: object) -> float:
    """Return the value of a real number of any type."""
    cause = None
    try:
        # a duration is an integer for NumPy, and a number only in some of its units
        if not isinstance(value, np.timedelta64) and isinstance(value, Real):
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
