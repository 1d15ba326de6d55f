"""Deformable convolutions of torch_npu's own, and its module of them, beside sums in F64."""

import numpy as np
import torch
import torch_npu
from judging import close, refuse
from torch_npu.contrib.module import ModulatedDeformConv

torch.manual_seed(0)
GROUPS = 2
#: stride, padding, dilation
STEPS = (2, 1, 2)


def value(image, row, column):
    """Return an interpolation of an image that is 0 outside."""
    total = 0.0
    for down, right in np.ndindex(2, 2):
        r, c = int(np.floor(row)) + down, int(np.floor(column)) + right
        if 0 <= r < image.shape[0] and 0 <= c < image.shape[1]:
            total += image[r, c] * (1 - abs(row - r)) * (1 - abs(column - c))
    return total


def convolution(x, w, offset, mask, b, steps):
    """Return the convolution; offsets are pairs, down and right, for each element of the kernel."""
    stride, padding, dilation = steps
    batch, channels = x.shape[:2]
    size, (height, width) = w.shape[-1], offset.shape[2:]
    pairs = offset.reshape(batch, GROUPS, size * size, 2, height, width)
    factors = mask.reshape(batch, GROUPS, size * size, height, width)
    found = np.zeros((batch, len(w), height, width)) + b[:, None, None]
    for n, channel, tap, i, j in np.ndindex(batch, channels, size * size, height, width):
        group = channel // (channels // GROUPS)
        down, right = pairs[n, group, tap, :, i, j]
        row = i * stride - padding + tap // size * dilation + down
        column = j * stride - padding + tap % size * dilation + right
        sample = value(x[n, channel], row, column) * factors[n, group, tap, i, j]
        found[n, :, i, j] += sample * w[:, channel, tap // size, tap % size]
    return found


layer = ModulatedDeformConv(4, 3, 3, *STEPS, deformable_groups=GROUPS, bias=True, pack=False).npu()
torch.nn.init.normal_(layer.bias)
inputs = [torch.randn(2, 4, 7, 6), torch.randn(2, 36, 3, 2) * 2, torch.rand(2, 18, 3, 2)]
leaves = [one.npu().requires_grad_() for one in inputs]
found = layer(leaves)
host = [one.double().numpy() for one in inputs]
weight, bias = (one.detach().cpu().double().numpy() for one in (layer.weight, layer.bias))


def judge(x, offset, mask, weight, bias):
    return convolution(x, weight, offset, mask, bias, STEPS)


values = [*host, weight, bias]
close(found, torch.tensor(judge(*values)))

# gradients along random directions
given = torch.randn(found.shape)
found.backward(given.npu())
grads = [one.grad for one in (*leaves, layer.weight, layer.bias)]
for number, grad in enumerate(grads):
    direction = torch.randn(grad.shape).double()
    ends = []
    for step in (1e-6, -1e-6):
        moved = [
            one + step * direction.numpy() if k == number else one for k, one in enumerate(values)
        ]
        ends.append((judge(*moved) * given.double().numpy()).sum())
    slope = (grad.cpu().double() * direction).sum().item()
    assert abs(slope - (ends[0] - ends[1]) / 2e-6) < 1e-3 * max(1, abs(slope)), number

# by the operator itself: places without offsets are those of a convolution, and gradients are
# those that the operator for them returns
x, kernel = torch.randn(1, 4, 5, 5), torch.randn(6, 2, 3, 3)
arguments = {"kernel_size": [3, 3], "stride": [1] * 4, "padding": [1] * 4, "groups": 2}
offset = torch.cat([torch.zeros(1, 18, 5, 5), torch.ones(1, 9, 5, 5)], 1)
device = [one.npu().requires_grad_() for one in (x, kernel, offset)]
found, samples = torch_npu.npu_deformable_conv2d(*device, None, **arguments)
close(found, torch.conv2d(x, kernel, padding=1, groups=2))
assert samples.shape == (1, 4, 15, 15)
given = torch.randn(found.shape).npu()
expected = torch.autograd.grad(found, device, given)
grads = torch_npu.npu_deformable_conv2dbk(
    device[0].detach(), given, samples, *(one.detach() for one in device[1:]), **arguments
)
close(grads, [*expected, given.sum((0, 2, 3))], 1e-4)

WRONG = (
    (
        lambda: torch_npu.npu_deformable_conv2d(*device, None, **arguments, modulated=False),
        "emulated device: npu::npu_deformable_conv2d is not available: except for modulated",
    ),
)
refuse(WRONG)
