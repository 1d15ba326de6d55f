"""Training in BF16 with autocast."""

import torch
import torch_npu  # noqa: F401
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.PReLU(32), nn.Linear(32, 1), nn.Softplus()).npu()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
x = torch.randn(64, 16).npu()
y = x.square().mean(1, keepdim=True)
losses = []
for _ in range(40):
    optimizer.zero_grad()
    with torch.autocast("npu", dtype=torch.bfloat16):
        hidden = model[0](x)
        assert hidden.dtype == torch.bfloat16
        out = model[2:](model[1](hidden))
        loss = nn.functional.smooth_l1_loss(out.float(), y)
    loss.backward()
    assert all(p.grad.dtype == torch.float32 for p in model.parameters())
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < losses[0] / 2, losses

scaler = torch.amp.GradScaler("npu")
with torch.autocast("npu", dtype=torch.float16):
    loss = nn.functional.smooth_l1_loss(model(x).float(), y)
optimizer.zero_grad()
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
