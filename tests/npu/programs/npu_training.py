"""A block of a transformer of torch_npu's own operators: compiled, checkpointed, under autocast."""

import torch
import torch_npu
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
x = torch.randn(2, 16, 32).npu().requires_grad_()
gamma = torch.ones(32).npu().requires_grad_()
weights = [(torch.randn(shape) * 0.2).npu().requires_grad_() for shape in ((96, 32), (64, 32))]
mask = torch.ones(2048, 2048, dtype=torch.bool).triu(1).npu()
LEAVES = (x, gamma, *weights)


def block(x, gamma, first, second, keep_prob=1.0):
    norm = torch_npu.npu_rms_norm(x, gamma)[0]
    query, key, value = (norm @ first.t()).chunk(3, -1)
    attention = torch_npu.npu_fusion_attention(
        query, key, value, 4, "BSH", atten_mask=mask, sparse_mode=2, scale=0.35, keep_prob=keep_prob
    )[0]
    norm, _, total = torch_npu.npu_add_rms_norm(x, attention, gamma)
    return torch_npu.npu_swiglu(norm @ second.t()) + total


def by_torch(x, gamma, first, second):
    norm = torch.nn.functional.rms_norm(x, (32,), gamma, 1e-6)
    heads = (one.unflatten(-1, (4, 8)).transpose(1, 2) for one in (norm @ first.t()).chunk(3, -1))
    attention = torch.nn.functional.scaled_dot_product_attention(*heads, is_causal=True, scale=0.35)
    total = x + attention.transpose(1, 2).flatten(2)
    left, right = (torch.nn.functional.rms_norm(total, (32,), gamma, 1e-6) @ second.t()).chunk(
        2, -1
    )
    return torch.nn.functional.silu(left) * right + total


def gradients(function, leaves):
    return torch.autograd.grad(function(*leaves).square().sum(), leaves)


def close(found, expected):
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one.cpu(), other.cpu(), rtol=1e-4, atol=1e-4)


expected = gradients(by_torch, [one.detach().cpu().requires_grad_() for one in LEAVES])
close(gradients(block, LEAVES), expected)
close(gradients(torch.compile(block, backend="aot_eager"), LEAVES), expected)


def dropping(*leaves):
    return block(*leaves, keep_prob=0.6)


def checkpointed(*leaves):
    return checkpoint(dropping, *leaves, use_reentrant=False)


torch.npu.manual_seed(7)
found = gradients(dropping, LEAVES)
torch.npu.manual_seed(7)
again = gradients(checkpointed, LEAVES)
assert all(torch.equal(one, other) for one, other in zip(found, again, strict=True))
assert not torch.equal(found[0], gradients(dropping, LEAVES)[0])

# products are in BF16, and torch_npu's own operators keep the types that they get
with torch.autocast("npu", torch.bfloat16):
    half = x.bfloat16()
    assert torch_npu.npu_fusion_attention(x, x, x, 4, "BSH")[0].dtype == torch.float32
    assert torch_npu.npu_fusion_attention(half, half, half, 4, "BSH")[0].dtype == torch.bfloat16
    assert torch_npu.npu_linear(x[0], weights[0]).dtype == torch.float32
    assert (x @ weights[0].t()).dtype == torch.bfloat16
