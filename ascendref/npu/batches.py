"""`torch.func.vmap` of operators whose kernels on the device take tensors of one shape only.

PyTorch's rules give them a batch of one argument beside another argument without a batch, which
kernels of the CPU broadcast.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import torch
from torch import Tensor
from torch._functorch.autograd_function import custom_function_call_vmap_helper
from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter

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
            name, _kernel(name, _rule(compute)), _BATCHED, with_keyset=True, allow_override=True
        )
    return library


def _kernel(name: str, rule: Callable[..., Any]) -> Callable[..., Any]:
    op = getattr(torch.ops.aten, name).default

    def run(keys: Any, *args: Any) -> Any:
        interpreter = retrieve_current_functorch_interpreter()
        return custom_function_call_vmap_helper(interpreter, rule, op, *args)

    return run
