"""The reference for one operator: oracles, settings to sweep, PyTorch and JAX equivalents."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import operators
from ...declaration.accuracy import Bound
from ...declaration.operator import Operator
from ...declaration.scalars import ScalarParam, check_scalar, single
from .exact import Factor
from .formats import Doubles
from .rounding import Arithmetic

#: the interval of data that most operators are measured on
_USUAL: Final = (-3.0, 3.0)


class Setting(NamedTuple):
    """The values that are constant in a sweep."""

    #: scalars by name
    scalars: Mapping[str, float | str]
    #: the third tensor where there is one: a number for all elements, ``"self"`` for the datum
    #: itself or ``"-self"`` for its negative
    other: float | str | None = None

    def others(self, data: NDArray[Any]) -> NDArray[Any]:
        """Return an element of the third tensor for each datum."""
        if isinstance(self.other, str):
            return data if self.other == "self" else -data
        return np.full_like(data, self.other or 0.0)


class Example(NamedTuple):
    """One call with an exactly known result."""

    #: tensors by name, as lists; every number is exact in F16 and in BF16
    tensors: dict[str, Any]
    #: scalars by name
    scalars: dict[str, Any]
    #: exact results, rounded to F64; none is near the middle between two F16, BF16 or F32 numbers
    expected: tuple[Any, ...]


class TorchOperator(NamedTuple):
    """PyTorch's operator for the same formula."""

    #: its name in ``torch.ops.aten``
    name: str
    #: its arguments, from the operator's tensors and scalars by name
    arguments: Callable[..., tuple[Any, ...]]
    #: the keyword under which it takes the array for its result, if any
    out: str | None = None


def scalars_alone(*scalars_and_size: float) -> tuple[float, ...]:
    """Leave out the number of results."""
    return scalars_and_size[:-1]


@dataclass(frozen=True, eq=False, kw_only=True)
class Reference:
    """The reference for one operator."""

    operator: Operator
    #: names of the tensors of gradients and of data, and of the third one, if any
    gradient: str
    data: str
    other: str | None = None
    #: the scalars to sweep, and the values of the third tensor
    settings: tuple[Setting, ...]
    #: the fast oracle, compiled: ``(data, other, *prepared, table)`` writes the `factors`
    factors: Callable[..., None]
    #: the slow oracle: ``(datum, other, *prepared)`` returns the exact factor
    exact: Callable[..., Factor]
    #: the formula with every operation rounded: ``(arithmetic, gradient, data, other, *prepared)``
    steps: Callable[..., Doubles]
    #: what the oracles get besides the tensors: float64 numbers from the scalars as FLOAT, in the
    #: declared order, and the number of results; by default, the scalars
    prepare: Callable[..., tuple[float, ...]] = scalars_alone
    #: a call with an exactly known result, for ``ascendref doctor``
    example: Example
    #: the interval of data in which the operator has something to compute
    interval: tuple[float, float] = _USUAL
    #: data, beside the scalars themselves, at which the formula changes: from scalars by name
    thresholds: Callable[..., tuple[float, ...]] | None = None
    #: the same in PyTorch
    torch: TorchOperator | None = None

    @property
    def name(self) -> str:
        """The operator's name."""
        return self.operator.name

    def tensors(
        self, gradient: NDArray[Any], data: NDArray[Any], others: NDArray[Any]
    ) -> dict[str, NDArray[Any]]:
        """Return arrays as the operator's tensors, by name."""
        tensors = {self.gradient: gradient, self.data: data}
        if self.other is not None:
            tensors[self.other] = others
        return tensors

    def call(
        self,
        setting: Setting,
        compute: str,
        gradient: NDArray[Any],
        data: NDArray[Any],
        others: NDArray[Any],
    ) -> NDArray[Any]:
        """Return the operator's first result; all tensors have one shape of rank 2."""
        tensors = self.tensors(gradient, data, others)
        if isinstance(setting.other, str):  # what depends on the datum is one for each channel
            tensors = {name: array[None] for name, array in tensors.items()}
            tensors[self.other or ""] = np.ascontiguousarray(others[:, 0])
        function = getattr(operators, self.name)
        value = function(**tensors, **setting.scalars, compute_dtype=compute)
        result: NDArray[Any] = value[0] if isinstance(value, tuple) else value
        return result.reshape(data.shape)

    @np.errstate(all="ignore")
    def evaluate(
        self,
        setting: Setting,
        arithmetic: Arithmetic,
        gradient: NDArray[Any],
        data: NDArray[Any],
        others: NDArray[Any],
    ) -> Doubles:
        """Return the formula's value with every operation rounded; the tensors have one shape."""
        loaded = [
            arithmetic.at("tensors", tensor.astype(np.float64))
            for tensor in (gradient, data, others)
        ]
        return self.steps(arithmetic, *loaded, *self.prepared(setting, math.prod(data.shape)))

    def given(self, attributes: Mapping[str, float | str]) -> tuple[Setting, ...]:
        """Return the settings in which some scalars have given values, the others their first."""
        others = tuple(dict.fromkeys(setting.other for setting in self.settings))
        scalars = dict(self.settings[0].scalars) | dict(attributes)
        for param in self.operator.scalars:
            value = check_scalar(param, _number(param, scalars[param.name]))
            names = {number: name for name, number in (param.choices or {}).items()}
            scalars[param.name] = names.get(int(value), value) if names else value
        return tuple(Setting(scalars, other) for other in others)

    def allowed(self, bound: Bound, data: Doubles, others: Doubles) -> Doubles | float:
        """Return the largest error that a bound allows for each datum; infinite for any."""
        if bound.more is None:
            return bound.ulp
        return bound.ulp + bound.more(*((data,) if self.other is None else (data, others)))

    def label(self, setting: Setting) -> str:
        """Return a setting in one line."""
        values = dict(setting.scalars)
        if self.other is not None and setting.other is not None:
            values[self.other] = setting.other
        return " ".join(
            f"{name}={value if isinstance(value, str) else format(value, 'g')}"
            for name, value in values.items()
        )

    def prepared(self, setting: Setting, size: int) -> tuple[float, ...]:
        """Return what the oracles get besides the tensors, for so many results."""
        values = [
            single(_number(param, setting.scalars[param.name])) for param in self.operator.scalars
        ]
        return self.prepare(*values, size)

    def edges(self, setting: Setting) -> list[float]:
        """Return data near which the formula may change."""
        scalars = [value for value in setting.scalars.values() if not isinstance(value, str)]
        offset = setting.other if isinstance(setting.other, float) else 0.0
        edges = [sign * value + offset for value in scalars for sign in (1, -1)]
        edges += [1 - value for value in scalars]
        if self.thresholds is not None:
            edges += self.thresholds(**setting.scalars)
        return edges


def _number(param: ScalarParam, value: float | str) -> float:
    """Return a scalar's value as a number."""
    return (param.choices or {})[value] if isinstance(value, str) else value
