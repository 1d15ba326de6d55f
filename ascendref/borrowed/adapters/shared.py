"""What several adapters compute with, and torch_npu's operators; no row of the table names it."""

from collections.abc import Mapping
from typing import Any, TypeVar

import torch
from torch import Tensor

T = TypeVar("T")


def axis_of(name: str, axis: int, rank: int) -> int:
    """Return an axis counted from the first one."""
    rank = max(rank, 1)
    if not -rank <= axis < rank:
        raise ValueError(f"{name} is {axis}; {-rank} to {rank - 1} are allowed")
    return axis % rank


def chosen(name: str, code: Any, choices: Mapping[Any, T]) -> T:
    """Return the meaning of a parameter's code."""
    if code not in choices:
        raise ValueError(f"{name} is {code!r}; {', '.join(map(str, choices))} are allowed")
    return choices[code]


def packed(flags: Tensor) -> Tensor:
    """Return flags as bytes of eight bits, the lowest first."""
    places = torch.arange(8, dtype=torch.uint8, device=flags.device)
    return (flags.to(torch.uint8).reshape(-1, 8) << places).sum(1).to(torch.uint8)


def unpacked(data: Tensor) -> Tensor:
    """Return the bits of bytes, the lowest first, as 0 and 1."""
    places = torch.arange(8, dtype=torch.uint8, device=data.device)
    return (data.reshape(-1, 1) >> places & 1).reshape(-1)


def smoothed(data: Tensor, smooth: Tensor | None, groups: Tensor | None) -> Tensor:
    """Return rows times factors: the same for all, or those of the group that a row belongs to.

    The groups are given by the numbers of the rows after their last ones.
    """
    if smooth is None:
        return data.float()
    if groups is None:
        return data.float() * smooth.float()
    rows = torch.arange(data.shape[:-1].numel(), device=data.device)
    group = torch.searchsorted(groups.long(), rows, right=True)
    return data.float() * smooth.float()[group].reshape(data.shape)


def asymmetric_rows(value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return rows as INT8 from -128 to 127, the scales, and the offsets added afterwards.

    Rows of equal elements become 0.
    """
    low, high = value.aminmax(dim=-1, keepdim=True)
    scale = (high - low) / 255
    offset = torch.where(scale > 0, 127 - high / scale, 0)
    steps = torch.where(scale > 0, value / scale + offset, 0).round().clamp(-128, 127)
    return steps.to(torch.int8), scale.squeeze(-1), offset.squeeze(-1)


def to_integers(value: Tensor, dtype: torch.dtype) -> Tensor:
    """Return numbers rounded, the even one of two that are equally near, and clamped to a type."""
    limits = torch.iinfo(dtype)
    return value.double().round().clamp(limits.min, limits.max).to(dtype)


def scaled_product(
    one: Tensor, other: Tensor, scale: Tensor, row_scale: Tensor | None, bias: Tensor | None
) -> Tensor:
    """Return a product of matrices of integers times scales of columns and rows, in F32.

    A bias of integers is added before, one of floats afterwards.
    """
    total = torch.matmul(one.double(), other.double())  # exact: integers below 2**53
    if bias is not None and not bias.is_floating_point():
        total = total + bias
    value = total.float() * scale.float()
    if row_scale is not None:
        value = value * row_scale.float().unsqueeze(-1)
    if bias is not None and bias.is_floating_point():
        value = value + bias.float()
    return value
