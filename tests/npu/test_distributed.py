"""Processes of a program: how they start, and how those of a group of ranks fail."""

import json
import os
import re
import socket
from pathlib import Path

import pytest

from ..support.processes import run, start
from .cases import HANG

NPU = ("-m", "ascendref", "npu")

TRAIN = """
import os, sys
import torch
import torch.distributed as dist
import torch_npu
rank = int(os.environ["LOCAL_RANK"])
device = torch.device("npu", rank)
torch.npu.set_device(device)
dist.init_process_group("hccl", device_id=device)
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1).npu(), device_ids=[rank])
x = torch.tensor([[1.0, 2], [3, 4]])[rank:][:1].npu()
model(x).sum().backward()
found = torch.npu.device_count(), sys.argv[1:], model.module.weight.grad.tolist()
sys.stdout.write(f"{found}\\n")  # in one piece, as torchrun switches buffers off
dist.destroy_process_group()
"""


def test_torchrun_has_a_device_for_each_process(tmp_path):
    (tmp_path / "train.py").write_text(TRAIN)
    report = tmp_path / "report.json"
    report.write_text("of an earlier run")
    options = ("--report-file", report, "-m", "torch.distributed.run", "--standalone")
    # otherwise the processes look for the name of the machine, for which a name server may be asked
    options += ("--local-addr=127.0.0.1", "--nproc-per-node=2")
    words = (*options, "train.py", "-m", "--report")
    out = run(*NPU, *words, cwd=tmp_path, timeout=HANG)
    assert out.splitlines() == ["(2, ['-m', '--report'], [[2.0, 3.0]])"] * 2
    counts = json.loads(report.read_text())
    assert counts["emulated"]["HcclAllReduce"] == 2  # one in each process


MODULE = """
import multiprocessing, sys
def double(x):
    import torch
    return (2 * torch.tensor(x, device="npu")).tolist()
if __name__ == "__main__":
    print(__package__, sys.argv[1:], sys.path[0])
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(double, [[1.0, 2.0]]), "torch" in sys.modules)
"""


def test_a_module_runs_as_with_python_and_its_processes_find_the_device(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "module.py").write_text(MODULE)
    (tmp_path / "sitecustomize.py").write_text("print('the own sitecustomize')")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    words = ("-m", "package.module", "-m", "--report")
    first, *lines = run(*NPU, *words, cwd=tmp_path, PYTHONPATH=path).splitlines()
    assert first == "the own sitecustomize"
    assert f"package ['-m', '--report'] {tmp_path}" in lines
    assert lines[-1] == "[2.0, 4.0] False"


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["-m", "no_such_module"], 1, "No module named no_such_module"),
        (["-m", "json"], 1, "No module named json.__main__; 'json' is a package"),
        (["-m"], 2, "Missing argument"),
        (["json.tool"], 2, "SCRIPT: no such file: json.tool"),
    ],
)
def test_what_is_no_module_is_refused(tmp_path, words, status, message):
    process = start(*NPU, *words, cwd=tmp_path)
    out, errors = process.communicate(timeout=HANG)
    assert (process.returncode, out) == (status, "")
    assert message in errors
    assert "Traceback" not in errors


def ranks(folder, text, *options, **environment):
    """Run a program as rank 0 and rank 1; return status, output and errors of each."""
    program = folder / "program.py"
    program.write_text(text)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    group = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2"}
    processes = [
        start(
            *(*NPU, *options, program),
            **{**group, "RANK": rank, "ASCENDREF_DEVICES": "2", **environment},
        )
        for rank in "01"
    ]
    try:
        found = [process.communicate(timeout=HANG) for process in processes]
    finally:
        for process in processes:
            process.kill()
    return [(x.returncode, *texts) for x, texts in zip(processes, found, strict=True)]


HEAD = """
import os
import torch
import torch.distributed as dist
import torch_npu
rank = int(os.environ["RANK"])
torch.npu.set_device(rank)
def attempt(call):
    try:
        call()
        torch.npu.synchronize()
    except RuntimeError as error:
        print(str(error), flush=True)
"""
RACES = """
dist.init_process_group("hccl")
x, y = torch.ones(1000).npu(), torch.ones(1000).npu()
work = dist.all_reduce(x, async_op=True)
attempt(lambda: x + 1)
work.wait()
assert (x + 1).sum().item() == 3000
work = dist.broadcast(y, 0, async_op=True)
attempt(y.zero_)
work.wait()
y.zero_()
torch.npu.synchronize()
if rank == 1:
    os._exit(3)
attempt(lambda: dist.all_reduce(x))
print("goes on", flush=True)
os._exit(0)
"""


FAILS = """
dist.init_process_group("hccl")
x = torch.ones(1000).npu()
def fail():
    works = [dist.all_reduce(x, async_op=True) for _ in range(3)]
    model = torch.nn.Linear(2, 1).npu()
    parallel = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    torch.npu.synchronize()
    raise ValueError("the program fails")
fail()
"""


def test_a_failed_program_leaves_its_events_without_a_word(tmp_path):
    for status, _, errors in ranks(tmp_path, HEAD + FAILS):
        assert status == 1
        assert "ValueError: the program fails" in errors
        assert "aclrtDestroyEvent" not in errors


def test_a_missing_wait_is_found_and_a_dead_rank_is_an_error(tmp_path):
    first, second = ranks(tmp_path, HEAD + RACES, ASCENDREF_CHECK="1")
    assert (first[0], second[0]) == (0, 3), first[2] + second[2]
    races = [
        ("aten::add.Tensor", "reads", "self", "HcclAllReduce"),
        ("aten::zero_", "writes", "self", "HcclBroadcast"),
    ]
    for _, out, _ in (first, second):
        found = re.findall(r"race: (\S+) (\w+) (\w+) while (\w+) may", out)
        assert [*dict.fromkeys(found)] == races
    assert re.search(r"task 'HcclAllReduce' of stream \d+ failed: RuntimeError: .*gloo", first[1])
    assert first[1].endswith("goes on\n")


#: HCCL_E_PARA for a wrong value, HCCL_E_PTR for a null pointer
REFUSED_CODES = [1] * 12 + [2] * 7
DIFFERENCES = {
    "counts_differ": "rank 0 calls HcclAllReduce (3 elements of FP32, SUM), rank 1 HcclAllReduce"
    " (4 elements of FP32, SUM)",
    "names_differ": "rank 0 calls HcclBroadcast (3 elements of FP32, root 1), rank 1 HcclAllReduce"
    " (3 elements of FP32, SUM)",
    "gathered_differ": "rank 0 states 4 elements for rank 1, whose count is 3",
    "exchanged_differ": "rank 0 sends 1 elements to rank 1, which expects 2",
}


def test_calls_of_hccl_check_their_arguments_and_what_the_ranks_call():
    program = Path(__file__).with_name("hccl_calls.py")
    lines = run(*NPU, program, ASCENDREF_DEVICES="2").splitlines()
    found = {name: texts for name, *texts in (line.split("; ") for line in lines)}
    assert found.pop("arguments") == [str([*REFUSED_CODES, 0, 0, 0, 1])] * 2
    sent, received = found.pop("messages_differ")
    assert sent == "0"
    assert received == "rank 1 receives 2 elements of FP16, rank 0 sends 2 elements of FP32"
    waited, nothing = found.pop("one_does_not_call")
    assert "Timed out waiting 1000ms" in waited
    assert nothing == "nothing"
    assert found == {name: [text] * 2 for name, text in DIFFERENCES.items()}


REFUSED = """
dist.init_process_group("cpu:gloo,npu:hccl")
x, group = torch.ones(2).npu(), dist.group.WORLD
both = [dist.P2POp(dist.isend, x, 1 - rank), dist.P2POp(dist.irecv, x, 1 - rank)]
attempt(lambda: dist.all_reduce(x))
attempt(lambda: dist.broadcast(x, 0))
attempt(lambda: dist.send(x, 1) if rank == 0 else dist.recv(x, 0))
attempt(lambda: dist.barrier(device_ids=[rank]))
attempt(lambda: dist.batch_isend_irecv(both))
attempt(lambda: torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2).npu()))
host = torch.ones(2)
dist.all_reduce(host)
print(host.tolist())
"""


def test_without_fallback_collectives_are_refused_on_every_rank_and_gloo_works(tmp_path):
    found = ranks(tmp_path, HEAD + REFUSED, "--no-fallback")
    for rank, (status, out, errors) in enumerate(found):
        assert status == 0, errors
        *lines, last = out.splitlines()
        assert last == "[2.0, 2.0]"
        names = ["allreduce_", "broadcast_", "recv_" if rank else "send", "barrier"]
        names = [f"c10d::{name}" for name in (*names, "send", "allgather_")]
        for line, name in zip(lines, names, strict=True):
            assert line.startswith(f"emulated device: {name} is not available: HCCL needs Gloo")
