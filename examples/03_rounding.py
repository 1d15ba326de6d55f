"""
What rounding costs
===================

Accuracy and time of each compute type: softplus_backward on one BF16 vector, four times::

    python examples/03_rounding.py [PICTURE]

It needs the extra ``plot`` (``docs/install.md``).

With ``float64`` every BF16 result is correctly rounded. ``float32``, the default, evaluates the
documented formula in F32. ``bfloat16`` and ``float16`` round after every single operation.
"""

import sys
import timeit
from functools import partial

import ml_dtypes
import numpy as np
from matplotlib.figure import Figure

import ascendref as ar

rng = np.random.default_rng(0)
x = rng.uniform(-8, 8, 1_000_000).astype(ml_dtypes.bfloat16)
grad = np.ones_like(x)

truth = ar.softplus_backward(grad, x, compute_dtype="float64")

errors = {}
print("compute type   wrongly rounded   worst, in steps of BF16   time")
for compute in ("float64", "float32", "bfloat16", "float16"):
    call = partial(ar.softplus_backward, grad, x, compute_dtype=compute)
    # all results are positive, so the bits of neighbours in BF16 are consecutive integers
    steps = np.abs(call().view(np.int16).astype(int) - truth.view(np.int16))
    errors[compute] = steps
    seconds = min(timeit.repeat(call, number=1, repeat=10))
    print(
        f"{compute:14} {np.count_nonzero(steps) / steps.size:15.3%}   {steps.max():23}"
        f"   {seconds * 1e6:.0f} µs"
    )

# %%
# Where the errors are
# --------------------
# The share of wrongly rounded results in each of 80 intervals of the data.

if len(sys.argv) > 1:
    # Picture: share of wrongly rounded results over the input, for each compute type.
    edges = np.linspace(-8, 8, 81)
    figure = Figure(figsize=(8, 3.5), layout="constrained")
    axes = figure.subplots()
    for compute, steps in errors.items():
        wrong, _ = np.histogram(x[steps > 0].astype(np.float32), edges)
        every, _ = np.histogram(x.astype(np.float32), edges)
        axes.stairs(100 * wrong / every, edges, label=compute, linewidth=1.5)
    axes.set(xlabel="self", ylabel="% wrongly rounded")
    axes.legend(title="compute type")
    figure.savefig(sys.argv[1])
