"""The operators, one file each."""

from __future__ import annotations

from ..declaration.operator import OPERATORS
from .binary_cross_entropy import binary_cross_entropy, binary_cross_entropy_backward
from .gelu_backward import gelu_backward
from .hardshrink_backward import hardshrink_backward
from .logit import logit
from .logit_grad import logit_grad
from .prelu_backward import prelu_backward, prelu_partial
from .silu import silu
from .smooth_l1_loss_backward import smooth_l1_loss_backward
from .softplus_backward import softplus_backward

__all__ = [
    "OPERATORS",
    "binary_cross_entropy",
    "binary_cross_entropy_backward",
    "gelu_backward",
    "hardshrink_backward",
    "logit",
    "logit_grad",
    "prelu_backward",
    "prelu_partial",
    "silu",
    "smooth_l1_loss_backward",
    "softplus_backward",
]
