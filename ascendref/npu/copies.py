"""Copies between tensors: by CPU kernels within a device, by torch_npu to and from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .fallback import Fallback


class Copy:
    """``copy_`` for tensors of the device.

    torch_npu copies plain bytes between host and device through the runtime, with streams and
    pinned memory. For other copies, such as between types or strides, it launches operators.

    Parameters
    ----------
    native : callable
        torch_npu's own kernel.
    within : callable
        The kernel for two tensors of one device.
    """

    def __init__(self, native: Callable[..., Any], within: Callable[..., Any]) -> None:
        self._native = native
        self._within = within

    def __call__(
        self, target: torch.Tensor, source: torch.Tensor, non_blocking: bool = False
    ) -> torch.Tensor:
        if target.device == source.device:
            self._within(target, source)
        elif _is_plain(target, source):
            self._native(target, source, non_blocking)
        elif target.device.type == "npu" and source.device.type == "npu":
            target.copy_(source.cpu())
        else:
            # convert on the source's side, copy bytes, arrange on the target's side
            same = source.to(target.dtype).expand(target.size())
            same = same.resolve_conj().resolve_neg().contiguous()
            if _is_plain(target, same):
                self._native(target, same, False)
            else:
                moved = torch.empty(target.size(), dtype=target.dtype, device=target.device)
                if moved.numel():
                    self._native(moved, same, False)
                target.copy_(moved)
        return target


def _is_plain(target: torch.Tensor, source: torch.Tensor) -> bool:
    """Tell whether a copy of bytes is enough: same types, dense, same layout."""
    return (
        target.dtype == source.dtype
        and target.size() == source.size()
        and target.is_contiguous()
        and source.is_contiguous()
        and not (source.is_conj() or source.is_neg() or target.is_conj() or target.is_neg())
        and (source.device.type == "cpu") != (target.device.type == "cpu")
    )


def copy_kernel(op: torch._ops.OpOverload, within: Callable[..., Any] | None = None) -> Copy:
    """Return the kernel, wrapped around the one registered by torch_npu."""
    kernel = torch.library.get_kernel(op, "PrivateUse1")
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.PrivateUse1)
    return Copy(lambda *values: kernel.call_boxed(keys, *values), within or Fallback(op))
