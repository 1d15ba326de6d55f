"""What the emulated device lacks is refused in the first line of the exception, by its name."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from ..support.processes import run

if find_spec("torch_npu") is None or shutil.which("cc") is None:
    pytest.skip("needs torch-npu, an extra, and cc", allow_module_level=True)

NAMESPACE = Path(__file__).with_name("namespace.py")
#: calls of the five emulated operators, and what each raises, if it does
FIVE = """
import torch, torch_npu
x = torch.linspace(-2, 2, 8).npu()
a = torch.ops.aten
for call in (
    lambda: a.hardshrink_backward(x, x, 0.5),
    lambda: a.softplus_backward(x, x, 1, 20),
    lambda: a._prelu_kernel_backward(x, x, x[:1])[0],
    lambda: a.smooth_l1_loss_backward(x, x, x, 0, 1.0),
    lambda: a.logit_backward(x, x, 0.1),
):
    try:
        call().cpu()
        print("works")
    except RuntimeError as error:
        print(str(error).splitlines()[0])
found = torch.npu.get_device_properties(0)
print((x - x).sum().item(), found.cube_core_num, found.vector_core_num)
"""


def ascendref_npu(folder, program, *options):
    """Run a program in a folder, which some operators write to; return the lines it prints."""
    if not isinstance(program, Path):
        text, program = program, folder / "program.py"
        program.write_text(text)
    words = ("-W", "ignore", "-m", "ascendref", "npu", *options, program)
    return run(*words, cwd=folder).splitlines()


def test_every_operator_of_torch_npu_works_or_is_refused_by_its_name(tmp_path):
    lines = [line.split("\t") for line in ascendref_npu(tmp_path, NAMESPACE) if "\t" in line]
    assert len(lines) > 300
    for name, available, how in lines:
        refused = f"NotImplementedError: emulated device: {name} is not available: "
        assert how == "works" if available == "True" else how.startswith(refused)


@pytest.mark.parametrize(
    ("product", "cores", "how"),
    [
        ("Atlas A3", "24 48", ["works"] * 5),
        ("Atlas 200I/500 A2", "1 1", ["does not exist on Atlas 200I/500 A2"] * 5),
        (
            "Ascend310P1",
            "10 8",
            [
                *["does not exist on Atlas inference"] * 3,
                "no operator is compiled on demand",
                "does not exist on Atlas inference",
            ],
        ),
        (
            "Atlas training",
            "32 0",
            [*["no operator is compiled on demand"] * 4, "does not exist on Atlas training"],
        ),
    ],
)
def test_the_five_operators_on_every_product(tmp_path, product, cores, how):
    *lines, last = ascendref_npu(tmp_path, FIVE, "--product", product)
    assert last == f"0.0 {cores}"  # the fallback is on all products
    for line, expected in zip(lines, how, strict=True):
        assert line.endswith(expected)
        assert expected == "works" or line.startswith("emulated device: ")
        assert expected == "works" or " is not available: " in line


FAILURES = """
import threading
import torch, torch_npu
x = torch.linspace(-2, 2, 8).npu()
def fail(*_):
    try:
        torch.ops.aten._prelu_kernel_backward(x, x, x)
    except RuntimeError as error:
        lines = str(error).splitlines()
        print(lines[0][-6:], [line.split(": ", 1)[1] for line in lines if "EZ1001" in line],
              any("107002" in line or "context" in line for line in lines))
fail()
thread = threading.Thread(target=fail)
thread.start()
thread.join()
y = x.clone().requires_grad_()
y.register_hook(fail)  # on a thread of autograd
y.sum().backward()
"""


def test_a_failed_call_reports_its_own_code_and_no_earlier_message(tmp_path):
    lines = ascendref_npu(tmp_path, FAILURES)
    assert len(lines) == 3
    for line in lines:
        assert line.startswith("161002 [")
        assert line.endswith(" False"), line
        assert line.count("weight has 8 elements") == 1


GRAPHS = """
import torch, torch_npu
x = torch.ones(4).npu()
before = torch.npu.current_stream()
for call in (
    lambda: torch.npu.graph(torch.npu.NPUGraph()).__enter__(),
    lambda: torch.npu.NPUGraph().capture_begin(),
    lambda: torch.npu.make_graphed_callables(torch.nn.Linear(4, 4).npu(), (x,)),
    lambda: torch.npu.utilization(),
    lambda: torch.npu.stress_detect(),
    lambda: torch.mm(x.view(2, 2).half(), x.view(2, 2).half(), out_dtype=torch.float32),
):
    try:
        call()
    except RuntimeError as error:
        print(str(error).splitlines()[0])
print(torch.npu.current_stream() == before, torch.npu.is_current_stream_capturing())
"""


def test_functions_that_are_no_operators_are_refused_by_their_names(tmp_path):
    *lines, last = ascendref_npu(tmp_path, GRAPHS)
    assert last == "True False"
    names = [*["aclmdlRICaptureBegin"] * 3, "aclrtGetDeviceUtilizationRate", "aclStressDetect"]
    for line, name in zip(lines, [*names, "aten::mm.dtype"], strict=True):
        assert line.startswith(f"emulated device: {name} is not available: ")
