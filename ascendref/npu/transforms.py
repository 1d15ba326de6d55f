"""What `torch.func` and second derivatives need of operators that torch_npu launches.

Gradients that only torch_npu has are differentiated by PyTorch's gradients of their formulas:
torch_npu has none, so that second derivatives would silently miss a part. Kernels that take tensors
of one shape only get them: PyTorch's rules for `torch.func.vmap` would give them a batch of one
argument beside another argument without a batch, which kernels of the CPU broadcast.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import torch
from torch import Tensor
from torch._functorch.autograd_function import custom_function_call_vmap_helper
from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter

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


def _of_swiglu(gradient: Tensor, x: Tensor, dim: int = -1) -> Tensor:
    gated, factor = x.chunk(2, dim)
    share = torch.sigmoid(gated)
    slope = share * (1 + gated * (1 - share))
    return torch.cat([gradient * factor * slope, gradient * gated * share], dim)


_FORMULAS: Final[dict[str, Callable[..., Tensor]]] = {
    "npu_binary_cross_entropy_with_logits_backward": _of_loss,
    "npu_fast_gelu_backward": _of_fast_gelu,
    "npu_gelu_backward": torch.ops.aten.gelu_backward,
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


_BATCHED: Final = "FuncTorchBatched"


def _prelu(x: Tensor, weight: Tensor) -> Tensor:
    return torch.where(x > 0, x, weight * x)


def _prelu_backward(gradient: Tensor, x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    positive = x > 0
    return (
        torch.where(positive, gradient, weight * gradient),
        torch.where(positive, 0, x * gradient),
    )


#: operators of elements -> what computes them from tensors of one shape
_OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    **{
        name: getattr(torch.ops.aten, name).default
        for name in (
            "elu_backward",
            "hardsigmoid_backward",
            "hardswish_backward",
            "hardtanh_backward",
            "leaky_relu_backward",
            "log_sigmoid_backward",
            "softplus_backward",
        )
    },
    # a weight for each channel, which a batch of weights is not
    "_prelu_kernel": _prelu,
    "_prelu_kernel_backward": _prelu_backward,
}


def _rule(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Return the rule for a batch."""

    def run(info: Any, dims: Sequence[int | None], *args: Any) -> tuple[Any, Any]:
        tensors = [
            (k, arg.movedim(dim, 0) if dim is not None else arg[None])
            for k, (arg, dim) in enumerate(zip(args, dims, strict=True))
            if isinstance(arg, Tensor)
        ]
        rank = max(tensor.dim() for _, tensor in tensors)
        aligned = {
            k: x.reshape(x.shape[:1] + (1,) * (rank - x.dim()) + x.shape[1:]) for k, x in tensors
        }
        # an empty tensor beside others is not an operand: the device's log sigmoid has no buffer
        operands = [k for k, x in aligned.items() if x.numel()] or list(aligned)
        full = torch.broadcast_tensors(*[aligned[k] for k in operands])
        given = dict(enumerate(args)) | dict(zip(operands, full, strict=True))
        found = compute(*given.values())
        return found, (0, 0) if isinstance(found, tuple) else 0

    return run


def register_batches() -> torch.library.Library:
    """Replace PyTorch's rules while the returned object is alive."""
    library = torch.library.Library("aten", "IMPL")
    for name, compute in _OPERATORS.items():
        library.impl(
            name, _batched(name, _rule(compute)), _BATCHED, with_keyset=True, allow_override=True
        )
    return library


def _batched(name: str, rule: Callable[..., Any]) -> Callable[..., Any]:
    op = getattr(torch.ops.aten, name).default

    def run(keys: Any, *args: Any) -> Any:
        interpreter = retrieve_current_functorch_interpreter()
        return custom_function_call_vmap_helper(interpreter, rule, op, *args)

    return run
