"""Errors and warnings, and what a thread can ask about its last failures."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Iterable
from typing import Final, NoReturn

from .status import Status

__all__ = [
    "AclArgumentError",
    "AclError",
    "ArgumentError",
    "ArgumentTypeError",
    "ArgumentValueError",
    "CacheWarning",
    "LostWorkWarning",
    "OptionError",
    "did_you_mean",
    "fail",
    "fail_argument",
    "get_last_error",
    "peek_at_last_error",
    "recent_error_message",
    "shown",
]

#: messages that are kept for a thread until it asks for them
MESSAGES_KEPT: Final = 1000
#: characters of a value that a message shows at most
SHOWN: Final = 200


def shown(value: object) -> str:
    """Return the ``repr`` of a value for a message, shortened, even where it raises.

    Examples
    --------
    >>> from ascendref.core.errors import shown
    >>> shown("mean"), shown(10**5000)
    ("'mean'", 'a int that cannot be shown')
    """
    try:
        text = repr(value)
    except Exception:  # an integer of thousands of digits, or the object's own fault
        return f"a {type(value).__name__} that cannot be shown"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a question about the closest of some names, or nothing if none is close.

    Examples
    --------
    >>> from ascendref.core.errors import did_you_mean
    >>> did_you_mean("atlas a4", ["Atlas A2", "Atlas training"]), did_you_mean("x", ["Atlas A2"])
    ('did you mean Atlas A2? ', '')
    """
    from difflib import get_close_matches

    known = {each.casefold(): each for each in names}
    return "".join(
        f"did you mean {known[close]}? " for close in get_close_matches(name.casefold(), known, n=1)
    )


class ArgumentError(Exception):
    """Base of the errors about one argument of a call.

    Parameters
    ----------
    argument : str
        Name of the argument as the caller wrote it.
    problem : str
        What its value was and what is allowed.

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
    """An argument has a kind or an element type that the operator does not take."""


class ArgumentValueError(ArgumentError, ValueError):
    """An argument has a value, a shape or a place in memory that the operator does not take."""


class OptionError(ArgumentValueError):
    """An option or an argument of the command line has a value that it cannot have."""

    def __str__(self) -> str:
        return f"{self.argument}: {self.problem}"


class CacheWarning(UserWarning):
    """Compiled kernels cannot be kept on disk, so every process compiles its own."""


class LostWorkWarning(RuntimeWarning):
    """Queued work never ran, or an error of it was never seen, because nothing waited for it."""


class AclError(Exception):
    """A failure that the vendor's API reports with a status code.

    Parameters
    ----------
    status : Status or int
        The vendor's code.
    message : str
        Which argument or object caused it, what it was and what is allowed.

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
    """An argument of a call to the device has an impossible value.

    It has the vendor's code and names the argument, and Python programs may catch it as the
    ``ValueError`` that it is.

    Parameters
    ----------
    status : Status or int
        The vendor's code.
    argument : str
        Name of the argument as the caller wrote it.
    problem : str
        What its value was and what is allowed.

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
        self.args = status, argument, problem  # the arguments with which it is copied and pickled


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
#: first three digits of the runtime's codes; failures of other layers do not set the last error
_RUNTIME: Final = (107, 207, 507)


def fail(status: Status, message: str, cause: BaseException | None = None) -> NoReturn:
    """Raise an AclError and record it for the calling thread."""
    _record(status, message)
    raise AclError(status, message) from cause


def fail_argument(status: Status, argument: str, problem: str) -> NoReturn:
    """Raise an AclArgumentError and record it for the calling thread."""
    _record(status, f"{argument} {problem}")
    raise AclArgumentError(status, argument, problem)


def _record(status: Status, message: str) -> None:
    """Record a failure for `get_last_error` and `recent_error_message`."""
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


def peek_at_last_error() -> Status:
    """Return the calling thread's last failure of the runtime.

    Codes of the runtime are 107xxx, 207xxx and 507xxx. Failures of the layer above it, such as
    100000, do not set it, and calls that succeed do not clear it.

    Returns
    -------
    Status
        ``ACL_SUCCESS`` where nothing failed.

    Examples
    --------
    >>> import ascendref as ar
    >>> _ = ar.get_last_error()
    >>> ar.peek_at_last_error().name
    'ACL_SUCCESS'
    """
    return _state.last


def get_last_error() -> Status:
    """Return the calling thread's last failure of the runtime and forget it.

    Returns
    -------
    Status
        As `peek_at_last_error` gives it.

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
    """Return the calling thread's failure messages, newest first, and forget them.

    Returns
    -------
    str or None
        One line per failure with process, time, title and code; None where there is none. Equal
        messages are kept once, and the oldest are dropped past ``MESSAGES_KEPT``.

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
