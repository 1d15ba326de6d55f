"""Elementwise functions."""

from typing import Any

import torch
from torch import Tensor

from .shared import chosen


def divided(one: Tensor, other: Any, mode: int, *, function: str = "div") -> Tensor:
    """Return a quotient, rounded to zero for mode 1 and down for mode 2, or put it in its place."""
    value: Tensor = getattr(one, function)(other, rounding_mode=chosen("mode", mode, _ROUNDING))
    return value


_ROUNDING = {0: None, 1: "trunc", 2: "floor"}


def rounded(data: Tensor, decimals: int) -> Tensor:
    """Return numbers rounded to some decimals, half to even; integers if these are negative."""
    if data.is_floating_point():
        return data.round(decimals=decimals)
    if decimals >= 0:
        return data.clone()
    if decimals < -18:
        raise ValueError(f"decimals is {decimals}; -18 or more is allowed for integers")
    step, wide = 10**-decimals, data.long()
    down = wide.div(step, rounding_mode="floor")
    rest = wide - down * step
    up = (rest > step - rest) | ((rest == step - rest) & (down % 2 == 1))
    return ((down + up) * step).to(data.dtype)


def rounded_(data: Tensor, decimals: int) -> Tensor:
    """Round numbers in place, as `rounded` does."""
    return data.copy_(rounded(data, decimals))


def added(one: float, other: Tensor, alpha: float) -> Tensor:
    """Return a number plus a multiple of a tensor."""
    return one + alpha * other


def added_(one: float, other: Tensor, alpha: float) -> Tensor:
    """Replace a tensor by a number plus a multiple of it."""
    return other.mul_(alpha).add_(one)


def scaled(
    data: Tensor, scale: Tensor, bias: Tensor | None, axis: int, count: int, from_blob: bool
) -> Tensor:
    """Return multiples plus a bias, with numbers for each place of some axes from one on.

    A scale from a blob comes with a count of axes, where -1 means all; otherwise it has these axes.
    """
    axis = axis + data.ndim if axis < 0 else axis
    if not from_blob:
        count = scale.ndim
    elif count == -1:
        count = data.ndim - axis
    shape = data.shape[axis : axis + count]
    if len(shape) != count or any(x.shape != shape for x in (scale, bias) if x is not None):
        raise ValueError(f"scale and bias must have shape {tuple(shape)}, with {count} axes")
    placed = (*shape, *[1] * (data.ndim - axis - count))
    value = data.float() * scale.float().reshape(placed)
    return value if bias is None else value + bias.float().reshape(placed)


def fill_(data: Tensor, value: Tensor) -> Tensor:
    """Fill a tensor with an element."""
    return data.fill_(value.reshape(()))


def add_relu(data: Tensor, other: Tensor, alpha: float) -> Tensor:
    """Return a sum where it is positive, else 0."""
    return torch.add(data, other, alpha=alpha).relu()


def add_relu_(data: Tensor, other: Tensor, alpha: float) -> Tensor:
    """Add to a tensor, and replace negative elements by 0."""
    return data.add_(other, alpha=alpha).relu_()


def shrunk(data: Tensor, limit: float, bias: float | None) -> Tensor:
    """Return elements outside of an interval, nearer to 0 by the bias, and 0 in it."""
    bias = 0 if bias is None else bias
    inside = torch.where(data < -limit, data + bias, torch.zeros_like(data))
    return torch.where(data > limit, data - bias, inside)
