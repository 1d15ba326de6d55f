"""The number of threads that a call may use."""

from __future__ import annotations

import ctypes
import os
import sys
from array import array
from operator import index
from typing import Any, Final

from .errors import ArgumentTypeError, ArgumentValueError, shown
from .fork_safety import import_to_end
from .scopes import Scope

#: fewest elements per thread for which starting it pays (measured: see benchmarks/)
ELEMENTS_PER_THREAD: Final = 16 * 1024
#: elements from which work is parallel
PARALLEL_FROM: Final = 2 * ELEMENTS_PER_THREAD
#: environment variable that sets the number when the process starts, and the one that does so for
#: many libraries, which dask sets for its workers
VARIABLE: Final = "ASCENDREF_NUM_THREADS"
COMMON_VARIABLE: Final = "OMP_NUM_THREADS"


def _checked(argument: str, count: Any) -> int:
    try:
        number = index(count)
    except Exception as error:  # a TypeError, or the object's own
        raise ArgumentTypeError(argument, f"is {shown(count)}; an integer is expected") from error
    if number < 1:
        raise ArgumentValueError(argument, f"is {shown(number)}; at least 1 is expected")
    return number


def _from_environment() -> int | None:
    text = os.environ.get(VARIABLE)
    if not text:
        return _from_common_variable()
    try:
        return _checked(VARIABLE, int(text))
    except ValueError:
        raise ArgumentValueError(
            VARIABLE, f"is {text!r}; an integer of at least 1 is expected"
        ) from None


def _from_common_variable() -> int | None:
    """Return the number for the outermost parallel loop; what OpenMP does not allow is ignored."""
    first = os.environ.get(COMMON_VARIABLE, "").split(",")[0].strip()
    return int(first) if first.isdecimal() and int(first) > 0 else None


#: more threads than any machine has
_ALL: Final = 2**31
#: in memory that kernels read: the number that was set, and the address of PyTorch's function for
#: its number, 0 if it is not loaded
_LIMIT: Final = array("q", [min(_from_environment() or _ALL, _ALL), 0])
LIMIT_ADDRESS: Final = _LIMIT.buffer_info()[0]
#: ``at::get_num_threads()``, which is public in C++
_TORCH_FUNCTION: Final = "_ZN2at15get_num_threadsEv"


def follow_torch() -> None:
    """Let kernels ask PyTorch for its number of threads from now on, if it is loaded."""
    library = getattr(sys.modules.get("torch"), "_C", None)
    if _LIMIT[1] == 0 and library is not None:
        function = getattr(ctypes.CDLL(library.__file__), _TORCH_FUNCTION)
        _LIMIT[1] = ctypes.cast(function, ctypes.c_void_p).value or 0


def get_num_threads() -> int:
    """Return how many threads share the work of a call on many elements, at most.

    It is the number that was set with `set_num_threads` or, at the start of the process, with the
    environment variable ``ASCENDREF_NUM_THREADS`` or else ``OMP_NUM_THREADS``, but not more than
    Numba has (``NUMBA_NUM_THREADS``, which is the number of cores unless it is set), and not more
    than PyTorch has (``torch.get_num_threads()``), if that is loaded. An import of PyTorch is
    noticed by this function and by calls of a new kind (other types, scalars or layouts).

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
    most: int = import_to_end("numba").config.NUMBA_NUM_THREADS
    follow_torch()
    if _LIMIT[1]:
        most = min(most, sys.modules["torch"].get_num_threads())
    return min(most, _LIMIT[0])


def set_num_threads(count: int) -> None:
    """Set how many threads may share the work of a call, in the whole process.

    The bits of results do not depend on it, NaN payloads and signs excepted. A call uses fewer if
    it has too little work for so many; with 1, or on few elements, it runs in the thread that makes
    it. A number beyond Numba's (``NUMBA_NUM_THREADS``) means all of those.

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
    _LIMIT[0] = min(_checked("count", count), _ALL)


class _Number:
    """A number of threads that lasts for a block."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._before: int | None = None

    def begin(self) -> None:
        self._before = _LIMIT[0]
        _LIMIT[0] = self._count

    def end(self) -> None:
        if self._before is not None:
            _LIMIT[0] = self._before


def num_threads(count: int) -> Scope:
    """Use another number of threads for the calls inside, in the whole process.

    Parameters
    ----------
    count : int
        At least 1.

    Returns
    -------
    context manager
        It is a decorator, too.

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
    number = min(_checked("count", count), _ALL)
    return Scope(lambda: _Number(number))
