"""Streams: queues of work that run in order."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from enum import IntEnum, IntFlag
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from ..core.errors import AclError, ArgumentTypeError, fail, shown
from ..core.status import Status
from .arguments import whole_number
from .atomic import Handle
from .callbacks import HostCalls
from .deadline import deadline_after
from .engine import engine
from .event import Event
from .inside import is_inside
from .task import Failure, Kind, State, Task

if TYPE_CHECKING:
    from .device import Device

#: the priorities of streams, from the highest to the lowest
PRIORITIES: Final = (0, 7)

_numbers: Final = count(1)


class StreamFlag(IntFlag):
    """How a stream was asked to be; all but the last three are hints."""

    NONE = 0
    FAST_LAUNCH = 0x1
    FAST_SYNC = 0x2
    PERSISTENT = 0x4
    HUGE = 0x8
    CPU_SCHEDULE = 0x10
    DEVICE_USE_ONLY = 0x20


_NEVER_WAITED_FOR: Final = (
    StreamFlag.PERSISTENT | StreamFlag.CPU_SCHEDULE | StreamFlag.DEVICE_USE_ONLY
)


class FailureMode(IntEnum):
    """What the failure of a task means for the work behind it."""

    #: it is reported once, by the next call that synchronizes; later tasks run
    CONTINUE = 0
    #: nothing on the device runs any more, and every call reports it
    STOP = 1


class Stream(HostCalls, Handle):
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
        From 0, the highest, to 7; a hint that the emulated device takes no notice of.
    flags : StreamFlag
        As it was asked to be.
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

    def __init__(self, device: Device, priority: int, flags: StreamFlag) -> None:
        super().__init__()
        self.device = device
        self.number = next(_numbers)
        self.priority = min(max(whole_number("priority", priority), PRIORITIES[0]), PRIORITIES[1])
        self.flags = flags
        self.scheduler = device.scheduler
        #: tasks in order; those that are done are about to leave
        self.queue: deque[Task] = deque()
        #: tasks that are not to run any more, should they not run already
        self.doomed: frozenset[Task] = frozenset()
        #: whether it goes with its last task
        self.ending = False
        #: the first failure since the last call that synchronized
        self.failure: Failure | None = None

    def __repr__(self) -> str:
        state = "" if self.alive else ", destroyed"
        return f"<stream {self.number} of {self.device.soc_name}{state}>"

    @property
    def alive(self) -> bool:
        """Whether it was not destroyed yet."""
        return self.listed and not self.ending

    @property
    def listed(self) -> bool:
        """Whether its tasks still run."""
        return self.number in self.scheduler.streams

    @property
    def last(self) -> Task | None:
        """The task that was submitted last; None if all are done."""
        with suppress(IndexError):
            last = self.queue[-1]
            if last.state is not State.DONE:
                return last
        return None

    def first(self) -> Task | None:
        """Return the first task that is not done; None if all are."""
        with suppress(IndexError):
            while (task := self.queue[0]).state is State.DONE:
                self.retire(task)
            return task
        return None

    def retire(self, task: Task) -> None:
        """Take a task that is done off the queue, unless it is gone already."""
        with suppress(ValueError):
            self.queue.remove(task)

    def look(self) -> None:
        """Let the engine look at the first task."""
        engine.look_at(self)

    def check(self) -> None:
        """Raise AclError if the stream was destroyed."""
        if not self.alive:
            fail(Status.ACL_ERROR_RT_INVALID_HANDLE, f"{self!r} cannot be used any more")

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
        task = self.last
        if task is not None and not self.flags & _NEVER_WAITED_FOR:
            if not self.scheduler.wait((task,), deadline):
                fail(
                    Status.ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                    f"{self!r} was not done within {shown(timeout)} ms; {len(self.queue)} tasks are"
                    " left",
                )
            if task.status is Status.ACL_ERROR_RT_STREAM_ABORT:
                fail(task.status, f"{self!r} was aborted while its work was waited for")
        self.scheduler.report(self)

    def query(self) -> bool:
        """Tell, without waiting, whether everything that was submitted so far is done.

        Where work runs only on demand (``execution="lazy"`` or ``"random"``), a question that gets
        no for an answer runs one task, so that asking often enough ends with yes.

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
        task = self.last
        if task is None:
            return True
        self.scheduler.poll(task)
        return False

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
        record = event.to_wait_for(self)
        if record is not None:
            task = Task(self, Kind.WAIT, f"wait for event {event.number}", after=record)
            event.note_wait(task)
            self.scheduler.submit(task)

    def set_failure_mode(self, mode: int) -> None:
        """Say what the failure of a task means for the work behind it.

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
        if whole_number("mode", mode) & 1:
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
        self.scheduler.drop(self)

    def destroy(self, *, force: bool = False) -> None:
        """Wait for the work of the stream, then give it back.

        Within host functions, callbacks and finalizers that are run meanwhile, which must not wait,
        the stream takes no more work and goes when what it has is done; what fails then,
        `Device.synchronize` reports.

        Parameters
        ----------
        force : bool, optional
            Drop the work that did not start yet instead, callbacks that did not begin included, and
            wait for nothing.

        Raises
        ------
        AclError
            100000 for the default stream, 107017 if it was destroyed before, or the code of a task
            that failed and was not reported yet; the stream is gone then, too.

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
        if is_inside() and not force:
            self.ending = True
            scheduler.let_go(self)
            return
        while (task := scheduler.remove(self, busy=force)) is not None:
            scheduler.wait((task,), None)
        if force:
            scheduler.drop(self)
        self._end_subscription()
        failure = self.failure
        if failure is not None:
            failure.report()

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
            with suppress(AclError):  # an error on its way out is neither hidden nor kept waiting
                self.destroy(force=True)
