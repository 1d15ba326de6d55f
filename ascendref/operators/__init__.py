"""The operators: activations and losses, one file per family."""

from __future__ import annotations

from ..declaration.operator import OPERATORS
from .activation.gelu import gelu_backward
from .activation.glu import glu, glu_backward
from .activation.hardshrink import hardshrink_backward
from .activation.logit import logit, logit_grad
from .activation.prelu import prelu, prelu_backward, prelu_partial
from .activation.silu import silu
from .activation.softplus import softplus_backward
from .activation.swiglu import swiglu, swiglu_backward
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
    "gelu_backward",
    "glu",
    "glu_backward",
    "hardshrink_backward",
    "kl_div_backward",
    "kl_div_target_backward",
    "l1_loss",
    "l1_loss_backward",
    "logit",
    "logit_grad",
    "mse_loss",
    "mse_loss_backward",
    "prelu",
    "prelu_backward",
    "prelu_partial",
    "silu",
    "smooth_l1_loss",
    "smooth_l1_loss_backward",
    "soft_margin_loss",
    "soft_margin_loss_backward",
    "softplus_backward",
    "swiglu",
    "swiglu_backward",
]
