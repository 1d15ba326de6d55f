"""Hazards: what the checker reports."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ...core.errors import AclError
from ...core.status import Status
from .callers import Place
from .ordering import HOST, Operation
from .shadow import Shadow, Span

#: what can be wrong
HazardKind = Literal[
    "race", "use-after-free", "uninitialized-read", "lifetime", "leak", "deadlock", "wait"
]


class Site(NamedTuple):
    """One of the two places of a hazard."""

    #: the task or the call
    call: str
    #: number of its stream; None for the host
    stream: int | None
    #: name of the tensor or the argument
    tensor: str | None
    #: addresses of the first byte and of the one after the last
    byte_range: tuple[int, int] | None
    #: source file of the caller
    file: str
    #: its line; 0 if the program was compiled without debugging information
    line: int
    #: how many tasks of the stream, or accesses of the host, there were with it
    position: int
    #: file and line of the function that called that of the caller, and so on; known for compiled
    #: programs
    callers: tuple[Place, ...] = ()

    @classmethod
    def of(cls, operation: Operation, access: tuple[Shadow, Span] | None = None) -> Site:
        """Return the place of an operation, and of one of its accesses."""
        name = bytes_ = None
        if access is not None:
            shadow, span = access
            first = shadow.address + span.start
            name, bytes_ = span.name, (first, first + span.nbytes)
        task = operation.task
        (file, line), *callers = operation.places
        return cls(
            operation.call,
            None if task.timeline.number == HOST else task.timeline.number,
            name,
            bytes_,
            file,
            line,
            task.index,
            tuple(callers),
        )

    def __str__(self) -> str:
        what = "" if self.tensor is None else f", {self.tensor}"
        if self.byte_range is not None:
            what += f" (bytes {self.byte_range[0]:#x} to {self.byte_range[1] - 1:#x})"
        return f"{self.call} on {self.where}{what}, called at {self.route}"

    @property
    def where(self) -> str:
        """The stream, or the host."""
        return "the host" if self.stream is None else f"stream {self.stream}"

    @property
    def place(self) -> str:
        """File and line of the caller, as editors and terminals understand them."""
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def route(self) -> str:
        """The place and its callers."""
        return ", from ".join((self.place, *[f"{file}:{line}" for file, line in self.callers]))


class HazardError(AclError):
    """A bug in a program for the device whose effect depends on timing, or appears elsewhere.

    Parameters
    ----------
    status : Status or int
        The runtime's code; 500001 (``ACL_ERROR_FAILURE``) if the runtime does not detect the bug.
    kind : str
        ``"race"``, ``"use-after-free"``, ``"uninitialized-read"``, ``"lifetime"``, ``"leak"``,
        ``"deadlock"`` or ``"wait"``.
    problem : str
        The bug, in one sentence.
    first, second : Site or None
        The two places. The second is that of the call that completes the hazard.
    missing : str
        The shortest fix, in one sentence.

    Attributes
    ----------
    kind, first, second, missing
        As given.

    Examples
    --------
    >>> dev = ar.Device("Atlas A2")
    >>> one, other = dev.create_stream(), dev.create_stream()
    >>> memory = dev.malloc(4)
    >>> dev.memset_async(memory, 0, stream=one)
    >>> try:
    ...     dev.memset_async(memory, 1, stream=other)
    ... except ar.HazardError as error:
    ...     print(error.kind, error.first.call, error.second.call)
    race memset_async memset_async
    """

    def __init__(
        self,
        status: Status | int,
        kind: HazardKind,
        problem: str,
        first: Site | None,
        second: Site | None,
        missing: str,
    ) -> None:
        lines = [f"{kind}: {problem}"]
        lines += [f"  {n}: {x}" for n, x in (("first", first), ("second", second)) if x is not None]
        super().__init__(status, "\n".join((*lines, f"  fix: {missing}")))
        self.kind = kind
        self.problem = problem
        self.first = first
        self.second = second
        self.missing = missing
        self.args = status, kind, problem, first, second, missing  # what it is copied with
