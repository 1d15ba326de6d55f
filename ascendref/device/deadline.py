"""Timeouts: milliseconds that become a moment."""

from __future__ import annotations

import threading
from time import monotonic

from ..errors import ArgumentTypeError, fail
from ..status import Status


def deadline_after(
    timeout: float | None, refusal: Status = Status.ACL_ERROR_RT_PARAM_INVALID
) -> float | None:
    """Return when a timeout in milliseconds ends; None for never."""
    if timeout is None or timeout == -1:
        return None
    try:
        positive = timeout > 0
    except TypeError:
        raise ArgumentTypeError(
            "timeout", f"is {timeout!r}; a number of milliseconds is expected"
        ) from None
    if not positive:
        fail(
            refusal,
            f"timeout is {timeout}; it must be more than 0 ms, or -1 or None to wait for ever",
        )
    return monotonic() + timeout / 1000


def remaining(deadline: float | None) -> float:
    """Return the seconds until a deadline as the standard library's calls take them."""
    if deadline is None:
        return -1
    return min(max(0.0, deadline - monotonic()), threading.TIMEOUT_MAX)
