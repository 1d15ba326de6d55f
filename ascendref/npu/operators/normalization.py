"""Norms and their sums with residuals; computed in F32."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from ...borrowed.adapters import normalization as adapters
from .formulas import Gradients, Tensors, formula, gradients


@formula()
def npu_rms_norm(input: Tensor, gamma: Tensor, epsilon: float) -> Tensors:
    """γ·x / √(mean x² + ε), over the axes of γ, and the factor 1 / √(mean x² + ε)."""
    value, rstd = adapters.rms_norm(input, gamma, epsilon)
    return value.to(input.dtype), rstd.detach()


@formula()
def npu_rms_norm_backward(dy: Tensor, input: Tensor, gamma: Tensor, rstd: Tensor) -> Tensors:
    """Gradients of `npu_rms_norm` for x and γ, the latter in F32."""
    dx, dgamma = adapters.rms_norm_backward(dy, input, rstd, gamma)
    return dx.to(input.dtype), dgamma


@formula()
def npu_gemma_rms_norm(input: Tensor, gamma: Tensor, epsilon: float) -> Tensors:
    """`npu_rms_norm` with 1 + γ."""
    value, rstd = adapters.gemma_rms_norm(input, gamma, epsilon)
    return value.to(input.dtype), rstd


@formula()
def npu_add_rms_norm(x1: Tensor, x2: Tensor, gamma: Tensor, epsilon: float) -> Tensors:
    """`npu_rms_norm` of x1 + x2, and the sum."""
    value, rstd, total = adapters.add_rms_norm(x1, x2, gamma, epsilon)
    return value.to(x1.dtype), rstd.detach(), total.to(x1.dtype)


@formula()
def npu_add_rms_norm_cast(x1: Tensor, x2: Tensor, gamma: Tensor, epsilon: float) -> Tensors:
    """`npu_add_rms_norm`, whose first result comes in F32 as well."""
    value, rstd, total = adapters.add_rms_norm(x1, x2, gamma, epsilon)
    return value, value.to(x1.dtype), rstd, total.to(x1.dtype)


@formula()
def npu_add_rms_norm_v2(x1: Tensor, x2: Tensor, gamma: Tensor, epsilon: float) -> Tensor:
    """`npu_add_rms_norm` whose value replaces x1, and whose sum replaces x2."""
    return adapters.add_rms_norm_(x1, x2, gamma, epsilon)


@formula()
def npu_add_rms_norm_v2_functional(
    x1: Tensor, x2: Tensor, gamma: Tensor, epsilon: float
) -> Tensors:
    """The factors, the value and the sum of `npu_add_rms_norm`."""
    value, rstd, total = npu_add_rms_norm(x1, x2, gamma, epsilon)
    return rstd, value, total


@formula(ignored="additional_output")
def npu_add_layer_norm(
    x1: Tensor, x2: Tensor, gamma: Tensor, beta: Tensor, epsilon: float
) -> Tensors:
    """Layer norm of x1 + x2, its means and factors, and the sum, in the wider of their types."""
    value, mean, rstd, total = adapters.add_layer_norm(
        x1.float(), x2.float(), gamma.float(), beta.float(), None, epsilon
    )
    dtype = torch.promote_types(x1.dtype, x2.dtype)
    return value.to(dtype), mean.detach(), rstd.detach(), total.to(dtype)


@formula()
def npu_add_layer_norm_backward(
    dy_opt: Tensor | None,
    x1: Tensor,
    x2: Tensor,
    rstd: Tensor,
    mean: Tensor,
    gamma: Tensor,
    dsum_opt: Tensor | None,
) -> Tensors:
    """Gradients of `npu_add_layer_norm` for x1, x2, γ and β, the last two in F32.

    Those of its value and of the sum may be missing.
    """
    dy = torch.zeros_like(x1) if dy_opt is None else dy_opt
    dx, dgamma, dbeta = adapters.add_layer_norm_backward(dy, x1, x2, rstd, mean, gamma, dsum_opt)
    return dx.to(x1.dtype), dx.to(x2.dtype), dgamma, dbeta


@formula()
def npu_deep_norm(
    x: Tensor, gx: Tensor, beta: Tensor, gamma: Tensor, alpha: float, epsilon: float
) -> Tensors:
    """Means, factors and value of the layer norm of α·x + gx."""
    mean, rstd, value = adapters.deep_norm(
        x.float(), gx.float(), beta.float(), gamma.float(), alpha, epsilon
    )
    return mean.detach(), rstd.detach(), value.to(x.dtype)


@formula()
def npu_deep_norm_backward(
    dy: Tensor, x: Tensor, gx: Tensor, gamma: Tensor, mean: Tensor, rstd: Tensor, alpha: float
) -> Tensors:
    """Gradients of `npu_deep_norm` for x, gx, β and γ, the last two in F32."""
    dx, dgx, dbeta, dgamma = adapters.deep_norm_backward(dy, x, gx, gamma, mean, rstd, alpha)
    return dx.to(x.dtype), dgx.to(x.dtype), dbeta, dgamma


@formula()
def npu_group_norm_silu(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, group: int, eps: float
) -> Tensors:
    """SiLU of the group norm, and its means and factors."""
    gamma, beta = (None if one is None else one.float() for one in (weight, bias))
    value, mean, rstd = adapters.group_norm_silu(input.float(), gamma, beta, group, eps)
    kind = input.dtype if weight is None else weight.dtype
    return value.to(input.dtype), mean.to(kind), rstd.to(kind)


@formula()
def npu_group_norm_swish(
    input: Tensor,
    num_groups: int,
    weight: Tensor,
    bias: Tensor,
    eps: float | None,
    swish_scale: float | None,
) -> Tensors:
    """Group norm n as n·sigmoid(scale·n), and its means and factors."""
    value, mean, rstd = adapters.group_norm_swish(
        input,
        weight,
        bias,
        num_groups,
        None,
        1e-5 if eps is None else eps,
        active=True,
        scale=1.0 if swish_scale is None else swish_scale,
    )
    kind = input.dtype
    return value.to(kind), mean.detach().to(kind), rstd.detach().to(kind)


@formula()
def npu_group_norm_swish_grad(
    grad: Tensor,
    input: Tensor,
    num_groups: int,
    weight: Tensor,
    bias: Tensor,
    mean: Tensor,
    rstd: Tensor,
    grad_input_mask: list[bool],
    swish_scale: float | None,
) -> Gradients:
    """Gradients of `npu_group_norm_swish` for input, weight and bias, of those the mask names."""
    scale = 1.0 if swish_scale is None else swish_scale
    found = adapters.group_norm_swish_backward(
        grad, mean, rstd, input, weight, bias, num_groups, None, scale, *grad_input_mask[1:]
    )
    if not grad_input_mask[0]:
        found = (None, *found[1:])
    return tuple(None if one is None else one.to(input.dtype) for one in found)


@formula()
def npu_layernorm_grad(
    grad_out: Tensor,
    input: Tensor,
    normalized_shape: list[int],
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
) -> Gradients:
    """Gradients of a layer norm for input and, if given, weight and bias."""
    wanted = [True, weight is not None, bias is not None]
    found: Gradients = torch.ops.aten.native_layer_norm_backward(
        grad_out, input, normalized_shape, mean, rstd, weight, bias, wanted
    )
    return found


@formula()
def npu_renorm_backward(grad: Tensor, input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Gradient of ``renorm`` for its input."""
    return gradients(lambda x: torch.renorm(x, p, dim, maxnorm), [input], grad)[0]


@formula()
def npu_layer_norm_eval(
    input: Tensor,
    normalized_shape: list[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
) -> Tensor:
    """Layer norm."""
    return F.layer_norm(input, normalized_shape, weight, bias, eps)
