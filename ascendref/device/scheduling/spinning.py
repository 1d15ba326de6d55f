"""Short waits of the host and the kernel thread for each other.

On many machines a blocked thread wakes up tens of microseconds late, more than a small kernel
takes. So with the C library, which has the loop for it (``cann/native/waits.c``), both *spin*
before they block: they look for the other's signal without the interpreter's lock, for at most 300
microseconds, and leave the processor to any thread that needs it. A thread gives its signal once it
has given up that lock, so that the other one does not have to wait for the lock.
"""

import ctypes
from collections.abc import Callable
from typing import Final

#: the two sides
HOST, DEVICE = 0, 1
#: counters in a cache line
_LINE: Final = 16


class Spinner:
    """Counts how often each side began to spin; without a loop, nothing spins."""

    def __init__(self) -> None:
        #: one for each side, in cache lines of their own
        self._counters: Final = (ctypes.c_int64 * (2 * _LINE))()
        start, size = ctypes.addressof(self._counters), ctypes.sizeof(ctypes.c_int64)
        self._addresses: Final = [start + size * _LINE * side for side in (HOST, DEVICE)]
        #: adds 1 to a counter, then waits until another counter is not what it was; the arguments
        #: are the counters' addresses and what the other one was
        self.loop: Callable[[int, int, int], object] | None = None

    def turns(self, side: int) -> int:
        """Return how often a side began to spin."""
        return self._counters[_LINE * side]

    def spin(self, side: int, seen: int) -> None:
        """Wait for a moment until the other side spins, unless it did since ``seen`` turns."""
        if self.loop is not None:
            self.loop(self._addresses[side], self._addresses[1 - side], seen)
