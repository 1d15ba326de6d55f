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

from .test_errors import REFUSED
from .test_process import run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

#: calls of what the parent made that would succeed
_CALLS = """
    dev.create_event()
    dev.create_notify()
    dev.create_stream()
    dev.empty(1, "float32")
    dev.find_leaks()
    dev.free(memory)
    dev.malloc(8)
    dev.malloc_host(8)
    dev.memcpy(memory, array)
    dev.memcpy(array, memory)
    dev.memcpy(None, None, 0)
    dev.memcpy_async(memory, target, stream=stream)
    dev.memcpy_async(memory, pinned)
    dev.memcpy_async(array, memory)
    dev.memset(memory, 1)
    dev.memset(busy, 1)
    dev.memset_async(memory, 1)
    dev.memset_async(busy, 1, stream=stream)
    dev.process_report(10)
    dev.synchronize()
    dev.tensor(array)
    dev.trace()
    stream.abort()
    stream.begin_capture()
    stream.end_capture()
    stream.destroy()
    stream.destroy(force=True)
    stream.launch_callback(print)
    stream.launch_host_func(print)
    stream.query()
    dev.default_stream.query()
    stream.set_failure_mode(0)
    stream.subscribe_report()
    stream.synchronize()
    stream.unsubscribe_report()
    stream.wait_event(event)
    stream.__enter__().__exit__(None, None, None)
    event.destroy()
    event.elapsed_time(event)
    event.query()
    unrecorded.query()
    old.query_wait_status()
    event.record()
    old.reset()
    event.synchronize()
    unrecorded.synchronize()
    late.synchronize()
    lazy.synchronize()
    event.timestamp()
    notify.destroy()
    notify.record()
    notify.wait()
    graph.launch()
    graph.destroy()
    pinned.numpy()
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
#: calls that are refused in the parent, too, but for those of new objects
REFUSALS = {
    f"{status}, {number}": call
    for status, calls in REFUSED.items()
    for number, call in enumerate(calls)
    if "ar" not in call.__code__.co_names
}

PROGRAM = """
import json, os, sys, threading, warnings
import numpy as np
import ascendref as ar
from ascendref import aclnn
from tests.device.test_errors import objects
from tests.device.test_forks import DOORS, REFUSALS
warnings.simplefilter("ignore")  # fork with threads
gate = threading.Event()
dev = ar.Device("Atlas A2", check=CHECK)
s = objects(dev)
memory, stream, event, old, notify, pinned = s.memory, s.stream, s.event, s.old, s.notify, s.pinned
unrecorded, target, busy = dev.create_event(), dev.malloc(8), dev.malloc(8)
stream.begin_capture()
graph = stream.end_capture()
array = np.ones(2, np.float32)
tensor, wrong = dev.tensor(array), ar.Tensor(memory, (1,), "int8")
executor, used = (
    aclnn.aclnnHardshrinkBackwardGetWorkspaceSize(tensor, tensor, 0.5, tensor)[1] for _ in range(2)
)
aclnn.aclnnHardshrinkBackward(None, 0, used, None)
dev.synchronize()
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
    calls = {door: lambda s, door=door: eval(door) for door in DOORS} | REFUSALS
    for door, call in calls.items():
        try:
            found[door] = ["no error", repr(call(s))]
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
    status, out, errors = run(f"CHECK = {check!r}\n{PROGRAM}")
    assert (status, errors) == (0, "")
    return json.loads(out)


@pytest.mark.full
@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("door", [*DOORS, *REFUSALS])
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
