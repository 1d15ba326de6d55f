"""What is known of the bytes of an allocation: who wrote them last, who has read them since.

The bytes are divided into segments in which that is the same. A segment is split where an access
begins or ends inside of it. Accesses that come before a new one, and that nothing can race with
any more without racing with the new one too, are forgotten; so there are never more segments than
accesses, and a program that repeats itself needs no more of them than its first turn.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
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
        """Return begin and end of the pieces of memory, counted from the allocation's beginning."""
        assert self.shadow is not None
        start = self.address - self.shadow.address
        pieces = None if self.layout is None else _runs(*self.layout)
        if pieces is None:
            yield start, start + self.nbytes
        else:
            for low, high in pieces:
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


class Use(NamedTuple):
    """An access that a segment remembers."""

    operation: Operation
    access: Access


class Segment(NamedTuple):
    """Bytes of which the same is known."""

    #: where it ends
    stop: int
    writer: Use | None
    #: those that have read it since
    readers: tuple[Use, ...]
    #: whether anything was ever written there
    written: bool


class Segments(NamedTuple):
    """All segments of an allocation at one time; immutable."""

    starts: list[int]
    segments: list[Segment]

    def overlapping(self, start: int, stop: int) -> Iterator[Segment]:
        """Return the segments that have bytes in a range."""
        starts = self.starts
        for k in range(bisect_right(starts, start) - 1, len(starts)):
            if starts[k] >= stop:
                return
            yield self.segments[k]

    def replaced(self, start: int, stop: int, change: Callable[[Segment], Segment]) -> Segments:
        """Return the segments after a change of those in a range; one is split at its ends."""
        first = bisect_right(self.starts, start) - 1
        starts: list[int] = []
        segments: list[Segment] = []
        k = first
        while k < len(self.starts) and self.starts[k] < stop:
            begin, segment = self.starts[k], self.segments[k]
            if begin < start:
                starts.append(begin)
                segments.append(segment._replace(stop=start))
                begin = start
            end = min(segment.stop, stop)
            changed = change(segment)._replace(stop=end)
            if segments and segments[-1][1:] == changed[1:]:
                segments[-1] = changed  # what an access covers whole is one segment again
            else:
                starts.append(begin)
                segments.append(changed)
            if segment.stop > stop:
                starts.append(stop)
                segments.append(segment)
            k += 1
        return Segments(
            [*self.starts[:first], *starts, *self.starts[k:]],
            [*self.segments[:first], *segments, *self.segments[k:]],
        )


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
        segment = Segment(nbytes, None, (), written)
        self._segments = AtomicReference(Segments([0], [segment]))
        #: what allocated and freed it
        self.allocated: Operation | None = None
        self.freed: Operation | None = None

    @property
    def uses(self) -> Iterator[Use]:
        """All accesses that are remembered."""
        for segment in self._segments.load().value.segments:
            if segment.writer is not None:
                yield segment.writer
            yield from segment.readers

    def conflicts(self, operation: Operation, access: Access, *, write: bool) -> Iterator[Use]:
        """Return the earlier accesses that conflict with a new one and are not ordered with it."""
        if not access.is_exact:
            return
        now = self._segments.load().value
        for start, stop in access.runs():
            for segment in now.overlapping(start, stop):
                writer = segment.writer
                if writer is not None and not _are_ordered(writer.operation, operation):
                    yield writer
                if write:
                    for reader in segment.readers:
                        if not _are_ordered(reader.operation, operation):
                            yield reader

    def writers(self, access: Access) -> Iterator[Use]:
        """Return what wrote the bytes of an access."""
        now = self._segments.load().value
        for start, stop in access.runs():
            for segment in now.overlapping(start, stop):
                if segment.writer is not None:
                    yield segment.writer

    def unwritten(self, access: Access) -> tuple[int, int] | None:
        """Return the first run of bytes of an access that nothing wrote, if there is one."""
        if not access.is_exact:
            return None
        now = self._segments.load().value
        for start, stop in access.runs():
            for segment in now.overlapping(start, stop):
                if not segment.written:
                    k = now.segments.index(segment)
                    return max(start, now.starts[k]), min(stop, segment.stop)
        return None

    def read(self, operation: Operation, access: Access) -> None:
        """Remember a read."""
        if not access.is_exact:
            return
        use = Use(operation, access)

        def change(segment: Segment) -> Segment:
            later = [x for x in segment.readers if not precedes(x.operation, operation)]
            return segment._replace(readers=(*later, use))

        self._change(access, change)

    def write(self, operation: Operation, access: Access, source: Access | None = None) -> None:
        """Remember a write; one that copies bytes which nothing wrote leaves them so."""
        if not access.is_exact:
            self.mark_written(access)
            return
        use = Use(operation, access)

        def change(segment: Segment) -> Segment:
            return Segment(segment.stop, use, (), True)

        self._change(access, change)
        if source is not None and source.shadow is not None:
            shift = access.address - self.address
            for start, stop in source.shadow._unwritten_runs(source):
                self._replace(
                    shift + start, shift + stop, lambda segment: segment._replace(written=False)
                )

    def mark_written(self, access: Access) -> None:
        """Note that bytes may be written by what is not seen."""
        self._change(access, lambda segment: segment._replace(written=True))

    def _unwritten_runs(self, access: Access) -> list[tuple[int, int]]:
        """Return the bytes of an access that nothing wrote, counted from its first one."""
        now = self._segments.load().value
        begin = access.address - self.address
        runs = []
        for k in range(max(0, bisect_right(now.starts, begin) - 1), len(now.starts)):
            start = max(begin, now.starts[k])
            stop = min(begin + access.nbytes, now.segments[k].stop)
            if start < stop and not now.segments[k].written:
                runs.append((start - begin, stop - begin))
        return runs

    def _change(self, access: Access, change: Callable[[Segment], Segment]) -> None:
        for start, stop in access.runs():
            self._replace(start, stop, change)

    def _replace(self, start: int, stop: int, change: Callable[[Segment], Segment]) -> None:
        while True:
            before = self._segments.load()
            if self._segments.compare_and_set(before, before.value.replaced(start, stop, change)):
                return


def _are_ordered(first: Operation, second: Operation) -> bool:
    # what a host function does may be seen after tasks that come after it were submitted
    return precedes(first, second) or precedes(second, first)
