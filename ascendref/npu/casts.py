"""torch_npu's own operators for types and formats, which it launches implicitly.

Memory of the emulated device has the host's format only. A format cast makes a copy, as in
torch_npu when internal formats are off.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import torch

from .refusals import NPU, refusal


def _copy(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    return tensor.clone()


def _same(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    return tensor


def _assign(tensor: torch.Tensor, source: Any, *args: Any, **kwargs: Any) -> torch.Tensor:
    return tensor.copy_(source) if isinstance(source, torch.Tensor) else tensor


def _convert(tensor: torch.Tensor, dtype: Any, *args: Any, **kwargs: Any) -> torch.Tensor:
    """Convert to a type, or to PyTorch's number of a type; always a copy, as gradients require."""
    return torch.ops.aten._to_copy.default(tensor, dtype=dtype)


def _convert_to_number(
    tensor: torch.Tensor, number: int, input_number: int | None = None
) -> torch.Tensor:
    """Convert between types given as numbers; the input may be stored as another type."""
    for one in (number, input_number):
        if one is not None and _dtype(one) is None:
            why = f"PyTorch's kernels do not have the type {one}"
            refusal("npu::npu_dtype_cast", why)()
    if input_number is not None and _dtype(input_number) != tensor.dtype:
        why = f"input_dtype is {_dtype(input_number)}, of a tensor of {tensor.dtype}"
        refusal("npu::npu_dtype_cast", why)()
    return _convert(tensor, _dtype(number))


@cache
def _dtype(number: int) -> torch.dtype | None:
    """Return the type for PyTorch's number, or for torch_npu's, which begin at 256."""
    import torch_npu

    if number < 256:
        return torch.ops.aten.empty.memory_format([0], dtype=number).dtype
    for name, other in vars(torch_npu).items():
        dtype = getattr(torch, name, None)
        if other == number and isinstance(dtype, torch.dtype):
            try:
                torch.zeros(1).to(dtype)
            except (NotImplementedError, RuntimeError):  # types of less than a byte
                return None
            return dtype
    return None


#: kernels by operator name, without ``npu::``
CASTS: Final[dict[str, Callable[..., Any]]] = {
    "npu_format_cast": _copy,
    "npu_format_cast.Tensor": _copy,
    "npu_format_cast_": _assign,
    "npu_format_cast_.acl_format": _same,
    "_npu_format_cast": _copy,
    "_npu_format_cast.aclnn": _copy,
    "_npu_format_cast.input_dtype": _copy,
    "npu_dtype_cast": _convert_to_number,
    "npu_dtype_cast_": _assign,
    "npu_dtype_cast_backward": _convert,
    "_npu_dtype_cast": _convert,
    "_npu_dtype_cast_backward": _convert,
}


def register_casts() -> torch.library.Library:
    """Replace torch_npu's kernels while the returned object is alive."""
    library = torch.library.Library("npu", "IMPL")
    for name, kernel in CASTS.items():
        library.impl(name, kernel, NPU, allow_override=True)
    return library
