"""Accesses of pinned memory through an array, which no call reports.

The bytes of pinned memory that a queued copy reads or writes are compared by checksums: those that
it reads, as they were when it was queued and when the host waits for it; those that it writes,
besides, from when it was queued until it begins, and from when it ends until the host waits. Bytes
that anything else may rightly write meanwhile are left out.
"""

from collections.abc import Callable
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from .ordering import Clock, Operation, is_reached
from .shadow import Shadow, Span, Use


class _Piece(NamedTuple):
    """Some bytes as they were."""

    start: int
    stop: int
    #: who had written them
    writer: Use | None
    checksum: int


class PinnedCopy:
    """A queued copy that reads or ``writes`` pinned bytes, which are watched.

    ``content`` is the whole allocation; what tasks write that are not ``known`` to be done is left
    out.
    """

    def __init__(
        self, shadow: Shadow, span: Span, content: NDArray[np.uint8], *, writes: bool, known: Clock
    ) -> None:
        self.shadow = shadow
        self.span = span
        self.writes = writes
        self._content = content
        self._before = [
            _Piece(x.start, x.stop, x.writer, self._checksum((x.start, x.stop)))
            for x in shadow.segments(span)
            if x.writer is None or is_reached(x.writer[0], known)
        ]
        self._after: int | None = None
        #: the task, once it is queued
        self.operation: Operation | None = None
        self.changed = False

    def watched(self, copy: Callable[[], None]) -> Callable[[], None]:
        """Return a function that copies, and looks at the bytes that it writes."""
        if not self.writes:
            return copy

        def run() -> None:
            for piece in self._before:
                self.changed = self.changed or self._checksum(piece[:2]) != piece.checksum
            copy()
            self._after = self._checksum(self._range)

        return run

    def compare(self) -> bool:
        """Tell whether the program changed the bytes by the time that the copy is known as done."""
        segments = self.shadow.segments(self.span)
        if not self.writes:
            for piece in self._before:
                writers = [
                    x.writer for x in segments if piece.start < x.stop and x.start < piece.stop
                ]
                if all(writer is piece.writer for writer in writers):
                    self.changed = self.changed or self._checksum(piece[:2]) != piece.checksum
        elif self._after is not None and all(
            x.writer is not None and x.writer[0] is self.operation for x in segments
        ):
            self.changed = self.changed or self._checksum(self._range) != self._after
        return self.changed

    @property
    def _range(self) -> tuple[int, int]:
        return self.span.start, self.span.start + self.span.nbytes

    def _checksum(self, place: tuple[int, int]) -> int:
        return crc32(self._content[slice(*place)].data)
