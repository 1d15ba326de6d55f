"""
What rounding does to your activation
=====================================

Every activation function of one tensor, or those named, and its error in three arithmetics::

    python examples/11_activations.py [NAME ...] [PICTURE]

It needs the extra ``plot`` (``docs/install.md``).

``bfloat16`` rounds after every operation. "rounded once" evaluates the formula in F32 and rounds
the result to BF16, as a kernel does that keeps its intermediates in F32. ``float32`` leaves the
result in F32. The inputs are the same BF16 numbers.
"""

import sys
from functools import partial

import ml_dtypes
import numpy as np
from matplotlib.figure import Figure

import ascendref as ar

activations = [
    operator
    for operator in ar.OPERATORS.values()
    if operator.group == "activation" and len(operator.tensors) == 1 and not operator.is_viewed
    if operator.name in sys.argv[1:-1] or not sys.argv[1:-1]
]


def in_steps(result, exact):
    """Return errors in steps of BF16 at the exact values."""
    exponents = np.frexp(exact)[1]
    return abs(result.astype(np.float64) - exact) * 2.0 ** (8 - exponents)


inputs, values, errors = {}, {}, {}
print("largest error in steps of BF16      bfloat16   rounded once   float32")
for operator in activations:
    name = operator.name
    function = partial(getattr(ar, name), **operator.settings[0])
    narrow = np.unique(np.linspace(*operator.interval, 2001).astype(ml_dtypes.bfloat16))
    x = inputs[name] = narrow.astype(np.float64)
    exact = values[name] = function(x)
    errors[name] = {
        "bfloat16": in_steps(function(narrow, compute_dtype="bfloat16"), exact),
        "rounded once": in_steps(function(narrow), exact),
        "float32": in_steps(function(x.astype(np.float32)), exact),
    }
    worst = [steps.max() for steps in errors[name].values()]
    print(f"{name:32} {worst[0]:11.2f} {worst[1]:14.3f} {worst[2]:9.1e}")

# %%
# The functions and their errors
# ------------------------------
# Rounded once, no error exceeds half a step of BF16. In F32 errors are thousands of times smaller.

if len(sys.argv) > 1:
    # Picture: each function (grey, right axis) over its input, and its error in steps of BF16 (left
    # axis; 0 is at the bottom): rounded after every operation, rounded once, and in F32.
    rows = -(-len(activations) // 3)
    figure = Figure(figsize=(9, 2.2 * rows), layout="constrained")
    panels = figure.subplots(rows, 3, squeeze=False).ravel()
    for axes, (name, x) in zip(panels, inputs.items(), strict=False):
        for label, steps in errors[name].items():
            axes.plot(x, np.maximum(steps, 1e-7), ".", markersize=1.5, label=label)
        axes.set(title=name, yscale="log", ylim=(5e-8, 1e3))
        axes.twinx().plot(x, values[name], color="grey", linewidth=1)
    for axes in panels[len(activations) :]:
        axes.remove()
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, markerscale=6
    )
    figure.savefig(sys.argv[-1], dpi=120)
