"""Short waits of the host and the kernel thread for each other.

On many machines a blocked thread wakes up tens of microseconds late, more than a small kernel
takes. So with the C library, which has the loop for it (``cann/native/waits.c``), both *spin*
before they block: they look for the other's signal without the interpreter's lock, for at most 300
microseconds, and leave the processor to any thread that needs it. A thread gives its signal once it
has given up that lock, so that the other one does not have to wait for the lock.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Final

#: counters of the two sides, in cache lines of their own
HOST, DEVICE = 0, 16


class Spinner:
    """Counts how often each side began to spin; without a loop, nothing spins."""

    def __init__(self) -> None:
        self._counters: Final = (ctypes.c_int64 * 32)()
        #: adds 1 to a counter, then waits until another counter is not what it was; the arguments
        #: are the counters' addresses and what the other one was
        self.loop: Callable[[int, int, int], object] | None = None

    def turns(self, side: int) -> int:
        """Return how often a side began to spin."""
        return self._counters[side]

    def spin(self, side: int, other: int, seen: int) -> None:
        """Wait for a moment until the other side spins, unless it did since ``seen``."""
        if self.loop is not None:
            start = ctypes.addressof(self._counters)
            size = ctypes.sizeof(ctypes.c_int64)
            self.loop(start + size * side, start + size * other, seen)
