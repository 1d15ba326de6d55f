"""The connection of the C library to Python at its start: a Python function for each C function."""

import atexit
import ctypes
import gc
import re
import sys
from collections import ChainMap
from collections.abc import Callable
from typing import Any, Final

from ...core import errors
from ...core.status import Status
from ...device.check_output import exit_status
from ...device.checker.callers import add_machine_caller
from ...device.scheduling.worker_threads import workers
from ...device.trace import write_chrome
from ..source import digest, python_functions
from . import (
    arithmetic,
    graphs,
    lifecycle,
    memory,
    operators,
    resources,
    sharing,
    streams,
    virtual_memory,
)
from .process import process

#: the modules with the functions that belong to no operator
_MODULES: Final = (
    arithmetic, graphs, lifecycle, memory, operators, resources, sharing, streams, virtual_memory,
)  # fmt: skip

#: new objects from which the garbage collector looks for cycles; few calls leave any
_COLLECTED_FROM: Final = 20_000
#: the type of ``ascendref_spin`` in ``native.h``; without the GIL
_SPIN: Final = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


def implementations() -> dict[str, Callable[..., Any]]:
    """Return the Python functions by their names in C."""
    defined = ChainMap(*map(vars, _MODULES))
    functions = operators.operator_functions()
    return functions | {x: defined[x] for x in python_functions() if x not in functions}


def connect(names: str, made_from: str, *numbers: int) -> tuple[Callable[..., Any], ...]:
    """Return the functions for a library's names, then those that the library itself uses.

    The names are in the order of the library's table, with commas. ``made_from`` is the digest of
    that table; libraries of other versions may give other numbers. They are the addresses of the
    function that returns the call in which the thread is, and of the loop of short waits; and
    whether the library started Python, so that nothing interrupts Python code.
    """
    if made_from != digest():
        problem = "was built by another version of ascendref; run `ascendref cann` again"
        raise errors.ArgumentValueError("the library", problem)
    find_place, spin, started_here = numbers
    # called with the GIL held
    find = ctypes.PYFUNCTYPE(ctypes.POINTER(_Place))(find_place)
    add_machine_caller(lambda: _call(find()))
    workers.spinner.loop = _SPIN(spin)
    if started_here:  # this Python runs nothing but the library
        workers.lends_turns = True
        gc.freeze()
        gc.set_threshold(_COLLECTED_FROM)
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
    """Return a C function and the frames of the program that called it."""
    if not place:
        return None
    found = place.contents
    return found.function.decode(), tuple(found.frames[: found.count])


def status_of(function: bytes, error: BaseException) -> int:
    """Return the status for an exception of a function, recorded for the calling thread."""
    if not isinstance(error, errors.AclError):
        text = f"{function.decode()} failed: {type(error).__name__}: {errors.message_of(error)}"
        error = errors.AclError(Status.ACL_ERROR_INTERNAL_ERROR, text)
    if process.forgets_failures:
        errors.get_last_error()
        errors.recent_error_message()
    # recorded wherever it was raised, so that the caller finds its message
    return int(errors.recorded(error).status)


def refuse(status: int, message: bytes) -> None:
    """Record and raise a failure detected in C."""
    errors.fail(Status(status), message.decode(errors="replace"))


def messages() -> str | None:
    """Return the thread's messages in the words of C, newest first, and clear them."""
    text = errors.recent_error_message()
    if text is None:
        return None
    # file names may contain bytes that are not text
    text = text.encode(errors="backslashreplace").decode()
    return _ANY.sub(lambda found: _WORDS[(found.lastindex or 0) - 1][1], text)


#: pattern in the messages of other subpackages -> the words of C; the first match
_WORDS: Final = (
    (r"\bis None\b", "is NULL"),
    (r"\bmust be None\b", "must be NULL"),
    (r", or -1 or None to wait", ", or -1 to wait"),
    (r"\bDevice\.malloc\(workspaceSize\)", "aclrtMalloc"),
    (r"\bDevice\.malloc or Device\.empty\b", "aclrtMalloc"),
    (r"\b(?:Stream\.)?subscribe_report\b", "aclrtSubscribeReport"),
    (r"\bunsubscribe_report\b", "aclrtUnSubscribeReport"),
    (r"\blaunch_callback\b", "aclrtLaunchCallback"),
    (r"\bbegin_capture\b", "aclmdlRICaptureBegin"),
    (r"\bset_repeatable\b", "aclSetAclOpExecutorRepeatable"),
    (r"\bset_tensor_address\b", "aclSetTensorAddr"),
    (r"\bcreate a new Device in the child\b", "call aclrtSetDevice in the child"),
    (r"\bcreate a new Device\b", "reset the device"),
    (r"\bnbytes is\b", "size is"),
    (r"\bmust be a Tensor\b", "must be an aclTensor"),
)
_ANY: Final = re.compile("|".join(f"({pattern})" for pattern, _ in _WORDS))


def find_leaks() -> None:
    """Let the checker collect memory that the program has not freed at its end."""
    for slot in process.slots:
        process.find_leaks(slot)


def write_trace(path: str) -> None:
    devices = [slot.device for slot in process.slots if slot.device is not None]
    devices = [*process.replaced, *devices]
    try:
        write_chrome(path, [device.trace() for device in devices])
    except OSError as error:
        print(f"ascendref: ASCENDREF_TRACE cannot be written: {error}", file=sys.stderr)


def at_exit() -> int:
    """Run Python's exit functions; return an exit status for the process, or 0 to keep its own."""
    atexit._run_exitfuncs()
    sys.stderr.flush()
    return exit_status()
