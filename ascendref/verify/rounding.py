"""Rounding in NumPy, and formulas in which every operation is rounded.

A sum, product or quotient in float64 of two numbers of at most 24 bits can be rounded again with
the same result as a single rounding (2 * 24 + 2 <= 53 bits; Figueroa, "When is double rounding
innocuous?").
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import ELEMENT_TYPES, FLOAT64, float_format
from ..kernels.arithmetic import arrays
from ..kernels.arithmetic.functions import Constant
from ..kernels.arithmetic.libraries import NUMPY
from .comparison.ulp import spacing

Doubles = NDArray[np.float64]


def rounded(values: Any, kind: str) -> Any:
    """Round float64 values to a type, to nearest even, and return them as float64."""
    element = ELEMENT_TYPES[kind]
    if element is FLOAT64:
        return values
    finite = np.where(np.isfinite(values), values, 0.0)
    ulp = spacing(finite, element)
    result = np.copysign(np.rint(finite / ulp) * ulp, finite)
    beyond = np.abs(result) > float_format(element).largest
    result = np.where(beyond, np.copysign(math.inf, result), result)
    return np.where(np.isfinite(values), result, values)[()]


class Rounded(arrays.Array):
    """A number of a formula that every operation rounds to a type.

    Functions have a relative error, the doubt, before they are rounded.
    """

    __slots__ = ("_doubt", "_kind")

    def __init__(self, array: Any, kind: str, doubt: float) -> None:
        super().__init__(NUMPY, rounded(array, kind))
        self._kind = kind
        self._doubt = doubt

    def made(self, array: Any) -> Rounded:
        """Return the rounded result of an operation."""
        return Rounded(array, self._kind, self._doubt)

    def operand(self, number: arrays.Array | Constant) -> Any:
        """Return what operators take: scalars and constants are rounded where they meet this."""
        return rounded(super().operand(number), self._kind)

    def _function(self, name: str) -> Rounded:
        value = arrays.Array(NUMPY, self.array)._function(name).array
        exact = name in ("sign", "single")
        return self.made(value if exact else value * (1.0 + self._doubt))

    def expm1(self) -> Any:
        """Return the exponential minus 1, in two operations."""
        return self.exp() - 1.0

    def log1p(self) -> Any:
        """Return the logarithm of 1 plus this number, in two operations."""
        return (1.0 + self).log()

    def softplus(self) -> Any:
        """Return log(1 + exp(self)), in three operations."""
        return (1.0 + self.exp()).log()

    def one_plus_exp(self) -> Any:
        """Return 1 + exp(self), in two operations, to divide by."""
        return _OnePlusExp(self)


class _OnePlusExp(arrays.OnePlusExp):
    """1 + exp(x), as a divisor; an infinite numerator stays, unless x is infinite as well."""

    def __rtruediv__(self, numerator: arrays.Array | Constant) -> arrays.Array:
        argument = self._argument
        quotient: arrays.Array = numerator / (1.0 + argument.exp())
        if not isinstance(numerator, arrays.Array):
            return quotient
        stays = (abs(numerator) == math.inf) & (argument < math.inf)
        result: arrays.Array = stays.select(numerator, quotient)
        return result


class _RoundedScalar(arrays.Scalar):
    """A scalar, which is rounded where it meets an element."""

    __slots__ = ("_kind",)

    def __init__(self, number: Any, kind: str) -> None:
        super().__init__(number)
        self._kind = kind

    def as_element(self) -> Any:
        """Round the scalar, as an operation with an element would."""
        return arrays.Scalar(rounded(self.array, self._kind))


@np.errstate(all="ignore")
def step_by_step(
    function: Callable[..., Any],
    tensors: Sequence[Doubles],
    scalars: Sequence[float],
    kind: str,
    doubt: float = 0.0,
) -> Doubles:
    """Return a formula's value, with every operation rounded to a type."""
    numbers = [Rounded(array, kind, doubt) for array in tensors]
    value = function(*numbers, *[_RoundedScalar(x, kind) for x in scalars])
    result: Doubles = np.broadcast_to(numbers[0].operand(value), tensors[0].shape)
    return result
