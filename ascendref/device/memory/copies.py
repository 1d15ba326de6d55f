"""memcpy and memset: argument checks and execution."""

from operator import index
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import import_array, write_problem
from ...core.dtypes import is_integer
from ...core.errors import ArgumentTypeError, fail, fail_argument, shown
from ...core.status import Status
from ..arguments import integer
from ..checker.checker import Access, Checker
from ..checker.hazards import HazardKind
from ..checker.pinned import PinnedCopy
from ..checker.shadow import Shadow, Span
from .address_space import AddressSpace, Memory, find_memory


class Names(NamedTuple):
    """Names of the arguments of a copy or fill, for messages."""

    dst: str = "dst"
    src: str = "src"
    nbytes: str = "nbytes"


_COPY: Final = Names()
_FILL: Final = Names(dst="memory")


class Location(NamedTuple):
    """The bytes from an address to the end of its memory."""

    #: the allocation; None for host memory that is not pinned
    memory: Memory | None
    #: offset of the first byte in the allocation
    offset: int
    nbytes: int
    address: int
    #: the bytes, if they were given as an array
    array: NDArray[np.uint8] | None

    def accesses(self, count: int, name: str) -> tuple[Access, ...]:
        """Return the checker's record of an access to the first bytes; empty without a checker."""
        if self.memory is None:
            return ()
        return ((self.memory.shadow, Span(self.offset, count, name)),)

    def bytes(self, count: int, *, overwrite: bool = False) -> NDArray[np.uint8]:
        """Return the first bytes for reading or writing."""
        if self.memory is None:
            assert self.array is not None
            return self.array[:count]
        if not self.memory.alive:
            fail(
                Status.ACL_ERROR_RT_SYS_DMA,
                f"{self.memory!r} was freed before the work that uses it ran; synchronize before"
                " freeing",
            )
        content = self.memory.content(self.offset, count, overwrite=overwrite)
        return content[self.offset : self.offset + count]


class Copy(NamedTuple):
    """A copy or fill with checked arguments."""

    dst: Location
    #: None for a fill
    src: Location | None
    #: the byte that a fill writes
    value: int
    nbytes: int
    names: Names

    @property
    def reads(self) -> tuple[Access, ...]:
        return () if self.src is None else self.src.accesses(self.nbytes, self.names.src)

    @property
    def writes(self) -> tuple[Access, ...]:
        return self.dst.accesses(self.nbytes, self.names.dst)

    @property
    def to_host(self) -> bool:
        return self.dst.memory is None or self.dst.memory.pinned

    @property
    def pageable(self) -> bool:
        """Whether it reads or writes host memory that is not pinned."""
        return self.dst.memory is None or (self.src is not None and self.src.memory is None)

    def run(self) -> None:
        if self.src is None:
            self.dst.bytes(self.nbytes, overwrite=True)[:] = self.value
        elif self.src.address != self.dst.address:
            source = self.src.bytes(self.nbytes)
            # NumPy handles overlaps
            np.copyto(self.dst.bytes(self.nbytes, overwrite=True), source)


def prepare_copy(
    space: AddressSpace, dst: object, src: object, nbytes: int | None, names: Names = _COPY
) -> Copy | None:
    """Check the arguments of a copy; None if it has no bytes."""
    if _is_zero(nbytes):
        return None
    target = _locate(space, names.dst, dst)
    source = _locate(space, names.src, src)
    if nbytes is None:
        whole = target if target.array is not None and source.array is None else source
        count = whole.nbytes
    else:
        count = integer("nbytes", nbytes)
    if count == 0:
        return None
    for argument, location in ((names.dst, target), (names.src, source)):
        _check_count(argument, location, count, names)
    _check_writable(names.dst, target, dst)
    return Copy(target, source, 0, count, names)


def prepare_fill(
    space: AddressSpace, dst: object, value: int, nbytes: int | None, names: Names = _FILL
) -> Copy | None:
    """Check the arguments of a fill; None if it has no bytes."""
    if _is_zero(nbytes):
        return None
    byte = integer("value", value) & 0xFF
    target = _locate(space, names.dst, dst)
    count = target.nbytes if nbytes is None else integer("nbytes", nbytes)
    if count == 0:
        return None
    _check_count(names.dst, target, count, names)
    _check_writable(names.dst, target, dst)
    return Copy(target, None, byte, count, names)


def locate(space: AddressSpace, argument: str, address: int, nbytes: int) -> Location:
    """Return the bytes from a device address on; 100000 for NULL, 107000 if they are too few."""
    if not address:
        fail(Status.ACL_ERROR_INVALID_PARAM, f"{argument} is NULL; memory is expected")
    found = _locate(space, argument, address)
    _check_count(argument, found, nbytes, _COPY)
    return found


def watch_pinned(copy: Copy, checker: Checker) -> list[PinnedCopy]:
    """Return the sides of a copy to be queued on which the host's accesses are watched.

    There are none while host functions may run, because they may access any pinned memory.
    """
    if checker.functions.may_run:
        return []
    return [
        PinnedCopy(
            memory.shadow,
            Span(location.offset, copy.nbytes, name),
            memory.content(),
            writes=location is copy.dst,
            known=checker.host.clock,
        )
        for location, name in ((copy.dst, copy.names.dst), (copy.src, copy.names.src))
        if location is not None and (memory := location.memory) is not None and memory.pinned
    ]


def resolve(
    space: AddressSpace,
    argument: str,
    value: Memory | int | None,
    hazard: HazardKind = "use-after-free",
) -> Memory:
    """Return the living allocation that an argument names, by object or address."""
    checker = space.device.checker
    if value is None:
        fail(Status.ACL_ERROR_INVALID_PARAM, f"{argument} is None; memory is expected")
    if isinstance(value, Memory):
        if value.alive and value.space is space:
            return value
        why = "belongs to another device" if value.alive else "has already been freed"
        if checker is not None and not value.alive:
            _find_freed(checker, hazard, argument, value.shadow)
        fail(Status.ACL_ERROR_RT_PARAM_INVALID, f"{argument} is {value!r}, which {why}")
    try:
        address = index(value)
    except Exception:  # raised by another library's __index__
        raise ArgumentTypeError(
            argument, f"is a {type(value).__name__}; a Memory or its address is expected"
        ) from None
    memory = space.find(address)
    if memory is None:
        freed = space.find_freed(address)
        if checker is not None and freed is not None:
            _find_freed(checker, hazard, argument, freed)
        other = find_memory(address)
        why = "belongs to another device" if other else "is not in living memory of this device"
        problem = f"{argument} is the address {address:#x}, which {why}"
        fail(Status.ACL_ERROR_RT_PARAM_INVALID, problem)
    return memory


def _find_freed(checker: Checker, hazard: HazardKind, argument: str, shadow: Shadow) -> None:
    what = "freed a second time" if hazard == "lifetime" else "used after it was freed"
    problem = f"{argument} lies in {shadow}, which is {what}"
    checker.find_freed(Status.ACL_ERROR_RT_PARAM_INVALID, hazard, problem, shadow)


def _locate(space: AddressSpace, argument: str, value: object) -> Location:
    if is_integer(value):
        value = int(value)  # an address may be a NumPy integer
    if value is None or isinstance(value, Memory | int):
        block = _memory_of_peer(space, value) or resolve(space, argument, value)
        offset = value - block.address if isinstance(value, int) else 0
        return Location(block, offset, block.room(offset), block.address + offset, None)
    array = import_array(argument, value).array
    if not array.flags.c_contiguous:
        fail_argument(
            Status.ACL_ERROR_RT_PARAM_INVALID,
            argument,
            f"has shape {array.shape} and strides {array.strides}; bytes are copied, so a"
            " C-contiguous array is expected (numpy.ascontiguousarray makes one)",
        )
    if array.dtype.hasobject:
        raise ArgumentTypeError(argument, "holds Python objects, which have no bytes to copy")
    flat = array.reshape(-1).view(np.uint8) if array.size else np.empty(0, np.uint8)
    address = flat.__array_interface__["data"][0]
    memory = space.find(address)
    if memory is None:
        return Location(None, 0, flat.nbytes, address, flat)
    # an array over pinned memory
    return Location(memory, address - memory.address, flat.nbytes, address, flat)


def _memory_of_peer(space: AddressSpace, value: Memory | int | None) -> Memory | None:
    """Return the allocation that an argument names, if copies to its device are enabled."""
    memory = find_memory(value) if isinstance(value, int) else value
    if memory is None or memory.space is space or memory.pinned or not memory.alive:
        return None
    return memory if space.reaches(memory.space) else None


def _is_zero(nbytes: int | None) -> bool:
    """Tell whether the size is given as 0; then no other argument is checked."""
    return nbytes is not None and integer("nbytes", nbytes) == 0


def _check_count(argument: str, location: Location, count: int, names: Names) -> None:
    if not 0 <= count <= location.nbytes:
        fail(
            Status.ACL_ERROR_RT_PARAM_INVALID,
            f"{names.nbytes} is {shown(count)}, but {argument} has {location.nbytes} bytes from"
            f" {location.address:#x} on",
        )


def _check_writable(argument: str, location: Location, value: object) -> None:
    if location.array is not None and (problem := write_problem(argument, value, location.array)):
        fail_argument(Status.ACL_ERROR_RT_PARAM_INVALID, argument, problem)
