"""Safety from interrupts and forks, for imports on first use and for compilation.

An exception within an import of NumPy or Numba, or within a compilation, leaves them in a state
that they cannot go on from. Such work is therefore run to its end in a thread of its own, where no
signal handler runs and no exception of the caller arrives. A caller that is interrupted stops
waiting; the work goes on, and a later call finds its result. A fork waits until no thread is at
such work: the child would not have that thread, and would wait for ever for the locks it held.
"""

from __future__ import annotations

import logging  # noqa: F401 - so that its handlers of forks are registered before ours
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

#: bytes of stack that LLVM needs, whatever the program sets for its own threads
_STACK: Final = 16 * 1024 * 1024

#: held while such work runs
_LOCK: Final = threading.RLock()


class _ThreadState(threading.local):
    """The state of one thread."""

    #: whether it runs such work
    working = False


_THREAD: Final = _ThreadState()


class _Work:
    """A function to be run to its end, and its result."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self._result: Any = None
        self._error: BaseException | None = None
        self.begun = False
        # a lock written in C: an interrupt cannot break off its methods in between
        self.done = allocate_lock()
        self.done.acquire()

    def start(self) -> None:
        """Start a thread that runs it; called in a thread that nothing interrupts.

        The thread is no daemon, so the program does not end before the work does.
        """
        try:
            with _LOCK:  # the work does not begin before the stack size is reset
                size = threading.stack_size(_STACK)
                try:
                    threading.Thread(target=self.run, name="ascendref", daemon=False).start()
                finally:
                    threading.stack_size(size)
        except Exception:  # no further thread can be started
            self.done.release()

    def run(self) -> None:
        """Run the function and keep its result or its exception."""
        self.begun = True
        try:
            with _LOCK:
                _THREAD.working = True
                try:
                    self._result = self._function()
                finally:
                    _THREAD.working = False
        except BaseException as error:
            self._error = error
        finally:
            self.done.release()

    def result(self) -> Any:
        """Return the function's result, or raise its exception."""
        error, self._error = self._error, None
        if error is None:
            return self._result
        try:
            raise error
        finally:
            del error  # it refers to this frame


def run_to_end(function: Callable[..., T], *arguments: Any, **keywords: Any) -> T:
    """Call a function, which runs to its end even if this call is interrupted.

    One thread at a time does so. Calls of this function from within it are plain calls.
    """
    if _THREAD.working:
        return function(*arguments, **keywords)
    work = _Work(partial(copy_context().run, function, *arguments, **keywords))
    # a new thread does not get to run when the program ends, nor past the lock of imports, which
    # this thread holds for ever if an import of its own was broken off at the wrong moment
    if not (sys.is_finalizing() or lock_held()):
        try:
            start_new_thread(work.start, ())
        except RuntimeError:
            pass
        else:
            work.done.acquire()
    if not work.begun:
        work.run()
    result: T = work.result()
    return result


def runs_to_end(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function so that all calls of it run to their end."""

    @wraps(function)
    def running_to_end(*arguments: P.args, **keywords: P.kwargs) -> T:
        return run_to_end(function, *arguments, **keywords)

    return running_to_end


def import_to_end(name: str, package: str | None = None) -> Any:
    """Import a module, which runs to its end even if this call is interrupted."""
    # a module that is there needs no thread; nor may this thread wait for one that it is importing
    if resolve_name(name, package) in sys.modules:
        return import_module(name, package)
    return run_to_end(import_module, name, package)


# the handler that was registered last runs first: this lock is taken before logging's, which is the
# order in which a thread that imports takes them
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release
    )

# these cannot be imported a second time in a process
for _name in ("numpy", "ml_dtypes"):
    import_to_end(_name)
