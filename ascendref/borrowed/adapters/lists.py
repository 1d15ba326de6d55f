"""Lists of tensors."""

from collections.abc import Sequence

import torch
from torch import Tensor

from .shared import chosen


def foreach(tensors: Sequence[Tensor], number: Tensor, *, function: str) -> list[Tensor]:
    """Return a function of each tensor and of the element of a tensor; some change the tensors."""
    return [getattr(tensor, function)(number.reshape(())) for tensor in tensors]


def foreach_add(
    tensors: Sequence[Tensor],
    others: Sequence[Tensor],
    alpha: Tensor,
    *,
    sign: int,
    function: str = "add",
) -> list[Tensor]:
    """Return each tensor plus or minus a multiple of another, or add that to it."""
    factor = sign * alpha.reshape(())
    pairs = zip(tensors, others, strict=True)
    return [getattr(one, function)(factor * other) for one, other in pairs]


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


def foreach_round(tensors: Sequence[Tensor], mode: Tensor | float) -> list[Tensor]:
    """Return each tensor rounded: 1 ties to even, 2 down, 3 up, 4 ties away, 5 toward zero."""
    if not isinstance(mode, Tensor):
        place = chosen("roundMode", mode, {k: k - 1 for k in range(1, 6)})
        return [_rounded(tensor)[place] for tensor in tensors]
    place = mode.reshape(1).long() - 1
    return [torch.stack(_rounded(x)).index_select(0, place).reshape(x.shape) for x in tensors]


def _rounded(data: Tensor) -> list[Tensor]:
    away = data.sign() * (data.abs() + 0.5).floor()
    return [data.round(), data.floor(), data.ceil(), away, data.trunc()]
