"""torch.profiler around a step, with the activities that it takes by default, and others."""

import warnings

import torch
import torch_npu  # noqa: F401
from judging import raised
from torch import nn
from torch.profiler import ProfilerActivity, profile

model = nn.Sequential(nn.Linear(8, 8), nn.PReLU()).npu()
x = torch.randn(4, 8).npu()
for activities, warned in (
    (None, 0),
    ([ProfilerActivity.CPU], 0),
    ([ProfilerActivity.CPU, ProfilerActivity.PrivateUse1], 1),
):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with profile(activities=activities) as recorded:
            model(x).sum().backward()
    names = {event.key for event in recorded.key_averages()}
    assert "aten::_prelu_kernel_backward" in names, names
    found = [str(one.message) for one in caught if "emulated device" in str(one.message)]
    assert found == warned * [
        "torch.profiler does not record the emulated device; torch_npu.profiler does"
    ]
error = raised(lambda: profile(activities=[ProfilerActivity.PrivateUse1]).start())
assert isinstance(error, AssertionError) and "No activities" in str(error)
