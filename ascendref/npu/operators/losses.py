"""Losses."""

from __future__ import annotations

from torch import Tensor

from ...borrowed.adapters import networks
from .formulas import formula, gradients, lacking, one_of

_REDUCTIONS = ("mean", "sum", "none")


@formula()
def npu_cross_entropy_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    lse_square_scale_for_zloss: float = 0.0,
    return_zloss: bool = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Cross entropy with classes, and logarithms of the softmax; then two empty results."""
    lacking(
        "npu_cross_entropy_loss",
        lse_square_scale_for_zloss=lse_square_scale_for_zloss or None,
        return_zloss=return_zloss,
    )
    one_of("reduction", reduction, _REDUCTIONS)
    loss, logarithms, *_ = networks.cross_entropy_loss(
        input, target, weight, reduction, ignore_index, label_smoothing, 0.0, False
    )
    kind = input.dtype
    return loss.reshape(-1).to(kind), logarithms.to(kind), input.new_empty(0), input.new_empty(0)


@formula()
def npu_cross_entropy_loss_backward(
    grad_loss: Tensor,
    log_prob: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    grad_zloss: Tensor | None = None,
    lse_for_zloss: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    lse_square_scale_for_zloss: float = 0.0,
) -> Tensor:
    """Gradient of `npu_cross_entropy_loss` for its input, from logarithms of the softmax."""
    lacking(
        "npu_cross_entropy_loss_backward",
        lse_square_scale_for_zloss=lse_square_scale_for_zloss or None,
    )
    one_of("reduction", reduction, _REDUCTIONS)
    # the softmax of its logarithms is the softmax, so that this is a point of the same gradient
    found = gradients(
        lambda x: npu_cross_entropy_loss(
            x, target, weight, reduction, ignore_index, label_smoothing
        )[0],
        [log_prob],
        grad_loss.reshape(-1),
    )
    return found[0]


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
