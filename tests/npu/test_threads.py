"""Threads of one program: none waits for ever for another, or writes what another reads."""

import pytest

from ..support.processes import run
from .cases import HANG
from .test_distributed import NPU

#: every thread uses everything for the first time, and in an order of its own
FIRST_USES = """
import random, sys, threading
import torch, torch_npu
sys.setswitchinterval(1e-6)
uses = [
    torch.npu.Stream,
    lambda: torch.npu.Event().record(),
    lambda: torch.npu.current_stream().synchronize(),
    lambda: torch.npu.get_device_properties(0),
    torch.npu.memory_stats,
    torch.npu.get_rng_state,
    lambda: torch.npu.manual_seed(1),
    lambda: torch.Generator("npu").manual_seed(1),
    lambda: torch.rand(3, device="npu"),
    lambda: torch.ones(2000).pin_memory().npu(),
    lambda: torch.ones(10000, device="npu").cpu(),
    lambda: torch.sigmoid(torch.ones(100).npu()),
    lambda: torch_npu.npu_format_cast(torch.ones(16, 16).npu(), 2),
]
barrier = threading.Barrier(8)
done = []
def work(number):
    torch.npu.set_device(0)
    barrier.wait()
    for use in random.Random(number).sample(uses, len(uses)) * 3:
        use()
    done.append(number)
threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sorted(done) == [*range(8)], done
"""

#: while one thread has the mutex of torch_npu's allocator, another one asks it for numbers
ASKS = """
import threading, time
import torch, torch_npu
from ascendref.device.scheduling.scheduler import Scheduler
freed = torch.ones(1000, device="npu")
freed.record_stream(torch.npu.Stream())
del freed  # with an event, for which the allocator asks whenever it is asked for memory
query, has_mutex, made = Scheduler.query, threading.Event(), []
def wait_and_query(*args):
    has_mutex.set()
    time.sleep(1)  # without the interpreter's lock, which the main thread takes
    return query(*args)
Scheduler.query = wait_and_query
thread = threading.Thread(target=lambda: made.append(torch.ones(1000, device="npu")))
thread.start()
has_mutex.wait()
torch.npu.memory_allocated()
thread.join()
assert made[0].sum() == 1000
"""

#: while a kernel of the CPU is about to run, another thread queues work and frees its memory
QUEUES = """
import threading
import torch, torch_npu
from ascendref.npu import compiled
given, results = torch.ones(1000).npu(), []
def queue():
    x = torch.full((1000,), 3.0, device="npu")
    results.append(torch.sigmoid(x))
thread, memory_at = threading.Thread(target=queue), compiled.memory_at
def queue_and_find(address):
    compiled.memory_at = memory_at
    thread.start()
    thread.join()
    return memory_at(address)
compiled.memory_at = queue_and_find
results.append(given.abs())  # in the memory that was freed
assert [x.unique().tolist() for x in results] == [[torch.sigmoid(torch.tensor(3.0)).item()], [1]]
"""


@pytest.mark.parametrize("text", [FIRST_USES, ASKS, QUEUES], ids=["first_uses", "asks", "queues"])
def test_threads_go_on(tmp_path, text):
    program = tmp_path / "program.py"
    program.write_text(text)
    environment = {"ASCENDREF_EXECUTION": "lazy", "ASCENDREF_CHECK": "1"}
    assert run(*NPU, program, timeout=HANG, **environment) == ""
