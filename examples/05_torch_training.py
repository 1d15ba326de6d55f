"""
Training in PyTorch
===================

A small PyTorch network learns three times: with PyTorch's gradients and with two kinds of ours.

The script is ordinary PyTorch; what changes is the block that it runs in::

    python examples/05_torch_training.py [PICTURE]

It needs the extras ``torch`` and ``plot`` (``docs/install.md``).
"""

import sys
from contextlib import nullcontext

from matplotlib.figure import Figure

try:
    import torch
    from torch import nn

    import ascendref.torch as at
except ModuleNotFoundError:
    raise SystemExit("This example needs PyTorch: pip install 'ascendref[torch]'") from None


def train() -> list[float]:
    """Return the losses of a training in BF16."""
    torch.manual_seed(1)
    x = torch.randn(256, 16)
    target = torch.sin(x).sum(1, keepdim=True)
    model = nn.Sequential(nn.Linear(16, 64), nn.PReLU(64), nn.Linear(64, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    losses = []
    for _ in range(200):
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            loss = nn.functional.smooth_l1_loss(model(x).float(), target)
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses


# %%
# Three trainings
# ---------------
# Inside ``at.use("all")`` PyTorch computes the gradients of PReLU, the loss and its gradients with
# ascendref.

losses = {}
for name, block in (
    ("PyTorch", nullcontext()),
    ("correctly rounded", at.use("all", compute_dtype="float64")),
    ("BF16, step by step", at.use("all", compute_dtype="bfloat16")),
):
    with block:
        losses[name] = train()
    print(f"{name:20} loss {losses[name][-1]:.4f}")
for operator, calls in at.statistics().items():
    if calls.taken:
        print(f"{operator:20} {calls.taken} calls, {calls.fell_back} left to PyTorch")

if len(sys.argv) > 1:
    # Picture: loss of the three trainings after each step, and how far the two with gradients of
    # ascendref are from that with PyTorch's.
    figure = Figure(figsize=(8, 3.5), layout="constrained")
    absolute, relative = figure.subplots(1, 2)
    for name, values in losses.items():
        absolute.plot(values, label=name)
        relative.plot([a - b for a, b in zip(values, losses["PyTorch"], strict=True)], label=name)
    absolute.set(xlabel="step", ylabel="loss", yscale="log")
    relative.set(xlabel="step", ylabel="loss minus PyTorch's")
    absolute.legend()
    figure.savefig(sys.argv[1])
