"""Standard output and standard error, guarded: what cannot be written is one error.

A pipe whose reader has gone is no error: the command ends without a message.
"""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from ..core.errors import OptionError


class ReaderGoneError(Exception):
    """The reader of standard output has closed it, as ``head`` does."""


class _Raw(io.FileIO):
    """A standard stream; what it cannot take is reported once, and the rest is dropped."""

    def __init__(self, descriptor: int, name: str | None) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._reported_as = name
        self._failed = False

    def write(self, data: Any) -> int:
        """Write; an error is one about the stream, and none where nobody can be told."""
        if not self._failed:
            try:
                written = super().write(data)
                if written is None:
                    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
                return written
            except OSError as error:
                self._failed = True
                if self._reported_as is not None:
                    if isinstance(error, BrokenPipeError):
                        raise ReaderGoneError from error
                    raise OptionError(
                        self._reported_as, f"cannot be written: {error.strerror}"
                    ) from error
        return len(data)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Print for a while to streams that degrade what they cannot encode, and report failure.

    A write to standard output that fails raises OptionError, or ReaderGoneError.
    """
    before = sys.stdout, sys.stderr
    # without stderr, print(file=None) would write to stdout
    sys.stderr = io.StringIO() if sys.stderr is None else _guarded(sys.stderr, None)
    if sys.stdout is not None:
        sys.stdout = _guarded(sys.stdout, "stdout")
    try:
        yield
    finally:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            with suppress(OptionError, ReaderGoneError):
                stream.flush()
        sys.stdout, sys.stderr = before


def _guarded(stream: TextIO, name: str | None) -> TextIO:
    try:
        raw = _Raw(stream.fileno(), name)
    except (OSError, ValueError):  # what stands in for a stream has no descriptor
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=name is None or stream.isatty(),
    )
