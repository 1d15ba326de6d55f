"""What happens to devices at exit, in a forked child, and when nobody holds them any more."""

from __future__ import annotations

import atexit
import os
import warnings
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Final
from weakref import ref

from ..core.errors import AclError, LostWorkWarning
from ..core.status import Status
from .callbacks import forget_subscriptions
from .engine import EXIT_GRACE, engine
from .schedule import EagerScheduler
from .task import Failure, State

if TYPE_CHECKING:
    from .device import Device

_devices: Final[set[ref[Device]]] = set()


def enrol(device: Device) -> None:
    """Remember a device for as long as it is used."""
    _devices.add(ref(device, _devices.discard))


def _living() -> list[Device]:
    return [device for entry in list(_devices) if (device := entry()) is not None]


def report_lost(device: Device) -> None:
    """Warn about work that never ran and failures that nobody asked about."""
    for stream in list(device.scheduler.streams.values()):
        left = [task for task in list(stream.queue) if task.state is not State.DONE]
        if left:
            labels = ", ".join(dict.fromkeys(task.label for task in left))
            warnings.warn(
                f"{len(left)} tasks of {stream!r} did not end, for nothing"
                f" waited for them ({labels}); synchronize before the device goes",
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
    """Let queued work end, for a moment; report what is left."""
    deadline = monotonic() + EXIT_GRACE
    for device in _living():
        if isinstance(device.scheduler, EagerScheduler):
            with suppress(AclError):
                device.scheduler.wait(device.scheduler.targets(), deadline)
    engine.close(deadline)
    for device in _living():
        report_lost(device)


def _after_fork_in_child() -> None:
    """A child has the memory of its parent's devices, but not the threads that run their work."""
    engine.reset()
    forget_subscriptions()
    refusal = Failure(
        Status.ACL_ERROR_RT_CONTEXT_NULL,
        "the device was made before this process was forked; make a new Device in the child",
        None,
    )
    for device in _living():
        device.scheduler.forsake(refusal)


os.register_at_fork(after_in_child=_after_fork_in_child)
