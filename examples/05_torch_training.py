"""
Training in PyTorch
===================

A small PyTorch network learns three times: with PyTorch's gradients and with two kinds of ours.
The script is ordinary PyTorch; what changes is the block that it runs in. Run it with
``python examples/05_torch_training.py``; it needs the extra ``torch`` (``docs/install.md``).
"""

from __future__ import annotations

from contextlib import nullcontext

import torch
from torch import nn

import ascendref.torch as at


def train() -> float:
    """Return the loss after training in BF16."""
    torch.manual_seed(1)
    x = torch.randn(256, 16)
    target = torch.sin(x).sum(1, keepdim=True)
    model = nn.Sequential(nn.Linear(16, 64), nn.PReLU(64), nn.Linear(64, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    for _ in range(200):
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            loss = nn.functional.smooth_l1_loss(model(x).float(), target)
        loss.backward()
        optimizer.step()
    return float(loss.detach())


def main() -> None:
    """Print a line for each training."""
    for name, block in (
        ("PyTorch", nullcontext()),
        ("correctly rounded", at.use("all", compute_dtype="float64")),
        ("BF16, step by step", at.use("all", compute_dtype="bfloat16")),
    ):
        with block:
            print(f"{name:20} loss {train():.4f}")
    for operator, calls in at.statistics().items():
        if calls.taken:
            print(f"{operator:20} {calls.taken} gradients, {calls.fell_back} left to PyTorch")


if __name__ == "__main__":
    main()
