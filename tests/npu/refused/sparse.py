"""Sparse tensors, and nested ones, which a TransformerEncoder makes of a mask for padding.

emulated device: aten::_to_sparse is not available: its result is sparse, nested
"""

import torch
import torch_npu  # noqa: F401
from torch import nn

model = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, batch_first=True), 1).npu().eval()
padded = torch.tensor([[False, False], [False, True]]).npu()
message = ""
try:
    with torch.no_grad():
        model(torch.ones(2, 2, 8).npu(), src_key_padding_mask=padded)
except NotImplementedError as error:
    message = str(error)
assert "aten::_nested_tensor_from_mask is not available" in message
torch.eye(3).npu().to_sparse()
