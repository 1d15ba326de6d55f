"""Functions of the C library: memory of the device and of the host, copies and fills."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.errors import AclError
from ...core.layout import array_at
from ...core.status import Status
from ...device.device import Device
from ...device.memory.address_space import FIRST_ADDRESS, Memory, find_memory
from ...device.memory.copies import Copy, Names, prepare_copy, prepare_fill
from ...device.streams.stream import Stream
from ..constants import RT_ENUMS
from .arguments import check_given, check_size, invalid, rt_invalid
from .process import process

#: names of the attributes of memory by their number
_ATTRIBUTES: Final = {number: name for name, number in RT_ENUMS["aclrtMemAttr"].items()}
#: the largest kind of copy
_LAST_KIND: Final = 5
#: kinds of queued copies where a side, from the source to the target, is plain memory of the host;
#: between known memory, the real direction replaces the kind
_PLAIN_KINDS: Final = {
    ("plain memory", "a device"): (1, 3),
    ("a device", "plain memory"): (2, 3),
    ("pinned memory", "plain memory"): (0, 1),
    ("plain memory", "pinned memory"): (0, 2),
}
#: kinds for which the addresses decide the direction
_ANY_DIRECTION: Final = (4, 5)
_FILL: Final = Names(dst="devPtr", nbytes="count")


def _place(address: int, nbytes: int) -> int | NDArray[np.uint8]:
    """Return the argument of `Device.memcpy` for an address: a device address, or a host array."""
    if address >= FIRST_ADDRESS:
        return address
    return array_at(address, (nbytes,), np.dtype(np.uint8))


def _keep(memory: Memory) -> int:
    process.memories[memory.address] = memory
    return memory.address


def aclrtGetMemInfo(attr: int) -> tuple[int, int]:
    """Return the current device's free and total bytes; 0 for missing memory."""
    device = process.current().device
    name = _ATTRIBUTES.get(attr)
    if name is None:
        invalid(f"attr is {attr}; a number from 0 to {max(_ATTRIBUTES)} is expected")
    # a product with DDR reports it as HBM; only Atlas A2 and A3 have pages of 1 GiB
    product = device.product
    lacks = product.has_hbm if "DDR" in name else "1G" in name and product.npu_arch != 2201
    return (0, 0) if lacks else (device.memory_free, device.memory_total)


def aclrtMalloc(size: int, policy: int) -> int:
    """Allocate memory of the current device; the policy has no effect."""
    check_size(size)
    return _keep(process.current().device.malloc(size))


aclrtMallocAlign32 = aclrtMallocCached = aclrtMalloc


def aclrtMallocHost(size: int) -> int:
    check_size(size)
    return _keep(process.current().device.malloc_host(size))


def aclrtFree(address: int, *, pinned: bool = False, wait: bool = False) -> None:
    """Free memory of a device without waiting for the work that uses it."""
    name = "hostPtr" if pinned else "devPtr"
    check_given(**{name: address})
    memory = process.memories.get(address)
    if memory is None or memory.pinned is not pinned:
        _find_freed(name, address, pinned)
        kind = "aclrtMallocHost" if pinned else "aclrtMalloc"
        rt_invalid(
            f"{name} is {address:#x}, which {kind} did not return or which has already been freed"
        )
    device: Any = memory.device
    if wait:
        device.synchronize()
    if process.memories.pop(address, None) is None or not memory.alive:
        return
    try:
        device.free(memory)
    except AclError:  # queued work still needs it
        process.memories[address] = memory
        raise


#: the same for pinned memory of the host, and after waiting for the device
aclrtFreeHost = partial(aclrtFree, pinned=True)
aclrtFreeWithDevSync = partial(aclrtFree, wait=True)
aclrtFreeHostWithDevSync = partial(aclrtFree, pinned=True, wait=True)


def _find_freed(name: str, address: int, pinned: bool) -> None:
    """Let the checker report memory that is freed a second time."""
    for device in [slot.device for slot in process.slots if slot.device is not None]:
        freed = device.address_space.find_freed(address)
        if freed is None or device.checker is None:
            continue
        if (freed.address, freed.pinned) == (address, pinned):
            problem = f"{name} lies in {freed}, which is freed a second time"
            device.checker.find_freed(Status.ACL_ERROR_RT_PARAM_INVALID, "lifetime", problem, freed)


def _check_copy(dst: int, dst_size: int, src: int, count: int, kind: int) -> Device:
    check_given(dst=dst, src=src)
    if not 0 <= kind <= _LAST_KIND:
        invalid(f"kind is {kind}; a number from 0 to {_LAST_KIND} is expected")
    device = process.current().device
    if count > dst_size:
        rt_invalid(f"count is {count}, destMax is {dst_size}")
    return device


def _check_kind(dst: int, src: int, kind: int) -> None:
    sides = _side(src), _side(dst)
    allowed = _PLAIN_KINDS.get(sides)
    if allowed is not None and kind not in (*allowed, *_ANY_DIRECTION):
        rt_invalid(
            f"kind is {kind}; for a copy from {sides[0]} to {sides[1]}, {allowed[0]} and"
            f" {allowed[1]} are allowed"
        )


def _side(address: int) -> str:
    memory = find_memory(address)
    if memory is not None and memory.pinned:
        return "pinned memory"
    return "a device" if address >= FIRST_ADDRESS else "plain memory"


class _Way(NamedTuple):
    """How a call runs: now, or on a stream if it has that argument."""

    device: Device
    call: str
    stream: Stream | None

    @classmethod
    def of(
        cls, call: str, device: Device, stream: tuple[Stream | None, ...], *addresses: int
    ) -> _Way:
        """Return the way of a call; one that runs now is for the device of an address."""
        if stream:
            return cls(device, f"{call}Async", process.own_stream(*stream))
        for address in addresses:
            if address >= FIRST_ADDRESS and (memory := find_memory(address)) is not None:
                owner: Any = memory.device
                return cls(owner, call, None)
        return cls(device, call, None)

    def run(self, copy: Copy | None) -> None:
        """Run or queue a copy or fill."""
        if copy is not None and self.stream is None:
            self.device.run_copy(copy, self.call)
        elif copy is not None:
            self.device.queue_copy(copy, self.call, self.stream)

    def check(self, name: str, address: int, *, copies: bool = False) -> None:
        """Refuse an address of another device, except for copies that were enabled."""
        self.device.check_process()
        memory = find_memory(address) if address >= FIRST_ADDRESS else None
        if memory is None or memory.device is self.device:
            return
        if not (copies and memory.space.reaches(self.device.address_space)):
            rt_invalid(
                f"{name} is {address:#x}, which belongs to device"
                f" {process.number_of(memory.device)}; the call is for device"
                f" {process.number_of(self.device)}"
                + ("; aclrtDeviceEnablePeerAccess enables copies between them" if copies else "")
            )


def _copy(way: _Way, dst: int, src: int, count: int, names: Names) -> None:
    way.check(names.dst, dst, copies=True)
    way.check(names.src, src, copies=True)
    space = way.device.address_space
    way.run(prepare_copy(space, _place(dst, count), _place(src, count), count, names))


def aclrtMemcpy(
    dst: int, dst_size: int, src: int, count: int, kind: int, *stream: Stream | None
) -> None:
    """Copy now; the direction follows from the addresses."""
    if not count:
        return
    device = _check_copy(dst, dst_size, src, count, kind)
    way = _Way.of("aclrtMemcpy", device, stream, dst, src)
    if stream:
        _check_kind(dst, src, kind)
    if stream or dst != src:
        _copy(way, dst, src, count, Names(nbytes="count"))


def aclrtMemcpy2d(
    dst: int,
    dst_pitch: int,
    src: int,
    src_pitch: int,
    width: int,
    height: int,
    kind: int,
    *stream: Stream | None,
) -> None:
    """Copy rows of bytes now."""
    if not (width and height):
        return
    device = _check_copy(dst, width, src, width, kind)
    if width > min(dst_pitch, src_pitch):
        invalid(
            f"width is {width}, dpitch is {dst_pitch} and spitch is {src_pitch}; no row may be"
            " longer than a pitch"
        )
    # that all rows fit, before the first is copied
    _check_rows("dst", dst, dst_pitch, width, height)
    _check_rows("src", src, src_pitch, width, height)
    way = _Way.of("aclrtMemcpy2d", device, stream, dst, src)
    for k in range(height):
        _copy(way, dst + k * dst_pitch, src + k * src_pitch, width, Names(nbytes="width"))


def _check_rows(name: str, address: int, pitch: int, width: int, height: int) -> None:
    """Refuse rows of device memory that are not all in living memory.

    Whether the first one is, its copy checks, which also tells the checker of freed memory.
    """
    memory = find_memory(address) if address >= FIRST_ADDRESS else None
    if memory is None:
        return
    end = address + (height - 1) * pitch + width
    if end <= memory.address + memory.nbytes:
        return
    if find_memory(end - 1) is None:
        rt_invalid(
            f"{height} rows reach the address {end - 1:#x}, which is not in memory of the device"
        )
    for row in range(address, end, pitch):
        memory = find_memory(row)
        if memory is None or row + width > memory.address + memory.nbytes:
            rt_invalid(
                f"{name} has a row at {row:#x}, whose {width} bytes are not in memory of the device"
            )


def aclrtMemset(address: int, size: int, value: int, count: int, *stream: Stream | None) -> None:
    if not count:
        return
    check_given(devPtr=address)
    device = process.current().device
    if count > size:
        rt_invalid(f"count is {count}, maxCount is {size}")
    way = _Way.of("aclrtMemset", device, stream, address)
    way.check(_FILL.dst, address)
    way.run(prepare_fill(way.device.address_space, _place(address, count), value, count, _FILL))


#: the same with a stream, in which the work is queued; a copy of plain memory of the host waits
aclrtMemcpyAsync, aclrtMemcpy2dAsync, aclrtMemsetAsync = aclrtMemcpy, aclrtMemcpy2d, aclrtMemset


def aclrtMemsetD32(address: int, size: int, value: int, count: int) -> None:
    """Fill device memory with a 32-bit number now."""
    memory = find_memory(address)
    if memory is None or address % 4 or count * 4 > size:
        invalid(
            f"devPtr is {address:#x}, memSize is {size} and N is {count}; memory that the runtime"
            " allocated, an address that is a multiple of 4, and at most memSize bytes are"
            " expected"
        )
    process.current()
    owner: Any = memory.device
    way = _Way(owner, "aclrtMemsetD32", None)
    if count:
        way.device.check_process()
        words = np.full(count, value, np.uint32)
        way.run(prepare_copy(way.device.address_space, address, words, words.nbytes, _FILL))
