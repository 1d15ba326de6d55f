"""LSTM, GRU, attention, embedding, normalization and convolution layers, beside the CPU's."""

import copy

import torch
import torch_npu  # noqa: F401
from torch import nn

torch.manual_seed(0)
sequence = torch.randn(2, 3, 8)
LAYERS = [
    (nn.LSTM(8, 5, batch_first=True), sequence),
    (nn.GRU(8, 5, num_layers=2), sequence),
    (nn.TransformerEncoderLayer(8, 2, batch_first=True, dropout=0.0), sequence),
    (nn.Embedding(5, 4), torch.tensor([1, 2])),
    (nn.LayerNorm(8), sequence),
    (nn.GroupNorm(3, 3), torch.randn(2, 3, 4)),
    (nn.Conv1d(3, 4, 3), sequence),
    (nn.ConvTranspose2d(2, 3, 3), torch.randn(1, 2, 5, 5)),
]
for layer, x in LAYERS:
    twin = copy.deepcopy(layer).npu()
    outputs = []
    for module, value in ((layer, x), (twin, x.npu())):
        out = module(value)
        out = out[0] if isinstance(out, tuple) else out
        out.square().sum().backward()
        outputs.append(out.cpu())
    torch.testing.assert_close(outputs[1], outputs[0], rtol=1e-4, atol=1e-5)
    for one, other in zip(layer.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(other.grad.cpu(), one.grad, rtol=1e-4, atol=1e-4)

# sequences of several lengths, whose sizes of batches stay on the CPU
lengths = torch.tensor([3, 1])
for layer in (nn.LSTM(8, 5, batch_first=True), nn.GRU(8, 5, batch_first=True)):
    results = []
    for module, value in ((layer, sequence), (copy.deepcopy(layer).npu(), sequence.npu())):
        given = value.detach().requires_grad_()
        packed = nn.utils.rnn.pack_padded_sequence(given, lengths, batch_first=True)
        padded, found = nn.utils.rnn.pad_packed_sequence(module(packed)[0], batch_first=True)
        assert packed.data.device == value.device == padded.device
        assert found.tolist() == [3, 1]
        padded.square().sum().backward()
        results.append((padded.cpu(), given.grad.cpu()))
    torch.testing.assert_close(results[1], results[0], rtol=1e-4, atol=1e-5)

# dropout between layers draws from the device's generator alone
layer, given = nn.GRU(8, 5, num_layers=2, dropout=0.5).npu(), sequence.npu()
host_state, drawn = torch.get_rng_state(), []
for seed in (1, 2, 1):
    torch.npu.manual_seed(seed)
    drawn.append(layer(given)[0].cpu())
assert torch.equal(drawn[0], drawn[2]) and not torch.equal(drawn[0], drawn[1])
assert torch.equal(torch.get_rng_state(), host_state)

# in inference, only the CPU leaves out the statistics of batch norm
layer = nn.BatchNorm1d(3).eval()
layer.running_mean.copy_(torch.randn(3))
layer.running_var.copy_(torch.rand(3) + 0.5)
twin, x = copy.deepcopy(layer).npu(), torch.randn(4, 3)
for norm in (torch.native_batch_norm, torch.ops.aten._native_batch_norm_legit):
    found = norm(x.npu(), None, None, twin.running_mean, twin.running_var, False, 0.1, 1e-5)
    exact = torch.rsqrt(layer.running_var.double() + 1e-5).float()
    for one, other in zip(found, (layer(x), layer.running_mean, exact), strict=True):
        torch.testing.assert_close(one.cpu(), other.detach())
graph, given = torch.npu.NPUGraph(), torch.zeros(4, 3).npu()
with torch.no_grad(), torch.npu.graph(graph):
    found = twin(given)
given.copy_(x.npu())
graph.replay()
torch.testing.assert_close(found.cpu(), layer(x).detach())

# cells take F16 beside weights in F32; the result has the input's type
cell = torch.nn.LSTMCell(6, 5)
x, *state = torch.randn(3, 6), torch.randn(3, 5), torch.randn(3, 5)
halves = [one.half() for one in (x, *state)]
expected = cell(halves[0].float(), [one.float() for one in halves[1:]])
x, *state = (one.npu() for one in halves)
for found, judge in zip(cell.npu()(x, state), expected, strict=True):
    assert torch.equal(found.cpu(), judge.half())

# a cell whose matrices the program multiplies itself
cell, given = torch.nn.LSTMCell(6, 5).double(), [torch.randn(3, 20), torch.randn(3, 20)]
given.append(torch.randn(3, 5))
biases = [one.detach().float() for one in (cell.bias_ih, cell.bias_hh)]
leaves = [one.npu().requires_grad_() for one in (*given, *biases)]
exact = [one.double().requires_grad_() for one in given]
i, f, g, o = (exact[0] + exact[1] + cell.bias_ih + cell.bias_hh).chunk(4, 1)
memory = f.sigmoid() * exact[2] + i.sigmoid() * g.tanh()
judged = (o.sigmoid() * memory.tanh(), memory)
found = torch.ops.aten._thnn_fused_lstm_cell(*leaves)
assert found[2].shape == (3, 20)
slopes = [torch.randn(3, 5), torch.randn(3, 5)]
torch.autograd.backward(judged, [one.double() for one in slopes])
torch.autograd.backward(found[:2], [one.npu() for one in slopes])
exact += [cell.bias_ih, cell.bias_hh]
results = [*found[:2], *(one.grad for one in leaves)]
for one, other in zip(results, [*judged, *(one.grad for one in exact)], strict=True):
    torch.testing.assert_close(one.detach().cpu().double(), other.detach(), rtol=1e-5, atol=1e-6)
kept = [one.detach() for one in (leaves[2], found[1], found[2])]
call = torch.ops.aten._thnn_fused_lstm_cell_backward_impl
for number, one in enumerate(call(*(one.npu() for one in slopes), *kept, True)):
    assert torch.equal(one, leaves[(0, 2, 3)[number]].grad)
parts = [call(*pair, *kept, False) for pair in ((slopes[0].npu(), None), (None, slopes[1].npu()))]
torch.testing.assert_close(parts[0][0] + parts[1][0], leaves[0].grad)
assert parts[0][2] is None
half = torch.ops.aten._thnn_fused_lstm_cell(*(one.detach().half() for one in leaves[:3]))
assert [one.dtype for one in half] == [torch.float16] * 3
