"""Collectives and messages (HCCL) between two processes, of every type, beside those of Gloo."""

import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing
import torch_npu
from torch.distributed import P2POp, ReduceOp

RANKS = 2
MOVED = (
    *(torch.float32, torch.float16, torch.bfloat16, torch.float64),
    *(torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.bool),
)
REDUCED = [dtype for dtype in MOVED if dtype not in (torch.float64, torch.bool)]
OPS = (ReduceOp.SUM, ReduceOp.PRODUCT, ReduceOp.MIN, ReduceOp.MAX)


def values(device, dtype, *shape):
    """Return random values, other ones on every rank."""
    generator = torch.Generator().manual_seed(dist.get_rank())
    return (5 * torch.rand(shape, generator=generator)).to(dtype).to(device)


def all_reduce(device, dtype, op):
    x = values(device, dtype, 5, 7)
    work = dist.all_reduce(x, op, async_op=True)
    work.wait()
    return [x]


def reduce(device, dtype, op):
    x = values(device, dtype, 9)
    dist.reduce(x, 1, op)
    return [x] if dist.get_rank() == 1 else []


def reduce_scatter(device, dtype, op):
    x = values(device, dtype, RANKS * 3)
    tensor, part = x.new_empty(3), x.new_empty(3)
    dist.reduce_scatter_single(tensor, x, op)
    dist.reduce_scatter(part, list(x.split(3)), op)
    return [tensor, part]


def broadcast(device, dtype):
    x = values(device, dtype, 4, 3)
    dist.broadcast(x, 1)
    return [x]


def all_gather(device, dtype):
    x = values(device, dtype, 6)
    parts, tensor = [torch.empty_like(x) for _ in range(RANKS)], x.new_empty(RANKS * 6)
    dist.all_gather(parts, x)
    dist.all_gather_single(tensor, x)
    return [*parts, tensor]


def gather(device, dtype):
    x = values(device, dtype, 2, 2)
    parts = [torch.empty_like(x) for _ in range(RANKS)] if dist.get_rank() == 0 else None
    dist.gather(x, parts, 0)
    return parts or []


def scatter(device, dtype):
    x = values(device, dtype, RANKS, 5)
    part = torch.empty_like(x[0])
    dist.scatter(part, list(x) if dist.get_rank() == 1 else None, 1)
    return [part]


def all_to_all(device, dtype):
    x = values(device, dtype, 3, 2)
    lines = 1 + dist.get_rank()  # every rank sends one line to the first and two to the second
    tensor = x.new_empty(RANKS * lines, 2)
    dist.all_to_all_single(tensor, x, [lines] * RANKS, [1, 2])
    same = torch.empty_like(x[:2])
    dist.all_to_all_single(same, x[:2])
    parts = [x.new_empty(1, 2) for _ in range(RANKS)]
    dist.all_to_all(parts, list(x[:2].split(1)))
    return [tensor, same, *parts]


def messages(device, dtype):
    x = values(device, dtype, 8)
    found = [torch.empty_like(x) for _ in range(3)]
    other = 1 - dist.get_rank()
    if other:
        dist.send(x, other)
        dist.recv(found[0], other)
        works = [dist.isend(x, other), dist.irecv(found[1], other)]
    else:
        dist.recv(found[0], other)
        dist.send(x, other)
        works = [dist.irecv(found[1], other), dist.isend(x, other)]
    operations = [P2POp(dist.irecv, found[2], other), P2POp(dist.isend, x, other)]
    for work in works + dist.batch_isend_irecv(operations):
        work.wait()
    return found


def compare(call, dtype, *op):
    # the CPU has no int16 in Gloo, the device no float64 and no reduce_scatter of uint8
    on_host = torch.int32 if dtype is torch.int16 else dtype
    expected, found = call("cpu", on_host, *op), call("npu", dtype, *op)
    assert len(expected) == len(found)
    for x, y in zip(expected, found, strict=True):
        assert y.device.type == "npu" and y.dtype == dtype, (call, dtype, op, y)
        assert torch.equal(x.to(dtype), y.cpu()), (call, dtype, op, x, y)


def average():
    x = torch.full((3,), float(dist.get_rank()), device="npu")
    dist.all_reduce(x, ReduceOp.AVG)
    assert x.tolist() == [0.5] * 3


def parts_of_their_own_sizes():
    rank = dist.get_rank()
    parts = [torch.empty(size, device="npu") for size in (2, 3)]
    dist.all_gather(parts, torch.full((2 + rank,), float(rank), device="npu"))
    assert [part.tolist() for part in parts] == [[0.0] * 2, [1.0] * 3]
    part = torch.empty(2 + rank, device="npu")
    dist.reduce_scatter(part, [torch.ones(size, device="npu") for size in (2, 3)])
    assert part.tolist() == [2.0] * (2 + rank)
    x = torch.arange(3.0, device="npu") + 10 * rank
    row = torch.empty(2 * (1 + rank), device="npu")
    torch_npu.distributed.all_to_all_vc(row, x, [[1, 2], [1, 2]])
    assert row.tolist() == [[0, 10], [1, 2, 11, 12]][rank]


def coalesced():
    rank = dist.get_rank()
    device = torch.device("npu", rank)
    x, y = torch.ones(3, device=device), torch.full((2,), float(rank), device=device)
    with dist._coalescing_manager(device=device):
        dist.all_reduce(x)
        dist.all_reduce(y)
    assert (x.tolist(), y.tolist()) == ([2.0] * 3, [1.0] * 2)
    wide, narrow = torch.empty(6, device=device), torch.empty(4, device=device)
    with dist._coalescing_manager(device=device):
        dist.all_gather_single(wide, x)
        dist.all_gather_single(narrow, y)
    assert (wide.tolist(), narrow.tolist()) == ([2.0] * 6, [1.0] * 4)
    with dist._coalescing_manager(device=device):
        dist.isend(x + rank, 1 - rank)
        dist.irecv(x, 1 - rank)
    assert x.tolist() == [3.0 - rank] * 3


def groups():
    rank = dist.get_rank()
    both, alone = dist.new_group([0, 1], backend="hccl"), dist.new_group([1], backend="hccl")
    x = torch.full((3,), 1.0 + rank, device="npu")
    dist.all_reduce(x, group=both)
    if rank == 1:
        dist.all_reduce(x, group=alone)
    assert x.tolist() == [3.0] * 3
    dist.barrier(both)


def captured():
    rank, graph = dist.get_rank(), torch.npu.NPUGraph()
    x, total = torch.zeros(3, device="npu"), torch.zeros(3, device="npu")
    with torch.npu.graph(graph):
        total.copy_(x)
        dist.all_reduce(total)
        doubled = 2 * total
    for number in range(3):
        x.fill_(number + rank)
        graph.replay()
        assert doubled.tolist() == [4.0 * number + 2] * 3


def objects():
    rank = dist.get_rank()
    gathered, sent, scattered = [None] * RANKS, [{"rank": rank}], [None]
    dist.all_gather_object(gathered, {"rank": rank})
    assert gathered == [{"rank": 0}, {"rank": 1}]
    dist.broadcast_object_list(sent, 1)
    assert sent == [{"rank": 1}]
    dist.scatter_object_list(scattered, ["a", "b"] if rank == 0 else None)
    assert scattered == ["ab"[rank]]


def main(rank, store):
    torch.npu.set_device(rank)
    dist.init_process_group(
        "cpu:gloo,npu:hccl", init_method=f"file://{store}", rank=rank, world_size=RANKS
    )
    for dtype in REDUCED:
        for op in OPS:
            compare(all_reduce, dtype, op)
            compare(reduce, dtype, op)
            if dtype is not torch.uint8:
                compare(reduce_scatter, dtype, op)
    for call in (broadcast, all_gather, gather, scatter, all_to_all, messages):
        for dtype in MOVED:
            compare(call, dtype)
    for call in (average, parts_of_their_own_sizes, coalesced, groups, captured, objects):
        call()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(main, [Path(folder, "store")], RANKS)
