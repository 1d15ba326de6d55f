"""Callbacks: which thread runs them, and what waits for them."""

import contextlib
import gc
import threading
import time

import pytest

import ascendref as ar

from .calls import code, work


@pytest.fixture
def stream(any_dev):
    stream = any_dev.create_stream()
    stream.subscribe_report()
    yield stream
    stream.destroy(force=True)


def test_callbacks_run_where_they_are_processed(any_dev, stream):
    seen = []
    stream.launch_callback(lambda: seen.append(threading.get_ident()))
    assert any_dev.process_report() == 1
    assert seen == [threading.get_ident()]
    stream.synchronize()


def test_later_work_waits_for_a_blocking_callback(any_dev, stream):
    seen = []
    stream.launch_callback(lambda: seen.append("callback"))
    work(any_dev, stream, lambda: seen.append("later"))
    assert code(stream.synchronize, 10) == 507046
    assert seen == []
    any_dev.process_report(1000)
    stream.synchronize()
    assert seen == ["callback", "later"]


def test_later_work_does_not_wait_for_the_others(any_dev, stream):
    seen = []
    stream.launch_callback(lambda: seen.append("callback"), block=False)
    work(any_dev, stream, lambda: seen.append("later"))
    stream.synchronize()
    assert seen == ["later"]
    assert any_dev.process_report(1000) == 1
    assert seen == ["later", "callback"]


def test_all_that_are_due_run(any_dev, stream):
    seen = []
    for k in range(3):
        stream.launch_callback(lambda k=k: seen.append(k), block=False)
    stream.synchronize()
    assert any_dev.process_report() == 3
    assert seen == [0, 1, 2]


def test_a_thread_of_its_own_serves_a_stream(any_dev):
    stream, seen, ready = any_dev.create_stream(), [], threading.Event()

    def serve():
        stream.subscribe_report()
        ready.set()
        while len(seen) < 5:
            any_dev.process_report(60_000)
        stream.unsubscribe_report()

    thread = threading.Thread(target=serve)
    thread.start()
    assert ready.wait(60)
    for k in range(5):
        stream.launch_callback(lambda k=k: seen.append(k))
    stream.synchronize(60_000)
    assert seen == [0, 1, 2, 3, 4]
    thread.join(60)
    assert not thread.is_alive()


def test_a_thread_is_free_again_afterwards(any_dev):
    first = any_dev.create_stream()
    first.subscribe_report()
    first.unsubscribe_report()
    assert code(any_dev.process_report, 5) == 107012
    other = ar.Device("Atlas A2").create_stream()
    other.subscribe_report()
    other.unsubscribe_report()


def test_a_thread_is_free_again_when_its_device_is_gone():
    dev = ar.Device("Atlas A2")
    dev.create_stream().subscribe_report()
    del dev
    gc.collect()
    stream = ar.Device("Atlas A2").create_stream()
    stream.subscribe_report()
    stream.unsubscribe_report()


@pytest.mark.parametrize("serve", ["stream.query()", "stream.synchronize(5)", "other.query()"])
def test_queries_and_timeouts_leave_a_callback_to_its_thread(any_dev, stream, serve):
    other, seen, event = any_dev.create_stream(), [], any_dev.create_event()
    for k in range(3):
        stream.launch_callback(lambda k=k: seen.append(k))
    event.record(stream)
    other.wait_event(event)
    for _ in range(3):
        with contextlib.suppress(ar.AclError):
            assert not eval(serve)
        assert any_dev.process_report(60_000) >= 1
    any_dev.synchronize()
    assert seen == [0, 1, 2]


@pytest.mark.parametrize("block", [True, False])
def test_a_callback_that_fails(any_dev, stream, block):
    stream.launch_callback(lambda: 1 / 0, block)
    assert any_dev.process_report() == 1
    assert code(stream.synchronize) == 507000
    stream.synchronize()


@pytest.mark.parametrize("block", [True, False])
def test_callbacks_end_when_their_thread_is_taken_away(any_dev, block):
    stream, other, seen = any_dev.create_stream(), any_dev.create_stream(), []
    for each in (stream, other):
        each.subscribe_report()
    stream.launch_callback(lambda: seen.append("handed over or not"), block)
    stream.launch_callback(lambda: seen.append("queued"), block)
    work(any_dev, stream, lambda: seen.append("later"))
    stream.query()
    stream.unsubscribe_report()
    with pytest.raises(ar.AclError, match="no longer has a thread") as info:
        stream.synchronize(60_000)
    assert info.value.status == 107015
    assert seen == ["later"]
    assert code(any_dev.process_report, 5) == 507012
    other.unsubscribe_report()
    stream.synchronize(60_000)


def test_a_wait_ends_when_the_thread_for_callbacks_is_taken_away(any_dev):
    stream, codes = any_dev.create_stream(), []
    stream.subscribe_report()
    stream.launch_callback(pytest.fail)
    thread = threading.Thread(target=lambda: codes.append(code(stream.synchronize, 60_000)))
    thread.start()
    while not stream.queue[0].waiters:
        time.sleep(0.001)
    stream.unsubscribe_report()
    thread.join(60)
    assert codes == [107015]


def test_a_callback_may_unsubscribe_its_stream(any_dev):
    stream = any_dev.create_stream()
    stream.subscribe_report()
    stream.launch_callback(stream.unsubscribe_report)
    assert any_dev.process_report(60_000) == 1
    stream.synchronize(60_000)


def test_a_callback_that_processes_others_still_counts_as_a_task(any_dev, stream):
    other, seen = any_dev.create_stream(), []
    other.subscribe_report()

    def outer():
        if any_dev.execution == "eager":
            any_dev.process_report(60_000)
        seen.append(code(stream.synchronize))
        seen.append(code(any_dev.synchronize))

    stream.launch_callback(outer)
    other.launch_callback(lambda: seen.append("inner"))
    while "inner" not in seen or len(seen) < 3:
        any_dev.process_report(60_000)
    any_dev.synchronize(60_000)
    assert sorted(map(str, seen)) == ["207000", "207000", "inner"]
    other.destroy()


def test_a_callback_that_lost_its_thread_before_it_was_passed_on_is_no_deadlock(any_dev, gate):
    stream, other, event = any_dev.create_stream(), any_dev.create_stream(), any_dev.create_event()
    other.launch_host_func(gate)
    event.record(other)
    stream.wait_event(event)
    stream.subscribe_report()
    stream.launch_callback(lambda: None)
    stream.unsubscribe_report()
    gate.open()
    assert code(any_dev.synchronize) == 107015
