"""In a forked child, every call of what the parent made has the same answer."""

import json
import os
from functools import cache
from typing import Any

import pytest

import ascendref as ar
from ascendref.device.memory.address_space import Memory
from ascendref.device.streams.event import Event
from ascendref.device.streams.graph import Graph
from ascendref.device.streams.notify import Notify
from ascendref.device.streams.stream import Stream

from .test_process import run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

#: calls of what the parent made, good ones and bad ones
_CALLS = """
    dev.create_event()
    dev.create_event(flags=-1)
    dev.create_notify()
    dev.create_stream()
    dev.create_stream(flags=-1)
    dev.empty(1, "float32")
    dev.find_leaks()
    dev.free(memory)
    dev.free(memory.address)
    dev.free(freed)
    dev.free(None)
    dev.malloc(8)
    dev.malloc(0)
    dev.malloc_host(8)
    dev.memcpy(memory, array)
    dev.memcpy(array, memory)
    dev.memcpy(memory, other)
    dev.memcpy(None, None, 0)
    dev.memcpy_async(memory, other, stream=stream)
    dev.memcpy_async(memory, staging)
    dev.memcpy_async(array, memory)
    dev.memset(memory, 1)
    dev.memset(memory.address, 1, 4)
    dev.memset(busy, 1)
    dev.memset(freed, 1)
    dev.memset_async(memory, 1)
    dev.memset_async(busy, 1, stream=stream)
    dev.process_report(10)
    dev.synchronize()
    dev.synchronize(100)
    dev.synchronize(-5)
    dev.tensor(array)
    dev.trace()
    stream.abort()
    stream.begin_capture()
    stream.end_capture()
    stream.destroy()
    stream.destroy(force=True)
    gone.destroy()
    dev.default_stream.destroy()
    stream.launch_callback(print)
    stream.launch_host_func(print)
    stream.launch_host_func(None)
    stream.query()
    dev.default_stream.query()
    stream.set_failure_mode(0)
    stream.subscribe_report()
    stream.synchronize()
    stream.synchronize(100)
    stream.unsubscribe_report()
    stream.wait_event(event)
    stream.wait_event(None)
    stream.__enter__().__exit__(None, None, None)
    event.destroy()
    event.elapsed_time(event)
    event.elapsed_time(None)
    event.query()
    unrecorded.query()
    old.query_wait_status()
    event.record()
    event.record(stream)
    old.reset()
    event.synchronize()
    unrecorded.synchronize()
    late.synchronize()
    lazy.synchronize()
    event.timestamp()
    notify.destroy()
    notify.record()
    notify.record(stream)
    notify.wait()
    notify.wait(None)
    graph.launch()
    graph.launch(stream)
    graph.destroy()
    staging.numpy()
    memory.numpy()
    freed.numpy()
    tensor.check()
    tensor.numpy()
    tensor.view()
    executor.destroy()
    executor.set_repeatable()
    executor.set_tensor_address(tensor, memory)
    executor.set_tensor_address(None, None)
    used.set_repeatable()
    aclnn.aclnnHardshrinkBackward(None, 0, executor, None)
    aclnn.aclnnHardshrinkBackward(None, 0, used, stream)
    aclnn.aclnnHardshrinkBackwardGetWorkspaceSize(tensor, tensor, 0.5, tensor)
    aclnn.aclnnHardshrinkBackwardGetWorkspaceSize(tensor, tensor, 0.5, wrong)
"""
DOORS = [line.strip() for line in _CALLS.splitlines() if line]

PROGRAM = """
import json, os, sys, threading, warnings
import numpy as np
import ascendref as ar
from ascendref import aclnn
warnings.simplefilter("ignore")  # fork with threads
gate = threading.Event()
dev = ar.Device("Atlas A2", check=CHECK)
stream, gone = dev.create_stream(), dev.create_stream()
gone.destroy()
event, unrecorded, old = dev.create_event(), dev.create_event(), dev.create_event(ex=False)
notify = dev.create_notify()
stream.begin_capture()
graph = stream.end_capture()
array = np.ones(2, np.float32)
tensor, memory, other = dev.tensor(array), dev.malloc(8), dev.malloc(8)
wrong = ar.Tensor(memory, (1,), "int8")
freed, busy, staging = dev.malloc(8), dev.malloc(8), dev.malloc_host(8)
dev.free(freed)
executor, used = (
    aclnn.aclnnHardshrinkBackwardGetWorkspaceSize(tensor, tensor, 0.5, tensor)[1] for _ in range(2)
)
aclnn.aclnnHardshrinkBackward(None, 0, used, None)
dev.synchronize()
event.record()
old.record()
event.synchronize()
stream.launch_host_func(lambda: gate.wait(50))
dev.memset_async(busy, 1, stream=stream)  # which never ends in the child
late = dev.create_event()
late.record(stream)
lazy = ar.Device("Atlas A2", execution="lazy")
lazy.memset_async(lazy.malloc(8), 1)
child = os.fork()
if child == 0:
    found = {}
    for door in DOORS:
        try:
            found[door] = ["no error", repr(eval(door))]
        except ar.AclError as error:
            found[door] = [int(error.status), error.message]
        except BaseException as error:
            found[door] = ["another error", repr(error)]
    fresh = ar.Device("Atlas A2")
    x = fresh.tensor(array)
    fresh.memset_async(x.memory, 0, 4)
    fresh.synchronize()
    found["fresh"] = x.numpy().tolist()
    found["attributes"] = [dev.memory_free > 0, stream.alive, memory.nbytes, repr(tensor) > ""]
    print(json.dumps(found), flush=True)
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
gate.set()
dev.synchronize()
lazy.synchronize()
assert dev.hazards == []
"""


@cache
def answers(check: Any) -> Any:
    """Return what the child of a program was told by each call."""
    status, out, errors = run(f"CHECK, DOORS = {check!r}, {DOORS!r}\n{PROGRAM}")
    assert (status, errors) == (0, "")
    return json.loads(out)


@pytest.mark.full
@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("door", DOORS)
def test_every_call_has_the_same_answer(door: str, check: Any) -> None:
    assert answers(check)[door] == [
        107002,
        "the device was created before this process was forked; create a new Device in the child",
    ]


@pytest.mark.full
@pytest.mark.parametrize("check", [True, False])
def test_a_new_device_works_and_attributes_can_be_read(check: Any) -> None:
    assert answers(check)["fresh"] == [0, 1]
    assert answers(check)["attributes"] == [True, True, 8, True]


@pytest.mark.parametrize(
    "owner", [ar.Device, Stream, Event, Notify, Graph, Memory, ar.Tensor, ar.Executor]
)
def test_all_public_calls_are_among_them(owner: Any) -> None:
    public = [
        name
        for name in dir(owner)
        if not name.startswith("_")
        and callable(getattr(owner, name))
        and "Examples\n" in (getattr(owner, name).__doc__ or "")
    ]
    assert public
    assert [name for name in public if not any(f".{name}(" in door for door in DOORS)] == []
