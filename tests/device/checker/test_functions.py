"""Host functions that access memory: races and unwritten bytes are found exactly.

An oracle that shares nothing with the checker says which accesses nothing orders. The programs are
random, right and wrong; each runs in every execution mode.
"""

import gc
import random
import threading
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.aclnn import aclnnHardshrinkBackward

from ...support.daily import todays
from ..calls import EXECUTIONS, content
from .catalogue import full, hardshrink, link, streams, view
from .function_programs import SIZE, Run, Writer
from .order_oracle import Order


def check_programs(first: int, count: int, *, ends: bool = True) -> tuple[int, int]:
    """Check random programs; return how many are right and how many wrong."""
    found = [0, 0]
    for seed in range(first, first + count):
        program = Writer(random.Random(seed), ends=ends).steps
        order = Order(program)
        races = bool(order.races())
        found[races] += 1
        # what is read of a dropped task is told of in place of a race
        allowed = {"race", "wait"} if races else {"wait"} if order.reads_dropped() else set()
        for execution in EXECUTIONS:
            kinds = Run(program, execution, seed).kinds
            assert kinds <= allowed, (seed, execution, kinds)
            assert kinds or not allowed, (seed, execution)
    return found[0], found[1]


def check_unwritten(first: int, count: int) -> int:
    """Check what random programs read that nothing wrote; return how many do."""
    found = 0
    for seed in range(first, first + count):
        draw = random.Random(seed)
        order = Order(program := Writer(draw, ends=False).steps)
        if order.races():
            continue
        written = draw.randrange(SIZE)
        wrong = order.reads_unwritten(written)
        found += wrong
        for execution in EXECUTIONS:
            kinds = Run(program, execution, seed, written=written).kinds
            assert kinds == ({"uninitialized-read"} if wrong else set()), (seed, execution)
    return found


def test_random_programs_with_functions() -> None:
    assert min(check_programs(0, 100)) > 20


def test_bytes_that_functions_may_write() -> None:
    assert check_unwritten(0, 200) > 5


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", todays(range(0, 100_000, 5_000), 8))
def test_many_random_programs_with_functions(first: int) -> None:
    check_programs(first, 5_000)
    check_unwritten(first, 5_000)


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_the_work_of_a_stream_that_a_function_destroys_is_waited_for(execution: str) -> None:
    dev = ar.Device("Atlas A2", execution=execution)
    one, two = streams(dev)
    memory = dev.malloc(8)
    dev.memset_async(memory, 1, stream=one)
    two.launch_host_func(one.destroy)
    end = time.monotonic() + 60
    while execution == "eager" and len(dev.scheduler.streams) > 2:
        assert time.monotonic() < end
        time.sleep(0.001)
    dev.synchronize()
    assert content(memory).tolist() == [1] * 8
    assert dev.hazards == []


def test_synchronizing_waits_for_what_a_forced_end_left_running(dev: Any, gate: Any) -> None:
    stream, memory, reached = dev.create_stream(), dev.malloc(8), threading.Event()
    stream.launch_host_func(lambda: (reached.set(), gate()))
    assert reached.wait(60)
    stream.destroy(force=True)
    with pytest.raises(ar.AclError) as caught:
        dev.synchronize(10)
    assert caught.value.status == 507046
    gate.open()
    dev.synchronize()
    dev.memset(memory, 0)
    assert dev.hazards == []


@pytest.mark.parametrize("apart", [False, True])
def test_views_that_a_function_reads_are_compared_byte_by_byte(apart: bool) -> None:
    """Every fourth element is written before the function and after it."""
    dev = ar.Device("Atlas A2", execution="lazy", check="report")
    one, two = streams(dev)
    x, out = full(dev, 8), full(dev, 33)
    read = view(out, 8, 4, int(apart))
    aclnnHardshrinkBackward(*hardshrink(x, x, view(out, 8, 4)), one)
    two.launch_host_func(read.numpy)
    link(dev, two, one)
    aclnnHardshrinkBackward(*hardshrink(x, x, view(out, 8, 4)), one)
    dev.synchronize()
    assert [hazard.kind for hazard in dev.hazards] == ([] if apart else ["race"])


@pytest.mark.daily(2)
@pytest.mark.parametrize("use", ["read", "write", "function", "submission", "force", "overlap"])
def test_streams_that_were_used_and_destroyed_leave_nothing(use: str) -> None:
    dev = ar.Device("Atlas A2", trace_length=4)
    memory, other, kept = dev.malloc(64), dev.malloc(64), dev.create_stream()
    targets = [dev.malloc(64), dev.malloc(64)]
    dev.memset(memory, 0)

    def turn(before: Any) -> Any:
        stream = dev.create_stream()
        if use == "write":
            dev.memset_async(memory, 0, stream=stream)
        else:
            targets.reverse()
            dev.memcpy_async(targets[0], memory, stream=stream)
        if use == "function":
            stream.launch_host_func(lambda: dev.memset(memory, 0))
        if use == "submission":
            stream.launch_host_func(lambda: dev.memset_async(other, 0, stream=kept))
        if use == "overlap":  # one is always there
            before.destroy()
            return stream
        stream.destroy(force=use == "force")
        if use == "force":
            dev.synchronize()
        kept.synchronize()
        return before

    def bytes_after(turns: int) -> int:
        last = dev.create_stream()
        for _ in range(turns):
            last = turn(last)
        last.destroy()
        dev.synchronize()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = bytes_after(100)
        each = (bytes_after(300) - before) / 300
    finally:
        tracemalloc.stop()
    assert each < 200


def test_functions_that_queue_themselves_again_know_no_more_each_time(dev: Any) -> None:
    one, two = streams(dev)
    memory, left = dev.malloc(8), [400]

    def again() -> None:
        left[0] -= 1
        dev.memset(memory, 0)
        if left[0]:
            (one if left[0] % 3 else two).launch_host_func(again)

    one.launch_host_func(again)
    end = time.monotonic() + 60
    while left[0]:
        assert time.monotonic() < end
        time.sleep(0.001)
    dev.synchronize()
    assert dev.hazards == []
    assert max(len(task.operation.clock) for task in dev.scheduler.history) < 10


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_a_read_of_the_host_is_compared_after_the_same_read_of_a_callback(execution: str) -> None:
    dev = ar.Device("Atlas A2", execution=execution, seed=0, check="report")
    stream, memory, out = dev.create_stream(), dev.malloc(8), np.zeros(8, np.uint8)
    dev.memset(memory, 0)
    stream.subscribe_report()
    stream.launch_callback(lambda: dev.memcpy(out, memory))
    dev.memset_async(memory, 1, stream=stream)  # after the callback, which reads the bytes
    dev.process_report()
    dev.memcpy(out, memory)  # nothing waits for the memset
    stream.synchronize()
    stream.unsubscribe_report()
    assert [hazard.kind for hazard in dev.hazards] == ["race"]
