"""Notifies: points in the work of streams; each record releases one wait."""

from collections import deque
from contextlib import suppress
from time import perf_counter_ns

from ..base_device import BaseDevice, DeviceObject
from ..scheduling.task import BaseStream, Kind, Promise, State, Task


class Notify(DeviceObject):
    """A point in the work of a stream; each record releases exactly one wait.

    Returned by `Device.create_notify`. Unlike an event, a notify can be waited for before it is
    recorded: the stream is blocked until then. Records and waits are matched in the order of the
    calls. A record has no effect while an earlier one is still waiting for its wait.

    Attributes
    ----------
    device : Device
        The device that it belongs to.
    number : int
        Its number in traces and messages.
    alive : bool
        False after it has been destroyed.

    Examples
    --------
    >>> dev = ar.Device("Atlas A2")
    >>> producer, consumer = dev.create_stream(), dev.create_stream()
    >>> notify = dev.create_notify()
    >>> notify.wait(consumer)
    >>> consumer.launch_host_func(lambda: print("second"))
    >>> producer.launch_host_func(lambda: print("first"))
    >>> notify.record(producer)
    >>> consumer.synchronize()
    first
    second
    """

    def __init__(self, device: BaseDevice) -> None:
        super().__init__(device)
        #: the record that the next wait consumes, unless a wait has already consumed it
        self._record: Task | None = None
        #: waits in order; those that are done are removed soon
        self._waits: deque[Task] = deque()

    def record(self, stream: BaseStream | None = None) -> None:
        """Release one wait, queued before or later, once all work submitted so far is done.

        Parameters
        ----------
        stream : Stream, optional
            None for the default stream.

        Raises
        ------
        AclError
            107003 for a stream of another device, 107017 if the notify or stream has been
            destroyed.

        Examples
        --------
        >>> ar.Device("Atlas A2").create_notify().record()
        """
        self._check()
        stream = self._uncaptured(stream)
        promise = self._first_promise()
        if promise is not None:
            promise.stream, promise.submitted = stream, perf_counter_ns()
            try:
                self.device.scheduler.submit(promise)
            finally:  # threads that wait for the promise can now wait for its stream
                for wake in list(promise.waiters):
                    wake()
            return
        task = Task(stream, Kind.RECORD, self._label)
        self.device.scheduler.submit(task)
        if self._unused_record() is None:
            self._record = task

    def wait(self, stream: BaseStream | None = None) -> None:
        """Make work submitted from now on wait for a record, and consume that record.

        Parameters
        ----------
        stream : Stream, optional
            None for the default stream.

        Raises
        ------
        AclError
            As for `record`.

        Examples
        --------
        >>> notify = ar.Device("Atlas A2").create_notify()
        >>> notify.record()
        >>> notify.wait()
        """
        self._check()
        stream = self._uncaptured(stream)
        for done in [x for x in list(self._waits) if x.state is State.DONE]:
            if done.after is not self._record:
                with suppress(ValueError):
                    self._waits.remove(done)
        record = self._unused_record() or Promise(stream, Kind.RECORD, self._label)
        task = Task(stream, Kind.WAIT, f"wait for notify {self.number}", after=record)
        self._waits.append(task)  # before it is submitted, so that a record finds it
        self.device.scheduler.submit(task)

    def _uncaptured(self, stream: BaseStream | None) -> BaseStream:
        queue = self.device.own_stream(stream)
        self.device.scheduler.captures.check_supported(queue, "notifies cannot be; use an event")
        return queue

    @property
    def _label(self) -> str:
        return f"record notify {self.number}"

    def _queued_waits(self) -> list[Task]:
        """Return the unfinished waits; an interrupt may have kept one from being queued."""
        return [task for task in list(self._waits) if task in list(task.stream.queue)]

    def _first_promise(self) -> Promise | None:
        for task in self._queued_waits():
            if isinstance(task.after, Promise) and task.after.promised:
                return task.after
        return None

    def _unused_record(self) -> Task | None:
        record = self._record
        for task in list(self._waits):
            if task.after is record and (task.state is State.DONE or task in self._queued_waits()):
                return None
        return record
