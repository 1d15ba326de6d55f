"""Quantisation, and scales of losses."""

from __future__ import annotations

import torch
from torch import Tensor

from ...core.dtypes import DataType


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
    shape = [1] * data.ndim
    shape[axis] = -1
    factor = scale.float().reshape(shape)
    value = data.float() * (factor * factor if squared else factor)
    if offset is not None:
        value = value + offset.float().reshape(shape)
    return _ROUNDED[mode or "round"](value).clamp(-128, 127).to(torch.int8)


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


def quantized_rows(data: Tensor, smooth: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return rows as INT8, of which the largest becomes 127, and what they are divided by."""
    value = data.float() if smooth is None else data.float() * smooth.float()
    scale = value.abs().amax(-1, True) / 127
    steps = torch.where(scale > 0, value / scale, 0)
    return steps.round().to(torch.int8), scale.squeeze(-1)


def fake_quantized(
    data: Tensor, scale: Tensor, zero: Tensor, enabled: float, least: int, most: int
) -> tuple[Tensor, Tensor]:
    """Return data rounded as if they were quantised, and which were not clamped."""
    if not enabled:
        return data, torch.ones_like(data, dtype=torch.bool)
    steps = torch.round(data / scale.reshape(())) + zero.reshape(())
    value = (steps.clamp(least, most) - zero.reshape(())) * scale.reshape(())
    return value, (steps >= least) & (steps <= most)


def fake_quantized_channels(
    data: Tensor, scale: Tensor, zero: Tensor, axis: int, least: int, most: int
) -> tuple[Tensor, Tensor]:
    """Return `fake_quantized` data with a scale for each channel."""
    shape = [1] * data.ndim
    shape[axis] = -1
    steps = torch.round(data / scale.reshape(shape)) + zero.reshape(shape)
    value = (steps.clamp(least, most) - zero.reshape(shape)) * scale.reshape(shape)
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
