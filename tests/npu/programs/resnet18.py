"""A step of a ResNet-18 with PReLU, its gradients beside those of the CPU."""

import copy
from itertools import pairwise

import torch
import torch_npu  # noqa: F401
from torch import nn


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(outputs) for _ in range(2))
        self.prelus = nn.ModuleList(nn.PReLU(outputs) for _ in range(2))
        self.short = nn.Sequential()
        if stride > 1 or inputs != outputs:
            self.short = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x):
        y = self.prelus[0](self.norms[0](self.first(x)))
        return self.prelus[1](self.norms[1](self.second(y)) + self.short(x))


def resnet18():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.PReLU(64)]
    layers.append(nn.MaxPool2d(3, 2, 1))
    sizes = [64, 64, 128, 256, 512]
    for number, (inputs, outputs) in enumerate(pairwise(sizes)):
        layers += [Block(inputs, outputs, 2 if number else 1), Block(outputs, outputs, 1)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))


def step(model, x, y):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    gradients = [p.grad.cpu().clone() for p in model.parameters()]
    optimizer.step()
    return loss.item(), gradients


torch.manual_seed(0)
model = resnet18()
device_model = copy.deepcopy(model).npu()
x, y = torch.randn(4, 3, 64, 64), torch.randint(10, (4,))
loss, expected = step(model, x, y)
device_loss, found = step(device_model, x.npu(), y.npu())
assert abs(loss - device_loss) < 1e-5, (loss, device_loss)
for a, b in zip(expected, found, strict=True):
    assert (a - b).abs().max() <= 1e-4 * a.abs().max(), (a - b).abs().max() / a.abs().max()
