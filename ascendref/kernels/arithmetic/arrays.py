"""Formulas on arrays of NumPy, JAX and PyTorch, which can be differentiated there.

`evaluate` calls a formula with `Array` objects, whose methods are the library's functions. All are
stable: no exponential overflows where the result is finite.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from .functions import COMPARISONS, CONSTANTS, Constant, Number
from .libraries import NUMPY, Library, library

#: functions that are defined above a number, and another number at which they are
_DOMAINS: Final = {"log": (0, 1.0), "log1p": (-1, 0.0), "sqrt": (0, 1.0)}


@dataclass(slots=True)
class Mask:
    """The result of comparing arrays: one of them, and for each element whether it holds."""

    _array: Array
    _holds: Any

    def __and__(self, other: Mask) -> Mask:
        return self._wider(other)._made(self._holds & other._holds)

    def __or__(self, other: Mask) -> Mask:
        return self._wider(other)._made(self._holds | other._holds)

    def __invert__(self) -> Mask:
        return self._made(~self._holds)

    def _made(self, holds: Any) -> Mask:
        return Mask(self._array, holds)

    def _wider(self, other: Mask) -> Mask:
        return other if isinstance(self._array, Scalar) else self

    def select(self, yes: Any, no: Any) -> Array:
        array = self._array
        if isinstance(array, Scalar):
            return array.lift(yes if self._holds else no)
        left, right = array.operand(yes), array.operand(no)
        if isinstance(left, float) and isinstance(right, float):
            full_like = array.library.namespace.full_like
            left = full_like(self._holds, left, dtype=array.array.dtype)
        return array.made(array.library.where(self._holds, left, right))


class Array(Number):
    """A number of a formula, for each element of an array; the library has its functions."""

    __slots__ = ("array", "library")

    def __init__(self, library: Library, array: Any) -> None:
        self.library = library
        self.array = array

    def made(self, array: Any) -> Array:
        return Array(self.library, array)

    def operand(self, number: Array | Constant) -> Any:
        """Return what operators take: scalars and constants are floats, which widen no type."""
        if isinstance(number, Array) and not isinstance(number, Scalar):
            return number.array
        return float(number.array if isinstance(number, Scalar) else number)

    def lift(self, number: Array | Constant) -> Array:
        return number if isinstance(number, Array) else Scalar(number)

    def _like(self, other: Array | Constant) -> Array:
        """Return one of both numbers, an array rather than a scalar."""
        return other if isinstance(self, Scalar) and isinstance(other, Array) else self

    def _operation(self, name: str, left: Any, right: Any) -> Array:
        if not all(isinstance(x, (Array, *CONSTANTS)) for x in (left, right)):
            return NotImplemented  # type: ignore[no-any-return]
        like = self._like(right if left is self else left)
        function = like.library.quotient if name == "div" else getattr(operator, name)
        return like.made(function(like.operand(left), like.operand(right)))

    def __neg__(self) -> Array:
        return self.made(-self.array)

    def __abs__(self) -> Array:
        return self.made(abs(self.array))

    def _compare(self, operator: str, other: Array | Constant) -> Mask:
        like = self._like(other)
        return Mask(like, COMPARISONS[operator](like.operand(self), like.operand(other)))

    def _function(self, name: str) -> Array:
        library, x = self.library, self.array
        if name in ("normal_cdf", "normal_pdf", "softplus", "sign", "single"):
            return self.made(getattr(library, name)(x))
        function = getattr(library.namespace, name)
        if name == "tanh":
            return self.made(function(x))
        if name in ("exp", "expm1"):
            domain, instead = x <= library.largest_exponent(x), 0.0
        else:
            least, instead = _DOMAINS[name]
            domain = x > least
        return self.made(library.inside(function, x, domain, instead))

    def one_plus_exp(self) -> Any:
        return OnePlusExp(self)


class Scalar(Array):
    """A scalar of a formula: a float64 among scalars, and a float without a type among arrays."""

    __slots__ = ()

    def __init__(self, number: Any) -> None:
        super().__init__(NUMPY, np.float64(number))

    def made(self, array: Any) -> Array:
        return Scalar(array)

    def operand(self, number: Array | Constant) -> Any:
        """Return a float64, which may be divided by 0."""
        return np.float64(super().operand(number))


class OnePlusExp:
    __slots__ = ("_argument",)

    def __init__(self, argument: Array) -> None:
        self._argument = argument

    def __rtruediv__(self, numerator: Array | Constant) -> Array:
        argument = self._argument
        return argument.made(argument.library.sigmoid(-argument.array)) * numerator


def evaluate(
    function: Callable[..., Any],
    namespace: Any,
    arrays: Sequence[Any],
    scalars: Sequence[Constant] = (),
) -> Any:
    """Return a formula's value for each element.

    ``namespace`` is ``numpy``, ``jax.numpy`` or ``torch``. The tensors are arrays of that library
    and of one floating-point type, and broadcast; so is the result.

    >>> import numpy as np
    >>> from ascendref.kernels.arithmetic.functions import logistic
    >>> evaluate(lambda x, scale: scale * logistic(x), np, (np.float32([0, 800]),), (2.0,))
    array([1., 2.], dtype=float32)
    """
    chosen = library(namespace)
    with np.errstate(all="ignore"):
        numbers = [Array(chosen, array) for array in arrays]
        value = function(*numbers, *[Scalar(number) for number in scalars])
        result = numbers[0].lift(value)
    if isinstance(result, Scalar):
        return namespace.full_like(arrays[0], float(result.array))
    return result.array
