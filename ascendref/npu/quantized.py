"""Copies of quantized tensors to the host: their integers, with the same scales."""

from __future__ import annotations

from typing import Any, Final

import torch

from .refusals import native_kernel

_TO_COPY: Final = "aten::_to_copy"
_QUANTIZED: Final = "QuantizedPrivateUse1"


def on_host(tensor: torch.Tensor) -> torch.Tensor:
    """Return a quantized tensor of the device as one of the CPU."""
    integers = tensor.int_repr().cpu()
    if tensor.qscheme() == torch.per_tensor_affine:
        numbers = tensor.q_scale(), tensor.q_zero_point()
        return torch._make_per_tensor_quantized_tensor(integers, *numbers)
    scales, points = tensor.q_per_channel_scales(), tensor.q_per_channel_zero_points()
    axis = tensor.q_per_channel_axis()
    return torch._make_per_channel_quantized_tensor(integers, scales.cpu(), points.cpu(), axis)


def register_quantized() -> torch.library.Library:
    """Let quantized tensors be copied to the host while the returned object is alive."""
    library = torch.library.Library("aten", "IMPL")
    stock = native_kernel(_TO_COPY, _QUANTIZED)

    def to_copy(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        device = kwargs.get("device")
        if device is None or torch.device(device).type != "cpu":
            return stock(tensor, *args, **kwargs)
        return on_host(tensor)

    library.impl("_to_copy", to_copy, _QUANTIZED)
    return library
