"""Tasks: what streams queue."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from time import perf_counter_ns
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from ..core.errors import AclError, fail
from ..core.status import Status

if TYPE_CHECKING:
    from .callbacks import Call
    from .copies import Range
    from .stream import Stream


class Kind(IntEnum):
    """What a task does."""

    #: runs a function on the device, one in the process at a time
    KERNEL = 0
    #: runs a function of the host while its stream waits
    HOST = 1
    #: hands a function to a thread of the host while its stream waits
    CALLBACK = 2
    #: hands a function to a thread of the host and goes on
    NOTICE = 3
    #: marks a point for an event
    RECORD = 4
    #: waits for such a point
    WAIT = 5


class State(IntEnum):
    """How far a task is."""

    QUEUED = 0
    RUNNING = 1
    DONE = 2


class Failure(NamedTuple):
    """Why a task failed, kept until somebody asks."""

    status: Status
    message: str
    cause: BaseException | None

    def report(self) -> NoReturn:
        """Raise it."""
        fail(self.status, self.message, self.cause)


class Task:
    """One entry of a stream's queue."""

    __slots__ = (
        "after",
        "asked",
        "call",
        "ended",
        "function",
        "kind",
        "label",
        "reads",
        "started",
        "state",
        "status",
        "stream",
        "submitted",
        "waiters",
        "writes",
    )

    def __init__(
        self,
        stream: Stream,
        kind: Kind,
        label: str,
        function: Callable[[], object] | None = None,
        reads: tuple[Range, ...] = (),
        writes: tuple[Range, ...] = (),
        after: Task | None = None,
    ) -> None:
        self.stream = stream
        self.kind = kind
        self.label = label
        self.function = function
        #: byte ranges that it touches: address, number of bytes
        self.reads = reads
        self.writes = writes
        #: the record that a wait is for
        self.after = after
        self.state = State.QUEUED
        #: code that it ended with
        self.status = Status.ACL_SUCCESS
        #: nanoseconds of `time.perf_counter_ns`
        self.submitted = perf_counter_ns()
        self.started = 0
        self.ended = 0
        #: called when it is done
        self.waiters: list[Callable[[], object]] = []
        #: where work runs on demand: whether the engine was told to run it
        self.asked = False
        #: what a callback hands to its thread
        self.call: Call | None = None

    @property
    def open_ended(self) -> bool:
        """Whether it may end only after the program does something else."""
        return self.kind in (Kind.HOST, Kind.CALLBACK)

    def tell(self, wake: Callable[[], object]) -> bool:
        """Let something be called when it is done; False if it is done already."""
        if self.state is not State.DONE and wake not in self.waiters:
            self.waiters.append(wake)  # before the state is looked at again
        return self.state is not State.DONE

    def failure(self, error: BaseException) -> Failure:
        """Return what the stream reports when the task's function raised."""
        if isinstance(error, AclError):
            status, text = error.status, error.message
        else:
            # the vendor's codes for a kernel that crashed and for a host function that failed
            status = (
                Status.ACL_ERROR_RT_AICORE_EXCEPTION
                if self.kind is Kind.KERNEL
                else Status.ACL_ERROR_RT_INTERNAL_ERROR
            )
            text = f"{type(error).__name__}: {_message(error)}"
        return Failure(
            status, f"task {self.label!r} of stream {self.stream.number} failed: {text}", error
        )


def _message(error: BaseException) -> str:
    """Return what an exception says, if it can be asked at all."""
    try:
        return str(error)
    except BaseException as failure:
        return f"(its message raised {type(failure).__name__})"
