"""Short tracebacks: a program's own frames, without its runner's and its callees'."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Final

from .errors import AclError, ArgumentError

#: the environment variable that asks for short tracebacks, and its value
VARIABLE: Final = "ASCENDREF_TRACEBACK"
SHORT: Final = "short"
_PACKAGE: Final = str(Path(__file__).parents[1]) + os.sep


def shorten_tracebacks() -> None:
    """Have uncaught errors of this process printed short, if the environment asks for it."""
    if os.environ.get(VARIABLE) == SHORT and sys.excepthook is sys.__excepthook__:
        sys.excepthook = _print_short


def _print_short(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print an error, and those that it came from, with short tracebacks."""
    chain: list[BaseException] = [error]
    for link in chain:  # grows while it is read
        link.__traceback__ = _shortened(link)
        chain += [x for x in (link.__cause__, link.__context__) if x is not None and x not in chain]
    sys.__excepthook__(kind, error, error.__traceback__)


def _shortened(error: BaseException) -> TracebackType | None:
    """Return the part of a traceback that begins in the program.

    It ends there too if the error is one about a call of the program.
    """
    frames = []
    step = error.__traceback__
    while step is not None:
        frames.append(step)
        step = step.tb_next
    own = [frame for frame in frames if not _is_internal(frame)]
    if not own:  # a program that does not compile has no frame; other errors are ascendref's
        return None if isinstance(error, SyntaxError) else error.__traceback__
    if isinstance(error, AclError | ArgumentError):
        own[-1].tb_next = None
    return own[0]


def _is_internal(frame: TracebackType) -> bool:
    file = frame.tb_frame.f_code.co_filename
    return file.startswith((_PACKAGE, "<frozen "))
