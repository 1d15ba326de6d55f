"""Graphs: replays on new contents, training, several streams, errors in a capture."""

import json
import tempfile
from pathlib import Path

import torch
import torch_npu  # noqa: F401
from judging import raised
from torch import nn
from torch.nn import functional


def step(model, x, target, loss=functional.smooth_l1_loss):
    loss = loss(model(x), target)
    loss.backward()
    return loss


def made(seed, device):
    torch.manual_seed(seed)
    layers = nn.Linear(6, 8), nn.PReLU(), nn.LayerNorm(8), nn.Linear(8, 3), nn.Softplus()
    return nn.Sequential(*layers).to(device)


# ---- operators of the emulated device and of the fallback, on new contents


def compute(x, index):
    y = functional.silu(x) @ x.T
    y += 1
    y[0] = functional.relu(y[1] - 2)
    picked = x.index_select(1, index).clamp(min=-0.5)
    top, where = y.topk(2, dim=1)
    return y.softmax(1), picked, top, where, torch.cat([x, x * 0.5]).half(), y.sum(), x.std(dim=1)


x, index = torch.empty(3, 4).npu(), torch.empty(2, dtype=torch.long).npu()
graph = torch.npu.NPUGraph()
with torch.npu.graph(graph):
    assert torch.npu.is_current_stream_capturing()
    found = compute(x, index)
assert not torch.npu.is_current_stream_capturing()
for turn in range(3):
    torch.manual_seed(turn)
    host = torch.randn(3, 4), torch.randint(4, (2,))
    x.copy_(host[0])
    index.copy_(host[1])
    graph.replay()
    for one, other in zip(found, compute(*host), strict=True):
        assert one.dtype == other.dtype
        torch.testing.assert_close(one.cpu(), other)
    again = compute(x, index)  # at once, on the device: the same bits
    assert all(torch.equal(a.cpu(), b.cpu()) for a, b in zip(found, again, strict=True))
with tempfile.TemporaryDirectory() as folder:
    dump = Path(folder, "graph.json")
    graph.debug_dump(str(dump))
    assert {"aclnnSilu", "aten::topk"} <= {task["name"] for task in json.loads(dump.read_text())}

# ---- a step of training, with optimizers

for optimizer in (
    lambda parameters: torch.optim.SGD(parameters, 0.1, momentum=0.9),
    lambda parameters: torch.optim.Adam(parameters, 0.01, capturable=True),
):
    model, eager = made(0, "npu"), made(0, "npu")
    x, target = torch.zeros(5, 6).npu(), torch.zeros(5, 3).npu()
    mine, theirs = optimizer(model.parameters()), optimizer(eager.parameters())
    side = torch.npu.Stream()
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):  # a step before the capture, as the documentation asks for
        for each, by in ((model, mine), (eager, theirs)):
            by.zero_grad()
            step(each, x, target)
            by.step()
    torch.npu.current_stream().wait_stream(side)
    graph = torch.npu.NPUGraph()
    mine.zero_grad()
    with torch.npu.graph(graph):
        loss = step(model, x, target)
        mine.step()
    losses = []
    for turn in range(6):
        torch.manual_seed(turn)
        data, wanted = torch.randn(5, 6), torch.rand(5, 3)
        x.copy_(data)
        target.copy_(wanted)
        graph.replay()
        losses.append(loss.item())
        theirs.zero_grad()
        assert step(eager, data.npu(), wanted.npu()).item() == losses[-1]
        theirs.step()
    for one, other in zip(model.parameters(), eager.parameters(), strict=True):
        assert torch.equal(one.cpu(), other.cpu())
    assert losses[0] != losses[-1]

# ---- callables with graphs of their own, for the gradients too

# without the last layer: PyTorch first runs the gradients on memory that nothing wrote
model, eager = made(1, "npu")[:-1], made(1, "npu")[:-1]
graphed = torch.npu.make_graphed_callables(model, (torch.randn(5, 6).npu(),))
for _ in range(3):
    data, wanted = torch.randn(5, 6).npu(), torch.rand(5, 3).npu()
    for each in (graphed, eager):
        each.zero_grad(set_to_none=True)
        step(each, data, wanted)
    for one, other in zip(graphed.parameters(), eager.parameters(), strict=True):
        assert torch.equal(one.grad.cpu(), other.grad.cpu())

# ---- streams that wait for one another, and two graphs with one pool

x, side = torch.zeros(1000).npu(), torch.npu.Stream()
first, second = torch.npu.NPUGraph(), torch.npu.NPUGraph()
with torch.npu.graph(first):
    y = x + 1
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):
        doubled = functional.relu(y * 2)
    tripled = y * 3
    torch.npu.current_stream().wait_stream(side)
    total = doubled + tripled
with torch.npu.graph(second, pool=first.pool()):
    last = total * 10
for value in (1.0, -3.0):
    x.fill_(value)
    first.replay()
    second.replay()
    wanted = 10 * (max(0.0, 2 * (value + 1)) + 3 * (value + 1))
    assert last.cpu().tolist() == 1000 * [wanted]

# ---- memory of the host: only pinned memory, asynchronously

host, back = torch.arange(4.0).pin_memory(), torch.empty(4).pin_memory()
graph = torch.npu.NPUGraph()
with torch.npu.graph(graph):
    moved = host.to("npu", non_blocking=True)
    back.copy_(moved + 1, non_blocking=True)
host += 1
graph.replay()
torch.npu.synchronize()
assert back.tolist() == [2, 3, 4, 5]

# ---- what cannot be captured; afterwards all is as before

x = torch.tensor([1.0, 0.0, 2.0]).npu()
cell = nn.LSTM(3, 2).npu()
for call, text in (
    (lambda: x.sum().item(), "captured"),
    (lambda: x.cpu(), "captured"),
    (lambda: torch.ones(3).npu(), ""),
    (torch.npu.synchronize, "captured"),
    (lambda: torch.npu.current_stream().synchronize(), "captured"),
    (lambda: x.nonzero(), "aten::nonzero cannot be captured"),
    (lambda: x[x > 0], "cannot be captured"),
    (lambda: x.unique(), "cannot be captured"),
    (lambda: torch.equal(x, x), "cannot be captured"),
    (lambda: cell(x[None]), ""),
    (lambda: x[:2] + x, "broadcast"),
    (lambda: torch.npu.Event().synchronize() or 1 / 0, "division"),
):

    def capture(call=call):
        with torch.npu.graph(torch.npu.NPUGraph()):
            x + 1
            call()

    error = raised(capture)
    assert isinstance(error, (RuntimeError, ZeroDivisionError))
    assert text in f"{error} {error.__context__}", (text, error)
    assert not torch.npu.is_current_stream_capturing()
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        y = x + 1
    graph.replay()
    assert y.cpu().tolist() == [2, 1, 3]
    assert (x * 2).cpu().tolist() == [2, 0, 4]
