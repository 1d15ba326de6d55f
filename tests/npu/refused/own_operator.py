"""An operator that only torch_npu has.

operator FastGelu is not on the emulated device
"""

import torch
import torch_npu

torch_npu.fast_gelu(torch.ones(4).npu())
