"""What the C library gets from Python when it starts: a function for each of its own."""

from __future__ import annotations

import atexit
import ctypes
import sys
from collections.abc import Callable
from typing import Any

from ...core.errors import AclError, ArgumentValueError, fail
from ...core.status import Status
from ...device.checker.callers import add_machine_caller
from ...device.trace import write_chrome
from ..source import digest, python_functions
from . import events, lifecycle, memory, operators, queries, streams
from .process import process


def implementations() -> dict[str, Callable[..., Any]]:
    """Return the functions of Python by the names in C."""
    modules = (lifecycle, queries, memory, streams, events, operators)
    found = operators.operator_functions()
    for name in python_functions():
        for module in modules:
            if name not in found and hasattr(module, name):
                found[name] = getattr(module, name)
    return found


def connect(names: str, made_from: str, find_caller: int) -> tuple[Callable[..., Any], ...]:
    """Return the functions for the names of a library, then those that it uses itself.

    Parameters
    ----------
    names : str
        The names in the order of the library's table, with commas.
    made_from : str
        Digest of the table that the library was made from.
    find_caller : int
        Address of the library's function that tells where the thread's call came from.
    """
    if made_from != digest():
        raise ArgumentValueError(
            "the library", "was made by another version of ascendref; run `ascendref cann` again"
        )
    # called with the interpreter's lock held
    find = ctypes.PYFUNCTYPE(ctypes.c_void_p)(find_caller)
    add_machine_caller(lambda: find() or 0)
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
        at_exit,
    )


def status_of(function: bytes, error: BaseException) -> int:
    """Return the code for what a function raised, recorded for the calling thread."""
    if isinstance(error, AclError):
        return int(error.status)
    try:
        text = f"{function.decode()} failed: {type(error).__name__}: {error}"
        fail(Status.ACL_ERROR_INTERNAL_ERROR, text, error)
    except AclError:
        return int(Status.ACL_ERROR_INTERNAL_ERROR)


def refuse(status: int, message: bytes) -> None:
    """Record and raise a failure that C found."""
    fail(Status(status), message.decode(errors="replace"))


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


def at_exit() -> None:
    """Run what Python runs at the end of a process, for Python itself does not end here."""
    atexit._run_exitfuncs()
    sys.stderr.flush()
