"""Casts of types and formats with their gradients, beside the CPU's."""

import itertools

import torch
import torch_npu
from judging import refuse

FLOATS = (torch.float32, torch.float16, torch.bfloat16)
TYPES = (*FLOATS, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool)
CASTS = (
    torch_npu.npu_dtype_cast,
    torch.ops.npu._npu_dtype_cast,
    lambda x, dtype: torch_npu.npu_dtype_cast(x, getattr(torch_npu, str(dtype)[6:])),
    torch.Tensor.to,
)
values = torch.tensor([[0.0, 1.0, -1.0], [2.5, -3.7, 100.0]])

for before, after in itertools.product(TYPES, TYPES):
    host = values.to(before)
    for cast, x in itertools.product(CASTS, (host.npu(), host.npu().t(), host.npu()[:, ::2])):
        y = cast(x, after)
        assert (y.dtype, y.device) == (after, x.device)
        assert torch.equal(y.cpu(), x.cpu().to(after))

for before, after, cast in itertools.product(FLOATS, FLOATS, CASTS):
    x = values.to(before).npu().requires_grad_()
    gradient = torch.rand(2, 3).to(after)
    cast(x, after).backward(gradient.npu())
    assert x.grad.dtype == before
    assert torch.equal(x.grad.cpu(), gradient.to(before))

x = values.npu()
half = x.half()
assert (half.dtype, x.bfloat16().dtype, x.int().dtype) == (torch.half, torch.bfloat16, torch.int)
assert (half + x).dtype == (half + x.bfloat16()).dtype == torch.float32
assert (x.int() + half).dtype == torch.half
assert x.to(torch.float64).dtype == x.double().dtype == torch.float32
torch_npu.npu_dtype_cast_(half.zero_(), x)
assert torch.equal(half.cpu(), values.half())
assert torch_npu.npu_dtype_cast(torch.empty(0).npu(), torch.half).shape == (0,)
for call in (
    lambda: torch_npu.npu_dtype_cast(x, torch_npu.hifloat8),
    lambda: torch_npu.npu_dtype_cast(x, torch_npu.int4),
    lambda: torch_npu.npu_dtype_cast(x, torch.half, input_dtype=torch_npu.hifloat8),
    lambda: torch_npu.npu_dtype_cast(x, torch.half, input_dtype=torch.bfloat16),
):
    refuse([(call, "emulated device: npu::npu_dtype_cast is not available")])
assert torch_npu.npu_dtype_cast(x, torch.half, input_dtype=torch.float32).dtype == torch.half

for form in (torch_npu.Format.ND, torch_npu.Format.NCHW, torch_npu.Format.FRACTAL_NZ):
    leaf = values.npu().requires_grad_()
    y = torch_npu.npu_format_cast(leaf, form)
    y.sum().backward()
    assert torch.equal(y, x)
    assert torch.equal(leaf.grad.cpu(), torch.ones(2, 3))
    assert torch_npu.get_npu_format(y) == torch_npu.Format.ND
assert torch.equal(torch_npu.npu_format_cast_(torch.empty_like(x), x).cpu(), values)
