"""Programs for torch_npu, each in a process of its own."""

import os
import re
import subprocess
import sys

import pytest

from .cases import HANG, PAGE, PROGRAMS, REFUSED, described, run

OPERATORS = {
    "aclnnHardshrinkBackward",
    "aclnnSoftplusBackward",
    "aclnnPreluBackward",
    "aclnnSmoothL1LossBackward",
    "aclnnLogitGrad",
}
BY_NAME = {program.stem: program for program in PROGRAMS}


def python(*words, **environment):
    """Run Python to its end; return how it went."""
    return subprocess.run(
        [sys.executable, *map(str, words)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=HANG,
    )


@pytest.mark.parametrize("name", ["digits", "storages"])
def test_a_program_runs_with_expandable_segments(name):
    settings = {"PYTORCH_NPU_ALLOC_CONF": "expandable_segments:True", "ASCENDREF_CALLS": "1"}
    outcome = run(BY_NAME[name], ASCENDREF_CHECK="1", **settings)
    assert outcome.status == 0, outcome.errors
    assert "aclrtMapMem" in outcome.errors


def test_a_process_that_shared_memory_ends_without_failures():
    outcome = run(BY_NAME["sharing"])
    assert outcome.status == 0, outcome.errors
    assert "failed" not in outcome.errors


@pytest.mark.parametrize(
    "product", ["Atlas A3", "Atlas 200I/500 A2", "Atlas inference", "Atlas training"]
)
def test_properties_are_those_of_the_product(product):
    outcome = run(BY_NAME["properties"], "--product", product)
    assert outcome.status == 0, outcome.errors


@pytest.mark.daily(2)
@pytest.mark.parametrize("name", BY_NAME)
def test_a_program_runs_and_has_no_hazard(name):
    outcome = run(BY_NAME[name], ASCENDREF_CHECK="1")
    assert outcome.status == 0, outcome.errors
    assert "500001" not in outcome.errors
    assert set(outcome.counts) == {"emulated", "fallback"}


RACE = """
import ascendref.npu
import torch
import torch_npu
x = torch.linspace(-2, 2, 1000).npu()
stream = torch.npu.Stream()
stream.wait_stream(torch.npu.current_stream())
with torch.npu.stream(stream):
    first = torch.ops.aten.softplus_backward(x, x, 1, 20)
{fix}
second = torch.ops.aten.hardshrink_backward(first, x, 0.5)
torch.npu.synchronize()
"""


@pytest.mark.parametrize("execution", ["eager", "lazy"])
@pytest.mark.parametrize("fix", ["", "torch.npu.current_stream().wait_stream(stream)"])
def test_a_missing_wait_of_a_stream_is_found(fix, execution):
    done = python(
        "-c", RACE.format(fix=fix), ASCENDREF_CHECK="report", ASCENDREF_EXECUTION=execution
    )
    assert done.returncode == 0, done.stderr
    found = re.findall(r"race: (\w+) reads (\w+) while (\w+) may", done.stderr)
    race = ("aclnnHardshrinkBackward", "gradOutput", "aclnnSoftplusBackward")
    assert found == ([] if fix else [race])
    assert ("500001" in done.stderr) == (not fix)


GRAPH_RACE = """
import ascendref.npu
import torch
import torch_npu
x, graph, stream = torch.linspace(-2, 2, 1000).npu(), torch.npu.NPUGraph(), torch.npu.Stream()
with torch.npu.graph(graph):
    stream.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(stream):
        first = torch.ops.aten.softplus_backward(x, x, 1, 20)
    {fix}
    second = {reader}
    torch.npu.current_stream().wait_stream(stream)
graph.replay()
torch.npu.synchronize()
"""


@pytest.mark.parametrize(
    ("reader", "race"),
    [
        (
            "torch.ops.aten.hardshrink_backward(first, x, 0.5)",
            ("aclnnHardshrinkBackward", "gradOutput"),
        ),
        ("first * 2", ("aten::mul.Tensor", "self")),
    ],
    ids=["emulated", "fallback"],
)
@pytest.mark.parametrize("fix", ["", "torch.npu.current_stream().wait_stream(stream)"])
def test_a_missing_wait_in_a_graph_is_found_when_it_is_replayed(fix, reader, race):
    done = python("-c", GRAPH_RACE.format(fix=fix, reader=reader), ASCENDREF_CHECK="report")
    assert done.returncode == 0, done.stderr
    found = re.findall(r"race: (\S+) reads (\w+) while (\w+) may", done.stderr)
    assert found == ([] if fix else [(*race, "aclnnSoftplusBackward")])


def test_every_gradient_of_the_classifier_goes_through_aclnn():
    emulated = run(BY_NAME["digits"]).counts["emulated"]
    assert {name: emulated[name] for name in OPERATORS} == dict.fromkeys(OPERATORS, 300)
    assert emulated["aclnnLogit"] == 301  # the last call has no gradient


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.stem)
def test_what_is_refused_says_why(program):
    outcome = run(program)
    assert described(program)[1] in outcome.out + outcome.errors
    assert outcome.status in (0, 1)


@pytest.mark.parametrize("program", [*PROGRAMS, *REFUSED], ids=lambda program: program.stem)
def test_the_page_has_a_row_for_every_program(program):
    rows = [line for line in PAGE.read_text().splitlines() if f"| `{program.stem}` |" in line]
    assert len(rows) == 1
    what, *refused = described(program)
    assert what.removesuffix(".") in rows[0]
    assert ("refused: " if refused else "| runs |") in rows[0]


LATE_WAIT = """
import time
import ascendref.npu
import torch
import torch_npu
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


def test_a_wait_for_an_event_that_has_completed_counts():
    done = python("-c", LATE_WAIT, ASCENDREF_CHECK="1")
    assert done.returncode == 0, done.stderr


@pytest.mark.daily(3)
@pytest.mark.parametrize("value", ["0", "1", "2"])
@pytest.mark.parametrize("name", ["streams", "checkpointing"])
def test_no_value_of_task_queue_enable_deadlocks(name, value):
    assert run(BY_NAME[name], TASK_QUEUE_ENABLE=value).status == 0
    inside = (
        "import ascendref.npu, os, runpy\n"
        f"os.environ['TASK_QUEUE_ENABLE'] = '{value}'\n"
        f"runpy.run_path({str(BY_NAME[name])!r})"
    )
    done = python("-c", inside)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("execution", ["lazy", "random"])
def test_the_order_of_the_device_does_not_matter(execution):
    assert run(BY_NAME["streams"], ASCENDREF_EXECUTION=execution).status == 0


def test_without_fallback_the_message_names_the_operator(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import torch, torch_npu\n"
        "x = torch.ones(4).npu()\n"
        "print(torch.ops.aten.softplus_backward(x, x, 1, 20).cpu().tolist()[0])\n"
        "x + 1\n"
    )
    outcome = run(program, "--no-fallback")
    assert outcome.status == 1
    assert outcome.out.startswith("0.73105")
    message = (
        "NotImplementedError: emulated device: aten::add.Tensor is not available: the fallback"
    )
    assert message in outcome.errors
    assert outcome.counts == {"emulated": {"aclnnSoftplusBackward": 1}, "fallback": {}}


def test_a_program_gets_its_arguments_and_its_folder(tmp_path):
    (tmp_path / "beside.py").write_text("value = 5")
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, beside, torch, torch_npu\n"
        "print(sys.argv[1:], beside.value, __name__, torch.npu.get_device_name(0))"
    )
    words = ["npu", "--report", "--product", "Ascend910B3", program, "--report", "a b"]
    done = python("-m", "ascendref", *words)
    assert done.stdout == "['--report', 'a b'] 5 __main__ Ascend910B3\n", done.stderr
    assert "emulated: 0 calls" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.py"], "SCRIPT: no such file: missing.py"),
        (["--product", "Atlas 9", __file__], "--product: is 'Atlas 9'"),
    ],
)
def test_bad_calls_are_refused(words, message):
    done = python("-m", "ascendref", "npu", *words)
    assert done.returncode == 2
    assert message in done.stderr


def test_the_import_builds_the_libraries_and_says_what_it_lacks(tmp_path):
    text = "import ascendref.npu, torch, torch_npu; print(torch.ones(2).npu().sum().item())"
    without = python("-c", text, XDG_CACHE_HOME=str(tmp_path / "a"), CC="no-such-compiler")
    assert without.returncode == 1
    assert "install a C and C++ compiler" in without.stderr
    done = python("-c", text, XDG_CACHE_HOME=str(tmp_path / "b"))
    assert done.stdout == "2.0\n", done.stderr
    late = "import os\nos.environ['TORCH_DEVICE_BACKEND_AUTOLOAD'] = '0'\nimport sys\n"
    late += "sys.modules['torch_npu'] = sys\nimport ascendref.npu"
    assert "was imported after torch_npu" in python("-c", late).stderr
    bad = python("-c", "import ascendref.npu", ASCENDREF_NPU_FALLBACK="yes")
    assert "ASCENDREF_NPU_FALLBACK is 'yes'; it must be 0 or 1" in bad.stderr


def test_the_timeline_shows_the_operators(tmp_path):
    trace = tmp_path / "trace.json"
    assert run(BY_NAME["operators"], ASCENDREF_TRACE=str(trace)).status == 0
    assert all(name in trace.read_text() for name in OPERATORS)


def test_the_program_on_the_page_runs():
    text = "\n".join(re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S))
    done = python("-c", text)
    assert done.returncode == 0, done.stderr
    assert "{'aclnnSoftplus': 1, 'aclnnSoftplusBackward': 1}" in done.stdout


FORK = """
import os
{before}
import torch
import torch_npu
x = torch.linspace(-2, 2, 1 << 18).npu()
def compute():
    return torch.nn.functional.softplus(x).sum().item()
first = compute()
from torch.utils.data import DataLoader
print(sum(int(batch.sum()) for batch in DataLoader(range(4), num_workers=2)))
child = os.fork()
if not child:
    os._exit(0)
os.waitpid(child, 0)
assert compute() == first
import numba
print(numba.threading_layer())
"""


@pytest.mark.parametrize("layer", ["default", "tbb", "omp"])
def test_a_fork_prints_nothing(layer):
    text = FORK.format(before="import ascendref.npu")
    done = python("-W", "ignore", "-c", text, NUMBA_THREADING_LAYER=layer)
    assert done.stdout.split() == ["6", "omp" if layer == "omp" else "tbb"], done.stderr
    assert "Numba" not in done.stderr


ARRAYS = """
import os
import numpy as np
import ascendref as ar
import numba
x = np.linspace(-2, 2, 1 << 18, dtype=np.float32)
first = ar.silu(x)
child = os.fork()
if not child:
    print((ar.silu(x) == first).all(), numba.threading_layer(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
os.system("echo to stderr >&2")
"""


def test_arrays_are_computed_by_the_tbb_of_pip():
    done = python("-c", ARRAYS, NUMBA_THREADING_LAYER="tbb")
    assert done.stdout == "True tbb\n"
    assert done.stderr == "to stderr\n"


ADD = r"""
#include <acl/acl.h>
#include <aclnnop/aclnn_add.h>
#include <cstdio>
int main()
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    int64_t shape[] = {4}, strides[] = {1};
    float host[] = {1, 2, 3, 4}, two = 2;
    void *memory[2], *workspace = nullptr;
    aclTensor *tensors[2];
    for (int k = 0; k < 2; k++) {
        aclrtMalloc(&memory[k], 16, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(memory[k], 16, host, 16, ACL_MEMCPY_HOST_TO_DEVICE);
        tensors[k] = aclCreateTensor(shape, 1, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 1,
                                     memory[k]);
    }
    aclScalar *alpha = aclCreateScalar(&two, ACL_FLOAT);
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *x = tensors[0];
    int code = aclnnAddGetWorkspaceSize(x, x, alpha, tensors[1], &size, &executor);
    if (code) return printf("%d %s", code, aclGetRecentErrMsg());
    if (size) aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    aclnnAdd(workspace, size, executor, nullptr);
    aclrtSynchronizeDevice();
    aclrtMemcpy(host, 16, memory[1], 16, ACL_MEMCPY_DEVICE_TO_HOST);
    printf("%g %g %g %g", host[0], host[1], host[2], host[3]);
}
"""


def test_a_program_in_c_calls_borrowed_operators_without_torch_npu(tmp_path):
    (tmp_path / "add.cpp").write_text(ADD)
    program = tmp_path / "add"
    python("-m", "ascendref", "c++", tmp_path / "add.cpp", "-o", program)
    done = subprocess.run([program], capture_output=True, text=True, timeout=HANG)
    assert done.stdout == "3 6 9 12", done.stderr
