"""The functions that formulas may call, and what they ask of a number.

A formula is an ordinary Python function of numbers. The type of the numbers, an *arithmetic*,
decides how it is computed: the formula is called once with objects that overload Python's operators
and have the methods of `Number`.

=================  =============================================================================
``plain.py``       float32 or float64 instructions
``steps.py``       float16 or bfloat16: every operation is rounded
``ball.py``        float64 with a rigorous error bound, for correctly rounded results
``pair.py``        sums of two doubles, with a bound or without
``exact.py``       Python's fractions, and intervals of any precision
``arrays.py``      arrays of NumPy, JAX and PyTorch
=================  =============================================================================

The first four emit LLVM instructions while a kernel is compiled. A formula is evaluated without
branches: `select` computes both of its values, and the one that is not chosen may be NaN or
infinite.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan
from typing import Any, Protocol, Self

__all__ = [
    "Condition",
    "Number",
    "as_element",
    "exp",
    "expm1",
    "inf",
    "log",
    "log1p",
    "logistic",
    "nan",
    "normal_cdf",
    "normal_pdf",
    "one_plus_exp",
    "select",
    "sign",
    "single",
    "softplus",
    "sqrt",
    "tanh",
    "two_difference",
    "two_sum",
]


#: a number that is known while a formula is evaluated
Constant = int | float | Fraction


class Condition(Protocol):
    """What comparing numbers gives."""

    def __and__(self, other: Any, /) -> Any:
        """Whether both hold."""

    def __or__(self, other: Any, /) -> Any:
        """Whether one of them holds."""

    def __invert__(self) -> Any:
        """Whether it does not hold."""


class Number(Protocol):
    """A number of an arithmetic.

    Operands may also be constants: an int, a float or, for a number that no float holds, a
    Fraction. Comparisons with NaN are false.
    """

    def __add__(self, other: Any, /) -> Self: ...
    def __radd__(self, other: Any, /) -> Self: ...
    def __sub__(self, other: Any, /) -> Self: ...
    def __rsub__(self, other: Any, /) -> Self: ...
    def __mul__(self, other: Any, /) -> Self: ...
    def __rmul__(self, other: Any, /) -> Self: ...
    def __truediv__(self, other: Any, /) -> Self: ...
    def __rtruediv__(self, other: Any, /) -> Self: ...
    def __neg__(self) -> Self: ...
    def __abs__(self) -> Self: ...
    def __lt__(self, other: Any, /) -> Any: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...
    def __eq__(self, other: Any, /) -> Any: ...

    def exp(self) -> Self: ...
    def expm1(self) -> Self: ...
    def log(self) -> Self: ...
    def log1p(self) -> Self: ...
    def sqrt(self) -> Self: ...
    def tanh(self) -> Self: ...
    def normal_cdf(self) -> Self: ...
    def normal_pdf(self) -> Self: ...
    def one_plus_exp(self) -> Self: ...
    def softplus(self) -> Self: ...
    def sign(self) -> Self: ...
    def single(self) -> Self: ...
    def as_element(self) -> Self: ...


def select(condition: Any, yes: Any, no: Any) -> Number:
    """Return ``yes`` where the condition holds, else ``no``.

    Processors with masks merge the last operation of ``yes`` with the selection: the number that
    needs no arithmetic is better ``no``.
    """
    if isinstance(condition, bool):
        return yes if condition else no  # type: ignore[no-any-return]
    return condition.select(yes, no)  # type: ignore[no-any-return]


def exp(value: Number) -> Number:
    """Return the exponential; it is 0 at -inf and inf at inf."""
    return value.exp()


def expm1(value: Number) -> Number:
    """Return the exponential minus 1, without cancellation near 0."""
    return value.expm1()


def log(value: Number) -> Number:
    """Return the natural logarithm; it is -inf at 0 and NaN below."""
    return value.log()


def log1p(value: Number) -> Number:
    """Return the logarithm of 1 + value, without cancellation near 0."""
    return value.log1p()


def sqrt(value: Number) -> Number:
    """Return the square root; it is NaN below 0."""
    return value.sqrt()


def tanh(value: Number) -> Number:
    """Return the hyperbolic tangent."""
    return value.tanh()


def normal_cdf(value: Number) -> Number:
    """Return the integral of `normal_pdf` from -inf: half of erfc(-value / sqrt(2))."""
    return value.normal_cdf()


def normal_pdf(value: Number) -> Number:
    """Return the density of the normal distribution: exp(-value**2 / 2) / sqrt(2 * pi)."""
    return value.normal_pdf()


def one_plus_exp(value: Number) -> Number:
    """Return 1 + exp(value), to divide by: the quotient is right however large the exponential."""
    return value.one_plus_exp()


def logistic(value: Number) -> Number:
    """Return 1 / (1 + exp(-value)); it is 0 at -inf and 1 at inf."""
    return 1.0 / one_plus_exp(-value)


def softplus(value: Number) -> Number:
    """Return log(1 + exp(value)), without overflow or cancellation."""
    return value.softplus()


def sign(value: Number) -> Number:
    """Return -1, 0 or 1; it is NaN for NaN."""
    return value.sign()


def single(value: Number) -> Number:
    """Round to float32, for scalars that the device computes in that type."""
    return value.single()


def as_element(scalar: Number) -> Number:
    """Round a scalar to the compute type, as an operation with an element of a tensor would."""
    return scalar.as_element()


def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """Return the rounded sum of two floating-point numbers and its exact rounding error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def two_difference(a: Any, b: Any) -> tuple[Any, Any]:
    """Return the rounded difference of two floating-point numbers and its exact rounding error."""
    total = a - b
    part = total - a
    return total, (a - (total - part)) - (b + part)
