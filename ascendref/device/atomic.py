"""State that is whole at every moment: how the device does without locks.

The calls of a device are interrupted anywhere: by other threads, by handlers of signals, by
finalizers (``__del__``) that the garbage collector runs in the middle of them, and by exceptions
such as KeyboardInterrupt, after which they never go on. A handler or a finalizer may call the
device again, and may wait there for another thread. With a lock it would wait for itself, or for a
thread that waits for it. So nothing under ``device/`` is guarded by a lock. Whoever is stopped
between two instructions, and for however long, leaves a state that everybody else can go on from:

- **One step decides.** What a call changes becomes true with one step of the interpreter: an
  attribute is assigned, or one function written in C appends to a deque or enters a dictionary.
  What several parts belong to is replaced as a whole (`Cell`).
- **The rest follows.** What can be derived is derived and not kept: a stream is alive while its
  device lists it, memory is used as long as an object or a task holds it, a thread serves callbacks
  while a stream says so. What remains to be done afterwards can be done twice and by anybody:
  whoever waits for a task does what an interrupted call left undone.
- **A test and the step next to it** are not divided where no call and no loop lies between them:
  the interpreter switches threads and looks at signals only there.
- **Two that change the same** each write first and look afterwards, so that one of them sees the
  other: a task is marked as running before it is looked up among the aborted ones, and a stream is
  aborted before its tasks are looked at.
- **Nothing waits in between.** Only `Scheduler.sleep` and `Subscription.wait` block, on locks of
  their own that no other call takes.

Tasks are started by one thread of the engine at a time, so that there is nothing to decide between
threads. A call of a finalizer that runs on such a thread must not wait: it is refused, as within
host functions.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Version(Generic[T]):
    """A value, and the version that came after it."""

    __slots__ = ("_after", "value")

    def __init__(self, value: T) -> None:
        self.value = value
        self._after: dict[str, Version[T]] = {}

    @property
    def latest(self) -> Version[T]:
        """The version after which none came."""
        version = self
        while version._after:
            version = version._after["next"]
        return version

    def replace(self, value: T) -> bool:
        """Let a value come next; False, and nothing done, if another one does."""
        new = Version(value)
        return self._after.setdefault("next", new) is new


class Cell(Generic[T]):
    """A value that is read and replaced as a whole."""

    __slots__ = ("_recent",)

    def __init__(self, value: T) -> None:
        self._recent = Version(value)

    def read(self) -> Version[T]:
        """Return the version that counts now; what depends on it replaces that very version."""
        latest = self._recent = self._recent.latest
        return latest


class Handle:
    """What stands for something on a device: there is one of it, so it is neither copied nor kept.

    Copies would free, destroy or end twice what exists once, and another process does not have it.
    """

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"{self!r} cannot be copied or pickled: it stands for something on a device, which"
            " exists once and in this process; pass the object itself, or copy the data to the host"
        )
