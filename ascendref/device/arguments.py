"""What is checked about the arguments of many calls."""

from __future__ import annotations

from operator import index
from typing import Any

from ..errors import ArgumentTypeError


def whole_number(argument: str, value: Any) -> int:
    """Return an integer of any kind as Python's own, or raise ArgumentTypeError."""
    try:
        return index(value)
    except TypeError:
        raise ArgumentTypeError(argument, f"is {value!r}; a whole number is expected") from None
