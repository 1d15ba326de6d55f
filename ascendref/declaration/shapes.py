"""Checks of ranks and shapes, and the shapes of results."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..core.errors import ArgumentValueError
from ..core.layout import MAX_RANK

if TYPE_CHECKING:
    from .operator import Operator

Shape = tuple[int, ...]
#: the shapes of an operator's results, from those of its tensors
Shapes = Callable[["Operator", tuple[Shape, ...]], tuple[Shape, ...]]


def check_rank(argument: str, rank: int, least: int = 0) -> None:
    """Raise ArgumentValueError if a rank is too high or too low."""
    if not least <= rank <= MAX_RANK:
        raise ArgumentValueError(
            argument, f"has rank {rank}; ranks {least} to {MAX_RANK} are allowed"
        )


def broadcast_shapes(operator: Operator, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Return the shape of the result of tensors that broadcast as in NumPy."""
    if len(set(shapes)) == 1:
        return shapes[:1]
    try:
        return (np.broadcast_shapes(*shapes),)
    except ValueError:
        for tensor, shape, before in zip(operator.tensors[1:], shapes[1:], shapes, strict=False):
            try:
                np.broadcast_shapes(before, shape)
            except ValueError:
                raise ArgumentValueError(
                    tensor.name,
                    f"has shape {shape}, which does not broadcast with {before} of"
                    f" {operator.tensors[shapes.index(before)].name}",
                ) from None
        raise ArgumentValueError(
            operator.tensors[-1].name,
            f"has shape {shapes[-1]}, which does not broadcast with {shapes[:-1]} of the others",
        ) from None


def equal_shapes(operator: Operator, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Return the shape of the result of tensors that must have equal shapes."""
    for tensor, shape in zip(operator.tensors[1:], shapes[1:], strict=True):
        if shape != shapes[0]:
            raise ArgumentValueError(
                tensor.name,
                f"has shape {shape}; {operator.tensors[0].name} has {shapes[0]} and both must be"
                " the same (no broadcasting)",
            )
    return (shapes[0],)


def shape_of(model: str, *alike: str) -> Shapes:
    """Return what gives the shape of a tensor, to which the others broadcast.

    Those in ``alike`` must have the same shape.
    """

    def shapes_of(operator: Operator, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
        named = dict(zip([tensor.name for tensor in operator.tensors], shapes, strict=True))
        result = named[model]
        for name, shape in named.items():
            if name in alike and shape != result:
                raise ArgumentValueError(
                    name, f"has shape {shape}; {model} has {result} and both must be the same"
                )
            try:
                fits = np.broadcast_shapes(shape, result) == result
            except ValueError:
                fits = False
            if not fits:
                raise ArgumentValueError(
                    name, f"has shape {shape}, which does not broadcast to {result} of {model}"
                )
        return (result,)

    return shapes_of
