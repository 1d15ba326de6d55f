"""A program for CUDA by torch_npu.contrib.transfer_to_npu: autocast, streams, queries."""

import torch
import torch_npu  # noqa: F401
from torch_npu.contrib import transfer_to_npu  # noqa: F401

assert torch.cuda.is_available() and torch.cuda.is_bf16_supported()
assert torch.cuda.get_device_name(0) == torch.cuda.get_device_properties(0).name
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2)).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
x, y = torch.randn(32, 8, device="cuda"), torch.randint(2, (32,)).cuda()
assert x.device.type == "npu" and x.is_cuda
scaler = torch.amp.GradScaler("cuda")
losses = []
for _ in range(5):
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(model(x), y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    losses.append(loss.item())
assert losses == sorted(losses, reverse=True), losses

stream = torch.cuda.Stream()
stream.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(stream):
    double = x * 2
torch.cuda.current_stream().wait_stream(stream)
assert torch.equal(double, x + x)
torch.cuda.synchronize()
assert 0 < torch.cuda.memory_allocated() <= torch.cuda.max_memory_allocated()
assert torch.cuda.mem_get_info()[0] < torch.cuda.get_device_properties(0).total_memory
