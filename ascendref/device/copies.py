"""Copying and filling memory of the device and of the host."""

from __future__ import annotations

from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import import_array, write_problem
from ..core.dtypes import is_integer
from ..core.errors import ArgumentTypeError, fail, fail_argument, shown
from ..core.status import Status
from .arguments import whole_number
from .memory import AddressSpace, Memory

#: an address and a number of bytes
Range = tuple[int, int]


class Place(NamedTuple):
    """Bytes that a copy starts at."""

    #: what holds them; None for memory of the host that is not pinned
    memory: Memory | None
    #: where they start in it
    offset: int
    #: how many there are
    nbytes: int
    #: address of the first
    address: int
    #: the bytes of an array of the host
    array: NDArray[np.uint8] | None

    def bytes(self, count: int, *, overwrite: bool = False) -> NDArray[np.uint8]:
        """Return the first of them for reading or writing."""
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
    """A copy or a fill that was checked."""

    #: destination
    dst: Place
    #: source; None for a fill
    src: Place | None
    #: what a fill writes
    value: int
    #: number of bytes
    nbytes: int

    @property
    def reads(self) -> tuple[Range, ...]:
        """Byte ranges that it reads."""
        return () if self.src is None else ((self.src.address, self.nbytes),)

    @property
    def writes(self) -> tuple[Range, ...]:
        """Byte ranges that it writes."""
        return ((self.dst.address, self.nbytes),)

    @property
    def pageable(self) -> bool:
        """Whether memory of the host that is not pinned takes part."""
        return self.dst.memory is None or (self.src is not None and self.src.memory is None)

    def run(self) -> None:
        """Do it."""
        if self.src is None:
            self.dst.bytes(self.nbytes, overwrite=True)[:] = self.value
        elif self.src.address != self.dst.address:
            source = self.src.bytes(self.nbytes)
            np.copyto(self.dst.bytes(self.nbytes, overwrite=True), source)  # NumPy minds overlaps


def prepare_copy(space: AddressSpace, dst: Any, src: Any, nbytes: int | None) -> Copy | None:
    """Check a copy; None means that there is nothing to do."""
    if _nothing(nbytes):
        return None
    target = _place(space, "dst", dst)
    source = _place(space, "src", src)
    if nbytes is None:
        count = (
            target.nbytes if target.array is not None and source.array is None else source.nbytes
        )
    else:
        count = whole_number("nbytes", nbytes)
    if count == 0:
        return None
    for argument, place in (("dst", target), ("src", source)):
        _check_count(argument, place, count)
    _check_writable("dst", target, dst)
    return Copy(target, source, 0, count)


def prepare_fill(space: AddressSpace, dst: Any, value: int, nbytes: int | None) -> Copy | None:
    """Check a fill; None means that there is nothing to do."""
    if _nothing(nbytes):
        return None
    byte = whole_number("value", value) & 0xFF
    target = _place(space, "memory", dst)
    count = target.nbytes if nbytes is None else whole_number("nbytes", nbytes)
    if count == 0:
        return None
    _check_count("memory", target, count)
    _check_writable("memory", target, dst)
    return Copy(target, None, byte, count)


def resolve(space: AddressSpace, argument: str, value: Memory | int | None) -> Memory:
    """Return the living allocation of this device that an object or an address stands for."""
    if value is None:
        fail(Status.ACL_ERROR_INVALID_PARAM, f"{argument} is None; memory is expected")
    if isinstance(value, Memory):
        if value.alive and value.space is space:
            return value
        why = "belongs to another device" if value.alive else "was freed before"
        fail(Status.ACL_ERROR_RT_PARAM_INVALID, f"{argument} is {value!r}, which {why}")
    try:
        address = index(value)
    except Exception:  # what a foreign __index__ raises, too
        raise ArgumentTypeError(
            argument, f"is a {type(value).__name__}; a Memory or its address is expected"
        ) from None
    memory = space.find(address)
    if memory is None:
        fail(
            Status.ACL_ERROR_RT_PARAM_INVALID,
            f"{argument} is the address {address:#x}, which is not in living memory of this device",
        )
    return memory


def _place(space: AddressSpace, argument: str, value: Any) -> Place:
    if is_integer(value):
        value = int(value)  # an address that was reckoned with NumPy
    if value is None or isinstance(value, Memory | int):
        block = resolve(space, argument, value)
        offset = value - block.address if isinstance(value, int) else 0
        return Place(block, offset, block.nbytes - offset, block.address + offset, None)
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
        return Place(None, 0, flat.nbytes, address, flat)
    return Place(memory, address - memory.address, flat.nbytes, address, flat)  # a pinned view


def _nothing(nbytes: int | None) -> bool:
    """Tell whether no byte is to be touched: then nothing else is looked at."""
    return nbytes is not None and whole_number("nbytes", nbytes) == 0


def _check_count(argument: str, place: Place, count: int) -> None:
    if not 0 <= count <= place.nbytes:
        fail(
            Status.ACL_ERROR_RT_PARAM_INVALID,
            f"nbytes is {shown(count)}, but {argument} has {place.nbytes} bytes from"
            f" {place.address:#x} on",
        )


def _check_writable(argument: str, place: Place, value: Any) -> None:
    if place.array is not None and (problem := write_problem(argument, value, place.array)):
        fail_argument(Status.ACL_ERROR_RT_PARAM_INVALID, argument, problem)
