"""Notifies: they order streams, in every execution mode, for the checker too."""

import threading

import pytest

import ascendref as ar

from .calls import EXECUTIONS, code, content

TIMEOUT = 20_000  # milliseconds after which a wait counts as hanging


@pytest.fixture(params=EXECUTIONS)
def dev(request):
    return ar.Device("Atlas A2", execution=request.param, seed=1)


def noting(order, letter):
    return lambda: order.append(letter)


@pytest.mark.parametrize("first", ["wait", "record"])
def test_a_wait_comes_after_its_record(dev, first):
    order, a, b, notify = [], dev.create_stream(), dev.create_stream(), dev.create_notify()
    if first == "wait":
        notify.wait(b)
        b.launch_host_func(noting(order, "b"))
    a.launch_host_func(noting(order, "a"))
    notify.record(a)
    if first == "record":
        notify.wait(b)
        b.launch_host_func(noting(order, "b"))
    b.synchronize(TIMEOUT)
    assert order == ["a", "b"]


def test_a_wait_uses_its_record_up(dev):
    a, b, notify = dev.create_stream(), dev.create_stream(), dev.create_notify()
    notify.record(a)
    notify.record(a)  # the first one is not used up yet: this adds nothing
    notify.wait(b)
    b.synchronize(TIMEOUT)
    notify.wait(b)
    assert code(b.synchronize, 30) == 507046
    assert not b.query()
    notify.record(a)
    b.synchronize(TIMEOUT)
    for _ in range(3):
        notify.record(a)
        notify.wait(b)
        b.synchronize(TIMEOUT)
    assert len(notify._waits) <= 1


def test_waits_and_records_belong_together_in_order(dev):
    order, streams = [], [dev.create_stream() for _ in range(3)]
    notify = dev.create_notify()
    for letter, stream in zip("bc", streams[1:], strict=True):
        notify.wait(stream)
        stream.launch_host_func(noting(order, letter))
    notify.record(streams[0])
    streams[1].synchronize(TIMEOUT)
    assert order == ["b"]
    notify.record(streams[0])
    dev.synchronize(TIMEOUT)
    assert order == ["b", "c"]


@pytest.mark.parametrize("by_task", [False, True])
def test_another_thread_or_a_host_function_records(dev, by_task):
    a, b, notify = dev.create_stream(), dev.create_stream(), dev.create_notify()
    notify.wait(b)
    timer = threading.Timer(0.1, notify.record, (a,))
    if by_task:
        a.launch_host_func(lambda: notify.record(a))
        a.synchronize(TIMEOUT)
    else:
        timer.start()
    b.synchronize(TIMEOUT)


def test_dropped_work_needs_no_record(dev):
    a, b, notify = dev.create_stream(), dev.create_stream(), dev.create_notify()
    notify.wait(b)
    b.launch_host_func(lambda: None)
    b.abort()
    b.synchronize(TIMEOUT)
    notify.record(a)  # not for the wait that was dropped
    notify.wait(b)
    b.synchronize(TIMEOUT)
    notify.wait(b)
    b.destroy(force=True)


# ---- the checker


@pytest.mark.parametrize("first", ["wait", "record"])
@pytest.mark.parametrize("late", [False, True])
def test_the_checker_knows_the_order(dev, first, late):
    """What comes before the record and behind the wait is ordered, and nothing else is."""
    a, b, notify = dev.create_stream(), dev.create_stream(), dev.create_notify()
    memory = dev.malloc(4)
    dev.memset(memory, 0)
    staging = dev.malloc_host(4)

    def produce():
        if not late:
            dev.memset_async(memory, 7, stream=a)
        notify.record(a)
        if late:
            dev.memset_async(memory, 7, stream=a)

    def consume():
        notify.wait(b)
        dev.memcpy_async(staging, memory, stream=b)

    steps = (consume, produce) if first == "wait" else (produce, consume)
    if late:
        steps[0]()
        with pytest.raises(ar.HazardError) as error:
            steps[1]()
        assert error.value.kind == "race"
        assert {error.value.first.call, error.value.second.call} == {"memset_async", "memcpy_async"}
        dev.synchronize(TIMEOUT)
        return
    for step in steps:
        step()
    b.synchronize(TIMEOUT)
    assert content(memory).tolist() == [7] * 4
    assert staging.numpy().tolist() == [7] * 4
    dev.memset(memory, 1)
    assert not dev.hazards


def test_what_waits_behind_a_held_stream_is_held_too(dev):
    a, b, c = (dev.create_stream() for _ in range(3))
    notify, event, memory = dev.create_notify(), dev.create_event(), dev.malloc(4)
    notify.wait(b)
    dev.memset_async(memory, 2, stream=b)
    event.record(b)
    c.wait_event(event)
    dev.memset_async(memory, 3, stream=c)
    dev.memset_async(memory, 1, stream=a)
    notify.record(a)
    dev.synchronize(TIMEOUT)
    assert content(memory).tolist() == [3] * 4
    assert not dev.hazards


def test_a_race_behind_a_held_wait_is_found_when_it_is_recorded(dev):
    a, b, c = (dev.create_stream() for _ in range(3))
    notify, memory = dev.create_notify(), dev.malloc(4)
    notify.wait(b)
    dev.memset_async(memory, 2, stream=b)
    dev.memset_async(memory, 3, stream=c)  # ordered with nothing
    with pytest.raises(ar.HazardError) as error:
        notify.record(a)
    assert error.value.kind == "race"
    lines = {error.value.first.line, error.value.second.line}
    assert len(lines) == 2  # those of the two fills, not that of the record
    b.destroy(force=True)
    dev.synchronize(TIMEOUT)


def test_a_wait_that_nothing_records_in_time_is_a_deadlock(dev, monkeypatch):
    monkeypatch.setattr("ascendref.device.scheduling.scheduler.PATIENCE", 0.05)
    b, notify, end = dev.create_stream(), dev.create_notify(), threading.Event()
    notify.wait(b)
    another = threading.Thread(target=end.wait)  # it might record
    another.start()
    with pytest.raises(ar.HazardError, match="no other thread submits"):
        b.synchronize()
    end.set()
    another.join()
    b.destroy(force=True)


def test_a_wait_that_nothing_can_record_is_a_deadlock(dev):
    b, notify = dev.create_stream(), dev.create_notify()
    notify.wait(b)
    for call in (b.synchronize, dev.synchronize, b.destroy):
        with pytest.raises(ar.HazardError, match="record the notify before waiting") as error:
            call()
        assert error.value.kind == "deadlock"
    assert dev.checker.reports.stopped  # what the program leaves behind then is no leak
    b.destroy(force=True)
