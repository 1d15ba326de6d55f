"""Captures: streams that record their tasks for later instead of queuing them."""

import threading
from enum import IntEnum
from threading import get_ident
from typing import Final, NoReturn

from ...core.errors import fail
from ...core.status import Status
from ..checker.callers import Caller
from .task import BaseStream, Kind, Task


class CaptureMode(IntEnum):
    """Which threads must not copy or fill memory at once while streams are captured."""

    #: all threads
    GLOBAL = 0
    #: the thread that began the capture
    THREAD_LOCAL = 1
    #: none
    RELAXED = 2


class _Thread(threading.local):
    """A thread's mode of capture: which calls it forbids in other threads and in its own."""

    mode = CaptureMode.GLOBAL


_thread: Final = _Thread()


def exchange_mode(mode: CaptureMode) -> CaptureMode:
    """Set the calling thread's mode, and return the one before.

    With RELAXED, no capture restricts the thread; with THREAD_LOCAL, only its own do.
    """
    before, _thread.mode = _thread.mode, mode
    return before


class Capture:
    """The tasks that streams record from the beginning of a capture to its end.

    It begins on one stream, the origin. A stream joins it that waits for one of the recorded
    records of an event.
    """

    def __init__(self, origin: BaseStream, mode: CaptureMode) -> None:
        self.origin = origin
        self.mode = mode
        self._thread = get_ident()
        #: the recorded tasks of all streams, in the order of the calls
        self.tasks: list[Task] = []
        #: for the checker: the calls that they come from
        self.callers: dict[Task, Caller] = {}
        #: whether a call failed that a capture does not allow
        self.invalidated = False
        self.ended = False

    def fail(self, status: Status, message: str) -> NoReturn:
        """Refuse a call that a capture does not allow; the capture's end will fail, too."""
        self.invalidated = True
        fail(status, message)

    def refuse(self, stream: BaseStream) -> NoReturn:
        """Refuse a call that needs the work of a captured stream done."""
        problem = f"{stream!r} is captured, so its work does not run; end the capture first"
        self.fail(Status.ACL_ERROR_RT_STREAM_CAPTURED, problem)

    def refuse_unsupported(self, stream: BaseStream, problem: str) -> NoReturn:
        """Refuse work of a kind that cannot be captured."""
        status = Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT
        self.fail(status, f"{stream!r} is captured, and {problem}")

    def restricts_thread(self) -> bool:
        """Tell whether the calling thread must not copy or fill memory at once."""
        if CaptureMode.RELAXED in (self.mode, _thread.mode):
            return False
        others = self.mode is CaptureMode.GLOBAL and _thread.mode is CaptureMode.GLOBAL
        return others or self._thread == get_ident()

    def record(self, task: Task) -> None:
        """Keep a task of a captured stream."""
        if self.invalidated:
            problem = f"the capture of {self.origin!r} is invalid because a call failed; end it"
            fail(Status.ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, problem)
        if task.kind in (Kind.CALLBACK, Kind.NOTICE):
            self.refuse_unsupported(task.stream, "callbacks cannot be; use a host function")
        task.capture = self
        self.tasks.append(task)

    def check_end(self, stream: BaseStream) -> None:
        """Refuse to end the capture on another stream or thread than it began on."""
        if stream is not self.origin:
            problem = f"{stream!r} joined the capture that {self.origin!r} began; end it there"
            self.fail(Status.ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, problem)
        if self.mode is not CaptureMode.RELAXED and self._thread != get_ident():
            self.fail(
                Status.ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
                f"the capture of {stream!r} was begun by another thread, which must end it unless"
                " the mode is RELAXED",
            )

    def check_complete(self) -> None:
        """Refuse a capture that failed, or whose origin does not wait for all of its work."""
        if self.invalidated:
            problem = f"a call failed while {self.origin!r} was captured; nothing was captured"
            fail(Status.ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, problem)
        reached = self._reached()
        for task in self.tasks:
            if task.kind in (Kind.KERNEL, Kind.HOST, Kind.COLLECTIVE) and task not in reached:
                fail(
                    Status.ACL_ERROR_RT_STREAM_UNJOINED,
                    f"{self.origin!r} does not wait for {task.label!r} of {task.stream!r}; record"
                    f" an event there and have {self.origin!r} wait for it before the end",
                )

    def _reached(self) -> set[Task | None]:
        """Return the tasks that come before the end of the origin."""
        #: the tasks, with the records that they wait for, and the streams of these tasks
        reached, streams = set[Task | None](), {self.origin}
        for task in reversed(self.tasks):
            if task.stream in streams or task in reached:
                streams.add(task.stream)
                reached |= {task, task.after}
        return reached


class Captures:
    """The captures of a device that have not ended."""

    def __init__(self) -> None:
        #: by the number of a captured stream; some may have ended
        self._by_stream: dict[int, Capture] = {}

    def of(self, stream: BaseStream) -> Capture | None:
        """Return the capture of a stream; None if it is not captured."""
        capture = self._by_stream.get(stream.number)
        return None if capture is None or capture.ended else capture

    def check_supported(self, stream: BaseStream, problem: str) -> None:
        """Refuse work of a kind that cannot be captured if the stream is."""
        capture = self.of(stream)
        if capture is not None:
            capture.refuse_unsupported(stream, problem)

    def active(self) -> Capture | None:
        """Return a capture that has not ended, or None."""
        if not self._by_stream:  # each launch asks
            return None
        return next((each for each in list(self._by_stream.values()) if not each.ended), None)

    def add(self, stream: BaseStream, capture: Capture) -> None:
        """Have a stream record from now on."""
        if stream.is_default:
            capture.fail(
                Status.ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
                f"{stream!r} is a default stream, which cannot be captured; use another stream",
            )
        self._by_stream[stream.number] = capture

    def join(self, stream: BaseStream, record: Task) -> None:
        """Have a stream that waits for a recorded record belong to that record's capture."""
        capture, own = record.capture, self.of(stream)
        assert capture is not None
        if capture.ended:
            self.check_record(record)
        if own is None:
            self.add(stream, capture)
        elif own is not capture:
            own.invalidated = True
            capture.fail(
                Status.ACL_ERROR_STREAM_CAPTURE_CONFLICT,
                f"{stream!r} is captured with {own.origin!r}, the event with {capture.origin!r}; a"
                " stream cannot wait for an event of another capture",
            )

    def check_record(self, record: Task) -> None:
        """Refuse a call that needs a record done which was captured, not queued."""
        if record.capture is not None:
            record.capture.fail(
                Status.ACL_ERROR_RT_EVENT_CAPTURED,
                f"the last {record.label!r} was captured on {record.stream!r}; record the event"
                " again outside the capture",
            )

    def end(self, capture: Capture) -> None:
        capture.ended = True
        for number, each in list(self._by_stream.items()):
            if each is capture:
                self._by_stream.pop(number, None)

    def check_immediate(self) -> None:
        """Refuse an immediate copy or fill if a capture does not let the thread make one."""
        for capture in list(self._by_stream.values()):
            if not capture.ended and capture.restricts_thread():
                capture.fail(
                    Status.ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
                    f"{capture.origin!r} is captured in the mode {capture.mode.name}, in which this"
                    " thread must not copy or fill memory at once, or memory of the host that is"
                    " not pinned; use an asynchronous call with pinned memory, or another mode",
                )

    def check_queued(self, stream: BaseStream) -> None:
        """Refuse work on a default stream while another stream is captured."""
        capture = self.active()
        if capture is not None and stream.is_default:
            capture.fail(
                Status.ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
                f"{stream!r} is a default stream, which takes no work while {capture.origin!r} is"
                " captured; use another stream",
            )
