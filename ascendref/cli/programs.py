"""Programs named on the command line."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..core.errors import ArgumentValueError
from .outputs import reason


def check_program(argument: str, path: Path, *, executable: bool = False) -> None:
    """Raise ArgumentValueError unless a path leads to a program.

    Parameters
    ----------
    argument : str
        What the user passed the file to, for the message.
    path : Path
        The file.
    executable : bool, optional
        Whether the file itself is executed; else Python reads it.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        raise ArgumentValueError(argument, f"is {str(path)!r}, which is no file") from None
    except (OSError, ValueError) as error:
        raise ArgumentValueError(
            argument, f"is {str(path)!r}, which cannot be read: {reason(error)}"
        ) from error
    if not stat.S_ISREG(status.st_mode):
        raise ArgumentValueError(argument, f"is {str(path)!r}, which is no file")
    if executable and not os.access(path, os.X_OK):
        raise ArgumentValueError(
            argument,
            f"is {str(path)!r}; a Python program (.py) or one that can be executed is expected",
        )
    if not executable and not os.access(path, os.R_OK):
        raise ArgumentValueError(argument, f"is {str(path)!r}, which must not be read")


@contextmanager
def starting(argument: str) -> Iterator[None]:
    """Turn what hinders a program from being started into an error about an argument."""
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError for a NUL byte in what it is given
        raise ArgumentValueError(argument, f"cannot be run: {reason(error)}") from error
