"""Device memory: addresses, allocation, capacity, content."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import deque
from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import DataType
from ..core.errors import ArgumentTypeError, fail, shown
from ..core.status import Status
from .arguments import whole_number
from .atomic import Cell, Handle
from .pages import ALIGNMENT, Pages

if TYPE_CHECKING:
    from .device import Device

#: device addresses start here, where no pointer of a process on the host can be
_FIRST_ADDRESS: Final = 2**48
#: addresses per device: far more than memory, so that freed ones come back as late as possible
_SPAN: Final = 2**44

_devices: Final = itertools.count()


class Memory(Handle):
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

    __slots__ = ("__weakref__", "_pages", "address", "alive", "nbytes", "space")

    def __init__(
        self, space: AddressSpace, address: int, nbytes: int, pages: Pages | None = None
    ) -> None:
        self.space = space
        self.address = address
        self.nbytes = nbytes
        self.alive = True
        #: none until they are touched, then one
        self._pages: dict[str, Pages] = {} if pages is None else {"all": pages}

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
        if not kind.itemsize:
            raise ArgumentTypeError(
                "dtype",
                f"is {shown(dtype)}, whose elements have no size; a type with one is expected",
            )
        view = np.asarray(_Shared(self))
        return view[: self.nbytes // kind.itemsize * kind.itemsize].view(kind)

    def content(
        self, start: int = 0, count: int | None = None, *, overwrite: bool = False
    ) -> NDArray[np.uint8]:
        """Return all its bytes, of which the caller touches ``count`` from ``start`` on.

        Where they are about to be overwritten, what they were before need not be there.
        """
        pages = self._pages.get("all")
        if pages is None:
            pages = self._pages.setdefault("all", Pages(self.nbytes))
        pages.touch(start, self.nbytes if count is None else start + count, overwrite=overwrite)
        return pages.bytes

    def let_go(self) -> None:
        """Give the bytes back; views of them stay safe to read."""
        self.alive = False
        self._pages.clear()

    def __repr__(self) -> str:
        place = "pinned memory" if self.pinned else "memory"
        state = "" if self.alive else ", freed"
        return f"<{place} of {self.nbytes} bytes at {self.address:#x}{state}>"


class _Shared:
    """What NumPy makes an array of that keeps pinned memory alive."""

    def __init__(self, memory: Memory) -> None:
        content = memory.content()
        self.owners = memory, content
        self.__array_interface__ = content.__array_interface__


class Block(ref[Memory]):
    """An allocation as its address space knows it."""

    __slots__ = ("address", "reserved")

    address: int
    #: bytes that count
    reserved: int


_address: Final = attrgetter("address")


class Map(NamedTuple):
    """What is allocated at one moment."""

    #: by address; never changed
    blocks: list[Block]
    #: sum of what they reserve
    used: int
    #: where the search for room begins
    cursor: int

    def place(self, size: int, base: int) -> int | None:
        """Find room from the last allocation on, then from the beginning (next fit)."""
        blocks, address = self.blocks, self.cursor
        last_chance = False
        while True:
            if address + size > base + _SPAN:
                if last_chance:
                    return None
                last_chance = True
                address = base
            at = bisect_left(blocks, address, key=_address)
            if at == len(blocks) or address + size <= blocks[at].address:
                return address
            address = _align(blocks[at].address + blocks[at].reserved)

    def with_block(self, block: Block, cursor: int) -> Map:
        """Return what is allocated with one block more."""
        blocks = self.blocks.copy()
        blocks.insert(bisect_left(blocks, block.address, key=_address), block)
        return Map(blocks, self.used + block.reserved, cursor)

    def without(self, block: Block) -> Map | None:
        """Return what is allocated without a block; None if it is not there."""
        at = bisect_left(self.blocks, block.address, key=_address)
        if at == len(self.blocks) or self.blocks[at] is not block:
            return None
        blocks = self.blocks.copy()
        del blocks[at]
        return Map(blocks, self.used - block.reserved, self.cursor)


class AddressSpace(Handle):
    """The memory of one device: what is allocated where.

    Addresses are handed out in ascending order and come back only after the device's whole range
    was used, so that a stale address hits nothing instead of somebody else's memory. Bytes exist
    from the first access on; a large device costs nothing.
    """

    def __init__(self, device: Device, capacity: int, padding: int) -> None:
        self.device = device
        self.capacity = capacity
        self._padding = padding
        self._base = _FIRST_ADDRESS + next(_devices) * _SPAN
        self._map = Cell(Map([], 0, self._base))
        #: allocations that may be gone; nothing but its own end can keep a block from coming here
        self._dropped: deque[Block] = deque()

    @property
    def free_bytes(self) -> int:
        """Bytes that are not reserved."""
        self._collect()
        return self.capacity - self._map.read().value.used

    def allocate(self, nbytes: int) -> Memory:
        """Reserve device memory."""
        nbytes = _checked_size(nbytes)
        reserved = (nbytes + 32 + self._padding - 1) // 32 * 32
        self._collect()
        while True:
            version = self._map.read()
            now = version.value
            address = (
                now.place(reserved, self._base) if now.used + reserved <= self.capacity else None
            )
            if address is None:
                fail(
                    Status.ACL_ERROR_RT_MEMORY_ALLOCATION,
                    f"Failed to allocate {nbytes} bytes ({reserved} with padding):"
                    f" {self.capacity - now.used} of {self.capacity} bytes are free",
                )
            memory = Memory(self, address, nbytes)
            block = self._block(memory, reserved)
            if version.replace(now.with_block(block, _align(address + reserved))):
                return memory

    def allocate_pinned(self, nbytes: int) -> Memory:
        """Take memory of the host; its address is the real one."""
        nbytes = _checked_size(nbytes)
        pages = Pages(nbytes)
        pages.touch(0, nbytes)  # the array that the host gets is read and written without asking
        self._collect()  # the host may have had these addresses before
        memory = Memory(self, pages.bytes.__array_interface__["data"][0], nbytes, pages)
        block = self._block(memory, 0)
        while True:
            version = self._map.read()
            if version.replace(version.value.with_block(block, version.value.cursor)):
                return memory

    def release(self, memory: Memory) -> None:
        """Free what is known to be alive and from here."""
        blocks = self._map.read().value.blocks
        at = bisect_left(blocks, memory.address, key=_address)
        if at < len(blocks) and blocks[at]() is memory:
            self._dropped.append(blocks[at])  # whoever comes next collects it
        memory.let_go()
        self._collect()

    def find(self, address: int) -> Memory | None:
        """Return the allocation that a byte belongs to."""
        blocks = self._map.read().value.blocks
        at = bisect_right(blocks, address, key=_address) - 1
        memory = blocks[at]() if at >= 0 else None
        if memory is None or not memory.alive or address >= memory.address + memory.nbytes:
            return None
        return memory

    def _block(self, memory: Memory, reserved: int) -> Block:
        # no `__del__`, which an interrupt could keep from running: the deque itself is called
        block = Block(memory, self._dropped.append)
        block.address = memory.address
        block.reserved = reserved
        return block

    def _collect(self) -> None:
        """Take out what was freed or is referred to by nobody."""
        for block in list(self._dropped):
            memory = block()
            if memory is None or not memory.alive:
                while True:
                    version = self._map.read()
                    rest = version.value.without(block)
                    if rest is None or version.replace(rest):
                        break
                with suppress(ValueError):
                    self._dropped.remove(block)


def _align(address: int) -> int:
    return (address + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def _checked_size(nbytes: int) -> int:
    nbytes = whole_number("nbytes", nbytes)
    if not 0 < nbytes < 2**64 - ALIGNMENT:
        fail(
            Status.ACL_ERROR_INVALID_PARAM,
            f"nbytes is {shown(nbytes)}; it must be at least 1 and fit 64 bits with padding",
        )
    return nbytes
