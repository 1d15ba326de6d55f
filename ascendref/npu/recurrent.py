"""Recurrent layers, for which PyTorch uses fused kernels on all devices except the CPU."""

from __future__ import annotations

from typing import Any, Final

import torch

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


class Recurrent:
    """A layer on copies of its tensors on the CPU; gradients follow the copies back.

    Parameters
    ----------
    op : OpOverload
        The operator to run on the CPU.
    """

    def __init__(self, op: torch._ops.OpOverload) -> None:
        self._op = op

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        fallback_calls[self._op.name()] += 1
        device = _first_device(args)
        host = [_moved(value, "cpu") for value in args]
        return _moved(self._op(*host, **kwargs), device)


def _moved(value: Any, device: torch.device | str) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, (list, tuple)):
        return type(value)(_moved(member, device) for member in value)
    return value


def _first_device(values: Any) -> torch.device:
    for value in values:
        if isinstance(value, torch.Tensor):
            return value.device
    raise TypeError("a recurrent layer without tensors")
