"""What the checker says of the hazards that it finds, and where it keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...core.errors import recorded
from ...core.status import Status
from .hazards import HazardError, Kind, Site
from .ordering import HOST, Operation
from .shadow import Segment, Shadow, Span, Use


class VainWait(NamedTuple):
    """A wait that did nothing, or did not wait for all that it may have been meant to."""

    #: number of the event
    event: int
    operation: Operation
    #: the record that was overwritten before anything waited for it; None if there was no record
    overwritten: Operation | None


class Reports:
    """Words for hazards; each is kept once, and raised unless hazards are collected alone.

    Parameters
    ----------
    collect : bool
        Whether hazards are collected alone.
    """

    def __init__(self, *, collect: bool) -> None:
        self.collect = collect
        #: what was found
        self.hazards: list[HazardError] = []
        self._known: set[object] = set()

    def report(self, error: HazardError) -> None:
        """Keep a hazard, and raise it unless hazards are collected alone."""
        self.keep(error)
        if not self.collect:
            raise recorded(error)

    def keep(self, error: HazardError) -> None:
        """Keep a hazard, unless one like it was found at the same places before."""
        sites = [site for site in (error.first, error.second) if site is not None]
        known = error.kind, *[(site.call, site.file, site.line) for site in sites]
        if known not in self._known:
            self._known.add(known)
            self.hazards.append(error)

    def _find(
        self,
        kind: Kind,
        problem: str,
        first: Site | None,
        second: Site | None,
        missing: str,
        status: Status = Status.ACL_ERROR_FAILURE,
    ) -> None:
        self.report(HazardError(status, kind, problem, first, second, missing))

    # ---- contents

    def unwritten(self, operation: Operation, shadow: Shadow, span: Span, segment: Segment) -> None:
        """An operation reads bytes that nothing wrote."""
        first, after_last = shadow.address + segment.start, shadow.address + segment.stop
        self._find(
            "uninitialized-read",
            f"{operation.call} reads {span.name}, of which the bytes {first:#x} to"
            f" {after_last - 1:#x} ({after_last - first} of {span.nbytes}) were never written",
            None if shadow.allocated is None else Site.of(shadow.allocated),
            Site.of(operation, (shadow, span)),
            f"write {span.name} before {operation.call}: with a copy, memset or an operator",
        )

    def abandoned(self, use: Use, operation: Operation, shadow: Shadow, span: Span) -> None:
        """An operation reads the result of a task that was aborted."""
        writer, written = use
        self._find(
            "wait",
            f"{operation.call} reads {span.name}, but {writer.call}, which writes it, may never"
            " have run: its stream was aborted or destroyed by force",
            Site.of(writer, (shadow, written)),
            Site.of(operation, (shadow, span)),
            f"synchronize {writer.timeline} after {writer.call}, before it is aborted or destroyed",
        )

    # ---- order

    def race(
        self,
        use: Use,
        operation: Operation,
        shadow: Shadow,
        span: Span,
        vain: VainWait | None,
        *,
        write: bool,
    ) -> None:
        """Two operations that nothing orders access the same bytes; a wait may have failed to."""
        first, second = use[0], operation
        if second.timeline.number == HOST:
            missing = f"synchronize {first.timeline} after {first.call}, before {second.call}"
        elif first.timeline.number == HOST:
            missing = f"call {first.call} before {second.timeline} is given {second.call}"
        else:
            missing = (
                f"make {second.timeline} wait for an event recorded on {first.timeline} after"
                f" {first.call}"
            )
        kind: Kind = "race"
        why = "nothing orders the two"
        if vain is not None:
            kind, wait = "wait", vain.operation
            place = f"{wait.timeline} waited for event {vain.event} at {Site.of(wait).place}"
            if vain.overwritten is None:
                why = f"{place}, but it was not recorded yet"
                missing = f"record event {vain.event} after {first.call}, before it is waited for"
            else:
                why = f"{place}, but its record on {vain.overwritten.timeline} had been overwritten"
                missing = f"wait for event {vain.event} before it is recorded again, or use another"
        self._find(
            kind,
            f"{second.call} {'writes' if write else 'reads'} {span.name} while {first.call} may"
            f" still access the same bytes: {why}",
            Site.of(first, (shadow, use[1])),
            Site.of(second, (shadow, span)),
            missing,
        )

    def changed_by_host(self, use: Use, shadow: Shadow, waits: Operation, *, copied: bool) -> None:
        """The program changed pinned memory while a copy needed it."""
        operation, span = use
        does = "writes" if copied else "reads"
        self._find(
            "race",
            f"the program changed {span.name}, pinned memory that {operation.call} {does}, before"
            f" it waited for {operation.call}",
            Site.of(operation, (shadow, span)),
            Site.of(waits, (shadow, span)),
            f"synchronize {operation.timeline} after {operation.call}, before {span.name} is"
            " written",
        )

    def vain_wait(self, wait: VainWait, waits: Operation) -> None:
        """A stream waited for an event that was not recorded by the time the host waits for it."""
        operation = wait.operation
        self._find(
            "wait",
            f"{operation.timeline} waited for event {wait.event}, which was never recorded:"
            " it waited for nothing",
            Site.of(operation),
            Site.of(waits),
            f"record event {wait.event} before {operation.timeline} waits for it",
        )

    def deadlock(self, cycle: Sequence[Operation], waits: Operation) -> None:
        """A thread waits for tasks that run only after that: always raised, or it would hang."""
        tasks = ", which waits for ".join(f"{x.call} on {x.timeline}" for x in cycle)
        error = HazardError(
            Status.ACL_ERROR_FAILURE,
            "deadlock",
            f"the calling thread waits for {tasks}, which only a thread that waits can run",
            Site.of(cycle[0]),
            Site.of(waits),
            "call process_report before waiting, or subscribe another thread",
        )
        self.keep(error)
        raise recorded(error)

    def wait_in_task(
        self, status: Status, problem: str, task: Operation | None, waits: Operation
    ) -> None:
        """A function of the host waits for the device, which the runtime refuses."""
        self._find(
            "deadlock",
            problem,
            None if task is None else Site.of(task),
            Site.of(waits),
            "wait outside of the function, or queue what depends on the work behind it",
            status,
        )

    # ---- lifetimes

    def freed_too_early(self, use: Use, shadow: Shadow, free: Operation) -> None:
        """Memory is freed while queued work needs it."""
        self._find(
            "lifetime",
            f"{shadow} is freed while {use[0].call} may still use it",
            Site.of(use[0], (shadow, use[1])),
            Site.of(free),
            f"synchronize {use[0].timeline} after {use[0].call}, before {free.call}",
        )

    def freed(
        self, status: Status, kind: Kind, problem: str, shadow: Shadow, use: Operation
    ) -> None:
        """A call is given memory that was freed, which the runtime refuses."""
        self._find(
            kind,
            problem,
            None if shadow.freed is None else Site.of(shadow.freed),
            Site.of(use),
            f"free {shadow} once, after its last use",
            status,
        )

    def leak(self, shadow: Shadow) -> HazardError:
        """Keep, and never raise, that memory was not freed."""
        error = HazardError(
            Status.ACL_ERROR_FAILURE,
            "leak",
            f"{shadow} was never freed",
            None if shadow.allocated is None else Site.of(shadow.allocated),
            None,
            f"free {shadow} after its last use",
        )
        self.keep(error)
        return error
