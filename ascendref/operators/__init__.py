"""The operators, one file each."""

from __future__ import annotations

from ..declaration.operator import OPERATORS
from .hardshrink_backward import hardshrink_backward
from .logit_grad import logit_grad
from .prelu_backward import prelu_backward, prelu_partial
from .smooth_l1_loss_backward import smooth_l1_loss_backward
from .softplus_backward import softplus_backward

__all__ = [
    "OPERATORS",
    "hardshrink_backward",
    "logit_grad",
    "prelu_backward",
    "prelu_partial",
    "smooth_l1_loss_backward",
    "softplus_backward",
]
