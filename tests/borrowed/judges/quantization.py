"""Judges of quantisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from .judge import Judge, Type, judged

#: code of the type of quantised data
INT8 = 2


def quantized(
    x: Any, scale: Any, offset: Any, squared: bool, mode: str, _: int, axis: int = -1
) -> Any:
    """Return data as integers of 8 bits."""
    shape = [-1 if k == axis % x.ndim else 1 for k in range(x.ndim)]
    value = x * scale.reshape(shape) ** (2 if squared else 1)
    value = value if offset is None else value + offset.reshape(shape)
    rounded = {"round": np.rint, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}[mode]
    return np.clip(rounded(value), -128, 127)


def quantized_rows(x: Any, smooth: Any) -> Any:
    """Return rows as integers of 8 bits, and their scales."""
    value = x if smooth is None else x * smooth
    scale = abs(value).max(-1) / 127
    return np.rint(value / np.where(scale, scale, 1)[..., None]), scale


def fake_quantized(x: Any, scale: Any, zero: Any, axis: Any, least: int, most: int) -> Any:
    """Return data rounded as if they were quantised, and which were not clamped."""
    shape = [-1 if k == axis else 1 for k in range(x.ndim)]
    scale, zero = scale.reshape(shape), zero.reshape(shape)
    steps = np.rint(x / scale) + zero
    return (np.clip(steps, least, most) - zero) * scale, (steps >= least) & (steps <= most)


def updated_scale(
    scale: Any, tracker: Any, found: Any, growth: float, backoff: float, interval: int
) -> Any:
    """Return a scale that grows after steps without infinities, and the number of those."""
    if found[0]:
        return scale * backoff, np.zeros_like(tracker)
    grows = tracker[0] + 1 == interval
    return scale * (growth if grows else 1), (tracker + 1) * (not grows)


def dequantized(x: Any, scale: Any, offset: Any, _: int, squared: bool) -> Any:
    """Return multiples of integers plus an offset."""
    return (x + (0 if offset is None else offset)) * scale ** (2 if squared else 1)


QUANTIZATION: dict[str, Judge] = {
    "AscendQuant": judged(quantized, "N 3 4", "4 +", "4", False, "round", INT8)
    .also("N 4", "1 +", None, True, "floor", INT8)
    .also("N 4", "1 +", "1", False, "ceil", INT8)
    .also(lambda rng: rng.uniform(-200, 200, (5, 6)), "6 +", "6", False, "trunc", INT8),
    "AscendQuantV3": judged(quantized, "N 3 4", "4 +", "4", False, "round", INT8, -1)
    .also("N 3 4", "3 +", "3", True, "round", INT8, 1)
    .also("N 4", "1 +", None, False, "trunc", INT8, -1),
    "AscendAntiQuant": judged(dequantized, "N 3 4 <100", "4 +", "4", Type, False).also(
        "N 4 <100", "1 +", None, Type, True
    ),
    "DynamicQuant": judged(quantized_rows, "N 3 5", "5")
    .also("N 6", None)
    .also(lambda _: np.zeros((2, 3)), None),
    "FakeQuantPerChannelAffineCachemask": judged(fake_quantized, "3 4 5", "4 +", "4 <3", 1, -3, 4),
    "FakeQuantPerTensorAffineCachemask": judged(
        lambda x, scale, zero, on, least, most: fake_quantized(x, scale, zero, -1, least, most),
        "3 4 5",
        "1 +",
        "1 <3",
        1.0,
        -3,
        4,
    ),
    "AmpUpdateScale": judged(
        updated_scale, lambda _: [8], lambda _: [2], lambda _: [0], 2.0, 0.5, 3
    )
    .also(lambda _: [8], lambda _: [1], lambda _: [0], 2.0, 0.5, 3)
    .also(lambda _: [8], lambda _: [2], lambda _: [1], 2.0, 0.5, 3),
}
