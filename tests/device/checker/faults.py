"""Programs with lifetime errors, uninitialized reads, waits without effect, and deadlocks."""

import numpy as np

from ascendref.aclnn import (
    aclnnHardshrinkBackward,
    aclnnHardshrinkBackwardGetWorkspaceSize,
    aclnnPreluBackward,
)

from .catalogue import CALLS_THAT_READ, READS, WRITES, bug, full, hardshrink, link, prelu, view

# ---- lifetimes


@bug("lifetime", first=READS | WRITES)
def freed_before_a_task_has_run(dev, fixed, first, x):
    first(dev, x, None)
    if fixed:
        dev.synchronize()
    dev.free(x.memory.address)  # second


@bug("lifetime")
def workspace_freed_too_early(dev, fixed):
    call = prelu(dev)
    aclnnPreluBackward(*call, None)  # first
    if fixed:
        dev.synchronize()
    dev.free(call[0])  # second


@bug("lifetime")
def pinned_memory_freed_too_early(dev, fixed, pinned, memory):
    dev.memcpy_async(memory, pinned)  # first
    if fixed:
        dev.synchronize()
    dev.free(pinned)  # second


@bug("lifetime")
def freed_after_another_stream(dev, fixed, one, two, memory):
    dev.memset_async(memory, 0, stream=one)  # first
    (one if fixed else two).synchronize()
    dev.free(memory)  # second


#: how memory is named
NAMES = {"object": lambda memory: memory, "address": lambda memory: memory.address}


@bug("lifetime", name=NAMES)
def freed_twice(dev, fixed, name, memory):
    given = name(memory)
    dev.free(given)  # first
    if not fixed:
        dev.free(given)  # second


# ---- use after free

#: calls with memory, written before, that may have been freed
USES = {
    "memcpy": lambda dev, memory: dev.memcpy(np.zeros(64, np.uint8), memory),
    "memset": lambda dev, memory: dev.memset(memory, 0),
    "memcpy_async": lambda dev, memory: dev.memcpy_async(memory, full(dev).memory),
    "memset_async": lambda dev, memory: dev.memset_async(memory, 0, 4),
}


@bug("use-after-free", name=NAMES, second=USES)
def use_of_freed_memory(dev, fixed, name, second, written):
    given = name(written)
    if not fixed:
        dev.free(written)  # first
    second(dev, given)


@bug("use-after-free")
def address_inside_of_freed_memory(dev, fixed, memory):
    address = memory.address
    if not fixed:
        dev.free(memory)  # first
    dev.memset_async(address + 8, 0, 4)  # second


@bug("use-after-free")
def tensor_in_freed_memory(dev, fixed, x, out):
    if not fixed:
        dev.free(x.memory)  # first
    aclnnHardshrinkBackwardGetWorkspaceSize(x, x, 0.5, out)  # second


@bug("use-after-free")
def tensor_read_after_free(dev, fixed, x):
    if not fixed:
        dev.free(x.memory)  # first
    x.numpy()  # second


@bug("use-after-free")
def freed_between_the_phases(dev, fixed, x, out):
    call = hardshrink(x, x, out)
    if not fixed:
        dev.free(x.memory)  # first
    aclnnHardshrinkBackward(*call, None)  # second


@bug("use-after-free")
def new_address_that_was_freed(dev, fixed, x, out, other):
    call = hardshrink(x, x, out)
    if not fixed:
        dev.free(other)  # first
    call[2].set_tensor_address(out, other)  # second


@bug("use-after-free")
def address_without_an_owner(dev, fixed):
    memory = dev.malloc(64)  # first
    address = memory.address
    if not fixed:
        del memory
    dev.memset(address, 0, 8)  # second


# ---- uninitialized reads


@bug("uninitialized-read", second=CALLS_THAT_READ)
def call_reads_what_was_never_written(dev, fixed, second):
    x = dev.empty(16, "float32")  # first
    if fixed:
        dev.memset(x.memory, 0)
    second(dev, x)


@bug("uninitialized-read")
def input_never_written(dev, fixed, y):
    x = dev.empty(16, "float32")  # first
    if fixed:
        dev.memset_async(x.memory, 0)
    aclnnHardshrinkBackward(*hardshrink(x, x, y), None)  # second


@bug("uninitialized-read")
def result_that_no_task_produced(dev, fixed, x, y):
    out = dev.empty(16, "float32")  # first
    aclnnHardshrinkBackward(*hardshrink(x, x, out if fixed else y), None)
    dev.synchronize()
    out.numpy()  # second


@bug("uninitialized-read")
def one_byte_too_few(dev, fixed, found):
    memory = dev.malloc(64)  # first
    dev.memset(memory, 0, 63 + fixed)
    dev.memcpy(found, memory)  # second


@bug("uninitialized-read")
def between_the_elements_of_a_view(dev, fixed, eight):
    out = dev.empty(16, "float32")  # first
    even = view(out, 8, 2)
    aclnnHardshrinkBackward(*hardshrink(eight, eight, even), None)
    dev.synchronize()
    (even if fixed else out).numpy()  # second


@bug("uninitialized-read")
def other_column(dev, fixed):
    out = dev.empty(16, "float32")  # first
    x = full(dev, 4)
    aclnnHardshrinkBackward(*hardshrink(x, x, view(out, 4, 4, 2)), None)
    read = view(out, 4, 4, 2 if fixed else 3)
    aclnnHardshrinkBackward(*hardshrink(x, read, full(dev, 4)), None)  # second


@bug("uninitialized-read")
def copy_of_what_was_never_written(dev, fixed, memory):
    target = dev.empty(16, "float32")  # first
    if fixed:
        dev.memset(memory, 0)
    dev.memcpy(target.memory, memory)
    target.numpy()  # second


@bug("uninitialized-read")
def queued_copy_of_what_was_never_written(dev, fixed, memory, y):
    target = dev.empty(16, "float32")  # first
    if fixed:
        dev.memset_async(memory, 0)
    dev.memcpy_async(target.memory, memory)
    aclnnHardshrinkBackward(*hardshrink(target, target, y), None)  # second


@bug("uninitialized-read")
def download_of_what_was_never_written(dev, fixed, pinned):
    memory = dev.malloc(64)  # first
    if fixed:
        dev.memset_async(memory, 0)
    dev.memcpy_async(pinned, memory)  # second


@bug("uninitialized-read")
def memory_made_again(dev, fixed, found):
    memory = full(dev).memory
    if not fixed:
        dev.free(memory)
        memory = dev.malloc(64)  # first
    dev.memcpy(found, memory)  # second


# ---- waits that do nothing or forget


def ask(event, stream):
    """Ask until an event is reached."""
    while not event.query():
        pass


#: how a stream and the host, or the host alone, wait for an event, and what comes after that
WAITS_OF_STREAMS = {
    "stream": lambda event, stream: stream.wait_event(event),
    "stream after another": lambda event, stream: (
        event.device.create_stream().wait_event(event),
        stream.wait_event(event),
    ),
    "stream and host": lambda event, stream: (stream.wait_event(event), event.synchronize()),
}
WAITS_OF_HOST = {"host": lambda event, stream: event.synchronize(), "query": ask}
TASK = {"filled": WRITES["filled"]}
CALL = {"numpy": lambda dev, x, stream: x.numpy()}


@bug("wait", wait=WAITS_OF_STREAMS | WAITS_OF_HOST, second=TASK)
@bug("wait", wait=WAITS_OF_HOST, second=CALL)
def wait_without_a_record(dev, fixed, wait, second, one, two, x, event):
    dev.memset_async(x.memory, 0, stream=one)  # first
    if fixed:
        event.record(one)
    wait(event, two)
    second(dev, x, two)


@bug("wait", wait=WAITS_OF_STREAMS | WAITS_OF_HOST, second=TASK)
@bug("wait", wait=WAITS_OF_HOST, second=CALL)
def wait_before_the_work(dev, fixed, wait, second, one, two, x, event):
    if not fixed:
        wait(event, two)
    dev.memset_async(x.memory, 0, stream=one)  # first
    event.record(one)
    if fixed:
        wait(event, two)
    second(dev, x, two)


@bug("wait", wait=WAITS_OF_STREAMS | WAITS_OF_HOST, second=TASK)
@bug("wait", wait=WAITS_OF_HOST, second=CALL)
def wait_between_the_work_and_its_record(dev, fixed, wait, second, one, two, x, event):
    dev.memset_async(x.memory, 0, stream=one)  # first
    if fixed:
        event.record(one)
    wait(event, two)
    if not fixed:
        event.record(one)
    second(dev, x, two)


@bug("wait")
def event_that_is_never_recorded(dev, fixed, one, two, event):
    if fixed:
        event.record(one)
    two.wait_event(event)  # first
    two.synchronize()  # second


@bug("wait")
def record_overwritten_before_the_wait(dev, fixed, one, two, three, memory, event):
    dev.memset_async(memory, 0, stream=one)  # first
    event.record(one)
    if fixed:
        two.wait_event(event)
    event.record(three)
    two.wait_event(event)
    dev.memset_async(memory, 1, stream=two)  # second


@bug("wait")
def stream_waits_before_and_another_after_the_record(dev, fixed, one, two, three, memory, event):
    if not fixed:
        three.wait_event(event)
    dev.memset_async(memory, 0, stream=one)  # first
    event.record(one)
    two.wait_event(event)
    if fixed:
        three.wait_event(event)
    dev.memset_async(memory, 1, stream=three)  # second


@bug("wait")
def wait_before_the_record_of_a_stream_between(dev, fixed, one, two, three, memory, event):
    if not fixed:
        three.wait_event(event)
    dev.memset_async(memory, 0, stream=one)  # first
    link(dev, one, two)
    event.record(two)
    if fixed:
        three.wait_event(event)
    dev.memset_async(memory, 1, stream=three)  # second


@bug("wait")
def host_waits_for_an_old_event_before_the_record(dev, fixed, stream, x, old_event):
    if not fixed:
        old_event.synchronize()
    dev.memset_async(x.memory, 0, stream=stream)  # first
    old_event.record(stream)
    if fixed:
        old_event.synchronize()
    x.numpy()  # second


@bug("wait")
def host_waits_before_the_record_of_a_copy(dev, fixed, pinned, memory, event, stream):
    if not fixed:
        event.synchronize()
    dev.memcpy_async(memory, pinned, stream=stream)  # first
    event.record(stream)
    if fixed:
        event.synchronize()
    pinned.numpy()[:] = 2
    stream.synchronize()  # second


@bug("wait")
def wait_before_the_second_record(dev, fixed, one, two, three, memory, event):
    if not fixed:
        two.wait_event(event)
    event.record(three)
    dev.memset_async(memory, 0, stream=one)  # first
    event.record(one)
    if fixed:
        two.wait_event(event)
    dev.memset_async(memory, 1, stream=two)  # second


@bug("wait")
def wait_for_an_event_that_was_reset(dev, fixed, stream, x, old_event):
    dev.memset_async(x.memory, 0, stream=stream)  # first
    old_event.record(stream)
    if not fixed:
        old_event.reset(stream)
    old_event.synchronize()
    x.numpy()  # second


@bug("wait")
def wait_before_the_record_of_an_event_that_is_destroyed(dev, fixed, one, two, memory, event):
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
def result_of_an_aborted_stream(dev, fixed, stream, x):
    dev.memset_async(x.memory, 0, stream=stream)  # first
    if fixed:
        stream.synchronize()
    stream.abort()
    stream.synchronize()
    x.numpy()  # second


@bug("wait")
def result_of_a_stream_destroyed_by_force(dev, fixed, stream, x):
    dev.memset_async(x.memory, 0, stream=stream)  # first
    stream.destroy(force=not fixed)
    x.numpy()  # second


# ---- waits that never end


@bug("deadlock")
def host_function_that_synchronizes(dev, fixed, one, two, memory, found):
    dev.memset_async(memory, 0, stream=two)

    def function() -> None:
        if not fixed:
            dev.memcpy_async(found, memory)  # second

    one.launch_host_func(function)  # first
    dev.synchronize(60_000)


@bug("deadlock")
def callback_of_the_waiting_thread(dev, fixed, stream):
    stream.subscribe_report()
    stream.launch_callback(lambda: None)  # first
    if not fixed:
        stream.synchronize()  # second
    dev.process_report(60_000)


@bug("deadlock")
def wait_behind_a_callback(dev, fixed, one, two):
    one.subscribe_report()
    one.launch_callback(lambda: None)  # first
    link(dev, one, two)
    if fixed:
        dev.process_report(60_000)
    two.synchronize(60_000 if fixed else None)  # second


# ---- leaks


@bug("leak")
def memory_left_behind(dev, fixed):
    memory = dev.malloc(64)  # first
    if fixed:
        dev.free(memory)
    dev.find_leaks()


@bug("leak")
def pinned_memory_left_behind(dev, fixed, memory):
    pinned = dev.malloc_host(64)  # first
    dev.free(memory)
    if fixed:
        dev.free(pinned)
    dev.find_leaks()
