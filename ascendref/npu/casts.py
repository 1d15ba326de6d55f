"""torch_npu's own operators for types and formats, which it launches without being asked.

Memory of the emulated device has one format, that of the host. A cast of the format makes a copy,
as torch_npu does where internal formats are off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

_NPU = "PrivateUse1"


def _copy(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    return tensor.clone()


def _same(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    return tensor


def _assign(tensor: torch.Tensor, source: Any, *args: Any, **kwargs: Any) -> torch.Tensor:
    return tensor.copy_(source) if isinstance(source, torch.Tensor) else tensor


def _convert(tensor: torch.Tensor, dtype: torch.dtype, *args: Any, **kwargs: Any) -> torch.Tensor:
    return tensor.to(dtype)


def _kernels() -> Iterator[tuple[str, Callable[..., Any]]]:
    yield from ((name, _copy) for name in ("npu_format_cast", "_npu_format_cast"))
    yield "_npu_format_cast.aclnn", _copy
    yield "npu_format_cast.Tensor", _copy
    yield "npu_format_cast_", _assign
    yield "npu_format_cast_.acl_format", _same
    yield "npu_dtype_cast_", _assign
    yield "_npu_dtype_cast", _convert
    yield "_npu_dtype_cast_backward", _convert
    yield "npu_dtype_cast_backward", _convert


def register_casts() -> torch.library.Library:
    """Replace torch_npu's kernels for as long as the returned object lives."""
    library = torch.library.Library("npu", "IMPL")
    for name, kernel in _kernels():
        library.impl(name, kernel, _NPU, allow_override=True)
    return library
