"""Autocast: custom operators get the element types that autocast gives PyTorch's functions.

Otherwise PyTorch's function would cast its operands inside the custom operator, where the
operator's autograd does not see the cast, and gradients would differ in type from their tensors.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch.library import Library

#: dispatch key of autocast -> its device type
_KEYS: Final = {
    "AutocastCPU": "cpu",
    "AutocastCUDA": "cuda",
    "AutocastMPS": "mps",
    "AutocastXPU": "xpu",
}
#: functions that autocast runs in its own type; it runs its other functions in F32
_REDUCED: Final = ("prelu",)
_LIBRARY: Final = Library("ascendref", "FRAGMENT")


def follow(name: str, op: Any) -> None:
    """Make autocast cast a custom operator's operands as for PyTorch's function of that name."""
    if not hasattr(torch.ops.aten, name):
        return
    for key, device in _KEYS.items():
        if torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", key):
            _register(name, op, key, device)


def _register(name: str, op: Any, key: str, device: str) -> None:
    keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))

    def kernel(*args: Any) -> Any:
        kind = torch.get_autocast_dtype(device) if name in _REDUCED else torch.float32
        with torch._C._ExcludeDispatchKeyGuard(keys):
            return op(*[_cast(value, device, kind) for value in args])

    _LIBRARY.impl(name, kernel, key)


def _cast(value: Any, device: str, kind: Any) -> Any:
    """Return a value cast as by autocast; F64 is not changed."""
    if (
        isinstance(value, torch.Tensor)
        and value.is_floating_point()
        and value.dtype is not torch.float64
        and value.device.type == device
    ):
        return value.to(kind)
    return value
