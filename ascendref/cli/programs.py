"""Programs named on the command line."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..core.errors import OptionError
from .outputs import named, reason


def check_program(argument: str, path: Path, *, executable: bool = False) -> None:
    """Raise OptionError unless a path leads to a program, to be executed or for Python."""
    try:
        status = path.stat()
    except FileNotFoundError:
        raise OptionError(argument, f"no such file: {named(path)}") from None
    except (OSError, ValueError) as error:
        raise OptionError(argument, f"cannot read {named(path)}: {reason(error)}") from error
    if not stat.S_ISREG(status.st_mode):
        raise OptionError(argument, f"not a file: {named(path)}")
    if executable and not os.access(path, os.X_OK):
        problem = "is neither a Python program (.py) nor an executable file"
        raise OptionError(argument, f"{named(path)} {problem}")
    if not executable and not os.access(path, os.R_OK):
        raise OptionError(argument, f"cannot read {named(path)}: permission denied")


@contextmanager
def starting(argument: str) -> Iterator[None]:
    """Turn what hinders a program from being started into an error about an argument."""
    try:
        yield
    except OptionError:
        raise
    except (OSError, ValueError) as error:  # ValueError for a NUL byte in what it is given
        raise OptionError(argument, f"cannot be run: {reason(error)}") from error
