"""Gradient checkpointing with dropout: the gradients are those without it."""

import torch
import torch_npu  # noqa: F401
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
block = nn.Sequential(nn.Linear(32, 32), nn.PReLU(), nn.Dropout(0.5), nn.Softplus()).npu()
x = torch.randn(8, 32).npu()


def gradients(run):
    block.zero_grad()
    torch.npu.manual_seed(7)
    run().sum().backward()
    return [p.grad.cpu().clone() for p in block.parameters()]


plain = gradients(lambda: block(x))
for reentrant in (False, True):
    leaf = x.clone().requires_grad_()
    kept = gradients(lambda: checkpoint(block, leaf, use_reentrant=reentrant))  # noqa: B023
    assert all(torch.equal(a, b) for a, b in zip(plain, kept, strict=True))
