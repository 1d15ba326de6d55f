"""Quantisation, and scales of losses."""

from typing import Any

import torch
from torch import Tensor

from ...core.dtypes import DataType
from .normalization import add_rms_norm
from .shared import (
    asymmetric_rows,
    axis_of,
    chosen,
    packed,
    scaled_product,
    smoothed,
    to_integers,
    unpacked,
)


def _along(values: Tensor, data: Tensor, axis: int) -> Tensor:
    """Return F32 numbers, one or one for each place of an axis, to be broadcast."""
    shape = [1] * data.ndim
    shape[axis_of("axis", axis, data.ndim)] = -1
    return values.float().reshape(shape)


def quantized(
    data: Tensor,
    scale: Tensor,
    offset: Tensor | None,
    squared: bool,
    mode: str | None,
    dtype: int,
    axis: int = -1,
) -> Tensor:
    """Return multiples of data plus an offset, as INT8; one factor, or one for each place."""
    if dtype != DataType.ACL_INT8:
        raise ValueError(f"dstType is {dtype}; ACL_INT8 (2) is expected")
    factor = _along(scale, data, axis)
    value = data.float() * (factor * factor if squared else factor)
    if offset is not None:
        value = value + _along(offset, data, axis)
    return chosen("roundMode", mode or "round", _ROUNDED)(value).clamp(-128, 127).to(torch.int8)


_ROUNDED = {"round": torch.round, "floor": torch.floor, "ceil": torch.ceil, "trunc": torch.trunc}


def dequantized(
    data: Tensor, scale: Tensor, offset: Tensor | None, dtype: int, squared: bool
) -> Tensor:
    """Return multiples of INT8 data plus an offset, as F16 or BF16."""
    if dtype not in (DataType.ACL_FLOAT16, DataType.ACL_BF16):
        raise ValueError(f"dstType is {dtype}; ACL_FLOAT16 (1) or ACL_BF16 (27) is expected")
    factor = scale.float()
    value = data.float() if offset is None else data.float() + offset.float()
    value = value * (factor * factor if squared else factor)
    return value.to(torch.float16 if dtype == DataType.ACL_FLOAT16 else torch.bfloat16)


def quantized_rows(
    data: Tensor, smooth: Tensor | None, groups: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Return rows as INT8, the largest magnitude as 127, and the scales."""
    value = smoothed(data, smooth, groups)
    scale = value.abs().amax(-1, True) / 127
    steps = torch.where(scale > 0, value / scale, 0)
    return steps.round().to(torch.int8), scale.squeeze(-1)


def dynamic_quantized(
    data: Tensor, smooth: Tensor | None, groups: Tensor | None, dtype: int, offset: Tensor | None
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Return rows as INT8, the scales and, if requested, the offsets."""
    if dtype != DataType.ACL_INT8:
        raise ValueError(f"dstType is {dtype}; ACL_INT8 (2) is expected")
    if groups is not None and smooth is None:
        raise ValueError("groupIndexOptional is given, but not smoothScalesOptional")
    if offset is None:
        return *quantized_rows(data, smooth, groups), None
    return asymmetric_rows(smoothed(data, smooth, groups))


def divided_to_integers(
    data: Tensor, scales: Tensor, zeros: Tensor | None, dtype: torch.dtype, axis: int
) -> Tensor:
    """Return quotients plus zero points as integers; one scale, or one for each place."""
    if dtype not in (torch.int8, torch.uint8, torch.int32):
        raise ValueError(f"dtype is {dtype}; an integer type of 8 bits, or int32, is expected")
    value = data.float() / _along(scales, data, axis)
    if zeros is not None:
        value = value + _along(zeros, data, axis)
    return to_integers(value, dtype)


def add_rms_norm_quantized(
    one: Tensor,
    other: Tensor,
    gamma: Tensor,
    first: Tensor,
    second: Tensor | None,
    first_zeros: Tensor | None,
    second_zeros: Tensor | None,
    epsilon: float,
    divides: bool,
    beta: Tensor | None = None,
) -> tuple[Tensor, Tensor | None, Tensor, Tensor]:
    """Return the RMS norm of a sum, plus beta, as INT8 with one or two scales, and the sum.

    The last value is the norm itself.
    """
    if second is None and second_zeros is not None:
        raise ValueError("zeroPoints2Optional is given, but not scales2Optional")
    norm, _, total = add_rms_norm(one, other, gamma, epsilon)
    value = norm if beta is None else norm + beta.float()

    def steps(scales: Tensor, zeros: Tensor | None) -> Tensor:
        found = value / scales.float() if divides else value * scales.float()
        return to_integers(found if zeros is None else found + zeros.float(), torch.int8)

    others = None if second is None else steps(second, second_zeros)
    return steps(first, first_zeros), others, total, norm


def quant_matmul(
    one: Tensor,
    other: Tensor,
    scale: Tensor,
    offset: Tensor | None,
    bias: Tensor | None,
    transpose_one: bool,
    transpose_other: bool,
    out: Tensor,
    row_scale: Tensor | None = None,
) -> Tensor:
    """Return a product of INT8 matrices times scales of columns and rows, as F16 or BF16.

    A bias of integers is added before, one of floats afterwards.
    """
    if offset is not None:
        raise ValueError("an offset is given, which only INT8 results have; they are not computed")
    if row_scale is None and out.dtype != torch.bfloat16:
        raise ValueError("without scales of rows, only BF16 results are computed")
    if scale.ndim > 1 or (row_scale is not None and row_scale.ndim > 1):
        raise ValueError("only scales of rank 1 are computed")
    first = one.mT if transpose_one else one
    second = other.mT if transpose_other else other
    return scaled_product(first, second, scale, row_scale, bias).to(out.dtype)


def quant_matmul_v5(
    one: Tensor,
    other: Tensor,
    row_scale: Tensor | None,
    scale: Tensor,
    result_scale: Tensor | None,
    first_offset: Tensor | None,
    second_offset: Tensor | None,
    result_offset: Tensor | None,
    *others: Any,
) -> Tensor:
    """Return `quant_matmul`, without groups."""
    bias, transpose_one, transpose_other, group, out = others
    if group or any(x is not None for x in (result_scale, first_offset, result_offset)):
        raise ValueError("yScale, x1Offset and yOffset must be None, and groupSize 0")
    given = (second_offset, bias, transpose_one, transpose_other, out, row_scale)
    return quant_matmul(one, other, scale, *given)


def sign_bits_packed(data: Tensor, size: int) -> Tensor:
    """Return the signs of numbers as bits, 0 for negative ones and after the last number."""
    if data.ndim != 1:
        raise ValueError(f"self has rank {data.ndim}; 1 is expected")
    flags = (data < 0).logical_not()
    return packed(torch.nn.functional.pad(flags, (0, -len(data) % 8))).reshape(size, -1)


def sign_bits_unpacked(data: Tensor, size: int, dtype: torch.dtype) -> Tensor:
    """Return 1 for bits that are 1, and -1 for others."""
    if data.ndim != 1:
        raise ValueError(f"self has rank {data.ndim}; 1 is expected")
    if dtype not in (torch.float16, torch.float32):
        raise ValueError(f"dtype is {dtype}; F16 or F32 is expected")
    return (unpacked(data).to(dtype) * 2 - 1).reshape(size, -1)


def fake_quantized(
    data: Tensor, scale: Tensor, zero: Tensor, enabled: float, least: int, most: int
) -> tuple[Tensor, Tensor]:
    """Return data rounded as if they were quantised, and which were not clamped."""
    if not enabled:
        return data, torch.ones_like(data, dtype=torch.bool)
    return _fake_quantized(data, scale.reshape(()), zero.reshape(()), least, most)


def fake_quantized_channels(
    data: Tensor, scale: Tensor, zero: Tensor, axis: int, least: int, most: int
) -> tuple[Tensor, Tensor]:
    """Return `fake_quantized` data with a scale for each channel."""
    shape = [1] * data.ndim
    shape[axis] = -1
    return _fake_quantized(data, scale.reshape(shape), zero.reshape(shape), least, most)


def _fake_quantized(
    data: Tensor, scale: Tensor, zero: Tensor, least: int, most: int
) -> tuple[Tensor, Tensor]:
    steps = torch.round(data / scale) + zero
    value = (steps.clamp(least, most) - zero) * scale
    return value, (steps >= least) & (steps <= most)


def updated_scale(
    scale: Tensor, tracker: Tensor, found: Tensor, growth: float, backoff: float, interval: int
) -> tuple[Tensor, Tensor]:
    """Return a scale of losses after a step, and how many steps were without infinities."""
    steps = tracker + 1
    grown = torch.where(steps == interval, scale * growth, scale)
    infinite = found != 0
    kept = torch.where(infinite | (steps == interval), 0, steps)
    return torch.where(infinite, scale * backoff, grown), kept.to(tracker.dtype)
