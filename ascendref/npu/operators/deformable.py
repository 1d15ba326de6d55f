"""Convolutions whose places of samples are given."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .formulas import formula, gradients, refuse


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
    dilation: Any = (1, 1, 1, 1),
    groups: int = 1,
    deformable_groups: int = 1,
    modulated: bool = True,
) -> tuple[Tensor, Tensor]:
    """Deformable convolution; also returns the samples.

    The offset has, for each group of channels and each element of the kernel, how far to the right
    and then how far down samples are from the elements of a usual convolution, then their factors.
    """
    if not modulated or kernel_size[0] != kernel_size[1]:
        refuse("npu_deformable_conv2d", "except for modulated square kernels")
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


@formula()
def npu_deformable_conv2dbk(
    input: Tensor,
    grad_output: Tensor,
    offset_out: Tensor,
    weight: Tensor,
    offset: Tensor,
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: Any = (1, 1, 1, 1),
    groups: int = 1,
    deformable_groups: int = 1,
    modulated: bool = True,
) -> tuple[Tensor, ...]:
    """Gradients of `npu_deformable_conv2d` for input, weight, offset and bias."""

    def forward(x: Tensor, w: Tensor, places: Tensor, b: Tensor) -> Tensor:
        return npu_deformable_conv2d(
            x, w, places, b, kernel_size, stride, padding, dilation, groups, deformable_groups,
            modulated,
        )[0]  # fmt: skip

    bias = weight.new_zeros(len(weight))
    return tuple(gradients(forward, [input, weight, offset, bias], grad_output))
