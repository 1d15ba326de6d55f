"""Programs with races."""

from ascendref.aclnn import aclnnHardshrinkBackward, aclnnPreluBackward

from .catalogue import (
    CALLS_THAT_READ,
    CALLS_THAT_WRITE,
    READS,
    WRITES,
    bug,
    full,
    hardshrink,
    link,
    prelu,
    view,
)


@bug("race", first=WRITES, second=READS | WRITES)
@bug("race", first=READS, second=WRITES)
def two_tasks(dev, fixed, first, second, one, two, x):
    first(dev, x, one)
    if fixed:
        link(dev, one, two)
    second(dev, x, two)


@bug("race", first=WRITES, second=CALLS_THAT_READ | CALLS_THAT_WRITE)
@bug("race", first=READS, second=CALLS_THAT_WRITE)
def task_and_call(dev, fixed, first, second, stream, x):
    first(dev, x, stream)
    if fixed:
        stream.synchronize()
    second(dev, x)


# ---- bytes in common


@bug("race")
def one_byte_in_common(dev, fixed, one, two, memory):
    dev.memset_async(memory, 0, 33 - fixed, stream=one)  # first
    dev.memset_async(memory.address + 32, 1, stream=two)  # second


@bug("race")
def range_inside_of_another(dev, fixed, one, two, memory):
    dev.memset_async(memory, 0, stream=one)  # first
    if fixed:
        link(dev, one, two)
    dev.memset_async(memory.address + 10, 1, 3, stream=two)  # second


@bug("race")
def range_around_others(dev, fixed, one, two, memory):
    dev.memset_async(memory.address + 10, 1, 3, stream=one)  # first
    if fixed:
        link(dev, one, two)
    dev.memset_async(memory, 0, stream=two)  # second


#: name -> size, stride and offset of two views, and the offset with which they do not meet
VIEWS = {
    "strided": ((8, 4, 0), (2, 4, 4), 1),
    "strided and one element": ((8, 4, 0), (1, 1, 4), 1),
    "backward": ((8, -1, 7), (8, 1, 7), 8),
    "columns of a matrix": ((4, 4, 1), (4, 4, 1), 2),
}


@bug("race", views=VIEWS)
def views_that_meet(dev, fixed, views, one, two):
    out, (written, (size, stride, offset), apart) = dev.empty(36, "float32"), views
    x, y = full(dev, written[0]), full(dev, size)
    other = view(out, size, stride, apart if fixed else offset)
    aclnnHardshrinkBackward(*hardshrink(x, x, view(out, *written)), one)  # first
    aclnnHardshrinkBackward(*hardshrink(y, y, other), two)  # second


@bug("race")
def broadcast_input(dev, fixed, one, two, x, y, out):
    aclnnHardshrinkBackward(*hardshrink(view(x, 16, 0, 3), y, out), one)  # first
    dev.memset_async(x.memory.address + (8 if fixed else 12), 0, 4, stream=two)  # second


@bug("race")
def shared_workspace(dev, fixed, one, two):
    call = prelu(dev)
    other = prelu(dev, None if fixed else call[0])
    aclnnPreluBackward(*call, one)  # first
    aclnnPreluBackward(*other, two)  # second


@bug("race")
def workspaces_that_overlap(dev, fixed, one, two):
    size = prelu(dev)[1]
    memory = dev.malloc(2 * size)
    call = prelu(dev, memory)
    other = prelu(dev, memory.address + size - 64 * (not fixed))
    aclnnPreluBackward(*call, one)  # first
    aclnnPreluBackward(*other, two)  # second


@bug("race")
def data_in_a_workspace(dev, fixed, one, two):
    call = prelu(dev)
    aclnnPreluBackward(*call, one)  # first
    if fixed:
        link(dev, one, two)
    dev.memset_async(call[0], 0, stream=two)  # second


@bug("race")
def gradient_of_the_weight(dev, fixed, one, two):
    sums = dev.empty(4, "float32")
    aclnnPreluBackward(*prelu(dev, sums=sums), one)  # first
    if fixed:
        link(dev, one, two)
    dev.memcpy_async(dev.malloc(16), sums.memory, stream=two)  # second


@bug("race")
def new_address_in_use(dev, fixed, one, two, x, out, memory, other):
    call = hardshrink(x, x, out)
    dev.memset_async(memory, 0, stream=one)  # first
    call[2].set_tensor_address(out, other if fixed else memory)
    aclnnHardshrinkBackward(*call, two)  # second


@bug("race")
def two_downloads_to_one_place(dev, fixed, one, two, x, y):
    pinned = dev.malloc_host(128)
    dev.memcpy_async(pinned, x.memory, stream=one)  # first
    dev.memcpy_async(pinned.address + (64 if fixed else 60), y.memory, stream=two)  # second


# ---- order that is not there


@bug("race")
def result_that_a_destroyed_stream_waited_for(dev, fixed, one, two, three, memory):
    """Destroying a stream waits for its work, and so for what that waited for."""
    dev.memset_async(memory, 0, stream=one)  # first
    if fixed:
        link(dev, one, two)
    two.destroy()
    dev.memset_async(memory, 1, stream=three)  # second


@bug("race")
def default_stream_orders_nothing(dev, fixed, stream, memory):
    dev.memset_async(memory, 0)  # first
    if fixed:
        dev.default_stream.synchronize()
    dev.memset_async(memory, 0, stream=stream)  # second


@bug("race")
def event_recorded_too_early(dev, fixed, one, two, memory, event):
    if not fixed:
        event.record(one)
    dev.memset_async(memory, 0, stream=one)  # first
    if fixed:
        event.record(one)
    two.wait_event(event)
    dev.memset_async(memory, 0, stream=two)  # second


@bug("race")
def event_of_the_wrong_stream(dev, fixed, one, two, three, memory, event):
    dev.memset_async(memory, 0, stream=one)  # first
    event.record(one if fixed else three)
    two.wait_event(event)
    dev.memset_async(memory, 0, stream=two)  # second


@bug("race")
def wrong_stream_waits(dev, fixed, one, two, three, memory):
    dev.memset_async(memory, 0, stream=one)  # first
    link(dev, one, two if fixed else three)
    dev.memset_async(memory, 0, stream=two)  # second


@bug("race")
def wait_after_the_use(dev, fixed, one, two, memory):
    dev.memset_async(memory, 0, stream=one)  # first
    if fixed:
        link(dev, one, two)
    dev.memset_async(memory, 0, stream=two)  # second
    link(dev, one, two)


@bug("race")
def broken_chain(dev, fixed, one, two, three, memory):
    dev.memset_async(memory, 0, stream=one)  # first
    for pair in [(one, two), (two, three)][:: 1 if fixed else -1]:
        link(dev, *pair)
    dev.memset_async(memory, 0, stream=three)  # second


@bug("race")
def one_of_two_producers(dev, fixed, one, two, three, x, y, out):
    dev.memset_async(x.memory, 0, stream=one)
    dev.memset_async(y.memory, 0, stream=two)  # first
    link(dev, one, three)
    if fixed:
        link(dev, two, three)
    aclnnHardshrinkBackward(*hardshrink(x, y, out), three)  # second


@bug("race")
def buffer_used_again(dev, fixed, one, two, x, out):
    staging = [dev.malloc_host(64) for _ in range(2)]
    dev.memcpy_async(x.memory, staging[0], stream=one)
    link(dev, one, two)
    aclnnHardshrinkBackward(*hardshrink(x, x, out), two)  # first
    if fixed:
        link(dev, two, one)
    dev.memcpy_async(x.memory, staging[1], stream=one)  # second


# ---- between streams and the host


@bug("race")
def wrong_stream_synchronized(dev, fixed, one, two, x):
    dev.memset_async(x.memory, 0, stream=one)  # first
    (one if fixed else two).synchronize()
    x.numpy()  # second


@bug("race")
def event_synchronized_too_early(dev, fixed, x, event):
    if not fixed:
        event.record()
    dev.memset_async(x.memory, 0)  # first
    if fixed:
        event.record()
    event.synchronize()
    x.numpy()  # second


@bug("race")
def no_question_asked(dev, fixed, stream, x):
    dev.memset_async(x.memory, 0, stream=stream)  # first
    while fixed and not stream.query():
        pass
    x.numpy()  # second


@bug("race")
def pinned_download_read_by_a_call(dev, fixed, x, pinned, found):
    dev.memcpy_async(pinned, x.memory)  # first
    if fixed:
        dev.synchronize()
    dev.memcpy(found, pinned)  # second


@bug("race")
def pinned_upload_written_by_a_call(dev, fixed, pinned, memory):
    dev.memcpy_async(memory, pinned)  # first
    if fixed:
        dev.synchronize()
    dev.memset(pinned, 0)  # second


@bug("race")
def pinned_upload_written_by_the_program(dev, fixed, pinned, memory):
    dev.memcpy_async(memory, pinned)  # first
    if fixed:
        dev.synchronize()
    pinned.numpy()[:] = 7
    dev.synchronize()  # second


@bug("race")
def last_byte_of_an_upload_written(dev, fixed, pinned, memory, event):
    dev.memcpy_async(memory, pinned, 64 - fixed)  # first
    event.record()
    pinned.numpy()[63] = 7
    event.synchronize()  # second


@bug("race")
def pinned_download_written_by_the_program(dev, fixed, x, pinned, stream):
    dev.memcpy_async(pinned, x.memory, stream=stream)  # first
    if fixed:
        stream.synchronize()
    pinned.numpy()[:] = 7
    stream.synchronize()  # second


# ---- host functions


@bug("race", either=True)
def host_function_reads(dev, fixed, one, two, x, found):
    one.launch_host_func(lambda: dev.memcpy(found, x.memory))  # first
    if fixed:
        link(dev, one, two)
    dev.memset_async(x.memory, 0, stream=two)  # second
    dev.synchronize()


@bug("race", either=True)
def host_function_writes(dev, fixed, one, two, x, out):
    one.launch_host_func(lambda: dev.memset(x.memory, 0))  # first
    if fixed:
        one.synchronize()
    aclnnHardshrinkBackward(*hardshrink(x, x, out), two)  # second
    dev.synchronize()


@bug("race", either=True)
def callback_that_nothing_waits_for(dev, fixed, stream, memory):
    stream.subscribe_report()
    stream.launch_callback(lambda: dev.memset(memory, 0), block=fixed)  # first
    dev.memset_async(memory, 1, stream=stream)  # second
    dev.process_report(60_000)
    dev.synchronize(60_000)
