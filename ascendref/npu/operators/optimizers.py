"""The steps of optimizers, in place."""

from __future__ import annotations

import torch
from torch import Tensor

from ...core.errors import ArgumentValueError
from .formulas import Tensors, formula


def _three(out: list[Tensor]) -> list[Tensor]:
    if len(out) != 3:
        raise ArgumentValueError("out", f"has {len(out)} tensors; expected: 3, var, m and v")
    return out


def _moments(grad: Tensor, m: Tensor, v: Tensor, beta1: float, beta2: float) -> None:
    """Let the mean of gradients and of their squares follow a gradient."""
    m.mul_(beta1).add_(grad, alpha=1 - beta1)
    v.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)


@formula("npu_apply_adam.out", ignored="use_locking")
def npu_apply_adam(
    beta1_power: float,
    beta2_power: float,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    grad: Tensor,
    use_nesterov: bool | None,
    out: list[Tensor],
) -> Tensors:
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


@formula("npu_apply_adam_w.out", ignored="max_grad_norm")
def npu_apply_adam_w(
    beta1_power: float,
    beta2_power: float,
    lr: float,
    weight_decay: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    grad: Tensor,
    maximize: bool | None,
    out: list[Tensor],
) -> Tensors:
    """AdamW: var -= lr·(m̂/(√v̂ + ε) + decay·var); the powers are those of the step before."""
    var, m, v = _three(out)
    _moments(-grad if maximize else grad, m, v, beta1, beta2)
    divisor = (v / (1 - beta2_power * beta2)).sqrt() + epsilon
    var.sub_(lr * (m / (1 - beta1_power * beta1) / divisor + weight_decay * var))
    return tuple(out)
