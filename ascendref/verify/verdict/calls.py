"""Calls of operators with results of anyone's, and the exact results of the same calls."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import operators
from ...core.dtypes import BY_NUMPY, ELEMENT_TYPES, FLOAT64, ElementType, names
from ...core.errors import ArgumentTypeError
from ...declaration.fields import Types
from ...declaration.operator import Operator
from ...kernels.arithmetic.arrays import evaluate
from ..rounding import Doubles
from ..scalars import scalar_values
from ..setting import PART, Setting, expanded, named_scalars


class Truth(NamedTuple):
    """What a result must be."""

    #: the exact values as float64, within an ulp of it
    values: Doubles
    #: the exact values, rounded once to the type of the result
    rounded: NDArray[Any]


class Part(NamedTuple):
    """Elements of the first result that one form of the formula computes."""

    setting: Setting
    #: the formula's tensors, of the shape of the part
    tensors: list[Doubles]
    #: the places of its elements in the whole result, in C order
    places: NDArray[np.intp]


class Call:
    """A call of an operator, and what somebody says are its results."""

    def __init__(
        self,
        operator: Operator,
        tensors: Mapping[str, NDArray[Any]],
        scalars: Mapping[str, float | str],
        results: Mapping[str, NDArray[Any]],
        label: str = "",
    ) -> None:
        self.operator = operator
        #: those that are given, by name
        self.tensors = dict(tensors)
        #: all scalars by name, choices by theirs
        self.scalars = named_scalars(operator, scalars)
        #: those that are judged, by name
        self.results = dict(results)
        #: what tells it from other calls
        self.label = label or operator.name
        self._parts: dict[tuple[int, ...], list[Part]] = {}

    def with_others(
        self, tensors: Mapping[str, NDArray[Any]], scalars: Mapping[str, float | str]
    ) -> Call:
        """Return the call with other tensors and scalars."""
        given = self.tensors | dict(tensors), self.scalars | dict(scalars)
        return Call(self.operator, *given, self.results, self.label)

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        return scalar_values(self.operator.name, self.scalars)

    @cached_property
    def types(self) -> Types:
        """The types of the tensors that are given."""
        return tuple([_type_of(name, array) for name, array in self.tensors.items()])

    @property
    def compute(self) -> str:
        """The default arithmetic of the call."""
        return self.operator.compute_type(self.types)

    @property
    def is_sum(self) -> bool:
        """Whether the first result is a sum of terms."""
        return self.operator.mode(self.numbers) != "none" and not self.operator.per_channel

    @property
    def has_shapes(self) -> bool:
        """Whether the results have the shapes that the call gives; raises an ArgumentError."""
        given = [self.tensors.get(p.name) for p in self.operator.tensors]
        shapes = tuple([() if array is None else array.shape for array in given])
        wanted = self.operator.result_shapes(shapes, self.numbers)
        found = dict(zip(self.operator.outputs, wanted, strict=True))
        return all([array.shape == found[name] for name, array in self.results.items()])

    def truths(self) -> dict[str, Truth]:
        """Return what each result must be, or raise an ArgumentError about the call."""
        self._check_results()
        if any([kind.floating for kind in self.types]):
            wide = {name: _widened(array) for name, array in self.tensors.items()}
            values = self._called(wide, FLOAT64.name)
            outs = self._called(self.tensors, "exact", self._outs(values))
        else:  # integer arithmetic, or floats that are truncated
            outs = self._outs(self._called(self.tensors, None))
            self._called(self.tensors, None, outs)
            values = [array.astype(np.float64) for array in outs]
        outputs = self.operator.outputs
        return {name: Truth(*both) for name, *both in zip(outputs, values, outs, strict=True)}

    def computed(self, compute: str) -> dict[str, NDArray[Any]]:
        """Return the results in an arithmetic, of the types of the given ones."""
        outs = self._outs(self._called(self.tensors, compute))
        self._called(self.tensors, compute, outs)
        return dict(zip(self.operator.outputs, outs, strict=True))

    def _outs(self, values: list[NDArray[Any]]) -> list[NDArray[Any]]:
        """Return new results of these shapes, of the types of the given ones."""
        other = next(iter(self.results.values()))
        kinds = [self.results.get(name, other).dtype for name in self.operator.outputs]
        return [np.empty(x.shape, kind) for x, kind in zip(values, kinds, strict=True)]

    def _check_results(self) -> None:
        """Raise ArgumentTypeError if a result has a type that no call gives."""
        full = self.types + self.types[:1] * (len(self.operator.tensors) - len(self.types))
        allowed = self.operator.result_types(self.operator.result(full))
        for name, array in self.results.items():
            if _type_of(name, array) not in allowed:
                problem = f"has type {array.dtype.name}; allowed are {names(allowed)}"
                raise ArgumentTypeError(name, problem)

    def _called(
        self,
        tensors: Mapping[str, NDArray[Any]],
        compute: str | None,
        outs: list[NDArray[Any]] | None = None,
    ) -> list[NDArray[Any]]:
        function = getattr(operators, self.operator.name)
        out = outs if outs is None or len(outs) > 1 else outs[0]
        value = function(**tensors, **self.scalars, out=out, compute_dtype=compute)
        return list(value) if isinstance(value, tuple | list) else [value]

    def parts(self, shape: tuple[int, ...]) -> list[Part]:
        """Return the parts of the first result, which is elementwise, of a shape."""
        if shape in self._parts:
            return self._parts[shape]
        operator = self.operator
        operands = operator.operands(self._arrays(), self.numbers)
        places = np.arange(prod(shape)).reshape(shape)
        found = []
        for number, part in enumerate(operator.parts(places, self.numbers)):
            doubles = [np.broadcast_to(array, part.shape) for array in operands]
            values = self.scalars | ({PART: number} if operator.result_view else {})
            found.append(Part(Setting(operator, values), expanded(doubles), part))
        self._parts[shape] = found
        return found

    def _arrays(self) -> tuple[Doubles, ...]:
        """Return all tensors as float64; one that is omitted is its default everywhere."""
        params = self.operator.tensors
        arrays = [self.tensors.get(param.name, np.array(param.default)) for param in params]
        return tuple([array.astype(np.float64) for array in arrays])

    def count(self, shape: tuple[int, ...]) -> int:
        """Return the number that formulas call the size, for elementwise results of a shape."""
        return self.operator.divisor(self.numbers, shape) or prod(shape)

    def magnitudes(self, result: Doubles) -> tuple[Doubles, int]:
        """Return the sums of the magnitudes of the terms of a sum, and how many terms there are."""
        reduction = self.operator.reduction
        assert reduction is not None
        arrays = np.broadcast_arrays(*self._arrays()[: reduction.term.tensors])
        terms = abs(evaluate(reduction.term.function, np, arrays, self.numbers))
        if self.operator.per_channel and result.size > 1:
            axes = tuple([axis for axis in range(terms.ndim) if axis != 1])
            found = terms.sum(axis=axes).reshape(result.shape)
        else:
            found = np.full(result.shape, terms.sum())
        divisor = self.operator.divisor(self.numbers, terms.shape) or 1
        return found / divisor, terms.size // max(result.size, 1)


def _type_of(name: str, array: NDArray[Any]) -> ElementType:
    if array.dtype not in BY_NUMPY:
        raise ArgumentTypeError(
            name, f"has type {array.dtype}; allowed are {', '.join(ELEMENT_TYPES)}"
        )
    return BY_NUMPY[array.dtype]


def _widened(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array of floats as float64, and one of integers as it is."""
    return array.astype(np.float64) if BY_NUMPY[array.dtype].floating else array
