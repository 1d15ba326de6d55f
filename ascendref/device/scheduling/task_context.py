"""Tells whether the calling thread is running a task, and so must not wait for the device."""

from contextvars import Context, ContextVar, copy_context
from threading import get_ident
from typing import Final

from ...core.errors import fail
from ...core.status import Status
from ..checker.checker import Checker

#: the thread that runs tasks in this context; other threads may use a copy of the context
_task_thread: Final[ContextVar[int]] = ContextVar("ascendref.device.task_thread", default=0)


def task_context() -> Context:
    """Return a context for running tasks on the calling thread.

    Unlike a flag with ``try`` and ``finally``, a context is left even if it is interrupted.
    """
    context = copy_context()
    context.run(_task_thread.set, get_ident())
    return context


def in_task() -> bool:
    """Tell whether the calling thread is running a task or is a worker thread."""
    return _task_thread.get() == get_ident()


def refuse_in_task(checker: Checker | None) -> None:
    """Before a wait for the device: raise AclError if the calling thread is running a task."""
    if not in_task():
        return
    status = Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT
    problem = (
        "a task waits for the device that runs it; host functions, callbacks and"
        " finalizers that run within them must not synchronize"
    )
    if checker is not None:
        wait = checker.begin_on_host("wait")
        checker.reports.wait_in_task(status, problem, checker.running, wait)
    fail(status, problem)
