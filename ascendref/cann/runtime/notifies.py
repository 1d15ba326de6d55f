"""Functions of the C library: notifies."""

from __future__ import annotations

from ...core.errors import fail
from ...core.status import Status
from ...device.streams.notify import Notify
from ...device.streams.stream import Stream
from .process import process


def _given(notify: Notify | None) -> Notify:
    if notify is None:
        fail(Status.ACL_ERROR_INVALID_PARAM, "notify is NULL")
    return notify


def aclrtCreateNotify(flag: int) -> Notify:
    """Create a notify; flags have no effect."""
    device = process.current().device
    if flag not in (0, 1):
        fail(
            Status.ACL_ERROR_RT_PARAM_INVALID,
            f"flag is {flag:#x}; ACL_NOTIFY_DEFAULT (0) and ACL_NOTIFY_DEVICE_USE_ONLY (1) are"
            " allowed",
        )
    return device.create_notify()


def aclrtDestroyNotify(notify: Notify | None) -> None:
    """Destroy a notify."""
    _given(notify).destroy()


def aclrtRecordNotify(notify: Notify | None, stream: Stream | None) -> None:
    """Record a notify."""
    _given(notify).record(process.own_stream(stream))


def aclrtWaitAndResetNotify(notify: Notify | None, stream: Stream | None, timeout: int) -> None:
    """Make a stream wait for a record of a notify and consume it; the timeout has no effect."""
    _given(notify).wait(process.own_stream(stream))


def aclrtGetNotifyId(notify: Notify | None) -> int:
    """Return the number of a notify."""
    return _given(notify).number
