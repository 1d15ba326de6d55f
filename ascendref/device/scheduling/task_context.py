"""Whether the calling thread is running a task, and therefore must not wait for the device."""

from __future__ import annotations

from contextvars import Context, ContextVar, copy_context
from threading import get_ident
from typing import Final

from ...core.errors import fail
from ...core.status import Status
from ..checker.checker import Checker

#: the thread that runs tasks in this context; a copy of the context may be used by another thread
_task_thread: Final[ContextVar[int]] = ContextVar("ascendref.device.task_thread", default=0)


def task_context() -> Context:
    """Return a context for running tasks on the calling thread.

    A context, unlike a flag with ``try`` and ``finally``, is left whatever interrupts it.
    """
    context = copy_context()
    context.run(_task_thread.set, get_ident())
    return context


def in_task() -> bool:
    """Tell whether the calling thread runs a task, or is a worker thread."""
    return _task_thread.get() == get_ident()


def refuse_in_task(checker: Checker | None) -> None:
    """Raise AclError if the calling thread runs a task: it is about to wait for the device."""
    if not in_task():
        return
    status = Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT
    problem = (
        "a task waits for the device that runs it; host functions and callbacks must not"
        " synchronize, nor must finalizers that are run meanwhile"
    )
    if checker is not None:
        checker.find_wait_in_task(status, problem)
    fail(status, problem)
