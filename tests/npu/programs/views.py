"""Views, overlaps, out=, arguments that change, in-place operators."""

import torch
import torch_npu  # noqa: F401
from judging import raised

host = torch.arange(24.0).view(4, 6)
x = host.npu()
pairs = [
    (lambda t: t.t().add_(1)),
    (lambda t: t[1:3, ::2].mul_(2)),
    (lambda t: t.view(-1)[3:].as_strided((3, 4), (1, 5)).fill_(7)),
    (lambda t: t.diagonal().copy_(torch.arange(4.0, device=t.device))),
    (lambda t: t.transpose(0, 1)[2].exp_()),
    (lambda t: t.unbind(1)[5].zero_()),
    (lambda t: t.index_put_((torch.tensor([0, 1], device=t.device),), t[2:4] * 2, accumulate=True)),
    (lambda t: torch.add(t[0], t[1], out=t[2])),
    (lambda t: torch.sum(t, 0, keepdim=True, out=t[3:4])),
    (lambda t: t.copy_(t.flip(0))),
]
for change in pairs:
    change(host), change(x)
    assert torch.equal(x.cpu(), host), (x, host)

y = x[:, 1:3]
assert y._base is x and y.data_ptr() == x.data_ptr() + 4
assert y.reshape(-1).data_ptr() != x.data_ptr()
assert x.view(-1).data_ptr() == x.data_ptr() and x.contiguous() is x

for out in (torch.empty(0), torch.empty(4, 6), torch.empty(6, 4).t(), torch.empty(8, 6)[::2]):
    device_out = (
        out.npu()
        if out.is_contiguous()
        else torch.empty_strided(out.size(), out.stride(), device="npu")
    )
    assert torch.mul(x, x, out=device_out) is device_out
    assert torch.equal(device_out.cpu(), host * host)
values, indices = torch.empty(0, device="npu"), torch.empty(0, dtype=torch.long, device="npu")
torch.max(x, 1, out=(values, indices))
assert torch.equal(values.cpu(), host.max(1).values)
assert torch.equal(indices.cpu(), host.max(1).indices)

overlapping = torch.zeros(1, device="npu").expand(3)
assert "single memory location" in str(raised(lambda: overlapping.add_(1)))

leaf = torch.ones(3, device="npu", requires_grad=True)
square = leaf * leaf
leaf.data.mul_(2)
kept = leaf.exp()
kept.add_(1)
assert "modified by an inplace operation" in str(raised(kept.sum().backward))
norm = torch.nn.BatchNorm1d(6).npu()
norm(x)
assert norm.running_mean.abs().sum().item() > 0 and norm.num_batches_tracked.item() == 1
mixed = x.to(torch.float16) + 1 + torch.tensor(2.0)
assert mixed.dtype == torch.float16
assert (x.cpu() == host).all() and torch.equal(x.int().cpu(), host.int())
assert torch.equal((x > 3).nonzero().cpu(), (host > 3).nonzero())
assert torch.equal(
    torch.cat([x, x.t().reshape(4, 6)]).cpu(), torch.cat([host, host.t().reshape(4, 6)])
)
z = torch.complex(x, x)
assert torch.equal(z.conj().cpu(), torch.complex(host, host).conj())
