"""Norms of torch_npu's own with their gradients, beside the CPU's in F64."""

import torch
import torch_npu
from judging import TYPES, beside
from torch.nn import functional as F

torch.manual_seed(0)
x, y = torch.randn(4, 3, 8), torch.randn(4, 3, 8)
gamma, beta = torch.rand(8) + 0.5, torch.randn(8)
EPSILON = 1e-5


def factor(total, dims=1):
    axes = tuple(range(-dims, 0))
    return 1 / torch.sqrt(total.square().mean(axes, keepdim=True) + EPSILON)


def rms(total, weight):
    return F.rms_norm(total, weight.shape, weight, EPSILON)


def layer(total, weight, bias):
    mean = total.mean(-1, keepdim=True)
    rstd = 1 / torch.sqrt(total.var(-1, unbiased=False, keepdim=True) + EPSILON)
    return F.layer_norm(total, weight.shape, weight, bias, EPSILON), mean, rstd


assert beside("npu_rms_norm", lambda x, w: (rms(x, w), factor(x)), [x, gamma], epsilon=EPSILON)
wide = torch.rand(3, 8) + 0.5
assert beside("npu_rms_norm", lambda x, w: (rms(x, w), factor(x, 2)), [x, wide], epsilon=EPSILON)
assert not beside(  # torch_npu has no gradient of it
    "npu_gemma_rms_norm", lambda x, w: (rms(x, 1 + w), factor(x)), [x, gamma], epsilon=EPSILON
)
assert beside(
    "npu_add_rms_norm",
    lambda x, y, w: (rms(x + y, w), factor(x + y), x + y),
    [x, y, gamma],
    epsilon=EPSILON,
)
assert not beside(
    "npu_add_rms_norm_cast",
    lambda x, y, w: (rms(x + y, w), rms(x + y, w), factor(x + y), x + y),
    [x, y, gamma],
    types=TYPES[1:],
    epsilon=EPSILON,
)
assert not beside(
    "npu_add_rms_norm_v2_functional",
    lambda x, y, w: (factor(x + y), rms(x + y, w), x + y),
    [x, y, gamma],
    epsilon=EPSILON,
)
assert beside(
    "npu_add_layer_norm",
    lambda x, y, w, b: (*layer(x + y, w, b), x + y),
    [x, y, gamma, beta],
    EPSILON,
    True,
)


def deep(x, y, b, w):
    value, mean, rstd = layer(0.3 * x + y, w, b)
    return mean, rstd, value


assert beside("npu_deep_norm", deep, [x, y, beta, gamma], epsilon=EPSILON)

images = torch.randn(2, 6, 4, 4)
scale, shift = torch.rand(6) + 0.5, torch.randn(6)


def group(x, w, b):
    parts = x.reshape(2, 3, -1)
    rstd = 1 / torch.sqrt(parts.var(-1, unbiased=False) + EPSILON)
    return F.group_norm(x, 3, w, b, EPSILON), parts.mean(-1), rstd


def silu(x, w, b):
    value, *others = group(x, w, b)
    return F.silu(value), *others


def swish(x, w, b):
    value, *others = group(x, w, b)
    return value * torch.sigmoid(1.5 * value), *others


assert not beside("npu_group_norm_silu", silu, [images, scale, shift], 3, EPSILON)
found = torch_npu.npu_group_norm_silu(images.npu(), None, None, 3, EPSILON)
for one, other in zip(found, silu(images, None, None), strict=True):
    torch.testing.assert_close(one.cpu(), other)

leaves = [one.npu().requires_grad_() for one in (images, scale, shift)]
exact = [one.double().requires_grad_() for one in (images, scale, shift)]
found = torch_npu.npu_group_norm_swish(leaves[0], 3, *leaves[1:], eps=EPSILON, swish_scale=1.5)
expected = swish(*exact)
for one, other in zip(found, expected, strict=True):
    torch.testing.assert_close(one.cpu().double(), other, rtol=1e-5, atol=1e-5)
found[0].square().sum().backward()
expected[0].square().sum().backward()
for one, other in zip(leaves, exact, strict=True):
    torch.testing.assert_close(one.grad.cpu().double(), other.grad, rtol=1e-4, atol=1e-4)

found = torch_npu.npu_layer_norm_eval(x.npu(), [8], gamma.npu(), beta.npu())
assert torch.equal(found.cpu(), F.layer_norm(x, [8], gamma, beta))

# what torch_npu's own gradients call
given = torch.randn(4, 3, 8)
leaves = [one.double().requires_grad_() for one in (x, gamma)]
expected = torch.autograd.grad(rms(*leaves), leaves, given.double())
rstd = factor(x)
found = torch_npu.npu_rms_norm_backward(given.npu(), x.npu(), gamma.npu(), rstd.npu())
for one, other in zip(found, expected, strict=True):
    torch.testing.assert_close(one.cpu().double(), other, rtol=1e-5, atol=1e-5)
leaves = [one.double().requires_grad_() for one in (x, y, beta, gamma)]
mean, rstd, value = deep(*leaves)
expected = torch.autograd.grad(value, leaves, given.double())
found = torch.ops.npu.npu_deep_norm_backward(
    *(one.npu() for one in (given, x, y, gamma)), mean.float().npu(), rstd.float().npu()
)
for one, other in zip(found, expected, strict=True):
    torch.testing.assert_close(one.cpu().double(), other, rtol=1e-5, atol=1e-5)


def close(found, expected):
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one.cpu().double(), other, rtol=1e-5, atol=1e-5)


def npu(*tensors):
    return [one.detach().float().npu() for one in tensors]


leaves = [one.double().requires_grad_() for one in (x, y, gamma, beta)]
value, mean, rstd = layer(leaves[0] + leaves[1], *leaves[2:])
of_sum = torch.randn(4, 3, 8)
inputs = npu(x, y, rstd, mean, gamma)
expected = torch.autograd.grad(value, leaves, given.double())
found = torch.ops.npu.npu_add_layer_norm_backward(given.npu(), *inputs, None)
close(found, expected)
with_sum = [expected[0] + of_sum, expected[1] + of_sum, *expected[2:]]
close(torch.ops.npu.npu_add_layer_norm_backward(given.npu(), *inputs, of_sum.npu()), with_sum)
found = torch.ops.npu.npu_add_layer_norm_backward(None, *inputs, of_sum.npu())
close(found, [of_sum.double(), of_sum.double(), *map(torch.zeros_like, expected[2:])])
call = torch.ops.npu.npu_layernorm_grad
close(
    call(given.npu(), (x + y).npu(), [8], *npu(mean, rstd, gamma, beta)),
    [expected[0], *expected[2:]],
)
assert call(given.npu(), x.npu(), [8], *npu(mean, rstd), None, None)[1:] == (None, None)

exact = [one.double().requires_grad_() for one in (images, scale, shift)]
value, mean, rstd = swish(*exact)
given = torch.randn(images.shape)
expected = torch.autograd.grad(value, exact, given.double())
inputs = (*npu(given, images), 3, *npu(scale, shift, mean, rstd))
call = torch.ops.npu.npu_group_norm_swish_grad
close(call(*inputs, [True] * 3, 1.5), expected)
some = call(*inputs, [True, False, True], 1.5)
assert some[1] is None
close([some[0], some[2]], [expected[0], expected[2]])

# in place, and with types that autocast does not change
first, second = x.npu(), y.npu()
rstd = torch.ops.npu.npu_add_rms_norm_v2(first, second, gamma.npu(), EPSILON)
torch.testing.assert_close(first.cpu(), rms(x + y, gamma))
assert torch.equal(second.cpu(), x + y)
with torch.autocast("npu", torch.bfloat16):
    assert torch_npu.npu_rms_norm(x.npu(), gamma.npu())[0].dtype == torch.float32
    half = torch_npu.npu_rms_norm(x.half().npu(), gamma.half().npu())[0]
assert half.dtype == torch.float16
with torch.inference_mode():
    assert not torch_npu.npu_rms_norm(leaves[0].float().npu(), gamma.npu())[0].requires_grad
