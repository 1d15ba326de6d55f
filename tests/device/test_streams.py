"""Streams: order, waiting, timeouts, limits, ends."""

import threading
import time
from functools import partial

import pytest

import ascendref as ar
from ascendref.device.streams.stream import StreamFlag

from .calls import code, content, in_threads, work

pytestmark = pytest.mark.tiny


def synchronized(stream):
    """Synchronize for a moment; tell whether that was long enough."""
    return code(stream.synchronize, 1e-6) == 0


@pytest.mark.parametrize(
    "done",
    [lambda stream, event: stream.query(), lambda stream, event: event.query(),
     lambda stream, event: synchronized(stream)],
)  # fmt: skip
def test_asking_again_and_again_ends(any_dev, done):
    stream, event, seen = any_dev.create_stream(), any_dev.create_event(), []
    assert stream.query()
    for k in range(3):
        work(any_dev, stream, lambda k=k: seen.append(k))
    event.record(stream)
    assert any(done(stream, event) for _ in range(10_000_000))
    assert seen == [0, 1, 2]
    assert event.query()


def test_a_host_function_holds_up_its_own_stream_alone(any_dev, gate):
    held, free, seen = any_dev.create_stream(), any_dev.create_stream(), []
    held.launch_host_func(gate)
    held.launch_host_func(lambda: seen.append("held"))
    free.launch_host_func(lambda: seen.append("host"))
    work(any_dev, free, lambda: seen.append("free"))
    assert code(held.synchronize, 5) == 507046
    free.synchronize()
    assert seen == ["host", "free"]
    gate.open()
    held.synchronize()
    assert seen == ["host", "free", "held"]


def test_host_functions_can_wait_for_one_another():
    dev, barrier = ar.Device("Atlas A2"), threading.Barrier(20, timeout=60)
    for _ in range(2):
        for _ in range(20):
            dev.create_stream().launch_host_func(barrier.wait)
        dev.synchronize()


def test_timeouts_that_are_reached(any_dev, gate):
    stream, event = any_dev.create_stream(), any_dev.create_event()
    stream.launch_host_func(gate)
    event.record(stream)
    assert code(stream.synchronize, 5) == 507046
    assert code(any_dev.synchronize, 5) == 507046
    assert code(event.synchronize, 5) == 507047
    for _ in range(100):
        assert code(stream.synchronize, 0.01) == 507046
    assert not any(task.waiters for task in stream.queue)  # those who gave up are forgotten
    assert not stream.query()
    assert not event.query()
    gate.open()
    stream.synchronize(60_000)
    event.synchronize(60_000)


@pytest.mark.parametrize("execution", ["lazy", "random"])
def test_what_a_wait_gave_up_runs_no_further(execution, gate):
    dev = ar.Device("Atlas A2", execution=execution, seed=0)
    stream, seen = dev.create_stream(), []
    stream.launch_host_func(gate)
    work(dev, stream, lambda: seen.append("later"))
    assert code(stream.synchronize, 5) == 507046
    gate.open()
    time.sleep(0.05)
    assert seen == []
    stream.synchronize()
    assert seen == ["later"]


@pytest.mark.parametrize(
    "flag", [StreamFlag.PERSISTENT, StreamFlag.CPU_SCHEDULE, StreamFlag.DEVICE_USE_ONLY]
)
def test_streams_that_are_never_waited_for(dev, flag, gate):
    stream = dev.create_stream(flags=flag)
    stream.launch_host_func(gate)
    stream.synchronize()
    assert not stream.query()
    gate.open()


def test_priorities_and_flags(dev):
    assert dev.create_stream(priority=-3).priority == 0
    assert dev.create_stream(priority=3).priority == 3
    assert dev.create_stream(priority=100).priority == 7
    assert dev.create_stream(flags=0x3).flags == StreamFlag.FAST_LAUNCH | StreamFlag.FAST_SYNC


def test_the_number_of_streams_is_limited():
    dev = ar.Device("Atlas 200I/500 A2")
    streams = [dev.create_stream() for _ in range(512)]
    assert code(dev.create_stream) == 207008
    streams[0].destroy()
    dev.create_stream()


def test_a_with_block_ends_its_stream(any_dev):
    seen = []
    with any_dev.create_stream() as stream:
        work(any_dev, stream, lambda: seen.append(1))
    assert seen == [1]
    assert code(stream.query) == 107017
    with any_dev.create_stream() as stream:
        stream.destroy()


def test_an_error_leaves_a_with_block_as_it_is(dev, gate):

    def use():
        with dev.create_stream() as stream:
            stream.launch_host_func(gate)
            work(dev, stream, lambda: pytest.fail("ran"))
            raise KeyError

    with pytest.raises(KeyError):
        use()
    gate.open()


def waiting(wait):
    """Wait on another thread, and return it with what it is going to get."""
    codes = []
    thread = threading.Thread(target=lambda: codes.append(code(wait)))
    thread.start()
    return thread, codes


def test_abort_drops_what_did_not_start(any_dev, gate):
    stream, other, event = any_dev.create_stream(), any_dev.create_stream(), any_dev.create_event()
    seen, started = [], threading.Event()
    stream.launch_host_func(lambda: (started.set(), gate()))
    work(any_dev, stream, lambda: pytest.fail("ran"))
    event.record(stream)
    other.wait_event(event)
    work(any_dev, other, lambda: seen.append("other"))
    thread, codes = waiting(stream.synchronize)
    assert started.wait(60)
    while not stream.queue[-1].waiters:
        time.sleep(0.001)
    stream.abort()
    thread.join(60)
    assert codes == [107023]
    other.synchronize()  # nobody waits for what will not come
    assert seen == ["other"]
    assert code(event.synchronize) == 107023
    gate.open()
    stream.synchronize()
    work(any_dev, stream, lambda: seen.append("again"))
    stream.synchronize()
    assert seen == ["other", "again"]


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (lambda dev, stream: stream.destroy(force=True), 107023),
        (lambda dev, stream: fail_for_good(dev), 507000),
    ],
    ids=["destroyed", "stopped"],
)
def test_a_wait_ends_when_its_work_is_dropped(any_dev, gate, end, status):
    stream = any_dev.create_stream()
    stream.launch_host_func(gate)
    stream.launch_host_func(lambda: pytest.fail("ran"))
    thread, codes = waiting(stream.synchronize)
    while not stream.queue[-1].waiters:
        time.sleep(0.001)
    end(any_dev, stream)
    thread.join(60)
    assert codes == [status]


def fail_for_good(dev):
    stream = dev.create_stream()
    stream.set_failure_mode(ar.FailureMode.STOP)
    stream.launch_host_func(lambda: 1 / 0)
    assert code(stream.synchronize) == 507000


def test_what_is_queued_while_a_stream_is_destroyed_is_done_too(any_dev, gate):
    stream, memory = any_dev.create_stream(), any_dev.malloc(4)
    stream.launch_host_func(gate)
    thread = threading.Thread(target=stream.destroy)
    thread.start()
    while not stream.queue[0].waiters:
        time.sleep(0.001)
    any_dev.memset_async(memory, 1, stream=stream)
    gate.open()
    thread.join(60)
    assert code(any_dev.memset_async, memory, 2, stream=stream) == 107017
    assert content(memory).tolist() == [1] * 4


def test_abort_of_a_stream_that_waits_for_another(dev, gate):
    held, stream, event, seen = dev.create_stream(), dev.create_stream(), dev.create_event(), []
    held.launch_host_func(gate)
    event.record(held)
    stream.wait_event(event)
    stream.abort()
    work(dev, stream, lambda: seen.append(1))
    stream.synchronize()
    assert seen == [1]
    gate.open()
    dev.synchronize()


def test_many_threads_on_one_device(any_dev):
    """Each thread has its own stream, and all share one; nothing is lost and nothing hangs."""
    shared, counts = any_dev.create_stream(), []

    def host(k):
        own, seen = any_dev.create_stream(), []
        for i in range(50):
            work(any_dev, own, lambda i=i: seen.append(i))
            work(any_dev, shared, lambda: counts.append(1))
            if i % 10 == 0:
                own.synchronize()
                shared.synchronize()
        own.synchronize()
        assert seen == list(range(50))
        results[k] = True

    results = [False] * 8
    in_threads(partial(host, k) for k in range(8))
    any_dev.synchronize()
    assert all(results)
    assert len(counts) == 400


def test_one_kernel_at_a_time_in_the_process():
    devices = [
        ar.Device("Atlas A2", execution=execution) for execution in ("eager", "eager", "lazy")
    ]
    running, worst = [0], [0]

    def kernel():
        running[0] += 1
        worst[0] = max(worst[0], running[0])
        time.sleep(0.001)
        running[0] -= 1

    def host(dev):
        for _ in range(10):
            work(dev, None, kernel)
        dev.synchronize()

    in_threads(partial(host, dev) for dev in devices)
    assert worst == [1]


def test_a_task_must_not_wait(any_dev):
    stream, codes = any_dev.create_stream(), []
    stream.launch_host_func(lambda: codes.append(code(stream.synchronize)))
    stream.synchronize()
    assert codes == [207000]


def test_an_idle_device_costs_no_time(any_dev, gate):
    dev = any_dev
    held = dev.create_stream()
    work(dev, None, lambda: None)
    held.launch_host_func(gate)
    waiter = threading.Thread(target=held.synchronize)
    waiter.start()
    dev.default_stream.synchronize()
    before = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - before < 0.1
    gate.open()
    waiter.join(60)


@pytest.mark.parametrize("fails", [False, True])
def test_a_task_that_destroys_a_stream_does_not_wait_for_it(any_dev, gate, fails):
    stream, seen = any_dev.create_stream(), []

    def last():
        seen.append("last")
        if fails:
            raise ZeroDivisionError

    def destroy():
        gate()
        stream.destroy()
        seen.append(code(stream.launch_host_func, print))
        seen.append(stream.alive)

    stream.launch_host_func(destroy)
    work(any_dev, stream, last)
    gate.open()
    if fails:
        assert code(any_dev.synchronize, 60_000) == 507015
    any_dev.synchronize(60_000)
    assert seen == [107017, False, "last"]
    assert len(any_dev.scheduler.streams) == 1
    assert code(stream.synchronize) == 107017


def test_a_task_may_destroy_an_idle_stream(any_dev):
    other = any_dev.create_stream()
    any_dev.default_stream.launch_host_func(other.destroy)
    any_dev.synchronize()
    assert not other.alive
    assert len(any_dev.scheduler.streams) == 1
