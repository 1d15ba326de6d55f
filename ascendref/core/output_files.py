"""Files are written as a whole or not at all; what is no regular file is written into."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO


def check_output(path: Path) -> None:
    """Raise OSError if a path cannot be written, as far as that shows before it is."""
    target = _replaced(path)
    if target is None:
        _check_access(path)
        return
    folder = target.parent if path.is_symlink() else path.parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"the folder {folder} does not exist")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, f"the folder {folder} cannot be written")
    if target.exists():
        _check_access(target)


@contextmanager
def output_file(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write, which can seek; where the block raises, nothing has been written.

    A regular file is replaced at the end in one step; it keeps its permissions, and symbolic links
    to it stay links. Into anything else (a FIFO, a device, a stream that is open already), all
    that was written is copied at the end.
    """
    target = _replaced(path)
    if target is None:
        with tempfile.TemporaryFile() as made:
            yield made
            made.seek(0)
            with _opened(path) as sink:
                shutil.copyfileobj(made, sink)
        return
    if target.exists():
        _check_access(target)
    # the same folder is the same file system, where os.replace is atomic
    partial = target.with_name(f".ascendref-{secrets.token_hex(8)}.partial")
    try:
        with partial.open("xb") as file:
            yield file
        if target.exists():
            shutil.copymode(target, partial)
        os.replace(partial, target)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def is_special(path: Path) -> bool:
    """Return whether a path leads to what is written into: a FIFO, a device, an open stream."""
    return _replaced(path) is None


def is_stdout(path: Path) -> bool:
    """Return whether what is written to a path goes where standard output goes."""
    with suppress(OSError):
        return _same(path.stat(), sys.stdout)
    return False


def _replaced(path: Path) -> Path | None:
    """Return the regular file that a path leads to, there or not; None for all else."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return Path(os.path.realpath(path))
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "a folder; a file is expected")
    target = Path(os.path.realpath(path))
    # a link of /proc/self/fd leads to what is open, even where no path does; and what this process
    # is printing to must not be replaced beneath it
    if not stat.S_ISREG(status.st_mode) or not target.exists() or _stream(status) is not None:
        return None
    return target


def _check_access(path: Path) -> None:
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _opened(path: Path) -> BinaryIO:
    """Open what is there, and create nothing."""
    stream = _stream(path.stat())
    if stream is not None:
        stream.flush()
        return os.fdopen(os.dup(stream.fileno()), "wb")
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_TRUNC), "wb")


def _stream(status: os.stat_result) -> IO[Any] | None:
    """Return the standard stream that writes to a file."""
    return next((s for s in (sys.stdout, sys.stderr) if _same(status, s)), None)


def _same(status: os.stat_result, stream: IO[Any] | None) -> bool:
    if stream is not None:
        with suppress(OSError, ValueError):  # what stands in for a stream has no descriptor
            return os.path.samestat(status, os.fstat(stream.fileno()))
    return False
