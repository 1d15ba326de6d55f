"""Convolutions whose places of samples are given."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from .formulas import Tensors, formula, gradients, refuse


def _samples(x: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return linear interpolations of images at places between elements, 0 outside.

    The images have the axes batch, group, channel, row and column; places are those of a group.
    """
    height, width = x.shape[-2:]
    elements, found = x.flatten(-2), torch.zeros((), device=x.device)
    top, left = rows.detach().floor(), columns.detach().floor()
    for down, right in ((0, 0), (0, 1), (1, 0), (1, 1)):
        row, column = top + down, left + right
        share = rows - top if down else 1 - (rows - top)
        share = share * (columns - left if right else 1 - (columns - left))
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        place = (row * width + column).where(inside, 0).long().flatten(2).unsqueeze(2)
        values = elements.gather(-1, place.expand(*x.shape[:3], -1))
        found = found + values * (share * inside).flatten(2).unsqueeze(2)
    return found


@formula()
def npu_deformable_conv2d(
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    bias: Tensor | None,
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
    deformable_groups: int,
    modulated: bool,
) -> Tensors:
    """Deformable convolution; also returns the samples.

    The offset has, for each group of channels and each element of the kernel, how far to the right
    and then how far down samples are from the elements of a usual convolution, then their factors.
    """
    if not modulated or kernel_size[0] != kernel_size[1]:
        refuse("except for modulated square kernels")
    size = kernel_size[0]
    parts = offset.float().unflatten(1, (3, deformable_groups, size * size)).unbind(1)
    columns, rows, factors = parts
    steps = [torch.arange(count, device=input.device) for count in (size, *offset.shape[2:])]
    taps, downs, rights = steps
    rows = rows + (taps * dilation[2]).repeat_interleave(size).reshape(-1, 1, 1)
    rows = rows + (downs * stride[2] - padding[0]).reshape(-1, 1)
    columns = columns + (taps * dilation[3]).repeat(size).reshape(-1, 1, 1)
    columns = columns + rights * stride[3] - padding[2]
    wide = input.float().unflatten(1, (deformable_groups, -1))
    found = _samples(wide, rows, columns) * factors.flatten(2).unsqueeze(2)
    found = found.unflatten(-1, (size, size, *offset.shape[2:])).flatten(1, 2)
    found = found.permute(0, 1, 4, 2, 5, 3).flatten(4).flatten(2, 3).to(input.dtype)
    return torch.conv2d(found, weight, bias, size, groups=groups), found.detach()


@formula(ignored="offset_out")
def npu_deformable_conv2dbk(
    input: Tensor, grad_output: Tensor, weight: Tensor, offset: Tensor, **others: Any
) -> Tensors:
    """Gradients of `npu_deformable_conv2d` for input, weight, offset and bias."""
    bias = weight.new_zeros(len(weight))
    forward = partial(npu_deformable_conv2d, **others)
    return gradients(forward, [input, weight, offset, bias], grad_output)
