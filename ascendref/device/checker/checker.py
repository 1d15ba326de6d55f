"""The checker of a device: what its calls tell it, and what it concludes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from typing import Final

from ...core.status import Status
from .callers import Caller, find_caller
from .hazards import HazardError, Kind
from .ordering import HOST, Clock, Operation, Timeline, are_ordered, precedes
from .pinned import PinnedCopy
from .reports import Reports
from .shadow import Segment, Shadow, Span, Use
from .waits import VainWait, Waits

#: freed allocations whose addresses are remembered
_REMEMBERED: Final = 4096

#: the operation whose function the calling thread runs, if it runs one
_running: Final[ContextVar[Operation | None]] = ContextVar(
    "ascendref.device.operation", default=None
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
        #: functions of the host that may not have ended, by stream: they access what is not seen
        #: yet; their numbers there, in order
        self._functions: dict[Timeline, deque[int]] = {}
        self._last_function: Operation | None = None
        #: whether the work of any stream was ever dropped
        self._abandoned = False
        self._pinned: deque[tuple[PinnedCopy, Operation | None]] = deque()
        #: those of them that the program changed, until a call reports it
        self._changed: deque[PinnedCopy] = deque()
        self._freed: deque[Shadow] = deque(maxlen=_REMEMBERED)
        self._waits = Waits(self.host)

    # ---- order

    def begin(self, timeline: Timeline, call: str, caller: Caller | None = None) -> Operation:
        """Begin a task of a stream, which the caller or an earlier one submitted."""
        return timeline.begin(call, caller or find_caller(call), self.host, self.known)

    @property
    def known(self) -> Clock:
        """What comes before whatever the calling thread submits now."""
        running = _running.get()
        return self.host.clock if running is None else running.knowledge

    def begin_on_host(self, call: str) -> Operation:
        """Begin an access of the host, or of the function that the calling thread runs."""
        running, caller = _running.get(), find_caller(call)
        if running is not None:
            return running.part(call, caller)
        return self.host.begin(call, caller, self.host, self.host.clock)

    def run_on(self, operation: Operation | None) -> None:
        """Note that the calling thread runs the function of an operation from now on."""
        _running.set(operation)

    def run_callback(self, operation: Operation, *, blocks: bool) -> None:
        """Note that a thread of the program runs a callback from now on."""
        self.wait(operation.knowledge)
        # what comes after one that blocks its stream comes after what it does
        part = operation.part(operation.call, operation.caller, after=self.host)
        _running.set(part if blocks else None)

    def wait(self, reached: Clock) -> None:
        """Note that the host has waited for what a clock says."""
        self.host.join(reached)
        clock = self.host.clock
        # a copy is made in one atomic step; a list of items is not
        for timeline, numbers in dict(self._functions).items():
            while numbers and numbers[0] <= clock.get(timeline, 0):
                numbers.popleft()
            if not numbers:
                self._functions.pop(timeline, None)
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

    def end_stream(self, timeline: Timeline, *, waited: bool) -> None:
        """Note that a stream is destroyed, and whether its work was waited for, not dropped."""
        if waited:  # and so was what its work waited for
            self.wait(timeline.knowledge)
        timeline.retired = True

    def abandon(self, timeline: Timeline) -> None:
        """Note that the work of a stream is dropped unless it has begun."""
        done = self.host.clock.get(timeline, 0)
        self._abandoned = True
        timeline.abandoned = (*timeline.abandoned, range(done + 1, timeline.length + 1))

    def launch_function(self, operation: Operation) -> None:
        """Note that a function of the host is queued."""
        self._last_function = operation
        self._functions.setdefault(operation.timeline, deque()).append(operation.index)

    def _follows_function(self, operation: Operation) -> bool:
        """Tell whether a function of the host that may not have ended comes before."""
        for timeline, numbers in dict(self._functions).items():
            reach = operation.clock.get(timeline, 0)
            if timeline is operation.timeline:
                reach = operation.index
            with suppress(IndexError):  # another thread took the last
                if numbers[0] <= reach:
                    return True
        return False

    # ---- accesses

    def access(
        self, call: str, reads: Sequence[Access], writes: Sequence[Access], *, uses: bool
    ) -> None:
        """Check and remember an access of the host; ``uses`` as for `record`."""
        operation = self.begin_on_host(call)
        try:
            if self.record(operation, reads, writes, uses=uses):
                self.check_written(operation, reads)
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
            Whether `check_written` must be called when it runs: a function of the host that comes
            before it may still write what it reads.
        """
        late = self._follows_function(operation) if self._functions else False
        timeline = operation.timeline
        key = -timeline.number if operation.in_function else timeline.number
        for shadow, span in reads:
            use, stale = (operation, span), False
            for segment in shadow.segments(span):
                # a second read on one timeline needs no more than the first, unless that is special
                if key not in segment.readers or not segment.written or self._abandoned:
                    self._check_read(operation, shadow, span, segment, used=uses and not late)
                segment.readers[key] = use
                stale = stale or segment.stale
            if stale:
                shadow.read(key, use)
        # before the writes: a copy's source and target may overlap
        holes = []
        if writes and not (uses or late):
            holes = [shadow.unwritten(span) for shadow, span in reads]
        for shadow, span in writes:
            use, stale = (operation, span), False
            segments = shadow.segments(span)
            for segment in segments:
                writer, readers = segment.writer, segment.readers
                segment.written = True
                if readers or (writer is not None and writer[0].timeline is not timeline):
                    self._check_write(operation, shadow, span, segment)
                    if key >= 0:
                        segment.readers = {}
                    elif segment.keep_later(operation):
                        continue
                segment.writer = use
                stale = stale or segment.stale
            if stale:
                shadow.write(use)
            elif len(segments) != 1:
                shadow.merge(segments, use)
        if holes:
            (shadow, span), (_, read) = writes[0], reads[0]
            shadow.mark_unwritten(holes[0], span.start - read.start)
        return late and uses

    def check_written(self, operation: Operation, reads: Sequence[Access]) -> None:
        """Report bytes that an operation reads and nothing wrote."""
        for shadow, span in reads:
            for segment in shadow.segments(span):
                if not (segment.written or segment.stale):
                    self.reports.unwritten(operation, shadow, span, segment)

    def _check_read(
        self, operation: Operation, shadow: Shadow, span: Span, segment: Segment, *, used: bool
    ) -> None:
        if used and not (segment.written or segment.stale):
            self.reports.unwritten(operation, shadow, span, segment)
        writer = segment.writer
        if writer is None:
            return
        if not are_ordered(writer[0], operation):
            self._find_race(writer, operation, (shadow, span), write=False)
        if writer[0].timeline.abandoned and writer[0].abandoned:
            self.reports.abandoned(writer, operation, shadow, span)

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
        """Tell whether functions of the host may run, which may access anything pinned."""
        return bool(self._functions)

    def _compare_pinned(self, clock: Clock) -> None:
        for entry in list(self._pinned):
            copy, last_function = entry
            operation = copy.operation
            if operation is not None and operation.index <= clock.get(operation.timeline, 0):
                # a function of the host that was queued meanwhile may have changed the bytes
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
            timeline.join(record.knowledge)
        if record is not None and lost is None:
            return
        if timeline is self.host:
            wait = self.begin_on_host("synchronize")
        else:  # it is no task, and so brings no knowledge of the host to the stream
            call = "wait_event"
            wait = timeline.begin(call, find_caller(call), self.host, timeline.clock)
        self._waits.add(VainWait(event, wait, lost, late if record is None else None))

    def record_event(self, record: Operation) -> None:
        """Note that an event is recorded."""
        record.timeline.last_record = record.index

    def check_waits(self, timeline: Timeline | None) -> None:
        """Report waits of a stream, or of all, for events that were not recorded since.

        Called when the host waits for the stream.
        """
        for wait in self._waits.never_recorded(timeline, self.host.clock):
            self.reports.vain_wait(wait, self.begin_on_host("synchronize"))

    # ---- waits that never end

    def find_wait_in_task(self, status: Status, problem: str) -> None:
        """Report a function of the host that waits for the device, which the runtime refuses."""
        self.reports.wait_in_task(status, problem, _running.get(), self.begin_on_host("wait"))

    def find_lost_wait(self, record: str) -> None:
        """Report a wait for a record that nobody submits."""
        self.reports.lost_wait(record, self.begin_on_host("wait"))

    def find_deadlock(self, cycle: Sequence[Operation]) -> None:
        """Report a wait for tasks that run only after it."""
        self.reports.deadlock(cycle, self.begin_on_host("wait"))
