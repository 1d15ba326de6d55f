"""Whether the calling thread runs a task at the moment."""

from __future__ import annotations

from contextvars import Context, ContextVar, copy_context
from threading import get_ident
from typing import Final

from ..core.errors import fail
from ..core.status import Status

#: the thread that the context was marked for
_thread: Final[ContextVar[int]] = ContextVar("ascendref.device.inside", default=0)


def marked() -> Context:
    """Return a context in which the calling thread runs tasks; leaving it cannot be interrupted."""
    context = copy_context()
    context.run(_thread.set, get_ident())
    return context


def is_inside() -> bool:
    """Tell whether the calling thread runs a task, or is there to run them."""
    return _thread.get() == get_ident()


def refuse_inside() -> None:
    """Raise AclError if a task that the calling thread runs is about to wait."""
    if is_inside():
        fail(
            Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "a task waits for the device that runs it; host functions and callbacks must not"
            " synchronize, nor must finalizers that are run meanwhile",
        )
