"""Allocations of device memory and pinned host memory, and their addresses."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from operator import attrgetter
from typing import Any, Final, NamedTuple
from weakref import WeakValueDictionary, ref

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...core.dtypes import DataType
from ...core.errors import ArgumentTypeError, fail, shown
from ...core.status import Status
from ..arguments import integer
from ..base_device import BaseDevice
from ..checker.shadow import Shadow, Span
from ..handle import Handle
from ..lock_free import AtomicReference
from .storage import POISON, Storage

#: device addresses start here, above all pointers of host processes
FIRST_ADDRESS: Final = 2**48
#: what addresses are multiples of, as on an NPU
_ALIGNMENT: Final = 512
#: addresses per device: far more than its memory, so that freed ones are reused late
_SPAN: Final = 2**44

_devices: Final = itertools.count()
#: existing address spaces, by the number of their address range
_spaces: Final[WeakValueDictionary[int, AddressSpace]] = WeakValueDictionary()


class Memory(Handle):
    """An allocation on a device, or pinned memory on the host.

    Returned by `Device.malloc` and `Device.malloc_host`. New memory holds ``0xFF`` in every byte,
    which reads as NaN. It is freed by `Device.free` or when the last reference to the object is
    gone; holding only its address does not keep it alive.

    Attributes
    ----------
    address : int
        Address of the first byte; of device memory a multiple of 512.
    nbytes : int
        Requested size in bytes.
    device : Device
        The device that allocated it.
    pinned : bool
        True for pinned host memory.
    alive : bool
        False after it has been freed.

    Examples
    --------
    >>> dev = ar.Device("Atlas A2")
    >>> memory = dev.malloc(100)
    >>> memory.nbytes, memory.address % 512, memory.alive
    (100, 0, True)
    >>> dev.free(memory)
    >>> memory.alive
    False
    """

    __slots__ = (
        "__weakref__", "_storage", "address", "alive", "nbytes", "shadow", "space", "when_moved",
    )  # fmt: skip

    def __init__(
        self, space: AddressSpace, address: int, nbytes: int, storage: Storage | None = None
    ) -> None:
        self.space = space
        self.address = address
        self.nbytes = nbytes
        self.alive = True
        #: the checker's record of it, if there is a checker
        self.shadow = Shadow(address, nbytes, pinned=self.pinned)
        #: empty until the first access; `dict.setdefault` admits only one storage
        self._storage: dict[str, Storage] = {} if storage is None else {"all": storage}
        #: called before its bytes move or are released, if something remembers where they are
        self.when_moved: Callable[[Memory], object] | None = None

    @property
    def device(self) -> BaseDevice:
        """The device that allocated it."""
        return self.space.device

    @property
    def pinned(self) -> bool:
        """Whether it is pinned host memory."""
        return self.address < FIRST_ADDRESS

    @property
    def is_whole(self) -> bool:
        """Whether it is device memory without gaps."""
        return self.address >= FIRST_ADDRESS

    def room(self, offset: int) -> int:
        """Return the number of usable bytes from an offset on."""
        return self.nbytes - offset

    def numpy(self, dtype: DTypeLike | int = np.uint8) -> NDArray[Any]:
        """Return a flat array that shares the pinned memory.

        Parameters
        ----------
        dtype : dtype, optional
            Element type of the array; leftover bytes at the end are omitted.

        Raises
        ------
        AclError
            107016 for device memory, which the host can only copy; 107000 if it has been freed.

        Examples
        --------
        >>> staging = ar.Device("Atlas A2").malloc_host(8).numpy("float32")
        >>> staging[:] = 1, 2
        """
        self.device.check_process()
        if not self.pinned:
            problem = f"{self!r} is on the device; copy it with Device.memcpy"
            fail(Status.ACL_ERROR_RT_INVALID_MEMORY_TYPE, problem)
        if not self.alive:
            fail(Status.ACL_ERROR_RT_PARAM_INVALID, f"{self!r} can no longer be read")
        kind = DataType.of(dtype).numpy
        if not kind.itemsize:
            raise ArgumentTypeError(
                "dtype",
                f"is {shown(dtype)}, whose elements have no size; a type with a size is expected",
            )
        view = np.asarray(_PinnedArray(self))
        return view[: self.nbytes // kind.itemsize * kind.itemsize].view(kind)

    def content(
        self, start: int = 0, count: int | None = None, *, overwrite: bool = False
    ) -> NDArray[np.uint8]:
        """Return all bytes as an array; ``count`` bytes from ``start`` on may be accessed.

        With ``overwrite``, their old values need not be kept.
        """
        count = self.nbytes - start if count is None else count
        return self._touched(start, count, overwrite).bytes

    def place(self, start: int, count: int, *, overwrite: bool = False) -> int:
        """Return the host's address of the byte ``start``; otherwise as `content`."""
        storage = self._storage.get("all")
        if storage is None or len(storage.initialized) < storage.chunks:
            storage = self._touched(start, count, overwrite)
        return storage.first + start

    def _touched(self, start: int, count: int, overwrite: bool) -> Storage:
        storage = self._storage.get("all")
        if storage is None:
            storage = self._storage.setdefault("all", Storage(self.nbytes))
        storage.touch(start, start + count, overwrite=overwrite)
        return storage

    def share(self, storage: Storage) -> None:
        """Move the bytes to a shared storage, while no work uses them."""
        if self.when_moved is not None:
            self.when_moved(self)
        if "all" in self._storage:
            np.copyto(storage.bytes, self.content())
        else:
            storage.bytes[:] = POISON
        self._storage["all"] = storage

    def saved(self) -> NDArray[np.uint8] | None:
        """Return all bytes if any has ever been accessed."""
        return None if "all" not in self._storage else self.content()

    def release(self) -> None:
        """Release the bytes; arrays that share them stay safe to read."""
        if self.when_moved is not None:
            self.when_moved(self)
        self.alive = False
        self._storage.clear()

    def __repr__(self) -> str:
        place = "pinned memory" if self.pinned else "memory"
        state = "" if self.alive else ", freed"
        return f"<{place} of {self.nbytes} bytes at {self.address:#x}{state}>"


class _PinnedArray:
    """Bytes of pinned memory as an array interface that keeps them alive."""

    def __init__(self, memory: Memory) -> None:
        content = memory.content()
        self.owners = memory, content
        self.__array_interface__ = content.__array_interface__


class Block(ref[Memory]):
    """A weak reference to an allocation, with the addresses that it reserves."""

    __slots__ = ("address", "reserved", "shadow", "stop")

    address: int
    #: the address after it
    stop: int
    shadow: Shadow
    #: bytes that count toward the capacity
    reserved: int


_address: Final = attrgetter("address")


class Blocks(NamedTuple):
    """The allocations of a device at one time; immutable."""

    #: by address
    blocks: list[Block]
    #: sum of the bytes that they reserve
    used: int
    #: where the search for free addresses begins
    cursor: int

    def find_room(self, size: int, begin: int, base: int, alignment: int) -> int | None:
        """Return a free address, from a place in a device's range on, then from its base on."""
        for address in (begin, base):
            for block in self.blocks[bisect_left(self.blocks, address, key=_address) :]:
                if address + size <= block.address:
                    break
                address = _align(block.stop, alignment)
            if address + size <= base + _SPAN:
                return address
        return None

    def with_block(self, block: Block, cursor: int) -> Blocks:
        """Return the allocations with one more."""
        blocks = self.blocks.copy()
        blocks.insert(bisect_left(blocks, block.address, key=_address), block)
        return Blocks(blocks, self.used + block.reserved, cursor)

    def without_block(self, block: Block) -> Blocks | None:
        """Return the allocations without one of them; None if it is absent."""
        at = bisect_left(self.blocks, block.address, key=_address)
        if at == len(self.blocks) or self.blocks[at] is not block:
            return None
        blocks = self.blocks.copy()
        del blocks[at]
        return Blocks(blocks, self.used - block.reserved, self.cursor)


class AddressSpace(Handle):
    """The addresses of one device: allocates and frees memory, and finds it by address.

    Addresses are assigned in ascending order and reused only after the device's whole range has
    been used, so a stale address does not hit another allocation. Host memory for an allocation is
    taken at its first access, so a large device costs nothing.
    """

    def __init__(self, device: BaseDevice, capacity: int, padding: int) -> None:
        self.device = device
        self.capacity = capacity
        self._padding = padding
        self.number = number = next(_devices)
        #: numbers of the devices whose memory this one may copy to and from
        self.peers: set[int] = set()
        self._base = FIRST_ADDRESS + number * _SPAN
        #: first address of the separate range that is reserved without memory
        self._reservable = FIRST_ADDRESS + next(_devices) * _SPAN
        self._reserve_from = self._reservable
        self._blocks = AtomicReference(Blocks([], 0, self._base))
        #: blocks to remove unless their memory is alive; a block is added even if an interrupt
        #: comes while its memory is freed or collected
        self._freed: deque[Block] = deque()
        _spaces[number] = _spaces[(self._reservable - FIRST_ADDRESS) // _SPAN] = self

    @property
    def free_bytes(self) -> int:
        """Bytes that are not reserved."""
        self._take_out_freed()
        return self.capacity - self._blocks.load().value.used

    def allocate(self, nbytes: int, storage: Storage | None = None) -> Memory:
        """Allocate device memory, or an address for memory of another process."""
        nbytes = _checked_size(nbytes)
        reserved = (nbytes + 32 + self._padding - 1) // 32 * 32
        counted = reserved if storage is None else 0

        def make(now: Blocks) -> tuple[Memory, int, int]:
            fits = now.used + counted <= self.capacity
            address = fits and now.find_room(reserved, now.cursor, self._base, _ALIGNMENT)
            if not address:
                fail(
                    Status.ACL_ERROR_RT_MEMORY_ALLOCATION,
                    f"Failed to allocate {nbytes} bytes ({reserved} with padding):"
                    f" {self.capacity - now.used} of {self.capacity} bytes are free",
                )
            memory = Memory(self, address, nbytes, storage)
            if storage is not None:  # writes of other processes are not seen
                memory.shadow.mark_written(Span(0, nbytes, "shared memory"))
            return memory, counted, _align(address + reserved)

        return self._enter(make, "Device.malloc")

    def allocate_pinned(self, nbytes: int) -> Memory:
        """Allocate pinned host memory; its address is the one in this process."""
        nbytes = _checked_size(nbytes)
        storage = Storage(nbytes)
        storage.touch(0, nbytes)  # the program accesses its array without further calls
        address = storage.bytes.__array_interface__["data"][0]
        return self._enter(
            lambda now: (Memory(self, address, nbytes, storage), 0, now.cursor),
            "Device.malloc_host",
        )

    def reserve(self, make: Callable[[int], Memory], nbytes: int, alignment: int) -> Memory:
        """Reserve addresses for the memory that a function makes from the first address."""

        def make_there(now: Blocks) -> tuple[Memory, int, int]:
            address = now.find_room(nbytes, self._reserve_from, self._reservable, alignment)
            if address is None:
                fail(
                    Status.ACL_ERROR_RT_MEMORY_ALLOCATION,
                    f"Failed to reserve {nbytes} bytes of addresses: no free range is long enough",
                )
            return make(address), 0, now.cursor

        memory = self._enter(make_there, "reserve")
        self._reserve_from = _align(memory.address + nbytes, alignment)
        return memory

    def _enter(self, make: Callable[[Blocks], tuple[Memory, int, int]], call: str) -> Memory:
        """Add memory that is made for the allocations so far, with its size and the next cursor."""
        self._take_out_freed()  # freed pinned memory may have had the same addresses
        while True:
            before = self._blocks.load()
            memory, counted, cursor = make(before.value)
            if self.device.checker is not None:
                self.device.checker.allocate(memory.shadow, call)
            after = before.value.with_block(self._block(memory, counted), cursor)
            if self._blocks.compare_and_set(before, after):
                return memory

    def take_out(self, memory: Memory) -> None:
        """Release the bytes and addresses of memory."""
        blocks = self._blocks.load().value.blocks
        at = bisect_left(blocks, memory.address, key=_address)
        if at < len(blocks) and blocks[at]() is memory:
            self._freed.append(blocks[at])  # if this call is interrupted, the next one removes it
        memory.release()
        self._take_out_freed()

    def free(self, memory: Memory) -> None:
        """Free living memory of this device."""
        checker = self.device.checker
        if checker is not None:
            checker.check_free(memory.shadow, "Device.free")
        self.take_out(memory)

    def find_freed(self, address: int) -> Shadow | None:
        """Return the checker's record of the freed allocation at an address, if there is one."""
        self._take_out_freed()
        checker = self.device.checker
        return None if checker is None else checker.freed_at(address)

    def living(self) -> list[Memory]:
        """Return the allocations that have not been freed, by address."""
        blocks = [x for x in self._blocks.load().value.blocks if x.address < self._reservable]
        return [memory for block in blocks if (memory := block()) is not None and memory.alive]

    def reaches(self, other: AddressSpace) -> bool:
        """Tell whether either device has enabled copies between the two."""
        return other.number in self.peers or self.number in other.peers

    def find(self, address: int) -> Memory | None:
        """Return the allocation that the byte at an address belongs to."""
        blocks = self._blocks.load().value.blocks
        at = bisect_right(blocks, address, key=_address) - 1
        memory = blocks[at]() if at >= 0 else None
        if memory is None or not memory.alive or memory.room(address - memory.address) <= 0:
            return None
        return memory

    def _block(self, memory: Memory, reserved: int) -> Block:
        # a callback written in C; an interrupt could prevent a `__del__` from running
        block = Block(memory, self._freed.append)
        block.address = memory.address
        block.reserved = reserved
        block.stop = memory.address + max(reserved, 0 if memory.pinned else memory.nbytes)
        block.shadow = memory.shadow
        return block

    def _take_out_freed(self) -> None:
        """Remove the blocks whose memory was freed or collected."""
        for block in list(self._freed):
            memory = block()
            if memory is None and self.device.checker is not None:
                self.device.checker.drop(block.shadow)
            if memory is None or not memory.alive:
                while True:
                    before = self._blocks.load()
                    after = before.value.without_block(block)
                    if after is None or self._blocks.compare_and_set(before, after):
                        break
                with suppress(ValueError):
                    self._freed.remove(block)


def find_memory(address: int) -> Memory | None:
    """Return the allocation, on any device or pinned, that contains an address."""
    if address >= FIRST_ADDRESS:
        space = _spaces.get((address - FIRST_ADDRESS) // _SPAN)
        return None if space is None else space.find(address)
    # pinned memory has addresses of this process; each device lists its own
    for space in list(_spaces.values()):
        memory = space.find(address)
        if memory is not None:
            return memory
    return None


def _align(address: int, alignment: int = _ALIGNMENT) -> int:
    return (address + alignment - 1) // alignment * alignment


def _checked_size(nbytes: int) -> int:
    nbytes = integer("nbytes", nbytes)
    if not 0 < nbytes < 2**64 - _ALIGNMENT:
        problem = f"nbytes is {shown(nbytes)}; it must be ≥ 1 and, with padding, fit 64 bits"
        fail(Status.ACL_ERROR_INVALID_PARAM, problem)
    return nbytes
