"""Functions of the C library: memory of the device and of the host, copies and fills."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.errors import AclError, fail
from ...core.status import Status
from ...device.device import Device
from ...device.memory.address_space import FIRST_ADDRESS, Memory, find_memory
from ...device.memory.copies import Copy, Names, prepare_copy, prepare_fill
from ...device.streams.stream import Stream
from ..constants import RT_ENUMS
from .process import process

#: names of the attributes of memory by their number
_ATTRIBUTES: Final = {number: name for name, number in RT_ENUMS["aclrtMemAttr"].items()}
#: the largest kind of copy
_LAST_KIND: Final = 5
_COPY: Final = Names(nbytes="count")
_ROWS: Final = Names(nbytes="width")
_FILL: Final = Names(dst="devPtr", nbytes="count")


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
    """Return the argument of `Device.memcpy` for an address: a device address, or a host array."""
    if address >= FIRST_ADDRESS:
        return address
    return np.asarray(_HostArray(address, nbytes))


def _keep(memory: Memory) -> int:
    process.memories[memory.address] = memory
    return memory.address


def aclrtGetMemInfo(attr: int) -> tuple[int, int]:
    """Return the current device's free and total bytes; 0 for memory that it lacks."""
    device = process.current().device
    name = _ATTRIBUTES.get(attr)
    if name is None:
        fail(
            Status.ACL_ERROR_INVALID_PARAM,
            f"attr is {attr}; a number from 0 to {max(_ATTRIBUTES)} is expected",
        )
    # a product with DDR reports it as HBM; only Atlas A2 and A3 have pages of 1 GiB
    product = device.product
    lacks = product.has_hbm if "DDR" in name else "1G" in name and product.npu_arch != 2201
    return (0, 0) if lacks else (device.memory_free, device.memory_total)


def aclrtMalloc(size: int, policy: int) -> int:
    """Allocate memory of the current device; the policy has no effect."""
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
    name = "hostPtr" if pinned else "devPtr"
    if not address:
        fail(Status.ACL_ERROR_INVALID_PARAM, f"{name} is NULL")
    memory = process.memories.get(address)
    if memory is None or memory.pinned is not pinned:
        _find_freed(name, address, pinned)
        kind = "aclrtMallocHost" if pinned else "aclrtMalloc"
        fail(
            Status.ACL_ERROR_RT_PARAM_INVALID,
            f"{name} is {address:#x}, which {kind} did not return or which has already been freed",
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


def _find_freed(name: str, address: int, pinned: bool) -> None:
    """Let the checker report memory that is freed a second time."""
    for device in [slot.device for slot in process.slots if slot.device is not None]:
        freed = device.address_space.find_freed(address)
        if freed is None or device.checker is None:
            continue
        if (freed.address, freed.pinned) == (address, pinned):
            problem = f"{name} lies in {freed}, which is freed a second time"
            device.checker.find_freed(Status.ACL_ERROR_RT_PARAM_INVALID, "lifetime", problem, freed)


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
        _copy(_device_of(device, dst, src), dst, src, count, "aclrtMemcpy", _COPY)


def aclrtMemcpyAsync(
    dst: int, dst_size: int, src: int, count: int, kind: int, stream: Stream | None
) -> None:
    """Queue a copy; with plain memory of the host, wait until it is done."""
    if not count:
        return
    device = _check_copy(dst, dst_size, src, count, kind)
    queue = process.own_stream(stream)
    _copy(device, dst, src, count, "aclrtMemcpyAsync", _COPY, queue)


def _copy(
    device: Device,
    dst: int,
    src: int,
    count: int,
    call: str,
    names: Names,
    stream: Stream | None = None,
) -> None:
    """Copy now, or queue a copy, with C's argument names in messages."""
    device.check_process()
    for name, address in ((names.dst, dst), (names.src, src)):
        _check_device(device, name, address, copies=True)
    copy = prepare_copy(device.address_space, _place(dst, count), _place(src, count), count, names)
    _run(device, copy, call, stream)


def _fill(
    device: Device, address: int, value: int, count: int, call: str, stream: Stream | None = None
) -> None:
    """Fill now, or queue a fill, with C's argument names in messages."""
    device.check_process()
    _check_device(device, _FILL.dst, address)
    fill = prepare_fill(device.address_space, _place(address, count), value, count, _FILL)
    _run(device, fill, call, stream)


def _run(device: Device, copy: Copy | None, call: str, stream: Stream | None) -> None:
    if copy is not None and stream is None:
        device.run_copy(copy, call)
    elif copy is not None:
        device.queue_copy(copy, call, stream)


def _check_device(device: Device, name: str, address: int, *, copies: bool = False) -> None:
    """Refuse an address of another device, except for copies that `peers` has enabled."""
    memory = find_memory(address) if address >= FIRST_ADDRESS else None
    if memory is None or memory.device is device:
        return
    if not (copies and memory.space.reaches(device.address_space)):
        fail(
            Status.ACL_ERROR_RT_PARAM_INVALID,
            f"{name} is {address:#x}, which belongs to device {process.number_of(memory.device)};"
            f" the call is for device {process.number_of(device)}"
            + ("; aclrtDeviceEnablePeerAccess enables copies between them" if copies else ""),
        )


def _device_of(device: Device, *addresses: int) -> Any:
    """Return the device whose memory contains one of the addresses, else the given device."""
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
    for address in rows[-1]:  # check that the last row fits before the first is copied
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
        _copy(_device_of(device, to, origin), to, origin, width, "aclrtMemcpy2d", _ROWS)


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
        _copy(device, to, origin, width, "aclrtMemcpy2dAsync", _ROWS, queue)


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
        _fill(device, address, value, count, "aclrtMemset")


def aclrtMemsetAsync(
    address: int, size: int, value: int, count: int, stream: Stream | None
) -> None:
    """Queue a fill."""
    if count:
        device = _check_fill(address, size, count)
        queue = process.own_stream(stream)
        _fill(device, address, value, count, "aclrtMemsetAsync", queue)


def aclrtMemsetD32(address: int, size: int, value: int, count: int) -> None:
    """Fill device memory with a 32-bit number now."""
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
        device.check_process()
        words = np.full(count, value, np.uint32)
        copy = prepare_copy(device.address_space, address, words, words.nbytes, _FILL)
        _run(device, copy, "aclrtMemsetD32", None)
