"""
Tensors of PyTorch
==================

Torch CPU tensors as arguments and results, BF16 included; none of them is copied::

    python examples/02_torch_tensors.py

It needs the extra ``torch`` (``docs/install.md``).

Each operator is compared with torch's own, and both with the correctly rounded result.
"""

import torch

import ascendref as ar

torch.manual_seed(0)
x = torch.rand(20_000).to(torch.bfloat16)  # within (0, 1), where logit is defined
grad = torch.randn(20_000).to(torch.bfloat16)
target = torch.zeros_like(x)
aten = torch.ops.aten

# name -> (ours, as a function of the compute type; torch's own)
OPERATORS = {
    "hardshrink_backward": (
        lambda compute: ar.hardshrink_backward(grad, x, 0.5, compute_dtype=compute),
        aten.hardshrink_backward(grad, x, 0.5),
    ),
    "softplus_backward": (
        lambda compute: ar.softplus_backward(grad, x, compute_dtype=compute),
        aten.softplus_backward(grad, x, 1.0, 20.0),
    ),
    "smooth_l1_loss_backward": (
        lambda compute: ar.smooth_l1_loss_backward(grad, x, target, "sum", compute_dtype=compute),
        aten.smooth_l1_loss_backward(grad, x, target, 2, 1.0),
    ),
    "logit_grad": (
        lambda compute: ar.logit_grad(x, grad, compute_dtype=compute),
        aten.logit_backward(grad, x),
    ),
}


def wrong(result: torch.Tensor, truth: torch.Tensor) -> int:
    """Count the results that are not correctly rounded."""
    return int((result.view(torch.int16) != truth.view(torch.int16)).sum())


print(f"{'':24}{'ours':24}{'wrongly rounded: ours':>22}{'torch':>8}   of {x.numel()}")
for name, (ours, theirs) in OPERATORS.items():
    result, truth = ours(None), ours("float64")
    kind = f"{type(result).__name__} {result.dtype}"
    print(f"{name:24}{kind:24}{wrong(result, truth):22}{wrong(theirs, truth):8}")

# out= writes into a tensor that is there already, and returns it
buffer = torch.empty_like(x)
assert ar.softplus_backward(grad, x, out=buffer) is buffer
