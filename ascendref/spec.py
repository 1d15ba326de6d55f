"""Operators: what a declaration says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Final, NamedTuple

import numpy as np

from .dtypes import FLOATS, ElementType, names, promote
from .errors import ArgumentTypeError, ArgumentValueError
from .kernels.formula import Formula

Shape = tuple[int, ...]
Types = tuple[ElementType, ...]


class TensorParam(NamedTuple):
    """A tensor argument."""

    #: name in the array functions; the vendor's is the same in camelCase
    name: str
    #: element types that it may have
    types: Types = FLOATS


class ScalarParam(NamedTuple):
    """A scalar argument."""

    #: name in the array functions; the vendor's is the same in camelCase
    name: str
    #: least value; NaN is refused where there is one
    least: float | None = None
    #: the integers that are allowed, by name; None for any real number
    choices: dict[str, int] | None = None


def promoted(types: Types) -> ElementType:
    """Round the result to the type in which all tensors meet."""
    return promote(*types)


@dataclass(frozen=True, eq=False, repr=False)
class Operator:
    """An operator, declared once: the array function and all tables follow from it."""

    #: name of the array function
    name: str
    #: name in the vendor's API
    api: str
    #: tensor arguments, in order
    tensors: tuple[TensorParam, ...]
    #: scalar arguments, in order
    scalars: tuple[ScalarParam, ...]
    #: names of the results
    outputs: tuple[str, ...]
    #: formula of the first result
    formula: Formula
    #: shapes of the results, from the operator and the shapes of its tensors
    shapes: Callable[[Operator, tuple[Shape, ...]], tuple[Shape, ...]]
    #: the type to which the formula's value is rounded, from the types of the tensors
    result: Callable[[Types], ElementType] = promoted
    #: whether all tensors, results included, have one type
    same_type: bool = False
    #: formula of what the second result sums per channel of the second tensor
    channel_term: Formula | None = None

    def __repr__(self) -> str:
        return f"<Operator {self.name}>"

    def check_types(self, types: Types) -> None:
        """Raise ArgumentTypeError unless the tensors may have these types together."""
        for tensor, kind in zip(self.tensors, types, strict=True):
            if kind not in tensor.types:
                raise ArgumentTypeError(
                    tensor.name, f"has type {kind.name}; allowed are {names(tensor.types)}"
                )
        if self.same_type:
            first = self.tensors[0].name
            for tensor, kind in zip(self.tensors, types, strict=True):
                if kind is not types[0]:
                    raise ArgumentTypeError(
                        tensor.name,
                        f"has type {kind.name}, {first} has {types[0].name}; {self.name} takes"
                        " tensors of one type",
                    )

    def check_ranks(self, ranks: tuple[int, ...], highest: int) -> None:
        """Raise ArgumentValueError for a rank above the highest."""
        for tensor, rank in zip(self.tensors, ranks, strict=True):
            if rank > highest:
                raise ArgumentValueError(
                    tensor.name, f"has rank {rank}; ranks 0 to {highest} are allowed"
                )


#: every operator, by the name of its array function
OPERATORS: Final[dict[str, Operator]] = {}


def declare(operator: Operator) -> Operator:
    """Enter an operator into ``OPERATORS``."""
    OPERATORS[operator.name] = operator
    return operator


def check_scalar(param: ScalarParam, value: float) -> float:
    """Return a scalar's value, or raise ArgumentValueError."""
    if param.choices is not None and value not in param.choices.values():
        allowed = ", ".join(f"{number} ({name!r})" for name, number in param.choices.items())
        raise ArgumentValueError(param.name, f"is {value!r}; allowed are {allowed}")
    if param.least is not None and (isnan(value) or value < param.least):
        raise ArgumentValueError(param.name, f"is {value!r}; it must be at least {param.least:g}")
    return value


def broadcast_shapes(operator: Operator, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Shapes that broadcast as NumPy's do."""
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
    """Shapes that are all the same."""
    for tensor, shape in zip(operator.tensors[1:], shapes[1:], strict=True):
        if shape != shapes[0]:
            raise ArgumentValueError(
                tensor.name,
                f"has shape {shape}; {operator.tensors[0].name} has {shapes[0]} and both must be"
                " the same (no broadcasting)",
            )
    return (shapes[0],)
