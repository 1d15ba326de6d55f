"""Errors and warnings, and each thread's record of its last failures."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Iterable
from typing import Final, NoReturn, TypeVar

from .status import Status

E = TypeVar("E", bound="AclError")

#: most messages that are kept for a thread until it reads them
MESSAGES_KEPT: Final = 1000
#: most characters of a value that a message shows
SHOWN: Final = 200


def shown(value: object) -> str:
    """Return the ``repr`` of a value for a message, shortened, even where it raises."""
    try:
        text = repr(value)
    except Exception:  # an integer of thousands of digits, or the object's __repr__ raises
        return f"a {type(value).__name__} that cannot be shown"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def message_of(error: BaseException) -> str:
    """Return the text of an exception, even if its ``__str__`` raises."""
    try:
        return str(error)
    except BaseException as failure:
        return f"(its message raised {type(failure).__name__})"


def did_you_mean(name: str, names: Iterable[str], count: int = 1) -> str:
    """Return a question about the closest of some names, or nothing if none is close.

    It names up to ``count`` of them.

    Examples
    --------
    >>> from ascendref.core.errors import did_you_mean
    >>> did_you_mean("atlas a4", ["Atlas A2", "Atlas training"]), did_you_mean("x", ["Atlas A2"])
    ('did you mean Atlas A2? ', '')
    """
    from difflib import get_close_matches

    known = {each.casefold(): each for each in names}
    close = [known[each] for each in get_close_matches(name.casefold(), known, n=count)]
    return f"did you mean {' or '.join(close)}? " if close else ""


class ArgumentError(Exception):
    """Base of the errors about one argument of a call.

    Parameters
    ----------
    argument : str
        Name of the argument as the caller wrote it.
    problem : str
        Its value, and what is allowed.

    Attributes
    ----------
    argument : str
        Name of the offending argument.

    Examples
    --------
    >>> import ascendref as ar
    >>> raise ar.ArgumentValueError("beta", "is -1.0; it must be at least 0")
    Traceback (most recent call last):
    ...
    ascendref.core.errors.ArgumentValueError: beta is -1.0; it must be at least 0
    """

    def __init__(self, argument: str, problem: str) -> None:
        super().__init__(argument, problem)
        self.argument = argument
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.argument} {self.problem}"


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument has the wrong kind or an unsupported element type."""


class ArgumentValueError(ArgumentError, ValueError):
    """An argument has a wrong value or shape, or lies in unsuitable memory."""


class OptionError(ArgumentValueError):
    """An option or an argument of the command line has a value that it cannot have."""

    def __str__(self) -> str:
        return f"{self.argument}: {self.problem}"


class CacheWarning(UserWarning):
    """Compiled kernels cannot be saved to disk, so every process compiles its own."""


class LostWorkWarning(RuntimeWarning):
    """Queued work never ran, or its error was never reported, because nothing waited for it."""


class AclError(Exception):
    """A failure that the vendor's API reports with a status code.

    Parameters
    ----------
    status : Status or int
        The vendor's code.
    message : str
        The argument or object that caused it, its value, and what is allowed.

    Attributes
    ----------
    status : Status
        The vendor's code; an ``int`` too.
    name : str
        The code's name in the vendor's headers.
    message : str
        What happened, without the code.

    Examples
    --------
    >>> import ascendref as ar
    >>> try:
    ...     ar.Device("Atlas A2").malloc(0)
    ... except ar.AclError as error:
    ...     print(error.status == 100000, error.name)
    True ACL_ERROR_INVALID_PARAM
    """

    def __init__(self, status: Status | int, message: str) -> None:
        super().__init__(status, message)
        self.status = Status(status)
        self.message = message

    @property
    def name(self) -> str:
        """The code's name in the vendor's headers."""
        return self.status.name

    def __str__(self) -> str:
        return f"{self.status.name} ({int(self.status)}): {self.message}"


class AclArgumentError(AclError, ArgumentValueError):
    """An argument of a device call has an invalid value.

    It carries the vendor's code and the argument's name. It is also a ``ValueError``.

    Parameters
    ----------
    status : Status or int
        The vendor's code.
    argument : str
        Name of the argument as the caller wrote it.
    problem : str
        Its value, and what is allowed.

    Examples
    --------
    >>> import ascendref as ar
    >>> try:
    ...     ar.Device("Atlas A2", memory=0)
    ... except ValueError as error:
    ...     print(error.argument, int(error.status))
    memory 100000
    """

    def __init__(self, status: Status | int, argument: str, problem: str) -> None:
        super().__init__(status, f"{argument} {problem}")
        self.argument = argument
        self.problem = problem
        self.args = status, argument, problem  # for copying and pickling


class _ThreadState(threading.local):
    """The last failures of a thread."""

    def __init__(self) -> None:
        self.last = Status.ACL_SUCCESS
        self.messages: deque[tuple[str, str]] = deque(maxlen=MESSAGES_KEPT)


_state = _ThreadState()

#: a status code or its first three digits -> title and code of the message
_TITLES: Final = {
    "100": "Invalid_Argument(EH0001)",
    "107": "Invalid_Argument(EE1001)",
    "107003": "Execution_Error_Invalid_Context(EE1010)",
    "161": "AclNN_Parameter_Error(EZ1001)",
    "207000": "Not_Supported(EE1016)",
    "207001": "Memory_Allocation_Failure(EL0004)",
    "361": "AclNN_Runtime_Error(EZ9903)",
    "507046": "Execution_Error_Stream_Synchronize_Timeout(EE1002)",
    "507047": "Execution_Error_Stream_Synchronize_Timeout(EE1002)",
    "561": "AclNN_Inner_Error(EZ9999)",
}
#: first three digits of the runtime's codes; only the runtime's failures set the last error
_RUNTIME: Final = (107, 207, 507)


def fail(status: Status, message: str, cause: BaseException | None = None) -> NoReturn:
    """Raise an AclError and record it for the calling thread."""
    raise recorded(AclError(status, message)) from cause


def fail_argument(status: Status, argument: str, problem: str) -> NoReturn:
    """Raise an AclArgumentError and record it for the calling thread."""
    raise recorded(AclArgumentError(status, argument, problem))


def recorded(error: E) -> E:
    """Record a failure for the calling thread, which is about to raise or return it.

    `get_last_error` and `recent_error_message` return it, once even if it is recorded twice.
    """
    status, message = error.status, error.message
    if status // 1000 in _RUNTIME:
        _state.last = status
    digits = str(int(status))
    title = _TITLES.get(digits) or _TITLES.get(digits[:3], "Inner_Error(EE9999)")
    now = time.time()
    stamp = time.strftime("%Y-%m-%d-%H:%M:%S", time.localtime(now))
    micros = int(now * 1e6) % 1_000_000
    if all(message != text for _, text in list(_state.messages)):
        head = f"[PID: {os.getpid()}] {stamp}.{micros // 1000:03}.{micros % 1000:03} {title}: "
        _state.messages.appendleft((head, message))
    return error


def peek_at_last_error() -> Status:
    """Return the calling thread's last failure of the runtime.

    The runtime's codes are 107xxx, 207xxx and 507xxx. Failures of the layer above it, such as
    100000, are not recorded, and calls that succeed do not clear the record.

    Returns
    -------
    Status
        ``ACL_SUCCESS`` if nothing failed.

    Examples
    --------
    >>> import ascendref as ar
    >>> _ = ar.get_last_error()
    >>> ar.peek_at_last_error().name
    'ACL_SUCCESS'
    """
    return _state.last


def get_last_error() -> Status:
    """Return the calling thread's last failure of the runtime and clear it.

    Returns
    -------
    Status
        As returned by `peek_at_last_error`.

    Examples
    --------
    >>> import ascendref as ar
    >>> try:
    ...     ar.Device("Atlas A2").free(4096)
    ... except ar.AclError:
    ...     ar.get_last_error().name, ar.get_last_error().name
    ('ACL_ERROR_RT_PARAM_INVALID', 'ACL_SUCCESS')
    """
    last = _state.last
    _state.last = Status.ACL_SUCCESS
    return last


def recent_error_message() -> str | None:
    """Return the calling thread's failure messages, newest first, and clear them.

    Every `AclError` that a call raises, including `HazardError`, leaves a message. Errors without a
    code, such as `ArgumentTypeError`, do not.

    Returns
    -------
    str or None
        One line per failure with process, time, title, code and message (several lines for a
        hazard); None if there is none. Equal messages are kept once, and at most ``MESSAGES_KEPT``
        messages, the newest.

    Examples
    --------
    >>> import ascendref as ar
    >>> _ = ar.recent_error_message()
    >>> try:
    ...     ar.Device("Atlas A2").malloc(0)
    ... except ar.AclError:
    ...     "Invalid_Argument(EH0001)" in ar.recent_error_message(), ar.recent_error_message()
    (True, None)
    """
    text = "\n".join(head + message for head, message in list(_state.messages))
    _state.messages.clear()
    return text or None
