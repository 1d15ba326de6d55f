"""The part of a device that runs work: its scheduler, launches, synchronization, timelines."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from itertools import count
from time import perf_counter_ns
from typing import ClassVar, Literal, NamedTuple

from ..core.errors import ArgumentTypeError, fail, fail_argument, shown
from ..core.products import Product
from ..core.status import Status
from .arguments import boolean, deadline_after, integer
from .check_output import keep_for_exit, mode_from_environment
from .checker.checker import Access, Checker
from .checker.hazards import HazardError
from .handle import Handle
from .scheduling.scheduler import Scheduler
from .scheduling.task import BaseStream, Kind, State, Task, Unwritten
from .trace import Trace


class Cores(NamedTuple):
    """Numbers of a device's cores."""

    #: matrix cores
    cube: int
    #: vector cores
    vector: int


class BaseDevice(Handle):
    """The base of `Device` that its memory, streams and events use."""

    #: stream used by calls that name none
    default_stream: BaseStream

    def __init__(
        self,
        product: Product,
        execution: str,
        seed: int | None,
        check: bool | Literal["report"],
        trace_length: int,
    ) -> None:
        self.product = product
        history = integer("trace_length", trace_length)
        if not 0 <= history <= sys.maxsize:
            problem = f"is {shown(trace_length)}; it must be an integer ≥ 0"
            fail_argument(Status.ACL_ERROR_INVALID_PARAM, "trace_length", problem)
        self.execution = execution
        self.seed = random.getrandbits(32) if seed is None else integer("seed", seed)
        self.check = mode_from_environment(_check_mode(check))
        #: None if the checker is off
        self.checker = Checker(report=self.check == "report") if self.check else None
        self.scheduler = Scheduler(execution, history, self.seed)
        self.scheduler.checker = self.checker
        keep_for_exit(repr(self), self.scheduler)
        self._created = perf_counter_ns()

    def __repr__(self) -> str:
        return f"<{self.soc_name} ({self.product.name}), {self.execution}>"

    @property
    def soc_name(self) -> str:
        """Full name of the chip."""
        return self.product.soc_name

    @property
    def cores(self) -> Cores:
        """Numbers of the device's cores."""
        return Cores(self.product.cube_cores, self.product.vector_cores)

    @property
    def hazards(self) -> list[HazardError]:
        """The hazards found so far, each once."""
        return [] if self.checker is None else list(self.checker.reports.hazards)

    def check_process(self) -> None:
        """Raise 107002 in a forked child of the process that created the device."""
        self.scheduler.check_process()

    def synchronize(self, timeout: float | None = None) -> None:
        """Wait until all work submitted so far is done, on all streams.

        That includes tasks that were running when their stream was destroyed by force.

        Parameters
        ----------
        timeout : float, optional
            Maximum time to wait in milliseconds; None or -1 waits for ever.

        Raises
        ------
        AclError
            As for `Stream.synchronize`. If several streams have failures, the oldest stream's is
            raised and the others are kept.

        Examples
        --------
        >>> ar.Device("Atlas A2").synchronize()
        """
        self.check_process()
        deadline = deadline_after(timeout)
        self.scheduler.check()
        capture = self.scheduler.captures.active()
        if capture is not None:
            capture.refuse(capture.origin)
        checker, reached = self.checker, []
        if checker is not None:
            streams = list(self.scheduler.streams.values())  # before streams that ended meanwhile
            reached = [checker.knowledge(stream.timeline) for stream in streams]
            reached += checker.knowledge_of_ended()
        tasks = self.scheduler.last_tasks()
        if not self.scheduler.wait(tasks, deadline):
            left = sum(len(stream.queue) for stream in list(self.scheduler.streams.values()))
            problem = f"{self!r} was not done within {shown(timeout)} ms; {left} tasks are left"
            fail(Status.ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, problem)
        if checker is not None:
            for clock in reached:
                checker.reach(clock)
            checker.check_waits(None)
        for task in tasks:
            if task.status is Status.ACL_ERROR_RT_STREAM_ABORT:
                fail(task.status, f"{task.stream!r} was aborted while the host waited for its work")
        for stream in list(self.scheduler.streams.values()):
            self.scheduler.report(stream)

    def trace(self) -> Trace:
        """Return the timeline of the last ``trace_length`` finished tasks.

        Examples
        --------
        >>> len(ar.Device("Atlas A2").trace())
        0
        """
        self.check_process()
        tasks = dict.fromkeys(list(self.scheduler.history))
        return Trace(
            self.soc_name, self._created, [task for task in tasks if task.state is State.DONE]
        )

    def launch(
        self,
        stream: BaseStream | None,
        function: Callable[[], object],
        reads: tuple[Access, ...],
        writes: tuple[Access, ...],
        label: str,
        *,
        kind: Kind = Kind.KERNEL,
        unwritten: Unwritten = Unwritten.REFUSED,
    ) -> Task:
        """Queue a kernel or a collective: a function and the device memory that it accesses."""
        queue = self.own_stream(stream)
        task = Task(queue, kind, label, function, reads, writes, unwritten=unwritten)
        self.scheduler.submit(task)
        return task

    def own_stream(self, stream: BaseStream | None) -> BaseStream:
        """Check that a stream belongs to this device and is usable; None is the default stream."""
        self.check_process()
        if stream is None:
            return self.default_stream
        if isinstance(stream, BaseStream) and stream.alive and stream.scheduler is self.scheduler:
            return stream
        if not isinstance(stream, BaseStream):
            raise ArgumentTypeError(
                "stream", f"is a {type(stream).__name__}; a Stream or None is expected"
            )
        stream.check()
        if stream.scheduler is not self.scheduler:
            problem = f"stream is {stream!r}, which does not belong to {self!r}"
            fail(Status.ACL_ERROR_RT_STREAM_CONTEXT, problem)
        return stream


class DeviceObject(Handle):
    """An event, a notify or a graph of a device."""

    _numbers: ClassVar[count[int]]

    def __init_subclass__(cls) -> None:
        cls._numbers = count(1)

    def __init__(self, device: BaseDevice) -> None:
        self.device = device
        self.number = next(self._numbers)
        self.alive = True

    @property
    def _state(self) -> str:
        return "" if self.alive else ", destroyed"

    def __repr__(self) -> str:
        name = type(self).__name__.lower()
        return f"<{name} {self.number} of {self.device.soc_name}{self._state}>"

    def destroy(self) -> None:
        """Destroy it, even if its record has not been reached.

        A stream that waits for a notify which was not recorded stays blocked.

        Raises
        ------
        AclError
            107017 if it has already been destroyed.

        Examples
        --------
        >>> ar.Device("Atlas A2").create_event().destroy()
        """
        self._check()
        self.alive = False

    def _check(self) -> None:
        self.device.check_process()
        if not self.alive:
            fail(Status.ACL_ERROR_RT_INVALID_HANDLE, f"{self!r} can no longer be used")


def _check_mode(check: object) -> bool | Literal["report"]:
    if isinstance(check, str) and check == "report":
        return "report"
    if isinstance(check, str):
        problem = f"is {shown(check)}; True, False or 'report' is expected"
        fail_argument(Status.ACL_ERROR_INVALID_PARAM, "check", problem)
    return boolean("check", check)
