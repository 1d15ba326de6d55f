"""Random numbers in graphs: those of a run without a graph, from the same seed."""

import torch
import torch_npu  # noqa: F401
from torch.nn import functional

x = torch.ones(100).npu()


def draw():
    return functional.dropout(x, 0.5), torch.randn(5, device="npu"), torch.rand_like(x)


graph = torch.npu.NPUGraph()
with torch.npu.graph(graph):
    drawn = draw()
torch.npu.manual_seed(7)
replayed = []
for _ in range(2):
    graph.replay()
    replayed.append([value.cpu() for value in drawn])
torch.npu.manual_seed(7)
for turn in replayed:
    assert all(torch.equal(one, other.cpu()) for one, other in zip(turn, draw(), strict=True))
assert not torch.equal(replayed[0][1], replayed[1][1])
own = torch.Generator(device="npu").manual_seed(3)
graph = torch.npu.NPUGraph()
graph.register_generator_state(own)
with torch.npu.graph(graph):
    drawn = torch.randn(4, device="npu", generator=own)
graph.replay()
same = torch.Generator(device="npu").manual_seed(3)
assert torch.equal(drawn.cpu(), torch.randn(4, device="npu", generator=same).cpu())
