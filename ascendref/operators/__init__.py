"""The operators: activations and losses, one file per family."""

from __future__ import annotations

from ..declaration.operator import OPERATORS
from .activation.elu import celu, elu, elu_backward
from .activation.gelu import gelu_backward
from .activation.hardshrink import hardshrink_backward
from .activation.hardsigmoid import hardsigmoid, hardsigmoid_backward
from .activation.hardswish import hardswish, hardswish_backward
from .activation.leaky_relu import leaky_relu, leaky_relu_backward
from .activation.logit import logit, logit_grad
from .activation.prelu import prelu_backward, prelu_partial
from .activation.selu import selu, selu_backward
from .activation.silu import silu
from .activation.softplus import softplus_backward
from .loss.binary_cross_entropy import binary_cross_entropy, binary_cross_entropy_backward
from .loss.smooth_l1 import smooth_l1_loss_backward

__all__ = [
    "OPERATORS",
    "binary_cross_entropy",
    "binary_cross_entropy_backward",
    "celu",
    "elu",
    "elu_backward",
    "gelu_backward",
    "hardshrink_backward",
    "hardsigmoid",
    "hardsigmoid_backward",
    "hardswish",
    "hardswish_backward",
    "leaky_relu",
    "leaky_relu_backward",
    "logit",
    "logit_grad",
    "prelu_backward",
    "prelu_partial",
    "selu",
    "selu_backward",
    "silu",
    "smooth_l1_loss_backward",
    "softplus_backward",
]
