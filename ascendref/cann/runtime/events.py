"""Functions of the C library: events and notifies; NULL for one never gets here."""

from operator import attrgetter

from ...device.streams.event import Event, EventFlag
from ...device.streams.notify import Notify
from ...device.streams.stream import Stream
from .arguments import check_either, rt_invalid, unsupported
from .process import of_own_stream, on_own_stream, process

aclrtDestroyEvent = Event.destroy
aclrtRecordEvent = on_own_stream(Event.record)
aclrtResetEvent = on_own_stream(Event.reset)
aclrtStreamWaitEvent = of_own_stream(Stream.wait_event)
aclrtSynchronizeEvent = aclrtSynchronizeEventWithTimeout = Event.synchronize
aclrtEventElapsedTime = Event.elapsed_time
aclrtEventGetTimestamp = Event.timestamp
aclrtGetEventId = attrgetter("number")
#: 1 is ACL_EVENT_RECORDED_STATUS_COMPLETE
aclrtQueryEventStatus = Event.query


def aclrtCreateEventWithFlag(flags: int, ex: bool = False) -> Event:
    """Create an old-style event."""
    return process.current().device.create_event(flags, ex=ex)


def aclrtCreateEvent() -> Event:
    """Create an old-style event for waiting and for measuring time."""
    return aclrtCreateEventWithFlag(EventFlag.SYNC | EventFlag.TIME_LINE)


def aclrtCreateEventExWithFlag(flags: int) -> Event:
    return aclrtCreateEventWithFlag(flags, ex=True)


def aclrtQueryEvent(event: Event) -> int:
    """Return ACL_EVENT_STATUS_COMPLETE (also for an event without a record) or NOT_READY."""
    if event.ex:
        unsupported(f"{event!r} is Ex-style; use aclrtQueryEventStatus")
    return 0 if not event.recorded or event.query() else 1


def aclrtQueryEventWaitStatus(event: Event) -> int:
    """Return ACL_EVENT_WAIT_STATUS_COMPLETE or NOT_READY."""
    return 0 if event.query_wait_status() else 1


# ---- notifies

aclrtDestroyNotify = Notify.destroy
aclrtRecordNotify = on_own_stream(Notify.record)
aclrtGetNotifyId = attrgetter("number")


def aclrtCreateNotify(flag: int) -> Notify:
    """Create a notify; flags have no effect."""
    device = process.current().device
    names = "ACL_NOTIFY_DEFAULT", "ACL_NOTIFY_DEVICE_USE_ONLY"
    check_either("flag", flag, *names, rt_invalid)
    return device.create_notify()


def aclrtWaitAndResetNotify(notify: Notify, stream: Stream | None, timeout: int) -> None:
    """Make a stream wait for a record of a notify and consume it; the timeout has no effect."""
    notify.wait(process.own_stream(stream))
