"""Events: points in the work of streams, to wait for and to measure time between."""

from __future__ import annotations

from contextlib import suppress
from enum import IntFlag
from typing import Final

from ...core.errors import fail, shown
from ...core.status import Status
from ..arguments import deadline_after, instance, integer
from ..base_device import BaseDevice, DeviceObject
from ..checker.ordering import Operation, Timeline
from ..checker.waits import late_records
from ..scheduling.task import BaseStream, Kind, State, Task


class EventFlag(IntFlag):
    """The purpose of an event."""

    #: streams can wait for it
    SYNC = 0x1
    CAPTURE_STREAM_PROGRESS = 0x2
    #: its record has a timestamp
    TIME_LINE = 0x8
    DEVICE_USE_ONLY = 0x10
    EXTERNAL = 0x20
    IPC = 0x40


#: the flags that can be combined
_COMBINED: Final = 0xF
#: whether an event is Ex-style -> the flags that are allowed alone
_ALONE: Final = {False: (EventFlag.DEVICE_USE_ONLY, EventFlag.EXTERNAL), True: (EventFlag.IPC,)}


class Event(DeviceObject):
    """A point in the work of a stream.

    Returned by `Device.create_event`. An Ex-style event can be recorded any number of times; the
    latest record applies. An old-style event must be reset before it is recorded again, and streams
    must not wait for it before its first record.

    Attributes
    ----------
    device : Device
        The device whose streams can record it.
    number : int
        Its number in traces and messages.
    flags : EventFlag
        Its purpose.
    ex : bool
        Whether it is Ex-style.
    alive : bool
        False after it has been destroyed.

    Examples
    --------
    >>> dev = ar.Device("Atlas A2")
    >>> stream, start, end = dev.create_stream(), dev.create_event(), dev.create_event()
    >>> start.record(stream)
    >>> end.record(stream)
    >>> end.synchronize()
    >>> start.elapsed_time(end) >= 0
    True
    """

    def __init__(self, device: BaseDevice, flags: int, ex: bool) -> None:
        flags = integer("flags", flags)
        if not (flags in _ALONE[ex] or (0 < flags <= _COMBINED)):
            alone = " or ".join(f"{int(flag):#x}" for flag in _ALONE[ex])
            fail(
                Status.ACL_ERROR_RT_PARAM_INVALID,
                f"flags is {flags:#x}; a combination of 0x1, 0x2, 0x4 and 0x8, or {alone} alone is"
                f" expected for an {'Ex-style' if ex else 'old-style'} event",
            )
        super().__init__(device)
        self.flags = EventFlag(flags)
        self.ex = ex
        self._record: Task | None = None
        #: whether anything has waited for the latest record
        self._awaited = False
        #: the previous record, if nothing ever waited for it
        self._lost: Operation | None = None
        #: for the checker: whether anything waited before the first record, and the records since
        self._early = False
        self._late = late_records()
        self._waits: list[Task] = []

    @property
    def recorded(self) -> bool:
        """Whether it has been recorded and not reset since."""
        return self._record is not None

    def record(self, stream: BaseStream | None = None) -> None:
        """Record the point in a stream at which all work submitted so far is done.

        Parameters
        ----------
        stream : Stream, optional
            None for the default stream.

        Raises
        ------
        AclError
            107003 for a stream of another device, 107017 if the event or stream has been destroyed.

        Examples
        --------
        >>> ar.Device("Atlas A2").create_event().record()
        """
        self._check()
        stream = self.device.own_stream(stream)
        task = Task(stream, Kind.RECORD, f"record event {self.number}")
        self.device.scheduler.submit(task)
        self._replace(task)
        if self.device.checker is not None and task.operation is not None:
            task.operation.timeline.last_record = task.operation.index
            if self._early:
                self._late.append(task.operation)

    def reset(self, stream: BaseStream | None = None) -> None:
        """Reset an old-style event, so that it counts as not recorded.

        Parameters
        ----------
        stream : Stream, optional
            None for the default stream. Waits queued earlier are not affected.

        Raises
        ------
        AclError
            207000 for an Ex-style event or one without the flag SYNC; 107003 for a stream of
            another device.

        Examples
        --------
        >>> event = ar.Device("Atlas A2").create_event(ex=False)
        >>> event.record()
        >>> event.reset()
        """
        self._check()
        self.device.own_stream(stream)
        if self.ex or not self.flags & EventFlag.SYNC:
            fail(
                Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                f"{self!r} cannot be reset; only old-style events with the flag SYNC can be, and"
                " Ex-style events can be recorded again without a reset",
            )
        self._replace(None)
        self._early, self._late = False, late_records()

    def _replace(self, record: Task | None) -> None:
        before, self._record = self._record, record
        # a record that something waited for can be dropped
        if before is not None:
            self._lost = None if self._awaited else before.operation
        self._awaited = False

    def query(self) -> bool:
        """Tell, without waiting, whether the latest record has been reached.

        An event that was never recorded counts as complete if it is Ex-style, else as incomplete.

        Examples
        --------
        >>> dev = ar.Device("Atlas A2")
        >>> dev.create_event().query(), dev.create_event(ex=False).query()
        (True, False)
        """
        self._check()
        self.device.scheduler.check()
        record = self._record
        if record is None:
            if self.ex and self.device.checker is not None:
                self.note_wait(self.device.checker.host)
            return self.ex
        self.device.scheduler.captures.check_record(record)
        reached = self.device.scheduler.query(record)
        if reached:
            self._seen(record)
        return reached

    def query_wait_status(self) -> bool:
        """Tell whether all waits that streams queued for an old-style event are done.

        Raises
        ------
        AclError
            207000 for an Ex-style event.

        Examples
        --------
        >>> ar.Device("Atlas A2").create_event(ex=False).query_wait_status()
        True
        """
        self._check()
        if self.ex:
            problem = f"{self!r} is Ex-style; only old-style events keep track of waits"
            fail(Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT, problem)
        self.device.scheduler.check()
        for task in list(self._waits):
            # a wait that is in no queue was interrupted before it was submitted
            if task in list(task.stream.queue) and not self.device.scheduler.query(task):
                return False
            self._reach(task)
        return True

    def synchronize(self, timeout: float | None = None) -> None:
        """Wait on the host until the latest record is reached.

        Parameters
        ----------
        timeout : float, optional
            Maximum time to wait in milliseconds; None or -1 waits for ever. The call returns at
            once if the event was never recorded.

        Raises
        ------
        AclError
            107000 for a timeout of 0 or below -1, 507047 if it expires, 107023 if the record was
            aborted, or the code of a failed task of the recorded stream.

        Examples
        --------
        >>> ar.Device("Atlas A2").create_event().synchronize(timeout=100)
        """
        self._check()
        deadline = deadline_after(timeout)
        self.device.scheduler.check()
        record = self._record
        if record is None:
            if self.device.checker is not None:
                self.note_wait(self.device.checker.host)
            return
        self.device.scheduler.captures.check_record(record)
        if not self.device.scheduler.wait((record,), deadline):
            problem = f"{self!r} was not reached within {shown(timeout)} ms in {record.stream!r}"
            fail(Status.ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, problem)
        if record.status is Status.ACL_ERROR_RT_STREAM_ABORT:
            fail(record.status, f"the record of {self!r} was aborted in {record.stream!r}")
        self._seen(record)
        self.device.scheduler.report(record.stream)

    def elapsed_time(self, end: Event) -> float:
        """Return the milliseconds from this event's record to another's.

        Parameters
        ----------
        end : Event
            The later event; if it is the earlier one, the result is negative.

        Raises
        ------
        AclError
            100000 for None, 507000 if either event was never recorded, 107006 if either record has
            not been reached or the event was created without the flag TIME_LINE.

        Examples
        --------
        >>> event = ar.Device("Atlas A2").create_event()
        >>> event.record()
        >>> event.synchronize()
        >>> event.elapsed_time(event)
        0.0
        """
        self._check()
        end = instance("end", end, Event)
        started, ended = self._recorded(), end._recorded()
        return (end._reached(ended) - self._reached(started)) / 1e6

    def timestamp(self) -> int:
        """Return the time at which the record was reached, in microseconds of a monotonic clock.

        Raises
        ------
        AclError
            As for `elapsed_time`.

        Examples
        --------
        >>> event = ar.Device("Atlas A2").create_event()
        >>> event.record()
        >>> event.synchronize()
        >>> event.timestamp() > 0
        True
        """
        return self._reached(self._recorded()) // 1000

    def record_to_wait_for(self, stream: BaseStream) -> Task | None:
        """Return the record that a stream must wait for; None if there is none."""
        self._check()
        if stream.scheduler is not self.device.scheduler:
            problem = f"{self!r} and {stream!r} belong to different devices"
            fail(Status.ACL_ERROR_RT_STREAM_CONTEXT, problem)
        if not self.flags & EventFlag.SYNC:
            fail(
                Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                f"{self!r} has flags {int(self.flags):#x}; streams can wait only for events with"
                " the flag SYNC (0x1)",
            )
        record, captures = self._record, stream.scheduler.captures
        if record is not None and record.capture is not None:
            captures.join(stream, record)
            return None if record.stream is stream else record
        capture = captures.of(stream)
        if capture is not None:
            capture.fail(
                Status.ACL_ERROR_RT_CAPTURE_DEPENDENCY,
                f"{stream!r} is captured and waits for {self!r}, which was not recorded in the same"
                " capture",
            )
        if record is None:
            if not self.ex:
                problem = f"{self!r} was never recorded; record it before a stream waits for it"
                fail(Status.ACL_ERROR_RT_PARAM_INVALID, problem)
            return None
        if self.ex and (record.stream is stream or record.state is State.DONE):
            return None
        return record

    def note_wait(self, timeline: Timeline) -> None:
        """Order a stream, or the host, after the latest record, for the checker."""
        self._awaited = True
        if self._record is None:
            self._early = True  # before the record is read again
        checker = self.device.checker
        if checker is not None:
            record = None if self._record is None else self._record.operation
            if self._record is None or record is not None:  # otherwise the wait is held, too
                checker.wait_for_event(timeline, self.number, record, self._lost, self._late)

    def _seen(self, record: Task) -> None:
        """Note, for the checker, that the host has seen that a record was reached."""
        self._awaited = True
        self._reach(record)

    def _reach(self, task: Task) -> None:
        checker, dropped = self.device.checker, task.status is Status.ACL_ERROR_RT_STREAM_ABORT
        if checker is not None and task.operation is not None and not dropped:
            checker.reach_record(task.operation)

    def add_wait(self, task: Task) -> None:
        """Keep a wait that a stream will queue, for `query_wait_status`."""
        if not self.ex:
            for wait in list(self._waits):
                if wait.state is State.DONE:
                    with suppress(ValueError):
                        self._waits.remove(wait)
            self._waits.append(task)

    def _recorded(self) -> Task:
        self._check()
        if self._record is None:
            fail(Status.ACL_ERROR_RT_INTERNAL_ERROR, f"{self!r} was never recorded")
        return self._record

    def _reached(self, record: Task) -> int:
        if not self.flags & EventFlag.TIME_LINE:
            fail(
                Status.ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                f"{self!r} has flags {int(self.flags):#x}; only events with the flag TIME_LINE"
                " (0x8) keep the time",
            )
        self.device.scheduler.captures.check_record(record)
        if record.state is not State.DONE or record.status is not Status.ACL_SUCCESS:
            problem = f"the record of {self!r} has not been reached; synchronize first"
            fail(Status.ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, problem)
        self._seen(record)
        return record.ended
