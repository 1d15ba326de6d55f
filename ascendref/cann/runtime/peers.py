"""Functions of the C library: copies between devices, which have to be enabled."""

import os
from typing import Final

from ...core.errors import fail
from ...core.status import Status
from .arguments import invalid, rt_invalid, unsupported
from .process import process

#: the architecture without copies between devices
_ALONE: Final = 3002


def _check_pair(number: int, peer: int) -> None:
    process.slot(number)
    process.slot(peer)
    if number == peer:
        invalid(f"peerDeviceId is {peer}, which is the device itself; another one is expected")


def aclrtDeviceCanAccessPeer(number: int, peer: int) -> int:
    _check_pair(number, peer)
    return int(process.settings.product.npu_arch != _ALONE)


def _current_and(peer: int) -> tuple[set[int], int]:
    """Return the peers of the current device, and the number of an address space."""
    context = process.current()
    _check_pair(context.number, peer)
    if process.settings.product.npu_arch == _ALONE:
        unsupported(f"devices of {process.settings.product.name} cannot copy to each other")
    return context.device.address_space.peers, process.device(peer).address_space.number


def aclrtDeviceEnablePeerAccess(peer: int, flags: int) -> None:
    if flags:
        fail(Status.ACL_ERROR_FEATURE_UNSUPPORTED, f"flags is {flags:#x}; 0 is expected")
    peers, number = _current_and(peer)
    peers.add(number)


def aclrtDeviceDisablePeerAccess(peer: int) -> None:
    peers, number = _current_and(peer)
    peers.discard(number)


def aclrtDevicePeerAccessStatus(number: int, peer: int) -> int:
    count = len(process.slots)
    if not (0 <= number < count and 0 <= peer < count):
        rt_invalid(
            f"deviceId is {number}, peerDeviceId is {peer}; there are {count} devices, from 0 on"
        )
    one, other = process.slots[number].device, process.slots[peer].device
    if one is None or other is None:
        return 0
    return int(other.address_space.number in one.address_space.peers)


#: the number by which other processes refer to this one
aclrtDeviceGetBareTgid = os.getpid
