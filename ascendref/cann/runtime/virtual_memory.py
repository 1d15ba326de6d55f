"""Functions of the C library: reserved addresses, and physical memory mapped to them."""

import ctypes
from typing import Final

from ...device.memory.address_space import find_memory
from ...device.memory.virtual_memory import GRANULARITY, PhysicalMemory, ReservedMemory
from ..structures import Location, PhysicalProperties
from .arguments import (
    check_either,
    check_flag,
    check_given,
    check_size,
    check_zero,
    invalid,
    rt_invalid,
    unsupported,
)
from .process import process

_DEVICE: Final = 1
#: attributes of memory of a device: ACL_HBM_MEM_HUGE, _NORMAL, ACL_MEM_NORMAL, _HUGE, _P2P_...
_ATTRIBUTES: Final = (4, 5, 12, 13, 15, 16)


def _properties(address: int) -> PhysicalProperties:
    check_given(prop=address)
    given = PhysicalProperties.from_buffer_copy(PhysicalProperties.from_address(address))
    if given.handle_type or given.allocation_type:
        invalid(
            f"handleType is {given.handle_type}, allocationType is {given.allocation_type};"
            " ACL_MEM_HANDLE_TYPE_NONE and ACL_MEM_ALLOCATION_TYPE_PINNED are expected"
        )
    if given.attribute not in _ATTRIBUTES or given.location.type != _DEVICE:
        unsupported(
            f"memAttr is {given.attribute}, location.type is {given.location.type}; memory of the"
            " host and pages of 1 GiB are not emulated"
        )
    return given


def aclrtMallocPhysical(size: int, prop: int, flags: int) -> PhysicalMemory:
    """Allocate memory of a device without an address."""
    check_size(size)
    check_zero("0", flags=flags)
    process.current()
    given = _properties(prop)
    return PhysicalMemory(process.device(given.location.id).address_space, size)


aclrtFreePhysical = PhysicalMemory.free


def aclrtReserveMemAddress(size: int, alignment: int, expected: int, flags: int) -> int:
    """Reserve addresses of the current device, or of the first device without a context."""
    check_size(size)
    check_zero("0", alignment=alignment)
    check_flag(flags)
    if expected:
        unsupported(f"expectPtr is {expected:#x}; the emulated device chooses addresses itself")
    context = process.context
    device = process.device(0 if context is None else context.number)
    made = ReservedMemory.reserve(device.address_space, size)
    process.reservations[made.address] = made
    return made.address


def aclrtReleaseMemAddress(address: int) -> None:
    check_given(virPtr=address)
    reserved = process.reservations.get(address)
    if reserved is None or reserved.mappings:
        why = "which aclrtReserveMemAddress did not return" if reserved is None else "still mapped"
        rt_invalid(f"virPtr is {address:#x}, {why}")
    if process.reservations.pop(address, None) is not None:
        reserved.space.take_out(reserved)


def _reserved_at(address: int) -> ReservedMemory:
    check_given(virPtr=address)
    for reserved in list(process.reservations.values()):
        if reserved.address <= address < reserved.address + reserved.nbytes:
            return reserved
    rt_invalid(f"virPtr is {address:#x}, which aclrtReserveMemAddress did not reserve")


def aclrtMapMem(address: int, size: int, offset: int, handle: PhysicalMemory, flags: int) -> None:
    check_size(size)
    check_zero("0", offset=offset, flags=flags)
    process.current()
    reserved = _reserved_at(address)
    if size != handle.nbytes:
        rt_invalid(
            f"size is {size}; the handle's memory has {handle.nbytes} bytes, all of which are"
            " mapped"
        )
    reserved.map(address - reserved.address, handle)


def aclrtUnmapMem(address: int) -> None:
    reserved = _reserved_at(address)
    if not reserved.unmap(address - reserved.address):
        rt_invalid(f"virPtr is {address:#x}, where no mapping begins")


def aclrtMemGetAllocationGranularity(prop: int, option: int) -> int:
    _properties(prop)
    check_either("option", option, "ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM", "_RECOMMENDED")
    return GRANULARITY


def aclrtMemGetAllocationPropertiesFromHandle(handle: PhysicalMemory, prop: int) -> None:
    check_given(prop=prop)
    number = next(
        slot.number for slot in process.slots if slot.device is handle.backing.space.device
    )
    found = PhysicalProperties(attribute=_ATTRIBUTES[0], location=Location(id=number, type=_DEVICE))
    ctypes.memmove(prop, ctypes.byref(found), ctypes.sizeof(found))


def aclrtMemGetAddressRange(address: int) -> tuple[int, int]:
    """Return the first address and size of the allocation or mapping that contains an address."""
    memory = find_memory(address)
    if memory is None:
        rt_invalid(f"ptr is {address:#x}, which is not in memory of the runtime")
    if isinstance(memory, ReservedMemory):
        offset = address - memory.address
        for start, stop, _ in memory.mappings:
            if start <= offset < stop:
                return memory.address + start, stop - start
    return memory.address, memory.nbytes
