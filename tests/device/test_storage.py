"""The bytes of allocations: poisoned, and without host memory until they are accessed.

The devices do not check: most tests look at bytes that nothing wrote.
"""

import os
import random
import resource
import sys
import threading
from functools import partial

import numpy as np
import pytest

import ascendref as ar

from ..support.two_phase import queue
from .calls import content, in_threads
from .test_process import run

MANY = 3 * 2**18 + 1000  # bytes in several chunks, the last of them not whole


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    "touch",
    [
        "dev.memcpy(memory.address + place, np.ones(1, np.uint8))",
        "dev.memset(memory.address + place, 1, 1)",
        "(dev.memset_async(memory.address + place, 1, 1), dev.synchronize())",
        "dev.memcpy(np.zeros(1, np.uint8), memory.address + place, 1)",
        "ar.Tensor(memory, (2,), 'int8', offset=place).numpy()",
        "ar.Tensor(memory, (3, 5), 'int8', strides=(100, 7), offset=place).numpy()",
        "compute(ar.Tensor(memory, (4,), 'float32', strides=(9,), offset=place // 4))",
    ],
)
def test_storage_takes_host_memory_where_it_is_accessed(touch):
    code, out, err = run(
        f"""
        import resource, sys
        import numpy as np, ascendref as ar
        from ascendref import aclnn
        dev = ar.Device("Atlas A2", check=False)
        g, x = dev.tensor(np.ones(4, np.float32)), dev.tensor(np.ones(4, np.float32))
        place = 2**31 + 4
        def compute(out):
            size, executor = aclnn.aclnnHardshrinkBackwardGetWorkspaceSize(g, x, 0.5, out)
            aclnn.aclnnHardshrinkBackward(dev.malloc(size), size, executor, None)
            dev.synchronize()
        def do(memory):
            {touch}
        do(dev.malloc(2**31 + 2**20))  # what it takes to be compiled and imported
        unit = 1 if sys.platform == "darwin" else 1024
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        memories = [dev.malloc(3 * 2**30) for _ in range(10)]
        for memory in memories:
            do(memory)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit - before
        print(grown < 2**26 or grown)
        """
    )
    assert (code, out, err) == (0, "True\n", "")


@pytest.mark.parametrize("nbytes", [1, 63, 64, 1000, 2**18, 2**18 + 1, MANY])
def test_every_byte_is_poison_until_it_is_written(nbytes):
    dev = ar.Device("Atlas A2", check=False)
    assert (content(dev.malloc(nbytes)) == 0xFF).all()
    assert (dev.malloc_host(nbytes).numpy() == 0xFF).all()
    for start in {0, nbytes // 3, nbytes // 2, nbytes - 1}:
        memory = dev.malloc(nbytes)
        dev.memset(memory.address + start, 7, 1)
        expected = np.full(nbytes, 0xFF, np.uint8)
        expected[start] = 7
        assert (content(memory) == expected).all()


@pytest.mark.parametrize("programs", [20, pytest.param(500, marks=pytest.mark.exhaustive)])
def test_random_copies_fills_and_views_of_large_memory(programs):
    draw = random.Random(3)
    for _ in range(programs):
        dev = ar.Device("Atlas A2", check=False)
        memories = [dev.malloc(MANY) for _ in range(2)]
        expected = [np.full(MANY, 0xFF, np.uint8) for _ in memories]
        for _ in range(10):
            k = draw.randrange(2)
            start = draw.choice([0, draw.randrange(MANY), 2**18, 2**18 - 1, 2**19])
            count = draw.choice([1, MANY - start, draw.randrange(MANY - start) + 1, 2**18])
            count = min(count, MANY - start)
            address, part = memories[k].address + start, slice(start, start + count)
            way = draw.randrange(5)
            if way == 0:
                dev.memset(address, 5, count)
                expected[k][part] = 5
            elif way == 1:
                dev.memcpy(address, np.full(count, 6, np.uint8))
                expected[k][part] = 6
            elif way == 2:
                dev.memcpy_async(address, memories[1 - k].address + start, count)
                dev.synchronize()
                expected[k][part] = expected[1 - k][part]
            elif way == 3:
                steps = max(1, count // 1000)
                tensor = ar.Tensor(memories[k], (steps,), "uint8", strides=(999,), offset=start)
                assert (tensor.numpy() == expected[k][part][: 999 * steps : 999]).all()
                tensor.view()[...] = 8
                expected[k][part][: 999 * steps : 999] = 8
            else:
                out = np.zeros(count, np.uint8)
                dev.memcpy(out, address)
                assert (out == expected[k][part]).all()
        for memory, values in zip(memories, expected, strict=True):
            assert (content(memory) == values).all()


@pytest.mark.parametrize("strides", [None, (3,), (1,)])
@pytest.mark.parametrize("in_place", [False, True])
def test_kernels_leave_poison_around_their_results(strides, in_place):
    dev, size, offset = ar.Device("Atlas A2", check=False), 200_000, 1001
    g = dev.tensor(np.full(size, 2, np.float32))
    memory = dev.malloc(3 * 4 * size + 10_000)
    out = ar.Tensor(memory, (size,), "float32", strides, offset)
    x = out if in_place else dev.tensor(np.ones(size, np.float32))
    queue(dev, "hardshrink_backward", g, x, 0.5, out)
    dev.synchronize()
    expected = np.full(memory.nbytes, 0xFF, np.uint8)
    step = strides[0] if strides else 1
    words = expected[: memory.nbytes // 4 * 4].view(np.float32)
    # what is poison is NaN, whose size exceeds nothing
    words[offset : offset + step * size : step] = 0 if in_place else 2
    assert (content(memory) == expected).all()


@pytest.mark.full
def test_threads_that_touch_one_chunk_first_do_not_disturb_one_another():
    """Poison never comes after somebody's bytes."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(100):
            dev = ar.Device("Atlas A2", check=False)
            memory, start = dev.malloc(MANY), threading.Barrier(4)

            def touch(number, dev=dev, memory=memory, start=start):
                start.wait()
                for place in range(number, 2000, 4):
                    dev.memset(memory.address + place, 1, 1)

            in_threads(partial(touch, number) for number in range(4))
            assert (content(memory)[:2000] == 1).all()
            assert (content(memory)[2000:] == 0xFF).all()
    finally:
        sys.setswitchinterval(interval)


def test_an_allocation_may_be_larger_than_the_memory_of_the_host():
    nbytes = 2 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    dev = ar.Device("Atlas A2", memory=2 * nbytes)
    memory, held = dev.malloc(nbytes), np.empty(16, np.uint8)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    dev.memset(memory, 7, 16)
    for address in (memory.address + nbytes - 16, memory.address + nbytes // 2):
        dev.memcpy(address, memory, 16)
        dev.memcpy(held, address, 16)
        assert (held == 7).all()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**16  # KiB
    dev.free(memory)
