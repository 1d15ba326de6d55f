"""Graphs: captured work of streams, which can be queued again and again."""

from ...core.errors import fail
from ...core.status import Status
from ..base_device import BaseDevice, DeviceObject
from ..checker.callers import Caller
from ..scheduling.capture import Capture, CaptureMode
from ..scheduling.task import BaseStream, Kind, State, Task


class Graph(Capture, DeviceObject):
    """Work that was captured instead of run, to be queued any number of times.

    Returned by `Stream.end_capture`. A task works on the same memory in every run, with its current
    contents. The work of the stream that began the capture runs on the stream given to `launch`;
    for every other captured stream, the graph has a stream of its own.

    Attributes
    ----------
    device : Device
        The device whose streams were captured.
    number : int
        Its number in messages.
    alive : bool
        False after it has been destroyed, or if the capture failed.

    Examples
    --------
    >>> dev = ar.Device("Atlas A2")
    >>> stream, total = dev.create_stream(), []
    >>> stream.begin_capture()
    >>> stream.launch_host_func(lambda: total.append(1))
    >>> graph = stream.end_capture()
    >>> for _ in range(3):
    ...     graph.launch(stream)
    >>> stream.synchronize()
    >>> total
    [1, 1, 1]
    """

    def __init__(self, device: BaseDevice, origin: BaseStream, mode: CaptureMode) -> None:
        Capture.__init__(self, origin, mode)
        DeviceObject.__init__(self, device)
        #: the streams on which it runs the work of captured streams other than the origin
        self._lanes: dict[BaseStream, BaseStream] = {}
        #: the last task of the latest run
        self._last: Task | None = None

    @property
    def _state(self) -> str:
        return ", being captured" if self.alive and not self.ended else super()._state

    def end(self) -> None:
        """End the capture, and get streams to run it on."""
        scheduler = self.device.scheduler
        scheduler.captures.end(self)
        try:
            self.check_complete()
            for task in self.tasks:
                if task.stream is not self.origin and task.stream not in self._lanes:
                    lane = self._lanes[task.stream] = BaseStream(scheduler)
                    scheduler.add_stream(lane, self.device.product)
        except BaseException:
            self._remove()
            raise

    def launch(self, stream: BaseStream | None = None) -> None:
        """Queue the captured work, after that of the latest launch.

        If the checker refuses a part of it, none of it is queued.

        Parameters
        ----------
        stream : Stream, optional
            None for the default stream.

        Raises
        ------
        AclError
            107003 for a stream of another device, 107017 if the graph or stream has been
            destroyed, 107026 while the graph is being captured, 207000 for a captured stream.

        Examples
        --------
        >>> dev = ar.Device("Atlas A2")
        >>> stream, memory = dev.create_stream(), dev.malloc(4)
        >>> stream.begin_capture()
        >>> dev.memset_async(memory, 7, stream=stream)
        >>> graph = stream.end_capture()
        >>> graph.launch()
        >>> dev.synchronize()
        """
        self._check()
        queue, scheduler = self.device.own_stream(stream), self.device.scheduler
        scheduler.captures.check_supported(
            queue, f"graphs cannot be; launch {self!r} on another stream"
        )
        self._find_freed()
        work: list[tuple[Task, Caller | None]] = []
        if self._last is not None and self._last.stream is not queue:
            label = f"wait for graph {self.number}"
            work.append((Task(queue, Kind.WAIT, label, after=self._last), None))
        queued: dict[Task, Task] = {}
        for task in self.tasks:
            lane = self._lanes.get(task.stream, queue)
            if lane is not queue:
                lane.reporter = queue
            after = None if task.after is None else queued[task.after]
            again = queued[task] = Task(
                lane, task.kind, task.label, task.function, task.reads, task.writes, after,
                unwritten=task.unwritten,
            )  # fmt: skip
            work.append((again, self.callers.get(task)))
        scheduler.submit_all(work)
        for task, _ in work:
            if task.stream is queue:
                self._last = task

    def destroy(self) -> None:
        """Destroy it, with its streams.

        Raises
        ------
        AclError
            107017 if it has already been destroyed, 107026 while it is being captured, 107037 while
            it runs.

        Examples
        --------
        >>> stream = ar.Device("Atlas A2").create_stream()
        >>> stream.begin_capture()
        >>> stream.end_capture().destroy()
        """
        self._check()
        if self._last is not None and self._last.state is not State.DONE:
            problem = f"{self!r} is still running; synchronize the stream on which it was launched"
            fail(Status.ACL_ERROR_RT_MODEL_RUNNING, problem)
        self._remove()

    def _find_freed(self) -> None:
        """Report memory of the captured work that has been freed; its task will fail."""
        checker = self.device.checker
        if checker is None:
            return
        for task in self.tasks:
            for shadow, span in (*task.reads, *task.writes):
                if shadow.freed is not None:
                    problem = f"{span.name} of {task.label} in {self!r} lies in freed {shadow}"
                    status = Status.ACL_ERROR_FAILURE
                    checker.find_freed(status, "use-after-free", problem, shadow)

    def _check(self) -> None:
        super()._check()
        if not self.ended:
            problem = f"{self!r} can be used when the capture has ended"
            self.fail(Status.ACL_ERROR_RT_MODEL_CAPTURED, problem)

    def _remove(self) -> None:
        self.alive = False
        for lane in self._lanes.values():
            self.device.scheduler.remove_stream(lane, busy=True)
            if self.device.checker is not None:
                self.device.checker.end_stream(lane.timeline, waited=False)
