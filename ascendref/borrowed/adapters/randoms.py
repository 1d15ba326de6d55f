"""Random numbers, determined by seed and offset."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .shared import packed, unpacked


def _generator(seed: int | Tensor, *offsets: Any) -> torch.Generator | None:
    """Return a generator for a seed and an offset.

    These may be elements of tensors, which are read when the task runs, and to which a number is
    added: then the offset has two parts. There is no generator for tensors without data.
    """
    if isinstance(seed, Tensor):
        start, offset = offsets
        if seed.numel() != 1 or start.numel() != 1:
            raise ValueError("seedTensor and offsetTensor must have one element")
        if seed.is_meta:
            return None
        return _generator(int(seed.item()), int(start.item()) + offset)
    generator = torch.Generator()
    generator.manual_seed((seed * 1_000_003 + offsets[0]) % 2**64)
    return generator


def drawn_(data: Tensor, *given: Any, function: str) -> Tensor:
    """Fill a tensor with random numbers of a distribution: its parameters, and a seed."""
    first = -3 if isinstance(given[-2], Tensor) else -2
    generator = _generator(*given[first:])
    if not data.is_meta:
        getattr(data, function)(*given[:first], generator=generator)
    return data


def exponential_(data: Tensor, count: int, rate: float, seed: int, offset: int) -> Tensor:
    """Fill a tensor with exponentially distributed numbers; their count is that of its elements."""
    if count != data.numel():
        raise ValueError(f"count is {count}; the number of elements, {data.numel()}, is expected")
    if rate <= 0:
        raise ValueError(f"lambda is {rate}; it must be above 0")
    return drawn_(data, rate, seed, offset, function="exponential_")


def _slopes(
    data: Tensor, noise: Tensor, lower: float, upper: float, train: bool, seed: int, offset: int
) -> Tensor | float:
    """Return slopes for elements that are not positive, drawn in training, when noise gets all."""
    if data.shape != noise.shape:
        raise ValueError(f"noise has shape {tuple(noise.shape)}; that of self is expected")
    if not train:
        return (lower + upper) / 2
    if not data.is_meta:
        drawn = torch.empty(data.shape, dtype=noise.dtype)
        drawn_(drawn, lower, upper, seed, offset, function="uniform_")
        noise.copy_(torch.where(data > 0, 1, drawn))
    return noise


def rrelu(data: Tensor, noise: Tensor, *drawn: Any) -> Tensor:
    """Return elements that are positive, and multiples of others."""
    return torch.where(data > 0, data, data * _slopes(data, noise, *drawn))


def rrelu_(data: Tensor, noise: Tensor, *drawn: Any) -> Tensor:
    """Replace a tensor as `rrelu`."""
    return data.copy_(rrelu(data, noise, *drawn))


def normal(mean: Any, std: Any, seed: int, offset: int, out: Tensor) -> Tensor:
    """Return normally distributed numbers, with means and deviations of one or each."""
    normal = drawn_(torch.empty_like(out), 0, 1, seed, offset, function="normal_")
    return torch.add(normal * std, mean)


def bernoulli(data: Tensor, *given: Any) -> Tensor:
    """Return ones with a chance, of all elements or of each, and zeros."""
    return drawn_(torch.empty_like(data), *given, function="bernoulli_")


def randperm(n: int, seed: int, offset: int, out: Tensor) -> Tensor:
    """Return the integers below a number in random order."""
    if out.is_meta:
        # up to there, each integer is a number of the type
        is_float = out.is_floating_point()
        limit = int(2 / torch.finfo(out.dtype).eps) if is_float else torch.iinfo(out.dtype).max
        if n - 1 > limit:
            raise ValueError(f"n is {n}; {out.dtype} allows up to {limit + 1}")
        return out.new_empty(n)
    return torch.randperm(n, generator=_generator(seed, offset), dtype=out.dtype)


def multinomial(data: Tensor, count: int, replacement: bool, seed: int, offset: int) -> Tensor:
    """Return indices that are drawn with chances in proportion to the data's rows."""
    if data.is_meta:
        return data.new_empty((*data.shape[:-1], count), dtype=torch.int64)
    return torch.multinomial(data, count, replacement, generator=_generator(seed, offset))


def _masked(data: Tensor, mask: Tensor, factor: float) -> Tensor:
    """Return multiples of the elements whose bits are 1, and 0 for others."""
    kept = unpacked(mask)[: data.numel()]
    return torch.where(kept.reshape(data.shape) == 1, data * factor, 0)


def dropout_mask(shape: Sequence[int], chance: float, *given: Any) -> Tensor:
    """Return bits for a shape, the lowest of each byte first, 128 at a time.

    The bit of an element that is dropped is 0, as are those after the last one. What is given are
    a seed and the tensor for the result.
    """
    *seed, out = given
    generator, count = _generator(*seed), torch.Size(shape).numel()
    if out.is_meta:
        return out.new_empty(-(-count // 128) * 16)
    kept = torch.zeros(-(-count // 128) * 128, dtype=torch.uint8)
    kept[:count] = torch.rand(count, generator=generator) < 1 - chance
    return packed(kept)


def dropout(
    data: Tensor, chance: float, train: bool, seed: int, offset: int, mask: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the elements that are not dropped, divided by their chance, and the mask."""
    if not 0 <= chance <= 1:
        raise ValueError(f"p is {chance}; 0 to 1 are allowed")
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
