"""The bytes of an allocation; host memory is used only after the first access."""

import ctypes
import mmap
from itertools import filterfalse, repeat
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...core.errors import fail
from ...core.status import Status

#: value of uninitialized bytes: NaN in every floating-point type, -1 in signed integers
POISON: Final = 0xFF
#: alignment in the host's memory in bytes
ALIGNMENT: Final = 64
#: most bytes that are poisoned together
CHUNK: Final = 2**18
#: chunks poisoned in one atomic step, which delays signals by about a millisecond
_BATCH: Final = 16

#: makes the system reserve addresses without counting them as memory; missing in some Pythons
_NO_RESERVE: Final = 0x4000

#: memset as a PYFUNCTYPE, which keeps the GIL; the one of ctypes releases it
_memset: Final = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)(
    ctypes.cast(ctypes.memset, ctypes.c_void_p).value or 0
)


class Storage:
    """Bytes that read as poison until they are written.

    The system reserves addresses without memory. A chunk is poisoned right before the first copy or
    kernel that accesses it. Of ``sparse`` ones most are never accessed, so that there may be more
    than the host has. Memory ``shared`` with other processes is never poisoned.
    """

    __slots__ = ("_chunk", "_map", "bytes", "chunks", "first", "initialized")

    def __init__(
        self, nbytes: int, *, sparse: bool = False, shared: mmap.mmap | None = None
    ) -> None:
        self._chunk = min(CHUNK, -(-nbytes // ALIGNMENT) * ALIGNMENT)
        self.chunks = -(-nbytes // self._chunk)
        length = self.chunks * self._chunk
        self._map = shared
        try:
            if shared is not None:
                raw = np.frombuffer(shared, np.uint8)
            else:
                raw = self._sparse(length) if sparse else self._array(length)
        except (MemoryError, ValueError, OverflowError, OSError) as error:
            fail(
                Status.ACL_ERROR_RT_MEMORY_ALLOCATION,
                f"Failed to allocate {nbytes} bytes of the host's memory; free some or use smaller"
                " arrays",
                error,
            )
        shift = -raw.__array_interface__["data"][0] % ALIGNMENT
        #: all bytes, aligned; only those passed to `touch` may be accessed
        self.bytes: NDArray[np.uint8] = raw[shift : shift + nbytes]
        #: the host's address of the first byte
        self.first: int = self.bytes.__array_interface__["data"][0]
        #: addresses of the chunks that have been poisoned or overwritten, of as many as `chunks`
        self.initialized: set[int] = set()
        if shared is not None:
            self.initialized.update(self._addresses(0, self.chunks))

    def _array(self, length: int) -> NDArray[np.uint8]:
        """Return bytes; those that the system does not promise memory for are sparse."""
        try:
            return np.empty(length + ALIGNMENT, np.uint8)
        except MemoryError:
            return self._sparse(length)

    def _sparse(self, length: int) -> NDArray[np.uint8]:
        """Return page-aligned bytes for which the system reserves no memory."""
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
        self._map = mmap.mmap(-1, length, flags=flags)
        return np.frombuffer(self._map, np.uint8)

    def touch(self, start: int, stop: int, *, overwrite: bool = False) -> None:
        """Make bytes accessible; bytes that will be overwritten are not poisoned."""
        initialized, chunk = self.initialized, self._chunk
        if len(initialized) == self.chunks or stop <= start:
            return
        after_last = -(-stop // chunk)
        if overwrite:
            whole = self.chunks if stop >= len(self.bytes) else stop // chunk
            initialized.update(self._addresses(-(-start // chunk), whole))
        for number in range(start // chunk, after_last, _BATCH):
            addresses = self._addresses(number, min(number + _BATCH, after_last))
            # one atomic step: no other thread writes to a chunk between the test and its poisoning
            initialized.update(
                map(
                    _memset,
                    filterfalse(initialized.__contains__, addresses),
                    repeat(POISON),
                    repeat(chunk),
                )
            )

    def discard(self, start: int, stop: int) -> None:
        """Discard whole chunks of a sparse storage and return their memory to the system."""
        assert self._map is not None
        self.initialized.difference_update(self._addresses(start // CHUNK, stop // CHUNK))
        self._map.madvise(mmap.MADV_DONTNEED, start, stop - start)

    def _addresses(self, first: int, after_last: int) -> range:
        return range(
            self.first + first * self._chunk, self.first + after_last * self._chunk, self._chunk
        )
