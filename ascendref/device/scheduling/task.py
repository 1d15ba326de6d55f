"""Tasks, the threads that run them, and the streams that queue them, as the scheduler's data."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from dataclasses import KW_ONLY, dataclass, field
from enum import IntEnum
from itertools import count
from threading import get_ident
from time import perf_counter_ns
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn, Protocol
from weakref import ref

from ...core.errors import AclError, fail, message_of, recorded
from ...core.status import Status
from ..checker.checker import Access, Checker
from ..checker.hazards import HazardError
from ..checker.ordering import Operation, Submission, Timeline

if TYPE_CHECKING:
    from .capture import Capture
    from .scheduler import Scheduler

_stream_numbers: Final = count(1)


class Kind(IntEnum):
    """The kind of a task."""

    #: runs a function on the device; one kernel at a time per process
    KERNEL = 0
    #: runs a host function while its stream waits
    HOST = 1
    #: passes a callback to a program thread; its stream waits for it
    CALLBACK = 2
    #: passes a callback to a program thread; its stream does not wait
    NOTICE = 3
    #: records an event
    RECORD = 4
    #: waits for the record of an event
    WAIT = 5
    #: exchanges data with other processes while its stream waits
    COLLECTIVE = 6


class Unwritten(IntEnum):
    """How a task treats unwritten bytes that it reads, for the checker."""

    #: it must not use them
    REFUSED = 0
    #: it copies the bytes it reads, and unwritten ones remain unwritten
    COPIED = 1
    #: it may use them
    ALLOWED = 2


class State(IntEnum):
    """The progress of a task."""

    QUEUED = 0
    RUNNING = 1
    DONE = 2


class Failure(NamedTuple):
    """Why a task failed, kept until a call reports it."""

    status: Status
    message: str
    cause: BaseException | None

    def report(self) -> NoReturn:
        """Raise it as an AclError, or as the HazardError that it is."""
        if isinstance(self.cause, HazardError):
            raise recorded(self.cause)
        fail(self.status, self.message, self.cause)


class CallbackTask(Protocol):
    """What a thread of the program runs."""

    def thread(self) -> int | None:
        """Return the thread that will run it, if there is one."""

    def recover(self) -> object:
        """End it if no thread will; called when a wait finds it running."""


@dataclass(eq=False, slots=True, repr=False)
class Task:
    """One entry of a stream's queue."""

    stream: BaseStream
    kind: Kind
    label: str
    function: Callable[[], object] | None = None
    #: device memory that it reads and writes
    reads: tuple[Access, ...] = ()
    writes: tuple[Access, ...] = ()
    #: for a wait: the record that it waits for
    after: Task | None = None
    _: KW_ONLY
    unwritten: Unwritten = Unwritten.REFUSED
    #: its place in program order, if there is a checker
    operation: Operation | None = None
    #: for a task submitted before its place was known: sets the place
    held: Submission | None = None
    state: State = State.QUEUED
    status: Status = Status.ACL_SUCCESS
    #: nanoseconds of `time.perf_counter_ns`
    submitted: int = field(default_factory=perf_counter_ns)
    started: int = 0
    ended: int = 0
    #: called when it is done
    waiters: list[Callable[[], object]] = field(default_factory=list)
    #: for on-demand execution: whether the worker threads may run it
    requested: bool = False
    callback: CallbackTask | None = None
    #: whether it takes less time than waking a thread
    is_small: bool = False
    #: the capture that recorded it, instead of running it
    capture: Capture | None = None

    @property
    def depends_on_host(self) -> bool:
        """Whether it may need another call of the program before it can end."""
        return self.kind in (Kind.HOST, Kind.CALLBACK, Kind.COLLECTIVE) or self.promised

    @property
    def promised(self) -> bool:
        """Whether it is a record that a stream waits for and that has not been submitted."""
        return False

    @property
    def unplaced(self) -> bool:
        """Whether its place in program order is unknown because it waits for a promise."""
        return self.operation is None and self.state is State.QUEUED

    def add_waiter(self, wake: Callable[[], object]) -> bool:
        """Register a function to call when the task is done; False if it is already done."""
        if self.state is not State.DONE and wake not in self.waiters:
            self.waiters.append(wake)  # before the state is read again
        return self.state is not State.DONE

    def failure(self, error: BaseException) -> Failure:
        """Return the failure that the stream reports if the task's function raised."""
        if isinstance(error, AclError):
            status, text = error.status, error.message
        else:
            # the vendor's codes for a kernel that crashed and for a host function that failed
            status = (
                Status.ACL_ERROR_RT_AICORE_EXCEPTION
                if self.kind is Kind.KERNEL
                else Status.ACL_ERROR_RT_INTERNAL_ERROR
            )
            text = f"{type(error).__name__}: {message_of(error)}"
        return Failure(
            status, f"task {self.label!r} of stream {self.stream.number} failed: {text}", error
        )


class Promise(Task):
    """The record of a notify that a stream already waits for but the program has not submitted."""

    __slots__ = ()

    @property
    def promised(self) -> bool:
        """Whether it has not been submitted."""
        return self.state is State.QUEUED and self not in list(self.stream.queue)


class BaseStream:
    """A stream as the scheduler sees it: tasks that run one after another."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self.number = next(_stream_numbers)
        #: the checker's view of its tasks
        self.timeline = Timeline(self.number, ref(scheduler))
        #: tasks in order of submission; finished tasks are removed soon
        self.queue: deque[Task] = deque()
        #: tasks that `abort` ends unless they are already running
        self.aborted: frozenset[Task] = frozenset()
        #: whether the stream is destroyed as soon as its last task is done
        self.closing = False
        #: the first unreported failure
        self.failure: Failure | None = None
        #: the stream that reports its failures; None if it does so itself
        self.reporter: BaseStream | None = None
        #: whether calls that name no stream use it
        self.is_default = False

    def __repr__(self) -> str:
        return f"<stream {self.number}>"

    @property
    def listed(self) -> bool:
        """Whether its tasks are still run."""
        return self.number in self.scheduler.streams

    @property
    def alive(self) -> bool:
        """Whether it has not been destroyed."""
        return self.number in self.scheduler.streams and not self.closing

    @property
    def last(self) -> Task | None:
        """The most recently submitted task; None if all are done."""
        try:
            last = self.queue[-1]
        except IndexError:
            return None
        return None if last.state is State.DONE else last

    def first(self) -> Task | None:
        """Return the first task that is not done; None if all are."""
        try:
            while (task := self.queue[0]).state is State.DONE:
                self.retire(task)
            return task
        except IndexError:
            return None

    def retire(self, task: Task) -> None:
        """Remove a finished task from the queue, if it is still there."""
        try:  # each task takes this way, and `suppress` more time
            self.queue.remove(task)
        except ValueError:
            pass

    def wake(self) -> None:
        """Make the worker threads check the first task."""
        self.scheduler.wake(self)

    def check(self) -> None:
        """Raise AclError if the stream has been destroyed or belongs to a parent process."""
        self.scheduler.check_process()
        if not self.alive:
            fail(Status.ACL_ERROR_RT_INVALID_HANDLE, f"{self!r} can no longer be used")


#: the thread that runs tasks in this context; other threads may use a copy of the context
_task_thread: Final[ContextVar[int]] = ContextVar("ascendref.device.task_thread", default=0)


def task_context() -> Context:
    """Return a context for running tasks on the calling thread.

    Unlike a flag with ``try`` and ``finally``, a context is left even if it is interrupted.
    """
    context = copy_context()
    context.run(_task_thread.set, get_ident())
    return context


def in_task() -> bool:
    """Tell whether the calling thread is running a task or is a worker thread."""
    return _task_thread.get() == get_ident()


def refuse_in_task(checker: Checker | None) -> None:
    """Before a wait for the device: raise AclError if the calling thread is running a task."""
    if not in_task():
        return
    status = Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT
    problem = (
        "a task waits for the device that runs it; host functions, callbacks and"
        " finalizers that run within them must not synchronize"
    )
    if checker is not None:
        wait = checker.begin_on_host("wait")
        checker.reports.wait_in_task(status, problem, checker.running, wait)
    fail(status, problem)
