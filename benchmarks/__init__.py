"""Benchmarks for asv, and of queuing on the device (`python -m benchmarks.launches`).

Operators, types, sizes and layouts are those of `ascendref bench`.
"""

#: operators that are followed over time, one for each way in which functions are computed;
#: `ascendref bench` measures all
OPERATORS = [
    "hardshrink_backward", "softplus_backward", "prelu_backward", "smooth_l1_loss_backward",
    "logit_grad", "silu", "gelu", "binary_cross_entropy",
]  # fmt: skip
