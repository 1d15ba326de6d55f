"""Tensors without data, of the shapes that tensors of a call must have; see `compute`."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .networks import ctc_loss
from .shared import axis_of


def sized(*sizes: Any) -> Tensor:
    """Return a tensor of given sizes."""
    return torch.empty(*sizes, device="meta")


def with_axis(data: Tensor, dim: int) -> Tensor:
    """Return a tensor that has an axis."""
    axis_of("dim", dim, data.ndim)
    return data


def with_room(out: Tensor, least: int) -> Tensor:
    """Return a tensor that has room for a number of elements."""
    if out.numel() < least:
        raise ValueError(f"out has {out.numel()} elements; minlength is {least}")
    return out


def pooled(data: Tensor, grad: Tensor, *, axes: int) -> Tensor:
    """Return means over windows of the last axes."""
    return sized(*data.shape[:-axes], *grad.shape[-axes:])


def unpooled(data: Tensor, size: Sequence[int]) -> Tensor:
    """Return larger planes or volumes."""
    return sized(*data.shape[: -len(size)], *size)


def convolution_bias(weight: Tensor, transposed: bool, groups: int) -> Tensor:
    """Return the bias of a convolution."""
    return sized(weight.shape[1] * groups if transposed else len(weight))


def windows(sizes: Sequence[int], dim: int, size: int, step: int) -> Tensor:
    """Return windows of an axis."""
    return sized(sizes).unfold(dim, size, step)


def ctc_losses(*given: Any) -> Tensor:
    """Return the CTC losses."""
    return ctc_loss(*given)[0]


def ctc_alphas(*given: Any) -> Tensor:
    """Return the logarithms of probabilities beside the CTC losses."""
    return ctc_loss(*given)[1]


def channels(data: Tensor, training: bool = True, *, used: bool = True) -> Tensor | None:
    """Return an element for each channel, if it is used, in training or without."""
    return sized(data.shape[1:2]) if training is used else None


def batches(one: Tensor, other: Tensor) -> Tensor:
    """Return the first of two batches of matrices."""
    for name, data in (("self", one), ("mat2", other)):
        if data.ndim != 3:
            raise ValueError(f"{name} has rank {data.ndim}; 3 is expected")
    return one


def rows(data: Tensor, normalized: Sequence[int]) -> Tensor:
    """Return an element for each row of a layer norm."""
    last = len(normalized)
    return sized(*data.shape[: data.ndim - last], *[1] * last)
