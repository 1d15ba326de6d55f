"""The operators: activations and losses, one file per family."""

from __future__ import annotations

from ..declaration.operator import OPERATORS
from .activation.elu import celu, elu, elu_backward
from .activation.fast_gelu import fast_gelu, fast_gelu_backward
from .activation.gelu import gelu, gelu_backward
from .activation.glu import glu, glu_backward
from .activation.hardshrink import hardshrink, hardshrink_backward
from .activation.hardsigmoid import hardsigmoid, hardsigmoid_backward
from .activation.hardswish import hardswish, hardswish_backward
from .activation.hardtanh import hardtanh, hardtanh_backward
from .activation.leaky_relu import leaky_relu, leaky_relu_backward
from .activation.log_sigmoid import log_sigmoid, log_sigmoid_backward
from .activation.logit import logit, logit_grad
from .activation.mish import mish, mish_backward
from .activation.prelu import prelu, prelu_backward, prelu_partial
from .activation.relu import relu
from .activation.selu import selu, selu_backward
from .activation.sigmoid import sigmoid, sigmoid_backward
from .activation.silu import silu, silu_backward, swish, swish_backward
from .activation.softplus import softplus, softplus_backward
from .activation.softshrink import softshrink, softshrink_backward
from .activation.squared_relu import squared_relu
from .activation.swiglu import swiglu, swiglu_backward
from .activation.threshold import threshold, threshold_backward
from .loss.binary_cross_entropy import binary_cross_entropy, binary_cross_entropy_backward
from .loss.binary_cross_entropy_with_logits import (
    binary_cross_entropy_with_logits,
    binary_cross_entropy_with_logits_backward,
)
from .loss.kl_div import kl_div_backward, kl_div_target_backward
from .loss.l1 import l1_loss, l1_loss_backward
from .loss.mse import mse_loss, mse_loss_backward
from .loss.smooth_l1 import smooth_l1_loss, smooth_l1_loss_backward
from .loss.soft_margin import soft_margin_loss, soft_margin_loss_backward

__all__ = [
    "OPERATORS",
    "binary_cross_entropy",
    "binary_cross_entropy_backward",
    "binary_cross_entropy_with_logits",
    "binary_cross_entropy_with_logits_backward",
    "celu",
    "elu",
    "elu_backward",
    "fast_gelu",
    "fast_gelu_backward",
    "gelu",
    "gelu_backward",
    "glu",
    "glu_backward",
    "hardshrink",
    "hardshrink_backward",
    "hardsigmoid",
    "hardsigmoid_backward",
    "hardswish",
    "hardswish_backward",
    "hardtanh",
    "hardtanh_backward",
    "kl_div_backward",
    "kl_div_target_backward",
    "l1_loss",
    "l1_loss_backward",
    "leaky_relu",
    "leaky_relu_backward",
    "log_sigmoid",
    "log_sigmoid_backward",
    "logit",
    "logit_grad",
    "mish",
    "mish_backward",
    "mse_loss",
    "mse_loss_backward",
    "prelu",
    "prelu_backward",
    "prelu_partial",
    "relu",
    "selu",
    "selu_backward",
    "sigmoid",
    "sigmoid_backward",
    "silu",
    "silu_backward",
    "smooth_l1_loss",
    "smooth_l1_loss_backward",
    "soft_margin_loss",
    "soft_margin_loss_backward",
    "softplus",
    "softplus_backward",
    "softshrink",
    "softshrink_backward",
    "squared_relu",
    "swiglu",
    "swiglu_backward",
    "swish",
    "swish_backward",
    "threshold",
    "threshold_backward",
]
