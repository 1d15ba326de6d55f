"""Programs for torch_npu."""

import re
import subprocess

import pytest

from .cases import BY_NAME, HANG, PAGE, PROGRAMS, REFUSED, described, python, run, run_forked

OPERATORS = {
    "aclnnHardshrinkBackward", "aclnnSoftplusBackward", "aclnnPreluBackward",
    "aclnnSmoothL1LossBackward", "aclnnLogitGrad"
}  # fmt: skip
#: programs of the tests below; programs whose processes need them as the main module: no forks
ELSEWHERE = {"digits", "operators", "sharing"}
STARTING = {"collectives", "parallel"}
SHARED = {name: program for name, program in BY_NAME.items() if name not in ELSEWHERE | STARTING}
PARTS = 4


@pytest.mark.daily(3)
@pytest.mark.parametrize("part", range(PARTS))
def test_programs_run_and_have_no_hazard(part):
    programs = dict(list(SHARED.items())[part::PARTS])
    for name, outcome in run_forked(programs, ASCENDREF_CHECK="1").items():
        assert outcome.status == 0, (name, outcome.errors)
        assert "500001" not in outcome.errors, name


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", sorted(STARTING))
def test_a_program_that_starts_processes_runs_and_has_no_hazard(name):
    outcome = run(BY_NAME[name], ASCENDREF_CHECK="1")
    assert outcome.status == 0, outcome.errors
    assert "500001" not in outcome.errors


def test_a_process_that_shared_memory_ends_without_failures():
    outcome = run(BY_NAME["sharing"], ASCENDREF_CHECK="1")
    assert outcome.status == 0, outcome.errors
    assert "failed" not in outcome.errors
    assert "500001" not in outcome.errors


def test_every_gradient_of_the_classifier_goes_through_aclnn():
    outcome = run(BY_NAME["digits"], ASCENDREF_CHECK="1")
    assert outcome.status == 0, outcome.errors
    assert outcome.counts["fallback"]
    emulated = outcome.counts["emulated"]
    assert {name: emulated[name] for name in OPERATORS} == dict.fromkeys(OPERATORS, 300)
    assert emulated["aclnnLogit"] == 301  # the last call has no gradient


def test_what_is_refused_says_why():
    outcomes = run_forked({program.stem: program for program in REFUSED})
    for program, outcome in zip(REFUSED, outcomes.values(), strict=True):
        assert described(program)[1] in outcome.out + outcome.errors
        assert outcome.status in (0, 1)


@pytest.mark.parametrize("program", [*PROGRAMS, *REFUSED], ids=lambda program: program.stem)
def test_the_page_has_a_row_for_every_program(program):
    rows = [line for line in PAGE.read_text().splitlines() if f"| `{program.stem}` |" in line]
    assert len(rows) == 1
    what, *refused = described(program)
    assert what.removesuffix(".") in rows[0]
    assert ("refused: " if refused else "| runs |") in rows[0]


@pytest.mark.daily(3)
@pytest.mark.parametrize("value", range(3))
def test_no_value_of_task_queue_enable_deadlocks(value):
    inside = "import os, runpy, torch\nos.environ['TASK_QUEUE_ENABLE'] = '{}'\nrunpy.run_path({!r})"
    programs = {name: BY_NAME[name] for name in ("streams", "checkpointing")}
    programs |= {  # which set another value
        f"{name} inside": inside.format((value + 1) % 3, str(program))
        for name, program in programs.items()
    }
    for name, outcome in run_forked(programs, TASK_QUEUE_ENABLE=str(value)).items():
        assert outcome.status == 0, (name, outcome.errors)


EMULATED = """
import torch, torch_npu
x = torch.ones(4).npu()
print(torch.ops.aten.softplus_backward(x, x, 1, 20).cpu().tolist()[0])
x + 1
"""
FORMULA = """
import torch, torch_npu
x = torch.linspace(-2, 2, 8).npu()
torch_npu.npu_silu(x)
torch_npu.npu_rms_norm(x, x)
"""


def test_without_fallback_emulated_operators_run_and_the_message_names_others():
    programs = {"add.Tensor": EMULATED, "pow.Tensor_Scalar": FORMULA}
    outcomes = run_forked(programs, "--no-fallback")
    for name, outcome in outcomes.items():
        assert outcome.status == 1
        refused = (
            f"NotImplementedError: emulated device: aten::{name} is not available: the fallback"
        )
        assert refused in outcome.errors
    assert outcomes["add.Tensor"].out.startswith("0.73105")
    calls = {"aclnnSoftplusBackward": 1, "aclnnSilu": 1}
    assert outcome.counts == {"emulated": calls, "fallback": {}}


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
    wrong = python("-c", "import ascendref.npu", ASCENDREF_CANN_VERSION="9.1")
    assert "ASCENDREF_CANN_VERSION is '9.1'; it must be three numbers below 100" in wrong.stderr
    bad = python("-c", "import ascendref.npu", ASCENDREF_NPU_FALLBACK="yes")
    assert "ASCENDREF_NPU_FALLBACK is 'yes'; it must be 0 or 1" in bad.stderr


def test_the_timeline_shows_the_operators(tmp_path):
    trace = tmp_path / "trace.json"
    settings = {"ASCENDREF_TRACE": str(trace), "ASCENDREF_CHECK": "1"}
    outcome = run(BY_NAME["operators"], **settings)
    assert outcome.status == 0, outcome.errors
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
