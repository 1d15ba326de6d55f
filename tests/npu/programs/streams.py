"""Two streams with events, asynchronous copies from pinned memory, elapsed time."""

import torch
import torch_npu  # noqa: F401

first, second = torch.npu.Stream(), torch.npu.Stream()
copied, computed = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
host = torch.randn(1000, 100).pin_memory()
assert host.is_pinned()
with torch.npu.stream(first):
    x = host.to("npu", non_blocking=True)
    copied.record()
with torch.npu.stream(second):
    second.wait_event(copied)
    x.record_stream(second)
    g = torch.ones_like(x)
    result = torch.ops.aten.softplus_backward(g, x, 1, 20)
    computed.record()
torch.npu.current_stream().wait_event(computed)
total = result * 2
computed.synchronize()
assert first.query() and second.query() and computed.query()
assert copied.elapsed_time(computed) >= 0
torch.testing.assert_close(total.cpu(), 2 * torch.sigmoid(host), rtol=1e-6, atol=1e-6)
assert torch.npu.current_stream() == torch.npu.default_stream()
