"""Streams: queues of tasks that run one after another."""

from contextlib import suppress
from enum import IntEnum, IntFlag
from types import TracebackType
from typing import Final, Self

from ...core.errors import AclError, fail, shown
from ...core.status import Status
from ..arguments import deadline_after, instance, integer
from ..base_device import BaseDevice
from ..handle import Handle
from ..scheduling.capture import CaptureMode
from ..scheduling.scheduler import submissions
from ..scheduling.task import Kind, Task, in_task
from .callbacks import CallbackStream
from .event import Event
from .graph import Graph

#: stream priorities, highest to lowest
PRIORITIES: Final = (0, 7)


class StreamFlag(IntFlag):
    """Properties of a new stream; FAST_LAUNCH, FAST_SYNC and HUGE have no effect."""

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
    """What happens to later work when a task fails."""

    #: the next synchronizing call reports it, once; later tasks run
    CONTINUE = 0
    #: the device runs nothing more, and every call reports the failure
    STOP = 1


class Stream(CallbackStream, Handle):
    """A queue of work on a device; its tasks run one after another, in the order of submission.

    Returned by `Device.create_stream`. Different streams, including the default stream, run in any
    order unless events order them. A stream is destroyed by `destroy` or at the end of its ``with``
    block; both wait for its work.

    Attributes
    ----------
    device : Device
        The device that runs its work.
    number : int
        Its number in traces and messages.
    priority : int
        From 0 (highest) to 7; has no effect on the emulated device.
    flags : StreamFlag
        The flags given at creation.
    alive : bool
        False after it has been destroyed.

    Examples
    --------
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
        #: whether waits wait for it; the enumerations' operators are written in Python
        self._is_waited_for = not flags & _NOT_WAITED_FOR

    def __repr__(self) -> str:
        state = "" if self.alive else ", destroyed"
        return f"<stream {self.number} of {self.device.soc_name}{state}>"

    def synchronize(self, timeout: float | None = None) -> None:
        """Wait until all work submitted so far is done.

        Parameters
        ----------
        timeout : float, optional
            Maximum time to wait in milliseconds; None or -1 waits for ever.

        Raises
        ------
        AclError
            107000 for a timeout of 0 or below -1, 507046 if it expires, 107023 if the work was
            aborted, or the code of the first task that failed since the last such call.

        Examples
        --------
        >>> ar.Device("Atlas A2").create_stream().synchronize(timeout=100)
        """
        self.check()
        deadline = deadline_after(timeout)
        self._check_uncaptured()
        checker = self.scheduler.checker
        reached = {} if checker is None else checker.knowledge(self.timeline)
        task = self.last
        if task is not None and self._is_waited_for:
            if not self.scheduler.wait((task,), deadline):
                fail(
                    Status.ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                    f"{self!r} was not done within {shown(timeout)} ms; {len(self.queue)} tasks are"
                    " left",
                )
            if task.status is Status.ACL_ERROR_RT_STREAM_ABORT:
                fail(task.status, f"{self!r} was aborted while the host waited for its work")
        if checker is not None and self._is_waited_for:
            checker.reach(reached)
            checker.check_waits(self.timeline)
        self.scheduler.report(self)

    def query(self) -> bool:
        """Tell, without waiting, whether all work submitted so far is done.

        If work runs only on demand (``execution="lazy"`` or ``"random"``), a query that returns
        False runs one task, so that a loop of queries terminates.

        Raises
        ------
        AclError
            The failure that stopped the device (failure mode STOP).

        Examples
        --------
        >>> ar.Device("Atlas A2").create_stream().query()
        True
        """
        self.check()
        self._check_uncaptured()
        checker = self.scheduler.checker
        reached = {} if checker is None else checker.knowledge(self.timeline)
        done = self.scheduler.query(self.last)
        if done and checker is not None:
            checker.reach(reached)
        return done

    def wait_event(self, event: Event) -> None:
        """Make work submitted from now on wait for the latest record of an event.

        Parameters
        ----------
        event : Event
            An event recorded on any stream of the same device. Recording it again later does not
            affect this wait.

        Raises
        ------
        AclError
            100000 for None, 107003 for an event of another device, 107017 for a destroyed event,
            207000 for an event without the flag SYNC, 107000 for an old-style event that was never
            recorded.

        Examples
        --------
        >>> dev = ar.Device("Atlas A2")
        >>> producer, consumer, event = dev.create_stream(), dev.create_stream(), dev.create_event()
        >>> event.record(producer)
        >>> consumer.wait_event(event)
        """
        self.check()
        event = instance("event", event, Event)
        record = event.record_to_wait_for(self)
        event.note_wait(self.timeline)
        if record is not None:
            task = Task(self, Kind.WAIT, f"wait for event {event.number}", after=record)
            event.add_wait(task)
            self.scheduler.submit(task)
        else:
            self.scheduler.note_order()

    def begin_capture(self, mode: int = CaptureMode.GLOBAL) -> None:
        """Record the work submitted from now on, instead of running it.

        `end_capture` returns the work as a graph. Other streams join the capture when they wait for
        an event that was recorded in it; before the end, this stream must wait for their work. A
        call that a capture does not allow, such as one that waits for a captured stream, raises
        and makes `end_capture` fail. Callbacks, notifies and graphs cannot be captured.

        Parameters
        ----------
        mode : CaptureMode or int, optional
            Which threads must not copy or fill memory at once (`Device.memcpy`, `Device.memset`,
            and asynchronous copies of host memory that is not pinned) until the end: all threads
            (GLOBAL), this one (THREAD_LOCAL), or none (RELAXED).

        Raises
        ------
        AclError
            107000 for another mode, 107027 if the stream is captured already, 107031 for the
            default stream, 207000 on products other than Atlas A2 and A3.

        Examples
        --------
        >>> stream = ar.Device("Atlas A2").create_stream()
        >>> stream.begin_capture(ar.CaptureMode.RELAXED)
        >>> stream.captured
        True
        """
        self.check()
        product = self.device.product
        if not product.captures_streams:
            problem = f"{product.name} cannot capture streams; Atlas A2 and A3 can"
            fail(Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT, problem)
        number = integer("mode", mode)
        if number not in list(CaptureMode):
            fail(
                Status.ACL_ERROR_RT_PARAM_INVALID,
                f"mode is {shown(mode)}; allowed are"
                f" {', '.join(f'{x.name} ({int(x)})' for x in CaptureMode)}",
            )
        captures = self.scheduler.captures
        capture = captures.of(self)
        if capture is not None:
            capture.refuse(self)
        captures.add(self, Graph(self.device, self, CaptureMode(number)))
        submissions.value = 0

    def end_capture(self) -> Graph:
        """Return what was recorded since `begin_capture`, as a graph.

        Raises
        ------
        AclError
            107025 if the stream does not wait for the work of another captured stream, 107029 if it
            is not captured, 107036 if the capture began on another stream, 107038 if another thread
            began it in a mode other than RELAXED, 507903 if a call failed that a capture does not
            allow. Unless the code is 107036 or 107038, the capture has ended.

        Examples
        --------
        >>> dev = ar.Device("Atlas A2")
        >>> stream, memory = dev.create_stream(), dev.malloc(4)
        >>> stream.begin_capture()
        >>> dev.memset_async(memory, 0, stream=stream)
        >>> graph = stream.end_capture()
        """
        self.check()
        graph = self.scheduler.captures.of(self)
        if graph is None:
            problem = f"{self!r} is not captured; call begin_capture first"
            fail(Status.ACL_ERROR_RT_STREAM_NOT_CAPTURED, problem)
        assert isinstance(graph, Graph)
        graph.check_end(self)
        graph.end()
        return graph

    @property
    def captured(self) -> bool:
        """Whether its work is recorded instead of run."""
        return self.scheduler.captures.of(self) is not None

    def _check_uncaptured(self) -> None:
        """Before a call that needs the work done: raise AclError if it does not run."""
        self.scheduler.check()
        capture = self.scheduler.captures.of(self)
        if capture is not None:
            capture.refuse(self)

    def set_failure_mode(self, mode: int) -> None:
        """Set what happens to later work when a task fails.

        Parameters
        ----------
        mode : FailureMode or int
            Only the lowest bit is used. STOP applies to all streams of the device and cannot be
            undone.

        Raises
        ------
        AclError
            207000 for CONTINUE after STOP, and for the default stream on products other than Atlas
            A2 and A3.

        Examples
        --------
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
                "the device is in failure mode STOP, which cannot be undone; create a new Device",
            )

    def abort(self) -> None:
        """Drop the work that has not started.

        Calls that wait for the dropped work raise 107023, as do waits for an event whose record was
        dropped. A running task is not interrupted.

        Examples
        --------
        >>> dev = ar.Device("Atlas A2", execution="lazy")
        >>> stream = dev.create_stream()
        >>> stream.launch_host_func(lambda: print("never"))
        >>> stream.abort()
        """
        self.check()
        self._check_uncaptured()
        if self.scheduler.checker is not None:
            self.scheduler.checker.abandon(self.timeline)
        self.scheduler.abort(self)

    def destroy(self, *, force: bool = False) -> None:
        """Wait for the stream's work, then destroy the stream.

        Host functions, callbacks and finalizers that run within them must not wait. If they destroy
        a stream, it accepts no more work and is destroyed once its work is done;
        `Device.synchronize` reports failures until then.

        Parameters
        ----------
        force : bool, optional
            Do not wait; drop the work that has not started, including callbacks. A running task is
            not interrupted; `Device.synchronize` waits for it.

        Raises
        ------
        AclError
            100000 for the default stream, 107017 if it has already been destroyed, or the code of
            an unreported failure of a task; in that case the stream is destroyed too.

        Examples
        --------
        >>> ar.Device("Atlas A2").create_stream().destroy()
        """
        self.check()
        if self is self.device.default_stream:
            problem = "the default stream cannot be destroyed; it exists as long as its device"
            fail(Status.ACL_ERROR_INVALID_PARAM, problem)
        scheduler = self.scheduler
        capture = scheduler.captures.of(self)
        if capture is not None and not force:
            capture.refuse(self)
        if capture is not None:
            capture.invalidated = True
            if capture.origin is self:
                scheduler.captures.end(capture)
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
            except AclError:  # not reported again by an event that was recorded here
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
            with suppress(AclError):  # must not replace or delay the error of the block
                self.destroy(force=True)
