"""What the C library gets from Python when it starts: a function for each of its own."""

from __future__ import annotations

import atexit
import ctypes
import sys
from collections.abc import Callable
from typing import Any

from ...core.errors import (
    AclError,
    ArgumentValueError,
    fail,
    message_of,
    recent_error_message,
    recorded,
)
from ...core.status import Status
from ...device.check_output import exit_status
from ...device.checker.callers import add_machine_caller
from ...device.trace import write_chrome
from ..source import digest, python_functions
from . import (
    arithmetic,
    events,
    lifecycle,
    memory,
    notifies,
    operators,
    peers,
    queries,
    resources,
    sharing,
    streams,
    virtual_memory,
)
from .process import process


def implementations() -> dict[str, Callable[..., Any]]:
    """Return the functions of Python by the names in C."""
    modules = (
        lifecycle,
        memory,
        streams,
        events,
        operators,
        resources,
        arithmetic,
        notifies,
        peers,
        queries,
        virtual_memory,
        sharing,
    )
    found = operators.operator_functions()
    for name in python_functions():
        for module in modules:
            if name not in found and hasattr(module, name):
                found[name] = getattr(module, name)
    return found


def connect(names: str, made_from: str, find_place: int) -> tuple[Callable[..., Any], ...]:
    """Return the functions for the names of a library, then those that it uses itself.

    Parameters
    ----------
    names : str
        The names in the order of the library's table, with commas.
    made_from : str
        Digest of the table that the library was made from.
    find_place : int
        Address of the library's function that tells which call the thread is in.
    """
    if made_from != digest():
        raise ArgumentValueError(
            "the library", "was made by another version of ascendref; run `ascendref cann` again"
        )
    # called with the interpreter's lock held
    find = ctypes.PYFUNCTYPE(ctypes.POINTER(_Place))(find_place)
    add_machine_caller(lambda: _call(find()))
    found = implementations()
    atexit.register(find_leaks)
    if process.settings.trace:
        atexit.register(write_trace, process.settings.trace)
    return (
        *[found[name] for name in names.split(",")],
        status_of,
        refuse,
        operators.make_tensor,
        operators.move_tensor,
        operators.make_scalar,
        messages,
        at_exit,
    )


class _Place(ctypes.Structure):
    """The beginning of ``struct place`` in ``native.h``."""

    _fields_ = (
        ("function", ctypes.c_char_p),
        ("count", ctypes.c_int64),
        ("frames", ctypes.c_void_p * 8),
    )


def _call(place: Any) -> tuple[str, tuple[int, ...]] | None:
    """Return a function of C and the frames of the program that called it."""
    if not place:
        return None
    found = place.contents
    return found.function.decode(), tuple(found.frames[: found.count])


def status_of(function: bytes, error: BaseException) -> int:
    """Return the code for what a function raised, recorded for the calling thread."""
    if not isinstance(error, AclError):
        text = f"{function.decode()} failed: {type(error).__name__}: {message_of(error)}"
        error = AclError(Status.ACL_ERROR_INTERNAL_ERROR, text)
    # whatever raised it, and on whichever thread: the caller finds its text
    return int(recorded(error).status)


def refuse(status: int, message: bytes) -> None:
    """Record and raise a failure that C found."""
    fail(Status(status), message.decode(errors="replace"))


def messages() -> str | None:
    """Return the thread's messages, newest first, and forget them."""
    text = recent_error_message()
    # names of files may have bytes that are no text
    return None if text is None else text.encode(errors="backslashreplace").decode()


def find_leaks() -> None:
    """Have the checker keep what the program did not free before its end."""
    for slot in process.slots:
        process.find_leaks(slot)


def write_trace(path: str) -> None:
    """Write what the devices did."""
    devices = [slot.device for slot in process.slots if slot.device is not None]
    try:
        write_chrome(path, [device.trace() for device in devices])
    except OSError as error:
        print(f"ascendref: ASCENDREF_TRACE cannot be written: {error}", file=sys.stderr)


def at_exit() -> int:
    """Run what Python runs at the end of a process, for Python itself does not end here.

    Returns
    -------
    int
        The status with which the process is to end instead of its own; 0 for its own.
    """
    atexit._run_exitfuncs()
    sys.stderr.flush()
    return exit_status()
