"""Events: the matrix of both styles, waits, time."""

import time

import pytest

from ascendref.device.streams.event import EventFlag

from .calls import code, work

pytestmark = pytest.mark.tiny


@pytest.mark.parametrize("ex", [False, True])
def test_flags_of_either_style(dev, ex):
    for flags in range(1, 16):
        assert dev.create_event(flags, ex=ex).flags == flags
    alone = {False: (0x10, 0x20), True: (0x40,)}
    for flags in (0x10, 0x20, 0x40):
        if flags in alone[ex]:
            dev.create_event(flags, ex=ex)
        else:
            assert code(dev.create_event, flags, ex=ex) == 107000
    for flags in (0, -1, 0x11, 0x30, 0x41, 0x80):
        assert code(dev.create_event, flags, ex=ex) == 107000


def test_an_event_that_was_never_recorded(any_dev):
    stream = any_dev.create_stream()
    stream.wait_event(any_dev.create_event())
    assert not stream.queue
    for ex in (True, False):
        event = any_dev.create_event(ex=ex)
        assert event.query() is ex
        event.synchronize(timeout=1)


@pytest.mark.parametrize("ex", [False, True])
def test_when_waits_are_queued(dev, ex, gate):
    producer, consumer = dev.create_stream(), dev.create_stream()
    event = dev.create_event(ex=ex)
    producer.launch_host_func(gate)
    event.record(producer)
    producer.wait_event(event)
    assert (producer.queue[-1].label == f"wait for event {event.number}") is not ex
    consumer.wait_event(event)
    assert consumer.queue
    assert not consumer.query()
    gate.open()
    consumer.synchronize()
    event.synchronize()
    assert event.query()
    before = consumer.last
    consumer.wait_event(event)
    assert (consumer.last is before) is ex


def test_a_wait_is_for_the_latest_record_at_that_time(dev, gate):
    producer, consumer, event = dev.create_stream(), dev.create_stream(), dev.create_event()
    seen = []
    work(dev, producer, lambda: seen.append("first"))
    event.record(producer)
    consumer.wait_event(event)
    work(dev, consumer, lambda: seen.append("consumer"))
    producer.launch_host_func(gate)
    event.record(producer)  # a later record does not concern the wait
    consumer.synchronize()
    assert seen == ["first", "consumer"]
    assert not event.query()
    late = dev.create_stream()
    late.wait_event(event)
    assert not late.query()
    gate.open()
    late.synchronize()
    assert event.query()


def test_reset_is_for_old_events_that_sync(dev):
    event = dev.create_event(ex=False)
    event.record()
    event.synchronize()
    assert event.query()
    event.reset()
    assert not event.query()
    assert code(dev.create_stream().wait_event, event) == 107000
    event.record()
    dev.synchronize()


def test_wait_status_of_old_events(dev, gate):
    stream, waiting, event = dev.create_stream(), dev.create_stream(), dev.create_event(ex=False)
    assert event.query_wait_status()
    stream.launch_host_func(gate)
    event.record(stream)
    waiting.wait_event(event)
    assert not event.query_wait_status()
    gate.open()
    dev.synchronize()
    assert event.query_wait_status()


def test_destroyed_events(dev, gate):
    stream, event = dev.create_stream(), dev.create_event()
    stream.launch_host_func(gate)
    event.record(stream)
    dev.create_stream().wait_event(event)
    event.destroy()  # neither blocks nor undoes what was queued
    gate.open()
    dev.synchronize()


def test_elapsed_time(any_dev):
    stream = any_dev.create_stream()
    start, end = any_dev.create_event(), any_dev.create_event()
    start.record(stream)
    work(any_dev, stream, lambda: time.sleep(0.02))
    end.record(stream)
    end.synchronize()
    assert start.elapsed_time(end) >= 20
    assert end.elapsed_time(start) == -start.elapsed_time(end)
    assert end.timestamp() - start.timestamp() >= 20_000


def test_elapsed_time_needs_two_records_that_were_reached(dev, gate):
    stream, reached, pending = dev.create_stream(), dev.create_event(), dev.create_event()
    for never in (dev.create_event(), dev.create_event(ex=False)):
        assert code(reached.elapsed_time, never) == 507000
        assert code(never.elapsed_time, reached) == 507000
        assert code(never.timestamp) == 507000
    reached.record(stream)
    stream.synchronize()
    untimed = dev.create_event(EventFlag.SYNC)
    untimed.record(stream)
    stream.synchronize()
    assert code(reached.elapsed_time, untimed) == 107006
    assert code(untimed.elapsed_time, reached) == 107006
    stream.launch_host_func(gate)
    pending.record(stream)
    assert code(reached.elapsed_time, pending) == 107006
    assert code(pending.timestamp) == 107006
    gate.open()
    pending.synchronize()
    assert reached.elapsed_time(pending) >= 0
