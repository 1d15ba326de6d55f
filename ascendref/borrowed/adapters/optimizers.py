"""Steps of optimizers."""

from collections.abc import Sequence

import torch
from torch import Tensor


def sgd_(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    buffers: Sequence[Tensor] | None,
    scale: Tensor | None,
    decay: float,
    momentum: float,
    rate: float,
    dampening: float,
    nesterov: bool,
    maximize: bool,
    is_first: bool,
) -> None:
    """Take a step of gradient descent; gradients are divided by their scale first."""
    for k, (param, grad) in enumerate(zip(params, grads, strict=True)):
        if scale is not None:
            grad.div_(scale.reshape(()))
        wide = torch.promote_types(param.dtype, torch.float32)
        old = param.to(wide)
        step = (-grad if maximize else grad).to(wide) + decay * old
        if momentum:
            if buffers is None:
                raise ValueError(f"momentum is {momentum}, but there are no momentum buffers")
            buffer = step if is_first else momentum * buffers[k] + (1 - dampening) * step
            buffers[k].copy_(buffer)
            step = step + momentum * buffer if nesterov else buffer
        param.copy_(old - rate * step)


def adamw_(
    param: Tensor,
    mean: Tensor,
    square: Tensor,
    grad: Tensor,
    step: Tensor,
    rate: float,
    beta1: float,
    beta2: float,
    decay: float,
    eps: float,
    amsgrad: bool,
    maximize: bool,
) -> None:
    """Take the step of AdamW with that number, from 1 on."""
    if amsgrad:
        raise ValueError("amsgrad is true; only false is computed")
    old, change = param.float(), (-grad if maximize else grad).float()
    first = beta1 * mean.float() + (1 - beta1) * change
    second = beta2 * square.float() + (1 - beta2) * change * change
    number = step.reshape(()).double()
    root = (second / (1 - beta2**number)).sqrt()
    new = (1 - rate * decay) * old - rate * (first / (1 - beta1**number)) / (root + eps)
    for tensor, value in ((mean, first), (square, second), (param, new)):
        tensor.copy_(value)
