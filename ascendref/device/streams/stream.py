"""Streams: queues of tasks that run one after the other."""

from __future__ import annotations

from contextlib import suppress
from enum import IntEnum, IntFlag
from types import TracebackType
from typing import Final, Self

from ...core.errors import AclError, ArgumentTypeError, fail, shown
from ...core.status import Status
from ..arguments import integer
from ..base_device import BaseDevice
from ..handle import Handle
from ..scheduling.task import Kind, Task
from ..scheduling.task_context import in_task
from ..timeouts import deadline_after
from .event import Event
from .host_functions import HostFunctionStream

#: the priorities of streams, from the highest to the lowest
PRIORITIES: Final = (0, 7)


class StreamFlag(IntFlag):
    """Properties that a stream is created with; FAST_LAUNCH, FAST_SYNC and HUGE have no effect."""

    NONE = 0
    FAST_LAUNCH = 0x1
    FAST_SYNC = 0x2
    PERSISTENT = 0x4
    HUGE = 0x8
    CPU_SCHEDULE = 0x10
    DEVICE_USE_ONLY = 0x20


#: `Stream.synchronize` does not wait for streams with one of these
_NOT_WAITED_FOR: Final = (
    StreamFlag.PERSISTENT | StreamFlag.CPU_SCHEDULE | StreamFlag.DEVICE_USE_ONLY
)


class FailureMode(IntEnum):
    """What the failure of a task means for the work behind it."""

    #: the next call that synchronizes reports it, once; later tasks run
    CONTINUE = 0
    #: nothing on the device runs any more, and every call reports the failure
    STOP = 1


class Stream(HostFunctionStream, Handle):
    """A queue of work on a device: its tasks run one after the other, in the order of submission.

    Made by `Device.create_stream`. Different streams, the default stream included, run in any order
    unless events order them. A stream ends with `destroy` or with the ``with`` block that it opens,
    and both wait for its work.

    Attributes
    ----------
    device : Device
        Where its work runs.
    number : int
        Its number in traces and messages.
    priority : int
        From 0, the highest, to 7; a hint without effect on the emulated device.
    flags : StreamFlag
        The properties that it was created with.
    alive : bool
        False once it was destroyed.

    Examples
    --------
    >>> import ascendref as ar
    >>> dev = ar.Device("Atlas A2")
    >>> with dev.create_stream() as stream:
    ...     stream.launch_host_func(lambda: print("in order"))
    ...     stream.synchronize()
    in order
    """

    def __init__(self, device: BaseDevice, priority: int, flags: StreamFlag) -> None:
        super().__init__(device.scheduler)
        self.device = device
        self.priority = min(max(integer("priority", priority), PRIORITIES[0]), PRIORITIES[1])
        self.flags = flags

    def __repr__(self) -> str:
        state = "" if self.alive else ", destroyed"
        return f"<stream {self.number} of {self.device.soc_name}{state}>"

    def synchronize(self, timeout: float | None = None) -> None:
        """Wait until everything that was submitted so far is done.

        Parameters
        ----------
        timeout : float, optional
            Milliseconds to wait at most; None and -1 wait for ever.

        Raises
        ------
        AclError
            107000 for a timeout of 0 or below -1, 507046 when it passed, 107023 when the work was
            aborted, or the code of the first task that failed since the last such call.

        Examples
        --------
        >>> import ascendref as ar
        >>> ar.Device("Atlas A2").create_stream().synchronize(timeout=100)
        """
        self.check()
        deadline = deadline_after(timeout)
        self.scheduler.check()
        checker = self.scheduler.checker
        reached = {} if checker is None else checker.knowledge(self.timeline)
        task = self.last
        if task is not None and not self.flags & _NOT_WAITED_FOR:
            if not self.scheduler.wait((task,), deadline):
                fail(
                    Status.ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                    f"{self!r} was not done within {shown(timeout)} ms; {len(self.queue)} tasks are"
                    " left",
                )
            if task.status is Status.ACL_ERROR_RT_STREAM_ABORT:
                fail(task.status, f"{self!r} was aborted while its work was waited for")
        if checker is not None and not self.flags & _NOT_WAITED_FOR:
            checker.reach(reached)
            checker.check_waits(self.timeline)
        self.scheduler.report(self)

    def query(self) -> bool:
        """Tell, without waiting, whether everything that was submitted so far is done.

        Where work runs only on demand (``execution="lazy"`` or ``"random"``), a query that returns
        False runs one task, so that a program that queries in a loop gets to the end.

        Raises
        ------
        AclError
            The failure that stopped the device, in failure mode STOP.

        Examples
        --------
        >>> import ascendref as ar
        >>> ar.Device("Atlas A2").create_stream().query()
        True
        """
        self.check()
        self.scheduler.check()
        checker = self.scheduler.checker
        reached = {} if checker is None else checker.knowledge(self.timeline)
        done = self.scheduler.query(self.last)
        if done and checker is not None:
            checker.reach(reached)
        return done

    def wait_event(self, event: Event) -> None:
        """Let what is submitted from now on wait for the latest record of an event.

        Parameters
        ----------
        event : Event
            Recorded on any stream of the same device. A later record of it changes nothing.

        Raises
        ------
        AclError
            100000 for None, 107003 for an event of another device, 107017 for a destroyed one,
            207000 if it was made without the flag SYNC, and 107000 if it is not Ex-style and was
            never recorded.

        Examples
        --------
        >>> import ascendref as ar
        >>> dev = ar.Device("Atlas A2")
        >>> producer, consumer, event = dev.create_stream(), dev.create_stream(), dev.create_event()
        >>> event.record(producer)
        >>> consumer.wait_event(event)
        """
        self.check()
        if event is None:
            fail(Status.ACL_ERROR_INVALID_PARAM, "event is None; an Event is expected")
        if not isinstance(event, Event):
            raise ArgumentTypeError("event", f"is a {type(event).__name__}; an Event is expected")
        record = event.record_to_wait_for(self)
        event.note_wait(self.timeline)
        if record is not None:
            task = Task(self, Kind.WAIT, f"wait for event {event.number}", after=record)
            event.add_wait(task)
            self.scheduler.submit(task)

    def set_failure_mode(self, mode: int) -> None:
        """Set what the failure of a task means for the work behind it.

        Parameters
        ----------
        mode : FailureMode or int
            Only the lowest bit counts. STOP holds for all streams of the device, and for good.

        Raises
        ------
        AclError
            207000 for CONTINUE after STOP, and for the default stream on products other than Atlas
            A2 and A3.

        Examples
        --------
        >>> import ascendref as ar
        >>> ar.Device("Atlas A2").create_stream().set_failure_mode(ar.FailureMode.STOP)
        """
        self.check()
        product = self.device.product
        if self is self.device.default_stream and not product.default_stream_has_failure_mode:
            fail(
                Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                f"the default stream has no failure mode on {product.name}; set it on another"
                " stream",
            )
        if integer("mode", mode) & 1:
            self.scheduler.stop_on_failure = True
        elif self.scheduler.stop_on_failure:
            fail(
                Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                "the device is in failure mode STOP, which cannot be undone; make a new Device",
            )

    def abort(self) -> None:
        """Drop the work that did not start yet.

        Calls that wait for it get 107023, and so does a wait for an event whose record was dropped.
        A task that runs is not interrupted.

        Examples
        --------
        >>> import ascendref as ar
        >>> dev = ar.Device("Atlas A2", execution="lazy")
        >>> stream = dev.create_stream()
        >>> stream.launch_host_func(lambda: print("never"))
        >>> stream.abort()
        """
        self.check()
        if self.scheduler.checker is not None:
            self.scheduler.checker.abandon(self.timeline)
        self.scheduler.abort(self)

    def destroy(self, *, force: bool = False) -> None:
        """Wait for the work of the stream, then destroy it.

        Host functions and callbacks, and finalizers that run within them, must not wait. When they
        destroy a stream, it takes no more work and is destroyed once its work is done;
        `Device.synchronize` reports what fails until then.

        Parameters
        ----------
        force : bool, optional
            Do not wait, but drop the work that did not start yet, including callbacks that did not
            begin. A task that runs is not interrupted; `Device.synchronize` waits for it.

        Raises
        ------
        AclError
            100000 for the default stream, 107017 if it was destroyed before, or the code of a task
            that failed and was not reported yet; the stream is destroyed then, too.

        Examples
        --------
        >>> import ascendref as ar
        >>> ar.Device("Atlas A2").create_stream().destroy()
        """
        self.check()
        if self is self.device.default_stream:
            fail(
                Status.ACL_ERROR_INVALID_PARAM,
                "the default stream cannot be destroyed; it goes with its device",
            )
        scheduler = self.scheduler
        if in_task() and not force:
            self.closing = True
            scheduler.remove_if_closed(self)
            return
        while (task := scheduler.remove_stream(self, busy=force)) is not None:
            scheduler.wait((task,), None)
        checker = scheduler.checker
        if checker is not None and force:
            checker.abandon(self.timeline)
        if force:
            scheduler.abort(self)
        if checker is not None:
            checker.end_stream(self.timeline, waited=not force)
        self.end_subscription()
        failure = self.failure
        if failure is not None:
            try:
                failure.report()
            except AclError:  # not again by an event that was recorded here
                self.failure = None
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not self.alive:
            return
        if error is None:
            self.destroy()
        else:
            with suppress(AclError):  # must neither replace nor delay the error of the block
                self.destroy(force=True)
