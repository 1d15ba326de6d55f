"""Checks of ranks and shapes, and the shapes of results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Protocol

import numpy as np

from ..core.errors import ArgumentValueError
from ..core.layout import MAX_RANK
from .fields import TensorParam
from .scalars import ScalarParam
from .views import Shape


class Parameters(Protocol):
    """The parameters of an operator."""

    @property
    def tensors(self) -> tuple[TensorParam, ...]:
        """Its tensors."""

    @property
    def scalars(self) -> tuple[ScalarParam, ...]:
        """Its scalars."""

    def axis(self, scalars: Sequence[float]) -> int:
        """Return the axis along which the arrays of views lie."""


#: the shapes of an operator's results, from those of its tensors and the scalars
Shapes = Callable[[Parameters, tuple[Shape, ...], Sequence[float]], tuple[Shape, ...]]


def check_rank(argument: str, rank: int, least: int = 0) -> None:
    """Raise ArgumentValueError if a rank is too high or too low."""
    if not least <= rank <= MAX_RANK:
        raise ArgumentValueError(
            argument, f"has rank {rank}; ranks {least} to {MAX_RANK} are allowed"
        )


def broadcast_shapes(
    operator: Parameters, shapes: tuple[Shape, ...], scalars: Sequence[float]
) -> tuple[Shape, ...]:
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


def equal_shapes(
    operator: Parameters, shapes: tuple[Shape, ...], scalars: Sequence[float]
) -> tuple[Shape, ...]:
    """Return the shape of the result of tensors that must have equal shapes."""
    for tensor, shape in zip(operator.tensors[1:], shapes[1:], strict=True):
        if shape != shapes[0]:
            raise ArgumentValueError(
                tensor.name,
                f"has shape {shape}; {operator.tensors[0].name} has {shapes[0]} and both must be"
                " the same (no broadcasting)",
            )
    return (shapes[0],)


@cache  # equal rules are one object
def shape_of(model: str, *alike: str) -> Shapes:
    """Return what gives the shape of a tensor, to which the others broadcast.

    Those in ``alike`` must have the same shape.
    """

    def shapes_of(
        operator: Parameters, shapes: tuple[Shape, ...], scalars: Sequence[float]
    ) -> tuple[Shape, ...]:
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


def half_shape(
    operator: Parameters, shapes: tuple[Shape, ...], scalars: Sequence[float]
) -> tuple[Shape, ...]:
    """Return the shape of each half of ``self`` along an axis."""
    shape, axis = shapes[-1], operator.axis(scalars)
    if not shape:
        raise ArgumentValueError("self", f"has rank 0; ranks 1 to {MAX_RANK} are allowed")
    if not -len(shape) <= axis < len(shape):
        name = next(param.name for param in operator.scalars if param.is_axis)
        raise ArgumentValueError(
            name, f"is {axis}; {-len(shape)} to {len(shape) - 1} are allowed for shape {shape}"
        )
    if shape[axis] % 2:
        raise ArgumentValueError(
            "self", f"has shape {shape}; its length on axis {axis} must be even"
        )
    halved = list(shape)
    halved[axis] //= 2
    return (tuple(halved),)


def shape_of_halves(
    operator: Parameters, shapes: tuple[Shape, ...], scalars: Sequence[float]
) -> tuple[Shape, ...]:
    """Return the shape of ``self``; the first tensor has that of its halves."""
    (half,) = half_shape(operator, shapes, scalars)
    if shapes[0] != half:
        raise ArgumentValueError(
            operator.tensors[0].name,
            f"has shape {shapes[0]}; {half}, the shape of a half of self, is expected",
        )
    return shapes[-1:]
