"""Plain arithmetic: float32 or float64 instructions, each correctly rounded by the processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from . import elementary, normal
from .registers import CONSTANTS, Constant, Register


class Plain(Register):
    """A number of a formula in float32 or float64.

    The elements of tensors have the compute type. Scalars are float64 until they meet an element,
    so that what a formula computes of scalars alone is rounded to the compute type once.
    """

    __slots__ = ()

    def _apply(self, function: Callable[..., Register], *others: Register) -> Self:
        numbers: tuple[Register, ...] = (self, *others)
        arguments = [Register(self.builder, number.value) for number in numbers]
        return self.result(function(*arguments).value)

    def exp(self) -> Self:
        """Return the exponential."""
        return self._apply(elementary.exp)

    def expm1(self) -> Self:
        """Return the exponential minus 1."""
        return self._apply(elementary.expm1)

    def log(self) -> Self:
        """Return the natural logarithm."""
        return self._apply(elementary.log)

    def log1p(self) -> Self:
        """Return the logarithm of 1 plus this number."""
        return self._apply(elementary.log1p)

    def tanh(self) -> Self:
        """Return the hyperbolic tangent."""
        return self._apply(elementary.tanh)

    def normal_cdf(self) -> Self:
        """Return the cumulative distribution function of the normal distribution."""
        return self._apply(normal.normal_cdf)

    def normal_pdf(self) -> Self:
        """Return the density of the normal distribution."""
        return self._apply(normal.normal_pdf)

    def softplus(self) -> Self:
        """Return log(1 + exp(self))."""
        return self._apply(elementary.softplus)

    def one_plus_exp(self) -> Any:
        """Return 1 + exp(self), to divide by."""
        return OnePlusExp(self)

    def sign(self) -> Self:
        """Return -1, 0 or 1; it is NaN for NaN."""
        zero_or_nan = (self == self.lift(0.0)).select(0.0, self)
        return (self > 0.0).select(1.0, (self < 0.0).select(-1.0, zero_or_nan))  # type: ignore[no-any-return]

    def single(self) -> Self:
        """Round to float32."""
        return self.lift(self.narrowed())

    def as_element(self) -> Self:
        """Round a scalar to float32."""
        return self.made(self.narrowed().value)


class Double(Plain):
    """A number of a formula in float64."""

    __slots__ = ()

    def as_element(self) -> Self:
        """Return a scalar as it is."""
        return self


class OnePlusExp:
    """1 + exp(x), which may be beyond the range of numbers, as a divisor.

    Parameters
    ----------
    argument : Plain
        x.
    """

    def __init__(self, argument: Plain) -> None:
        self._argument = argument

    def __rtruediv__(self, numerator: Plain | Constant) -> Plain:
        if not isinstance(numerator, (Plain, *CONSTANTS)):
            return NotImplemented
        argument = self._argument
        numerator, argument = argument.unified(numerator, argument)
        quotient: Plain = numerator._apply(elementary.over_one_plus_exp, argument)
        return quotient
