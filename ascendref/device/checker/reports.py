"""The texts of the checker's reports, and the list of hazards."""

from collections.abc import Sequence

from ...core.errors import recorded
from ...core.status import Status
from .hazards import HazardError, HazardKind, Site
from .ordering import HOST, Operation
from .shadow import Segment, Shadow, Span, Use
from .waits import Explanation, WaitWithoutEffect


class Reports:
    """Words for hazards; each is kept once, and raised unless it is to ``collect`` them alone."""

    def __init__(self, *, collect: bool) -> None:
        self.collect = collect
        self.hazards: list[HazardError] = []
        #: whether a call failed because of a hazard, after which a program may have stopped
        self.stopped = False
        self._known: set[object] = set()

    def _find(
        self,
        kind: HazardKind,
        problem: str,
        first: Site | None,
        second: Site | None,
        missing: str,
        status: Status = Status.ACL_ERROR_FAILURE,
        *,
        hangs: bool = False,
    ) -> HazardError:
        """Keep a hazard and raise it: unless hazards are collected, or always if it ``hangs``."""
        error = HazardError(status, kind, problem, first, second, missing)
        sites = [site for site in (first, second) if site is not None]
        known = kind, *[(site.call, site.file, site.line, site.callers) for site in sites]
        if known not in self._known:
            self._known.add(known)
            self.hazards.append(error)
        raises = hangs or not (self.collect or kind == "leak")
        if raises or status != Status.ACL_ERROR_FAILURE:  # the runtime refuses the others anyway
            self.stopped = True
        if raises:
            raise recorded(error)
        return error

    # ---- contents

    def unwritten(self, operation: Operation, shadow: Shadow, span: Span, segment: Segment) -> None:
        first, after_last = shadow.address + segment.start, shadow.address + segment.stop
        self._find(
            "uninitialized-read",
            f"{operation.call} reads {span.name}, of which the bytes {first:#x} to"
            f" {after_last - 1:#x} ({after_last - first} of {span.nbytes}) were never written",
            _site(shadow.allocated),
            Site.of(operation, (shadow, span)),
            f"write {span.name} before {operation.call}: with a copy,"
            f" {_or(operation, 'memset', 'aclrtMemset')} or an operator",
        )

    def abandoned(self, use: Use, operation: Operation, shadow: Shadow, span: Span) -> None:
        writer, written = use
        self._find(
            "wait",
            f"{operation.call} reads {span.name}, but {writer.call}, which writes it, may never"
            " have run: its stream was aborted or destroyed by force",
            Site.of(writer, (shadow, written)),
            Site.of(operation, (shadow, span)),
            f"{_synchronize(writer)}, before it is aborted or destroyed",
        )

    # ---- order

    def race(
        self,
        use: Use,
        operation: Operation,
        shadow: Shadow,
        span: Span,
        why: Explanation | None,
        *,
        write: bool,
    ) -> None:
        first, second = use[0], operation
        one, other = first.task.timeline, second.task.timeline
        if one.number == other.number:  # a host function submits one of them
            missing = f"submit {second.call} once the host has waited for {first.call}"
        elif other.number == HOST or (one.number != HOST and one.device != other.device):
            missing = f"{_synchronize(first)}, before {second.call}"
        elif one.number == HOST:
            missing = f"call {first.call} before {other} is given {second.call}"
        else:
            missing = (
                f"make {other} wait{_by(second, 'aclrtStreamWaitEvent')} for an event"
                f" recorded{_by(second, 'aclrtRecordEvent')} on {one} after {first.call}"
            )
        kind, reason, missing = _explained(why, first, second, "nothing orders the two", missing)
        self._find(
            kind,
            f"{second.call} {'writes' if write else 'reads'} {span.name} while {first.call} may"
            f" still access the same bytes: {reason}",
            Site.of(first, (shadow, use[1])),
            Site.of(second, (shadow, span)),
            missing,
        )

    def changed_by_host(
        self,
        use: Use,
        shadow: Shadow,
        waits: Operation,
        why: Explanation | None,
        *,
        copied: bool,
    ) -> None:
        operation, span = use
        does = "writes" if copied else "reads"
        missing = f"{_synchronize(operation)}, before {span.name} is written"
        kind, reason, missing = _explained(why, operation, waits, "", missing)
        self._find(
            kind,
            f"the program changed {span.name}, pinned memory that {operation.call} {does}, before"
            f" it waited for {operation.call}{reason and ': '}{reason}",
            Site.of(operation, (shadow, span)),
            Site.of(waits, (shadow, span)),
            missing,
        )

    def wait_without_effect(self, wait: WaitWithoutEffect, waits: Operation) -> None:
        operation = wait.operation
        self._find(
            "wait",
            f"{operation.timeline} waited for event {wait.event}, which was never recorded:"
            " the wait had no effect",
            Site.of(operation),
            Site.of(waits),
            f"record event {wait.event}{_by(operation, 'aclrtRecordEvent')} before"
            f" {operation.timeline} waits for it",
        )

    def deadlock(self, cycle: Sequence[Operation], waits: Operation) -> None:
        tasks = ", which waits for ".join(f"{x.call} on {x.timeline}" for x in cycle)
        self._find(
            "deadlock",
            f"the calling thread waits for {tasks}, which only a waiting thread can run",
            Site.of(cycle[0]),
            Site.of(waits),
            f"call {_or(waits, 'process_report', 'aclrtProcessReport')} before waiting, or"
            f" subscribe another thread{_by(waits, 'aclrtSubscribeReport')}",
            hangs=True,
        )

    def lost_wait(self, record: str, waits: Operation) -> None:
        self._find(
            "deadlock",
            f"the calling thread waits for a stream that waits for {record!r}, which no other"
            " thread submits",
            None,
            Site.of(waits),
            "record the notify before waiting for the stream",
            hangs=True,
        )

    def wait_in_task(
        self, status: Status, problem: str, task: Operation | None, waits: Operation
    ) -> None:
        self._find(
            "deadlock",
            problem,
            _site(task),
            Site.of(waits),
            "wait outside the function, or queue the dependent work after it",
            status,
        )

    # ---- lifetimes

    def freed_too_early(self, use: Use, shadow: Shadow, free: Operation) -> None:
        self._find(
            "lifetime",
            f"{shadow} is freed while {use[0].call} may still use it",
            Site.of(use[0], (shadow, use[1])),
            Site.of(free),
            f"{_synchronize(use[0])}, before {free.call}",
        )

    def freed(
        self, status: Status, kind: HazardKind, problem: str, shadow: Shadow, use: Operation
    ) -> None:
        self._find(
            kind,
            problem,
            _site(shadow.freed),
            Site.of(use),
            f"free {shadow} once, after its last use",
            status,
        )

    def leak(self, shadow: Shadow) -> HazardError:
        return self._find(
            "leak",
            f"{shadow} was never freed",
            _site(shadow.allocated),
            None,
            f"free {shadow} after its last use",
        )


def _site(operation: Operation | None) -> Site | None:
    return None if operation is None else Site.of(operation)


def _explained(
    why: Explanation | None, first: Operation, second: Operation, reason: str, missing: str
) -> tuple[HazardKind, str, str]:
    """Return kind, reason and fix of a race: as given, unless a wait explains it."""
    if why is None:
        return "race", reason, missing
    wait, record = why
    waited = f"{wait.operation.timeline} waited for event {wait.event} at"
    waited = f"{waited} {Site.of(wait.operation).route}"
    again = f"wait for event {wait.event}{_by(wait.operation, wait.operation.call)}"
    if record is None:
        reason = f"{waited}, but it was not recorded yet"
        by = _by(wait.operation, "aclrtRecordEvent")
        missing = f"record event {wait.event}{by} after {first.call}, before it is waited for"
    elif why.late:
        reason = f"{waited}, before it was recorded at {Site.of(record).route}"
        missing = f"{again} after it is recorded, before {second.call}"
    elif wait.late is None:
        reason = f"{waited}, but its record on {record.timeline} had been overwritten"
        missing = f"{again} before it is recorded again, or use another"
    else:
        reason = f"{waited}, but its record on {record.timeline} had been reset"
        missing = f"{again} before it is reset"
    return "wait", reason, missing


def _or(operation: Operation, python: str, c: str) -> str:
    """Return the name of a function in the language of a call."""
    return c if operation.in_c else python


def _by(operation: Operation, function: str) -> str:
    """Return the name of a function for a program in C; methods of Python are called as they do."""
    return f" ({function})" if operation.in_c else ""


def _synchronize(operation: Operation) -> str:
    """Return how to wait for a task."""
    by = _by(operation, "aclrtSynchronizeStream")
    return f"synchronize {operation.timeline}{by} after {operation.call}"
