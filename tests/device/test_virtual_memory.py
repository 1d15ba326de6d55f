"""Reserved addresses with physical memory behind parts of them."""

import numpy as np
import pytest

import ascendref as ar
from ascendref.device.memory.virtual_memory import GRANULARITY, PhysicalMemory, ReservedMemory


@pytest.fixture
def dev():
    return ar.Device("Atlas A2", execution="lazy", memory=64 * GRANULARITY)


@pytest.fixture
def reserved(dev):
    """Four pages of addresses, of which the second and third have memory."""
    made = ReservedMemory.reserve(dev.address_space, 4 * GRANULARITY)
    for place in (1, 2):
        made.map(place * GRANULARITY, PhysicalMemory(dev.address_space, GRANULARITY))
    return made


def test_released_addresses_come_back_last(dev, reserved):
    first = ReservedMemory.reserve(dev.address_space, 1)
    assert first.nbytes == GRANULARITY
    dev.address_space.take_out(first)
    again = ReservedMemory.reserve(dev.address_space, 1)
    assert again.address > first.address
    with pytest.raises(ar.AclError) as error:
        ReservedMemory.reserve(dev.address_space, 2**44)
    assert error.value.status == 207001


def test_new_memory_is_poisoned_wherever_it_is_mapped(dev, reserved):
    address = reserved.address + GRANULARITY
    dev.memset(address, 1, GRANULARITY)
    physical = reserved.mappings[0].physical
    physical.free()
    assert reserved.unmap(GRANULARITY)
    assert not physical.backing.alive
    reserved.map(GRANULARITY, PhysicalMemory(dev.address_space, GRANULARITY))
    content = np.empty(4, np.uint8)
    with pytest.raises(ar.HazardError) as error:
        dev.memcpy(content, address)
    assert error.value.kind == "uninitialized-read"
    unchecked = reserved.content(GRANULARITY, GRANULARITY)[GRANULARITY : 2 * GRANULARITY]
    assert (unchecked == 0xFF).all()


def test_work_that_needs_what_is_unmapped_is_found(dev, reserved):
    address = reserved.address + GRANULARITY
    dev.memset_async(address + GRANULARITY, 1, 4)
    assert reserved.unmap(GRANULARITY)  # the other mapping
    with pytest.raises(ar.HazardError) as error:
        reserved.unmap(2 * GRANULARITY)
    assert error.value.kind == "lifetime"
    dev.synchronize()
    assert reserved.unmap(2 * GRANULARITY)


def test_work_behind_an_unmapping_fails_and_touches_nothing():
    dev = ar.Device("Atlas A2", execution="lazy", check=False)
    reserved = ReservedMemory.reserve(dev.address_space, GRANULARITY)
    reserved.map(0, PhysicalMemory(dev.address_space, GRANULARITY))
    dev.memset_async(reserved.address, 1, 4)
    reserved.unmap(0)
    with pytest.raises(ar.AclError, match="no longer mapped"):
        dev.synchronize()


def test_what_leaks_is_physical_memory(dev, reserved):
    assert len(dev.find_leaks()) == len(reserved.mappings)
    assert repr(reserved).endswith(f"of which {2 * GRANULARITY} are mapped>")
