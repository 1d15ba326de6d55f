"""Functions of the C library: memory of the device and of the host, copies and fills."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.errors import fail
from ...core.status import Status
from ...device.device import Device
from ...device.memory.address_space import FIRST_ADDRESS, Memory, find_memory
from ...device.streams.stream import Stream
from ..constants import RT_ENUMS
from .process import process

#: names of the attributes of memory by their number
_ATTRIBUTES: Final = {number: name for name, number in RT_ENUMS["aclrtMemAttr"].items()}
#: the last kind of copy that there is
_LAST_KIND: Final = 5


class _HostArray:
    """Bytes at an address of the process as an array interface."""

    def __init__(self, address: int, nbytes: int) -> None:
        self.__array_interface__ = {
            "shape": (nbytes,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
        }


def _place(address: int, nbytes: int) -> int | NDArray[np.uint8]:
    """Return what `Device.memcpy` takes for an address: that of a device, or an array."""
    if address >= FIRST_ADDRESS:
        return address
    return np.asarray(_HostArray(address, nbytes))


def _keep(memory: Memory) -> int:
    process.memories[memory.address] = memory
    return memory.address


def aclrtGetMemInfo(attr: int) -> tuple[int, int]:
    """Return the free and the total bytes of the current device; 0 for memory that it lacks."""
    device = process.current().device
    name = _ATTRIBUTES.get(attr)
    if name is None:
        fail(
            Status.ACL_ERROR_INVALID_PARAM,
            f"attr is {attr}; a number from 0 to {max(_ATTRIBUTES)} is expected",
        )
    # a product with DDR answers for HBM with it; Atlas A2 and A3 alone have pages of 1 GiB
    product = device.product
    lacks = product.has_hbm if "DDR" in name else "1G" in name and product.npu_arch != 2201
    return (0, 0) if lacks else (device.memory_free, device.memory_total)


def aclrtMalloc(size: int, policy: int) -> int:
    """Allocate memory of the current device; every policy is the same here."""
    if not size:
        fail(Status.ACL_ERROR_INVALID_PARAM, "size is 0")
    return _keep(process.current().device.malloc(size))


aclrtMallocAlign32 = aclrtMallocCached = aclrtMalloc


def aclrtMallocHost(size: int) -> int:
    """Allocate pinned memory of the host."""
    if not size:
        fail(Status.ACL_ERROR_INVALID_PARAM, "size is 0")
    return _keep(process.current().device.malloc_host(size))


def _free(address: int, *, pinned: bool, wait: bool = False) -> None:
    if not address:
        fail(Status.ACL_ERROR_INVALID_PARAM, "the address is NULL")
    memory = process.memories.get(address)
    if memory is None or memory.pinned is not pinned:
        kind = "aclrtMallocHost" if pinned else "aclrtMalloc"
        fail(
            Status.ACL_ERROR_RT_PARAM_INVALID,
            f"the address is {address:#x}, which {kind} did not return or which was freed before",
        )
    device: Any = memory.device
    if wait:
        device.synchronize()
    if process.memories.pop(address, None) is not None and memory.alive:
        device.free(memory)


def aclrtFree(address: int) -> None:
    """Free memory of a device without waiting for the work that uses it."""
    _free(address, pinned=False)


def aclrtFreeHost(address: int) -> None:
    """Free pinned memory of the host."""
    _free(address, pinned=True)


def aclrtFreeWithDevSync(address: int) -> None:
    """Wait for the device, then free memory of it."""
    _free(address, pinned=False, wait=True)


def aclrtFreeHostWithDevSync(address: int) -> None:
    """Wait for the device, then free pinned memory of the host."""
    _free(address, pinned=True, wait=True)


def _check_copy(dst: int, dst_size: int, src: int, count: int, kind: int) -> Device:
    if not (dst and src):
        fail(Status.ACL_ERROR_INVALID_PARAM, f"{'src' if dst else 'dst'} is NULL")
    if not 0 <= kind <= _LAST_KIND:
        fail(
            Status.ACL_ERROR_INVALID_PARAM,
            f"kind is {kind}; a number from 0 to {_LAST_KIND} is expected",
        )
    device = process.current().device
    if count > dst_size:
        fail(Status.ACL_ERROR_RT_PARAM_INVALID, f"count is {count}, destMax is {dst_size}")
    return device


def aclrtMemcpy(dst: int, dst_size: int, src: int, count: int, kind: int) -> None:
    """Copy now; the direction follows from the addresses."""
    if not count:
        return
    device = _check_copy(dst, dst_size, src, count, kind)
    if dst != src:
        _device_of(device, dst, src).memcpy(_place(dst, count), _place(src, count), count)


def aclrtMemcpyAsync(
    dst: int, dst_size: int, src: int, count: int, kind: int, stream: Stream | None
) -> None:
    """Queue a copy; with plain memory of the host, wait until it is done."""
    if not count:
        return
    device = _check_copy(dst, dst_size, src, count, kind)
    queue = process.own_stream(stream)
    device.memcpy_async(_place(dst, count), _place(src, count), count, stream=queue)


def _device_of(device: Device, *addresses: int) -> Any:
    """Return the device whose memory one of several addresses is in, else the given one."""
    for address in addresses:
        if address >= FIRST_ADDRESS and (memory := find_memory(address)) is not None:
            return memory.device
    return device


def _rows(
    dst: int, dst_pitch: int, src: int, src_pitch: int, width: int, height: int, kind: int
) -> tuple[Device, list[tuple[int, int]]]:
    device = _check_copy(dst, width, src, width, kind)
    if width > min(dst_pitch, src_pitch):
        fail(
            Status.ACL_ERROR_INVALID_PARAM,
            f"width is {width}, dpitch is {dst_pitch} and spitch is {src_pitch}; no row may be"
            " longer than a pitch",
        )
    rows = [(dst + k * dst_pitch, src + k * src_pitch) for k in range(height)]
    for address in rows[-1]:  # that the last row fits is checked before the first is copied
        if address >= FIRST_ADDRESS and find_memory(address + width - 1) is None:
            fail(
                Status.ACL_ERROR_RT_PARAM_INVALID,
                f"{height} rows reach the address {address + width - 1:#x}, which is not in memory"
                " of the device",
            )
    return device, rows


def aclrtMemcpy2d(
    dst: int, dst_pitch: int, src: int, src_pitch: int, width: int, height: int, kind: int
) -> None:
    """Copy rows of bytes now."""
    if not (width and height):
        return
    device, rows = _rows(dst, dst_pitch, src, src_pitch, width, height, kind)
    for to, origin in rows:
        _device_of(device, to, origin).memcpy(_place(to, width), _place(origin, width), width)


def aclrtMemcpy2dAsync(
    dst: int,
    dst_pitch: int,
    src: int,
    src_pitch: int,
    width: int,
    height: int,
    kind: int,
    stream: Stream | None,
) -> None:
    """Queue a copy of rows of bytes."""
    if not (width and height):
        return
    device, rows = _rows(dst, dst_pitch, src, src_pitch, width, height, kind)
    queue = process.own_stream(stream)
    for to, origin in rows:
        device.memcpy_async(_place(to, width), _place(origin, width), width, stream=queue)


def _check_fill(address: int, size: int, count: int) -> Device:
    if not address:
        fail(Status.ACL_ERROR_INVALID_PARAM, "devPtr is NULL")
    device = process.current().device
    if count > size:
        fail(Status.ACL_ERROR_RT_PARAM_INVALID, f"count is {count}, maxCount is {size}")
    return device


def aclrtMemset(address: int, size: int, value: int, count: int) -> None:
    """Fill bytes now."""
    if count:
        device = _device_of(_check_fill(address, size, count), address)
        device.memset(_place(address, count), value, count)


def aclrtMemsetAsync(
    address: int, size: int, value: int, count: int, stream: Stream | None
) -> None:
    """Queue a fill."""
    if count:
        device = _check_fill(address, size, count)
        queue = process.own_stream(stream)
        device.memset_async(_place(address, count), value, count, stream=queue)


def aclrtMemsetD32(address: int, size: int, value: int, count: int) -> None:
    """Fill memory of the device with a number of 32 bits, now."""
    memory = find_memory(address)
    if memory is None or address % 4 or count * 4 > size:
        fail(
            Status.ACL_ERROR_INVALID_PARAM,
            f"devPtr is {address:#x}, memSize is {size} and N is {count}; memory that the runtime"
            " allocated, an address that is a multiple of 4, and at most memSize bytes are"
            " expected",
        )
    process.current()
    device: Any = memory.device
    if count:
        device.memcpy(_place(address, count * 4), np.full(count, value, np.uint32), count * 4)
