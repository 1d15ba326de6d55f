"""Checks of integers, booleans, and timeouts in milliseconds with the resulting deadlines."""

import threading
from decimal import Decimal
from math import inf, nan
from numbers import Real
from operator import index
from time import monotonic
from typing import TypeVar

import numpy as np

from ..core.errors import ArgumentTypeError, fail, shown
from ..core.status import Status

T = TypeVar("T")


def instance(argument: str, value: object, kind: type[T]) -> T:
    """Return an object of a class; 100000 for None, ArgumentTypeError for another object."""
    if value is None:
        fail(Status.ACL_ERROR_INVALID_PARAM, f"{argument} is None; an {kind.__name__} is expected")
    if not isinstance(value, kind):
        problem = f"is a {type(value).__name__}; an {kind.__name__} is expected"
        raise ArgumentTypeError(argument, problem)
    return value


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


def deadline_after(
    timeout: float | None, refusal: Status = Status.ACL_ERROR_RT_PARAM_INVALID
) -> float | None:
    """Return the deadline of a timeout on the clock `time.monotonic`; None for never.

    ``refusal`` is the status code for a timeout of 0 or below -1.
    """
    if timeout is None:
        return None
    milliseconds = _milliseconds(timeout)
    if milliseconds == -1:
        return None
    if not milliseconds > 0:
        fail(
            refusal,
            f"timeout is {shown(timeout)}; it must be more than 0 ms, or -1 or None to wait for"
            " ever",
        )
    return monotonic() + milliseconds / 1000


def _milliseconds(timeout: object) -> float:
    """Return a real number of any library as a Python float, or raise ArgumentTypeError."""
    if isinstance(timeout, (Real, Decimal)):
        try:
            return float(timeout)
        except OverflowError:
            return inf if abs(timeout) == timeout else -inf
        except ValueError:  # a signalling NaN
            return nan
        except Exception:  # raised by another library's __float__
            pass
    raise ArgumentTypeError("timeout", f"is {shown(timeout)}; a number of milliseconds is expected")


def remaining(deadline: float | None) -> float:
    """Return the seconds until a deadline, as ``threading.Lock.acquire`` takes them."""
    if deadline is None:
        return -1
    return min(max(0.0, deadline - monotonic()), threading.TIMEOUT_MAX)
