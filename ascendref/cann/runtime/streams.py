"""Functions of the C library: streams, host functions and callbacks."""

from collections.abc import Callable
from ctypes import CFUNCTYPE, c_void_p
from functools import partial
from operator import attrgetter
from typing import Any, Final

from ...core.errors import fail
from ...core.status import Status
from ...device.streams.callbacks import serves
from ...device.streams.event import Event, EventFlag
from ...device.streams.notify import Notify
from ...device.streams.stream import Stream
from .arguments import check_either, invalid, rt_invalid, unsupported
from .process import of_own_stream, on_own_stream, process

#: a host function; while it runs, other threads can hold the GIL
_FUNCTION: Final = CFUNCTYPE(None, c_void_p)


def aclrtCreateStreamWithConfig(priority: int = 0, flags: int = 0) -> Stream:
    """Create a stream; by default, of the highest priority."""
    context = process.current()
    stream = context.device.create_stream(priority, flags)
    context.streams[stream.number] = stream
    return stream


aclrtCreateStream = aclrtCreateStreamWithConfig


def aclrtDestroyStream(stream: Stream | None, *, force: bool = False) -> None:
    """Wait for the work of a stream, then destroy it."""
    if stream is None:
        invalid("stream is NULL; a stream is expected")
    context = process.current()
    process.own_stream(stream)
    if stream is context.default_stream:
        invalid("stream is the default stream, which is destroyed only with its context")
    try:
        stream.destroy(force=force)
    finally:
        if not stream.alive:
            context.streams.pop(stream.number, None)


#: also drops the work that has not begun
aclrtDestroyStreamForce = partial(aclrtDestroyStream, force=True)


def _of_stream(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a stream, where NULL is the default stream of the current context."""
    return lambda stream, *arguments: method(process.stream(stream), *arguments)


aclrtSynchronizeStream = aclrtSynchronizeStreamWithTimeout = _of_stream(Stream.synchronize)
#: 0 is ACL_STREAM_STATUS_COMPLETE
aclrtStreamQuery = _of_stream(lambda stream: not stream.query())
aclrtStreamAbort = _of_stream(Stream.abort)
aclrtStreamGetId = _of_stream(attrgetter("number"))
aclrtStreamGetPriority = _of_stream(attrgetter("priority"))
aclrtStreamGetFlags = _of_stream(attrgetter("flags"))
aclrtSetStreamFailureMode = _of_stream(Stream.set_failure_mode)


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


# ---- host functions


def _function(address: int, argument: int) -> Callable[[], object]:
    if not address:
        rt_invalid("fn is NULL; a function is expected")
    return partial(_FUNCTION(address), argument)


def aclrtLaunchHostFunc(stream: Stream | None, address: int, argument: int) -> None:
    queue = process.own_stream(stream)
    queue.launch_host_func(_function(address, argument))


def aclrtSubscribeReport(thread: int, stream: Stream | None) -> None:
    """Make a thread run the callbacks of a stream."""
    process.own_stream(stream).subscribe_report(thread)


def aclrtUnSubscribeReport(thread: int, stream: Stream | None) -> None:
    process.own_stream(stream).unsubscribe_report(thread)


def aclrtLaunchCallback(address: int, argument: int, block: int, stream: Stream | None) -> None:
    queue = process.own_stream(stream)
    check_either("blockType", block, "ACL_CALLBACK_NO_BLOCK", "ACL_CALLBACK_BLOCK")
    queue.launch_callback(_function(address, argument), bool(block))


def aclrtProcessReport(timeout: int) -> None:
    """Run the pending callbacks of this thread, for any device."""
    context = process.context  # a thread that serves a stream needs no context
    devices = [slot.device for slot in process.slots if slot.device is not None]
    if context is not None:
        devices.insert(0, context.device)
    if not devices:
        fail(Status.ACL_ERROR_RT_THREAD_SUBSCRIBE, "this thread serves no stream")
    served = [device for device in devices if serves(device.scheduler)]
    (served or devices)[0].process_report(timeout)
