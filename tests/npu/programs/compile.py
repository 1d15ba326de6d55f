"""torch.compile with the backend aot_eager."""

import torch
import torch_npu  # noqa: F401

function = torch.compile(lambda x: torch.nn.functional.softplus(x) * 2, backend="aot_eager")
x = torch.ones(4).npu().requires_grad_()
function(x).sum().backward()
torch.testing.assert_close(x.grad.cpu(), 2 * torch.sigmoid(torch.ones(4)))
