"""The operators: activations and losses, one file per family."""

from __future__ import annotations

from ..declaration.operator import OPERATORS
from .activation.gelu import gelu_backward
from .activation.glu import glu, glu_backward
from .activation.hardshrink import hardshrink, hardshrink_backward
from .activation.hardtanh import hardtanh, hardtanh_backward
from .activation.logit import logit, logit_grad
from .activation.prelu import prelu, prelu_backward, prelu_partial
from .activation.relu import relu
from .activation.silu import silu
from .activation.softplus import softplus, softplus_backward
from .activation.softshrink import softshrink, softshrink_backward
from .activation.squared_relu import squared_relu
from .activation.swiglu import swiglu, swiglu_backward
from .activation.threshold import threshold, threshold_backward
from .loss.binary_cross_entropy import binary_cross_entropy, binary_cross_entropy_backward
from .loss.smooth_l1 import smooth_l1_loss_backward

__all__ = [
    "OPERATORS",
    "binary_cross_entropy",
    "binary_cross_entropy_backward",
    "gelu_backward",
    "glu",
    "glu_backward",
    "hardshrink",
    "hardshrink_backward",
    "hardtanh",
    "hardtanh_backward",
    "logit",
    "logit_grad",
    "prelu",
    "prelu_backward",
    "prelu_partial",
    "relu",
    "silu",
    "smooth_l1_loss_backward",
    "softplus",
    "softplus_backward",
    "softshrink",
    "softshrink_backward",
    "squared_relu",
    "swiglu",
    "swiglu_backward",
    "threshold",
    "threshold_backward",
]
