"""Functions of the C library: events."""

from __future__ import annotations

from ...core.errors import fail
from ...core.status import Status
from ...device.streams.event import Event, EventFlag
from ...device.streams.stream import Stream
from .process import process


def _given(event: Event | None) -> Event:
    if event is None:
        fail(Status.ACL_ERROR_INVALID_PARAM, "event is NULL")
    return event


def aclrtCreateEvent() -> Event:
    """Create an old-style event for waiting and for measuring time."""
    return aclrtCreateEventWithFlag(int(EventFlag.SYNC | EventFlag.TIME_LINE))


def aclrtCreateEventWithFlag(flags: int) -> Event:
    """Create an old-style event."""
    return process.current().device.create_event(flags, ex=False)


def aclrtCreateEventExWithFlag(flags: int) -> Event:
    """Create an event that can be recorded again without a reset."""
    return process.current().device.create_event(flags)


def aclrtDestroyEvent(event: Event | None) -> None:
    """Destroy an event."""
    _given(event).destroy()


def aclrtRecordEvent(event: Event | None, stream: Stream | None) -> None:
    """Record an event."""
    _given(event).record(process.own_stream(stream))


def aclrtResetEvent(event: Event | None, stream: Stream | None) -> None:
    """Reset an old-style event."""
    _given(event).reset(process.own_stream(stream))


def aclrtStreamWaitEvent(stream: Stream | None, event: Event | None) -> None:
    """Make a stream wait for the latest record of an event."""
    event = _given(event)
    process.own_stream(stream).wait_event(event)


def aclrtQueryEvent(event: Event | None) -> int:
    """Return ACL_EVENT_STATUS_COMPLETE (also for an event without a record) or NOT_READY."""
    event = _given(event)
    if event.ex:
        fail(
            Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            f"{event!r} is Ex-style; use aclrtQueryEventStatus",
        )
    return 0 if not event.recorded or event.query() else 1


def aclrtQueryEventStatus(event: Event | None) -> int:
    """Return ACL_EVENT_RECORDED_STATUS_COMPLETE or NOT_READY."""
    return int(_given(event).query())


def aclrtQueryEventWaitStatus(event: Event | None) -> int:
    """Return ACL_EVENT_WAIT_STATUS_COMPLETE or NOT_READY."""
    return 0 if _given(event).query_wait_status() else 1


def aclrtSynchronizeEvent(event: Event | None) -> None:
    """Wait for the latest record of an event."""
    _given(event).synchronize()


def aclrtSynchronizeEventWithTimeout(event: Event | None, timeout: int) -> None:
    """Wait at most so many milliseconds for the latest record of an event."""
    _given(event).synchronize(timeout)


def aclrtEventElapsedTime(start: Event | None, end: Event | None) -> float:
    """Return the milliseconds between the records of two events."""
    return _given(start).elapsed_time(_given(end))


def aclrtEventGetTimestamp(event: Event | None) -> int:
    """Return the microsecond at which the record of an event was reached."""
    return _given(event).timestamp()


def aclrtGetEventId(event: Event | None) -> int:
    """Return the number of an event."""
    return _given(event).number
