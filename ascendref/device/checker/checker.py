"""The checker of a device: what its calls tell it, and what it concludes."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from itertools import count
from operator import attrgetter
from typing import Final

from ...core.status import Status
from .callers import find_caller
from .hazards import HazardError, Kind
from .ordering import (
    HOST,
    MARKS,
    Clock,
    FunctionAccess,
    FunctionTimeline,
    Kept,
    Operation,
    Submission,
    Timeline,
    are_ordered,
    precedes,
)
from .pinned import PinnedCopy
from .reports import Reports
from .shadow import Segment, Shadow, Span, Use, meet
from .waits import Waits, WaitWithoutEffect

#: after so many more readers of some bytes, those that nothing can race with are forgotten
READERS: Final = 16

_index: Final = attrgetter("index")

#: freed allocations whose addresses are remembered
_REMEMBERED: Final = 4096

#: the task whose function the calling thread runs, if it runs one; which callback, if it runs one
_running: Final[ContextVar[Operation | None]] = ContextVar(
    "ascendref.device.operation", default=None
)
_callback: Final[ContextVar[Operation | None]] = ContextVar(
    "ascendref.device.callback", default=None
)

#: bytes that an operation reads or writes
Access = tuple[Shadow, Span]


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
        self.reports = Reports(collect=report)
        self.host = Timeline(HOST)
        #: streams with host functions that have not ended
        self._functions: dict[Timeline, None] = {}
        #: streams with operations that come after functions of which the host does not know yet
        #: that they have ended, so that it is seen late what is written before them
        self._late: dict[Timeline, None] = {}
        self._last_function: Operation | None = None
        #: what the functions of a stream do
        self._bodies: dict[Timeline, FunctionTimeline] = {}
        #: by stream: what is submitted to it by the functions of each stream
        self._branches: dict[Timeline, dict[Timeline, FunctionTimeline]] = {}
        #: streams that take no more work, until the host knows that all of it is done
        #: and what functions of or for such streams submit; each with the stream that it is
        #: submitted to and that of the functions
        self._ended: dict[Timeline, tuple[Timeline, Timeline]] = {}
        #: whether the work of any stream was ever dropped
        self._abandoned = False
        self._pinned: deque[tuple[PinnedCopy, Operation | None]] = deque()
        #: those of them that the program changed, until a call reports it
        self._changed: deque[PinnedCopy] = deque()
        self._freed: deque[Shadow] = deque(maxlen=_REMEMBERED)
        self._waits = Waits()

    # ---- order

    def begin(self, timeline: Timeline, call: str) -> Operation:
        """Begin a task of a stream."""
        if _running.get() is not None:
            return self.submit(timeline, call).place()
        host = self.host
        if self._functions:
            # what they submit comes after what was submitted to its stream before them
            timeline.mark(host.step(), host.last_function)
            if len(timeline.marks) % MARKS == MARKS - 1:
                timeline.forget_marks(self._oldest_function())
        if self._branches:
            self._absorb(timeline, timeline, host.clock, host.length)
        return timeline.begin(call, find_caller(call), host.length, host.clock)

    def submit(self, timeline: Timeline, call: str) -> Submission:
        """Note that a task is submitted to a stream, in which it gets its place later."""
        running, caller, host = _running.get(), find_caller(call), self.host
        if running is None:
            return Submission(
                timeline, partial(timeline.begin, call, caller, host.length, host.clock)
            )
        submission = self._body(running).act(call, caller, running)
        branch = self._branch(timeline, running)
        if branch.is_long:
            known = [(x.clock, x.host_index) for x in self._pending()]
            branch.forget([*known, (host.clock, host.length)])
        return Submission(branch, partial(branch.submit, submission))

    def follow(self, timeline: Timeline, record: Operation) -> None:
        """Let what is submitted to a stream from now on, or the host, come after a record."""
        if not record.abandoned:
            self._submitted_by(timeline).join(record.knowledge, record.host_index)

    def _submitted_by(self, timeline: Timeline) -> Timeline:
        """Return a stream, or what the function that the calling thread runs submits to it."""
        running = _running.get()
        if running is None or timeline.number == HOST:
            return timeline
        return self._branch(timeline, running)

    def begin_on_host(self, call: str) -> Operation:
        """Begin an access of the host, or of the function that the calling thread runs."""
        running, caller = _running.get(), find_caller(call)
        if running is not None:
            return self._body(running).act(call, caller, running)
        host, callback = self.host, _callback.get()
        operation = host.begin(call, caller, host.length + 1, host.clock)
        return operation if callback is None else FunctionAccess(operation, callback)

    def _body(self, function: Operation) -> FunctionTimeline:
        """Return what functions of a stream do, at the latest of them."""
        body = self._bodies.get(function.timeline)
        if body is None:
            body = FunctionTimeline(function.timeline, count(1))
            body = self._bodies.setdefault(function.timeline, body)
        body.join(function.beginning, function.host_index)
        return body

    def _branch(self, timeline: Timeline, function: Operation) -> FunctionTimeline:
        """Return what functions of a stream submit to another one, as a function does it now."""
        branches = self._branches.get(timeline)
        if branches is None:
            branches = self._branches.setdefault(timeline, {})
        branch = branches.get(function.timeline)
        if branch is None:
            branch = FunctionTimeline(timeline, timeline.count)
            branch = branches.setdefault(function.timeline, branch)
        body = self._body(function)
        branch.join(body.knowledge, body.host_index)
        before = timeline.last_before(function.host_index)
        if before is not None:
            branch.join(before.knowledge, before.host_index)
        if timeline.number == function.timeline.number:
            branch.join(function.knowledge, function.host_index)
        self._absorb(branch, timeline, body.clock, body.host_index)
        return branch

    def _absorb(self, timeline: Timeline, stream: Timeline, clock: Clock, host_index: int) -> None:
        """Let what is submitted to a stream come after what functions did that are done."""
        for branch in list(self._branches.get(stream, {}).values()):
            if branch is not timeline:
                task = branch.submitted(clock, host_index)
                if task is not None:
                    timeline.join(task.knowledge, task.host_index)

    def knowledge(self, timeline: Timeline) -> Clock:
        """Return what the host knows to be done when it has waited for a stream."""
        if self._branches:
            self._absorb(timeline, timeline, self.host.clock, self.host.length)
        return timeline.knowledge

    def knowledge_of_ended(self) -> list[Clock]:
        """Return what else it knows when it has waited for the device: that of ended streams."""
        return [
            timeline.knowledge
            for timeline, (stream, _) in dict(self._ended).items()
            if stream.retired or stream in self._ended
        ]

    def run_on(self, operation: Operation | None) -> None:
        """Note that the calling thread runs the function of an operation from now on."""
        _running.set(operation)

    def run_callback(self, operation: Operation, *, blocks: bool) -> None:
        """Note that a thread of the program runs a callback from now on."""
        self.wait(operation.beginning if blocks else operation.knowledge)
        _running.set(None)
        # what comes after one that blocks its stream comes after what it does
        _callback.set(operation if blocks else None)

    def wait(self, reached: Clock) -> None:
        """Note that the host has waited for what a clock says."""
        self.host.join(reached, 0)
        clock = self.host.clock
        # a copy is made in one atomic step; a list of items is not
        for timeline in list(self._late):
            if timeline.late.load().value[1] <= clock.get(timeline, 0):
                self._late.pop(timeline, None)
                if timeline.late.load().value[1] > clock.get(timeline, 0):
                    self._late[timeline] = None
        if self._ended:
            self._retire()
        if self._pinned:
            self._compare_pinned(clock)

    def reach(self, reached: Clock) -> None:
        """Note that a call of the program has waited, and report what shows itself then."""
        self.wait(reached)
        while self._changed:
            copy = self._changed.popleft()
            assert copy.operation is not None
            waits = self.begin_on_host("wait")
            self.reports.changed_by_host(
                (copy.operation, copy.span),
                copy.shadow,
                waits,
                self._waits.explanation(copy.operation, waits),
                copied=copy.writes,
            )

    def reach_record(self, record: Operation) -> None:
        """Note that a call of the program saw that an event was reached."""
        if record.timeline.abandoned:
            record.timeline.confirm(record.index)
        self.reach(record.knowledge)

    def end_stream(self, timeline: Timeline, *, waited: bool) -> None:
        """Note that a stream takes no more work, and whether the host has waited for it."""
        if not timeline.retired:
            self._ended[timeline] = timeline, timeline
            for stream, branches in list(self._branches.items()):
                for source, branch in list(branches.items()):
                    if timeline in (stream, source):
                        self._ended[branch] = stream, source
        if waited:  # and so was what its work waited for
            self.wait(self.knowledge(timeline))

    def _retire(self) -> None:
        """Have what the host does from now on come after streams that ended and are done."""
        clock, index = self.host.clock, 0
        for timeline, (stream, source) in list(self._ended.items()):
            if timeline.length > clock.get(timeline, 0):
                continue
            if timeline is not stream and self._functions:
                continue  # what they submit may come after it
            index = index or self.host.step()
            timeline.retire(index)
            self._ended.pop(timeline, None)
            self._late.pop(timeline, None)
            if timeline is stream:
                body = self._bodies.pop(timeline, None)
                if body is not None:
                    body.retire(index)
            else:
                branches = self._branches.get(stream, {})
                branches.pop(source, None)
                if not branches:
                    self._branches.pop(stream, None)

    def abandon(self, timeline: Timeline) -> None:
        """Note that the work of a stream is dropped unless it has begun."""
        running = _running.get()
        known = self.host.clock if running is None else self._body(running).clock
        self._abandoned = True
        for each in (timeline, *self._branches.get(timeline, {}).values()):
            each.abandon(known.get(each, 0))

    # ---- host functions

    def launch_function(self, operation: Operation) -> None:
        """Note that a host function is queued."""
        self._last_function = operation
        timeline = operation.timeline
        timeline.last_function = operation.index
        self.host.last_function = max(self.host.last_function, operation.host_index)
        self._come_late(operation)
        timeline.functions.append(operation)
        self._functions[timeline] = None

    def end_function(self, operation: Operation) -> None:
        """Note that a host function has ended, or will never run."""
        timeline = operation.timeline
        with suppress(ValueError):
            timeline.functions.remove(operation)
        functions = list(timeline.functions)
        first = functions[0].index if functions else operation.index + 1
        for kept in list(timeline.kept):
            if kept.until < first:
                with suppress(ValueError):
                    timeline.kept.remove(kept)
        if not functions:
            self._functions.pop(timeline, None)
            if timeline.functions:
                self._functions[timeline] = None

    def _oldest_function(self) -> int:
        """Return how much of the host comes before all functions that have not ended."""
        return min([x.host_index for x in self._pending()], default=self.host.length)

    def _pending(self) -> list[Operation]:
        """Return the first function of each stream that has not ended."""
        # not a slice: CPython may run finalizers between its two steps
        first = [next(iter(timeline.functions), None) for timeline in list(self._functions)]
        return [operation for operation in first if operation is not None]

    def _come_late(self, operation: Operation) -> None:
        """Note that what is written before operations after this is seen when they run."""
        timeline = operation.timeline
        while True:
            before = timeline.late.load()
            first, last = before.value
            if last <= self.host.clock.get(timeline, 0):
                first = operation.index
            after = first, max(last, operation.index)
            if timeline.late.compare_and_set(before, after):
                break
        self._late[timeline] = None

    def _is_late(self, operation: Operation) -> bool:
        """Tell whether functions may write what it reads that the host does not know as done."""
        known = self.host.clock
        for timeline in list(self._late):
            first, last = timeline.late.load().value
            if max(first, known.get(timeline, 0) + 1) <= min(last, operation.reach(timeline)):
                return True
        return False

    def _keep(self, shadow: Shadow, use: Use, operation: Operation, *, write: bool) -> None:
        """Keep an access whose place one takes that comes after functions which have not ended."""
        before = use[0]
        if before.timeline is operation.timeline and before.clock is operation.clock:
            return
        for timeline in list(self._functions):
            functions = list(timeline.functions)
            end = bisect_right(functions, operation.reach(timeline), key=_index)
            begin = bisect_right(functions, before.reach(timeline), 0, end, key=_index)
            if begin < end and not precedes(before, functions[begin]):
                kept = Kept(functions[end - 1].index, shadow, use, write)
                if not timeline.kept or timeline.kept[-1] != kept:
                    timeline.kept.append(kept)

    def _check_kept(
        self, operation: FunctionAccess, shadow: Shadow, span: Span, *, write: bool
    ) -> None:
        """Compare what a function accesses with what later accesses took the place of."""
        for kept in list(operation.task.timeline.kept):
            if kept.shadow is shadow and (write or kept.write) and meet(kept.use[1], span):
                if not are_ordered(kept.use[0], operation):
                    self._find_race(kept.use, operation, (shadow, span), write=write)

    # ---- accesses

    def access(
        self, call: str, reads: Sequence[Access], writes: Sequence[Access], *, uses: bool
    ) -> None:
        """Check and remember an access of the host; ``uses`` as for `record`."""
        operation = self.begin_on_host(call)
        try:
            self.record(operation, reads, writes, uses=uses)
        except BaseException:
            operation.cancel()
            raise

    def record(
        self,
        operation: Operation,
        reads: Sequence[Access],
        writes: Sequence[Access],
        *,
        uses: bool,
    ) -> bool:
        """Check the accesses of an operation, and remember them.

        Parameters
        ----------
        operation : Operation
            What accesses memory. It must be cancelled if it is not to run, after an error too.
        reads, writes : sequence of Access
            The accesses.
        uses : bool
            Whether what is read must have been written: not for a copy within the device, whose
            result is as unwritten as its source.

        Returns
        -------
        bool
            Whether `settle` must be called when it runs: a host function that comes before
            it may still write what it reads.
        """
        in_function, timeline = operation.in_function, operation.timeline
        # what a function does is seen when it runs
        late = bool(self._late) and not in_function and self._is_late(operation)
        functions = bool(self._functions)
        for shadow, span in reads:
            use, stale = (operation, span), False
            for segment in shadow.segments(span):
                readers = segment.readers
                # a second read on one timeline needs no more than the first, unless that is special
                first = timeline not in readers
                if first or in_function or not segment.written or self._abandoned:
                    self._check_read(operation, shadow, span, segment, used=uses and not late)
                if first and len(readers) % READERS == READERS - 1:
                    self._forget_readers(segment)
                if functions and not first:
                    self._keep(shadow, readers[timeline], operation, write=False)
                segment.readers[timeline] = use
                stale = stale or segment.stale
            if stale:
                shadow.read(timeline, use)
            if isinstance(operation, FunctionAccess):
                self._check_kept(operation, shadow, span, write=False)
        # before the writes: a copy's source and target may overlap
        holes = []
        if writes and not (uses or late):
            holes = [shadow.unwritten(span) for shadow, span in reads]
        for shadow, span in writes:
            use, stale = (operation, span), False
            segments = shadow.segments(span)
            if isinstance(operation, FunctionAccess):
                self._check_kept(operation, shadow, span, write=True)
            for segment in segments:
                writer, readers = segment.writer, segment.readers
                if not late:
                    segment.written = True
                if readers or (writer is not None and writer[0].timeline is not timeline):
                    self._check_write(operation, shadow, span, segment)
                if not (functions or in_function):
                    if readers:
                        segment.readers = {}
                elif not self._take_place(use, shadow, segment):
                    continue
                segment.writer = use
                stale = stale or segment.stale
            if stale:
                shadow.write(use, seen=not late)
            elif len(segments) != 1:
                shadow.merge(segments, use)
        if holes:
            self._pass_on(holes[0], reads, writes)
        if late:
            self._come_late(operation)
        return late

    def settle(
        self,
        operation: Operation,
        reads: Sequence[Access],
        writes: Sequence[Access],
        *,
        uses: bool,
    ) -> None:
        """Report bytes that an operation reads and nothing wrote, and note what it writes."""
        holes = [shadow.unwritten(span) for shadow, span in reads]
        missing = [
            (shadow, span, segment)
            for shadow, span in reads
            for segment in shadow.segments(span)
            # what others write at the same time is a race, and no more
            if not (segment.written or segment.stale)
            and (segment.writer is None or are_ordered(segment.writer[0], operation))
        ]
        for shadow, span in writes:
            shadow.mark_written(span)
        if writes and holes and not uses:
            self._pass_on(holes[0], reads, writes)
        for shadow, span, segment in missing if uses else ():
            self.reports.unwritten(operation, shadow, span, segment)

    def _pass_on(
        self, holes: list[tuple[int, int]], reads: Sequence[Access], writes: Sequence[Access]
    ) -> None:
        """Note that a copy brings bytes that nothing wrote."""
        (shadow, span), (_, read) = writes[0], reads[0]
        shadow.mark_unwritten(holes, span.start - read.start)

    def _take_place(self, use: Use, shadow: Shadow, segment: Segment) -> bool:
        """Keep what a write takes the place of; tell if it does.

        That of a function may be seen after a later one, and after reads that come after it.
        """
        operation, writer = use[0], segment.writer
        if operation.in_function and writer is not None and precedes(operation, writer[0]):
            self._keep(shadow, use, writer[0], write=True)
            return False
        later = {}
        for key, reader in dict(segment.readers).items():
            if operation.in_function and precedes(operation, reader[0]):
                later[key] = reader
            else:
                self._keep(shadow, reader, operation, write=False)
        if writer is not None:
            self._keep(shadow, writer, operation, write=True)
        segment.readers = later
        return True

    def _forget_readers(self, segment: Segment) -> None:
        """Forget readers on streams that ended before all functions which may access anything."""
        oldest = self._oldest_function()
        for timeline in list(segment.readers):
            if 0 < timeline.retired <= oldest:
                segment.readers.pop(timeline, None)

    def _check_read(
        self, operation: Operation, shadow: Shadow, span: Span, segment: Segment, *, used: bool
    ) -> None:
        writer = segment.writer
        if writer is not None and writer[0].timeline.abandoned and writer[0].abandoned:
            self.reports.abandoned(writer, operation, shadow, span)
        elif writer is not None and not are_ordered(writer[0], operation):
            self._find_race(writer, operation, (shadow, span), write=False)
        elif used and not (segment.written or segment.stale):
            self.reports.unwritten(operation, shadow, span, segment)

    def _check_write(
        self, operation: Operation, shadow: Shadow, span: Span, segment: Segment
    ) -> None:
        writer = segment.writer
        for use in [*([] if writer is None else [writer]), *list(segment.readers.values())]:
            if not are_ordered(use[0], operation):
                self._find_race(use, operation, (shadow, span), write=True)

    def _find_race(self, use: Use, operation: Operation, access: Access, *, write: bool) -> None:
        why = self._waits.explanation(use[0], operation)
        self.reports.race(use, operation, *access, why, write=write)

    # ---- pinned memory

    def watch_pinned(self, copy: PinnedCopy, operation: Operation | None) -> None:
        """Have a queued copy's pinned bytes compared when the host waits for it."""
        copy.operation = operation
        self._pinned.append((copy, self._last_function))

    def has_functions(self) -> bool:
        """Tell whether host functions may run, which may access anything pinned."""
        known = self.host.clock
        return any(timeline.last_function > known.get(timeline, 0) for timeline in list(self._late))

    def _compare_pinned(self, clock: Clock) -> None:
        for entry in list(self._pinned):
            copy, last_function = entry
            operation = copy.operation
            if operation is not None and operation.index <= clock.get(operation.timeline, 0):
                # a host function that was queued meanwhile may have changed the bytes
                rightly = self._last_function is not last_function
                with suppress(ValueError):
                    self._pinned.remove(entry)
                    if not rightly and copy.compare():
                        self._changed.append(copy)

    # ---- lifetimes

    def allocate(self, shadow: Shadow, call: str) -> None:
        """Note where memory is allocated."""
        shadow.allocated = self.begin_on_host(call)

    def check_free(self, shadow: Shadow, call: str) -> None:
        """Report work that needs memory which is about to be freed, and note the call."""
        operation = self.begin_on_host(call)
        for use in shadow.uses:
            if not precedes(use[0], operation):
                self.reports.freed_too_early(use, shadow, operation)
                break
        shadow.freed = operation
        shadow.forget()
        self._freed.append(shadow)

    def check_unmap(self, shadow: Shadow, span: Span, call: str) -> None:
        """Report work that needs bytes which are about to be unmapped."""
        operation = self.begin_on_host(call)
        for segment in shadow.segments(span):
            uses = [*([] if segment.writer is None else [segment.writer]),
                    *list(segment.readers.values())]  # fmt: skip
            for use in uses:
                if not precedes(use[0], operation):
                    self.reports.freed_too_early(use, shadow, operation)
                    return

    def drop(self, shadow: Shadow) -> None:
        """Note that memory was freed because nothing referred to it any more."""
        if shadow.freed is None:
            shadow.freed = shadow.allocated
            shadow.forget()
            self._freed.append(shadow)

    def freed_at(self, address: int) -> Shadow | None:
        """Return the allocation that an address belonged to, if it was freed."""
        for shadow in reversed(list(self._freed)):
            if shadow.address <= address < shadow.address + shadow.nbytes:
                return shadow
        return None

    def find_freed(self, status: Status, kind: Kind, problem: str, shadow: Shadow) -> None:
        """Report a call with memory that was freed, which the runtime refuses with a code."""
        self.reports.freed(status, kind, problem, shadow, self.begin_on_host("use of memory"))

    def find_leaks(self, shadows: Iterable[Shadow]) -> list[HazardError]:
        """Keep as leaks, without raising them, the allocations that are left; return them."""
        return [self.reports.leak(shadow) for shadow in shadows]

    # ---- events

    def wait_for_event(
        self,
        timeline: Timeline,
        event: int,
        record: Operation | None,
        lost: Operation | None,
        late: deque[Operation],
    ) -> None:
        """Let a stream, or the host, come after a record.

        A wait that does nothing, or forgets, is kept to explain a race, and that of a stream is
        reported by itself if the event was not recorded by the time the host waits.

        Parameters
        ----------
        timeline : Timeline
            What waits.
        event : int
            Number of the event.
        record : Operation or None
            Its latest record; None if it was never recorded.
        lost : Operation or None
            The record before that, if nothing waited for it.
        late : deque of Operation
            Where later records of the event are listed, if it has none.
        """
        if record is not None:
            self.follow(timeline, record)
        if record is not None and lost is None:
            return
        if timeline is self.host:
            wait = self.begin_on_host("synchronize")
        else:  # it is no task, and so brings no knowledge of the host to the stream
            call, stream = "wait_event", self._submitted_by(timeline)
            index = min(stream.host_index, self.host.length)
            wait = stream.begin(call, find_caller(call), index, stream.clock)
        self._waits.add(WaitWithoutEffect(event, wait, lost, late if record is None else None))

    def record_event(self, record: Operation) -> None:
        """Note that an event is recorded."""
        record.timeline.last_record = record.index

    def check_waits(self, timeline: Timeline | None) -> None:
        """Report waits of a stream, or of all, for events that were not recorded since.

        Called when the host waits for the stream.
        """
        for wait in self._waits.never_recorded(timeline, self.host.clock):
            self.reports.wait_without_effect(wait, self.begin_on_host("synchronize"))

    # ---- waits that never end

    def find_wait_in_task(self, status: Status, problem: str) -> None:
        """Report a host function that waits for the device, which the runtime refuses."""
        task = _running.get() or _callback.get()
        self.reports.wait_in_task(status, problem, task, self.begin_on_host("wait"))

    def find_lost_wait(self, record: str) -> None:
        """Report a wait for a record that nobody submits."""
        self.reports.lost_wait(record, self.begin_on_host("wait"))

    def find_deadlock(self, cycle: Sequence[Operation]) -> None:
        """Report a wait for tasks that run only after it."""
        self.reports.deadlock(cycle, self.begin_on_host("wait"))
