"""ACL graphs (torch.npu.NPUGraph).

emulated device: aclmdlRICaptureBegin is not available
"""

import torch
import torch_npu  # noqa: F401

x = torch.ones(4).npu()
with torch.npu.graph(torch.npu.NPUGraph()):
    x + 1
