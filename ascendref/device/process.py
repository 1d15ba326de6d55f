"""Handling of devices when the process exits or forks, and warnings about lost work."""

import atexit
import os
import warnings
from contextlib import suppress
from time import monotonic
from typing import Final
from weakref import ref

from ..core.errors import AclError, LostWorkWarning
from ..core.status import Status
from .scheduling.scheduler import Scheduler
from .scheduling.task import Failure, State
from .scheduling.worker_threads import EXIT_TIMEOUT, workers
from .streams.callbacks import clear_subscriptions

_schedulers: Final[set[ref[Scheduler]]] = set()


def register(scheduler: Scheduler) -> None:
    """Register a device whose work is handled when the process exits or forks."""
    _schedulers.add(ref(scheduler, _schedulers.discard))


def _existing() -> list[Scheduler]:
    return [scheduler for entry in list(_schedulers) if (scheduler := entry()) is not None]


def warn_about_lost_work(scheduler: Scheduler) -> None:
    """Warn about work that never ran and failures that no call reported."""
    for stream in list(scheduler.streams.values()):
        left = [task for task in list(stream.queue) if task.state is not State.DONE]
        if left:
            labels = ", ".join(dict.fromkeys(task.label for task in left))
            warnings.warn(
                f"{len(left)} tasks of {stream!r} did not finish because"
                f" nothing waited for them ({labels}); synchronize before the device is deleted",
                LostWorkWarning,
                stacklevel=2,
            )
            stream.queue.clear()
        if stream.failure is not None:
            warnings.warn(
                f"{stream.failure.message}; nothing synchronized with it",
                LostWorkWarning,
                stacklevel=2,
            )
            stream.failure = None


@atexit.register
def _finish_at_exit() -> None:
    """Give queued work a short time to finish, then warn about unfinished work."""
    deadline = monotonic() + EXIT_TIMEOUT
    for scheduler in _existing():
        if scheduler.eager:
            with suppress(AclError):
                scheduler.wait(scheduler.last_tasks(), deadline)
    workers.close(deadline)
    for scheduler in _existing():
        warn_about_lost_work(scheduler)


def _after_fork_in_child() -> None:
    """Make inherited devices unusable: the threads that run their work are not in the child."""
    workers.reset()
    clear_subscriptions()
    error = Failure(
        Status.ACL_ERROR_RT_CONTEXT_NULL,
        "the device was created before this process was forked; create a new Device in the child",
        None,
    )
    for scheduler in _existing():
        scheduler.invalidate(error)


os.register_at_fork(after_in_child=_after_fork_in_child)
