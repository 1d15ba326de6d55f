"""Interrupts and calls within calls, at every instruction: nothing is lost, nothing hangs."""

import ctypes
import gc
import random
import signal
import threading
import time
from contextlib import suppress
from functools import partial

import numpy as np
import pytest

import ascendref as ar

from ..support.alarm import alarm
from .calls import EXECUTIONS, content, work
from .fault_injection import instructions, interrupt

TIMEOUT = 20_000  # milliseconds after which a wait counts as hanging


def device(execution="eager", **options):
    return ar.Device("Atlas A2", execution=execution, seed=1, **options)


def end(dev, stream):
    """Let everything end that the device still has to do, callbacks included."""
    while not stream.query():
        with suppress(ar.AclError):
            dev.process_report(5)
    dev.synchronize(TIMEOUT)


def all_free(dev):
    """Tell whether no memory is reserved, but for what the garbage collector has not seen yet."""
    if dev.memory_free != dev.memory_total:
        gc.collect()
    return dev.memory_free == dev.memory_total


# ---- memory


MEMORY_CALLS = {
    "malloc": lambda dev, kept: kept.append(dev.malloc(1000)),
    "malloc_host": lambda dev, kept: kept.append(dev.malloc_host(1000)),
    "free": lambda dev, kept: dev.free(kept[0]),
    "drop": lambda dev, kept: (kept.clear(), dev.memory_free),
    "empty": lambda dev, kept: kept.append(dev.empty(100, "float32")),
    "tensor": lambda dev, kept: kept.append(dev.tensor(np.zeros(10))),
}


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(
    "name", [x if x == "free" else pytest.param(x, marks=pytest.mark.full) for x in MEMORY_CALLS]
)
def test_an_interrupted_call_about_memory_loses_none(name, step):
    for instruction in instructions(step):
        dev = device(memory=4096)
        kept = [dev.malloc(64), dev.malloc(64)]
        first = kept[0]
        dev.memset(first, 7)
        instruction.inject(partial(MEMORY_CALLS[name], dev, kept), interrupt)
        if first.alive:  # it is as it was
            assert content(first).tolist() == [7] * 64
        del first
        more = dev.malloc(64)
        assert dev.memory_total - dev.memory_free <= 4096
        dev.free(more)
        del more
        kept.clear()
        assert all_free(dev), instruction
        everything = dev.malloc(4096 - 64)
        dev.memset(everything, 1)
    assert instruction > 20


# ---- streams, events, host functions


def stream_calls(dev, stream, other, event, seen):
    """The calls of a device with two streams that have work, and whether they queue some."""
    return {
        "create_stream": lambda: dev.create_stream(),
        "launch": lambda: work(dev, stream, lambda: seen.append("new")),
        "launch_host_func": lambda: stream.launch_host_func(lambda: seen.append("new")),
        "record": lambda: event.record(stream),
        "wait_event": lambda: other.wait_event(event),
        "synchronize": lambda: stream.synchronize(TIMEOUT),
        "device.synchronize": lambda: dev.synchronize(TIMEOUT),
        "event.synchronize": lambda: event.synchronize(TIMEOUT),
        "query": lambda: stream.query(),
        "event.query": lambda: event.query(),
        "abort": lambda: stream.abort(),
        "destroy": lambda: stream.destroy(),
        "destroy by force": lambda: stream.destroy(force=True),
        "trace": lambda: dev.trace(),
    }


def linked(dev):
    """Return two streams, the event for which the second waits, and what work adds numbers to."""
    stream, other, event, seen = dev.create_stream(), dev.create_stream(), dev.create_event(), []
    work(dev, stream, lambda: seen.append(1))
    event.record(stream)
    other.wait_event(event)
    return stream, other, event, seen


STREAM_CALLS = list(stream_calls(*[None] * 5))


@pytest.mark.full
@pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("name", STREAM_CALLS)
def test_an_interrupted_call_about_streams_loses_no_work(name, execution, step):
    for instruction in instructions(step):
        dev = device(execution)
        stream, other, event, seen = linked(dev)
        other.launch_host_func(lambda seen=seen: seen.append(2))
        work(dev, stream, lambda seen=seen: seen.append(3))
        call = stream_calls(dev, stream, other, event, seen)[name]
        reached = instruction.inject(call, interrupt)
        dev.synchronize(TIMEOUT) if name != "abort" else end_aborted(dev)
        if name not in ("abort", "destroy by force"):
            assert sorted(map(str, seen)) in (["1", "2", "3"], ["1", "2", "3", "new"]), instruction
        assert len(dev.scheduler.streams) <= 4
        for left in (stream, other):
            if left.alive:
                left.synchronize(TIMEOUT)
                work(dev, left, lambda seen=seen: seen.append("after"))
                left.destroy()
                assert seen.pop() == "after"
        # the default stream, and the one that a finished create_stream made
        assert len(dev.scheduler.streams) == 1 + (name == "create_stream" and not reached), (
            instruction
        )


def end_aborted(dev):
    """Synchronize with streams whose work was dropped."""
    with suppress(ar.AclError):
        dev.synchronize(TIMEOUT)
    dev.synchronize(TIMEOUT)


# ---- callbacks


#: the calls about callbacks
CALLBACK_CALLS = {
    "process_report": lambda dev, stream, seen: dev.process_report(TIMEOUT),
    "launch_callback": lambda dev, stream, seen: stream.launch_callback(partial(seen.append, 0)),
    "subscribe": lambda dev, stream, seen: stream.subscribe_report(),
    "unsubscribe": lambda dev, stream, seen: stream.unsubscribe_report(),
}


# Python ignores exceptions while it closes a generator
@pytest.mark.full
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("name", CALLBACK_CALLS)
def test_an_interrupted_call_about_callbacks_loses_none(name, execution):
    for instruction in instructions(1 if execution == "eager" else 5):
        dev = device(execution)
        stream, seen = dev.create_stream(), []
        if name != "subscribe":
            stream.subscribe_report()
        due = 0
        if name == "process_report":
            due = 4
            for k in range(due):
                stream.launch_callback(lambda k=k, seen=seen: seen.append(k), block=k % 2 == 0)
        instruction.inject(partial(CALLBACK_CALLS[name], dev, stream, seen), interrupt)
        if due and len(seen) == due:
            stream.synchronize(TIMEOUT)  # what ran has ended
        while len(seen) < due:
            assert dev.process_report(TIMEOUT)
        end(dev, stream)
        assert seen in (list(range(due)), [0]), instruction
        # the thread can serve again, and another device, too
        if stream.alive:
            stream.destroy()
        with device(execution).create_stream() as elsewhere:
            elsewhere.subscribe_report()
            elsewhere.launch_callback(lambda seen=seen: seen.append("elsewhere"))
            assert elsewhere.device.process_report(TIMEOUT) == 1


@pytest.fixture
def interrupts():
    """Let an interrupt come after seconds; 0 for none."""
    gc.collect()
    gc.disable()  # a finalizer would swallow one
    with alarm(KeyboardInterrupt) as after:
        yield after
    gc.enable()


@pytest.mark.parametrize("rounds", [100, pytest.param(5000, marks=pytest.mark.exhaustive)])
def test_interrupts_at_random_moments_lose_no_memory(rounds, interrupts):
    draw, dev, kept, hits = random.Random(1), device(memory=2**20), [], 0
    for _ in range(rounds):
        try:
            interrupts(draw.uniform(1e-5, 5e-4))
            while True:
                kept.append(dev.malloc(draw.randrange(1, 500)))
                if len(kept) > 20:
                    dev.free(kept.pop(draw.randrange(20)))
                    del kept[draw.randrange(19)]
        except KeyboardInterrupt:
            hits += 1
    assert hits == rounds
    kept.clear()
    assert all_free(dev)
    dev.malloc(2**20 - 64)


@pytest.mark.full
@pytest.mark.parametrize("rounds", [20, pytest.param(1000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("execution", EXECUTIONS)
def test_interrupts_at_random_moments_lose_no_callback(execution, rounds, interrupts):
    draw = random.Random(2)
    for _ in range(rounds):
        dev, begun = device(execution), []
        stream = dev.create_stream()
        stream.subscribe_report()
        for k in range(20):
            # a function written in C, which no interrupt can break off
            stream.launch_callback(partial(begun.append, k), block=k % 3 > 0)
        while len(begun) < 20:
            try:
                interrupts(draw.uniform(2e-5, 3e-4))
                dev.process_report(TIMEOUT)
                interrupts(0)
            except KeyboardInterrupt:
                continue
        interrupts(0)
        assert begun == list(range(20))
        stream.synchronize(TIMEOUT)
        stream.destroy()


# ---- calls within calls


def everything(dev, seen):
    """Return a function that does on a device what handlers and finalizers may do."""

    def run():
        memory = dev.malloc(100)
        dev.memset(memory, 7)
        dropped = dev.malloc(100)
        del dropped
        stream, event = dev.create_stream(), dev.create_event()
        work(dev, stream, lambda: seen.append("within"))
        event.record(stream)
        dev.default_stream.wait_event(event)
        stream.query()
        event.query()
        dev.free(memory)
        stream.synchronize(TIMEOUT)
        stream.destroy()
        seen.append("handler")

    return run


@pytest.mark.parametrize("step", [211, pytest.param(3, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("name", [*MEMORY_CALLS, *STREAM_CALLS])
def test_the_device_may_be_called_within_any_call(name, execution, step):
    """By a handler of signals or a finalizer, which run on the thread whose call they interrupt."""
    for instruction in instructions(step):
        dev, kept = device(execution, memory=2**16), []
        kept += [dev.malloc(64), dev.malloc(64)]
        stream, other, event, seen = linked(dev)
        if name in MEMORY_CALLS:
            call = partial(MEMORY_CALLS[name], dev, kept)
        else:
            call = stream_calls(dev, stream, other, event, seen)[name]
        reached = instruction.inject(call, everything(dev, seen))
        end_aborted(dev) if name == "abort" else dev.synchronize(TIMEOUT)
        assert ("handler" in seen) == reached
        assert seen.count("within") == reached
        assert name in ("abort", "destroy by force") or seen.count(1) == 1
        assert seen.count("new") == (name in ("launch", "launch_host_func"))
        kept.clear()
        assert all_free(dev), instruction


@pytest.mark.full
@pytest.mark.parametrize("execution", EXECUTIONS)
def test_the_device_may_be_called_within_process_report(execution):
    for instruction in instructions(7):
        dev, seen = device(execution), []
        stream = dev.create_stream()
        stream.subscribe_report()
        for k in range(3):
            stream.launch_callback(lambda k=k, seen=seen: seen.append(k), block=k % 2 == 0)
        ran = []
        report, call = partial(dev.process_report, TIMEOUT), partial(without_waiting, dev, ran)
        reached = instruction.inject(report, call)
        end(dev, stream)
        assert seen == [0, 1, 2]
        assert bool(ran) == reached
        stream.destroy()


def without_waiting(dev, calls):
    """As `everything`, without waiting: a callback may be running."""
    memory, event = dev.malloc(10), dev.create_event()
    event.record(dev.create_stream())
    dev.free(memory)
    calls.append(1)


@pytest.mark.full
@pytest.mark.parametrize("count", [300, pytest.param(1000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("execution", EXECUTIONS)
def test_finalizers_in_cycles_may_use_the_device(execution, count):
    dev, ends = device(execution, memory=2**24), []

    class Owner:
        def __init__(self):
            self.me = self  # only the garbage collector ends it
            self.memory, self.stream = dev.malloc(100), dev.create_stream()
            self.stream.launch_host_func(lambda: sum(range(100)))

        def __del__(self):
            dev.free(self.memory)
            self.stream.destroy()
            dev.malloc(10)
            ends.append(1)

    threshold = gc.get_threshold()
    gc.set_threshold(7)  # it comes everywhere
    try:
        stream = dev.create_stream()
        for k in range(count):
            Owner()
            tensor = dev.empty(10, "float32")
            stream.launch_host_func(lambda tensor=tensor: None)
            dev.memset_async(tensor.memory, 0, stream=stream)
            if k % 100 == 0:
                stream.synchronize(TIMEOUT)
    finally:
        gc.set_threshold(*threshold)
    gc.collect()
    dev.synchronize(TIMEOUT)
    del tensor
    dev.synchronize(TIMEOUT)
    assert len(ends) == count
    assert all_free(dev)
    assert len(dev.scheduler.streams) == 2


@pytest.mark.full
@pytest.mark.parametrize("execution", EXECUTIONS)
def test_handlers_of_signals_may_use_the_device(execution):
    dev, calls = device(execution), []

    def handle(*_):
        memory, event = dev.malloc(100), dev.create_event()
        event.record()
        event.query()
        dev.default_stream.launch_host_func(lambda: None)
        dev.free(memory)
        calls.append(1)
        # one after the other: on a busy machine a handler may take longer than any period
        signal.setitimer(signal.ITIMER_REAL, 5e-4)

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 1e-4)
    try:
        until = time.monotonic() + 1
        while time.monotonic() < until:
            kept = [dev.malloc(10) for _ in range(10)]
            dev.memset_async(kept[0], 1)
            with dev.create_stream() as stream:
                dev.memset_async(kept[1], 1, stream=stream)
    finally:
        # a handler that comes between would set the timer again
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    dev.synchronize(TIMEOUT)
    del kept
    assert len(calls) > 10
    assert all_free(dev)


def test_an_exception_that_is_thrown_into_a_waiting_thread_loses_nothing(gate):
    class Thrown(BaseException):
        pass

    dev, seen, caught = device(), [], []
    dev.default_stream.launch_host_func(gate)

    def wait():
        try:
            while True:
                try:
                    dev.synchronize(5)
                except ar.AclError:
                    dev.free(dev.malloc(10))
        except Thrown:
            caught.append(1)

    for _ in range(20):
        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.01)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(Thrown)
        )
        thread.join(60)
        assert not thread.is_alive()
    gate.open()
    work(dev, None, lambda: seen.append(1))
    dev.synchronize(TIMEOUT)
    assert seen == [1]
    assert len(caught) == 20
    assert all_free(dev)


@pytest.mark.parametrize("step", [17, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("name", ["record", "wait"])
def test_an_interrupted_call_of_a_notify_can_be_repeated(execution, name, step):
    for instruction in instructions(step):
        dev, seen = device(execution), []
        one, other, notify = dev.create_stream(), dev.create_stream(), dev.create_notify()
        notify.wait(other)
        other.launch_host_func(lambda seen=seen: seen.append("behind"))
        call = partial(notify.record, one) if name == "record" else partial(notify.wait, other)
        instruction.inject(call, interrupt)
        assert name == "record" or not seen
        notify.record(one)
        notify.record(one)
        dev.synchronize(TIMEOUT)
        assert seen == ["behind"], instruction
        notify.wait(other)
        notify.record(one)
        dev.synchronize(TIMEOUT)
    assert instruction > 20


# ---- graphs


def graph_calls(dev, stream, graph):
    """The calls about graphs, for a stream that is not captured and one that is."""
    captured, side = dev.create_stream(), dev.create_stream()
    event, joined = dev.create_event(), dev.create_event()
    captured.begin_capture()
    event.record(captured)
    side.wait_event(event)
    joined.record(side)
    captured.wait_event(joined)
    return captured, {
        "begin_capture": lambda: stream.begin_capture(),
        "end_capture": lambda: captured.end_capture(),
        "record": lambda: joined.record(side),
        "wait_event": lambda: dev.create_stream().wait_event(event),
        "launch": lambda: graph.launch(stream),
        "destroy": lambda: graph.destroy(),
    }


@pytest.mark.parametrize("step", [17, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize(
    "name", ["begin_capture", "end_capture", "record", "wait_event", "launch", "destroy"]
)
def test_after_an_interrupted_call_about_a_graph_streams_are_captured_again(name, execution, step):
    for instruction in instructions(step):
        dev, seen = device(execution), []
        stream = dev.create_stream()
        stream.begin_capture()
        stream.launch_host_func(lambda seen=seen: seen.append("old"))
        graph = stream.end_capture()
        captured, calls = graph_calls(dev, stream, graph)
        instruction.inject(calls[name], interrupt)
        for one in (stream, captured):
            with suppress(ar.AclError):
                one.end_capture()
            assert not one.captured
        dev.synchronize(TIMEOUT)
        assert set(seen) <= {"old"}
        stream.begin_capture()
        stream.launch_host_func(lambda seen=seen: seen.append("new"))
        again = stream.end_capture()
        again.launch(captured)
        dev.synchronize(TIMEOUT)
        assert seen[-1] == "new", instruction
        again.destroy()
    assert instruction > 20
