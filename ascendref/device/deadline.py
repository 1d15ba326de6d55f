"""Timeouts: milliseconds that become a moment."""

from __future__ import annotations

import threading
from decimal import Decimal
from math import inf, nan
from numbers import Real
from time import monotonic
from typing import Any

from ..core.errors import ArgumentTypeError, fail, shown
from ..core.status import Status


def deadline_after(
    timeout: float | None, refusal: Status = Status.ACL_ERROR_RT_PARAM_INVALID
) -> float | None:
    """Return when a timeout in milliseconds ends; None for never."""
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


def _milliseconds(timeout: Any) -> float:
    """Return a number of any kind as Python's own, or raise ArgumentTypeError."""
    if isinstance(timeout, (Real, Decimal)):
        try:
            return float(timeout)
        except OverflowError:
            return inf if abs(timeout) == timeout else -inf
        except ValueError:  # a signalling NaN
            return nan
        except Exception:  # what a foreign __float__ raises
            pass
    raise ArgumentTypeError("timeout", f"is {shown(timeout)}; a number of milliseconds is expected")


def remaining(deadline: float | None) -> float:
    """Return the seconds until a deadline as the standard library's calls take them."""
    if deadline is None:
        return -1
    return min(max(0.0, deadline - monotonic()), threading.TIMEOUT_MAX)
