"""DDP, ZeRO, fully_shard, FSDP and SyncBatchNorm on two processes, beside the CPU's."""

import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing
import torch_npu  # noqa: F401
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

RANKS = 2


def losses(device, wrap, optimize):
    """Train on data of the rank; return the losses."""
    torch.manual_seed(0)
    layers = [nn.Linear(8, 32), nn.LayerNorm(32), nn.Tanh(), nn.Linear(32, 4)]
    model = wrap(nn.Sequential(*layers).to(device))
    optimizer = optimize(model.parameters())
    torch.manual_seed(1 + dist.get_rank())
    x, y = torch.randn(16, 8).to(device), torch.randn(16, 4).to(device)
    found = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def sharded(model):
    mesh = init_device_mesh("npu", (RANKS,))
    for layer in model:
        fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def flat(model):
    return FullyShardedDataParallel(model, device_id=dist.get_rank(), use_orig_params=True)


def adam(parameters):
    return torch.optim.AdamW(parameters, lr=0.01)


def zero(parameters):
    return ZeroRedundancyOptimizer(parameters, torch.optim.AdamW, lr=0.01)


def synchronized(rank):
    """Compare a step of SyncBatchNorm on parts of a batch with one on the whole of it, in F64."""
    torch.manual_seed(0)
    batch, given = torch.randn(2, RANKS * 3, 4, 5)
    whole = nn.BatchNorm1d(4).double()
    layer = nn.SyncBatchNorm(4).npu()
    inner, x = batch.double().requires_grad_(), batch[3 * rank :][:3].npu().requires_grad_()
    whole(inner).backward(given.double())
    layer(x).backward(given[3 * rank :][:3].npu())
    for found, expected in (
        (x.grad, inner.grad[3 * rank :][:3]),
        (layer.running_mean, whole.running_mean),
        (layer.running_var, whole.running_var),
    ):
        torch.testing.assert_close(found.cpu().double(), expected, rtol=1e-5, atol=1e-5)
    sums = [layer.weight.grad, layer.bias.grad]
    for found, expected in zip(sums, (whole.weight.grad, whole.bias.grad), strict=True):
        dist.all_reduce(found)
        torch.testing.assert_close(found.cpu().double(), expected, rtol=1e-5, atol=1e-5)


def main(rank, store):
    torch.npu.set_device(rank)
    dist.init_process_group(
        "cpu:gloo,npu:hccl", init_method=f"file://{store}", rank=rank, world_size=RANKS
    )
    expected = losses("cpu", DistributedDataParallel, adam)
    assert expected[-1] < expected[0]
    for wrap, optimize in (
        (DistributedDataParallel, adam),
        (DistributedDataParallel, zero),
        (sharded, adam),
        (flat, adam),
    ):
        assert losses("npu", wrap, optimize) == expected, (wrap, optimize)
    synchronized(rank)
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(main, [Path(folder, "store")], RANKS)
