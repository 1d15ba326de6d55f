"""What the emulated device lacks is refused in the first line of the exception, by its name."""

import re
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from ..support.processes import run
from .cases import BY_NAME, PAGE, run_forked

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


@pytest.fixture(scope="module")
def own_operators(tmp_path_factory):
    """Return name, kind and outcome of each operator in the namespace ``npu``."""
    folder = tmp_path_factory.mktemp("namespace")  # some operators write files
    lines = run("-W", "ignore", "-m", "ascendref", "npu", NAMESPACE, cwd=folder).splitlines()
    return [line.split("\t") for line in lines if line.startswith("npu::")]


def test_every_operator_of_torch_npu_works_or_is_refused_by_its_name(own_operators):
    for name, kind, how in own_operators:
        refused = f"NotImplementedError: emulated device: {name} is not available: "
        if kind == "refused":
            assert how.startswith(refused)
        elif kind == "formula":
            assert not how.startswith(f"{refused}it is not among")
        else:
            assert how == "works"


def test_the_page_counts_the_operators_of_torch_npu(own_operators):
    counts = Counter(kind for _, kind, _ in own_operators)
    page = PAGE.read_text()
    assert f"| all | {len(own_operators)} |" in page
    for kind, number in counts.items():
        assert re.search(rf"\| `{kind}`.* \| {number} \|", page)


def test_the_page_lists_the_reasons_of_all_refusals(own_operators):
    table = PAGE.read_text().partition("| reason |")[2]
    rows = re.findall(r"^\| ([^`|]+) \| (`[^|]+`) \|$", table, re.M)
    for name, kind, how in own_operators:
        if kind == "refused":
            base = name.removeprefix("npu::").partition(".")[0]
            why = next(
                why
                for why, names in rows
                if any(fnmatchcase(base, one) for one in re.findall("`(.+?)`", names))
            )
            assert how.endswith(f" is not available: {why} (docs/torch-npu.md)")


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
                "works",
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
def test_the_five_operators_and_the_properties_of_every_product(product, cores, how):
    programs = {"five": FIVE, "properties": BY_NAME["properties"]}
    five, properties = run_forked(programs, "--product", product).values()
    assert properties.status == 0, properties.errors
    *lines, last = five.out.splitlines()
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
        torch.empty(2**50, device="npu")
    except torch.OutOfMemoryError:  # as of a program that looks for the largest batch
        pass
    try:
        torch.ops.aten._prelu_kernel_backward(x, x, x)
    except RuntimeError as error:
        lines = str(error).splitlines()
        messages = [line for line in lines if line.startswith("[PID: ")]
        print(type(error).__name__, lines[0][-6:], messages)
fail()
thread = threading.Thread(target=fail)
thread.start()
thread.join()
y = x.clone().requires_grad_()
y.register_hook(fail)  # on a thread of autograd
y.sum().backward()
"""


FUNCTIONS = """
import torch, torch_npu
from torch._subclasses.fake_tensor import FakeTensorMode
with FakeTensorMode():  # the shape of a result
    image, boxes = torch.rand(3, 18, 9, 9, 1).npu(), torch.rand(3, 5, 4).npu()
    print(tuple(torch_npu.npu_ps_roi_pooling(image, boxes, 0.5, 3, 2).shape))
x = torch.ones(4).npu()
for call in (
    lambda: torch.npu.stress_detect(),
    lambda: torch.mm(x.view(2, 2).half(), x.view(2, 2).half(), out_dtype=torch.float32),
    lambda: torch_npu.atb.npu_ring_mla(),
):
    try:
        call()
    except RuntimeError as error:
        print(str(error).splitlines()[0])
"""


def test_a_failed_call_reports_its_own_code_and_functions_are_refused_by_their_names():
    failures, functions = run_forked({"failures": FAILURES, "functions": FUNCTIONS}).values()
    lines = failures.out.splitlines()
    assert len(lines) == 3, failures.errors  # without the messages of earlier failures
    for line in lines:
        assert line.startswith("RuntimeError 161002 [")
        assert line.count("[PID: ") == line.count("EZ1001): weight has 8 elements") == 1, line
    names = ["aclStressDetect", "aten::mm.dtype"]
    shape, *others, library = functions.out.splitlines()
    assert shape == "(12, 2, 3, 3)"
    assert "torch_npu.atb" in library
    assert "they need libatb.so" in library
    for line, name in zip(others, names, strict=True):
        assert line.startswith(f"emulated device: {name} is not available: ")
