"""
Training with torch_npu
=======================

A small network learns on the emulated device.

The script is an ordinary program for torch_npu. Run it with
``ascendref npu examples/09_torch_npu.py``; on a machine with an NPU, with ``python``.
"""

from __future__ import annotations

import torch
import torch_npu  # noqa: F401
from torch import nn


def main() -> None:
    """Print the loss before and after training, and the time on the device."""
    torch.manual_seed(1)
    x = torch.randn(256, 16).npu()
    target = torch.sin(x).sum(1, keepdim=True)
    model = nn.Sequential(nn.Linear(16, 64), nn.PReLU(64), nn.Linear(64, 1)).npu()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    begin, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
    begin.record()
    for step in range(200):
        optimizer.zero_grad()
        with torch.autocast("npu", torch.bfloat16):
            loss = nn.functional.smooth_l1_loss(model(x).float(), target)
        loss.backward()
        optimizer.step()
        if step in (0, 199):
            print(f"loss in step {step}: {loss.item():.4f}")
    end.record()
    end.synchronize()
    print(f"{begin.elapsed_time(end) / 1000:.1f} s on {torch.npu.get_device_name()}")


main()
