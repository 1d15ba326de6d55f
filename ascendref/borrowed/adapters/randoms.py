"""Random numbers, of which the seed and the offset decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor


def _generator(seed: int, offset: int) -> torch.Generator:
    """Return a generator for a seed and an offset."""
    generator = torch.Generator()
    generator.manual_seed((seed * 1_000_003 + offset) % 2**64)
    return generator


def uniform_(data: Tensor, low: float, high: float, seed: int, offset: int) -> Tensor:
    """Fill a tensor with uniformly distributed numbers."""
    return data if data.is_meta else data.uniform_(low, high, generator=_generator(seed, offset))


def normal_(data: Tensor, mean: float, std: float, seed: int, offset: int) -> Tensor:
    """Fill a tensor with normally distributed numbers."""
    return data if data.is_meta else data.normal_(mean, std, generator=_generator(seed, offset))


def random_(data: Tensor, low: int, high: int, seed: int, offset: int) -> Tensor:
    """Fill a tensor with integers from a low one to below a high one."""
    return data if data.is_meta else data.random_(low, high, generator=_generator(seed, offset))


def normal(mean: Any, std: Any, seed: int, offset: int, out: Tensor) -> Tensor:
    """Return normally distributed numbers, with means and deviations of one or each."""
    normal = torch.empty_like(out)
    return torch.add(normal_(normal, 0, 1, seed, offset) * std, mean)


def bernoulli(data: Tensor, chance: Any, seed: int, offset: int) -> Tensor:
    """Return ones with a chance, of all elements or of each, and zeros."""
    return bernoulli_(torch.empty_like(data), chance, seed, offset)


def bernoulli_(data: Tensor, chance: Any, seed: int, offset: int) -> Tensor:
    """Fill a tensor with ones with a chance, of all elements or of each, and zeros."""
    return data if data.is_meta else data.bernoulli_(chance, generator=_generator(seed, offset))


def randperm(n: int, seed: int, offset: int, out: Tensor) -> Tensor:
    """Return the integers below a number in random order."""
    if out.is_meta:
        return out.new_empty(n)
    return torch.randperm(n, generator=_generator(seed, offset)).to(out.dtype)


def multinomial(data: Tensor, count: int, replacement: bool, seed: int, offset: int) -> Tensor:
    """Return indices that are drawn with chances in proportion to the data's rows."""
    if data.is_meta:
        return data.new_empty((*data.shape[:-1], count), dtype=torch.int64)
    return torch.multinomial(data, count, replacement, generator=_generator(seed, offset))


def _bits(shape: Sequence[int], chance: float, seed: int, offset: int) -> Tensor:
    """Return ones with a chance as bytes of eight bits, the lowest first, 128 bits at a time."""
    count = torch.Size(shape).numel()
    kept = torch.zeros(-(-count // 128) * 128, dtype=torch.uint8)
    kept[:count] = torch.rand(count, generator=_generator(seed, offset)) < chance
    powers = torch.tensor([1, 2, 4, 8, 16, 32, 64, 128], dtype=torch.uint8)
    return (kept.reshape(-1, 8) * powers).sum(1).to(torch.uint8)


def _masked(data: Tensor, mask: Tensor, factor: float) -> Tensor:
    """Return multiples of the elements whose bits are 1, and 0 for others."""
    places = torch.arange(8, dtype=torch.uint8, device=mask.device)
    kept = (mask.reshape(-1, 1) >> places & 1).reshape(-1)[: data.numel()]
    return torch.where(kept.reshape(data.shape) == 1, data * factor, 0)


def dropout_mask(
    shape: Sequence[int], chance: float, seed: int, offset: int, out: Tensor
) -> Tensor:
    """Return bits, of which those of elements to drop, with a chance, are 0."""
    if out.is_meta:
        return out.new_empty(-(-torch.Size(shape).numel() // 128) * 16)
    return _bits(shape, 1 - chance, seed, offset)


def dropout(
    data: Tensor, chance: float, train: bool, seed: int, offset: int, mask: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the elements that are not dropped, divided by their chance, and the mask."""
    if not train:
        return data, torch.full_like(mask, 255)
    bits = dropout_mask(data.shape, chance, seed, offset, mask)
    return dropout_do_mask(data, bits, chance), bits


def dropout_do_mask(data: Tensor, mask: Tensor, chance: float) -> Tensor:
    """Return the elements whose bits are 1, divided by their chance."""
    return _masked(data, mask, 1 / (1 - chance) if chance < 1 else 0)


def dropout_backward(grad: Tensor, mask: Tensor, scale: float) -> Tensor:
    """Return multiples of the gradients whose bits are 1."""
    return _masked(grad, mask, scale)
