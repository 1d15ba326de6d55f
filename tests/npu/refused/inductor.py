"""torch.compile with the backend inductor.

Device npu not supported
"""

import torch
import torch_npu  # noqa: F401

torch.compile(lambda x: x * 2)(torch.ones(4).npu())
