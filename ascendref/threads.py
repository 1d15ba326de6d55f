"""How many threads a call may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from operator import index
from typing import Any, Final

from .errors import ArgumentTypeError, ArgumentValueError
from .forks import imported

#: environment variable with the number that a process starts with
VARIABLE: Final = "ASCENDREF_NUM_THREADS"


def _checked(argument: str, count: Any) -> int:
    try:
        number = index(count)
    except TypeError:
        raise ArgumentTypeError(argument, f"is {count!r}; an integer is expected") from None
    if number < 1:
        raise ArgumentValueError(argument, f"is {number}; at least 1 is expected")
    return number


def _from_environment() -> int | None:
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    try:
        return _checked(VARIABLE, int(text))
    except ValueError:
        raise ArgumentValueError(
            VARIABLE, f"is {text!r}; an integer of at least 1 is expected"
        ) from None


class _Limit:
    """The number that was asked for; None for all that there are."""

    def __init__(self) -> None:
        self.count = _from_environment()


_LIMIT: Final = _Limit()


def limited(most: int) -> int:
    """Return how many of so many threads may be used."""
    count = _LIMIT.count
    return most if count is None or count > most else count


def get_num_threads() -> int:
    """Return how many threads a call on many elements shares its work among, at most.

    It is what was asked for with `set_num_threads` or, at the start of the process, with the
    environment variable ``ASCENDREF_NUM_THREADS``, but not more than Numba has
    (``NUMBA_NUM_THREADS``, which is the number of cores unless it is set).

    Returns
    -------
    int
        At least 1.

    Examples
    --------
    >>> import ascendref as ar
    >>> ar.get_num_threads() >= 1
    True
    """
    return limited(imported("numba").config.NUMBA_NUM_THREADS)


def set_num_threads(count: int) -> None:
    """Set how many threads a call may share its work among, in the whole process.

    The bits of results do not depend on it. A call uses fewer where it has not work for so many;
    with 1, or on few elements, it runs in the thread that makes it. A number beyond Numba's
    (``NUMBA_NUM_THREADS``) means all of those.

    Parameters
    ----------
    count : int
        At least 1.

    Raises
    ------
    ArgumentTypeError
        If it is no integer.
    ArgumentValueError
        If it is below 1.

    Examples
    --------
    >>> import ascendref as ar
    >>> before = ar.get_num_threads()
    >>> ar.set_num_threads(1)
    >>> ar.get_num_threads()
    1
    >>> ar.set_num_threads(before)
    """
    _LIMIT.count = _checked("count", count)


@contextmanager
def num_threads(count: int) -> Iterator[None]:
    """Use another number of threads for the calls inside, in the whole process.

    Parameters
    ----------
    count : int
        At least 1.

    Raises
    ------
    ArgumentTypeError
        If it is no integer.
    ArgumentValueError
        If it is below 1.

    Examples
    --------
    >>> import ascendref as ar
    >>> with ar.num_threads(1):
    ...     ar.get_num_threads()
    1
    """
    before = _LIMIT.count
    set_num_threads(count)
    try:
        yield
    finally:
        _LIMIT.count = before
