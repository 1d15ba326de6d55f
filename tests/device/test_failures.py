"""Tasks that fail: which call reports it, and what runs afterwards."""

import gc
import re
import time
import weakref

import numpy as np
import pytest

import ascendref as ar
from ascendref.device.streams.stream import FailureMode

from .calls import code, work


def boom():
    raise ZeroDivisionError("boom")


def collect(alive):
    """Collect garbage until a device is gone; its thread may hold on to it for a moment."""
    for _ in range(1000):
        gc.collect()
        if not alive():
            return
        time.sleep(0.01)


def refuse():
    raise ar.AclError(161002, "refused by the kernel")


def leave():
    raise SystemExit


@pytest.mark.parametrize(
    ("function", "status"), [(boom, 507015), (refuse, 161002), (leave, 507015)]
)
def test_a_failure_is_reported_once_by_the_next_synchronization(any_dev, function, status):
    stream, seen = any_dev.create_stream(), []
    work(any_dev, stream, function, "kernel x")
    work(any_dev, stream, lambda: seen.append(1))
    work(any_dev, stream, boom if function is refuse else refuse)  # the first failure counts
    while not stream.query():
        pass
    any_dev.create_stream().synchronize()  # other streams do not report it
    with pytest.raises(ar.AclError, match="'kernel x' of stream") as info:
        stream.synchronize()
    assert info.value.status == status
    assert isinstance(info.value.__cause__, ZeroDivisionError | ar.AclError | SystemExit)
    assert seen == [1]
    stream.synchronize()
    assert stream.query()


def test_an_event_reports_for_its_stream(any_dev):
    stream, event = any_dev.create_stream(), any_dev.create_event()
    work(any_dev, stream, boom)
    event.record(stream)
    assert code(event.synchronize) == 507015
    event.synchronize()
    stream.synchronize()


def test_the_device_reports_one_stream_after_the_other(any_dev):
    a, b = any_dev.create_stream(), any_dev.create_stream()
    work(any_dev, b, boom)
    work(any_dev, a, refuse)
    assert code(any_dev.synchronize) == 161002
    assert code(any_dev.synchronize) == 507015
    any_dev.synchronize()


def test_destroying_a_stream_reports_once(any_dev):
    stream, event = any_dev.create_stream(), any_dev.create_event()
    work(any_dev, stream, boom)
    event.record(stream)
    assert code(stream.destroy) == 507015
    event.synchronize()
    any_dev.synchronize()


def test_stop_mode_is_for_the_whole_device_and_for_good(any_dev, gate):
    stream, other = any_dev.create_stream(), any_dev.create_stream()
    event, ran = any_dev.create_event(), []
    stream.set_failure_mode(FailureMode.CONTINUE)
    stream.set_failure_mode(FailureMode.STOP)
    assert code(other.set_failure_mode, FailureMode.CONTINUE) == 207000
    assert code(other.set_failure_mode, 2) == 207000  # only the lowest bit counts
    other.set_failure_mode(3)
    stream.launch_host_func(gate)
    work(any_dev, stream, boom)
    work(any_dev, stream, lambda: ran.append(1))
    gate.open()
    assert code(stream.synchronize) == 507015
    assert ran == []
    for _ in range(2):
        for call in (
            stream.synchronize,
            stream.query,
            other.synchronize,
            other.query,
            any_dev.synchronize,
            event.synchronize,
            event.query,
            event.record,
            lambda: work(any_dev, other, lambda: ran.append(1)),
            lambda: other.launch_host_func(print),
        ):
            assert code(call) == 507015
    assert ran == []
    ar.Device("Atlas A2").synchronize()


def test_stop_mode_drops_the_work_of_all_streams(gate):
    dev = ar.Device("Atlas A2")
    held, stream = dev.create_stream(), dev.create_stream()
    stream.set_failure_mode(FailureMode.STOP)
    held.launch_host_func(gate)
    work(dev, held, lambda: pytest.fail("ran"))
    work(dev, stream, boom)
    assert code(stream.synchronize) == 507015
    assert code(held.synchronize) == 507015
    gate.open()


def test_the_default_stream_has_a_failure_mode_on_some_products():
    ar.Device("Atlas A2").default_stream.set_failure_mode(FailureMode.STOP)
    ar.Device("Atlas A3").default_stream.set_failure_mode(FailureMode.STOP)
    old = ar.Device("Atlas inference")
    assert code(old.default_stream.set_failure_mode, FailureMode.STOP) == 207000
    old.create_stream().set_failure_mode(FailureMode.STOP)


def test_finished_tasks_hold_on_to_nothing(any_dev):
    tensor = any_dev.tensor(np.zeros(1000))
    work(any_dev, None, lambda keep=tensor: keep.view().fill(1))
    any_dev.synchronize()
    del tensor
    gc.collect()
    assert any_dev.memory_free == any_dev.memory_total


def test_work_that_nothing_waits_for_is_reported_when_the_device_goes():
    dev = ar.Device("Atlas A2", execution="lazy")
    work(dev, None, lambda: pytest.fail("ran"), "forgotten")
    del dev
    with pytest.warns(ar.LostWorkWarning, match=r"1 tasks .* did not finish.*forgotten"):
        gc.collect()


def test_lost_work_of_a_graph_is_that_of_a_numbered_stream():
    dev = ar.Device("Atlas A2", execution="lazy")
    one, two = dev.create_stream(), dev.create_stream()
    fork, join = dev.create_event(), dev.create_event()
    one.begin_capture()
    fork.record(one)
    two.wait_event(fork)
    two.launch_host_func(lambda: pytest.fail("ran"))
    join.record(two)
    one.wait_event(join)
    graph = one.end_capture()
    graph.launch(one)
    del dev, one, two, fork, join, graph
    with pytest.warns(ar.LostWorkWarning) as lost:
        gc.collect()
    texts = [re.sub(r"\d+", "N", str(warning.message)) for warning in lost]
    streams = ("<stream N of AscendNBN>", "<stream N>")  # the second one is the graph's own
    assert [text.partition(" did not")[0] for text in texts] == [
        f"N tasks of {stream}" for stream in streams
    ]


def test_a_failure_that_nothing_asks_for_is_reported_when_the_device_goes():
    dev = ar.Device("Atlas A2")
    stream = dev.create_stream()
    work(dev, stream, boom, "unlucky")
    while not stream.query():
        pass
    alive = weakref.ref(dev)
    del dev, stream
    with pytest.warns(ar.LostWorkWarning, match=r"unlucky.*boom"):
        collect(alive)


def test_eager_work_outlives_the_names_of_its_device(gate):
    seen = []
    dev = ar.Device("Atlas A2")
    dev.default_stream.launch_host_func(gate)
    task = work(dev, None, lambda: seen.append(1))
    del dev
    gc.collect()
    gate.open()
    while not seen:
        pass
    assert task.stream.query() in (True, False)


class Unspeakable(Exception):
    """An error that cannot even be printed."""

    def __init__(self, raised):
        super().__init__()
        self.raised = raised

    def __str__(self):
        raise self.raised

    __repr__ = __str__


@pytest.mark.parametrize("raised", [ValueError("no text"), SystemExit(), KeyboardInterrupt()])
def test_an_error_without_a_message_ends_its_task_too(any_dev, raised):
    def unspeakable():
        raise Unspeakable(raised)

    stream, seen = any_dev.create_stream(), []
    stream.launch_host_func(unspeakable)
    stream.launch_host_func(lambda: seen.append(1))
    with pytest.raises(ar.AclError, match=f"Unspeakable.*{type(raised).__name__}"):
        stream.synchronize(60_000)
    work(any_dev, stream, unspeakable)
    assert code(stream.synchronize, 60_000) == 507015
    served = any_dev.create_stream()
    served.subscribe_report()
    served.launch_callback(unspeakable)
    assert any_dev.process_report(60_000) == 1
    assert code(served.synchronize, 60_000) == 507000
    served.destroy()
    assert seen == [1]
