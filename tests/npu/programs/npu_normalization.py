"""Norms of torch_npu's own with their gradients, beside the CPU's in F64."""

import torch
import torch_npu
from judging import TYPES, beside, close, derived, npu, operator
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


def added(x, y, w):
    return rms(x + y, w), factor(x + y), x + y


def deep(x, y, b, w):
    value, mean, rstd = layer(0.3 * x + y, w, b)
    return mean, rstd, value


wide = torch.rand(3, 8) + 0.5
narrow = (x.half(), y)  # a sum of two types has the wider one, and a weight may be F32
found = torch_npu.npu_add_layer_norm(*(one.npu() for one in (*narrow, gamma, beta)), EPSILON, True)
assert (found[0].dtype, found[3].dtype) == (torch.float32, torch.float32)
close(found, [*layer(sum(narrow), gamma, beta), sum(narrow)])
found = torch_npu.npu_rms_norm(narrow[0].npu(), gamma.npu(), EPSILON)
assert found[0].dtype == torch.float16
close(found, [rms(narrow[0].float(), gamma), factor(narrow[0].float())], 1e-3)
# operators, judges, tensors, and whether torch_npu has gradients
for name, judge, tensors, has_gradients in (
    ("npu_rms_norm", lambda x, w: (rms(x, w), factor(x)), [x, gamma], True),
    ("npu_rms_norm", lambda x, w: (rms(x, w), factor(x, 2)), [x, wide], True),
    ("npu_gemma_rms_norm", lambda x, w: (rms(x, 1 + w), factor(x)), [x, gamma], False),
    ("npu_add_rms_norm", added, [x, y, gamma], True),
    ("npu_add_rms_norm_cast", lambda *x: (added(*x)[0], *added(*x)), [x, y, gamma], False),
    ("npu_add_rms_norm_v2_functional", lambda *x: [added(*x)[k] for k in (1, 0, 2)],
     [x, y, gamma], False),
    ("npu_deep_norm", deep, [x, y, beta, gamma], True),
):  # fmt: skip
    types = TYPES[1:] if name.endswith("cast") else TYPES
    assert beside(name, judge, tensors, types=types, epsilon=EPSILON) == has_gradients
assert beside(
    "npu_add_layer_norm", lambda x, y, w, b: (*layer(x + y, w, b), x + y), [x, y, gamma, beta],
    EPSILON, True,
)  # fmt: skip

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
close(found, silu(images, None, None))

SWISH = operator("npu_group_norm_swish")
assert beside(
    "npu_group_norm_swish",
    swish,
    [images, scale, shift],
    types=TYPES[:1],
    call=lambda x, w, b: SWISH(x, 3, w, b, eps=EPSILON, swish_scale=1.5),
)

found = torch_npu.npu_layer_norm_eval(x.npu(), [8], gamma.npu(), beta.npu())
assert torch.equal(found.cpu(), F.layer_norm(x, [8], gamma, beta))

# what torch_npu's own gradients call
_, given, expected = derived(rms, [x, gamma])
close(torch_npu.npu_rms_norm_backward(*npu(given, x, gamma, factor(x))), expected)
(_, rstd, mean), given, expected = derived(lambda *x: deep(*x)[::-1], [x, y, beta, gamma])
close(torch.ops.npu.npu_deep_norm_backward(*npu(given, x, y, gamma, mean, rstd)), expected)

(_, mean, rstd), given, expected = derived(
    lambda x, y, w, b: layer(x + y, w, b), [x, y, gamma, beta]
)
of_sum = torch.randn(4, 3, 8)
inputs = npu(x, y, rstd, mean, gamma)
call = torch.ops.npu.npu_add_layer_norm_backward
close(call(given.npu(), *inputs, None), expected)
with_sum = [expected[0] + of_sum, expected[1] + of_sum, *expected[2:]]
close(call(given.npu(), *inputs, of_sum.npu()), with_sum)
close(call(None, *inputs, of_sum.npu()), [of_sum, of_sum, *map(torch.zeros_like, expected[2:])])
call = torch.ops.npu.npu_layernorm_grad
found = call(*npu(given, x + y), [8], *npu(mean, rstd, gamma, beta))
close(found, [expected[0], *expected[2:]])
assert call(*npu(given, x), [8], *npu(mean, rstd), None, None)[1:] == (None, None)

(_, mean, rstd), given, expected = derived(swish, [images, scale, shift])
inputs = (*npu(given, images), 3, *npu(scale, shift, mean, rstd))
call = torch.ops.npu.npu_group_norm_swish_grad
close(call(*inputs, [True] * 3, 1.5), expected)
some = call(*inputs, [True, False, True], 1.5)
assert some[1] is None
close(some, [expected[0], None, expected[2]])

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
    assert not torch_npu.npu_rms_norm(x.npu().requires_grad_(), gamma.npu())[0].requires_grad

# parts of the batch norm of two devices, together, beside the batch norm of all elements
for dtype, error in TYPES:
    batch = (3 * torch.randn(6, 5, 4, 3) + 1).to(dtype)
    weight, bias, running = torch.rand(5) + 0.5, torch.randn(5), torch.rand(2, 5)
    leaves = [one.double().requires_grad_() for one in (batch, weight, bias)]
    stats = [one.double() for one in running.unbind()]
    value = F.batch_norm(leaves[0], *stats, *leaves[1:], True, 0.1, EPSILON)
    given = torch.randn(value.shape).to(dtype)
    expected = torch.autograd.grad(value, leaves, given.double())
    parts, grads = ([one.npu() for one in whole.split([2, 4])] for whole in (batch, given))
    counts, w, b = npu(torch.tensor([24.0, 48.0]), weight, bias)
    each = [torch.batch_norm_stats(part, EPSILON) for part in parts]
    means, factors = (torch.stack(one) for one in zip(*each, strict=True))
    assert means.dtype == torch.float32
    sums, squares = (
        torch.stack(one)
        for one in zip(*(torch_npu.batch_norm_reduce(x, EPSILON) for x in parts), strict=True)
    )
    ways = (
        (torch.batch_norm_gather_stats_with_counts, means, factors, counts),
        (torch_npu.batch_norm_gather_stats_update, sums, squares, counts),
    )
    for gather, one, other, many in ways:
        old = [part.npu() for part in running.unbind()]
        mean, invstd = gather(parts[0], one, other, *old, 0.1, EPSILON, many)
        close([mean, *old], [leaves[0].mean((0, 2, 3)), *stats], 1e-4)
    same = [torch.batch_norm_stats(batch.npu(), EPSILON)] * 2
    same = [torch.stack(one) for one in zip(*same, strict=True)]
    again = torch.batch_norm_gather_stats(parts[0], *same, None, None, 0.1, EPSILON, 72)
    close(again, [mean, invstd], 1e-4)
    found = torch.cat([torch.batch_norm_elemt(x, w, b, mean, invstd, EPSILON) for x in parts])
    assert found.dtype == dtype
    close(found, value, error)
    out = torch.empty(0, dtype=dtype).npu()
    torch.batch_norm_elemt(parts[0], w, b, mean, invstd, EPSILON, out=out)
    assert torch.equal(out, found[:2])
    reduced = [
        torch.batch_norm_backward_reduce(dy, x, mean, invstd, w, True, True, True)
        for dy, x in zip(grads, parts, strict=True)
    ]
    total, products, *of_both = (sum(one) for one in zip(*reduced, strict=True))
    close(of_both, expected[1:], 1e-4)
    found = [
        torch.batch_norm_backward_elemt(dy, x, mean, invstd, w, total, products, counts.int())
        for dy, x in zip(grads, parts, strict=True)
    ]
    close(torch.cat(found), expected[0], error)

# the gradient of renorm, for several norms
for p in (0.5, 1.0, 2.0, 3.0):
    leaf = y.double().requires_grad_()
    given = torch.randn(y.shape)
    (expected,) = torch.autograd.grad(torch.renorm(leaf, p, 1, 2.0), leaf, given.double())
    close(torch_npu.npu_renorm_backward(given.npu(), y.npu(), p, 1, 2.0), expected, 1e-4)
