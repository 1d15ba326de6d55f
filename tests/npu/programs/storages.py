"""Storages, pinned memory, copies of every direction, type and stride."""

import torch
import torch_npu  # noqa: F401

host = torch.arange(12.0).view(3, 4)
x = host.npu()
storage = x.untyped_storage()
assert storage.device.type == "npu" and storage.nbytes() >= 48
assert torch.equal(torch.empty(0, device="npu").set_(storage, 4, (4,), (1,)).cpu(), host[1])
assert storage.cpu().nbytes() == storage.nbytes()
x.resize_(5, 4)
assert torch.equal(x[:3].cpu(), host)

pinned = host.pin_memory()
assert pinned.is_pinned() and not host.is_pinned()
copy = pinned.to("npu", non_blocking=True)
back = torch.empty(3, 4, pin_memory=True)
back.copy_(copy, non_blocking=True)
torch.npu.synchronize()
assert torch.equal(back, host)

for source in (host, host.t(), host[:, ::2], host[:1].expand(3, 4), host[1, 2], host[:0]):
    for dtype in (torch.float32, torch.float16, torch.int64):
        there = torch.zeros(source.size(), dtype=dtype, device="npu")
        there.copy_(source)
        assert torch.equal(there.cpu(), source.to(dtype))
        again = torch.zeros(source.size(), dtype=dtype)
        again.copy_(source.npu())
        assert torch.equal(again, source.to(dtype))
target = torch.zeros(4, 3, device="npu").t()
target.copy_(host)
assert torch.equal(target.cpu(), host)
assert target.tolist() == host.tolist() and target.cpu().numpy().sum() == host.sum()
allocated = torch.npu.memory_allocated()
large = torch.empty(1 << 20, device="npu")
assert torch.npu.memory_allocated() >= allocated + (4 << 20)
del large
torch.npu.empty_cache()
