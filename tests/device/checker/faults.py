"""Programs with lifetime errors, uninitialized reads, waits without effect, and deadlocks."""

from __future__ import annotations

from typing import Any

import numpy as np

import ascendref as ar
from ascendref.aclnn import (
    aclnnHardshrinkBackward,
    aclnnHardshrinkBackwardGetWorkspaceSize,
    aclnnPreluBackward,
)

from .catalogue import bug, full, hardshrink, link, prelu, streams, view

# ---- lifetimes


@bug("lifetime")
def input_freed_too_early(dev: Any, fixed: bool) -> None:
    x, out = full(dev), dev.empty(16, "float32")
    aclnnHardshrinkBackward(*hardshrink(x, x, out), None)  # first
    if fixed:
        dev.synchronize()
    dev.free(x.memory)  # second


@bug("lifetime")
def result_freed_too_early(dev: Any, fixed: bool) -> None:
    x, out = full(dev), dev.empty(16, "float32")
    aclnnHardshrinkBackward(*hardshrink(x, x, out), None)  # first
    if fixed:
        dev.synchronize()
    dev.free(out.memory)  # second


@bug("lifetime")
def workspace_freed_too_early(dev: Any, fixed: bool) -> None:
    call = prelu(dev)
    aclnnPreluBackward(*call, None)  # first
    if fixed:
        dev.synchronize()
    dev.free(call[0])  # second


@bug("lifetime")
def source_freed_too_early(dev: Any, fixed: bool) -> None:
    source, target = full(dev), dev.malloc(64)
    dev.memcpy_async(target, source.memory)  # first
    if fixed:
        dev.synchronize()
    dev.free(source.memory.address)  # second


@bug("lifetime")
def pinned_memory_freed_too_early(dev: Any, fixed: bool) -> None:
    pinned, target = dev.malloc_host(64), dev.malloc(64)
    dev.memcpy_async(target, pinned)  # first
    if fixed:
        dev.synchronize()
    dev.free(pinned)  # second


@bug("lifetime")
def freed_after_another_stream(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    memory = dev.malloc(64)
    dev.memset_async(memory, 0, stream=one)  # first
    (one if fixed else two).synchronize()
    dev.free(memory)  # second


@bug("lifetime")
def freed_twice(dev: Any, fixed: bool) -> None:
    memory = dev.malloc(64)
    dev.free(memory)  # first
    if not fixed:
        dev.free(memory)  # second


@bug("lifetime")
def freed_twice_by_address(dev: Any, fixed: bool) -> None:
    memory = dev.malloc(64)
    address = memory.address
    dev.free(address)  # first
    if not fixed:
        dev.free(address)  # second


# ---- use after free


@bug("use-after-free")
def copy_from_freed_memory(dev: Any, fixed: bool) -> None:
    memory, found = full(dev).memory, np.zeros(64, np.uint8)
    if not fixed:
        dev.free(memory)  # first
    dev.memcpy(found, memory)  # second


@bug("use-after-free")
def fill_of_freed_memory(dev: Any, fixed: bool) -> None:
    memory = dev.malloc(64)
    if not fixed:
        dev.free(memory)  # first
    dev.memset(memory, 0)  # second


@bug("use-after-free")
def queued_copy_to_freed_memory(dev: Any, fixed: bool) -> None:
    memory, source = dev.malloc(64), full(dev)
    if not fixed:
        dev.free(memory)  # first
    dev.memcpy_async(memory, source.memory)  # second


@bug("use-after-free")
def address_of_freed_memory(dev: Any, fixed: bool) -> None:
    memory = dev.malloc(64)
    address = memory.address
    if not fixed:
        dev.free(memory)  # first
    dev.memset_async(address + 8, 0, 4)  # second


@bug("use-after-free")
def tensor_in_freed_memory(dev: Any, fixed: bool) -> None:
    x, out = full(dev), dev.empty(16, "float32")
    if not fixed:
        dev.free(x.memory)  # first
    aclnnHardshrinkBackwardGetWorkspaceSize(x, x, 0.5, out)  # second


@bug("use-after-free")
def tensor_read_after_free(dev: Any, fixed: bool) -> None:
    x = full(dev)
    if not fixed:
        dev.free(x.memory)  # first
    x.numpy()  # second


@bug("use-after-free")
def freed_between_the_phases(dev: Any, fixed: bool) -> None:
    x, out = full(dev), dev.empty(16, "float32")
    call = hardshrink(x, x, out)
    if not fixed:
        dev.free(x.memory)  # first
    aclnnHardshrinkBackward(*call, None)  # second


@bug("use-after-free")
def new_address_that_was_freed(dev: Any, fixed: bool) -> None:
    x, out, other = full(dev), dev.empty(16, "float32"), dev.malloc(64)
    call = hardshrink(x, x, out)
    if not fixed:
        dev.free(other)  # first
    call[2].set_tensor_address(out, other)  # second


@bug("use-after-free")
def address_without_an_owner(dev: Any, fixed: bool) -> None:
    memory = dev.malloc(64)  # first
    address = memory.address
    if not fixed:
        del memory
    dev.memset(address, 0, 8)  # second


# ---- uninitialized reads


@bug("uninitialized-read")
def input_never_written(dev: Any, fixed: bool) -> None:
    x = dev.empty(16, "float32")  # first
    if fixed:
        dev.memset(x.memory, 0)
    aclnnHardshrinkBackward(*hardshrink(x, x, full(dev)), None)  # second


@bug("uninitialized-read")
def result_that_no_task_produced(dev: Any, fixed: bool) -> None:
    x = full(dev)
    out = dev.empty(16, "float32")  # first
    other = dev.empty(16, "float32")
    aclnnHardshrinkBackward(*hardshrink(x, x, out if fixed else other), None)
    dev.synchronize()
    out.numpy()  # second


@bug("uninitialized-read")
def one_byte_too_few(dev: Any, fixed: bool) -> None:
    memory, found = dev.malloc(64), np.zeros(64, np.uint8)  # first
    dev.memset(memory, 0, 63 + fixed)
    dev.memcpy(found, memory)  # second


@bug("uninitialized-read")
def half_a_tensor(dev: Any, fixed: bool) -> None:
    x = dev.empty(16, "float32")  # first
    dev.memcpy(x.memory, np.zeros(16 if fixed else 8, np.float32))
    x.numpy()  # second


@bug("uninitialized-read")
def between_the_elements_of_a_view(dev: Any, fixed: bool) -> None:
    out = dev.empty(16, "float32")  # first
    x = full(dev, 8)
    even = view(out, 8, 2)
    aclnnHardshrinkBackward(*hardshrink(x, x, even), None)
    dev.synchronize()
    (even if fixed else out).numpy()  # second


@bug("uninitialized-read")
def other_column(dev: Any, fixed: bool) -> None:
    out = dev.empty(16, "float32")  # first
    x = full(dev, 4)
    aclnnHardshrinkBackward(*hardshrink(x, x, view(out, 4, 4, 2)), None)
    read = view(out, 4, 4, 2 if fixed else 3)
    aclnnHardshrinkBackward(*hardshrink(x, read, full(dev, 4)), None)  # second


@bug("uninitialized-read")
def copy_of_what_was_never_written(dev: Any, fixed: bool) -> None:
    source = dev.malloc(64)
    target = dev.empty(16, "float32")  # first
    if fixed:
        dev.memset(source, 0)
    dev.memcpy(target.memory, source)
    target.numpy()  # second


@bug("uninitialized-read")
def queued_copy_of_what_was_never_written(dev: Any, fixed: bool) -> None:
    source = dev.malloc(64)
    target = dev.empty(16, "float32")  # first
    if fixed:
        dev.memset_async(source, 0)
    dev.memcpy_async(target.memory, source)
    aclnnHardshrinkBackward(*hardshrink(target, target, full(dev)), None)  # second


@bug("uninitialized-read")
def download_of_what_was_never_written(dev: Any, fixed: bool) -> None:
    memory = dev.malloc(64)  # first
    if fixed:
        dev.memset_async(memory, 0)
    dev.memcpy_async(dev.malloc_host(64), memory)  # second


@bug("uninitialized-read")
def memory_made_again(dev: Any, fixed: bool) -> None:
    memory = full(dev).memory
    if not fixed:
        dev.free(memory)
        memory = dev.malloc(64)  # first
    dev.memcpy(np.zeros(64, np.uint8), memory)  # second


# ---- waits that do nothing or forget


@bug("wait")
def wait_without_a_record(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    memory, event = dev.malloc(8), dev.create_event()
    dev.memset_async(memory, 0, stream=one)  # first
    if fixed:
        event.record(one)
    two.wait_event(event)
    dev.memset_async(memory, 1, stream=two)  # second


@bug("wait")
def event_that_is_never_recorded(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    event = dev.create_event()
    if fixed:
        event.record(one)
    two.wait_event(event)  # first
    two.synchronize()  # second


@bug("wait")
def record_overwritten_before_the_wait(dev: Any, fixed: bool) -> None:
    one, two, three = streams(dev, 3)
    memory, event = dev.malloc(8), dev.create_event()
    dev.memset_async(memory, 0, stream=one)  # first
    event.record(one)
    if fixed:
        two.wait_event(event)
    event.record(three)
    two.wait_event(event)
    dev.memset_async(memory, 1, stream=two)  # second


@bug("wait")
def host_waits_for_an_event_that_was_not_recorded(dev: Any, fixed: bool) -> None:
    x, event = full(dev), dev.create_event()
    dev.memset_async(x.memory, 0)  # first
    if fixed:
        event.record()
    event.synchronize()
    x.numpy()  # second


@bug("wait")
def wait_before_the_record(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    memory, event = dev.malloc(8), dev.create_event()
    if not fixed:
        two.wait_event(event)
    dev.memset_async(memory, 0, stream=one)  # first
    event.record(one)
    if fixed:
        two.wait_event(event)
    dev.memset_async(memory, 1, stream=two)  # second


@bug("wait")
def two_streams_wait_before_the_record(dev: Any, fixed: bool) -> None:
    one, two, three = streams(dev, 3)
    memory, event = dev.malloc(8), dev.create_event()
    dev.memset_async(memory, 0, stream=one)  # first
    if fixed:
        event.record(one)
    two.wait_event(event)
    three.wait_event(event)
    if not fixed:
        event.record(one)
    dev.memset_async(memory, 1, stream=two)  # second


@bug("wait")
def host_and_stream_wait_before_the_record(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    memory, event = dev.malloc(8), dev.create_event()
    dev.memset_async(memory, 0, stream=one)  # first
    if fixed:
        event.record(one)
    two.wait_event(event)
    event.synchronize()
    if not fixed:
        event.record(one)
    dev.memset_async(memory, 1, stream=two)  # second


@bug("wait")
def stream_waits_before_and_another_after_the_record(dev: Any, fixed: bool) -> None:
    one, two, three = streams(dev, 3)
    memory, event = dev.malloc(8), dev.create_event()
    if not fixed:
        three.wait_event(event)
    dev.memset_async(memory, 0, stream=one)  # first
    event.record(one)
    two.wait_event(event)
    if fixed:
        three.wait_event(event)
    dev.memset_async(memory, 1, stream=three)  # second


@bug("wait")
def wait_before_the_record_of_a_stream_between(dev: Any, fixed: bool) -> None:
    one, two, three = streams(dev, 3)
    memory, event = dev.malloc(8), dev.create_event()
    if not fixed:
        three.wait_event(event)
    dev.memset_async(memory, 0, stream=one)  # first
    link(dev, one, two)
    event.record(two)
    if fixed:
        three.wait_event(event)
    dev.memset_async(memory, 1, stream=three)  # second


@bug("wait")
def host_waits_before_the_record(dev: Any, fixed: bool) -> None:
    x, event, stream = full(dev), dev.create_event(ex=False), dev.create_stream()
    if not fixed:
        event.synchronize()
    dev.memset_async(x.memory, 0, stream=stream)  # first
    event.record(stream)
    if fixed:
        event.synchronize()
    x.numpy()  # second


@bug("wait")
def host_queries_before_the_record(dev: Any, fixed: bool) -> None:
    x, event, stream = full(dev), dev.create_event(), dev.create_stream()
    dev.memset_async(x.memory, 0, stream=stream)  # first
    if fixed:
        event.record(stream)
    while not event.query():
        pass
    if not fixed:
        event.record(stream)
    x.numpy()  # second


@bug("wait")
def host_waits_before_the_record_and_queues(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    memory, event = dev.malloc(8), dev.create_event()
    dev.memset_async(memory, 0, stream=one)  # first
    if fixed:
        event.record(one)
    event.synchronize()
    if not fixed:
        event.record(one)
    dev.memset_async(memory, 1, stream=two)  # second


@bug("wait")
def host_waits_before_the_record_of_a_copy(dev: Any, fixed: bool) -> None:
    staging, memory, event = dev.malloc_host(64), dev.malloc(64), dev.create_event()
    stream = dev.create_stream()
    if not fixed:
        event.synchronize()
    dev.memcpy_async(memory, staging, stream=stream)  # first
    event.record(stream)
    if fixed:
        event.synchronize()
    staging.numpy()[:] = 2
    stream.synchronize()  # second


@bug("wait")
def wait_before_the_second_record(dev: Any, fixed: bool) -> None:
    one, two, three = streams(dev, 3)
    memory, event = dev.malloc(8), dev.create_event()
    if not fixed:
        two.wait_event(event)
    event.record(three)
    dev.memset_async(memory, 0, stream=one)  # first
    event.record(one)
    if fixed:
        two.wait_event(event)
    dev.memset_async(memory, 1, stream=two)  # second


@bug("wait")
def wait_for_an_event_that_was_reset(dev: Any, fixed: bool) -> None:
    x, event, stream = full(dev), dev.create_event(ex=False), dev.create_stream()
    dev.memset_async(x.memory, 0, stream=stream)  # first
    event.record(stream)
    if not fixed:
        event.reset(stream)
    event.synchronize()
    x.numpy()  # second


@bug("wait")
def wait_before_the_record_of_an_event_that_is_destroyed(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    memory, event = dev.malloc(8), dev.create_event()
    if not fixed:
        two.wait_event(event)
    dev.memset_async(memory, 0, stream=one)  # first
    event.record(one)
    if fixed:
        two.wait_event(event)
    event.destroy()
    del event
    dev.memset_async(memory, 1, stream=two)  # second


@bug("wait")
def result_of_an_aborted_stream(dev: Any, fixed: bool) -> None:
    stream, x = dev.create_stream(), full(dev)
    dev.memset_async(x.memory, 0, stream=stream)  # first
    if fixed:
        stream.synchronize()
    stream.abort()
    stream.synchronize()
    x.numpy()  # second


@bug("wait")
def result_of_a_stream_destroyed_by_force(dev: Any, fixed: bool) -> None:
    stream, x = dev.create_stream(), full(dev)
    dev.memset_async(x.memory, 0, stream=stream)  # first
    stream.destroy(force=not fixed)
    x.numpy()  # second


# ---- waits that never end


@bug("deadlock")
def host_function_that_synchronizes(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    gate = dev.malloc(8)
    dev.memset_async(gate, 0, stream=two)

    def function() -> None:
        if not fixed:
            dev.memcpy_async(np.zeros(8, np.uint8), gate)  # second

    one.launch_host_func(function)  # first
    dev.synchronize(60_000)


@bug("deadlock")
def callback_of_the_waiting_thread(dev: Any, fixed: bool) -> None:
    stream = dev.create_stream()
    stream.subscribe_report()
    stream.launch_callback(lambda: None)  # first
    if not fixed:
        stream.synchronize()  # second
    dev.process_report(60_000)


@bug("deadlock")
def wait_behind_a_callback(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    one.subscribe_report()
    one.launch_callback(lambda: None)  # first
    link(dev, one, two)
    if fixed:
        dev.process_report(60_000)
    two.synchronize(60_000 if fixed else None)  # second


# ---- leaks


@bug("leak")
def memory_left_behind(dev: Any, fixed: bool) -> None:
    memory = dev.malloc(64)  # first
    if fixed:
        dev.free(memory)
    dev.find_leaks()


@bug("leak")
def pinned_memory_left_behind(dev: Any, fixed: bool) -> None:
    pinned = dev.malloc_host(64)  # first
    tensor = ar.Tensor(dev.malloc(8), (2,), "float32")
    dev.free(tensor.memory)
    if fixed:
        dev.free(pinned)
    dev.find_leaks()
