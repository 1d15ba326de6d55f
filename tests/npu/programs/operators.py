"""The five operators in F32, F16 and BF16, contiguous or not, beside the CPU's."""

import torch
import torch_npu  # noqa: F401

aten = torch.ops.aten


def prelu(g, x):
    x = x.detach().requires_grad_()
    weight = torch.full((1,), 0.25, dtype=x.dtype, device=x.device, requires_grad=True)
    gradients = torch.autograd.grad(torch.nn.functional.prelu(x, weight), (x, weight), g)
    # PyTorch rounds the terms of the sum to F16 and BF16, the device does not
    return gradients if x.dtype == torch.float32 else gradients[:1]


CALLS = {
    "hardshrink": lambda g, x: aten.hardshrink_backward(g, x, 0.5),
    "softplus": lambda g, x: aten.softplus_backward(g, x, 1.5, 2.0),
    "prelu": prelu,
    "smooth_l1": lambda g, x: aten.smooth_l1_loss_backward(g, x, g, 1, 1.0),
    "logit": lambda g, x: aten.logit_backward(g, x, 0.1),
}

torch.manual_seed(0)
for dtype, error in ((torch.float32, 1e-6), (torch.float16, 1e-3), (torch.bfloat16, 8e-3)):
    g, x = (torch.randn(6, 8).to(dtype) for _ in range(2))
    for name, call in CALLS.items():
        for layout in (lambda t: t, lambda t: t.t(), lambda t: t[::2, 1:]):
            expected = call(layout(g), layout(x))
            found = call(layout(g.npu()), layout(x.npu()))
            for one, other in zip(expected, found, strict=True):
                assert other.device.type == "npu" and other.dtype == dtype, name
                torch.testing.assert_close(other.cpu(), one, rtol=error, atol=error)
