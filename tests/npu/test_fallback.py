"""The fallback's kernel: order, outputs that are resized, and what is compiled when."""

import re
from pathlib import Path

import pytest

from .test_programs import python

ADD = "import ascendref.npu, torch\nprint((torch.ones(4).npu() + 1).sum().item())"


RACE = """
import ascendref.npu
import torch
import torch_npu
x, y = torch.linspace(-2, 2, 1000).npu(), torch.ones(1000).npu()
stream = torch.npu.Stream()
stream.wait_stream(torch.npu.current_stream())
with torch.npu.stream(stream):
    first = torch.ops.aten.softplus_backward(y, x, 1, 20)
{fix}
{calls}
torch.npu.synchronize()
"""
FIX = "torch.npu.current_stream().wait_stream(stream)"
CALLS = """
torch.cat([y, first])
y[::2].mul_(2)
torch.exp(x, out=x)
"""
RACES = [
    ("aten::cat", "reads", "tensors"),
    ("aten::mul_.Tensor", "writes", "self"),
    ("aten::exp.out", "writes", "out"),
]


@pytest.mark.daily(3)
@pytest.mark.parametrize("execution", ["eager", "lazy"])
@pytest.mark.parametrize("fix", ["", FIX])
def test_a_missing_wait_is_found(execution, fix):
    settings = {"ASCENDREF_CHECK": "report", "ASCENDREF_EXECUTION": execution}
    done = python("-c", RACE.format(fix=fix, calls=CALLS), **settings)
    assert done.returncode == 0, done.stderr
    found = re.findall(r"race: (\S+) (\w+) (\w+) while aclnnSoftplusBackward may", done.stderr)
    assert found == ([] if fix else RACES)
    assert done.stderr.count("called at <string>:") == (0 if fix else 2 * len(RACES))


FIRST = """
import ascendref.npu
import torch
import torch_npu
x, y = torch.linspace(-2, 2, 1000).npu(), torch.zeros(1000).npu()
torch.npu.synchronize()
stream = torch.npu.Stream()
with torch.npu.stream(stream):
    {first}
{fix}
{second}
torch.npu.synchronize()
"""


@pytest.mark.parametrize(
    ("first", "second", "race"),
    [
        ("x.add_(1)", "torch.relu(x)", "aclnnRelu reads self while aten::add_.Tensor"),
        ("x.zero_()", "torch.relu(x)", "aclnnRelu reads self while aten::zero_"),
        ("torch.exp(x, out=y)", "y * 2", "aten::mul.Tensor reads self while aten::exp.out"),
        ("y = x + 1", "y.cpu()", "aclrtMemcpy reads src while aten::add.Tensor"),
        ("y = torch.exp(x)", "x.zero_()", "aten::zero_ writes self while aten::exp"),
        ("y = torch.relu(x); x.add_(1)", "y + 1", "aten::add.Tensor reads self while aclnnRelu"),
        ("z = x[y.long()]", "z + 1", "aten::add.Tensor reads self while aten::index.Tensor"),
    ],
    ids=["in place", "fill", "out", "copy to the host", "read", "fallback between", "indices"],
)
def test_the_program_does_not_wait_for_the_fallback(first, second, race):
    settings = {"ASCENDREF_CHECK": "report"}
    done = python("-c", FIRST.format(first=first, second=second, fix=""), **settings)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"race: (.*) may still", done.stderr) == [race]
    fixed = python("-c", FIRST.format(first=first, second=second, fix=FIX), **settings)
    assert "500001" not in fixed.stderr


@pytest.mark.parametrize(
    "first",
    [
        "y = x.nonzero()",
        "y = x[x > 0]",
        "y = torch.exp(x); x.sum().item()",
        "y = torch.exp(x); torch.equal(x, x)",
        "y = torch.exp(x); x.cpu()",
    ],
)
def test_the_program_waits_with_an_operator_that_returns_what_depends_on_data(first):
    text = FIRST.format(first=first, second="y + 1", fix="")
    done = python("-c", text, ASCENDREF_CHECK="report")
    assert done.returncode == 0, done.stderr
    assert "500001" not in done.stderr


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


@pytest.mark.parametrize("execution", ["eager", "lazy"])
def test_an_output_that_is_resized_has_the_results(execution):
    settings = {"ASCENDREF_CHECK": "1", "ASCENDREF_EXECUTION": execution}
    done = python("-W", "ignore", "-c", GROWING.format(change=""), **settings)
    expected = ["True (1,)"] * 4 + ["True (1, 3)"] * 2 + ["True True"]
    assert done.stdout.splitlines() == expected, done.stderr


def test_a_write_behind_a_queued_copy_would_be_found():
    change = "Scheduler.make_way = lambda *_: None"
    done = python("-W", "ignore", "-c", GROWING.format(change=change), ASCENDREF_CHECK="report")
    assert re.search(r"race: aten::exp.out writes \w+ while aclrtMemcpyAsync may", done.stderr)


def test_a_hazard_raises_before_anything_is_written():
    calls = "try:\n    y.zero_()\nexcept RuntimeError as error:\n    print(error)\n"
    calls += "torch.npu.synchronize()\nprint(y.sum().item())"
    done = python("-c", RACE.format(fix="", calls=calls), ASCENDREF_CHECK="1")
    assert "race: aten::zero_ writes self while aclnnSoftplusBackward" in done.stdout
    assert done.stdout.endswith("\n1000.0\n"), done.stderr


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
def test_the_fallback_waits_for_its_stream(execution):
    done = python("-c", ORDER, ASCENDREF_EXECUTION=execution)
    assert done.returncode == 0, done.stderr


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


def test_an_interrupt_while_the_fallback_waits_is_raised():
    done = python("-c", INTERRUPT)
    assert done.stdout.splitlines()[-1] == "16.0", done.stderr
    assert "never reached" not in done.stdout


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


def test_a_call_on_memory_that_is_ready_does_not_call_the_device():
    done = python("-c", QUIET, ASCENDREF_CALLS="1")
    assert "acl" not in done.stderr.partition("turn 2")[2].partition("end")[0], done.stderr


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
    setting = f"expandable_segments:{segments}"
    done = python("-c", MEMORY, PYTORCH_NPU_ALLOC_CONF=setting, ASCENDREF_CHECK="1")
    assert done.stdout == "out of memory\n", done.stderr
