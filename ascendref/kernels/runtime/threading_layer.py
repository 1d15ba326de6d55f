"""Numba's threads: the place of TBB, and its warning when the process forks."""

import ctypes
import os
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, files

_TBB = "libtbb.so.12"
#: values of ``NUMBA_THREADING_LAYER`` that may mean TBB, other than the default
_MAY_BE_TBB = ("tbb", "safe", "threadsafe", "forksafe")


def load_tbb() -> None:
    """Load TBB, which pip installs where the dynamic linker does not look, if it is there."""
    with suppress(PackageNotFoundError, OSError):
        for file in files("tbb") or ():
            if file.name == _TBB:
                ctypes.CDLL(str(file.locate()))


def start_threads() -> int:
    """Start Numba's threads, and return their number."""
    import numba  # not with the module, which programs import before they need Numba

    if str(numba.config.THREADING_LAYER).lower() in _MAY_BE_TBB:
        load_tbb()
    count: int = numba.get_num_threads()
    if numba.threading_layer() == "tbb" and hasattr(os, "register_at_fork"):
        _fork_quietly()
    return count


@cache
def _fork_quietly() -> None:
    """Drop the warning at a fork that the child may not use TBB, which kernels there do not."""
    library = ctypes.CDLL(None)
    library.fopen.restype = ctypes.c_void_p
    stream = ctypes.c_void_p.in_dll(library, "stderr")
    usual, nothing = stream.value, library.fopen(os.devnull.encode(), b"w")

    def use(value: int | None) -> None:
        stream.value = value

    os.register_at_fork(
        before=lambda: use(nothing),
        after_in_parent=lambda: use(usual),
        after_in_child=lambda: use(usual),
    )
