"""Views: how a formula sees tensors that do not broadcast with the others as they are.

Tensors are split by slices and reshapes alone, so arrays of any library can be split.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final, NamedTuple

Shape = tuple[int, ...]


class View(NamedTuple):
    """One or several arrays that a tensor consists of, and that broadcast with those of others."""

    #: number of the arrays; several lie one after another along an axis of the tensor
    parts: int
    #: ``split(tensor, rank, axis)`` returns the arrays; the rank is that of the data
    split: Callable[[Any, int, int], tuple[Any, ...]]
    #: ``join(namespace, arrays, axis)`` returns the tensor that consists of some arrays, in an
    #: array library; data are then a single row, in which every element is a channel
    join: Callable[[Any, Sequence[Any], int], Any]
    #: ``whole(shape, axis)`` returns the shape of a tensor whose arrays belong to that shape
    whole: Callable[[Shape, int], Shape]
    #: what operands of the function are, for its documentation
    words: str


def channel_shape(rank: int, count: int) -> Shape:
    """Return the shape in which weights of channels, or one of all, broadcast to their data."""
    return () if count == 1 else (count,) + (1,) * (rank - 2)


def channels(shape: Shape) -> int:
    """Return the number of channels of data, which are on axis 1."""
    return shape[1] if len(shape) > 1 else 1


def _halves(tensor: Any, rank: int, axis: int) -> tuple[Any, ...]:
    half, before = tensor.shape[axis] // 2, (slice(None),) * (axis % rank)
    return tensor[(*before, slice(0, half))], tensor[(*before, slice(half, None))]


def _doubled(shape: Shape, axis: int) -> Shape:
    sizes = list(shape)
    sizes[axis] *= 2
    return tuple(sizes)


#: a weight that has one element for each index of axis 1 of the data, or one for all, in any shape
PER_CHANNEL: Final = View(
    parts=1,
    split=lambda tensor, rank, axis: (tensor.reshape(channel_shape(rank, prod(tensor.shape))),),
    join=lambda namespace, arrays, axis: arrays[0].reshape(-1),
    whole=lambda shape, axis: (channels(shape),),
    words="Axis 1 of the first is the channel; the second has one element, or one per channel.",
)
#: the two halves of a tensor along an axis
HALVES: Final = View(
    parts=2,
    split=_halves,
    join=lambda namespace, arrays, axis: namespace.concatenate(arrays, axis),
    whole=_doubled,
    words="Its length along ``dim`` is even;",
)
