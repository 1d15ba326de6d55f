"""Output files: regular files are replaced atomically, other files are written into.

And the folder for those that are made again if they are missing.
"""

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

from .errors import OptionError


def user_cache() -> Path:
    """Return the folder in the user's cache for files of this package; it may not exist."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ascendref"
    except RuntimeError:  # of Path.home
        raise OptionError("XDG_CACHE_HOME", "not set, and the user has no home folder") from None


def check_output(path: Path) -> None:
    """Raise OSError if it is already clear that a path cannot be written."""
    target = _file_to_replace(path)
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
    """Open a seekable temporary file; when the block ends without an error, write it to the path.

    A regular file is replaced atomically; permissions and symbolic links are kept. If the path
    leads to anything else (a FIFO, a device, an open stream), the content is copied into it.
    """
    target = _file_to_replace(path)
    if target is None:
        with tempfile.TemporaryFile() as content:
            yield content
            content.seek(0)
            with _open_to_write(path) as sink:
                shutil.copyfileobj(content, sink)
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
    """Tell whether a path leads to a FIFO, a device or an open stream, which is written into."""
    return _file_to_replace(path) is None


def is_stdout(path: Path) -> bool:
    """Tell whether a path leads to standard output."""
    with suppress(OSError):
        return _same(path.stat(), sys.stdout)
    return False


def _file_to_replace(path: Path) -> Path | None:
    """Return the regular file, existing or not, that a path leads to; else None."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return Path(os.path.realpath(path))
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "a folder; a file is expected")
    target = Path(os.path.realpath(path))
    # a link in /proc/self/fd leads to an open file even if no path does; and the file that this
    # process prints to must not be replaced
    if not stat.S_ISREG(status.st_mode) or not target.exists() or _stream(status) is not None:
        return None
    return target


def _check_access(path: Path) -> None:
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _open_to_write(path: Path) -> BinaryIO:
    """Open the existing file that a path leads to."""
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
        with suppress(OSError, ValueError):  # a stream that was replaced may have no descriptor
            return os.path.samestat(status, os.fstat(stream.fileno()))
    return False
