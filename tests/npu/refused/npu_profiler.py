"""torch_npu.profiler with the activity NPU.

emulated device: aclprofInit is not available
"""

import torch
import torch_npu

with torch_npu.profiler.profile(activities=[torch_npu.profiler.ProfilerActivity.NPU]):
    torch.ones(4).npu() + 1
