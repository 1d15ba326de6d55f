"""What all commands say in the same way: errors, JSON, progress; and the streams it goes to."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import (
    AbstractContextManager,
    contextmanager,
    nullcontext,
    redirect_stdout,
    suppress,
)
from pathlib import Path
from typing import Any, Final, TextIO

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from ..core.errors import ArgumentError, ArgumentValueError
from ..core.output_files import is_stdout

#: exit status of a command that found a difference
DIFFERENCE: Final = 1
#: exit status of a bad call
BAD_CALL: Final = 2


def complain(message: object) -> None:
    """Print one line about a bad call, whatever the message quotes."""
    text = "".join(
        char if char.isprintable() else f"\\x{ord(char):02x}"
        for char in " ".join(str(message).split())
    )
    print("ascendref:", text, file=sys.stderr)


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
                    raise ArgumentValueError(
                        self._reported_as, f"cannot be written: {error.strerror}"
                    ) from error
        return len(data)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Print for a while to streams that degrade what they cannot encode, and report failure.

    A write to standard output that fails raises ArgumentValueError.
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
            with suppress(ArgumentError):
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


def beside(*outputs: Path | None) -> AbstractContextManager[Any]:
    """Print to stderr for a while if an output is sent to where stdout goes."""
    if any(output is not None and is_stdout(output) for output in outputs):
        return redirect_stdout(sys.stderr)
    return nullcontext()


@contextmanager
def bad_calls() -> Iterator[None]:
    """Turn errors about an argument into one line on stderr and exit status 2."""
    try:
        yield
    except ArgumentError as error:
        complain(error)
        raise typer.Exit(BAD_CALL) from None
    except MemoryError as error:
        complain(f"there is not enough memory: {error}")
        raise typer.Exit(BAD_CALL) from None


def print_json(value: Mapping[str, Any] | list[Any]) -> None:
    """Print a value for programs; NaN and infinities are not JSON and are refused."""
    print(json.dumps(value, indent=2, allow_nan=False))


def progress(*, thread: bool = True, long: bool = False) -> Progress:
    """Return a progress bar on stderr that vanishes at the end and is silent in pipes.

    Parameters
    ----------
    thread : bool
        Whether a thread redraws the bar; without one nothing runs beside what is being timed.
    long : bool
        Whether the time left is worth more than the number of steps.
    """
    steps = (TaskProgressColumn(), TimeRemainingColumn()) if long else (MofNCompleteColumn(),)
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *steps,
        TimeElapsedColumn(),
        console=console,
        transient=True,
        auto_refresh=thread,
        disable=not console.is_terminal,
    )
