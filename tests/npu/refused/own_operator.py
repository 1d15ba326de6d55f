"""An operator that only torch_npu has.

emulated device: npu::npu_iou is not available
"""

import torch
import torch_npu

torch_npu.npu_iou(torch.ones(4, 4).npu(), torch.ones(4, 4).npu())
