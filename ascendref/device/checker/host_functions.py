"""Host functions that have not ended, whose accesses nobody has seen yet."""

from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final, NamedTuple

from ..lock_free import AtomicReference
from .ordering import Operation, Timeline, precedes
from .shadow import Shadow, Use

_index: Final = attrgetter("index")


class Kept(NamedTuple):
    """An access that took place at the same time as functions which have not ended.

    One that comes after it, and after these functions, has taken its place.
    """

    #: the last of the functions, by its number
    until: int
    shadow: Shadow
    use: Use
    write: bool


@dataclass(eq=False, slots=True)
class _StreamFunctions:
    #: those that have not ended, in order
    pending: list[Operation] = field(default_factory=list)
    #: accesses that no others than those can race with
    kept: list[Kept] = field(default_factory=list)
    last: int = 0
    #: the first and the last operation of the stream that comes after a function, or is one, of
    #: which the host does not know that it has ended
    late: AtomicReference[tuple[int, int]] = field(default_factory=lambda: AtomicReference((1, 0)))


class HostFunctions:
    """The functions of all streams, and what must be kept because of them."""

    def __init__(self, host: Timeline) -> None:
        self._host = host
        self._streams: dict[Timeline, _StreamFunctions] = {}
        #: those of them with functions that have not ended
        self.pending: dict[Timeline, _StreamFunctions] = {}
        #: those with functions, or operations after them, of which the host does not know yet that
        #: they have ended
        self.late: dict[Timeline, _StreamFunctions] = {}
        #: how much of the host came before the last one, and the last one
        self.last_index = 0
        self.last: Operation | None = None

    # ---- beginning and end

    def launch(self, operation: Operation) -> None:
        """Note that a function is queued."""
        timeline = operation.timeline
        stream = self._of(timeline)
        stream.last = operation.index
        self.last = operation
        self.last_index = max(self.last_index, operation.host_index)
        self.come_late(operation)
        stream.pending.append(operation)
        self.pending[timeline] = stream

    def end(self, operation: Operation) -> None:
        """Note that a function has ended, or will never run."""
        timeline = operation.timeline
        stream = self._streams.get(timeline)
        if stream is None:
            return
        with suppress(ValueError):
            stream.pending.remove(operation)
        pending = list(stream.pending)
        first = pending[0].index if pending else operation.index + 1
        for kept in list(stream.kept):
            if kept.until < first:
                with suppress(ValueError):
                    stream.kept.remove(kept)
        if not pending:
            self.pending.pop(timeline, None)
            if stream.pending:
                self.pending[timeline] = stream

    def forget(self, timeline: Timeline) -> None:
        """Forget a stream that has ended and that the host knows all about."""
        self.late.pop(timeline, None)
        self._streams.pop(timeline, None)

    def _of(self, timeline: Timeline) -> _StreamFunctions:
        stream = self._streams.get(timeline)
        return self._streams.setdefault(timeline, _StreamFunctions()) if stream is None else stream

    def first(self) -> list[Operation]:
        """Return the first function of each stream that has not ended."""
        # not by slices: CPython may run finalizers between the two steps of one
        first = [next(iter(stream.pending), None) for stream in list(self.pending.values())]
        return [operation for operation in first if operation is not None]

    @property
    def oldest_index(self) -> int:
        """How much of the host comes before all functions that have not ended."""
        return min([x.host_index for x in self.first()], default=self._host.length)

    @property
    def may_run(self) -> bool:
        """Whether any function may not have ended, as far as the host knows."""
        known = self._host.clock
        late = dict(self.late)  # in one atomic step, which a list of items is not
        return any(stream.last > known.get(timeline, 0) for timeline, stream in late.items())

    # ---- accesses that only functions can race with

    def keep(self, shadow: Shadow, use: Use, operation: Operation, *, write: bool) -> None:
        """Keep an access whose place another one takes, if functions that come between can race."""
        before = use[0]
        if before.timeline is operation.timeline and before.clock is operation.clock:
            return
        for timeline, stream in dict(self.pending).items():
            pending = list(stream.pending)
            end = bisect_right(pending, operation.reach(timeline), key=_index)
            begin = bisect_right(pending, before.reach(timeline), 0, end, key=_index)
            if begin < end and not precedes(before, pending[begin]):
                kept = Kept(pending[end - 1].index, shadow, use, write)
                if not stream.kept or stream.kept[-1] != kept:
                    stream.kept.append(kept)

    def kept_for(self, function: Operation, shadow: Shadow) -> list[Kept]:
        """Return the accesses of an allocation that are kept because of a function."""
        stream = self._streams.get(function.timeline)
        kept = [] if stream is None else list(stream.kept)
        return [each for each in kept if each.shadow is shadow]

    # ---- what they may have written

    def come_late(self, operation: Operation) -> None:
        """Note that it is seen when they run what operations after this one read and write."""
        timeline = operation.timeline
        stream = self._of(timeline)
        while True:
            before = stream.late.load()
            first, last = before.value
            if last <= self._host.clock.get(timeline, 0):
                first = operation.index
            after = first, max(last, operation.index)
            if stream.late.compare_and_set(before, after):
                break
        self.late[timeline] = stream

    def precede(self, operation: Operation) -> bool:
        """Tell whether any before it may not have ended, as far as the host knows."""
        known = self._host.clock
        for timeline, stream in dict(self.late).items():
            first, last = stream.late.load().value
            if max(first, known.get(timeline, 0) + 1) <= min(last, operation.reach(timeline)):
                return True
        return False

    def reach(self) -> None:
        """Forget the functions that the host knows to have ended."""
        clock = self._host.clock
        for timeline, stream in dict(self.late).items():
            if stream.late.load().value[1] <= clock.get(timeline, 0):
                self.late.pop(timeline, None)
                if stream.late.load().value[1] > clock.get(timeline, 0):
                    self.late[timeline] = stream
