"""What is known of the bytes of an allocation: who wrote them last, who has read them since.

The bytes are divided into segments in which that is the same. A segment is split where an access
begins or ends inside of it. Accesses that come before a new one, and that nothing can race with
any more without racing with the new one too, are forgotten; so there are never more segments than
accesses, and a program that repeats itself needs no more of them than its first turn.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from ..lock_free import AtomicReference
from .ordering import Operation, precedes

#: pieces of memory that a view may have; one with more is not checked
RUNS: Final = 4096


class Access(NamedTuple):
    """Bytes of an allocation that an operation reads or writes."""

    #: address of the first byte, and how many there are up to the last, with gaps
    address: int
    nbytes: int
    #: name of the tensor or the argument
    name: str
    #: what is known of the allocation; None where nothing is
    shadow: Shadow | None = None
    #: shape, byte strides and bytes of an element, if there may be gaps
    layout: tuple[tuple[int, ...], tuple[int, ...], int] | None = None

    @property
    def is_exact(self) -> bool:
        """Whether `runs` are the bytes of the elements, and no others."""
        return self.layout is None or _runs(*self.layout) is not None

    def runs(self) -> Iterator[tuple[int, int]]:
        """Return begin and end of the pieces of memory, counted from the allocation's beginning.

        There are none if there would be too many.
        """
        assert self.shadow is not None
        start = self.address - self.shadow.address
        if self.layout is None:
            yield start, start + self.nbytes
        else:
            for low, high in _runs(*self.layout) or ():
                yield start + low, start + high


@lru_cache(maxsize=1024)
def _runs(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> tuple[tuple[int, int], ...] | None:
    """Return the runs of bytes of a view, from its first byte on; None if there are too many."""
    axes = sorted((abs(step), size) for size, step in zip(shape, strides, strict=True) if size > 1)
    length = itemsize
    while axes and axes[0][0] <= length:  # the next axis goes on where this run ends, or overlaps
        step, size = axes.pop(0)
        length += step * (size - 1)
    if prod([size for _, size in axes]) > RUNS:
        return None
    starts: Any = np.zeros(1, np.int64)
    for step, size in axes:
        starts = np.add.outer(np.arange(size, dtype=np.int64) * step, starts).ravel()
    merged: list[tuple[int, int]] = []
    for start in np.unique(starts).tolist():
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], start + length
        else:
            merged.append((start, start + length))
    return tuple(merged)


#: an operation and its access, as a segment remembers them
Use = tuple[Operation, Access]


class Segment:
    """Bytes of which the same is known.

    Parameters
    ----------
    start, stop : int
        Where it begins and ends, counted from the beginning of the allocation.
    writer : Use or None
        Who wrote it last.
    readers : dict of int to Use
        Who has read it since: the last of each timeline, by its number.
    written : bool
        Whether anything was ever written there.
    """

    __slots__ = ("readers", "start", "stop", "writer", "written")

    def __init__(
        self, start: int, stop: int, writer: Use | None, readers: dict[int, Use], written: bool
    ) -> None:
        self.start = start
        self.stop = stop
        self.writer = writer
        self.readers = readers
        self.written = written

    def write(self, use: Use) -> None:
        """Remember a write; who accessed it before matters no more."""
        self.written = True
        self.writer = use
        self.readers = {}

    def part(self, start: int, stop: int) -> Segment:
        """Return a segment of which the same is known."""
        return Segment(start, stop, self.writer, dict(self.readers), self.written)


class Shadow:
    """What is known of an allocation.

    Parameters
    ----------
    address : int
        Where it begins.
    nbytes : int
        How long it is.
    what : str
        What it is, for messages.
    written : bool
        Whether it counts as written from the beginning.
    """

    __slots__ = ("_segments", "address", "allocated", "freed", "nbytes", "what")

    def __init__(self, address: int, nbytes: int, what: str, *, written: bool) -> None:
        self.address = address
        self.nbytes = nbytes
        self.what = what
        whole = Segment(0, nbytes, None, {}, written)
        #: where segments begin, and the segments; replaced as a whole
        self._segments: AtomicReference[tuple[list[int], list[Segment]]] = AtomicReference(
            ([0], [whole])
        )
        #: what allocated and freed it
        self.allocated: Operation | None = None
        self.freed: Operation | None = None

    @property
    def uses(self) -> Iterator[Use]:
        """All accesses that are remembered."""
        for segment in self._segments.load().value[1]:
            if segment.writer is not None:
                yield segment.writer
            yield from list(segment.readers.values())

    def segments(self, access: Access) -> list[Segment]:
        """Return the segments that an access consists of, divided where it begins and ends.

        A view with too many pieces has none.
        """
        if access.layout is None:
            start = access.address - self.address
            segments = self._segments.load().value[1]
            if len(segments) == 1 and access.nbytes == self.nbytes:
                return segments
            return self._cut(start, start + access.nbytes)
        return [segment for run in access.runs() for segment in self._cut(*run)]

    def write(self, segments: list[Segment], use: Use) -> None:
        """Remember a write of several segments, which may be one from now on; of none, if many."""
        if not segments:
            self.mark_written(use[1])
        elif use[1].layout is None:
            self._merge(segments, use)
        else:
            for segment in segments:
                segment.write(use)

    def copy_unwritten(self, source: list[Segment], shift: int) -> None:
        """Take over, from the segments of a copy's source, which bytes nothing wrote."""
        for segment in source:
            if not segment.written:
                for copied in self._cut(segment.start + shift, segment.stop + shift):
                    copied.written = False

    def mark_written(self, access: Access) -> None:
        """Note that bytes may be written by what is not seen."""
        start = access.address - self.address
        for segment in self._cut(start, start + access.nbytes):
            segment.written = True

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
            divided = [part for segment in found for part in _divide(segment, start, stop)]
            after = (
                [*starts[:first], *[part.start for part in divided], *starts[after_last:]],
                [*segments[:first], *divided, *segments[after_last:]],
            )
            if self._segments.compare_and_set(before, after):
                return [part for part in divided if start <= part.start < stop]

    def _merge(self, parts: list[Segment], use: Use) -> None:
        """Make one segment of several that lie side by side and are written."""
        start, stop = parts[0].start, parts[-1].stop
        merged = Segment(start, stop, use, {}, True)
        while True:
            before = self._segments.load()
            starts, segments = before.value
            first, after_last = bisect_left(starts, start), bisect_left(starts, stop)
            after = (
                [*starts[: first + 1], *starts[after_last:]],
                [*segments[:first], merged, *segments[after_last:]],
            )
            if self._segments.compare_and_set(before, after):
                return


def _divide(segment: Segment, start: int, stop: int) -> list[Segment]:
    """Return a segment in parts, divided where a range begins and ends."""
    cuts = [segment.start, *[at for at in (start, stop) if segment.start < at < segment.stop]]
    ends = [*cuts[1:], segment.stop]
    return [segment.part(a, b) for a, b in zip(cuts, ends, strict=True)]


def are_ordered(first: Operation, second: Operation) -> bool:
    """Tell whether one of two operations comes before the other."""
    # what a host function does may be seen after tasks that come after it were submitted
    return first.timeline is second.timeline or precedes(first, second) or precedes(second, first)
