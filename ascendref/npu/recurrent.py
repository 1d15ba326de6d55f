"""Recurrent layers, for which PyTorch uses fused kernels on all devices except the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import torch
from torch.utils._pytree import tree_map_only

from .report import fallback_calls

#: the overloads that choose fused kernels depending on the device
RECURRENT: Final = (
    "aten::lstm.input",
    "aten::lstm.data",
    "aten::lstm_cell",
    "aten::gru.input",
    "aten::gru.data",
    "aten::gru_cell",
)


def recurrent_kernel(op: torch._ops.OpOverload) -> Callable[..., Any]:
    """Return a layer on copies of its tensors on the CPU; gradients follow the copies back."""

    def run(*args: Any, **kwargs: Any) -> Any:
        fallback_calls[op.name()] += 1
        tensors = [value for value in args if isinstance(value, torch.Tensor)]
        host = tree_map_only(torch.Tensor, torch.Tensor.cpu, args)
        results = op(*host, **kwargs)
        return tree_map_only(torch.Tensor, lambda x: x.to(tensors[0].device), results)

    return run
