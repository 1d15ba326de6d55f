"""Layers of which only the CPU computes something else: recurrent ones and batch norm."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Final

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from .randomness import drawing_from, next_state, seeded
from .report import fallback_calls
from .schema import Schema

#: the overloads that choose fused kernels on all devices except the CPU
RECURRENT: Final = (
    "aten::lstm.input", "aten::lstm.data", "aten::lstm_cell", "aten::gru.input", "aten::gru.data",
    "aten::gru_cell"
)  # fmt: skip


def recurrent_kernel(op: torch._ops.OpOverload) -> Callable[..., Any]:
    """Return a layer on copies of its tensors on the CPU; gradients follow the copies back."""

    schema = Schema.of(op)

    def run(*args: Any, **kwargs: Any) -> Any:
        fallback_calls[op.name()] += 1
        given = schema.named(args, kwargs)
        schema.check_devices({**given, "batch_sizes": None})  # they are on the CPU
        device = args[0].device
        host = tree_map_only(torch.Tensor, torch.Tensor.cpu, args)
        types = {x.dtype for x in tree_leaves(host) if _is_float(x)}
        if len(types) > 1:  # weights of another type, which a device takes
            host = tree_map_only(torch.Tensor, lambda x: x.float() if _is_float(x) else x, host)
        draws = given.get("train") and given["dropout"]
        with drawing_from(seeded(*next_state(device))) if draws else nullcontext():
            results = op(*host, **kwargs)
        kind = args[0].dtype if len(types) > 1 else None
        return tree_map_only(torch.Tensor, lambda x: x.to(device, kind), results)

    return run


def _is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


#: the overloads of batch norm that return statistics, except on the CPU in inference
BATCH_NORM: Final = ("aten::native_batch_norm", "aten::_native_batch_norm_legit")


def with_statistics(op: torch._ops.OpOverload, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel of batch norm with the statistics that devices return in inference.

    They are the running mean and 1 / √(running variance + ε). Kernels of other operators are
    returned as they are.
    """
    if op.name() not in BATCH_NORM:
        return kernel
    schema = Schema.of(op)

    def run(*args: Any, **kwargs: Any) -> Any:
        value, mean, rstd = kernel(*args, **kwargs)
        given = schema.named(args, kwargs)
        if not given["training"]:
            mean = given["running_mean"].clone()
            rstd = torch.rsqrt(given["running_var"] + given["eps"])
        return value, mean, rstd

    return run
