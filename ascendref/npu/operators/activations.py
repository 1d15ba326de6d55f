"""Activations, gated halves and masked softmax."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from ...borrowed.adapters import networks as adapters
from .formulas import Tensors, formula, gradients, one_of, refuse


@formula()
def npu_silu(input: Tensor) -> Tensor:
    """x·sigmoid(x)."""
    return F.silu(input)


@formula()
def npu_silu_(input: Tensor) -> Tensor:
    """`npu_silu` in place."""
    return torch.ops.aten.silu_(input)


@formula(ignored="x1")
def npu_silu_backward(grad_output: Tensor, x0: Tensor) -> Tensor:
    """Gradient of `npu_silu` at x0."""
    return torch.ops.aten.silu_backward(grad_output, x0)


@formula()
def npu_mish(input: Tensor) -> Tensor:
    """x·tanh(softplus(x))."""
    return F.mish(input)


@formula()
def npu_mish_backward(grad: Tensor, input: Tensor) -> Tensor:
    """Gradient of `npu_mish`."""
    return torch.ops.aten.mish_backward(grad, input)


@formula()
def npu_geglu(input: Tensor, dim: int, approximate: int, activate_left: bool) -> Tensors:
    """One half along an axis times GELU (0: by erf, 1: by tanh) of the other, and the latter."""
    one_of("approximate", approximate, (0, 1))
    gelu = torch.ops.npu.npu_gelu  # PyTorch's has one form on a device
    value, active = adapters.geglu(input, dim, approximate, activate_left, gelu=gelu)
    return value, active.detach()


@formula(ignored="gelu")
def npu_geglu_grad(grad_output: Tensor, input: Tensor, **others: Any) -> Tensor:
    """Gradient of `npu_geglu`."""
    return gradients(partial(npu_geglu, **others), [input], grad_output)[0]


@formula()
def npu_gelu_mul(input: Tensor, approximate: str) -> Tensor:
    """GELU of the left half of the last axis, times the right half."""
    one_of("approximate", approximate, ("none", "tanh"))
    return adapters.gelu_mul(input, approximate, gelu=torch.ops.npu.npu_gelu)


@formula()
def npu_clipped_swiglu(
    x: Tensor, dim: int, alpha: float, limit: float, bias: float, interleaved: bool
) -> Tensor:
    """a·sigmoid(α·a)·(b + bias), a at most the limit, b within ±limit.

    a and b are the even and the odd elements of an axis, or its halves.
    """
    if interleaved and dim % x.ndim != x.ndim - 1:
        refuse("with interleaved elements of an axis that is not the last")
    found = adapters.clipped_swiglu(x, None, dim % x.ndim, alpha, limit, bias, interleaved)
    return found.to(x.dtype)


def _hidden(x: Tensor, mask: Tensor, fixed_triu_mask: bool) -> Tensor:
    return torch.ones_like(x, dtype=torch.bool).triu(1) if fixed_triu_mask else mask


@formula()
def npu_scaled_masked_softmax(
    x: Tensor, mask: Tensor, scale: float, fixed_triu_mask: bool
) -> Tensor:
    """Softmax of scale·x over the last axis, where -10000 replaces masked elements.

    A fixed mask hides the elements above the diagonal.
    """
    hidden = _hidden(x, mask, fixed_triu_mask)
    return adapters.scaled_masked_softmax(x, hidden, scale, False).to(x.dtype)


@formula()
def npu_scaled_masked_softmax_backward(
    y_grad: Tensor, y: Tensor, mask: Tensor, scale: float, fixed_triu_mask: bool
) -> Tensor:
    """Gradient of `npu_scaled_masked_softmax`, whose value was y."""
    hidden = _hidden(y, mask, fixed_triu_mask)
    found = adapters.scaled_masked_softmax_backward(y_grad, y, hidden, scale, False)
    return found.to(y_grad.dtype)


@formula(ignored="inner_precision_mode")
def npu_masked_softmax_with_rel_pos_bias(
    x: Tensor, atten_mask: Tensor | None, relative_pos_bias: Tensor, scale_value: float
) -> Tensor:
    """Softmax of scale·x + mask + bias over the last axis.

    x is [batch, windows, heads, rows, columns], or has batch and windows as one axis; the mask is
    [windows, rows, columns], and the bias [heads, rows, columns], both also with axes of 1.
    """
    mask = x.new_zeros(x.shape[-2:]) if atten_mask is None else atten_mask
    masks, biases = (one.float().reshape(-1, *x.shape[-2:]) for one in (mask, relative_pos_bias))
    scores = x.float().reshape(-1, len(masks), *x.shape[-3:]) * scale_value
    return torch.softmax(scores + masks[:, None] + biases, -1).to(x.dtype).view(x.shape)


@formula()
def npu_attn_softmax_(input: Tensor) -> Tensor:
    """Softmax over the last axis, in place."""
    return input.copy_(torch.softmax(input.float(), -1))


@formula()
def npu_attn_softmax_backward_(input: Tensor, grad_output: Tensor, values: Tensor) -> Tensor:
    """Gradient of `npu_attn_softmax_`, in place of its result, which was multiplied by values."""
    grad = grad_output.float() @ values.float().mT
    return input.copy_(
        torch.ops.aten._softmax_backward_data(grad, input.float(), -1, torch.float32)
    )
