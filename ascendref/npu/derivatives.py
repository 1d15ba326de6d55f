"""Derivatives of gradients that only torch_npu has, by PyTorch's gradients of their formulas.

torch_npu has none, so that second derivatives would silently miss a part.
"""

from collections.abc import Callable
from typing import Any, Final

import torch
from torch import Tensor

from .refusals import AUTOGRAD


def _of_loss(
    gradient: Tensor,
    x: Tensor,
    target: Tensor,
    weight: Tensor | None,
    pos_weight: Tensor | None,
    reduction: int,
) -> Tensor:
    """Return the gradient of ``binary_cross_entropy_with_logits``."""
    positive = target if pos_weight is None else target * pos_weight
    found = (1 - target) * torch.sigmoid(x) - positive * torch.sigmoid(-x)
    found = gradient * (found if weight is None else found * weight)
    return found / x.numel() if reduction == 1 else found


def _of_fast_gelu(gradient: Tensor, x: Tensor) -> Tensor:
    share = torch.sigmoid(1.702 * x)
    return gradient * (share + 1.702 * x * share * (1 - share))


def _of_gelu(gradient: Tensor, x: Tensor, *, approximate: str = "none") -> Tensor:
    return torch.ops.aten.gelu_backward(gradient, x, approximate=approximate)


def _of_swiglu(gradient: Tensor, x: Tensor, dim: int = -1) -> Tensor:
    gated, factor = x.chunk(2, dim)
    share = torch.sigmoid(gated)
    slope = share * (1 + gated * (1 - share))
    return torch.cat([gradient * factor * slope, gradient * gated * share], dim)


_FORMULAS: Final[dict[str, Callable[..., Tensor]]] = {
    "npu_binary_cross_entropy_with_logits_backward": _of_loss,
    "npu_fast_gelu_backward": _of_fast_gelu,
    "npu_gelu_backward": _of_gelu,
    "npu_swiglu_backward": _of_swiglu,
}


class _Differentiable(torch.autograd.Function):  # type: ignore[misc]
    """A gradient by the device, whose own gradients are those of a formula."""

    @staticmethod
    def forward(ctx: Any, op: Any, formula: Any, named: dict[str, Any], *args: Any) -> Any:
        ctx.formula, ctx.named, ctx.args = formula, named, args
        return op(*args, **named)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        needed = ctx.needs_input_grad[3:]
        twice = torch.is_grad_enabled()
        with torch.enable_grad():
            # copies, so that only this formula is on the way from result to arguments
            given = [x.view_as(x) if isinstance(x, Tensor) else x for x in ctx.args]
            made = ctx.formula(*given, **ctx.named)
            wanted = [x for x, need in zip(given, needed, strict=True) if need]
            found = iter(
                torch.autograd.grad(made, wanted, gradients, create_graph=twice, allow_unused=True)
            )
        return None, None, None, *[next(found) if need else None for need in needed]


def register_derivatives() -> torch.library.Library:
    """Give the operators derivatives while the returned object is alive."""
    library = torch.library.Library("npu", "IMPL")
    for name, formula in _FORMULAS.items():
        library.impl(name, _kernel(name, formula), AUTOGRAD, allow_override=True)
    return library


def _kernel(name: str, formula: Callable[..., Tensor]) -> Callable[..., Any]:
    op = getattr(torch.ops.npu, name).default

    def below(*args: Any, **named: Any) -> Any:
        with torch._C._AutoDispatchBelowAutograd():
            return op(*args, **named)

    def run(*args: Any, **named: Any) -> Any:
        tensors = (x for x in args if isinstance(x, Tensor))
        if torch.is_grad_enabled() and any(x.requires_grad for x in tensors):
            return _Differentiable.apply(below, formula, named, *args)
        return below(*args, **named)

    return run
