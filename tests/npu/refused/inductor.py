"""torch.compile with the backend inductor.

emulated device: torch.compile with the backend "inductor" is not available
"""

import torch
import torch_npu  # noqa: F401

torch.compile(lambda x: x * 2)(torch.ones(4).npu())
