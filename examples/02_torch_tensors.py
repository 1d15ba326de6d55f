"""
Tensors of PyTorch
==================

Torch CPU tensors as arguments and results, BF16 included; none of them is copied::

    python examples/02_torch_tensors.py [PICTURE]

It needs the extras ``torch`` and ``plot`` (``docs/install.md``).

Each operator is compared with torch's own, and both with the correctly rounded result.
"""

import sys

from matplotlib.figure import Figure

import ascendref as ar

try:
    import torch
except ModuleNotFoundError:
    raise SystemExit("This example needs PyTorch: pip install 'ascendref[torch]'") from None

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


counts = {}
print(f"{'':24}{'ours':24}{'wrongly rounded: ours':>22}{'torch':>8}   of {x.numel()}")
for name, (ours, theirs) in OPERATORS.items():
    result, truth = ours(None), ours("float64")
    kind = f"{type(result).__name__} {result.dtype}"
    counts[name] = wrong(result, truth), wrong(theirs, truth)
    print(f"{name:24}{kind:24}{counts[name][0]:22}{counts[name][1]:8}")

# %%
# Wrongly rounded results
# -----------------------
# The counts as a picture. Then ``out=`` writes into a tensor that is there already, and returns it.

if len(sys.argv) > 1:
    # Picture: how many of the 20,000 BF16 results of each operator are not the exact value rounded
    # once, in ascendref with its default F32 arithmetic and in PyTorch.
    figure = Figure(figsize=(8, 3.5), layout="constrained")
    axes = figure.subplots()
    for shift, label, side in ((-0.2, "ascendref", 0), (0.2, "PyTorch", 1)):
        places = [place + shift for place in range(len(counts))]
        bars = axes.barh(places, [count[side] for count in counts.values()], 0.4, label=label)
        axes.bar_label(bars, padding=3)
    axes.set_yticks(range(len(counts)), list(counts))
    axes.invert_yaxis()
    axes.margins(x=0.1)
    axes.set_xlabel("wrongly rounded results")
    axes.legend()
    figure.savefig(sys.argv[1])

buffer = torch.empty_like(x)
assert ar.softplus_backward(grad, x, out=buffer) is buffer
