"""torch_npu.profiler: timelines of the CPU and of the device, schedules, files for Perfetto."""

import json
import tempfile
from pathlib import Path

import torch
import torch_npu
from torch_npu import profiler
from torch_npu.profiler import ProfilerActivity

BOTH = [ProfilerActivity.CPU, ProfilerActivity.NPU]
x = torch.linspace(-2, 2, 1000).npu()


def events(path):
    """Return the slices of a trace, those of the device first."""
    slices = [one for one in json.loads(path.read_text())["traceEvents"] if one["ph"] == "X"]
    device = [one for one in slices if one["pid"] == 10**9]
    return device, [one for one in slices if one not in device]


def written(folder):
    return sorted(folder.glob("*_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json"))


with tempfile.TemporaryDirectory() as name:
    folder = Path(name, "both")
    ready = profiler.tensorboard_trace_handler(str(folder))
    with profiler.profile(activities=BOTH, record_shapes=True, on_trace_ready=ready):
        torch.relu(x) + 1
    (path,) = written(folder)
    device, host = events(path)
    (relu,) = device
    assert (relu["name"], relu["cat"]) == ("aclnnRelu", "kernel")
    (call,) = [one for one in host if one["name"] == "aten::relu"]
    assert call["args"]["Input Dims"] == [[1000]]
    assert "aten::add" in {one["name"] for one in host}
    # both have the same clock: the kernel runs after the call begins, and queues within it
    assert call["ts"] <= relu["ts"] <= call["ts"] + 60e6

    folder = Path(name, "steps")
    with profiler.profile(
        activities=BOTH,
        schedule=profiler.schedule(wait=1, warmup=1, active=2, repeat=2),
        on_trace_ready=profiler.tensorboard_trace_handler(str(folder)),
    ) as prof:
        for _ in range(9):
            torch.nn.functional.silu(x)
            torch.npu.synchronize()  # else it may still run in the next step
            prof.step()
    assert len(written(folder)) == 2
    for first, path in zip((2, 6), written(folder), strict=True):
        device, host = events(path)
        assert [one["name"] for one in device] == 2 * ["aclnnSilu"]
        steps = {one["name"] for one in host if one["name"].startswith("ProfilerStep#")}
        assert steps == {f"ProfilerStep#{first}", f"ProfilerStep#{first + 1}"}

    # one activity alone
    for activity, count in ((ProfilerActivity.NPU, (1, 0)), (ProfilerActivity.CPU, (0, 1))):
        path = Path(name, "one.json")
        with profiler.profile(activities=[activity]) as prof:
            torch.relu(x)
        prof.export_chrome_trace(str(path))
        assert tuple(map(bool, map(len, events(path)))) == tuple(map(bool, count))
        path.unlink()
        torch.npu.synchronize()  # without NPU, the profiler does not wait

    # a second profiler records nothing, and torch_npu says why; the first is not disturbed
    first, second = (profiler.profile(activities=[ProfilerActivity.NPU]) for _ in "12")
    first.start()
    second.start()
    torch.relu(x)
    first.stop()
    second.stop()
    path = Path(name, "first.json")
    first.export_chrome_trace(str(path))
    assert [one["name"] for one in events(path)[0]] == ["aclnnRelu"]

    # data that are kept, and made into traces later
    folder = Path(name, "later")
    ready = profiler.tensorboard_trace_handler(str(folder), analyse_flag=False)
    with profiler.profile(activities=BOTH, on_trace_ready=ready):
        torch.relu(x)
    assert not written(folder)
    profiler.profiler.analyse(str(folder))
    assert len(written(folder)) == 1

    # replays of a graph, with the operators on the fallback
    graph = torch_npu.npu.NPUGraph()
    with torch_npu.npu.graph(graph):
        y = torch.relu(x) + 1
    path = Path(name, "graph.json")
    with profiler.profile(activities=[ProfilerActivity.NPU]) as prof:
        graph.replay()
        graph.replay()
    prof.export_chrome_trace(str(path))
    assert [one["name"] for one in events(path)[0]] == 2 * ["aclnnRelu", "aten::add.Tensor"]
