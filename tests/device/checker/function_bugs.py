"""Programs with bugs about host functions, and streams that are destroyed."""

from .catalogue import bug, link

# ---- accesses that are seen when the function runs


@bug("race", either=True)
def function_against_a_destroyed_stream(dev, fixed, one, two, written, found):
    if fixed:
        dev.memset_async(written, 1, stream=one)
        one.destroy()
    two.launch_host_func(lambda: dev.memcpy(found, written))  # first
    if not fixed:
        dev.memset_async(written, 1, stream=one)  # second
        one.destroy()
    dev.synchronize()


@bug("race", either=True)
def write_before_a_function_and_after_it(dev, fixed, one, two, memory, found):
    """What the function reads was overwritten since, by what comes after it."""
    dev.memset_async(memory, 1, stream=one)  # first
    if fixed:
        link(dev, one, two)
    two.launch_host_func(lambda: dev.memcpy(found, memory))  # second
    link(dev, two, one)
    dev.memset_async(memory, 2, stream=one)
    dev.synchronize()


@bug("race", either=True)
def read_before_a_function_and_after_it(dev, fixed, one, two, written, other):
    dev.memcpy_async(other, written, stream=one)  # first
    if fixed:
        link(dev, one, two)
    two.launch_host_func(lambda: dev.memset(written, 1))  # second
    link(dev, two, one)
    dev.memcpy_async(other, written, stream=one)
    dev.synchronize()


@bug("race", either=True)
def write_before_a_callback_and_after_it(dev, fixed, one, two, memory):
    two.subscribe_report()
    dev.memset_async(memory, 1, stream=one)  # first
    if fixed:
        link(dev, one, two)
    two.launch_callback(lambda: dev.memset(memory, 2))  # second
    link(dev, two, one)
    dev.memset_async(memory, 3, stream=one)
    dev.process_report(60_000)
    dev.synchronize()


@bug("race", either=True)
def write_between_two_functions(dev, fixed, one, two, written, found):
    """The second function is in order with the write; the first is not."""
    two.launch_host_func(lambda: dev.memcpy(found, written))  # first
    if fixed:
        link(dev, two, one)
    dev.memset_async(written, 1, stream=one)  # second
    link(dev, one, two)
    two.launch_host_func(lambda: dev.memcpy(found, written))
    dev.synchronize()


# ---- what functions submit


@bug("race", either=True)
def task_of_a_function_against_the_host(dev, fixed, one, two, memory):
    one.launch_host_func(lambda: dev.memset_async(memory, 1, stream=two))  # first
    if fixed:
        one.synchronize()
        two.synchronize()
    dev.memset(memory, 2)  # second
    dev.synchronize()
    dev.synchronize()


@bug("race", either=True)
def task_of_a_function_against_one_of_the_program(dev, fixed, one, two, memory):
    """Which of the two comes first on their stream depends on when the function runs."""
    one.launch_host_func(lambda: dev.memset_async(memory, 1, stream=two))  # first
    if fixed:
        one.synchronize()
    dev.memset_async(memory, 2, stream=two)  # second
    dev.synchronize()
    dev.synchronize()


@bug("race", either=True)
def function_goes_on_after_its_task(dev, fixed, one, two, memory, other):
    def function() -> None:
        dev.memset_async(memory, 1, stream=two)  # first
        dev.memset(other if fixed else memory, 2)  # second

    one.launch_host_func(function)
    dev.synchronize()
    dev.synchronize()


@bug("race", either=True)
def result_of_a_task_of_a_function(dev, fixed, one, two, written, found):
    """Synchronizing with the stream before the function is known to be done says nothing."""
    one.launch_host_func(lambda: dev.memset_async(written, 1, stream=two))  # first
    if fixed:
        one.synchronize()
    two.synchronize()
    dev.memcpy(found, written)  # second
    dev.synchronize()
    dev.synchronize()


# ---- what functions may have written


@bug("uninitialized-read")
def copy_behind_a_function(dev, fixed, stream, memory, found):
    target = dev.malloc(64)  # first
    stream.launch_host_func(lambda: dev.memset(memory, 0) if fixed else None)
    dev.memcpy_async(target, memory, stream=stream)
    dev.synchronize()
    dev.memcpy(found, target)  # second


@bug("uninitialized-read")
def read_behind_a_function_and_before_a_write(dev, fixed, stream, pinned):
    memory = dev.malloc(64)  # first
    stream.launch_host_func(lambda: None)
    if fixed:
        dev.memset_async(memory, 0, stream=stream)
    dev.memcpy_async(pinned, memory, stream=stream)  # second
    dev.memset_async(memory, 0, stream=stream)
    dev.synchronize()


# ---- streams that are destroyed by force, and aborted


@bug("race")
def write_after_a_forced_end(dev, fixed, stream, memory):
    dev.memset_async(memory, 1, stream=stream)  # first
    stream.destroy(force=True)
    if fixed:
        dev.synchronize()
    dev.memset(memory, 2)  # second


@bug("lifetime")
def free_after_a_forced_end(dev, fixed, stream, memory):
    dev.memset_async(memory, 1, stream=stream)  # first
    if fixed:
        stream.synchronize()
    stream.destroy(force=True)
    dev.free(memory)  # second


@bug("race")
def wait_for_a_record_that_was_dropped(dev, fixed, one, two, memory, event):
    dev.memset_async(memory, 1, stream=one)  # first
    event.record(one)
    if fixed:
        event.synchronize()
    one.abort()
    two.wait_event(event)
    dev.memset_async(memory, 2, stream=two)  # second


@bug("race", either=True)
def function_submits_to_a_stream_in_order(dev, fixed, one, two, memory):
    """A task of a function comes after those that were submitted before the function."""
    if fixed:
        dev.memset_async(memory, 0, stream=two)
    one.launch_host_func(lambda: dev.memset_async(memory, 1, stream=two))  # first
    if not fixed:
        dev.memset_async(memory, 0, stream=two)  # second
    for _ in range(2):
        dev.synchronize()
