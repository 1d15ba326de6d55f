"""Graphs: captured work runs when it is launched, in order, on what the memory holds then."""

import threading
import time

import numpy as np
import pytest

import ascendref as ar
from ascendref import aclnn

from .calls import EXECUTIONS, code, content

TIMEOUT = 20_000  # milliseconds after which a wait counts as hanging


@pytest.fixture(params=EXECUTIONS)
def dev(request):
    return ar.Device("Atlas A2", execution=request.param, seed=1)


@pytest.fixture
def stream(dev):
    return dev.create_stream()


def pinned(dev, values):
    memory = dev.malloc_host(np.asarray(values).nbytes)
    array = memory.numpy(np.asarray(values).dtype)
    array[:] = values
    return array


def queue_relu(dev, x, out, stream):
    size, executor = aclnn.aclnnReluGetWorkspaceSize(x, out)
    workspace = dev.malloc(size) if size else None
    aclnn.aclnnRelu(workspace, size, executor, stream)
    return workspace


def test_an_operator_and_copies_run_on_new_contents(dev, stream):
    given, result = pinned(dev, np.float32([-1, 2])), pinned(dev, np.float32([0, 0]))
    x, out = dev.empty(2, "float32"), dev.empty(2, "float32")
    stream.begin_capture()
    assert stream.captured
    dev.memcpy_async(x.memory, given, stream=stream)
    workspace = queue_relu(dev, x, out, stream)
    dev.memcpy_async(result, out.memory, 8, stream=stream)
    graph = stream.end_capture()
    assert not stream.captured
    stream.synchronize(TIMEOUT)
    assert result.tolist() == [0, 0]  # nothing ran
    for values in ([-1, 2], [3, -4]):
        given[:] = values
        graph.launch(stream)
        stream.synchronize(TIMEOUT)
        assert result.tolist() == [max(0, value) for value in values]
    assert [row.label for row in dev.trace()] == 2 * ["memcpy_async", "aclnnRelu", "memcpy_async"]
    del workspace


def test_launches_follow_one_another_on_any_stream(dev, stream):
    order, other = [], dev.create_stream()
    stream.begin_capture()
    stream.launch_host_func(lambda: order.append(len(order)))
    graph = stream.end_capture()
    for queue in (stream, other, stream, None):
        graph.launch(queue)
    dev.synchronize(TIMEOUT)
    assert order == [0, 1, 2, 3]


def test_streams_that_wait_for_a_captured_event_are_captured(dev, stream):
    order, side, fork, join = [], dev.create_stream(), dev.create_event(), dev.create_event()
    stream.begin_capture()
    stream.launch_host_func(lambda: order.append("first"))
    fork.record(stream)
    side.wait_event(fork)
    assert side.captured
    side.launch_host_func(lambda: order.append("side"))
    join.record(side)
    stream.wait_event(join)
    stream.launch_host_func(lambda: order.append("last"))
    graph = stream.end_capture()
    assert not side.captured
    side.launch_host_func(lambda: order.append("at once"))
    side.synchronize(TIMEOUT)
    for _ in range(2):
        graph.launch()
    dev.synchronize(TIMEOUT)
    assert order == ["at once", *2 * ["first", "side", "last"]]
    assert len({row.stream for row in dev.trace()}) == 3  # the default stream, side, and a lane
    graph.destroy()
    assert code(graph.launch) == 107017


def test_the_checker_sees_every_launch(dev, stream):
    memory, other = dev.malloc(8), dev.create_stream()
    stream.begin_capture()
    dev.memset_async(memory, 1, stream=stream)
    graph = stream.end_capture()
    dev.memset_async(memory, 2, stream=other)
    with pytest.raises(ar.HazardError, match="race"):
        graph.launch(stream)
    other.synchronize(TIMEOUT)
    graph.launch(stream)
    stream.synchronize(TIMEOUT)
    assert content(memory).tolist() == 8 * [1]


def test_launches_on_two_streams_are_ordered_even_if_the_first_has_ended():
    dev = ar.Device("Atlas A2")
    stream, other, memory = dev.create_stream(), dev.create_stream(), dev.malloc(8)
    stream.begin_capture()
    dev.memset_async(memory, 1, stream=stream)
    graph = stream.end_capture()
    graph.launch(stream)
    while not dev.trace():  # which is no wait for the checker
        time.sleep(0.001)
    graph.launch(other)
    other.synchronize(TIMEOUT)
    assert content(memory).tolist() == 8 * [1]


def test_the_checker_finds_a_race_between_captured_streams(dev, stream):
    memory, side, fork, join = (
        dev.malloc(8),
        dev.create_stream(),
        *[dev.create_event() for _ in "12"],
    )
    stream.begin_capture()
    fork.record(stream)
    side.wait_event(fork)
    dev.memset_async(memory, 1, stream=side)
    dev.memset_async(memory, 2, stream=stream)
    join.record(side)
    stream.wait_event(join)
    graph = stream.end_capture()
    with pytest.raises(ar.HazardError, match="race: memset_async writes") as raised:
        graph.launch(stream)
    assert raised.value.first.line == raised.value.second.line - 1  # those of the captured calls
    dev.synchronize(TIMEOUT)


def test_a_failure_is_reported_by_the_stream_of_the_launch(dev, stream):
    side, fork, join = dev.create_stream(), dev.create_event(), dev.create_event()
    stream.begin_capture()
    fork.record(stream)
    side.wait_event(fork)
    side.launch_host_func(lambda: 1 / 0)
    join.record(side)
    stream.wait_event(join)
    graph = stream.end_capture()
    for _ in range(2):
        graph.launch(stream)
        assert code(stream.synchronize, TIMEOUT) == 507000
    stream.synchronize(TIMEOUT)
    dev.synchronize(TIMEOUT)


def test_freed_memory_makes_a_launch_fail(stream):
    dev = ar.Device("Atlas A2", check=False)
    stream = dev.create_stream()
    memory = dev.malloc(8)
    stream.begin_capture()
    dev.memset_async(memory, 1, stream=stream)
    graph = stream.end_capture()
    dev.free(memory)
    graph.launch(stream)
    assert code(stream.synchronize) == 507013


@pytest.mark.parametrize("check", [True, "report"])
def test_the_checker_finds_launches_with_freed_memory(check):
    dev = ar.Device("Atlas A2", check=check)
    stream, memory = dev.create_stream(), dev.malloc(8)
    stream.begin_capture()
    dev.memset_async(memory, 1, stream=stream)
    graph = stream.end_capture()
    graph.launch(stream)
    stream.synchronize(TIMEOUT)
    dev.free(memory)
    if check == "report":
        graph.launch(stream)
        assert code(stream.synchronize, TIMEOUT) == 507013
        (hazard,) = dev.hazards
    else:
        with pytest.raises(ar.HazardError, match="use-after-free") as raised:
            graph.launch(stream)
        hazard = raised.value
        stream.synchronize(TIMEOUT)  # nothing was queued
    assert hazard.kind == "use-after-free"
    assert "memset_async" in str(hazard)


def refused(dev, stream):
    """Return calls that a capture refuses, with their codes."""
    memory, event, recorded = dev.malloc(8), dev.create_event(), dev.create_event()
    recorded.record(dev.create_stream())
    recorded.synchronize(TIMEOUT)
    host = np.zeros(8, np.uint8)
    return {
        "synchronize the stream": (107027, stream.synchronize),
        "query the stream": (107027, stream.query),
        "abort the stream": (107027, stream.abort),
        "destroy the stream": (107027, stream.destroy),
        "synchronize the device": (107027, dev.synchronize),
        "begin again": (107027, stream.begin_capture),
        "synchronize an event": (107028, lambda: (event.record(stream), event.synchronize())),
        "query an event": (107028, lambda: (event.record(stream), event.query())),
        "time of an event": (107028, lambda: (event.record(stream), event.timestamp())),
        "wait for an event without a record": (107024, lambda: stream.wait_event(event)),
        "wait for an event outside": (107024, lambda: stream.wait_event(recorded)),
        "copy at once": (107030, lambda: dev.memcpy(memory, host)),
        "fill at once": (107030, lambda: dev.memset(memory, 0)),
        "copy pageable memory": (
            107030,
            lambda: dev.memcpy_async(memory, host, stream=dev.create_stream()),
        ),
        "use the default stream": (107031, lambda: dev.memset_async(memory, 0)),
        "capture the default stream": (
            107031,
            lambda: (event.record(stream), dev.default_stream.wait_event(event)),
        ),
        "record a notify": (207000, lambda: dev.create_notify().record(stream)),
        "wait for a notify": (207000, lambda: dev.create_notify().wait(stream)),
        "destroy the graph": (107026, lambda: dev.scheduler.captures.of(stream).destroy()),
        "launch the graph": (107026, lambda: dev.scheduler.captures.of(stream).launch()),
    }


CALLS = list(refused(ar.Device("Atlas A2"), ar.Device("Atlas A2").create_stream()))


@pytest.mark.parametrize("name", CALLS)
def test_a_refused_call_makes_the_capture_fail_and_no_more(dev, stream, name):
    status, call = refused(dev, stream)[name]
    stream.begin_capture()
    assert code(call) == status
    assert code(dev.memset_async, dev.malloc(8), 1, stream=stream) == 507903
    assert code(stream.end_capture) == 507903
    memory = dev.malloc(8)
    dev.memset_async(memory, 1, stream=stream)
    dev.synchronize(TIMEOUT)
    assert content(memory).tolist() == 8 * [1]


def test_captures_end_where_they_began(dev, stream):
    side, event = dev.create_stream(), dev.create_event()
    assert code(stream.end_capture) == 107029
    stream.begin_capture()
    event.record(stream)
    side.wait_event(event)
    assert code(side.end_capture) == 107036
    assert code(stream.end_capture) == 507903
    stream.begin_capture()
    event.record(stream)
    side.wait_event(event)
    dev.memset_async(dev.malloc(8), 1, stream=side)
    assert code(stream.end_capture) == 107025
    assert [stream.captured, side.captured] == [False, False]


def test_two_captures_do_not_meet(dev, stream):
    other, event = dev.create_stream(), dev.create_event()
    stream.begin_capture()
    other.begin_capture()
    event.record(stream)
    assert code(other.wait_event, event) == 107032
    assert code(stream.end_capture) == code(other.end_capture) == 507903
    assert code(other.wait_event, event) == 107028


def test_a_capture_is_no_part_of_another(dev, stream):
    stream.begin_capture()
    graph = stream.end_capture()
    stream.begin_capture()
    assert code(graph.launch, stream) == 207000
    assert code(stream.end_capture) == 507903


def test_a_graph_that_runs_is_not_destroyed(dev, stream):
    go = threading.Event()
    stream.begin_capture()
    stream.launch_host_func(lambda: go.wait(TIMEOUT))
    graph = stream.end_capture()
    graph.launch(stream)
    assert code(graph.destroy) == 107037
    go.set()
    stream.synchronize(TIMEOUT)
    graph.destroy()


def test_callbacks_are_not_captured(dev, stream):
    stream.subscribe_report()
    stream.begin_capture()
    assert code(stream.launch_callback, print) == 207000
    assert code(stream.end_capture) == 507903
    stream.unsubscribe_report()


def test_a_captured_stream_is_destroyed_by_force(dev, stream):
    stream.begin_capture()
    stream.destroy(force=True)
    dev.synchronize(TIMEOUT)


def in_thread(call):
    """Return what a call returns on another thread."""
    results = []
    thread = threading.Thread(target=lambda: results.append(call()))
    thread.start()
    thread.join(TIMEOUT)
    return results[0]


@pytest.mark.parametrize("mode", list(ar.CaptureMode))
def test_modes_say_which_threads_copy_at_once(dev, stream, mode):
    memory = dev.malloc(8)

    def other():
        return code(dev.memset, memory, 0)

    stream.begin_capture(mode)
    assert in_thread(other) == (107030 if mode == ar.CaptureMode.GLOBAL else 0)
    assert code(dev.memset, memory, 0) == (0 if mode == ar.CaptureMode.RELAXED else 107030)
    relaxed = mode == ar.CaptureMode.RELAXED
    assert in_thread(lambda: code(stream.end_capture)) == (0 if relaxed else 107038)
    assert code(stream.end_capture) == (107029 if relaxed else 507903)


@pytest.mark.parametrize("bug", ["race", "uninitialized-read"])
def test_of_a_launch_that_the_checker_refuses_nothing_runs(dev, stream, bug):
    other = dev.create_stream()
    first, second = dev.malloc(64), dev.malloc(64)
    x, out = dev.empty((4,), np.float32), dev.empty((4,), np.float32)
    dev.memset(first, 0)
    size, executor = aclnn.aclnnSiluGetWorkspaceSize(x, out)
    ran = []
    stream.begin_capture()
    dev.memset_async(first, 1, stream=stream)
    forked, joined = dev.create_event(), dev.create_event()
    forked.record(stream)
    other.wait_event(forked)
    dev.memset_async(second, 2, stream=other)
    if bug == "race":
        dev.memset_async(second, 3, stream=stream)
    else:
        aclnn.aclnnSilu(None, size, executor, stream)
    joined.record(other)
    stream.wait_event(joined)
    stream.launch_host_func(lambda: ran.append(1))
    graph = stream.end_capture()
    for _ in range(2):
        with pytest.raises(ar.HazardError) as caught:
            graph.launch(stream)
        assert caught.value.kind == bug
    dev.synchronize()
    held = np.empty(64, np.uint8)
    dev.memcpy(held, first)
    assert not ran
    assert not held.any()
    # the streams and the memory are as if nothing had been launched
    dev.memset_async(first, 4, stream=other)
    stream.launch_host_func(lambda: ran.append(2))
    dev.synchronize()
    dev.memcpy(held, first)
    assert ran == [2]
    assert (held == 4).all()
