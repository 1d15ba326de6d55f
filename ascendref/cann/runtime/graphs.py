"""Functions of the C library: captured work of streams (model running instances)."""

import json
import os
import sys
from ctypes import c_int32
from operator import attrgetter
from pathlib import Path

from ...core.output_files import output_file
from ...device.scheduling.capture import CaptureMode, exchange_mode
from ...device.streams.graph import Graph
from ...device.streams.stream import Stream
from .arguments import check_flag, check_given, invalid, rt_invalid
from .process import of_own_stream, on_own_stream, process

aclmdlRICaptureBegin = of_own_stream(Stream.begin_capture)
aclmdlRICaptureEnd = of_own_stream(Stream.end_capture)
aclmdlRIExecuteAsync = on_own_stream(Graph.launch)
aclmdlRIDestroy = Graph.destroy
aclmdlRIGetId = attrgetter("number")
#: statuses of a capture
_NONE, _ACTIVE, _INVALIDATED = range(3)


def aclmdlRICaptureGetInfo(stream: Stream | None) -> tuple[int, Graph | None]:
    """Return whether a stream is captured, and the graph that is made of it."""
    queue = process.own_stream(stream)
    capture = queue.scheduler.captures.of(queue)
    if capture is None:
        return _NONE, None
    assert isinstance(capture, Graph)
    return _INVALIDATED if capture.invalidated else _ACTIVE, capture


def aclmdlRICaptureThreadExchangeMode(address: int) -> None:
    """Set the calling thread's mode, and write the one before to the same place."""
    check_given(mode=address)
    place = c_int32.from_address(address)
    if place.value not in list(CaptureMode):
        rt_invalid(f"mode is {place.value}; 0, 1 and 2 are allowed")
    place.value = exchange_mode(CaptureMode(place.value))


def aclmdlRIExecute(graph: Graph, timeout: int) -> None:
    """Run a graph on the default stream, and wait for it; -1 means no limit."""
    stream = process.own_stream(None)
    graph.launch(stream)
    stream.synchronize(timeout)


def aclmdlRIDebugPrint(graph: Graph) -> None:
    device = process.number_of(graph.device)
    for number, task in enumerate(graph.tasks):
        print(
            f"ascendref: graph {graph.number}, device {device}, stream {task.stream.number}, task"
            f" {number}: {task.label}",
            file=sys.stderr,
        )


def aclmdlRIDebugJsonPrint(graph: Graph, path: bytes | None, flags: int) -> None:
    """Write the captured tasks as JSON for Perfetto: a task after another, as none has a time."""
    check_flag(flags)  # with 1, the vendor writes more, such as shapes
    if not path:
        invalid("path is NULL or empty; the name of a file is expected")
    name = os.fsdecode(path)
    numbers = {task: number for number, task in enumerate(graph.tasks)}
    events = [
        {
            "ph": "X",
            "name": task.label,
            "cat": task.kind.name.lower(),
            "pid": process.number_of(graph.device),
            "tid": f"stream {task.stream.number}",
            "ts": number,
            "dur": 1,
            "args": {
                "Model Id": graph.number,
                "Stream Id": task.stream.number,
                "Task Id": number,
                **({} if task.after is None else {"waits for": numbers[task.after]}),
            },
        }
        for task, number in numbers.items()
    ]
    try:
        with output_file(Path(name)) as file:
            file.write(json.dumps(events, indent=1).encode())
    except OSError as error:
        rt_invalid(f"path is {name!r}, which cannot be written: {error.strerror or error}", error)
