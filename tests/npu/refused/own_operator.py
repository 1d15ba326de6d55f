"""An operator that only torch_npu has and whose meaning is not documented exactly.

emulated device: npu::npu_ciou is not available
"""

import torch
import torch_npu

torch_npu.npu_ciou(torch.ones(4, 4).npu(), torch.ones(4, 4).npu(), True, False)
