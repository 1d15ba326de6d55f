"""Tensors as text, of all usual types."""

import torch
import torch_npu  # noqa: F401

values = [0.5, -1.0, float("nan"), float("inf")]
for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.bool):
    x = torch.tensor(values if dtype.is_floating_point else [0, 1, 2, 3]).to(dtype)
    shown = repr(x.npu())
    assert repr(x).removesuffix(")").split("], ")[0] in shown, (shown, x)
    assert "device='npu:0'" in shown
big = torch.arange(3000.0)
assert repr(big.npu()).startswith(repr(big)[:40])
assert repr(torch.empty(0, 3).npu()) == "tensor([], device='npu:0', size=(0, 3))"
