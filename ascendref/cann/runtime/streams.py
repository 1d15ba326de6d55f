"""Functions of the C library: streams, host functions and callbacks."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import CFUNCTYPE, c_void_p
from functools import partial
from typing import Final

from ...core.errors import fail
from ...core.status import Status
from ...device.streams.stream import Stream, StreamFlag
from .process import process

#: a host function; while it runs, other threads can hold the GIL
_FUNCTION: Final = CFUNCTYPE(None, c_void_p)


def aclrtCreateStream() -> Stream:
    """Create a stream of the highest priority."""
    return aclrtCreateStreamWithConfig(0, int(StreamFlag.NONE))


def aclrtCreateStreamWithConfig(priority: int, flags: int) -> Stream:
    """Create a stream."""
    context = process.current()
    stream = context.device.create_stream(priority, flags)
    context.streams[stream.number] = stream
    return stream


def _destroy(stream: Stream | None, *, force: bool) -> None:
    if stream is None:
        fail(Status.ACL_ERROR_INVALID_PARAM, "stream is NULL; a stream is expected")
    context = process.current()
    process.own_stream(stream)
    if stream is context.default_stream:
        fail(
            Status.ACL_ERROR_INVALID_PARAM,
            "stream is the default stream, which is destroyed only with its context",
        )
    try:
        stream.destroy(force=force)
    finally:
        if not stream.alive:
            context.streams.pop(stream.number, None)


def aclrtDestroyStream(stream: Stream | None) -> None:
    """Wait for the work of a stream, then destroy it."""
    _destroy(stream, force=False)


def aclrtDestroyStreamForce(stream: Stream | None) -> None:
    """Destroy a stream and drop its work that has not begun."""
    _destroy(stream, force=True)


def aclrtSynchronizeStream(stream: Stream | None) -> None:
    """Wait for the work of a stream."""
    process.stream(stream).synchronize()


def aclrtSynchronizeStreamWithTimeout(stream: Stream | None, timeout: int) -> None:
    """Wait at most so many milliseconds for the work of a stream."""
    process.stream(stream).synchronize(timeout)


def aclrtStreamQuery(stream: Stream | None) -> int:
    """Return ACL_STREAM_STATUS_COMPLETE or NOT_READY."""
    return 0 if process.stream(stream).query() else 1


def aclrtStreamAbort(stream: Stream | None) -> None:
    """Drop the work of a stream that has not begun."""
    process.stream(stream).abort()


def aclrtStreamGetId(stream: Stream | None) -> int:
    """Return the number of a stream."""
    return process.stream(stream).number


def aclrtStreamGetPriority(stream: Stream | None) -> int:
    """Return the priority of a stream."""
    return process.stream(stream).priority


def aclrtStreamGetFlags(stream: Stream | None) -> int:
    """Return the flags that a stream was created with."""
    return int(process.stream(stream).flags)


def aclrtSetStreamFailureMode(stream: Stream | None, mode: int) -> None:
    """Set what happens to later work when a task fails."""
    process.stream(stream).set_failure_mode(mode)


# ---- host functions


def _function(address: int, argument: int) -> Callable[[], object]:
    if not address:
        fail(Status.ACL_ERROR_RT_PARAM_INVALID, "fn is NULL; a function is expected")
    return partial(_FUNCTION(address), argument)


def aclrtLaunchHostFunc(stream: Stream | None, address: int, argument: int) -> None:
    """Queue a host function."""
    queue = process.own_stream(stream)
    queue.launch_host_func(_function(address, argument))


def aclrtSubscribeReport(thread: int, stream: Stream | None) -> None:
    """Make a thread run the callbacks of a stream."""
    process.own_stream(stream).subscribe_report(thread)


def aclrtUnSubscribeReport(thread: int, stream: Stream | None) -> None:
    """Undo `aclrtSubscribeReport`."""
    process.own_stream(stream).unsubscribe_report(thread)


def aclrtLaunchCallback(address: int, argument: int, block: int, stream: Stream | None) -> None:
    """Queue a callback."""
    queue = process.own_stream(stream)
    if block not in (0, 1):
        fail(
            Status.ACL_ERROR_INVALID_PARAM,
            f"blockType is {block}; ACL_CALLBACK_NO_BLOCK (0) and ACL_CALLBACK_BLOCK (1) are"
            " allowed",
        )
    queue.launch_callback(_function(address, argument), bool(block))


def aclrtProcessReport(timeout: int) -> None:
    """Run the pending callbacks of this thread, for any device."""
    context = process.thread.context  # a thread that serves a stream needs no context
    devices = [slot.device for slot in process.slots if slot.device is not None]
    if context is not None:
        devices.insert(0, context.device)
    if not devices:
        fail(Status.ACL_ERROR_RT_THREAD_SUBSCRIBE, "this thread serves no stream")
    devices[0].process_report(timeout)
