"""The operators: activations and losses, one file per family."""

from __future__ import annotations

from ..declaration.operator import OPERATORS
from .activation.gelu import gelu_backward
from .activation.hardshrink import hardshrink, hardshrink_backward
from .activation.hardtanh import hardtanh, hardtanh_backward
from .activation.logit import logit, logit_grad
from .activation.prelu import prelu_backward, prelu_partial
from .activation.silu import silu
from .activation.softplus import softplus, softplus_backward
from .activation.softshrink import softshrink, softshrink_backward
from .activation.squared_relu import squared_relu
from .loss.binary_cross_entropy import binary_cross_entropy, binary_cross_entropy_backward
from .loss.smooth_l1 import smooth_l1_loss_backward

__all__ = [
    "OPERATORS",
    "binary_cross_entropy",
    "binary_cross_entropy_backward",
    "gelu_backward",
    "hardshrink",
    "hardshrink_backward",
    "hardtanh",
    "hardtanh_backward",
    "logit",
    "logit_grad",
    "prelu_backward",
    "prelu_partial",
    "silu",
    "smooth_l1_loss_backward",
    "softplus",
    "softplus_backward",
    "softshrink",
    "softshrink_backward",
    "squared_relu",
]
