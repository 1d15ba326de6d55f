"""Checks of integer and boolean arguments."""

from __future__ import annotations

from operator import index

import numpy as np

from ..core.errors import ArgumentTypeError, shown


def integer(argument: str, value: object) -> int:
    """Return an integer of any library as a Python int, or raise ArgumentTypeError."""
    try:
        return index(value)  # type: ignore[arg-type]  # the check itself
    except Exception:  # raised by another library's __index__
        raise ArgumentTypeError(argument, f"is {shown(value)}; it must be an integer") from None


def boolean(argument: str, value: object) -> bool:
    """Return a bool of Python or NumPy as a Python bool, or raise ArgumentTypeError."""
    if not isinstance(value, bool | np.bool):
        raise ArgumentTypeError(argument, f"is {shown(value)}; True or False is expected")
    return bool(value)
