"""Losses."""

from __future__ import annotations

import torch
from torch import Tensor

from ...borrowed.adapters import networks
from ...borrowed.adapters.shared import packed, unpacked
from ...core.errors import ArgumentValueError
from .formulas import Gradients, Tensors, formula, gradients, one_of


@formula()
def npu_cross_entropy_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: str,
    ignore_index: int,
    label_smoothing: float,
) -> Tensors:
    """Cross entropy with classes, and logarithms of the softmax; then two empty results."""
    one_of("reduction", reduction, ("mean", "sum", "none"))
    loss, logarithms, *_ = networks.cross_entropy_loss(
        input, target, weight, reduction, ignore_index, label_smoothing, 0.0, False
    )
    kind = input.dtype
    return loss.reshape(-1).to(kind), logarithms.to(kind), input.new_empty(0), input.new_empty(0)


@formula(ignored="grad_zloss lse_for_zloss")
def npu_cross_entropy_loss_backward(
    grad_loss: Tensor,
    log_prob: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: str,
    ignore_index: int,
    label_smoothing: float,
) -> Tensor:
    """Gradient of `npu_cross_entropy_loss` for its input, from logarithms of the softmax."""
    # the softmax of its logarithms is the softmax, so that this is a point of the same gradient
    return gradients(
        lambda x: npu_cross_entropy_loss(
            x, target, weight, reduction, ignore_index, label_smoothing
        ),
        [log_prob],
        grad_loss.reshape(-1),
    )[0]


@formula()
def npu_softmax_cross_entropy_with_logits(input: Tensor, labels: Tensor) -> Tensor:
    """-Σ labels·log softmax(x) of each row, in F32."""
    return networks.softmax_cross_entropy(input.float(), labels.detach().float())[0]


@formula()
def npu_softmax_cross_entropy_with_logits_backward(
    grad: Tensor, input: Tensor, labels: Tensor
) -> Tensor:
    """Gradient of `npu_softmax_cross_entropy_with_logits`."""
    slope = networks.softmax_cross_entropy(input.float(), labels.float())[1]
    return (grad.float().unsqueeze(-1) * slope).to(input.dtype)


@formula()
def npu_fused_linear_online_max_sum(
    input: Tensor,
    weight: Tensor,
    target: Tensor,
    vocab_start_index: int,
    vocab_end_index: int,
    return_logits: bool,
) -> Gradients:
    """What the cross entropy needs of the part of a vocabulary that a device has.

    The largest logit of each row; the sum of exponentials of logits less it; the logit of the
    target less it, or 0; as bits whether the target is elsewhere; its place in the part, or 0;
    and the logits.
    """
    for name, value, least in (
        ("vocab_start_index", vocab_start_index, 0),
        ("vocab_end_index", vocab_end_index, vocab_start_index),
    ):
        if value < least:
            raise ArgumentValueError(name, f"is {value}; it must be at least {least}")
    logits = input.float() @ weight.float().mT
    highest = logits.amax(-1)
    below = logits - highest.unsqueeze(-1)
    elsewhere = (target < vocab_start_index) | (target > vocab_end_index)
    places = torch.where(elsewhere, 0, target - vocab_start_index)
    predicted = torch.where(elsewhere, 0, _at(below, places))
    shown = logits.to(input.dtype) if return_logits else None
    return highest, below.exp().sum(-1), predicted, _bits(elsewhere), places, shown


@formula()
def npu_fused_cross_entropy_loss_with_max_sum(
    logits_max: Tensor,
    sum_exp_logits: Tensor,
    predicted_logits: Tensor,
    vocab_parallel_logits: Tensor | None,
) -> Gradients:
    """log Σ - the target's logit, and the softmax of the logits that a device has, if given."""
    loss = sum_exp_logits.log() - predicted_logits
    if vocab_parallel_logits is None:
        return loss, None
    return loss, _softmax(vocab_parallel_logits.float(), logits_max, sum_exp_logits)


@formula()
def npu_fused_linear_cross_entropy_loss_with_max_sum_backward(
    grad: Tensor,
    input: Tensor,
    weight: Tensor,
    target_mask: Tensor,
    masked_target: Tensor,
    logits_max: Tensor | None,
    sum_exp_logits: Tensor | None,
    softmax: Tensor | None,
) -> Tensors:
    """Gradients of the cross entropy for both factors of the logits, from its softmax or sums."""
    if softmax is None:
        if logits_max is None or sum_exp_logits is None:
            name = "logits_max" if logits_max is None else "sum_exp_logits"
            raise ArgumentValueError(name, "is None; it is needed without softmax")
        softmax = _softmax(input.float() @ weight.float().mT, logits_max, sum_exp_logits)
    here = 1 - unpacked(target_mask).reshape(-1, 8).flip(-1).flatten()[: len(grad)].float()
    rows = torch.arange(len(grad), device=grad.device)
    slope = softmax.index_put((rows, masked_target.long()), -here, accumulate=True)
    slope = slope * grad.unsqueeze(-1)
    return (slope @ weight.float()).to(input.dtype), (slope.mT @ input.float()).to(weight.dtype)


def _softmax(logits: Tensor, highest: Tensor, total: Tensor) -> Tensor:
    return (logits - highest.unsqueeze(-1)).exp() / total.unsqueeze(-1)


def _at(values: Tensor, places: Tensor) -> Tensor:
    """Return the element of each row at a place."""
    return values.gather(1, places.long().unsqueeze(1)).squeeze(1)


def _bits(flags: Tensor) -> Tensor:
    """Return flags as bytes of eight bits, the highest first, with ones after the last."""
    filled = torch.nn.functional.pad(flags, (0, -len(flags) % 8), value=True)
    return packed(filled.reshape(-1, 8).flip(-1))
