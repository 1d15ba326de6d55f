"""An operator that only torch_npu has.

emulated device: npu::fast_gelu is not available
"""

import torch
import torch_npu

torch_npu.fast_gelu(torch.ones(4).npu())
