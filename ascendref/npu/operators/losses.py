"""Losses, dropout and the steps of optimizers."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ...borrowed.adapters import networks, randoms
from ...core.errors import ArgumentValueError
from ..randomness import next_state
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


# ---- dropout, whose masks have a bit for each element, the lowest of a byte first


def _mask(size: Sequence[int], p: float, seed: int, offset: int, device: torch.device) -> Tensor:
    """Return a mask on a device, which a seed and an offset determine."""
    if not 0 <= p <= 1:
        raise ArgumentValueError("p", f"is {p}; it must be at least 0 and at most 1")
    return randoms.dropout_mask(size, p, seed, offset, torch.empty(0)).to(device)


@formula()
def _npu_dropout(input: Tensor, p: float) -> tuple[Tensor, Tensor]:
    """Elements that are not dropped, divided by their chance, and the mask."""
    mask = _mask(input.shape, p, *next_state(None, input.device), input.device)
    return randoms.dropout_do_mask(input, mask, p), mask


@formula()
def npu_dropout_backward(grad_output: Tensor, mask: Tensor, p: float) -> Tensor:
    """Gradient of `_npu_dropout`."""
    return randoms.dropout_do_mask(grad_output, mask, p)


@formula()
def npu_dropout_do_mask(input: Tensor, mask: Tensor, p: float) -> tuple[Tensor, Tensor]:
    """Elements whose bits are 1, divided by their chance, and the mask."""
    return randoms.dropout_do_mask(input, mask, p), mask


@formula()
def npu_dropout_gen_mask(
    size: list[int],
    p: float,
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """A mask for a number of elements, each dropped with probability p."""
    device = device or torch.device("npu")
    return _mask(size, p, *next_state(None, device), device)


@formula("_npu_dropout_gen_mask.Tensor")
def _npu_dropout_gen_mask(
    input: Tensor,
    size: list[int],
    p: float,
    seed: int,
    offset: int,
    *,
    parallel: bool | None = True,
    sync: bool | None = None,
) -> Tensor:
    """`npu_dropout_gen_mask` of a seed and an offset."""
    return _mask(size, p, seed, offset, input.device)


@formula()
def dropout_with_byte_mask(input: Tensor, p: float, train: bool) -> Tensor:
    """Elements that are not dropped, divided by their chance; in training only."""
    return _npu_dropout(input, p)[0] if train else input


@formula()
def npu_dropout_with_add_softmax(
    input: Tensor, x1: Tensor, alpha: float, prob: float, dim: int
) -> tuple[Tensor, Tensor, Tensor]:
    """A mask, the softmax of x1 + α·x, and its elements that the mask does not drop."""
    chances = torch.softmax(x1.float() + input.float() * alpha, dim).to(input.dtype)
    mask = _mask(input.shape, prob, *next_state(None, input.device), input.device)
    return mask, chances.detach(), randoms.dropout_do_mask(chances, mask, prob)


@formula()
def npu_dropout_with_add_softmax_backward(
    grad: Tensor, mask: Tensor, softmax_out: Tensor, alpha: float, prob: float, dim: int
) -> tuple[Tensor, Tensor]:
    """Gradients of `npu_dropout_with_add_softmax` for x and x1."""
    inner = torch.ops.aten._softmax_backward_data(
        randoms.dropout_do_mask(grad, mask, prob).float(), softmax_out.float(), dim, torch.float32
    )
    return (inner * alpha).to(grad.dtype), inner.to(grad.dtype)


# ---- steps of optimizers, in place


def _three(out: list[Tensor]) -> list[Tensor]:
    if len(out) != 3:
        raise ArgumentValueError("out", f"has {len(out)} tensors; expected: 3, var, m and v")
    return out


def _moments(grad: Tensor, m: Tensor, v: Tensor, beta1: float, beta2: float) -> None:
    """Let the mean of gradients and of their squares follow a gradient."""
    m.mul_(beta1).add_(grad, alpha=1 - beta1)
    v.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)


@formula("npu_apply_adam.out")
def npu_apply_adam(
    beta1_power: float,
    beta2_power: float,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    grad: Tensor,
    use_locking: bool | None,
    use_nesterov: bool | None,
    *,
    out: list[Tensor],
) -> tuple[Tensor, ...]:
    """Adam: var -= lr·√(1 - β2ᵗ)/(1 - β1ᵗ) · m/(√v + ε); the powers are those of this step.

    Nesterov's step has β1·m + (1 - β1)·g for m.
    """
    var, m, v = _three(out)
    _moments(grad, m, v, beta1, beta2)
    step = m * beta1 + grad * (1 - beta1) if use_nesterov else m
    powers = torch.tensor([beta1_power, beta2_power], dtype=torch.float64, device="cpu")
    first, second = 1 - powers  # as tensors, whose quotient by 0 is infinite or NaN
    var.addcdiv_(step, v.sqrt() + epsilon, value=-(lr * second.sqrt() / first).item())
    return tuple(out)


@formula("npu_apply_adam_w.out")
def npu_apply_adam_w(
    beta1_power: float,
    beta2_power: float,
    lr: float,
    weight_decay: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    grad: Tensor,
    max_grad_norm: Tensor | None,
    amsgrad: bool | None,
    maximize: bool | None,
    *,
    out: list[Tensor],
) -> tuple[Tensor, ...]:
    """AdamW: var -= lr·(m̂/(√v̂ + ε) + decay·var); the powers are those of the step before."""
    lacking("npu_apply_adam_w", amsgrad=amsgrad)
    var, m, v = _three(out)
    _moments(-grad if maximize else grad, m, v, beta1, beta2)
    divisor = (v / (1 - beta2_power * beta2)).sqrt() + epsilon
    var.sub_(lr * (m / (1 - beta1_power * beta1) / divisor + weight_decay * var))
    return tuple(out)
