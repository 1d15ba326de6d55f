"""Device memory: addresses, allocation, capacity, content."""

from __future__ import annotations

import itertools
import threading
from bisect import bisect_left, bisect_right, insort
from collections import deque
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from ..dtypes import DataType
from ..errors import fail
from ..status import Status
from .arguments import whole_number

if TYPE_CHECKING:
    from .device import Device

#: the byte that fresh memory is full of: NaN in every floating-point type, -1 in the signed ones
POISON: Final = 0xFF
#: alignment of every address in bytes
ALIGNMENT: Final = 64
#: device addresses start here, where no pointer of a process on the host can be
_FIRST_ADDRESS: Final = 2**48
#: addresses per device: far more than memory, so that freed ones come back as late as possible
_SPAN: Final = 2**44

_devices: Final = itertools.count()


class Memory:
    """An allocation on a device, or pinned memory on the host.

    Made by `Device.malloc` and `Device.malloc_host`. Fresh memory holds ``0xFF`` in every byte,
    which reads as NaN. It is freed by `Device.free`, or when nothing refers to the object any more;
    its address alone does not keep it.

    Attributes
    ----------
    address : int
        Where it starts, a multiple of 64.
    nbytes : int
        Size that was asked for, in bytes.
    device : Device
        Where it was allocated.
    pinned : bool
        True for memory of the host.
    alive : bool
        False once it was freed.

    Examples
    --------
    >>> import ascendref as ar
    >>> dev = ar.Device("Atlas A2")
    >>> memory = dev.malloc(100)
    >>> memory.nbytes, memory.address % 64, memory.alive
    (100, 0, True)
    >>> dev.free(memory)
    >>> memory.alive
    False
    """

    __slots__ = ("__weakref__", "_content", "address", "alive", "nbytes", "space")

    def __init__(
        self,
        space: AddressSpace,
        address: int,
        nbytes: int,
        content: NDArray[np.uint8] | None = None,
    ) -> None:
        self.space = space
        self.address = address
        self.nbytes = nbytes
        self.alive = True
        self._content = content

    @property
    def device(self) -> Device:
        """Where it was allocated."""
        return self.space.device

    @property
    def pinned(self) -> bool:
        """Whether it is memory of the host."""
        return self.address < _FIRST_ADDRESS

    def numpy(self, dtype: Any = np.uint8) -> NDArray[Any]:
        """Return pinned memory as a flat array that shares it.

        Parameters
        ----------
        dtype : dtype, optional
            Element type of the array; what is left over at the end is not part of it.

        Raises
        ------
        AclError
            107016 for memory of the device, which the host reaches only by copying; 107000 if it
            was freed.

        Examples
        --------
        >>> import ascendref as ar
        >>> staging = ar.Device("Atlas A2").malloc_host(8).numpy("float32")
        >>> staging[:] = 1, 2
        """
        if not self.pinned:
            fail(
                Status.ACL_ERROR_RT_INVALID_MEMORY_TYPE,
                f"{self!r} is on the device; copy it with Device.memcpy",
            )
        if not self.alive:
            fail(Status.ACL_ERROR_RT_PARAM_INVALID, f"{self!r} cannot be read any more")
        kind = DataType.of(dtype).numpy
        view = np.asarray(_Shared(self))
        return view[: self.nbytes // kind.itemsize * kind.itemsize].view(kind)

    def content(self, start: int = 0, count: int = 0) -> NDArray[np.uint8]:
        """Return all its bytes; ``count`` of them from ``start`` are about to be overwritten."""
        content = self._content
        if content is None:
            with self.space.lock:
                if self._content is None:
                    self._content = _uninitialised(self.nbytes, start, count)
                content = self._content
        return content

    def __repr__(self) -> str:
        place = "pinned memory" if self.pinned else "memory"
        state = "" if self.alive else ", freed"
        return f"<{place} of {self.nbytes} bytes at {self.address:#x}{state}>"

    def __del__(self) -> None:
        if self.alive:
            self.space.dropped.append(self.address)  # no lock here: collection can strike anywhere


class _Shared:
    """What NumPy makes an array of that keeps pinned memory alive."""

    def __init__(self, memory: Memory) -> None:
        content = memory.content()
        self.owners = memory, content
        self.__array_interface__ = content.__array_interface__


def _uninitialised(nbytes: int, start: int, count: int) -> NDArray[np.uint8]:
    """Return aligned bytes, poisoned but for those that are about to be overwritten."""
    try:
        raw = np.empty(nbytes + ALIGNMENT, np.uint8)
    except MemoryError as error:
        fail(
            Status.ACL_ERROR_RT_MEMORY_ALLOCATION,
            f"Failed to allocate {nbytes} bytes of the host's memory to hold what is written to the"
            " device; free some or use smaller arrays",
            error,
        )
    shift = -raw.__array_interface__["data"][0] % ALIGNMENT
    content = raw[shift : shift + nbytes]
    content[:start] = POISON
    content[start + count :] = POISON
    return content


class AddressSpace:
    """The memory of one device: what is allocated where.

    Addresses are handed out in ascending order and come back only after the device's whole range
    was used, so that a stale address hits nothing instead of somebody else's memory. Bytes exist
    from the first access on; a large device costs nothing.
    """

    def __init__(self, device: Device, capacity: int, padding: int) -> None:
        self.device = device
        self.capacity = capacity
        self.lock = threading.Lock()
        #: addresses of allocations that were garbage-collected
        self.dropped: deque[int] = deque()
        self._padding = padding
        self._base = _FIRST_ADDRESS + next(_devices) * _SPAN
        self._cursor = self._base
        self._used = 0
        self._starts: list[int] = []
        self._blocks: dict[int, tuple[int, ref[Memory]]] = {}

    @property
    def free_bytes(self) -> int:
        """Bytes that are not reserved."""
        with self.lock:
            self._collect()
            return self.capacity - self._used

    def allocate(self, nbytes: int) -> Memory:
        """Reserve device memory."""
        nbytes = _checked_size(nbytes)
        reserved = (nbytes + 32 + self._padding - 1) // 32 * 32
        with self.lock:
            self._collect()
            address = self._place(reserved) if self._used + reserved <= self.capacity else None
            if address is not None:
                memory = Memory(self, address, nbytes)
                self._used += reserved
                self._enter(memory, reserved)
                return memory
            left = self.capacity - self._used
        fail(
            Status.ACL_ERROR_RT_MEMORY_ALLOCATION,
            f"Failed to allocate {nbytes} bytes ({reserved} with padding): {left} of"
            f" {self.capacity} bytes are free",
        )

    def allocate_pinned(self, nbytes: int) -> Memory:
        """Take memory of the host; its address is the real one."""
        nbytes = _checked_size(nbytes)
        content = _uninitialised(nbytes, 0, 0)
        memory = Memory(self, content.__array_interface__["data"][0], nbytes, content)
        with self.lock:
            self._collect()
            self._enter(memory, 0)
        return memory

    def release(self, memory: Memory) -> None:
        """Free what is known to be alive and from here."""
        with self.lock:
            if memory.alive:
                memory.alive = False
                memory._content = None
                self._remove(memory.address)

    def find(self, address: int) -> Memory | None:
        """Return the allocation that a byte belongs to."""
        with self.lock:
            at = bisect_right(self._starts, address) - 1
            if at < 0:
                return None
            memory = self._blocks[self._starts[at]][1]()
        if memory is None or not memory.alive or address >= memory.address + memory.nbytes:
            return None
        return memory

    def forsake(self) -> None:
        """Take a new lock in a forked child: a thread that does not exist may hold the old one."""
        self.lock = threading.Lock()

    def _place(self, size: int) -> int | None:
        """Find room from the last allocation on, then from the beginning (next fit)."""
        address = self._cursor
        last_chance = False
        while True:
            if address + size > self._base + _SPAN:
                if last_chance:
                    return None
                last_chance = True
                address = self._base
            at = bisect_left(self._starts, address)
            if at == len(self._starts) or address + size <= self._starts[at]:
                self._cursor = _align(address + size)
                return address
            start = self._starts[at]
            address = _align(start + self._blocks[start][0])

    def _enter(self, memory: Memory, reserved: int) -> None:
        insort(self._starts, memory.address)
        self._blocks[memory.address] = reserved, ref(memory)

    def _remove(self, address: int) -> None:
        reserved, _ = self._blocks.pop(address)
        del self._starts[bisect_left(self._starts, address)]
        self._used -= reserved

    def _collect(self) -> None:
        while self.dropped:
            self._remove(self.dropped.popleft())


def _align(address: int) -> int:
    return (address + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def _checked_size(nbytes: int) -> int:
    nbytes = whole_number("nbytes", nbytes)
    if not 0 < nbytes < 2**64 - ALIGNMENT:
        fail(
            Status.ACL_ERROR_INVALID_PARAM,
            f"nbytes is {nbytes}; it must be at least 1 and fit 64 bits with padding",
        )
    return nbytes
