"""The checker of a device: it records calls and finds hazards."""

from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

from ...core.status import Status
from .hazards import HazardKind
from .order import Order
from .ordering import Clock, Operation, Timeline, are_ordered, is_reached, precedes
from .pinned import PinnedCopy
from .reports import Reports
from .shadow import Segment, Shadow, Span, Use, meet
from .waits import Waits, WaitWithoutEffect

#: number of further readers of some bytes after which readers that cannot race are forgotten
READERS: Final = 16

#: freed allocations whose addresses are remembered
_REMEMBERED: Final = 4096

#: bytes that an operation reads or writes
Access = tuple[Shadow, Span]


def _may_avoid(span: Span, segments: Sequence[Segment]) -> bool:
    """Tell whether a read may avoid the bytes that nothing wrote, as data decide."""
    return span.partly and any([segment.written for segment in segments])


class Checker(Order):
    """Finds hazards in the calls of one device.

    Everything is decided when a call is made: its accesses, and what comes before it by the order
    of calls, streams, events and waits. When tasks run does not matter; only the accesses of host
    functions are seen when they run. To ``report`` is to collect hazards without raising.
    """

    def __init__(self, *, report: bool) -> None:
        super().__init__()
        self.reports = Reports(collect=report)
        #: whether the work of any stream was ever dropped
        self._abandoned = False
        self._pinned: deque[tuple[PinnedCopy, Operation | None]] = deque()
        #: those of them that the program changed, until a call reports it
        self._changed: deque[PinnedCopy] = deque()
        self._freed: deque[Shadow] = deque(maxlen=_REMEMBERED)
        self._waits = Waits()

    # ---- order

    def wait(self, reached: Clock) -> None:
        """Note that the host has waited for the tasks of a clock."""
        super().wait(reached)
        if self._pinned:
            self._compare_pinned(self.host.clock)

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

    def abandon(self, timeline: Timeline) -> None:
        """Note that the work of a stream is dropped unless it has begun."""
        self._abandoned = True
        super().abandon(timeline)

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

    def run_at_once(
        self, timeline: Timeline, call: str, reads: Sequence[Access], writes: Sequence[Access]
    ) -> None:
        """Check and remember a task of a stream that the calling thread runs.

        The program does not know that it is done, as of any task. It may read what nothing wrote.
        What comes before it must be done.
        """
        operation = self.begin(timeline, call)
        try:
            self._check_done(operation, reads, write=False)
            self._check_done(operation, writes, write=True)
            late = self.record(operation, reads, (), uses=False)
            late = self.record(operation, (), writes, uses=True) or late
        except BaseException:
            operation.cancel()
            raise
        if late:
            self.settle(operation, (), writes, uses=True)
        self.process.join(operation.knowledge, 0)

    def _check_done(self, operation: Operation, accesses: Sequence[Access], *, write: bool) -> None:
        """Report what comes before a task that is about to run, and may still run."""
        done = self.process.clock
        for shadow, span in accesses:
            for segment in shadow.segments(span):
                for use in segment.uses():
                    concerned = write or use is segment.writer
                    if concerned and precedes(use[0], operation):
                        if not is_reached(use[0], done, self.host.length):
                            self._find_race(use, operation, (shadow, span), write=write)

    def record(
        self,
        operation: Operation,
        reads: Sequence[Access],
        writes: Sequence[Access],
        *,
        uses: bool,
    ) -> bool:
        """Check the accesses of an operation, and remember them.

        It must be cancelled if it is not to run, after an error too. It ``uses`` what it reads,
        which must have been written then, unless it is a copy within the device, whose result is as
        unwritten as its source. True means that `settle` must be called when it runs: a host
        function that comes before it may still write what it reads.
        """
        in_function, timeline = operation.function is not None, operation.timeline
        # what a function does is seen when it runs
        late = bool(self.functions.late) and not in_function and self.functions.precede(operation)
        functions = bool(self.functions.pending)
        for shadow, span in reads:
            use, stale = (operation, span), False
            segments = shadow.segments(span)
            used = uses and not late and not _may_avoid(span, segments)
            for segment in segments:
                readers = segment.readers
                before = readers.get(timeline)
                # a second read on one timeline needs no more than the first, unless one is special
                special = in_function or (before is not None and before[0].function is not None)
                if before is None or special or not segment.written or self._abandoned:
                    self._check_read(operation, shadow, span, segment, used=used)
                if before is None and len(readers) % READERS == READERS - 1:
                    self._forget_readers(segment)
                if functions and before is not None:
                    self.functions.keep(shadow, before, operation, write=False)
                segment.readers[timeline] = use
                stale = stale or segment.stale
            if stale:
                shadow.read(timeline, use)
            if in_function and functions:
                self._check_kept(operation, shadow, span, write=False)
        # before the writes: a copy's source and target may overlap
        holes = []
        if writes and not (uses or late):
            holes = [shadow.unwritten(span) for shadow, span in reads]
        for shadow, span in writes:
            use, stale = (operation, span), False
            segments = shadow.segments(span)
            if in_function and functions:
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
            self.functions.come_late(operation)
        return late

    def settle(
        self,
        operation: Operation,
        reads: Sequence[Access],
        writes: Sequence[Access],
        *,
        uses: bool,
    ) -> None:
        """Report bytes that an operation reads but nothing wrote, and note its writes."""
        holes = [shadow.unwritten(span) for shadow, span in reads]
        missing = [
            (shadow, span, segment)
            for shadow, span in reads
            for segments in [shadow.segments(span)]
            if not _may_avoid(span, segments)
            for segment in segments
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
        """Keep the accesses that a write replaces; tell whether it replaces any.

        That of a function may be seen after a later one, and after reads that come after it.
        """
        operation, writer = use[0], segment.writer
        if operation.function is not None and writer is not None and precedes(operation, writer[0]):
            self.functions.keep(shadow, use, writer[0], write=True)
            return False
        later = {}
        for key, reader in dict(segment.readers).items():
            if operation.function is not None and precedes(operation, reader[0]):
                later[key] = reader
            else:
                self.functions.keep(shadow, reader, operation, write=False)
        if writer is not None:
            self.functions.keep(shadow, writer, operation, write=True)
        segment.readers = later
        return True

    def _forget_readers(self, segment: Segment) -> None:
        """Forget readers on streams that ended before all functions which may access anything."""
        oldest = self.functions.oldest_index
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

    def _check_kept(self, operation: Operation, shadow: Shadow, span: Span, *, write: bool) -> None:
        """Compare a function's accesses with those that later accesses replaced."""
        for kept in self.functions.kept_for(operation.task, shadow):
            first, touched = kept.use
            if (write or kept.write) and meet(touched, span) and not are_ordered(first, operation):
                self._find_race(kept.use, operation, (shadow, span), write=write)

    def _check_write(
        self, operation: Operation, shadow: Shadow, span: Span, segment: Segment
    ) -> None:
        for use in segment.uses():
            if not are_ordered(use[0], operation):
                self._find_race(use, operation, (shadow, span), write=True)

    def _find_race(self, use: Use, operation: Operation, access: Access, *, write: bool) -> None:
        why = self._waits.explanation(use[0], operation)
        self.reports.race(use, operation, *access, why, write=write)

    # ---- pinned memory

    def watch_pinned(self, copy: PinnedCopy, operation: Operation | None) -> None:
        """Have a queued copy's pinned bytes compared when the host waits for it."""
        copy.operation = operation
        self._pinned.append((copy, self.functions.last))

    def _compare_pinned(self, clock: Clock) -> None:
        for entry in list(self._pinned):
            copy, last_function = entry
            operation = copy.operation
            if operation is not None and is_reached(operation, clock, self.host.length):
                # a host function that was queued meanwhile may have changed the bytes
                rightly = self.functions.last is not last_function
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
        shadow.freed = self.check_done(shadow, shadow.all_segments, call)
        shadow.forget()
        self._freed.append(shadow)

    def check_done(self, shadow: Shadow, segments: Iterable[Segment], call: str) -> Operation:
        """Begin a call that takes memory away, and report work that may still need it."""
        operation = self.begin_on_host(call)
        for use in [use for segment in segments for use in segment.uses()]:
            if not precedes(use[0], operation):
                self.reports.freed_too_early(use, shadow, operation)
                break
        return operation

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

    def find_freed(self, status: Status, kind: HazardKind, problem: str, shadow: Shadow) -> None:
        """Report a call with memory that was freed, which the runtime refuses with a code."""
        self.reports.freed(status, kind, problem, shadow, self.begin_on_host("use of memory"))

    # ---- events

    def wait_for_event(
        self,
        timeline: Timeline,
        event: int,
        record: Operation | None,
        lost: Operation | None,
        late: deque[Operation],
    ) -> None:
        """Let a stream, or the host, come after the latest record of an event, if it has one.

        A wait that does nothing, or forgets the record ``lost`` before that for which nothing
        waited, is kept to explain a race, and that of a stream is reported by itself if the event
        was not recorded by the time the host waits. Records that come too late are in ``late``.
        """
        if record is not None:
            self.join(timeline, record)
        if record is None or lost is not None:
            wait = self.begin_wait(timeline)
            self._waits.add(WaitWithoutEffect(event, wait, lost, late if record is None else None))

    def check_waits(self, timeline: Timeline | None) -> None:
        """Report waits of a stream, or of all, for events that were not recorded since.

        Called when the host waits for the stream.
        """
        for wait in self._waits.never_recorded(timeline, self.host.clock):
            self.reports.wait_without_effect(wait, self.begin_on_host("synchronize"))
