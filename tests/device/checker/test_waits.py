"""Waits before their record: what is said of them, what is not blamed on them, what they cost."""

import threading
from typing import Any

import pytest

import ascendref as ar
from ascendref.device.checker.waits import _REMEMBERED

pytestmark = pytest.mark.tiny


@pytest.fixture
def dev() -> Any:
    device = ar.Device("Atlas A2", execution="lazy", check="report")
    yield device
    device.synchronize()


def test_the_report_names_both_places_and_the_fix(dev: Any) -> None:
    one, two, event = dev.create_stream(), dev.create_stream(), dev.create_event()
    memory = dev.malloc(8)
    two.wait_event(event)
    dev.memset_async(memory, 0, stream=one)
    event.record(one)
    dev.memset_async(memory, 1, stream=two)
    (hazard,) = dev.hazards
    assert hazard.kind == "wait"
    assert f"{two.number} waited for event {event.number} at {__file__}:" in hazard.problem
    assert f", before it was recorded at {__file__}:" in hazard.problem
    assert hazard.missing == (
        f"wait for event {event.number} after it is recorded, before memset_async"
    )


def test_an_event_that_was_reset(dev: Any) -> None:
    event, memory = dev.create_event(ex=False), dev.malloc(8)
    dev.memset_async(memory, 0)
    event.record()
    event.reset()
    event.synchronize()
    dev.memset(memory, 1)
    (hazard,) = dev.hazards
    assert f"but its record on stream {dev.default_stream.number} had been reset" in hazard.problem
    assert hazard.missing == f"wait for event {event.number} before it is reset"


def fill_and_copy(dev: Any, turns: int, buffers: int, *, waits: int = 100) -> list[str]:
    """Fill buffers in turns, wait so often until they are copied; return the kinds of hazards."""
    producer, consumer, out = dev.create_stream(), dev.create_stream(), dev.malloc(8)
    filled, empty = ([dev.create_event() for _ in range(buffers)] for _ in range(2))
    memory = [dev.malloc(8) for _ in range(buffers)]
    for turn in range(turns):
        k = turn % buffers
        if turn < waits:
            producer.wait_event(empty[k])
        dev.memset_async(memory[k], turn, stream=producer)
        filled[k].record(producer)
        consumer.wait_event(filled[k])
        dev.memcpy_async(out, memory[k], stream=consumer)
        empty[k].record(consumer)
    dev.synchronize()
    return [hazard.kind for hazard in dev.hazards]


@pytest.mark.parametrize(("turns", "buffers"), [(1, 1), (2, 1), (20, 1), (7, 2)])
def test_the_first_turns_of_a_loop_may_wait_for_what_their_ends_record(
    dev: Any, turns: int, buffers: int
) -> None:
    assert fill_and_copy(dev, turns, buffers) == []


def test_a_wait_that_was_repeated_is_not_to_blame(dev: Any) -> None:
    """The third turn forgets to wait; that the first wait had no effect does not matter."""
    assert fill_and_copy(dev, 3, 1, waits=2) == ["race"]


def test_a_wait_for_another_event_is_not_to_blame(dev: Any) -> None:
    one, two, three = (dev.create_stream() for _ in range(3))
    early, event, memory = dev.create_event(), dev.create_event(), dev.malloc(8)
    two.wait_event(early)
    early.record(three)
    dev.memset_async(memory, 0, stream=one)
    event.record(one)  # which two does not wait for
    dev.memset_async(memory, 1, stream=two)
    (hazard,) = dev.hazards
    assert hazard.kind == "race"


def test_all_waits_for_what_is_never_recorded_are_told(dev: Any) -> None:
    event, streams = dev.create_event(), [dev.create_stream() for _ in range(3)]
    for stream in streams:
        stream.wait_event(event)
        event.synchronize()
    dev.synchronize()
    waits = [hazard.problem for hazard in dev.hazards]
    assert len(waits) == 1  # of one line
    event = dev.create_event()
    streams[0].wait_event(event)
    streams[1].wait_event(event)
    streams[1].synchronize()
    streams[0].synchronize()
    found = [hazard.first.stream for hazard in dev.hazards[1:]]
    assert found == [streams[1].number, streams[0].number]


def test_what_is_remembered_is_bounded(dev: Any) -> None:
    one, two, memory = dev.create_stream(), dev.create_stream(), dev.malloc(8)
    waits = dev.checker._waits
    asked = dev.create_event()
    for _ in range(100):  # a program that asks again and again
        asked.synchronize()
    assert len(waits._early) == 1
    events = [dev.create_event() for _ in range(_REMEMBERED + 10)]
    for event in events:
        two.wait_event(event)
    assert len(waits._early) == _REMEMBERED
    for _ in range(20):
        events[-1].record(one)
    assert len(events[-1]._late) < 10
    dev.memset_async(memory, 0, stream=one)
    events[-1].record(one)
    dev.memset_async(memory, 1, stream=two)
    assert [hazard.kind for hazard in dev.hazards] == ["wait"]
    for event in events:
        event.record(one)
    one.synchronize()
    assert len(waits._early) == 0  # nothing that follows races with what came before the records
    assert [hazard.kind for hazard in dev.hazards] == ["wait"]


def test_a_wait_that_found_nothing_orders_nothing() -> None:
    """A host function that lets a stream wait without effect does not order that stream."""
    dev, ran = ar.Device("Atlas A2", check="report"), threading.Event()
    one, two, event = dev.create_stream(), dev.create_stream(), dev.create_event()
    memory = dev.malloc(8)

    def function() -> None:
        dev.memset(memory, 0)
        two.wait_event(event)
        ran.set()

    one.launch_host_func(function)
    ran.wait()
    dev.memset_async(memory, 1, stream=two)
    # nothing orders the function's call of wait_event and this memset either
    assert [hazard.kind for hazard in dev.hazards] == ["race"]
    dev.synchronize()


def test_of_several_waits_the_last_is_named(dev: Any) -> None:
    """The wait that is named is the last before the use, of the stream itself if there is one."""
    one, two, memory = dev.create_stream(), dev.create_stream(), dev.malloc(8)
    events = [dev.create_event() for _ in range(3)]
    for event in events:
        two.wait_event(event)
    events[0].synchronize()
    dev.memset_async(memory, 0, stream=one)
    for event in events:
        event.record(one)
    dev.memset_async(memory, 1, stream=two)
    assert f"{two.number} waited for event {events[-1].number} at" in dev.hazards[0].problem
