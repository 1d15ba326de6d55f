"""Work that must not stay half done: imports on first use, and compilation.

Neither Numba nor NumPy can go on where an exception broke them off. So a thread of its own does
such work, in which no handler of a signal runs and which no other exception reaches; who is
interrupted while it waits leaves it to its end, and a later call finds what it made. A fork waits
until no thread is at it: in the child that thread does not exist, and the child would wait for ever
for a lock that the thread held.
"""

from __future__ import annotations

import logging  # noqa: F401 - for its own handlers of forks to be registered before ours
import os
import sys
import threading
from _imp import lock_held
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable
from contextvars import copy_context
from functools import partial, wraps
from importlib import import_module
from importlib.util import resolve_name
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

#: bytes for LLVM, whatever size the program wants for its own threads
_STACK: Final = 16 * 1024 * 1024

#: held during such work
_LOCK: Final = threading.RLock()


class _Here(threading.local):
    """What is so in one thread."""

    #: whether it does such work
    working = False


_HERE: Final = _Here()


class _Work:
    """Something to do and what came of it."""

    def __init__(self, do: Callable[[], Any]) -> None:
        self._do = do
        self._made: Any = None
        self._error: BaseException | None = None
        self.begun = False
        # a lock of C: what has parts in Python may break off in between
        self.over = allocate_lock()
        self.over.acquire()

    def start(self) -> None:
        """Start a thread for it, from one that nothing interrupts.

        It is no daemon, so the program does not end before the work does.
        """
        try:
            with _LOCK:  # the work does not begin before the size is what it was
                size = threading.stack_size(_STACK)
                try:
                    threading.Thread(target=self.do, name="ascendref", daemon=False).start()
                finally:
                    threading.stack_size(size)
        except Exception:  # there are no more threads
            self.over.release()

    def do(self) -> None:
        """Do it."""
        self.begun = True
        try:
            with _LOCK:
                _HERE.working = True
                try:
                    self._made = self._do()
                finally:
                    _HERE.working = False
        except BaseException as error:
            self._error = error
        finally:
            self.over.release()

    def result(self) -> Any:
        """Return what came of it, or raise that."""
        error, self._error = self._error, None
        if error is None:
            return self._made
        try:
            raise error
        finally:
            del error  # it refers to this frame


def finish(do: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Call a function, and finish what it does even where this call is interrupted.

    One thread at a time does so. What such work itself calls is part of it.
    """
    if _HERE.working:
        return do(*arguments, **named)
    work = _Work(partial(copy_context().run, do, *arguments, **named))
    # a new thread does not get to run when the program ends, nor past the lock of imports, which
    # this thread holds for ever if an import of its own was broken off at the wrong moment
    if not (sys.is_finalizing() or lock_held()):
        try:
            start_new_thread(work.start, ())
        except RuntimeError:
            pass
        else:
            work.over.acquire()
    if not work.begun:
        work.do()
    made: T = work.result()
    return made


def finishing(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function always finish what it does."""

    @wraps(function)
    def finished(*arguments: P.args, **named: P.kwargs) -> T:
        return finish(function, *arguments, **named)

    return finished


def imported(name: str, package: str | None = None) -> Any:
    """Import a module, and finish that."""
    if resolve_name(name, package) in sys.modules:  # or this thread is at it, and cannot wait
        return import_module(name, package)
    return finish(import_module, name, package)


# a fork takes first what was registered last: this lock, then logging's, like a thread that imports
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release
    )

# what cannot be imported a second time in a process
for _name in ("numpy", "ml_dtypes"):
    imported(_name)
