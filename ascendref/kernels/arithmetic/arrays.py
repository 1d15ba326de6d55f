"""Formulas on arrays of NumPy, JAX and PyTorch, which can be differentiated there.

`evaluate` calls a formula with `Array` objects, whose methods are the library's functions. All are
stable: no exponential overflows where the result is finite.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .functions import Constant
from .libraries import NUMPY, Library, library


class Mask:
    """What a comparison of arrays gives.

    Parameters
    ----------
    array : Array
        One of the arrays that were compared.
    holds : array of bool
        The result.
    """

    __slots__ = ("_array", "_holds")

    def __init__(self, array: Array, holds: Any) -> None:
        self._array = array
        self._holds = holds

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
        """Return one of two numbers for each element."""
        array = self._array
        if isinstance(array, Scalar):
            return array.lift(yes if self._holds else no)
        left, right = array.operand(yes), array.operand(no)
        if isinstance(left, float) and isinstance(right, float):
            full_like = array.library.namespace.full_like
            left = full_like(self._holds, left, dtype=array.array.dtype)
        return array.made(array.library.where(self._holds, left, right))


class Array:
    """A number of a formula, for each element of an array.

    Parameters
    ----------
    library : Library
        The array's functions.
    array : array
        The elements.
    """

    __slots__ = ("array", "library")

    def __init__(self, library: Library, array: Any) -> None:
        self.library = library
        self.array = array

    def made(self, array: Any) -> Array:
        """Return an array of the same library."""
        return Array(self.library, array)

    def operand(self, number: Array | Constant) -> Any:
        """Return what operators take: scalars and constants are floats, which widen no type."""
        if isinstance(number, Array) and not isinstance(number, Scalar):
            return number.array
        return float(number.array if isinstance(number, Scalar) else number)

    def lift(self, number: Array | Constant) -> Array:
        """Return a constant as a scalar."""
        return number if isinstance(number, Array) else Scalar(number)

    def _like(self, other: Array | Constant) -> Array:
        """Return one of both numbers, an array rather than a scalar."""
        return other if isinstance(self, Scalar) and isinstance(other, Array) else self

    def _binary(self, function: Callable[[Any, Any], Any], left: Any, right: Any) -> Array:
        like = self._like(right if left is self else left)
        return like.made(function(like.operand(left), like.operand(right)))

    def __add__(self, other: Array | Constant) -> Array:
        return self._binary(operator.add, self, other)

    def __radd__(self, other: Constant) -> Array:
        return self._binary(operator.add, other, self)

    def __sub__(self, other: Array | Constant) -> Array:
        return self._binary(operator.sub, self, other)

    def __rsub__(self, other: Constant) -> Array:
        return self._binary(operator.sub, other, self)

    def __mul__(self, other: Array | Constant) -> Array:
        return self._binary(operator.mul, self, other)

    def __rmul__(self, other: Constant) -> Array:
        return self._binary(operator.mul, other, self)

    def __truediv__(self, other: Array | Constant) -> Array:
        if isinstance(other, OnePlusExp):
            return NotImplemented
        return self._binary(self._like(other).library.quotient, self, other)

    def __rtruediv__(self, other: Constant) -> Array:
        return self._binary(self.library.quotient, other, self)

    def __neg__(self) -> Array:
        return self.made(-self.array)

    def __abs__(self) -> Array:
        return self.made(abs(self.array))

    def _compared(self, function: Callable[[Any, Any], Any], other: Array | Constant) -> Mask:
        like = self._like(other)
        return Mask(like, function(like.operand(self), like.operand(other)))

    def __lt__(self, other: Array | Constant) -> Mask:
        return self._compared(operator.lt, other)

    def __le__(self, other: Array | Constant) -> Mask:
        return self._compared(operator.le, other)

    def __gt__(self, other: Array | Constant) -> Mask:
        return self._compared(operator.gt, other)

    def __ge__(self, other: Array | Constant) -> Mask:
        return self._compared(operator.ge, other)

    def __eq__(self, other: Any) -> Any:
        return self._compared(operator.eq, other)

    __hash__ = None  # type: ignore[assignment]

    def _inside(self, name: str, domain: Any, instead: float) -> Array:
        function = getattr(self.library.namespace, name)
        return self.made(self.library.inside(function, self.array, domain, instead))

    def exp(self) -> Array:
        """Return the exponential."""
        return self._inside("exp", self.array <= self.library.largest_exponent(self.array), 0.0)

    def expm1(self) -> Array:
        """Return the exponential minus 1."""
        return self._inside("expm1", self.array <= self.library.largest_exponent(self.array), 0.0)

    def log(self) -> Array:
        """Return the natural logarithm."""
        return self._inside("log", self.array > 0, 1.0)

    def log1p(self) -> Array:
        """Return the logarithm of 1 plus this number."""
        return self._inside("log1p", self.array > -1, 0.0)

    def sqrt(self) -> Array:
        """Return the square root."""
        return self._inside("sqrt", self.array > 0, 1.0)

    def tanh(self) -> Array:
        """Return the hyperbolic tangent."""
        return self.made(self.library.namespace.tanh(self.array))

    def normal_cdf(self) -> Array:
        """Return the normal distribution function."""
        return self.made(0.5 * self.library.erfc(-math.sqrt(0.5) * self.array))

    def normal_pdf(self) -> Array:
        """Return the density of the normal distribution."""
        power = self.library.namespace.exp(-0.5 * self.array * self.array)
        return self.made(power * (1 / math.sqrt(2 * math.pi)))

    def one_plus_exp(self) -> Any:
        """Return 1 + exp(self), to divide by."""
        return OnePlusExp(self)

    def softplus(self) -> Array:
        """Return log(1 + exp(self))."""
        return self.made(self.library.softplus(self.array))

    def sign(self) -> Array:
        """Return -1, 0, 1 or NaN."""
        return self.made(self.library.sign(self.array))

    def single(self) -> Array:
        """Round to float32."""
        return self.made(self.library.single(self.array))

    def as_element(self) -> Array:
        """Return the number itself: it is rounded where it meets an element."""
        return self


class Scalar(Array):
    """A scalar of a formula: a float64 among scalars, and a float without a type among arrays."""

    __slots__ = ()

    def __init__(self, number: Any) -> None:
        super().__init__(NUMPY, np.float64(number))

    def made(self, array: Any) -> Array:
        """Return another scalar."""
        return Scalar(array)

    def operand(self, number: Array | Constant) -> Any:
        """Return a float64, which may be divided by 0."""
        return np.float64(super().operand(number))


class OnePlusExp:
    """1 + exp(x), which may be beyond the range of numbers, as a divisor.

    Parameters
    ----------
    argument : Array
        x.
    """

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

    Parameters
    ----------
    function : callable
        The formula. It takes the tensors, then the scalars.
    namespace : module
        ``numpy``, ``jax.numpy`` or ``torch``.
    arrays : sequence of array
        The tensors, arrays of that library, of one floating-point type. Shapes broadcast.
    scalars : sequence of float or int
        The scalars.

    Returns
    -------
    array
        An array of that library and type.

    Examples
    --------
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
