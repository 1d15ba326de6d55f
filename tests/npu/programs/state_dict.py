"""torch.save and torch.load of a model and an optimizer, between host and device."""

import io

import torch
import torch_npu  # noqa: F401
from torch import nn

model = nn.Sequential(nn.Linear(4, 4), nn.PReLU(4), nn.BatchNorm1d(4)).npu()
optimizer = torch.optim.Adam(model.parameters())
model(torch.randn(8, 4).npu()).sum().backward()
optimizer.step()
file = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
for where in ("npu", "npu:0", "cpu"):
    file.seek(0)
    loaded = torch.load(file, map_location=where, weights_only=True)
    assert {t.device.type for t in loaded["model"].values()} == {where[:3]}
    copy = nn.Sequential(nn.Linear(4, 4), nn.PReLU(4), nn.BatchNorm1d(4)).to(where)
    copy.load_state_dict(loaded["model"])
    for name, value in model.state_dict().items():
        assert torch.equal(copy.state_dict()[name].cpu(), value.cpu()), name
    torch.optim.Adam(copy.parameters()).load_state_dict(loaded["optimizer"])
base = torch.arange(10.0).npu()
file = io.BytesIO()
torch.save((base, base[2:5]), file)
file.seek(0)
whole, part = torch.load(file)
part.zero_()
assert whole.cpu().tolist() == [0, 1, 0, 0, 0, 5, 6, 7, 8, 9]
