"""What is checked about the arguments of many calls."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from ..core.errors import ArgumentTypeError, shown


def whole_number(argument: str, value: Any) -> int:
    """Return an integer of any kind as Python's own, or raise ArgumentTypeError."""
    try:
        return index(value)
    except Exception:  # what a foreign __index__ raises, too
        raise ArgumentTypeError(
            argument, f"is {shown(value)}; a whole number is expected"
        ) from None


def truth(argument: str, value: Any) -> bool:
    """Return a truth value of Python or NumPy as Python's own, or raise ArgumentTypeError."""
    if not isinstance(value, bool | np.bool):
        raise ArgumentTypeError(argument, f"is {shown(value)}; True or False is expected")
    return bool(value)
