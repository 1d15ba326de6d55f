"""Autocast: the custom operators get the element types that autocast gives to PyTorch's functions.

PyTorch's function would cast its operands inside of the custom operator, where autograd of the
operator does not see it: the gradients would have other types than their tensors.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch.library import Library

#: dispatch key of autocast -> the type of devices that it is for
_KEYS: Final = {
    "AutocastCPU": "cpu",
    "AutocastCUDA": "cuda",
    "AutocastMPS": "mps",
    "AutocastXPU": "xpu",
}
#: functions that autocast computes in its own type; the others that it knows are computed in F32
_REDUCED: Final = ("prelu",)
_LIBRARY: Final = Library("ascendref", "FRAGMENT")


def follow(name: str, op: Any) -> None:
    """Let autocast cast the operands of a custom operator as those of PyTorch's function.

    Parameters
    ----------
    name : str
        Name of both.
    op : callable
        The custom operator.
    """
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
    """Return a value as autocast passes it on; F64 stays what it is."""
    if (
        isinstance(value, torch.Tensor)
        and value.is_floating_point()
        and value.dtype is not torch.float64
        and value.device.type == device
    ):
        return value.to(kind)
    return value
