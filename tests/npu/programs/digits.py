"""A classifier of digits with all five gradients, its losses beside those of the CPU."""

import copy

import torch
import torch_npu  # noqa: F401
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = (
            nn.Linear(64, 32),
            nn.Linear(32, 32),
            nn.Linear(32, 10),
        )
        self.prelu = nn.PReLU(32)

    def forward(self, x):
        x = F.softplus(self.first(x))
        x = F.hardshrink(self.prelu(self.second(x)), 0.1)
        return torch.logit(torch.sigmoid(self.third(x)), eps=1e-4)


def train(model, x, y):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for _ in range(300):
        optimizer.zero_grad()
        loss = F.smooth_l1_loss(model(x), 4 * y - 2)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


torch.manual_seed(0)
data = load_digits()
x = torch.tensor(data.data[:512] / 16, dtype=torch.float32)
target = torch.tensor(data.target[:512])
y = F.one_hot(target, 10).float()
model = Classifier()
device_model = copy.deepcopy(model).npu()
expected = train(model, x, y)
found = train(device_model, x.npu(), y.npu())
# later, differences of rounding grow as they do between two CPUs
worst = max(abs(a - b) for a, b in zip(expected[:60], found[:60], strict=True))
assert worst < 1e-5, worst
assert found[-1] < found[0] / 2, found
with torch.no_grad():
    correct = (device_model(x.npu()).argmax(1).cpu() == target).float().mean().item()
assert correct > 0.9, correct
print(f"losses differ by at most {worst:.1e}; {correct:.0%} of the digits are right")
