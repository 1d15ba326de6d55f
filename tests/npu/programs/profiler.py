"""torch.profiler around a step."""

import torch
import torch_npu  # noqa: F401
from torch import nn

model = nn.Sequential(nn.Linear(8, 8), nn.PReLU()).npu()
x = torch.randn(4, 8).npu()
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
    model(x).sum().backward()
names = {event.key for event in profile.key_averages()}
assert "aten::_prelu_kernel_backward" in names, names
