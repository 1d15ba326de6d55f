"""The number of threads that a call may use."""

from __future__ import annotations

import ctypes
import os
import sys
from array import array
from functools import partial
from operator import index
from typing import Any, Final

from .errors import ArgumentTypeError, ArgumentValueError, shown
from .fork_safety import import_to_end
from .scopes import Replaced, Scope

#: elements per thread from which another thread is worthwhile (measured: see benchmarks/)
ELEMENTS_PER_THREAD: Final = 16 * 1024
#: elements from which work runs in parallel
PARALLEL_FROM: Final = 2 * ELEMENTS_PER_THREAD
#: environment variables that set the number when the process starts: ours, and the common one,
#: which dask sets for its workers
VARIABLE: Final = "ASCENDREF_NUM_THREADS"
COMMON_VARIABLE: Final = "OMP_NUM_THREADS"


def _checked(argument: str, count: Any) -> int:
    try:
        number = index(count)
    except Exception as error:  # a TypeError, or the object's own
        raise ArgumentTypeError(
            argument, f"is {shown(count)}; it must be an integer ≥ 1"
        ) from error
    if number < 1:
        raise ArgumentValueError(argument, f"is {shown(number)}; it must be an integer ≥ 1")
    return number


def _from_environment() -> int | None:
    text = os.environ.get(VARIABLE)
    if not text:
        return _from_common_variable()
    try:
        return _checked(VARIABLE, int(text))
    except ValueError:
        raise ArgumentValueError(VARIABLE, f"is {text!r}; it must be an integer ≥ 1") from None


def _from_common_variable() -> int | None:
    """Return the number for the outermost parallel loop; ignore values that OpenMP forbids."""
    first = os.environ.get(COMMON_VARIABLE, "").split(",")[0].strip()
    return int(first) if first.isdecimal() and int(first) > 0 else None


#: more threads than any machine has
_ALL: Final = 2**31
#: memory that kernels read: the number that was set, and the address of PyTorch's function that
#: returns its number (0 if PyTorch is not loaded)
_LIMIT: Final = array("q", [min(_from_environment() or _ALL, _ALL), 0])
LIMIT_ADDRESS: Final = _LIMIT.buffer_info()[0]
#: ``at::get_num_threads()``, which is public in C++
_TORCH_FUNCTION: Final = "_ZN2at15get_num_threadsEv"


def follow_torch() -> None:
    """From now on, let kernels ask PyTorch for its number of threads, if it is loaded."""
    library = getattr(sys.modules.get("torch"), "_C", None)
    if _LIMIT[1] == 0 and library is not None:
        function = getattr(ctypes.CDLL(library.__file__), _TORCH_FUNCTION)
        _LIMIT[1] = ctypes.cast(function, ctypes.c_void_p).value or 0


def get_num_threads() -> int:
    """Return the largest number of threads that a call may use.

    It is set with `set_num_threads` or, at the start of the process, by the environment variable
    ``ASCENDREF_NUM_THREADS`` or else ``OMP_NUM_THREADS``. It is at most Numba's number
    (``NUMBA_NUM_THREADS``, by default the number of cores) and, if PyTorch is loaded, at most
    ``torch.get_num_threads()``. An import of PyTorch takes effect with the next call of this
    function, or of an operator with new types, scalars or layouts.

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
    """Set how many threads a call may use, for the whole process.

    The bits of results do not depend on it, except for NaN payloads and signs. Small calls use
    fewer threads; with 1, or with few elements, a call runs in the calling thread. A number above
    Numba's (``NUMBA_NUM_THREADS``) means all of Numba's threads.

    Parameters
    ----------
    count : int
        At least 1.

    Raises
    ------
    ArgumentTypeError
        If it is not an integer.
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


def num_threads(count: int) -> Scope:
    """Set how many threads a call may use, for the duration of a block, in the whole process.

    Parameters
    ----------
    count : int
        At least 1.

    Returns
    -------
    context manager
        It can also be used as a decorator.

    Raises
    ------
    ArgumentTypeError
        If it is not an integer.
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
    get, put = partial(_LIMIT.__getitem__, 0), partial(_LIMIT.__setitem__, 0)
    return Scope(lambda: Replaced(get, put, number))
