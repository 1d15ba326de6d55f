"""Integers for floats, and back."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

from ...borrowed.adapters.quantization import (
    add_rms_norm_quantized,
    dequantized,
    divided_to_integers,
    quantized,
    quantized_rows,
    sign_bits_packed,
    sign_bits_unpacked,
)
from ...borrowed.adapters.shared import asymmetric_rows, scaled_product, smoothed
from ...borrowed.layouts import unpacked_int4
from ...core.dtypes import DataType
from .formulas import Tensors, formula, one_of, refuse

#: PyTorch's numbers of types
_INT8: Final = 1
_PAIR_OF_INT4: Final = 16
_NUMBERS: Final = {1: torch.int8, 12: torch.int8, 13: torch.uint8, 3: torch.int32, 14: torch.int32}
_FLOATS: Final = {5: torch.float16, 15: torch.bfloat16}


def _only_int8(dst_type: int | None) -> None:
    if dst_type not in (None, _INT8):
        refuse(f"with dst_type {dst_type}")


@formula()
def npu_dynamic_quant(
    input: Tensor, smooth_scales: Tensor | None, group_index: Tensor | None, dst_type: int | None
) -> Tensors:
    """Rows as INT8, the largest magnitude as 127, and the scales."""
    _only_int8(dst_type)
    return quantized_rows(input, smooth_scales, group_index)


@formula()
def npu_dynamic_quant_asymmetric(
    input: Tensor, smooth_scales: Tensor | None, group_index: Tensor | None, dst_type: int | None
) -> Tensors:
    """Rows as INT8 from -128 to 127, the scales, and the offsets added afterwards.

    Rows of equal elements become 0.
    """
    _only_int8(dst_type)
    return asymmetric_rows(smoothed(input, smooth_scales, group_index))


@formula()
def npu_quantize(
    input: Tensor, scales: Tensor, zero_points: Tensor | None, dtype: int, axis: int, div_mode: bool
) -> Tensor:
    """x / scale + zero point as integers, with div_mode False x·scale + zero point.

    There is one scale, or one for each place of an axis: with div_mode False, the last one, or
    the last but one if the axis is -2.
    """
    kind = _NUMBERS.get(dtype)
    if kind is None or (not div_mode and kind != torch.int8):
        refuse(f"with dtype {dtype}")
    if not div_mode:
        axis = -2 if axis == -2 else -1
        return quantized(input, scales, zero_points, False, None, DataType.ACL_INT8, axis)
    return divided_to_integers(input, scales, zero_points, kind, axis)


@formula()
def npu_add_rms_norm_quant(
    x1: Tensor,
    x2: Tensor,
    gamma: Tensor,
    scales1: Tensor,
    zero_points1: Tensor | None,
    beta: Tensor | None,
    scales2: Tensor | None,
    zero_points2: Tensor | None,
    axis: int,
    epsilon: float,
    div_mode: bool,
    dst_type: int | None,
) -> Tensors:
    """`npu_quantize` of the RMS norm of x1 + x2, plus β, with one or two scales, and the sum.

    Without a second scale, the second result is 0.
    """
    _only_int8(dst_type)
    one_of("axis", axis, (-1,))
    first, second, total, _ = add_rms_norm_quantized(
        x1, x2, gamma, scales1, scales2, zero_points1, zero_points2, epsilon, div_mode, beta
    )
    return first, torch.zeros_like(first) if second is None else second, total.to(x1.dtype)


@formula()
def npu_anti_quant(
    x: Tensor, scale: Tensor, offset: Tensor | None, dst_dtype: int | None, src_dtype: int | None
) -> Tensor:
    """(x + offset)·scale of INT8, with one scale or one for each place of the last axis.

    Integers of 32 bits are eight of INT4 each, the lowest first.
    """
    one_of("src_dtype", src_dtype, (None, _INT8, _PAIR_OF_INT4))
    x = unpacked_int4(x) if x.dtype == torch.int32 else x
    one_of("dst_dtype", 5 if dst_dtype is None else dst_dtype, tuple(_FLOATS))
    kind = DataType.ACL_BF16 if dst_dtype == 15 else DataType.ACL_FLOAT16
    return dequantized(x, scale, offset, kind, False)


@formula()
def npu_quant_matmul(
    x1: Tensor,
    x2: Tensor,
    scale: Tensor,
    pertoken_scale: Tensor | None,
    bias: Tensor | None,
    output_dtype: int | None,
) -> Tensor:
    """(x1·x2 + bias)·scale·scale of the row, of INT8 matrices; a bias of floats is added last."""
    if x1.dtype != torch.int8 or x2.dtype != torch.int8 or not scale.is_floating_point():
        refuse("except for INT8 matrices with a scale of floats")
    if output_dtype not in _FLOATS:
        refuse(f"with output_dtype {output_dtype}")
    if pertoken_scale is None and _FLOATS[output_dtype] != torch.bfloat16:
        refuse("for F16 without pertoken_scale, where a device cuts the scale,")
    value = scaled_product(x1, x2, scale, pertoken_scale, bias)
    return value.to(_FLOATS[output_dtype])


@formula("_quantize_per_channel_impl.out", ignored="dtype")
def quantize_per_channel(
    inputs: Tensor, scales: Tensor, zero_points: Tensor, axis: int, result: Tensor
) -> Tensor:
    """x / scale + zero point as the integers of a quantized tensor, for each place of an axis."""
    return result.copy_(divided_to_integers(inputs, scales, zero_points, result.dtype, axis))


@formula("_quantize_per_tensor_impl.out", ignored="dtype")
def quantize_per_tensor(
    inputs: Tensor, scales: Tensor, zero_points: Tensor, result: Tensor
) -> Tensor:
    """`quantize_per_channel` with one scale."""
    return quantize_per_channel(inputs, scales, zero_points, -1, result)


@formula()
def npu_sign_bits_pack(input: Tensor, size: int) -> Tensor:
    """Signs of numbers as bits, the first one the lowest: 0 for negative ones and at the end."""
    return sign_bits_packed(input, size)


@formula()
def npu_sign_bits_unpack(input: Tensor, size: int, dtype: torch.dtype) -> Tensor:
    """1 for bits that are 1, and -1 for others, the lowest first."""
    return sign_bits_unpacked(input, size, dtype)
