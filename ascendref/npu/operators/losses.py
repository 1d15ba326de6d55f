"""Losses."""

from __future__ import annotations

from torch import Tensor

from ...borrowed.adapters import networks
from .formulas import Tensors, formula, gradients, one_of


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
