"""Programs with races."""

from __future__ import annotations

from typing import Any

import numpy as np

from ascendref.aclnn import aclnnHardshrinkBackward, aclnnPreluBackward

from ...support.two_phase import phase_1
from .catalogue import bug, full, hardshrink, link, prelu, streams, view


@bug("race")
def two_fills(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    memory = dev.malloc(64)
    dev.memset_async(memory, 0, stream=one)  # first
    if fixed:
        link(dev, one, two)
    dev.memset_async(memory, 1, stream=two)  # second


@bug("race")
def result_of_another_stream(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, y, z = full(dev), dev.empty(16, "float32"), dev.empty(16, "float32")
    aclnnHardshrinkBackward(*hardshrink(x, x, y), one)  # first
    if fixed:
        link(dev, one, two)
    aclnnHardshrinkBackward(*hardshrink(y, y, z), two)  # second


@bug("race")
def overwritten_input(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, y, z = full(dev), full(dev), dev.empty(16, "float32")
    aclnnHardshrinkBackward(*hardshrink(x, x, z), one)  # first
    if fixed:
        one.synchronize()
    aclnnHardshrinkBackward(*hardshrink(y, y, x), two)  # second


@bug("race")
def overwritten_result(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, out = full(dev), dev.empty(16, "float32")
    call = hardshrink(x, x, out)
    aclnnHardshrinkBackward(*call, one)  # first
    if fixed:
        dev.synchronize()
    aclnnHardshrinkBackward(*call, two)  # second


@bug("race")
def result_that_a_destroyed_stream_waited_for(dev: Any, fixed: bool) -> None:
    """Destroying a stream waits for its work, and so for what that waited for."""
    one, two = streams(dev)
    between, memory = dev.create_stream(), dev.malloc(64)
    dev.memset_async(memory, 0, stream=one)  # first
    if fixed:
        link(dev, one, between)
    between.destroy()
    dev.memset_async(memory, 1, stream=two)  # second


@bug("race")
def copy_of_a_result(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, out, copy = full(dev), dev.empty(16, "float32"), dev.malloc(64)
    aclnnHardshrinkBackward(*hardshrink(x, x, out), one)  # first
    if fixed:
        link(dev, one, two)
    dev.memcpy_async(copy, out.memory, stream=two)  # second


@bug("race")
def copy_over_an_input(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, out, other = full(dev), dev.empty(16, "float32"), full(dev)
    aclnnHardshrinkBackward(*hardshrink(x, x, out), one)  # first
    if fixed:
        link(dev, one, two)
    dev.memcpy_async(x.memory, other.memory, stream=two)  # second


@bug("race")
def in_place_while_read(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, out = full(dev), dev.empty(16, "float32")
    aclnnHardshrinkBackward(*hardshrink(x, x, out), one)  # first
    if fixed:
        link(dev, one, two)
    aclnnHardshrinkBackward(*hardshrink(x, x, x), two)  # second


@bug("race")
def one_byte_in_common(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    memory = dev.malloc(64)
    dev.memset_async(memory, 0, 33 - fixed, stream=one)  # first
    dev.memset_async(memory.address + 32, 1, stream=two)  # second


@bug("race")
def range_inside_of_another(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    memory = dev.malloc(64)
    dev.memset_async(memory, 0, stream=one)  # first
    if fixed:
        link(dev, one, two)
    dev.memset_async(memory.address + 10, 1, 3, stream=two)  # second


@bug("race")
def range_around_others(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    memory = dev.malloc(64)
    dev.memset_async(memory.address + 10, 1, 3, stream=one)  # first
    if fixed:
        link(dev, one, two)
    dev.memset_async(memory, 0, stream=two)  # second


@bug("race")
def strided_views_that_meet(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, out = full(dev, 8), dev.empty(36, "float32")
    aclnnHardshrinkBackward(*hardshrink(x, x, view(out, 8, 4)), one)  # first
    offset = 1 if fixed else 4
    aclnnHardshrinkBackward(*hardshrink(x, x, view(out, 8, 4, offset)), two)  # second


@bug("race")
def strided_view_against_a_range(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, out = full(dev, 8), dev.empty(32, "float32")
    aclnnHardshrinkBackward(*hardshrink(x, x, view(out, 8, 4)), one)  # first
    address = out.memory.address + (4 if fixed else 16)
    dev.memset_async(address, 0, 4, stream=two)  # second


@bug("race")
def view_backward(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, out = full(dev, 8), dev.empty(16, "float32")
    aclnnHardshrinkBackward(*hardshrink(x, x, view(out, 8, -1, 7)), one)  # first
    offset = 8 if fixed else 7
    aclnnHardshrinkBackward(*hardshrink(x, x, view(out, 8, 1, offset)), two)  # second


@bug("race")
def broadcast_input(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, out = full(dev), dev.empty(16, "float32")
    aclnnHardshrinkBackward(*hardshrink(view(x, 16, 0, 3), full(dev), out), one)  # first
    dev.memset_async(x.memory.address + (8 if fixed else 12), 0, 4, stream=two)  # second


@bug("race")
def columns_of_a_matrix(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, matrix = full(dev, 4), full(dev)
    link(dev, dev.default_stream, one)
    aclnnHardshrinkBackward(*hardshrink(x, x, view(matrix, 4, 4, 1)), one)  # first
    column = 2 if fixed else 1
    out = dev.empty(4, "float32")
    aclnnHardshrinkBackward(*hardshrink(x, view(matrix, 4, 4, column), out), two)  # second


@bug("race")
def shared_workspace(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    call = prelu(dev)
    other = prelu(dev, None if fixed else call[0])
    aclnnPreluBackward(*call, one)  # first
    aclnnPreluBackward(*other, two)  # second


@bug("race")
def workspaces_that_overlap(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    size = prelu(dev)[1]
    memory = dev.malloc(2 * size)
    call = prelu(dev, memory)
    other = prelu(dev, memory.address + size - 64 * (not fixed))
    aclnnPreluBackward(*call, one)  # first
    aclnnPreluBackward(*other, two)  # second


@bug("race")
def data_in_a_workspace(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    call = prelu(dev)
    aclnnPreluBackward(*call, one)  # first
    if fixed:
        link(dev, one, two)
    dev.memset_async(call[0], 0, stream=two)  # second


@bug("race")
def default_stream_orders_nothing(dev: Any, fixed: bool) -> None:
    stream, memory = dev.create_stream(), dev.malloc(8)
    dev.memset_async(memory, 0)  # first
    if fixed:
        dev.default_stream.synchronize()
    dev.memset_async(memory, 0, stream=stream)  # second


@bug("race")
def event_recorded_too_early(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    memory, event = dev.malloc(8), dev.create_event()
    if not fixed:
        event.record(one)
    dev.memset_async(memory, 0, stream=one)  # first
    if fixed:
        event.record(one)
    two.wait_event(event)
    dev.memset_async(memory, 0, stream=two)  # second


@bug("race")
def event_of_the_wrong_stream(dev: Any, fixed: bool) -> None:
    one, two, three = streams(dev, 3)
    memory, event = dev.malloc(8), dev.create_event()
    dev.memset_async(memory, 0, stream=one)  # first
    event.record(one if fixed else three)
    two.wait_event(event)
    dev.memset_async(memory, 0, stream=two)  # second


@bug("race")
def wrong_stream_waits(dev: Any, fixed: bool) -> None:
    one, two, three = streams(dev, 3)
    memory = dev.malloc(8)
    dev.memset_async(memory, 0, stream=one)  # first
    link(dev, one, two if fixed else three)
    dev.memset_async(memory, 0, stream=two)  # second


@bug("race")
def wait_after_the_use(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    memory = dev.malloc(8)
    dev.memset_async(memory, 0, stream=one)  # first
    if fixed:
        link(dev, one, two)
    dev.memset_async(memory, 0, stream=two)  # second
    link(dev, one, two)


@bug("race")
def broken_chain(dev: Any, fixed: bool) -> None:
    one, two, three = streams(dev, 3)
    memory = dev.malloc(8)
    dev.memset_async(memory, 0, stream=one)  # first
    if fixed:
        link(dev, one, two)
        link(dev, two, three)
    else:
        link(dev, two, three)
        link(dev, one, two)
    dev.memset_async(memory, 0, stream=three)  # second


@bug("race")
def one_of_two_producers(dev: Any, fixed: bool) -> None:
    one, two, three = streams(dev, 3)
    x, left, right, out = full(dev), full(dev), full(dev), dev.empty(16, "float32")
    aclnnHardshrinkBackward(*hardshrink(x, x, left), one)
    aclnnHardshrinkBackward(*hardshrink(x, x, right), two)  # first
    link(dev, one, three)
    if fixed:
        link(dev, two, three)
    aclnnHardshrinkBackward(*hardshrink(left, right, out), three)  # second


@bug("race")
def buffer_used_again(dev: Any, fixed: bool) -> None:
    up, compute = streams(dev)
    staging = [dev.malloc_host(64) for _ in range(2)]
    x, out = full(dev), dev.empty(16, "float32")
    dev.memcpy_async(x.memory, staging[0], stream=up)
    link(dev, up, compute)
    aclnnHardshrinkBackward(*hardshrink(x, x, out), compute)  # first
    if fixed:
        link(dev, compute, up)
    dev.memcpy_async(x.memory, staging[1], stream=up)  # second


@bug("race")
def new_address_in_use(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, out, busy = full(dev), dev.empty(16, "float32"), dev.malloc(64)
    call = hardshrink(x, x, out)
    dev.memset_async(busy, 0, stream=one)  # first
    call[2].set_tensor_address(out, dev.malloc(64) if fixed else busy)
    aclnnHardshrinkBackward(*call, two)  # second


@bug("race")
def gradient_of_the_weight(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x = dev.tensor(np.ones((2, 4), np.float32))
    weight, out, sums = full(dev, 4), dev.empty((2, 4), "float32"), dev.empty(4, "float32")
    size, executor = phase_1("prelu_backward", x, x, weight, out, sums)
    aclnnPreluBackward(dev.malloc(size), size, executor, one)  # first
    if fixed:
        link(dev, one, two)
    dev.memcpy_async(dev.malloc(16), sums.memory, stream=two)  # second


# ---- between streams and the host


@bug("race")
def result_read_too_early(dev: Any, fixed: bool) -> None:
    x, out = full(dev), full(dev)
    aclnnHardshrinkBackward(*hardshrink(x, x, out), None)  # first
    if fixed:
        dev.synchronize()
    out.numpy()  # second


@bug("race")
def wrong_stream_synchronized(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, out = full(dev), full(dev)
    aclnnHardshrinkBackward(*hardshrink(x, x, out), one)  # first
    (one if fixed else two).synchronize()
    out.numpy()  # second


@bug("race")
def event_synchronized_too_early(dev: Any, fixed: bool) -> None:
    x, out, event = full(dev), full(dev), dev.create_event()
    if not fixed:
        event.record()
    aclnnHardshrinkBackward(*hardshrink(x, x, out), None)  # first
    if fixed:
        event.record()
    event.synchronize()
    out.numpy()  # second


@bug("race")
def no_question_asked(dev: Any, fixed: bool) -> None:
    x, out = full(dev), full(dev)
    stream = dev.create_stream()
    aclnnHardshrinkBackward(*hardshrink(x, x, out), stream)  # first
    while fixed and not stream.query():
        pass
    out.numpy()  # second


@bug("race")
def blocking_copy_does_not_wait(dev: Any, fixed: bool) -> None:
    memory, found = dev.malloc(8), np.zeros(8, np.uint8)
    dev.memset_async(memory, 1)  # first
    if fixed:
        dev.default_stream.synchronize()
    dev.memcpy(found, memory)  # second


@bug("race")
def input_copied_over(dev: Any, fixed: bool) -> None:
    x, out = full(dev), full(dev)
    aclnnHardshrinkBackward(*hardshrink(x, x, out), None)  # first
    if fixed:
        dev.synchronize()
    dev.memcpy(x.memory, np.zeros(16, np.float32))  # second


@bug("race")
def fill_over_a_result(dev: Any, fixed: bool) -> None:
    x, out = full(dev), full(dev)
    aclnnHardshrinkBackward(*hardshrink(x, x, out), None)  # first
    if fixed:
        dev.synchronize()
    dev.memset(out.memory, 0)  # second


@bug("race")
def pinned_download_read_by_a_call(dev: Any, fixed: bool) -> None:
    x, pinned, found = full(dev), dev.malloc_host(64), np.zeros(64, np.uint8)
    dev.memcpy_async(pinned, x.memory)  # first
    if fixed:
        dev.synchronize()
    dev.memcpy(found, pinned)  # second


@bug("race")
def pinned_upload_written_by_a_call(dev: Any, fixed: bool) -> None:
    pinned, memory = dev.malloc_host(64), dev.malloc(64)
    dev.memcpy_async(memory, pinned)  # first
    if fixed:
        dev.synchronize()
    dev.memset(pinned, 0)  # second


@bug("race")
def pinned_upload_written_by_the_program(dev: Any, fixed: bool) -> None:
    pinned, memory = dev.malloc_host(64), dev.malloc(64)
    dev.memcpy_async(memory, pinned)  # first
    if fixed:
        dev.synchronize()
    pinned.numpy()[:] = 7
    dev.synchronize()  # second


@bug("race")
def last_byte_of_an_upload_written(dev: Any, fixed: bool) -> None:
    pinned, memory, event = dev.malloc_host(64), dev.malloc(64), dev.create_event()
    dev.memcpy_async(memory, pinned, 64 - fixed)  # first
    event.record()
    pinned.numpy()[63] = 7
    event.synchronize()  # second


@bug("race")
def pinned_download_written_by_the_program(dev: Any, fixed: bool) -> None:
    x, pinned = full(dev), dev.malloc_host(64)
    stream = dev.create_stream()
    dev.memcpy_async(pinned, x.memory, stream=stream)  # first
    if fixed:
        stream.synchronize()
    pinned.numpy()[:] = 7
    stream.synchronize()  # second


@bug("race")
def two_downloads_to_one_place(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, y, pinned = full(dev), full(dev), dev.malloc_host(128)
    dev.memcpy_async(pinned, x.memory, stream=one)  # first
    dev.memcpy_async(pinned.address + (64 if fixed else 60), y.memory, stream=two)  # second


# ---- host functions


@bug("race", either=True)
def host_function_reads(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, found = full(dev), np.zeros(64, np.uint8)
    one.launch_host_func(lambda: dev.memcpy(found, x.memory))  # first
    if fixed:
        link(dev, one, two)
    dev.memset_async(x.memory, 0, stream=two)  # second
    dev.synchronize()


@bug("race", either=True)
def host_function_writes(dev: Any, fixed: bool) -> None:
    one, two = streams(dev)
    x, out = full(dev), dev.empty(16, "float32")
    one.launch_host_func(lambda: dev.memset(x.memory, 0))  # first
    if fixed:
        one.synchronize()
    aclnnHardshrinkBackward(*hardshrink(x, x, out), two)  # second
    dev.synchronize()


@bug("race", either=True)
def callback_that_nothing_waits_for(dev: Any, fixed: bool) -> None:
    stream, memory = dev.create_stream(), dev.malloc(8)
    stream.subscribe_report()
    stream.launch_callback(lambda: dev.memset(memory, 0), block=fixed)  # first
    dev.memset_async(memory, 1, stream=stream)  # second
    dev.process_report(60_000)
    dev.synchronize(60_000)
