"""The primitives that formulas may use.

A formula is plain Python over numbers. The functions below are its primitives, written for float64;
``binding.py`` has them in every compute type, and compiles a formula with them. An operator has up
to four formulas for a result, one per kind of arithmetic:

- ``element``, for float32 and for all types without a formula of their own; it may have variants;
- ``steps``, for float16 and bfloat16: the documented formula with ``rnd`` around every single
  operation, because that is where these types round;
- ``double``, for F64 results of float64;
- ``truth``, for narrower results of float64: an approximate value with a known error bound, and a
  function that decides hard cases (``truth.py``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

Value = TypeVar("Value", float, bool)

zero: Final = 0.0
one: Final = 1.0
inf: Final = math.inf
#: the smallest positive number of float32
least: Final = 2.0**-149
nan: Final = math.nan


def rnd(value: float) -> float:
    """Round to the compute type: one rounding point."""
    return value


def select(condition: bool, yes: Value, no: Value) -> Value:
    """Return one of two values without a branch, even if the other is NaN or infinite."""
    return yes if condition else no


def blend(condition: bool, yes: Value, no: Value) -> Value:
    """Like `select`, for values that need no arithmetic."""
    return yes if condition else no


def exp(value: float) -> float:
    """Return the exponential; the formula rounds it."""
    return math.exp(value)


def over_one_plus_exp(numerator: float, value: float) -> float:
    """Return numerator / (1 + exp(value)), off by less than 1.75 ulp in float32.

    The exponential may be beyond the range of numbers.
    """
    return numerator / (one + math.exp(value))


def copysign(magnitude: float, value: float) -> float:
    """Return a positive number with the sign of another one."""
    return math.copysign(magnitude, value)


def fma(x: float, y: float, z: float) -> float:
    """Return ``x * y + z``, rounded once."""
    return x * y + z


def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return the rounded sum of two numbers and its exact rounding error."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def two_difference(a: float, b: float) -> tuple[float, float]:
    """Return the rounded difference of two numbers and its exact rounding error."""
    total = a - b
    part = total - a
    return total, (a - (total - part)) - (b + part)


def exp_sum(value: float, rest: float | None) -> tuple[float, float, float]:
    """Return a, b and s with exp(value + rest) = ``(a + b) / s**2``; all three are always finite.

    The result is meant to be added to s, which is 1 unless the exponential is beyond the doubles;
    then it is negligible. The argument must be above -120, and the exponential below the ratio of
    the largest double to the smallest. The second number is at most an eighth of the first; combine
    them with `two_sum` before multiplying. Without ``rest`` it is faster.
    """
    power = math.exp(value if rest is None else value + rest)
    return power - power / 16, power / 16, one


def scaled_exp(value: float, rest: float | None) -> tuple[float, float]:
    """Return ``exp(value + rest) * s`` and s, whose sum is a denominator for F64 arithmetic.

    The argument must be above -120, and the exponential small enough that the largest double
    divided by it does not round to 0 in F32; it may be beyond the doubles.
    """
    return math.exp(value if rest is None else value + rest), one


def exp_exactly(value: float, rest: float) -> tuple[float, float, float, float]:
    """Return ``exp(value + rest) * s`` as ``power * (1 + high + low)``, and s: all four.

    Accurate to about 95 bits, within the limits of `scaled_exp`.
    """
    return one, math.expm1(value + rest), zero, one


def sign_of_sum(products: tuple[tuple[float, float], ...]) -> int:
    """Return the sign of the exact sum of products of finite doubles."""
    total = sum(Fraction(a) * Fraction(b) for a, b in products)
    return (total > 0) - (total < 0)


def quotient(numerator: float, large: float, small: float) -> float:
    """Return ``numerator / (large + small)``, off by less than 0.6 ulp; ``small <= large / 8``.

    The denominator and its reciprocal must be finite. One Newton step corrects the first
    approximation; its signs are arranged so that a zero keeps its sign.
    """
    inverse = one / (large + small)
    first = numerator * inverse
    excess = fma(first, small, fma(first, large, -numerator))
    return select(abs(first) < inf, fma(-excess, inverse, first), first)


def split(value: float) -> tuple[float, float]:
    """Return a double as a sum of two numbers of the compute type."""
    large = number(value)
    return large, number(value - wide(large))


def wide(value: float) -> float:
    """Return a number of the compute type as a double."""
    return value


def sign(value: float) -> float:
    """Return -1, 0 or 1, and NaN for NaN."""
    return one if value > zero else (-one if value < zero else (zero if value == zero else value))


def exponent(value: float) -> int:
    """Return the exponent n for which a finite double is ``f * 2**n`` with f in [1/2, 1)."""
    return math.frexp(value)[1]


def number(value: float) -> float:
    """Round a double to the compute type."""
    return value


def float32(value: float) -> float:
    """Narrow a double to FLOAT, the type in which the device receives scalars."""
    return float(np.float32(value))


def narrow(value: float) -> float:
    """Round a scalar argument to FLOAT, as the device receives it, then to the compute type."""
    return number(float32(value))


class Truth(NamedTuple):
    """The mathematics of one output for correctly rounded results.

    All functions get only float64 numbers, and may use constants.
    """

    #: ``element(tensors..., scalars...) -> (value, exact)``: a value with a relative error of at
    #: most 2**-50, and whether it is certainly exact
    element: Callable[..., Any]
    #: as in ``Formula``
    prepare: Callable[..., Any]
    #: ``decide(middle, tensors..., scalars...) -> int``: the sign of the exact result minus the
    #: midpoint of two neighbours of the result's type
    decide: Callable[..., Any]


class Formula(NamedTuple):
    """The scalar mathematics of one output."""

    #: name of the kernels made of it
    name: str
    #: ``element(tensors..., scalars...) -> value``, in the primitives of this module
    element: Callable[..., Any]
    #: ``prepare(doubles...) -> tuple``: converts the scalars, once per call; it may take the number
    #: of results as last argument
    prepare: Callable[..., Any]
    #: number of tensors
    tensors: int
    #: number of scalars that ``prepare`` takes
    scalars: int
    #: ``variant(compute, rounded, scalars...) -> Formula or None``: a simpler formula, if there is
    #: one, for a compute type, the type that results are rounded to, and scalars
    variant: Callable[..., Formula | None] | None = None
    #: ``element`` for half-precision compute types; None if ``element`` itself is suitable
    steps: Callable[..., Any] | None = None
    #: ``element`` for float64, with scalars from the ``prepare`` of ``truth``
    double: Callable[..., Any] | None = None
    #: float64 arithmetic for narrower results; None if ``element`` rounds at most once, at its end
    truth: Truth | None = None
    #: whether ``double`` and the functions of ``truth`` get, after the tensors, the remainder of
    #: the last tensor's int64 in float64; the remainder is None for types of F32 or narrower, whose
    #: products with scalars are exact
    remainder: bool = False
    #: ``factors(tensors..., scalars...) -> (a, b)``: two numbers whose product ``element`` rounds,
    #: for sums that are rounded once
    factors: Callable[..., Any] | None = None
    #: whether ``element`` returns one of its tensors, 0, infinity or NaN, and so never rounds
    selects: bool = False
    #: whether the formula is compute-bound rather than memory-bound
    long: bool = False

    def suited(self, compute: str, rounded: str, scalars: tuple[float, ...]) -> Formula:
        """Return the formula for a compute type, the type of rounded results, and scalars."""
        return (self.variant and self.variant(compute, rounded, *scalars)) or self

    def arithmetic(self, compute: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Return the functions that compute an element and prepare scalars in a compute type."""
        if compute == "float64" and self.double is not None and self.truth is not None:
            return self.double, self.truth.prepare
        if compute in ("float16", "bfloat16") and self.steps is not None:
            return self.steps, self.prepare
        return self.element, self.prepare
