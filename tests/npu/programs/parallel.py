"""DDP, ZeRO, fully_shard and FSDP on two processes: the losses are those of DDP on the CPU."""

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
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(main, [Path(folder, "store")], RANKS)
