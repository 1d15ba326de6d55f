"""The history of an allocation's bytes: who wrote them last, who has read them since.

The bytes are divided into segments in which that is the same. A segment is split where an access
begins or ends inside of it. Accesses that come before a new one, and that nothing can race with
any more without racing with the new one too, are forgotten; so there are never more segments than
accesses, and a program that repeats itself needs no more of them than its first turn.

Segments are divided and merged in one atomic step, and changed without one. So whoever divides
one marks it as stale and then looks at it again; whoever changes one looks afterwards whether it
is stale, and repeats the change on what it was divided into (rule 4 of `lock_free`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from ..lock_free import AtomicReference, Snapshot
from .ordering import Operation, Timeline

#: pieces of memory that a view may have; one with more is not checked
RUNS: Final = 4096
#: the same for what these are joined of
_MOST_STARTS: Final = 16 * RUNS

#: shape, byte strides and bytes of an element of a view that has gaps
Gaps = tuple[tuple[int, ...], tuple[int, ...], int]


class Span(NamedTuple):
    """Bytes of an allocation that an operation reads or writes."""

    #: the first byte, counted from the beginning of the allocation
    start: int
    #: how many there are up to the last, with gaps
    nbytes: int
    name: str
    gaps: Gaps | None = None
    #: whether an operator reads only some of them, as data or lengths decide
    partly: bool = False

    def runs(self) -> Iterator[tuple[int, int]]:
        """Return begin and end of the pieces of memory; none if there would be too many."""
        if self.gaps is None:
            yield self.start, self.start + self.nbytes
        else:
            for low, high in _runs(*self.gaps):
                yield self.start + low, self.start + high


def meet(one: Span, other: Span) -> bool:
    """Tell whether two views of the same memory have a byte in common."""
    if one.start >= other.start + other.nbytes or other.start >= one.start + one.nbytes:
        return False
    if one.gaps is None and other.gaps is None:
        return True
    pieces = iter(list(other.runs()))
    low, high = next(pieces, (0, 0))
    for start, stop in one.runs():
        while high <= start and low < high:
            low, high = next(pieces, (0, 0))
        if low < stop and start < high:
            return True
    return False


def _joined(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> tuple[int, list[tuple[int, int]]]:
    """Return the length of the runs that a view surely has, and the axes that repeat them.

    An axis is its distance in bytes and its size, the nearest first.
    """
    axes = sorted((abs(step), size) for size, step in zip(shape, strides, strict=True) if size > 1)
    length = itemsize
    while axes and axes[0][0] <= length:  # the next axis goes on where this run ends, or overlaps
        step, size = axes.pop(0)
        length += step * (size - 1)
    return length, axes


@lru_cache(maxsize=1024)
def _runs(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> tuple[tuple[int, int], ...]:
    """Return the runs of bytes of a view, from its first byte on; none for too many runs."""
    length, axes = _joined(shape, strides, itemsize)
    starts: Any = np.zeros(1, np.int64)
    for step, size in axes:
        if size * starts.size > _MOST_STARTS:
            return ()
        # elements may overlap
        starts = np.unique(np.add.outer(np.arange(size, dtype=np.int64) * step, starts))
    begins = np.concatenate(([True], np.diff(starts) > length))
    ends = np.append(begins[1:], True)
    if np.count_nonzero(begins) > RUNS:
        return ()
    lows, highs = starts[begins].tolist(), (starts[ends] + length).tolist()
    return tuple(zip(lows, highs, strict=True))


@lru_cache(maxsize=1024)
def gaps_of(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> Gaps | None:
    """Return the gaps of a view; None if it has none.

    The number of elements does not tell, for they may overlap.
    """
    # an axis that does not join the run leaves out the byte after it
    return (shape, strides, itemsize) if _joined(shape, strides, itemsize)[1] else None


#: an operation and its access, as a segment remembers them
Use = tuple[Operation, Span]


@dataclass(eq=False, slots=True)
class Segment:
    """Bytes with the same history."""

    #: where it begins and ends, counted from the beginning of the allocation
    start: int
    stop: int
    #: whether anything was ever written there
    written: bool
    writer: Use | None = None
    #: who has read it since: the last of each timeline
    readers: dict[Timeline, Use] = field(default_factory=dict)
    #: whether others took its place
    stale: bool = False

    def uses(self) -> list[Use]:
        return [*([] if self.writer is None else [self.writer]), *list(self.readers.values())]

    def divided(self, start: int, stop: int) -> list[Segment]:
        """Return segments, divided where a range begins and ends."""
        cuts = [self.start, *[at for at in (start, stop) if self.start < at < self.stop]]
        ends = [*cuts[1:], self.stop]
        return [
            Segment(a, b, self.written, self.writer, dict(self.readers))
            for a, b in zip(cuts, ends, strict=True)
        ]

    def look_again(self, whole: Segment) -> None:
        """Take over what came to be known of the segment that this is a part of."""
        self.written = self.written or whole.written
        if self.writer is not whole.writer:
            self.writer = whole.writer
        self.readers = {**whole.readers, **self.readers}


class Shadow:
    """The history of an allocation.

    The program reads and writes ``pinned`` memory unseen: it counts as written from the beginning.
    """

    __slots__ = ("_latest", "_segments", "address", "allocated", "freed", "nbytes", "pinned")

    def __init__(self, address: int, nbytes: int, *, pinned: bool) -> None:
        self.address = address
        self.nbytes = nbytes
        self.pinned = pinned
        #: where segments begin, and the segments; replaced as a whole
        self._segments = AtomicReference(([0], [Segment(0, nbytes, pinned)]))
        #: the span that was looked for last, the segments at that time, and those that were found
        self._latest: tuple[Span | None, Snapshot[Any], list[Segment]]
        self._latest = None, self._segments.load(), []
        self.allocated: Operation | None = None
        self.freed: Operation | None = None

    def __str__(self) -> str:
        place = "pinned memory" if self.pinned else "memory"
        return f"<{place} of {self.nbytes} bytes at {self.address:#x}>"

    @property
    def all_segments(self) -> list[Segment]:
        return self._segments.load().value[1]

    def forget(self) -> None:
        """Drop the history: the memory is gone."""
        self._segments = AtomicReference(([0], [Segment(0, self.nbytes, True)]))

    def renew(self, span: Span) -> None:
        """Drop the history of some bytes: other memory is mapped there now."""
        for segment in self._cut(span.start, span.start + span.nbytes):
            segment.writer = None
            segment.readers = {}
            segment.written = False

    def segments(self, span: Span) -> list[Segment]:
        """Return the segments that an access consists of, divided where it begins and ends.

        A view with too many pieces has none.
        """
        latest = self._latest
        if latest[0] is span and not latest[1].successor:
            return latest[2]
        if span.gaps is None:
            found = self._cut(span.start, span.start + span.nbytes)
        else:
            for run in span.runs():
                self._cut(*run)
            found = [segment for run in span.runs() for segment in self._cut(*run)]
        snapshot = self._segments.load()
        if not any([segment.stale for segment in found]):
            self._latest = span, snapshot, found
        return found

    def read(self, key: Timeline, use: Use) -> None:
        """Remember a read once more: segments were divided meanwhile."""
        segments = self.segments(use[1])
        for segment in segments:
            segment.readers[key] = use
        if any([segment.stale for segment in segments]):
            self.read(key, use)

    def write(self, use: Use, *, seen: bool) -> None:
        """Remember a write once more: segments were divided meanwhile."""
        segments = self.segments(use[1])
        for segment in segments:
            segment.written = segment.written or seen
            segment.writer = use
            segment.readers = {}
        if any([segment.stale for segment in segments]):
            self.write(use, seen=seen)

    def merge(self, segments: list[Segment], use: Use) -> None:
        """Merge the segments of a write, unless gaps separate them."""
        if not segments:
            self.mark_written(use[1])
        elif use[1].gaps is None:
            self._merge(segments, use)

    def unwritten(self, span: Span) -> list[tuple[int, int]]:
        """Return begin and end of the bytes of an access that nothing wrote."""
        return [(x.start, x.stop) for x in self.segments(span) if not x.written]

    def mark_unwritten(self, ranges: list[tuple[int, int]], shift: int) -> None:
        """Note that a copy brought bytes, so far away from its target, that nothing wrote."""
        for start, stop in ranges:
            for segment in self._cut(start + shift, stop + shift):
                segment.written = False

    def mark_written(self, span: Span) -> None:
        """Note that bytes are written; all that a view spans if it has too many pieces."""
        segments = self.segments(span) or self._cut(span.start, span.start + span.nbytes)
        for segment in segments:
            segment.written = True
        if any([segment.stale for segment in segments]):
            self.mark_written(span)

    def _cut(self, start: int, stop: int) -> list[Segment]:
        """Return the segments of a range, divided at its ends."""
        while True:
            before = self._segments.load()
            starts, segments = before.value
            first = bisect_right(starts, start) - 1
            segment = segments[first]
            if segment.start == start and segment.stop == stop:
                return [segment]
            after_last = bisect_left(starts, stop, first)
            found = segments[first:after_last]
            if found[0].start == start and found[-1].stop == stop:
                return found
            parts = [segment.divided(start, stop) for segment in found]
            divided = [part for some in parts for part in some]
            after = (
                [*starts[:first], *[part.start for part in divided], *starts[after_last:]],
                [*segments[:first], *divided, *segments[after_last:]],
            )
            if self._segments.compare_and_set(before, after):
                for whole, some in zip(found, parts, strict=True):
                    whole.stale = True
                    for part in some:
                        part.look_again(whole)
                return [part for part in divided if start <= part.start < stop]

    def _merge(self, parts: list[Segment], use: Use) -> None:
        """Make one segment of several that lie side by side and are written."""
        start, stop = parts[0].start, parts[-1].stop
        merged = Segment(start, stop, True, use)
        while True:
            before = self._segments.load()
            starts, segments = before.value
            first, after_last = bisect_left(starts, start), bisect_left(starts, stop)
            replaced = segments[first:after_last]
            if not replaced or any([part.writer is not use or part.readers for part in replaced]):
                return  # another thread was here
            if not all([part.written for part in replaced]):
                return  # it is seen later whether they are
            after = (
                [*starts[: first + 1], *starts[after_last:]],
                [*segments[:first], merged, *segments[after_last:]],
            )
            if self._segments.compare_and_set(before, after):
                for segment in replaced:
                    segment.stale = True
                    merged.look_again(segment)
                return
