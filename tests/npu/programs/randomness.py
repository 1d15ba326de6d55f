"""Random generators: seeds, states, generators as arguments, forks of their state."""

import torch
import torch_npu  # noqa: F401


def draw(generator=None):
    return [
        torch.randn(5, device="npu", generator=generator),
        torch.rand(5, device="npu", generator=generator),
        torch.randint(100, (5,), device="npu", generator=generator),
        torch.randperm(9, device="npu", generator=generator),
        torch.empty(5, device="npu").normal_(generator=generator),
        torch.bernoulli(torch.full((5,), 0.5, device="npu"), generator=generator),
        torch.multinomial(torch.ones(5, device="npu"), 3, generator=generator),
    ]


def same(one, other):
    return all(torch.equal(a.cpu(), b.cpu()) for a, b in zip(one, other, strict=True))


torch.manual_seed(3)
first = draw()
host = torch.random.get_rng_state()
assert not same(first, draw())
assert torch.equal(host, torch.random.get_rng_state())  # the host's generator is left alone
torch.npu.manual_seed(3)
assert same(first, draw())
state = torch.npu.get_rng_state()
second = draw()
torch.npu.set_rng_state(state)
assert same(second, draw())

generator = torch.Generator("npu").manual_seed(3)
assert same(first, draw(generator))
kept = generator.get_state()
third = draw(generator)
generator.set_state(kept)
assert same(third, draw(generator))

x = torch.ones(1000, device="npu")
torch.npu.manual_seed(5)
one = torch.nn.functional.dropout(x)
host = torch.random.get_rng_state()
torch.npu.manual_seed(5)
assert torch.equal(one, torch.nn.functional.dropout(x))
assert torch.equal(host, torch.random.get_rng_state())
assert 300 < (one == 0).sum().item() < 700
samples = torch.randn(100_000, device="npu")
assert abs(samples.mean().item()) < 0.02 and abs(samples.std().item() - 1) < 0.02
