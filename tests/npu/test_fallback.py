"""The fallback's kernel: order, outputs that are resized, and what is compiled when."""

import re
from pathlib import Path

import pytest

from .cases import BY_NAME, python, run_forked

ADD = "import ascendref.npu, torch\nprint((torch.ones(4).npu() + 1).sum().item())"


IMPORTS = """
import ascendref.npu
import torch
import torch_npu
"""
RACE = """
x, y = torch.linspace(-2, 2, 1000).npu(), torch.ones(1000).npu()
torch.npu.synchronize()
stream = torch.npu.Stream()
with torch.npu.stream(stream):
    {first}
{fix}
{second}
torch.npu.synchronize()
"""
GRAPH_RACE = """
x, graph, stream = torch.linspace(-2, 2, 1000).npu(), torch.npu.NPUGraph(), torch.npu.Stream()
with torch.npu.graph(graph):
    stream.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(stream):
        {first}
    {fix}
    {second}
    torch.npu.current_stream().wait_stream(stream)
graph.replay()
torch.npu.synchronize()
"""
FIX = "torch.npu.current_stream().wait_stream(stream)"
SOFTPLUS = "z = torch.ops.aten.softplus_backward(x, x, 1, 20)"
HARDSHRINK = "torch.ops.aten.hardshrink_backward(z, x, 0.5)"
SHRUNK = "aclnnHardshrinkBackward reads gradOutput while aclnnSoftplusBackward"
#: what a stream and then the current one run, and the races without a wait between them
RACES = (
    (SOFTPLUS, HARDSHRINK, SHRUNK),
    (
        "z = torch.ops.aten.softplus_backward(y, x, 1, 20)",
        "torch.cat([y, z]); y[::2].mul_(2); torch.exp(x, out=x)",
        "aten::cat reads tensors while aclnnSoftplusBackward",
        "aten::mul_.Tensor writes self while aclnnSoftplusBackward",
        "aten::exp.out writes out while aclnnSoftplusBackward",
    ),
    # the program does not wait for the fallback
    ("x.add_(1)", "torch.relu(x)", "aclnnRelu reads self while aten::add_.Tensor"),
    ("x.zero_()", "torch.relu(x)", "aclnnRelu reads self while aten::zero_"),
    ("torch.exp(x, out=y)", "y * 2", "aten::mul.Tensor reads self while aten::exp.out"),
    ("y = x + 1", "y.cpu()", "aclrtMemcpy reads src while aten::add.Tensor"),
    ("y = torch.exp(x)", "x.zero_()", "aten::zero_ writes self while aten::exp"),
    ("y = torch.relu(x); x.add_(1)", "y + 1", "aten::add.Tensor reads self while aclnnRelu"),
    ("z = x[y.long()]", "z + 1", "aten::add.Tensor reads self while aten::index.Tensor"),
    # except with operators whose results have numbers or shapes that depend on data
    ("y = x.nonzero()", "y + 1"),
    ("y = x[x > 0]", "y + 1"),
    ("y = torch.exp(x); x.sum().item()", "y + 1"),
    ("y = torch.exp(x); torch.equal(x, x)", "y + 1"),
    ("y = torch.exp(x); x.cpu()", "y + 1"),
)
GRAPH_RACES = (
    (SOFTPLUS, HARDSHRINK, SHRUNK),
    (SOFTPLUS, "z * 2", "aten::mul.Tensor reads self while aclnnSoftplusBackward"),
)


@pytest.mark.parametrize("execution", ["eager", "lazy"])
def test_a_missing_wait_is_found(execution):
    cases = [(RACE, *case) for case in RACES] + [(GRAPH_RACE, *case) for case in GRAPH_RACES]
    programs = {
        number: IMPORTS + "".join(text.format(first=first, second=second, fix=f) for f in (FIX, ""))
        for number, (text, first, second, *_) in enumerate(cases)
    }
    change = "Scheduler.make_way = lambda *_: None"
    programs["behind a copy"] = GROWING.format(change=change)
    settings = {"ASCENDREF_CHECK": "report", "ASCENDREF_EXECUTION": execution}
    outcomes = run_forked(programs, **settings)
    behind = outcomes.pop("behind a copy").errors
    assert re.search(r"race: aten::exp.out writes \w+ while aclrtMemcpyAsync may", behind)
    for (_, first, second, *races), outcome in zip(cases, outcomes.values(), strict=True):
        assert outcome.status == 0, (first, second, outcome.errors)
        assert re.findall(r"race: (.*) may still", outcome.errors) == races
        assert len(re.findall(r"called at \S+\.py:\d", outcome.errors)) == 2 * len(races)
        assert ("500001" in outcome.errors) == bool(races)


GROWING = """
import ascendref.npu
import torch
import torch_npu
from ascendref.device.scheduling.scheduler import Scheduler
{change}
x = torch.linspace(-2, 2, 1000)
given = x.npu()
torch.npu.synchronize()
for size in (1, 4, 999, 2000):
    out = torch.full((size,), 7.0).npu()
    assert torch.exp(given, out=out) is out
    print(torch.equal(out.cpu(), x.exp()), out.stride())
t = torch.arange(6.0).view(2, 3).t()
for size in (3, 10):
    out = torch.full((size,), 7.0).npu()
    torch.add(t.npu(), 1, out=out)
    print(torch.equal(out.cpu(), t + 1), out.stride())
values, places = torch.full((3,), 7.0).npu(), torch.full((2,), 7).npu()
torch.sort(given, descending=True, out=(values, places))
print(torch.equal(values.cpu(), x.flip(0)), torch.equal(places.cpu(), torch.arange(999, -1, -1)))
"""


ORDER = """
import ascendref.npu
import torch
import torch_npu
host = torch.linspace(-2, 2, 1000)
x = host.npu()
stream = torch.npu.Stream()
for turn in range(20):
    y = torch.relu(x * turn)
    assert torch.equal((y + 1).cpu(), torch.relu(host * turn) + 1)
    stream.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(stream):
        z = torch.relu(x - turn)
        z += 1
    torch.npu.current_stream().wait_stream(stream)
    assert torch.equal((z * 2).cpu(), (torch.relu(host - turn) + 1) * 2)
"""


@pytest.mark.parametrize("execution", ["eager", "lazy", "random"])
def test_programs_run_in_every_order_of_the_device(execution):
    programs = {"order": ORDER, "growing": GROWING.format(change=""), "streams": BY_NAME["streams"]}
    settings = {"ASCENDREF_CHECK": "1", "ASCENDREF_EXECUTION": execution}
    outcomes = run_forked(programs, **settings)
    for name, outcome in outcomes.items():
        assert outcome.status == 0, (name, outcome.errors)
    resized = ["True (1,)"] * 4 + ["True (1, 3)"] * 2 + ["True True"]
    assert outcomes["growing"].out.splitlines() == resized


HAZARD = """
try:
    y.zero_()
except RuntimeError as error:
    print(error)
torch.npu.synchronize()
print(y.sum().item())
"""
LATE_WAIT = """
import time
x = torch.ones(1000).npu()
side = torch.npu.Stream()
torch.npu.synchronize()
with torch.npu.stream(side):
    y = torch.relu(x)
    done = side.record_event()
z = x + 1  # waits for the current stream
time.sleep(0.3)
torch.npu.current_stream().wait_event(done)
assert (y + 1).sum().item() == 2000
"""


def test_a_hazard_raises_before_anything_is_written_and_a_wait_for_a_completed_event_counts():
    first = "z = torch.ops.aten.softplus_backward(y, x, 1, 20)"
    hazard = IMPORTS + RACE.format(first=first, second=HAZARD, fix="")
    outcomes = run_forked({"hazard": hazard, "late": IMPORTS + LATE_WAIT}, ASCENDREF_CHECK="1")
    assert "race: aten::zero_ writes self while aclnnSoftplusBackward" in outcomes["hazard"].out
    assert outcomes["hazard"].out.endswith("\n1000.0\n"), outcomes["hazard"].errors
    assert outcomes["late"].status == 0, outcomes["late"].errors


INTERRUPT = """
import ascendref.npu
import torch
from ascendref.device.scheduling.scheduler import Scheduler
def interrupted(*_):
    raise KeyboardInterrupt
x = torch.relu(torch.ones(8).npu())
make_way, Scheduler.make_way = Scheduler.make_way, interrupted
try:
    try:
        x + 1
    except RuntimeError as error:
        print(str(error).splitlines()[0])
        print("never reached")
except KeyboardInterrupt:
    Scheduler.make_way = make_way
    print((x + 1).sum().item())
"""


QUIET = """
import sys
import ascendref.npu
import torch
x, y = torch.ones(1000).npu(), torch.ones(1000).npu()
for turn in range(3):
    print("turn", turn, file=sys.stderr, flush=True)
    z = torch.cat([x + y, x]).view(2, 1000).sum(1)
print("end", file=sys.stderr, flush=True)
"""


def test_ready_memory_needs_no_call_of_the_device_and_an_interrupt_of_a_wait_is_raised():
    outcomes = run_forked({"quiet": QUIET, "interrupt": INTERRUPT}, ASCENDREF_CALLS="1")
    quiet, interrupt = outcomes.values()
    assert "acl" not in quiet.errors.partition("turn 2")[2].partition("end")[0], quiet.errors
    assert interrupt.out.splitlines()[-1] == "16.0", interrupt.errors
    assert "never reached" not in interrupt.out


def test_a_second_process_compiles_nothing(tmp_path):
    times = []
    for _ in range(2):
        done = python("-W", "error", "-c", ADD, XDG_CACHE_HOME=str(tmp_path))
        assert done.stdout == "8.0\n", done.stderr
        (library,) = Path(tmp_path, "ascendref", "npu-fallback").glob("*/*")
        times.append(library.stat().st_mtime_ns)
    assert times[0] == times[1]


@pytest.mark.parametrize(
    ("compiler", "problem"),
    [
        ("no-such-compiler", "CXX: no such compiler: no-such-compiler; install a C and C++"),
        ("c++ --no-such-option", "CXX: cannot compile the fallback's kernel (c++ --no-such-option"),
    ],
)
def test_without_a_compiler_of_cpp_the_import_says_what_is_needed(compiler, problem):
    done = python("-c", ADD, CXX=compiler)
    assert done.returncode == 1
    assert problem in done.stderr
    without = "import ascendref.npu, torch\nprint(torch.ones(4).npu().cpu().sum().item())"
    done = python("-c", without, ASCENDREF_NPU_FALLBACK="0", CXX=compiler)
    assert done.stdout == "4.0\n", done.stderr


MEMORY = """
import ascendref.npu
import torch
import torch_npu
x = torch.ones(1 << 20).npu()
pointer = x.data_ptr()
y = x + 1
del x
torch.npu.empty_cache()  # gives memory back that C++ has looked up
found = [torch.full((1 << 20,), float(k), device="npu") for k in range(4)]
assert [z[-1].item() for z in found] == [0, 1, 2, 3] and y.sum().item() == 2 << 20
out = torch.empty(0, device="npu")
assert torch.add(found[1], found[2], out=out) is out and out.sum().item() == 3 << 20
assert torch.npu.memory_allocated() >= 6 * (4 << 20)
try:
    torch.ones(1 << 40, device="npu")
except torch.OutOfMemoryError as error:
    print("out of memory")
"""


@pytest.mark.parametrize("segments", ["False", "True"])
def test_results_lie_in_memory_of_the_device(segments):
    programs = {"memory": MEMORY}
    if segments == "True":
        programs |= {name: BY_NAME[name] for name in ("digits", "storages")}
    settings = {"PYTORCH_NPU_ALLOC_CONF": f"expandable_segments:{segments}"}
    settings |= {"ASCENDREF_CHECK": "1", "ASCENDREF_CALLS": "1"}
    outcomes = run_forked(programs, **settings)
    assert outcomes["memory"].out == "out of memory\n"
    for name, outcome in outcomes.items():
        assert outcome.status == 0, (name, outcome.errors)
        assert ("aclrtMapMem" in outcome.errors) == (segments == "True"), name
