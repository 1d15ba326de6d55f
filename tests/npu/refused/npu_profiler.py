"""torch_npu.profiler with the activity NPU.

Failed to find function aclprofInit
"""

import torch
import torch_npu

with torch_npu.profiler.profile(activities=[torch_npu.profiler.ProfilerActivity.NPU]):
    torch.ones(4).npu() + 1
