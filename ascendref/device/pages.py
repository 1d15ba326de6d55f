"""The bytes of an allocation, which cost memory of the host where they are touched."""

from __future__ import annotations

import ctypes
from itertools import filterfalse, repeat
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..core.errors import fail
from ..core.status import Status

#: the byte that fresh memory is full of: NaN in every floating-point type, -1 in the signed ones
POISON: Final = 0xFF
#: alignment of every address in bytes
ALIGNMENT: Final = 64
#: bytes that are poisoned at a time, at most
CHUNK: Final = 2**18
#: chunks that are poisoned in one step of the interpreter: signals wait for about a millisecond
_BATCH: Final = 16

#: C's memset; unlike that of ctypes, it keeps the interpreter to itself meanwhile
_fill: Final = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)(
    ctypes.cast(ctypes.memset, ctypes.c_void_p).value or 0
)


class Pages:
    """Bytes that read as poison until they are written.

    They come from the system untouched, and a chunk of them is poisoned right before the first copy
    or kernel that touches it.

    Parameters
    ----------
    nbytes : int
        How many.

    Attributes
    ----------
    bytes : array of uint8
        All of them, aligned. Only what was touched may be read or written.
    """

    __slots__ = ("_chunk", "_count", "_first", "_known", "bytes")

    def __init__(self, nbytes: int) -> None:
        self._chunk = min(CHUNK, -(-nbytes // ALIGNMENT) * ALIGNMENT)
        self._count = -(-nbytes // self._chunk)
        try:
            raw = np.empty(self._count * self._chunk + ALIGNMENT, np.uint8)
        except (MemoryError, ValueError, OverflowError) as error:
            fail(
                Status.ACL_ERROR_RT_MEMORY_ALLOCATION,
                f"Failed to allocate {nbytes} bytes of the host's memory; free some or use smaller"
                " arrays",
                error,
            )
        shift = -raw.__array_interface__["data"][0] % ALIGNMENT
        self.bytes: NDArray[np.uint8] = raw[shift : shift + nbytes]
        self._first: int = self.bytes.__array_interface__["data"][0]
        #: addresses of the chunks that are poisoned, or overwritten since
        self._known: set[int] = set()

    def touch(self, start: int, stop: int, *, overwrite: bool = False) -> None:
        """Make bytes readable and writable; what is about to be overwritten is not poisoned."""
        known, chunk = self._known, self._chunk
        if len(known) == self._count or stop <= start:
            return
        after_last = -(-stop // chunk)
        if overwrite:
            whole = self._count if stop >= len(self.bytes) else stop // chunk
            known.update(self._addresses(-(-start // chunk), whole))
        for number in range(start // chunk, after_last, _BATCH):
            addresses = self._addresses(number, min(number + _BATCH, after_last))
            # one step of the interpreter: nobody else can write to a chunk after it was looked up
            # and before it is poisoned
            known.update(
                map(
                    _fill, filterfalse(known.__contains__, addresses), repeat(POISON), repeat(chunk)
                )
            )

    def _addresses(self, first: int, after_last: int) -> range:
        return range(
            self._first + first * self._chunk, self._first + after_last * self._chunk, self._chunk
        )
