"""Copies between tensors: by CPU kernels within a device, by torch_npu to and from it."""

from collections.abc import Callable
from typing import Any

import torch

from .refusals import native_kernel


def copy_kernel(op: torch._ops.OpOverload, within: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel of ``copy_``, given the kernel for two tensors within one device.

    torch_npu copies plain bytes between host and device through the runtime, with streams and
    pinned memory. For other copies, such as between types or strides, it launches operators.
    """
    native = native_kernel(op)

    def copy(
        target: torch.Tensor, source: torch.Tensor, non_blocking: bool = False
    ) -> torch.Tensor:
        if target.device == source.device:
            within(target, source)
        elif _is_plain(target, source):
            native(target, source, non_blocking)
        elif target.device.type == "npu" and source.device.type == "npu":
            target.copy_(source.cpu())
        else:
            # convert on the source's side, copy bytes, arrange on the target's side
            same = source.to(target.dtype).expand(target.size())
            same = same.resolve_conj().resolve_neg().contiguous()
            if _is_plain(target, same):
                native(target, same, False)
            else:
                moved = torch.empty(target.size(), dtype=target.dtype, device=target.device)
                if moved.numel():
                    native(moved, same, False)
                target.copy_(moved)
        return target

    return copy


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
