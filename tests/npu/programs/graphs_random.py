"""Random numbers in graphs: those of a run without a graph, from the same seed."""

import torch
import torch_npu
from judging import raised
from torch.nn import functional

x = torch.ones(100).npu()
query = torch.randn(1, 2, 8, 16).npu()


def attend():
    """Return torch_npu's attention with dropout, and its gradients by a call of their own."""
    given = {"head_num": 2, "input_layout": "BNSD", "keep_prob": 0.7}
    found, most, total, _, seed, offset = torch_npu.npu_fusion_attention_v3(
        query, query, query, **given
    )
    results = {"softmax_max": most, "softmax_sum": total, "attention_in": found}
    state = {"seed": seed, "offset": offset}
    gradients = torch.ops.npu.npu_fusion_attention_grad_v3(
        query, query, query, query, **given, **results, **state
    )
    return found, *gradients[:3]


def draw():
    return (
        functional.dropout(x, 0.5),
        functional.dropout(x, 1.0),
        functional.rrelu(-x, training=True),
        torch.randn(5, device="npu"),
        torch.rand_like(x),
        torch.randperm(50, device="npu"),
        *torch_npu._npu_dropout(x, 0.3),
        torch_npu.npu_dropout_gen_mask([9, 5], 0.5, dtype=torch.float32, device="npu"),
        *attend(),
    )


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
assert not torch.equal(replayed[0][0], replayed[1][0])
own = torch.Generator(device="npu").manual_seed(3)
graph = torch.npu.NPUGraph()
graph.register_generator_state(own)
with torch.npu.graph(graph):
    drawn = torch.randn(4, device="npu", generator=own)
graph.replay()
same = torch.Generator(device="npu").manual_seed(3)
assert torch.equal(drawn.cpu(), torch.randn(4, device="npu", generator=same).cpu())

# the program draws from the CPU's generator while a graph runs
large = torch.ones(2**22).npu()
graph = torch.npu.NPUGraph()
with torch.npu.graph(graph):
    for _ in range(5):
        large = functional.dropout(large, 0.1)


def draw_on_host():
    torch.default_generator.manual_seed(1)
    return [torch.rand(2).tolist() for _ in range(2000)]


alone = draw_on_host()
for _ in range(3):
    torch.npu.synchronize()
    graph.replay()
    assert draw_on_host() == alone
torch.npu.synchronize()

# an operator that would draw from it only with dropout


@torch.inference_mode()
def capture(dropout):
    with torch.npu.graph(graph := torch.npu.NPUGraph()):
        found = functional.scaled_dot_product_attention(query, query, query, None, dropout)
    graph.replay()
    return found


with torch.inference_mode():
    wanted = functional.scaled_dot_product_attention(query, query, query)
assert torch.equal(capture(0.0).cpu(), wanted.cpu())
error = raised(lambda: capture(0.5))
assert isinstance(error, NotImplementedError)
assert "draws from the CPU's default generator" in str(error)

# seed and offset of this one are numbers, which a graph cannot change
with torch.npu.graph(torch.npu.NPUGraph()):
    error = raised(
        lambda: torch_npu.npu_fusion_attention(query, query, query, 2, "BNSD", keep_prob=0.5)
    )
assert "with dropout in a graph, where npu_fusion_attention_v3 runs" in str(error)
