"""Mixtures of experts and filters of samples by torch_npu's own operators, beside NumPy."""

import numpy as np
import torch
import torch_npu
from judging import beside, close, derived, npu, refuse

torch.manual_seed(0)
TOKENS, EXPERTS, EACH, WIDTH = 6, 5, 2, 4
logits = torch.randn(TOKENS, EXPERTS)
numbers = (torch.arange(EACH) * TOKENS + torch.arange(TOKENS).unsqueeze(1)).double()


def gate(x):
    values, experts = torch.softmax(x, -1).topk(EACH)
    return values, experts.double(), numbers


assert beside("npu_moe_gating_top_k_softmax", gate, [logits], None, EACH)
for renorm in (0, 1):

    def second(x, renorm=renorm):
        if renorm:
            values, experts = x.topk(EACH)
            return torch.softmax(values, -1), experts.double(), torch.empty(0).double()
        return *gate(x)[:2], torch.softmax(x, -1)

    assert not beside(
        "npu_moe_gating_top_k_softmax_v2",
        second,
        [logits],
        inferred=False,  # torch_npu infers another shape than the one that it documents
        k=EACH,
        renorm=renorm,
        output_softmax=True,
    )
values, experts, rows = torch_npu.npu_moe_gating_top_k_softmax(logits.npu(), k=EACH)

# tokens in the order of their experts
x = torch.randn(TOKENS, WIDTH)
active = 4
found, places, order = torch_npu.npu_moe_init_routing(x.npu(), rows, experts, active)
pairs = sorted(
    (expert, slot, token)
    for token, chosen in enumerate(experts.tolist())
    for slot, expert in enumerate(chosen)
)
assert order.tolist() == [expert for expert, *_ in pairs]
host, places = x.numpy(), places.tolist()
assert found.shape == (active * EACH, WIDTH)
for token, slot in np.ndindex(TOKENS, EACH):  # each token is where its place says
    place = places[slot * TOKENS + token]
    assert order[place].item() == experts[token, slot].item()
    if place < len(found):
        assert torch.equal(found[place].cpu(), x[token])
counts = torch_npu.npu_moe_compute_expert_tokens(order, EXPERTS)
assert counts.dtype == torch.int32
assert counts.tolist() == [sum(pair[0] <= expert for pair in pairs) for expert in range(EXPERTS)]

# and back, with scales and biases
whole, places, _ = torch_npu.npu_moe_init_routing(x.npu(), rows, experts, TOKENS)
bias, skips = torch.randn(EXPERTS, WIDTH), torch.randn(2, TOKENS, WIDTH)
found = torch_npu.npu_moe_finalize_routing(
    whole, skips[0].npu(), skips[1].npu(), bias.npu(), values, places, experts
)
expected = skips.sum(0) + sum(
    values[:, slot : slot + 1].cpu() * (x + bias[experts[:, slot].long().cpu()])
    for slot in range(EACH)
)
torch.testing.assert_close(found.cpu(), expected)
found = torch_npu.npu_moe_finalize_routing(whole, None, None, None, None, places, None, 0, EACH)
torch.testing.assert_close(found.cpu(), EACH * x)

# tokens once for each expert, their sums, and gradients
indices, weights = experts.long().cpu(), torch.rand(TOKENS, EACH)
flat = indices.reshape(-1)
order = np.argsort(flat.numpy(), kind="stable")
for count in (None, 0, 7, -3, 100):
    kept = order[: count or None]
    assert beside(
        "npu_moe_token_permute",
        lambda x, kept=kept: (x[torch.tensor(kept // EACH)], None),
        [x],
        call=lambda x, count=count: torch.ops.npu.npu_moe_token_permute(
            x, indices.to(x.device), count
        ),
    )
    tokens, places = torch_npu.npu_moe_token_permute(x.npu(), indices.npu(), count)
    assert places.dtype == torch.int32 and np.array_equal(places.cpu(), np.argsort(order))
    given = torch.randn(tokens.shape)
    expected = torch.zeros_like(x).index_add(0, torch.tensor(kept // EACH), given)
    back = torch_npu.npu_moe_token_permute_grad(x.npu(), given.npu(), indices.npu(), places)
    torch.testing.assert_close(back.cpu(), expected)
places = places.cpu()


def summed(rows, weights=None):
    picked = rows[places.long()].unflatten(0, (-1, 1 if weights is None else EACH))
    return (picked if weights is None else picked * weights.unsqueeze(-1)).sum(1)


UNPERMUTE = torch.ops.npu.npu_moe_token_unpermute
sources = torch.randn(TOKENS * EACH, WIDTH)
for tensors in ([sources], [sources, weights]):
    assert beside(
        "npu_moe_token_unpermute",
        summed,
        tensors,
        call=lambda rows, *weights: UNPERMUTE(rows, places.to(rows.device), *weights),
    )
    _, given, expected = derived(summed, tensors)
    probs = None if len(tensors) == 1 else weights.npu()
    back = torch_npu.npu_moe_token_unpermute_grad(*npu(sources, given, places), probs)
    close(back[: len(tensors)], expected)
short = UNPERMUTE(sources[:7].npu(), places.npu(), weights.npu())
padded = torch.cat([sources[:7], torch.zeros(5, WIDTH)])
torch.testing.assert_close(short.cpu(), summed(padded, weights))

# the largest logits, and of their softmax the part on top
logits = torch.randn(5, 12)
part, most = (
    torch.tensor([0.1, 0.5, 0.9, 1.0, 0.3]),
    torch.tensor([3, 12, 5, 1, 7], dtype=torch.int32),
)


def filtered(part, most):
    found = np.full(logits.shape, -np.inf)
    for row, line in enumerate(logits.double().numpy()):
        order = np.argsort(-line)
        chosen = list(order[: 12 if most is None else most[row]])
        if part is not None:
            powers = np.exp(line[chosen])
            chances = powers / powers.sum()
            above = np.concatenate([[0.0], np.cumsum(chances)[:-1]])
            chosen = [c for c, before in zip(chosen, above, strict=True) if before < part[row]]
        found[row, chosen] = line[chosen]
    return torch.tensor(found).float()


for chance, count in ((part, most), (part, None), (None, most)):
    on_device = (None if one is None else one.npu() for one in (chance, count))
    found = torch_npu.npu_top_k_top_p(logits.npu(), *on_device)
    assert torch.equal(found.cpu(), filtered(chance, count))

finite, check = npu(torch.ones(3), torch.ones(2)), torch.ops.npu._amp_foreach_non_finite_check
assert check(finite) is False
for wrong in (torch.nan, torch.inf):
    assert check([*finite, torch.tensor([wrong]).npu()]) is True

WRONG = (
    (
        lambda: torch_npu.npu_moe_gating_top_k_softmax(logits.npu(), finite[0].bool(), 2),
        "emulated device: npu::npu_moe_gating_top_k_softmax is not available: with finished",
    ),
    (lambda: torch_npu.npu_top_k_top_p(logits.npu(), None, None), "p is None, and k is None"),
)
refuse(WRONG)
