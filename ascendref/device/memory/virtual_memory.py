"""Addresses that are reserved without memory, and memory without addresses to map to them."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, NamedTuple

from ...core.errors import fail
from ...core.status import Status
from ..checker.shadow import Span
from ..handle import Handle
from ..lock_free import AtomicReference
from .address_space import AddressSpace, Memory
from .storage import Storage

#: sizes and addresses of mappings are multiples of this
GRANULARITY: Final = 2**21


class PhysicalMemory(Handle):
    """Memory of a device without an address."""

    def __init__(self, space: AddressSpace, nbytes: int) -> None:
        self.nbytes = nbytes
        #: reserves the capacity; holds the bytes while they are not mapped, at a private address
        self.backing = space.allocate(nbytes)
        #: where it was mapped last
        self.reservation: ReservedMemory | None = None
        #: False after it has been freed; if it is mapped then, unmapping it releases the memory
        self.alive = True

    def __repr__(self) -> str:
        return f"<physical memory of {self.nbytes} bytes{'' if self.alive else ', freed'}>"

    @property
    def mapped(self) -> bool:
        place = self.reservation
        return place is not None and any([x.physical is self for x in place.mappings])

    def free(self) -> None:
        """Free it; a mapping stays until it is unmapped."""
        self.alive = False
        self.free_if_unused()

    def free_if_unused(self) -> None:
        """Release the memory if it was freed and is not mapped."""
        if self.backing.alive and not self.alive and not self.mapped:
            self.backing.space.free(self.backing)


class Mapping(NamedTuple):
    """Physical memory at a place in reserved memory."""

    start: int
    stop: int
    physical: PhysicalMemory


class _Mapped(NamedTuple):
    """The mappings at one time; immutable."""

    mappings: tuple[Mapping, ...]
    #: first and last bounds of the ranges without gaps
    starts: list[int]
    stops: list[int]

    @classmethod
    def of(cls, mappings: list[Mapping]) -> _Mapped:
        ordered = sorted(mappings, key=lambda mapping: mapping.start)
        starts: list[int] = []
        stops: list[int] = []
        for mapping in ordered:
            if stops and stops[-1] == mapping.start:
                stops[-1] = mapping.stop
            else:
                starts.append(mapping.start)
                stops.append(mapping.stop)
        return cls(tuple(ordered), starts, stops)


class ReservedMemory(Memory):
    """Reserved addresses of a device; tensors and copies can use the parts that are mapped."""

    __slots__ = ("_mapped", "_sparse")

    def __init__(self, space: AddressSpace, address: int, nbytes: int) -> None:
        self._mapped = AtomicReference(_Mapped.of([]))
        self._sparse = Storage(nbytes, sparse=True)
        super().__init__(space, address, nbytes, self._sparse)

    @classmethod
    def reserve(cls, space: AddressSpace, nbytes: int) -> ReservedMemory:
        """Reserve addresses; 207001 if there is no free range of that size."""
        size = -(-nbytes // GRANULARITY) * GRANULARITY
        made = space.reserve(lambda address: cls(space, address, size), size, GRANULARITY)
        assert isinstance(made, cls)
        return made

    @property
    def mappings(self) -> tuple[Mapping, ...]:
        return self._mapped.load().value.mappings

    @property
    def is_whole(self) -> bool:
        """Whether all of it is mapped."""
        return self.room(0) == self.nbytes

    def room(self, offset: int) -> int:
        """Return the number of bytes mapped without a gap from an offset on."""
        _, starts, stops = self._mapped.load().value
        at = bisect_right(starts, offset) - 1
        return max(0, stops[at] - offset) if at >= 0 else 0

    def place(self, start: int, count: int, *, overwrite: bool = False) -> int:
        return self._touched(start, count, overwrite).first + start

    def _touched(self, start: int, wanted: int, overwrite: bool) -> Storage:
        if wanted and self.room(start) < wanted:
            fail(
                Status.ACL_ERROR_RT_SYS_DMA,
                f"{wanted} bytes at {self.address + start:#x} are no longer mapped; synchronize"
                " before unmapping",
            )
        return super()._touched(start, wanted, overwrite)

    def map(self, offset: int, physical: PhysicalMemory) -> None:
        """Map physical memory; its content is kept."""
        stop = offset + physical.nbytes
        while True:
            before = self._mapped.load()
            mappings = before.value.mappings
            problem = self._problem(offset, physical, mappings)
            if problem:
                fail(Status.ACL_ERROR_RT_PARAM_INVALID, problem)
            saved = physical.backing.saved()
            self._sparse.discard(offset, stop)
            if saved is not None:
                self._sparse.touch(offset, stop, overwrite=True)
                self._sparse.bytes[offset:stop] = saved
            self.shadow.renew(Span(offset, physical.nbytes, "mapping"))
            if saved is not None:
                self.shadow.mark_written(Span(offset, physical.nbytes, "mapping"))
            physical.reservation = self
            after = _Mapped.of([*mappings, Mapping(offset, stop, physical)])
            if self._mapped.compare_and_set(before, after):
                return

    def _problem(self, offset: int, physical: PhysicalMemory, mappings: tuple[Mapping, ...]) -> str:
        stop = offset + physical.nbytes
        if physical.backing.space is not self.space:
            return f"{physical!r} and the addresses of {self.device!r} belong to different devices"
        if offset % GRANULARITY or physical.nbytes % GRANULARITY or stop > self.nbytes:
            return (
                f"{physical.nbytes} bytes do not fit at offset {offset} of {self.nbytes} reserved"
                f" bytes; offset and size must be multiples of {GRANULARITY}"
            )
        if physical.mapped:
            return f"{physical!r} is already mapped; unmap it first"
        for other in mappings:
            if other.start < stop and offset < other.stop:
                return f"{self.address + other.start:#x} is already mapped; unmap it first"
        return ""

    def unmap(self, offset: int) -> bool:
        """Remove the mapping that begins at an offset; return whether there was one."""
        while True:
            before = self._mapped.load()
            found = [x for x in before.value.mappings if x.start == offset]
            if not found:
                return False
            (mapping,) = found
            start, stop, physical = mapping
            checker = self.device.checker
            if checker is not None:
                segments = self.shadow.segments(Span(start, stop - start, "mapping"))
                checker.check_done(self.shadow, segments, "unmap")
            if physical.alive:
                kept = physical.backing.content(overwrite=True)
                self._sparse.touch(start, stop)
                kept[:] = self._sparse.bytes[start:stop]
            after = _Mapped.of([x for x in before.value.mappings if x is not mapping])
            if self._mapped.compare_and_set(before, after):
                self._sparse.discard(start, stop)
                physical.free_if_unused()
                return True

    def __repr__(self) -> str:
        mapped = sum(mapping.stop - mapping.start for mapping in self.mappings)
        state = "" if self.alive else ", released"
        return (
            f"<{self.nbytes} reserved bytes at {self.address:#x}, of which {mapped} are"
            f" mapped{state}>"
        )
