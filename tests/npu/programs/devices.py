"""Two devices: copies between them, an operator on the second."""

import torch
import torch_npu  # noqa: F401

assert torch.npu.device_count() == 2
x = torch.arange(4.0).to("npu:0")
y = x.to("npu:1")
assert str(y.device) == "npu:1"
assert (y + 1).tolist() == [1, 2, 3, 4]
assert y.to("npu:0").tolist() == x.tolist()
gradient = torch.ops.aten.softplus_backward(torch.ones_like(y), y, 1, 20)
assert str(gradient.device) == "npu:1"
torch.testing.assert_close(gradient.cpu(), torch.sigmoid(torch.arange(4.0)))
