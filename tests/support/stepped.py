"""Numbers of formulas as arrays of NumPy: every operation is rounded to a type, or to none.

With a half-precision type, this is what the documented operations give, one by one; with float64,
what plain doubles give. With none, operations are of extended precision (64 bits and a wide range
of exponents): near the exact value, and fast. Nothing here is shared with the package.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from .rounding import round_to

LONG = np.longdouble
#: extended precision holds its exponential, beside which 1 is nothing to any type
FAR = LONG(11_000)


class Chosen:
    """What a comparison gives."""

    def __init__(self, number: Stepped, holds: Any) -> None:
        self.number, self.holds = number, holds

    def __and__(self, other: Chosen) -> Chosen:
        return Chosen(self.number, self.holds & other.holds)

    def __or__(self, other: Chosen) -> Chosen:
        return Chosen(self.number, self.holds | other.holds)

    def __invert__(self) -> Chosen:
        return Chosen(self.number, ~self.holds)

    def select(self, yes: Any, no: Any) -> Stepped:
        return self.number.operation(np.where, yes, no, first=self.holds)


def operated(function: Callable[..., Any], *, swapped: bool = False) -> Any:

    def method(self: Stepped, other: Any) -> Stepped:
        if isinstance(other, OnePlusExp):
            return NotImplemented
        return self.operation(function, *((other, self) if swapped else (self, other)))

    return method


def compared(comparison: Callable[..., Any]) -> Any:
    return lambda self, other: Chosen(self, np.asarray(comparison(*self.met(self, other))))


class Stepped:
    """Numbers of a type, as float64; without a type, numbers of extended precision.

    Scalars have no dimensions, elements of tensors have one. Scalars are not rounded until they
    meet an element. ``tilt`` is a relative error of functions.
    """

    #: formulas clip where they say
    farthest = np.inf

    def __init__(self, value: Any, kind: str | None, tilt: float = 0.0) -> None:
        self.value, self.kind, self.tilt = np.asarray(value), kind, tilt
        #: whether functions are one operation, not several
        self.whole = kind in (None, "float64")

    def made(self, value: Any) -> Stepped:
        return Stepped(value, self.kind, self.tilt)

    def lift(self, number: Any) -> Any:
        """Return a constant as it is: operators take constants."""
        return number

    def lifted(self, number: Any) -> Any:
        """Return the value of numbers, or of a constant."""
        if isinstance(number, Stepped):
            return number.value
        register = LONG if self.kind is None else np.float64
        if isinstance(number, Fraction):
            return np.asarray(register(number.numerator) / register(number.denominator))
        return np.asarray(number, register)

    def rounded(self, value: Any) -> Any:
        """Round elements, but not scalars."""
        return value if self.kind is None or value.ndim == 0 else round_to(self.kind, value)

    def met(self, *numbers: Any) -> list[Any]:
        """Return the values of numbers; a scalar is rounded if it meets an element."""
        values = [self.lifted(number) for number in numbers]
        if self.kind is None or not any(value.ndim for value in values):
            return values
        return [value if value.ndim else round_to(self.kind, value) for value in values]

    def operation(self, function: Callable[..., Any], *numbers: Any, first: Any = None) -> Stepped:
        """Do an operation, with a condition as first operand if one is given."""
        if first is None:
            return self.made(self.rounded(np.asarray(function(*self.met(*numbers)))))
        values = [self.lifted(number) for number in numbers]
        return self.made(self.rounded(np.asarray(function(first, *values))))

    def __neg__(self) -> Stepped:
        return self.made(-self.value)

    def __abs__(self) -> Stepped:
        return self.made(abs(self.value))

    __add__ = __radd__ = operated(operator.add)
    __mul__ = __rmul__ = operated(operator.mul)
    __sub__, __rsub__ = operated(operator.sub), operated(operator.sub, swapped=True)
    __truediv__ = operated(operator.truediv)
    __rtruediv__ = operated(operator.truediv, swapped=True)
    __lt__, __le__ = compared(operator.lt), compared(operator.le)
    __gt__, __ge__ = compared(operator.gt), compared(operator.ge)
    __eq__ = compared(operator.eq)
    __hash__ = None  # type: ignore[assignment]

    def function(self, function: Callable[..., Any]) -> Stepped:
        """Return the rounded value of a function, which has a small error."""
        return self.operation(lambda x: function(x) * (1 + self.tilt), self)

    def exp(self) -> Stepped:
        return self.function(np.exp)

    def expm1(self) -> Stepped:
        """Return the exponential minus 1, in two operations."""
        return self.function(np.expm1) if self.whole else self.exp() - 1.0

    def log(self) -> Stepped:
        return self.function(np.log)

    def log1p(self) -> Stepped:
        return self.function(np.log1p) if self.whole else (1.0 + self).log()

    def sqrt(self) -> Stepped:
        return self.operation(np.sqrt, self)

    def tanh(self) -> Stepped:
        return self.function(np.tanh)

    def normal_cdf(self) -> Stepped:
        return self.function(by_flint(lambda x: (-x / arb(2).sqrt()).erfc() / 2))

    def normal_pdf(self) -> Stepped:
        return self.function(by_flint(lambda x: (-x * x / 2).exp() / (2 * arb.pi()).sqrt()))

    def one_plus_exp(self) -> OnePlusExp:
        """Return 1 + exp(self), a divisor."""
        return OnePlusExp(self)

    def softplus(self) -> Stepped:
        """Return log(1 + exp(self)), in three operations."""
        if self.whole:
            return self.function(lambda x: np.logaddexp(x, x.dtype.type(0)))
        return (1.0 + self.exp()).log()

    def sign(self) -> Stepped:
        return self.operation(lambda x: np.where(x == 0, 0.0, np.sign(x)), self)

    def single(self) -> Stepped:
        return self.operation(lambda x: x.astype(np.float32).astype(x.dtype), self)

    def as_element(self) -> Stepped:
        """Round a scalar like an element."""
        return self if self.kind is None else self.made(round_to(self.kind, self.value))


class OnePlusExp:
    """1 + exp(x), a divisor. An infinite numerator stays where x is finite."""

    def __init__(self, x: Stepped) -> None:
        self.x = x

    def __rtruediv__(self, numerator: Any) -> Stepped:
        x = self.x
        if x.kind is None:
            near = x.made(np.where(np.isinf(x.value), x.value, np.minimum(x.value, FAR)))
            return numerator / (1.0 + near.exp())
        quotient = numerator / (1.0 + x.exp())
        above = x.lifted(numerator)
        stays = np.isinf(above) & (x.value < np.inf)
        return x.made(np.where(stays, above, quotient.value))


def by_flint(function: Callable[[arb], arb]) -> Callable[[Any], Any]:
    """Return a function of numbers, each of which is evaluated with more precision than theirs."""

    def one(x: Any) -> Any:
        if np.isnan(x):
            return x
        x = np.clip(LONG(x), -1e5, 1e5)  # beyond, the value is a limit
        high = float(x)
        value = function(arb(high) + arb(float(x - LONG(high))))
        near = float(value)
        return LONG(near) + LONG(float(value - near))

    return lambda values: np.frompyfunc(one, 1, 1)(values).astype(np.asarray(values).dtype)


def stepped(
    function: Callable[..., Any],
    tensors: Sequence[Any],
    scalars: Sequence[Any],
    kind: str | None,
    tilt: float = 0.0,
) -> Any:
    """Return a formula's values of vectors, as float64 or, without a type, extended precision."""
    register = LONG if kind is None else np.float64
    with np.errstate(all="ignore"):
        elements = [Stepped(tensor.astype(register), kind, tilt) for tensor in tensors]
        numbers = [Stepped(register(scalar), kind, tilt) for scalar in scalars]
        return np.broadcast_arrays(elements[0].lifted(function(*elements, *numbers)), tensors[0])[0]
