"""Graphs: captured work runs when it is launched, in order, on what the memory holds then."""

import time
from contextlib import contextmanager

import numpy as np
import pytest

import ascendref as ar

from ..support.two_phase import queue
from .calls import EXECUTIONS, code, content, in_threads

TIMEOUT = 20_000  # milliseconds after which a wait counts as hanging


@pytest.fixture(params=EXECUTIONS)
def dev(request):
    return ar.Device("Atlas A2", execution=request.param, seed=1)


@pytest.fixture
def stream(dev):
    return dev.create_stream()


@contextmanager
def captured(stream):
    """Capture what a block queues; the list gets the graph."""
    graphs = []
    stream.begin_capture()
    yield graphs
    graphs.append(stream.end_capture())


@contextmanager
def on_side(dev, stream, side):
    """Let a stream's work of a block come after the captured work so far, and before the rest."""
    fork, join = dev.create_event(), dev.create_event()
    fork.record(stream)
    side.wait_event(fork)
    yield
    join.record(side)
    stream.wait_event(join)


def test_an_operator_and_copies_run_on_new_contents(dev, stream):
    given, result = (dev.malloc_host(8).numpy("float32") for _ in range(2))
    x, out = dev.empty(2, "float32"), dev.empty(2, "float32")
    with captured(stream) as graphs:
        assert stream.captured
        dev.memcpy_async(x.memory, given, stream=stream)
        queue(dev, "relu", x, out, stream=stream)
        dev.memcpy_async(result, out.memory, 8, stream=stream)
    (graph,) = graphs
    assert not stream.captured
    result[:] = 0
    stream.synchronize(TIMEOUT)
    assert result.tolist() == [0, 0]  # nothing ran
    for values in ([-1, 2], [3, -4]):
        given[:] = values
        graph.launch(stream)
        stream.synchronize(TIMEOUT)
        assert result.tolist() == [max(0, value) for value in values]
    assert [row.label for row in dev.trace()] == 2 * ["memcpy_async", "aclnnRelu", "memcpy_async"]


def test_launches_follow_one_another_on_any_stream(dev, stream):
    order, other = [], dev.create_stream()
    with captured(stream) as graphs:
        stream.launch_host_func(lambda: order.append(len(order)))
    for each in (stream, other, stream, None):
        graphs[0].launch(each)
    dev.synchronize(TIMEOUT)
    assert order == [0, 1, 2, 3]


def test_streams_that_wait_for_a_captured_event_are_captured(dev, stream):
    order, side = [], dev.create_stream()
    with captured(stream) as graphs:
        stream.launch_host_func(lambda: order.append("first"))
        with on_side(dev, stream, side):
            assert side.captured
            side.launch_host_func(lambda: order.append("side"))
        stream.launch_host_func(lambda: order.append("last"))
    (graph,) = graphs
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


def filling(dev, stream, memory):
    """Return a graph that fills memory."""
    with captured(stream) as graphs:
        dev.memset_async(memory, 1, stream=stream)
    return graphs[0]


def test_the_checker_sees_every_launch(dev, stream):
    memory, other = dev.malloc(8), dev.create_stream()
    graph = filling(dev, stream, memory)
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
    graph = filling(dev, stream, memory)
    graph.launch(stream)
    while not dev.trace():  # which is no wait for the checker
        time.sleep(0.001)
    graph.launch(other)
    other.synchronize(TIMEOUT)
    assert content(memory).tolist() == 8 * [1]


def test_the_checker_finds_a_race_between_captured_streams(dev, stream):
    memory, side = dev.malloc(8), dev.create_stream()
    with captured(stream) as graphs, on_side(dev, stream, side):
        dev.memset_async(memory, 1, stream=side)
        dev.memset_async(memory, 2, stream=stream)
    with pytest.raises(ar.HazardError, match="race: memset_async writes") as raised:
        graphs[0].launch(stream)
    assert raised.value.first.line == raised.value.second.line - 1  # those of the captured calls
    dev.synchronize(TIMEOUT)


def test_a_failure_is_reported_by_the_stream_of_the_launch(dev, stream):
    side = dev.create_stream()
    with captured(stream) as graphs, on_side(dev, stream, side):
        side.launch_host_func(lambda: 1 / 0)
    for _ in range(2):
        graphs[0].launch(stream)
        assert code(stream.synchronize, TIMEOUT) == 507000
    stream.synchronize(TIMEOUT)
    dev.synchronize(TIMEOUT)


@pytest.mark.parametrize("check", [True, "report", False])
def test_launches_with_freed_memory_fail(check):
    dev = ar.Device("Atlas A2", check=check)
    stream, memory = dev.create_stream(), dev.malloc(8)
    graph = filling(dev, stream, memory)
    graph.launch(stream)
    stream.synchronize(TIMEOUT)
    dev.free(memory)
    if check is True:
        with pytest.raises(ar.HazardError, match=r"use-after-free.*memset_async"):
            graph.launch(stream)
        stream.synchronize(TIMEOUT)  # nothing was queued
    else:
        graph.launch(stream)
        assert code(stream.synchronize, TIMEOUT) == 507013
    assert [hazard.kind for hazard in dev.hazards] == (["use-after-free"] if check else [])


def refused(dev, stream):
    """Return calls that a capture refuses, with their codes."""
    memory, event, recorded = dev.malloc(8), dev.create_event(), dev.create_event()
    other = dev.create_stream()
    recorded.record(other)
    recorded.synchronize(TIMEOUT)
    graph = filling(dev, other, memory)
    stream.subscribe_report()
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
        "copy pageable memory": (107030, lambda: dev.memcpy_async(memory, host, stream=other)),
        "use the default stream": (107031, lambda: dev.memset_async(memory, 0)),
        "capture the default stream": (
            107031,
            lambda: (event.record(stream), dev.default_stream.wait_event(event)),
        ),
        "launch a callback": (207000, lambda: stream.launch_callback(print)),
        "launch a graph": (207000, lambda: graph.launch(stream)),
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
    stream.unsubscribe_report()


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


def test_a_graph_that_runs_is_not_destroyed(dev, stream, gate):
    with captured(stream) as graphs:
        stream.launch_host_func(gate)
    graphs[0].launch(stream)
    assert code(graphs[0].destroy) == 107037
    gate.open()
    stream.synchronize(TIMEOUT)
    graphs[0].destroy()


def test_a_captured_stream_is_destroyed_by_force(dev, stream):
    stream.begin_capture()
    stream.destroy(force=True)
    dev.synchronize(TIMEOUT)


@pytest.mark.parametrize("mode", list(ar.CaptureMode))
def test_modes_say_which_threads_copy_at_once(dev, stream, mode):
    memory, codes = dev.malloc(8), []
    stream.begin_capture(mode)
    in_threads([lambda: codes.append(code(dev.memset, memory, 0))])
    relaxed = mode == ar.CaptureMode.RELAXED
    assert code(dev.memset, memory, 0) == (0 if relaxed else 107030)
    in_threads([lambda: codes.append(code(stream.end_capture))])
    assert codes == [107030 if mode == ar.CaptureMode.GLOBAL else 0, 0 if relaxed else 107038]
    assert code(stream.end_capture) == (107029 if relaxed else 507903)


@pytest.mark.parametrize("bug", ["race", "uninitialized-read"])
def test_of_a_launch_that_the_checker_refuses_nothing_runs(dev, stream, bug):
    other = dev.create_stream()
    first, second = dev.malloc(64), dev.malloc(64)
    x, out = dev.empty((4,), np.float32), dev.empty((4,), np.float32)
    dev.memset(first, 0)
    ran = []
    with captured(stream) as graphs:
        dev.memset_async(first, 1, stream=stream)
        with on_side(dev, stream, other):
            dev.memset_async(second, 2, stream=other)
            if bug == "race":
                dev.memset_async(second, 3, stream=stream)
            else:
                queue(dev, "silu", x, out, stream=stream)
        stream.launch_host_func(lambda: ran.append(1))
    for _ in range(2):
        with pytest.raises(ar.HazardError, match=f": {bug}: "):
            graphs[0].launch(stream)
    dev.synchronize()
    assert not ran
    assert not content(first).any()
    # the streams and the memory are as if nothing had been launched
    dev.memset_async(first, 4, stream=other)
    stream.launch_host_func(lambda: ran.append(2))
    dev.synchronize()
    assert ran == [2]
    assert (content(first) == 4).all()
