"""Allocation, copies, fills: behaviour and codes."""

import gc
from itertools import pairwise

import numpy as np
import pytest

import ascendref as ar

from .calls import code, content

# ---- allocation


def test_addresses_are_aligned_apart_and_no_pointers_of_the_host(dev):
    blocks = [dev.malloc(n) for n in (1, 31, 32, 33, 64, 1000)]
    for block, after in pairwise(blocks):
        assert block.address % 512 == 0
        assert block.address + block.nbytes <= after.address
        assert block.address >= 2**48
        assert not block.pinned
    other = ar.Device("Atlas A2").malloc(8)
    assert abs(other.address - blocks[0].address) >= 2**40


@pytest.mark.parametrize(
    ("nbytes", "reserved"), [(1, 64), (32, 64), (33, 96), (64, 96), (100, 160)]
)
def test_capacity_counts_size_with_padding(dev, nbytes, reserved):
    memory = dev.malloc(nbytes)
    assert dev.memory_total - dev.memory_free == reserved
    dev.free(memory)
    assert dev.memory_free == dev.memory_total


def test_memory_may_be_freed_by_its_address_to_make_room(dev):
    keep = dev.malloc(2**19)
    assert code(dev.malloc, 2**19) == 207001
    dev.free(keep.address)
    assert not keep.alive
    dev.malloc(2**19)


def test_addresses_come_back_late(dev):
    seen = set()
    for _ in range(200):
        memory = dev.malloc(2**19)
        assert memory.address not in seen
        seen.add(memory.address)
        dev.free(memory)


def test_addresses_wrap_around_living_blocks():
    dev = ar.Device("Atlas A2", memory=2**43)
    keep = dev.malloc(100)
    first = keep.address
    blocks = []
    for _ in range(5):
        block = dev.malloc(2**42)
        blocks.append((block.address, block.address + block.nbytes))
        assert block.address > first
        dev.free(block)
    assert blocks[3][0] < blocks[2][0]  # it went round
    again = dev.malloc(8)
    assert again.address != first


def test_pinned_memory_is_an_array_of_the_host(dev):
    memory = dev.malloc_host(20)
    assert memory.pinned
    assert dev.memory_free == dev.memory_total
    view = memory.numpy(np.float32)
    assert view.shape == (5,)
    view[:] = range(5)
    assert view.__array_interface__["data"][0] == memory.address
    device = dev.malloc(20)
    dev.memcpy(device, memory)
    assert content(device, "float32").tolist() == [0, 1, 2, 3, 4]
    dev.free(memory)
    assert view.tolist() == [0, 1, 2, 3, 4]  # views stay safe to read
    assert code(memory.numpy) == 107000
    assert code(dev.memcpy, device, memory) == 107000


def test_a_view_keeps_pinned_memory(dev):
    view = dev.malloc_host(8).numpy()
    gc.collect()
    stream = dev.create_stream()
    gate_open = []
    stream.launch_host_func(lambda: gate_open.append(1))
    dev.memcpy_async(dev.malloc(8), view, stream=stream)
    stream.synchronize()
    assert gate_open


# ---- copies


def test_a_count_of_zero_is_success_whatever_the_rest(dev):
    dev.memcpy(None, None, 0)
    dev.memset(None, 0, 0)
    dev.memcpy_async(None, None, 0)
    dev.memset_async(None, 0, 0)
    dev.memcpy(dev.malloc(4), np.empty(0))


def test_device_to_device_overlapping_and_in_place(dev):
    memory = dev.tensor(np.arange(10, dtype=np.uint8)).memory
    dev.memcpy(memory.address + 2, memory, 6)
    dev.memcpy(memory, memory)
    assert content(memory).tolist() == [0, 1, 0, 1, 2, 3, 4, 5, 8, 9]


def test_host_to_host(dev):
    out = np.empty(3, np.float32)
    dev.memcpy(out, np.float32([1, 2, 3]))
    assert out.tolist() == [1, 2, 3]


def test_memset_takes_the_low_byte(dev):
    memory = dev.malloc(4)
    dev.memset(memory, 0x1FE)
    dev.memset(memory.address + 1, 3, 2)
    assert content(memory).tolist() == [0xFE, 3, 3, 0xFE]
    pinned = dev.malloc_host(2)
    dev.memset(pinned, 9)
    assert pinned.numpy().tolist() == [9, 9]


def test_torch_tensors_on_either_side(dev):
    torch = pytest.importorskip("torch")
    source = torch.arange(6, dtype=torch.bfloat16)
    memory = dev.malloc(12)
    dev.memcpy(memory, source)
    target = torch.zeros(6, dtype=torch.bfloat16)
    dev.memcpy(target, memory)
    assert torch.equal(source, target)


# ---- asynchronous


def test_a_copy_between_device_memories_is_queued():
    dev = ar.Device("Atlas A2", execution="lazy", check=False)  # the host looks too early
    a, b = dev.tensor(np.float32([1, 2])), dev.empty(2, np.float32)
    dev.memcpy_async(b.memory, a.memory)
    assert np.isnan(b.numpy()).all()
    dev.synchronize()
    assert b.numpy().tolist() == [1, 2]
    dev.memset_async(b.memory, 0)
    assert b.numpy().tolist() == [1, 2]
    dev.synchronize()
    assert b.numpy().tolist() == [0, 0]


def test_a_copy_with_pageable_memory_waits_and_one_with_pinned_memory_does_not():
    dev = ar.Device("Atlas A2", execution="lazy")
    a, pinned = dev.tensor(np.uint8([1, 2])).memory, dev.malloc_host(2)
    out = np.zeros(2, np.uint8)
    dev.memcpy_async(out, a)
    assert out.tolist() == [1, 2]
    view = pinned.numpy()
    dev.memcpy_async(view, a)
    assert view.tolist() == [255, 255]
    dev.synchronize()
    assert view.tolist() == [1, 2]


def test_what_numpy_can_only_copy_is_no_destination(dev):
    class Copied:
        """Gives a copy of its data to whoever asks, as arrays on disk do."""

        def __init__(self):
            self.data = np.zeros(4, np.uint8)

        def __array__(self, dtype=None, copy=None):
            return self.data.copy()

    memory = dev.tensor(np.arange(4, dtype=np.uint8)).memory
    for call in (
        lambda dst: dev.memcpy(dst, memory),
        lambda dst: dev.memcpy_async(dst, memory),
        lambda dst: dev.memset(dst, 1),
        lambda dst: dev.memset_async(dst, 1),
    ):
        with pytest.raises(ar.AclError, match=r"(dst|memory) is a Copied that NumPy can only copy"):
            call(Copied())
    source = Copied()
    source.data[:] = 9
    dev.memcpy(memory, source)
    assert content(memory).tolist() == [9] * 4


def test_torch_views_that_numpy_can_only_copy_are_no_destination(dev):
    torch = pytest.importorskip("torch")
    memory = dev.tensor(np.zeros(2, np.float32)).memory
    with pytest.raises(ar.AclError, match=r"dst (is|has)"):
        dev.memcpy(torch._neg_view(torch.ones(2)), memory)


def test_memory_freed_before_the_copy_ran():
    dev = ar.Device("Atlas A2", execution="lazy", check="report")
    a, b = dev.malloc(8), dev.malloc(8)
    dev.memcpy_async(a, b)
    dev.free(b)
    assert [hazard.kind for hazard in dev.hazards] == ["lifetime"]
    with pytest.raises(ar.AclError, match="freed before the work") as info:
        dev.synchronize()
    assert info.value.status == 507013


def test_addresses_may_be_integers_of_numpy(dev):
    memory, tail = dev.malloc(8), np.empty(4, np.uint8)
    dev.memcpy(memory, np.arange(8, dtype=np.uint8))
    dev.memcpy(tail, np.int64(memory.address) + 4)
    assert tail.tolist() == [4, 5, 6, 7]


def test_a_copy_that_has_to_wait_is_not_queued_by_a_task(any_dev):
    memory, array, codes = any_dev.malloc(4), np.zeros(4, np.uint8), []
    any_dev.memset(memory, 0xFF)
    any_dev.default_stream.launch_host_func(
        lambda: codes.append(code(any_dev.memcpy_async, memory, array))
    )
    any_dev.synchronize()
    assert codes == [207000]
    any_dev.synchronize()
    assert content(memory).tolist() == [255] * 4
