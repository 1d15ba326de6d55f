"""The checker of a device: what its calls tell it, and what it concludes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Final, NamedTuple

from ...core.status import Status
from .hazards import HazardError, Kind, Site
from .ordering import HOST, Clock, Operation, Timeline, precedes
from .shadow import Access, Segment, Shadow, Use, are_ordered

#: freed allocations whose addresses are remembered
_REMEMBERED: Final = 4096

#: the operation whose function the calling thread runs, if it runs one
_running: Final[ContextVar[Operation | None]] = ContextVar(
    "ascendref.device.operation", default=None
)


class VainWait(NamedTuple):
    """A wait that did nothing, or did not wait for all that it may have been meant to."""

    #: number of the event
    event: int
    operation: Operation
    #: what it waited for; None if the event was never recorded
    record: Operation | None
    #: the record before that, if nothing waited for it
    overwritten: Operation | None


class Touched:
    """The memory that an operation accesses."""

    __slots__ = ("copies", "operation", "read", "unchecked", "written")

    def __init__(self, operation: Operation, *, copies: bool, unchecked: bool) -> None:
        self.operation = operation
        #: the segments that it reads and writes
        self.read: list[tuple[list[Segment], Use]] = []
        self.written: list[tuple[list[Segment], Use]] = []
        #: whether it copies what it reads, which need not have been written
        self.copies = copies
        #: whether `Checker.check_written` must be called when it runs
        self.unchecked = unchecked


class Checker:
    """Finds hazards in the calls of one device.

    Everything is decided when a call is made: what it accesses, and what comes before it by the
    order of calls, streams, events and waits. When tasks run has no part in it; only what functions
    of the host access is seen when they run.

    Parameters
    ----------
    report : bool
        Whether hazards are collected alone, and not raised.
    """

    def __init__(self, *, report: bool) -> None:
        self.report = report
        #: what was found
        self.hazards: list[HazardError] = []
        self.host = Timeline(HOST)
        self._known: set[object] = set()
        #: functions of the host that may not have ended: they may access what is not seen yet
        self._functions: deque[Operation] = deque()
        self._freed: deque[Shadow] = deque(maxlen=_REMEMBERED)
        self._vain_waits: deque[VainWait] = deque(maxlen=_REMEMBERED)
        #: numbers of the events that were ever recorded
        self._recorded: set[int] = set()

    # ---- order

    def begin(self, timeline: Timeline, call: str) -> Operation:
        """Begin a task of a stream."""
        return timeline.begin(call, self.host, self._knowledge())

    def begin_on_host(self, call: str) -> Operation:
        """Begin an access of the host, or of the function that the calling thread runs."""
        operation = _running.get()
        if operation is not None:
            return operation.part(call)
        return self.host.begin(call, self.host, self.host.clock)

    def run_on(self, operation: Operation | None) -> None:
        """Note that the calling thread runs the function of an operation from now on."""
        _running.set(operation)

    def run_callback(self, operation: Operation, *, blocks: bool) -> None:
        """Note that a thread of the program runs a callback from now on."""
        self.wait(operation)
        # what comes after one that blocks its stream comes after what it does
        _running.set(operation.part(operation.call, after=self.host) if blocks else None)

    def wait(self, operation: Operation | None) -> None:
        """Note that the host has waited for an operation."""
        if operation is not None:
            self.host.join(operation.knowledge)
            clock = self.host.clock
            while self._functions and _is_done(self._functions[0], clock):
                self._functions.popleft()

    def end_stream(self, timeline: Timeline) -> None:
        """Note that a stream is destroyed, and its work waited for."""
        timeline.retired = True
        self.host.forget(timeline.number)

    def abandon(self, timeline: Timeline) -> None:
        """Note that the work of a stream is dropped unless it has begun."""
        done = self.host.clock.get(timeline.number, 0)
        timeline.abandoned = (*timeline.abandoned, range(done + 1, timeline.length + 1))

    def launch_function(self, operation: Operation) -> None:
        """Note that a function of the host is queued."""
        self._functions.append(operation)

    def _knowledge(self) -> Clock:
        operation = _running.get()
        return self.host.clock if operation is None else operation.knowledge

    # ---- accesses

    def access(
        self,
        call: str,
        reads: Sequence[Access],
        writes: Sequence[Access],
        *,
        uses: bool,
    ) -> None:
        """Check an access of the host, and remember it; ``uses`` as for `check`."""
        operation = self.begin_on_host(call)
        touched = self.check(operation, reads, writes, uses=uses)
        if touched.unchecked:
            self.check_written(touched)
        self.commit(touched)

    def check(
        self,
        operation: Operation,
        reads: Sequence[Access],
        writes: Sequence[Access],
        *,
        uses: bool,
    ) -> Touched:
        """Report what is wrong with the accesses of an operation.

        Parameters
        ----------
        operation : Operation
            What accesses memory.
        reads, writes : sequence of Access
            The accesses.
        uses : bool
            Whether what is read must have been written: not for a copy within the device, whose
            result is as unwritten as its source.

        Returns
        -------
        Touched
            What to `commit`.
        """
        # functions of the host that come before it may still write what it reads
        late = bool(self._functions) and any(precedes(x, operation) for x in self._functions)
        timeline = operation.timeline
        touched = Touched(operation, copies=not uses, unchecked=late and uses)
        must_be_written = uses and not late
        for access in reads:
            shadow = access.shadow
            if shadow is None:
                continue
            segments = shadow.segments(access)
            touched.read.append((segments, (operation, access)))
            for segment in segments:
                if must_be_written and not segment.written:
                    self._find_unwritten(operation, access, segment)
                writer = segment.writer
                if writer is None:
                    continue
                before = writer[0].timeline
                if before is not timeline and not are_ordered(writer[0], operation):
                    self._find_race(writer, operation, access, write=False)
                if before.abandoned and writer[0].abandoned:
                    self._find_abandoned(writer, operation, access)
        for access in writes:
            shadow = access.shadow
            if shadow is None:
                continue
            segments = shadow.segments(access)
            touched.written.append((segments, (operation, access)))
            for segment in segments:
                writer = segment.writer
                if writer is not None and writer[0].timeline is not timeline:
                    self._check_write(writer, operation, access)
                for reader in list(segment.readers.values()):
                    if reader[0].timeline is not timeline:
                        self._check_write(reader, operation, access)
        return touched

    def check_written(self, touched: Touched) -> None:
        """Report bytes that an operation reads and nothing wrote."""
        for segments, (operation, access) in touched.read:
            for segment in segments:
                if not segment.written:
                    self._find_unwritten(operation, access, segment)

    def commit(self, touched: Touched) -> None:
        """Remember the accesses of an operation."""
        number = touched.operation.timeline.number
        for segments, use in touched.read:
            for segment in segments:
                segment.readers[number] = use
        for segments, use in touched.written:
            access = use[1]
            shadow = access.shadow
            assert shadow is not None
            if len(segments) == 1:
                segments[0].write(use)
            else:
                shadow.write(segments, use)
            if touched.copies and touched.read and not self._functions:
                parts, (_, source) = touched.read[0]
                assert source.shadow is not None
                begin = source.address - source.shadow.address
                shadow.copy_unwritten(parts, access.address - shadow.address - begin)

    def _check_write(self, use: Use, operation: Operation, access: Access) -> None:
        if not are_ordered(use[0], operation):
            self._find_race(use, operation, access, write=True)

    def _find_unwritten(self, operation: Operation, access: Access, segment: Segment) -> None:
        shadow = access.shadow
        assert shadow is not None
        first, after_last = shadow.address + segment.start, shadow.address + segment.stop
        self.find(
            "uninitialized-read",
            f"{operation.call} reads {access.name}, of which the bytes {first:#x} to"
            f" {after_last - 1:#x} ({after_last - first} of {access.nbytes}) were never written",
            None if shadow.allocated is None else Site.of(shadow.allocated),
            Site.of(operation, access),
            f"write {access.name} before {operation.call}: with a copy, memset or an operator",
        )

    def _find_abandoned(self, use: Use, operation: Operation, access: Access) -> None:
        writer, written = use
        self.find(
            "wait",
            f"{operation.call} reads {access.name}, but {writer.call}, which writes it, may never"
            " have run: its stream was aborted or destroyed by force",
            Site.of(writer, written),
            Site.of(operation, access),
            f"synchronize {writer.timeline} after {writer.call}, before it is aborted or destroyed",
        )

    def _find_race(self, use: Use, operation: Operation, access: Access, *, write: bool) -> None:
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
        does = "writes" if write else "reads"
        kind: Kind = "race"
        why = "nothing orders the two"
        vain = self._explanation(first, second)
        if vain is not None:
            kind, waiting = "wait", vain.operation
            place = f"{vain.operation.timeline} waited for event {vain.event} at"
            place += f" {waiting.file}:{waiting.line}"
            if vain.overwritten is None:
                why = f"{place}, but it was not recorded yet"
                missing = f"record event {vain.event} after {first.call}, before it is waited for"
            else:
                why = f"{place}, but its record on {vain.overwritten.timeline} had been overwritten"
                missing = f"wait for event {vain.event} before it is recorded again, or use another"
        self.find(
            kind,
            f"{second.call} {does} {access.name} while {first.call} may still access the same"
            f" bytes: {why}",
            Site.of(first, use[1]),
            Site.of(second, access),
            missing,
        )

    # ---- lifetimes

    def allocate(self, shadow: Shadow, call: str) -> None:
        """Note where memory is allocated."""
        shadow.allocated = self.begin_on_host(call)

    def check_free(self, shadow: Shadow, call: str) -> None:
        """Report work that needs memory which is about to be freed, and note the call."""
        operation = self.begin_on_host(call)
        for use in shadow.uses:
            if not precedes(use[0], operation):
                self.find(
                    "lifetime",
                    f"{shadow.what} is freed while {use[0].call} may still use it",
                    Site.of(use[0], use[1]),
                    Site.of(operation),
                    f"synchronize {use[0].timeline} after {use[0].call}, before {call}",
                )
                break
        shadow.freed = operation
        self._freed.append(shadow)

    def freed_at(self, address: int) -> Shadow | None:
        """Return the allocation that an address belonged to, if it was freed."""
        for shadow in reversed(list(self._freed)):
            if shadow.address <= address < shadow.address + shadow.nbytes:
                return shadow
        return None

    def find_freed(self, status: Status, kind: Kind, name: str, shadow: Shadow) -> None:
        """Report a call with memory that was freed, which the runtime refuses with a code."""
        again = "freed a second time" if kind == "lifetime" else "used after it was freed"
        self.find(
            kind,
            f"{name} lies in {shadow.what}, which is {again}",
            None if shadow.freed is None else Site.of(shadow.freed),
            Site.of(self.begin_on_host(f"use of {name}")),
            f"free {shadow.what} once, after its last use",
            status,
        )

    # ---- events

    def wait_for_event(
        self,
        timeline: Timeline,
        event: int,
        record: Operation | None,
        overwritten: Operation | None,
    ) -> None:
        """Let a stream, or the host, come after a record.

        A wait that does nothing, or forgets, is harmless if nothing else is wrong: the first turn
        of a loop often waits for an event that its end records. So it is kept to explain a race,
        and reported by itself if the event was not recorded by the time the host waits.

        Parameters
        ----------
        timeline : Timeline
            What waits.
        event : int
            Number of the event.
        record : Operation or None
            Its latest record; None if it was never recorded.
        overwritten : Operation or None
            The record before that, if nothing waited for it.
        """
        if record is not None:
            timeline.join(record.knowledge)
        if record is None or overwritten is not None:
            wait = Operation(
                timeline, timeline.length + 1, timeline.clock, self.host.length, "wait_event"
            )
            self._vain_waits.append(VainWait(event, wait, record, overwritten))

    def record_event(self, event: int) -> None:
        """Note that an event is recorded."""
        self._recorded.add(event)

    def check_waits(self, timeline: Timeline | None) -> None:
        """Report waits of a stream, or of all, for events that were not recorded since.

        Called when the host waits for the stream.
        """
        for wait in list(self._vain_waits):
            operation = wait.operation
            if (
                wait.record is None
                and wait.event not in self._recorded
                and timeline in (None, operation.timeline)
            ):
                self._vain_waits.remove(wait)
                self.find(
                    "wait",
                    f"{operation.timeline} waited for event {wait.event}, which was never recorded:"
                    " it waited for nothing",
                    Site.of(operation),
                    Site.of(self.begin_on_host("synchronize")),
                    f"record event {wait.event} before {operation.timeline} waits for it",
                )

    def _explanation(self, first: Operation, second: Operation) -> VainWait | None:
        """Return the wait that was meant to order two operations, if there is one."""
        for wait in list(self._vain_waits):
            meant = wait.overwritten
            if meant is None:
                explains = wait.event not in self._recorded
            else:
                explains = precedes(first, meant)
            if explains and precedes(wait.operation, second):
                return wait
        return None

    # ---- waits that never end

    def find_wait_in_task(self, status: Status, problem: str) -> None:
        """Report a function of the host that waits for the device, which the runtime refuses."""
        task = _running.get()
        self.find(
            "deadlock",
            problem,
            None if task is None else Site.of(task),
            Site.of(self.begin_on_host("wait")),
            "wait outside of the function, or queue what depends on the work behind it",
            status,
        )

    def find_deadlock(self, cycle: Sequence[Operation]) -> None:
        """Report a wait for tasks that run only after it."""
        tasks = ", which waits for ".join(f"{x.call} on {x.timeline}" for x in cycle)
        self.find(
            "deadlock",
            f"the calling thread waits for {tasks}, which only a thread that waits can run",
            Site.of(cycle[0]),
            Site.of(self.begin_on_host("wait")),
            "call process_report before waiting, or subscribe another thread",
        )

    # ---- reports

    def find(
        self,
        kind: Kind,
        problem: str,
        first: Site | None,
        second: Site | None,
        missing: str,
        status: Status = Status.ACL_ERROR_FAILURE,
    ) -> None:
        """Report a hazard: raise it, or collect it.

        Raises
        ------
        HazardError
            Unless hazards are collected.
        """
        error = HazardError(status, kind, problem, first, second, missing)
        sites = [site for site in (first, second) if site is not None]
        known = kind, *[(site.call, site.file, site.line) for site in sites]
        if known not in self._known:
            self._known.add(known)
            self.hazards.append(error)
        if not self.report:
            raise error


def _is_done(operation: Operation, clock: Clock) -> bool:
    return operation.index <= clock.get(operation.timeline.number, 0)
