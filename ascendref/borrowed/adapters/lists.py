"""Lists of tensors."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def foreach(tensors: Sequence[Tensor], number: Tensor, *, function: str) -> list[Tensor]:
    """Return a function of each tensor and of the element of a tensor."""
    return [getattr(torch, function)(tensor, number.reshape(())) for tensor in tensors]


def foreach_(tensors: Sequence[Tensor], number: Tensor, *, function: str) -> list[Tensor]:
    """Replace each tensor, as `foreach`."""
    return [getattr(tensor, function)(number.reshape(())) for tensor in tensors]


def foreach_add(
    tensors: Sequence[Tensor], others: Sequence[Tensor], alpha: Tensor, *, sign: int
) -> list[Tensor]:
    """Return each tensor plus or minus a multiple of another."""
    factor = sign * alpha.reshape(())
    return [one + factor * other for one, other in zip(tensors, others, strict=True)]


def foreach_add_(
    tensors: Sequence[Tensor], others: Sequence[Tensor], alpha: Tensor, *, sign: int
) -> list[Tensor]:
    """Add a multiple of another tensor to each, or subtract it."""
    factor = sign * alpha.reshape(())
    return [one.add_(factor * other) for one, other in zip(tensors, others, strict=True)]


def foreach_addc(
    tensors: Sequence[Tensor],
    first: Sequence[Tensor],
    second: Sequence[Tensor],
    factors: Tensor,
    *,
    function: str,
) -> list[Tensor]:
    """Return each tensor plus a multiple of a product or quotient; one factor may serve all."""
    combine = getattr(torch, function)
    every = factors.reshape(-1).expand(len(tensors)).unbind()
    return [
        one + factor * combine(a, b)
        for one, a, b, factor in zip(tensors, first, second, every, strict=True)
    ]


def copies(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Return a copy of each tensor."""
    return [tensor.clone() for tensor in tensors]
