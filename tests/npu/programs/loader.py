"""DataLoader with worker processes and pinned memory."""

import torch
import torch_npu  # noqa: F401
from torch.utils.data import DataLoader, TensorDataset

torch.npu.set_device(0)
torch.ones(1).npu()
data = TensorDataset(torch.arange(64.0).view(32, 2), torch.arange(32))
total = torch.zeros(2, device="npu")
seen = []
for x, y in DataLoader(data, batch_size=8, num_workers=2, shuffle=True, pin_memory=True):
    assert x.is_pinned()
    total += x.to("npu", non_blocking=True).sum(0)
    seen += y.npu().tolist()
assert sorted(seen) == list(range(32))
assert torch.equal(total.cpu(), torch.arange(64.0).view(32, 2).sum(0))
