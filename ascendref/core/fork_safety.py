"""Safety from interrupts and forks, for imports on first use and for compilation.

If an exception interrupts an import of NumPy or Numba, or a compilation, these libraries cannot
recover. Such work therefore runs to its end in a thread of its own, which signal handlers and
exceptions of the caller do not reach. An interrupted caller stops waiting; the work continues, and
a later call finds its result. A fork waits until no such work is running: the child would not have
the thread that does it, and would wait for ever for the locks that the thread held.
"""

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

#: bytes of stack that LLVM needs, independent of what the program sets for its threads
_STACK: Final = 16 * 1024 * 1024

#: held while such work runs
_LOCK: Final = threading.RLock()


class _ThreadState(threading.local):
    #: whether this thread is running such work
    working = False


_THREAD: Final = _ThreadState()


class _Work:
    """A function to be run to its end, and its result."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self._result: Any = None
        self._error: BaseException | None = None
        self.begun = False
        # a lock written in C: its methods cannot be interrupted halfway
        self.done = allocate_lock()
        self.done.acquire()

    def start(self) -> None:
        """Start a thread that runs it; called in a thread that is never interrupted.

        It is not a daemon thread, so the program does not end before the work does.
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
    # a new thread cannot run while the program ends, nor if this thread still holds the import lock
    # because one of its imports was interrupted at the wrong moment
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
    # a loaded module needs no thread; and this thread must not wait for a module that it is
    # importing
    if resolve_name(name, package) in sys.modules:
        return import_module(name, package)
    return run_to_end(import_module, name, package)


def import_torch() -> None:
    """Import PyTorch, if it is not loaded, without other packages' device backends.

    torch_npu, where it is installed, would look for CANN's libraries.
    """
    if "torch" in sys.modules:
        return
    name = "TORCH_DEVICE_BACKEND_AUTOLOAD"
    before = os.environ.get(name)
    os.environ[name] = "0"
    try:
        import_to_end("torch")
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


# the handler registered last runs first: this lock is taken before logging's, the same order in
# which a thread that imports takes them
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release
    )

# these cannot be imported a second time in a process
for _name in ("numpy", "ml_dtypes"):
    import_to_end(_name)
