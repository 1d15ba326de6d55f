"""Plain arithmetic: float32 or float64 instructions, each correctly rounded by the processor."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

from . import elementary, logistic_floats, normal
from .functions import CONSTANTS, Constant
from .registers import Register


class Plain(Register):
    """A number of a formula in float32 or float64.

    Scalars are float64 until they meet an element: a value computed from them is rounded once.
    """

    __slots__ = ()

    def _apply(self, function: Callable[..., Register], *others: Register) -> Self:
        numbers: tuple[Register, ...] = (self, *others)
        arguments = [Register(self.builder, number.value) for number in numbers]
        return self.result(function(*arguments).value)

    def _function(self, name: str) -> Self:
        module = normal if name.startswith("normal") else elementary
        return self._apply(getattr(module, name))

    def one_plus_exp(self) -> Any:
        return OnePlusExp(self)

    def wide_exp(self) -> Self:
        """Return the exponential of a float32 as a float64."""
        return self._apply(elementary.wide_exp)

    def silu_slope(self, factor: Any) -> Self:
        """Return the derivative of silu in float32, by which a factor is multiplied."""
        return self._apply(logistic_floats.silu_slope, factor)

    def times_logistic(self, x: Plain) -> Self:
        """Return the quotient by ``1 + exp(-x)``, in float32."""
        return self._apply(logistic_floats.times_logistic, x)

    def logit(self) -> Self:
        """Return the logarithm of the quotient by the difference from 1, in float32."""
        return self._apply(logistic_floats.logit)

    def over_one_plus_exp(self, x: Plain, *rest: Plain) -> Self:
        """Return the quotient by ``1 + exp(x)``; the rest is what x lost when it was rounded."""
        return self._apply(elementary.over_one_plus_exp, x, *rest)

    def glu_backward(self, value: Plain, gate: Plain) -> tuple[Self, Self]:
        """Return the products with both derivatives of `glu`, in float32."""
        return self._slopes(logistic_floats.glu_slopes, value, gate)

    def _slopes(self, function: Callable[..., Any], value: Plain, gate: Plain) -> tuple[Self, Self]:
        numbers = [Register(self.builder, x.value) for x in (self, value, gate)]
        first, second = function(*numbers)
        return self.result(first.value), self.result(second.value)

    def gelu(self) -> Self:
        """Return the product with `normal_cdf`, in float32."""
        return self._apply(normal.gelu)

    def gelu_backward(self, gradient: Plain) -> Self:
        """Return the gradient times the derivative of `gelu`, in float32."""
        return gradient._apply(normal.gelu_slope, self)  # type: ignore[return-value]

    def sign(self) -> Self:
        zero_or_nan = (self == self.lift(0.0)).select(0.0, self)
        return (self > 0.0).select(1.0, (self < 0.0).select(-1.0, zero_or_nan))  # type: ignore[no-any-return]

    def single(self) -> Self:
        return self.lift(self.narrowed())

    def as_element(self) -> Self:
        return self.made(self.narrowed().value)


class ForBFloat16(Plain):
    """A float32 number of a formula whose results are bfloat16.

    Functions have as many digits as those results need.
    """

    __slots__ = ()

    #: whether results have the range of float32
    _wide: ClassVar[bool] = True

    def gelu(self) -> Self:
        return self._apply(partial(normal.gelu_half, wide=self._wide))

    def gelu_backward(self, gradient: Plain) -> Self:
        return gradient._apply(normal.gelu_slope_half, self)  # type: ignore[return-value]

    def over_one_plus_exp(self, x: Plain, *rest: Plain) -> Self:
        if rest or x.wide:
            return super().over_one_plus_exp(x, *rest)
        return self._apply(partial(logistic_floats.over_one_plus_exp_half, wide=self._wide), x)

    def glu_backward(self, value: Plain, gate: Plain) -> tuple[Self, Self]:
        return self._slopes(partial(logistic_floats.glu_slopes, half=True), value, gate)


class ForFloat16(ForBFloat16):
    """The same where they are float16."""

    __slots__ = ()

    _wide = False

    def glu_backward(self, value: Plain, gate: Plain) -> tuple[Self, Self]:
        return self._slopes(logistic_floats.glu_slopes_float16, value, gate)


class Double(Plain):
    __slots__ = ()

    def as_element(self) -> Self:
        return self


class OnePlusExp:
    """1 + exp(x) as a divisor; where x is a double, the exponential is that of the double."""

    def __init__(self, argument: Plain) -> None:
        self._argument = argument

    def __rtruediv__(self, numerator: Plain | Constant) -> Plain:
        if not isinstance(numerator, (Plain, *CONSTANTS)):
            return NotImplemented
        numerator, argument = self._argument.unified(numerator, self._argument)
        rest: list[Plain] = []
        if self._argument.wide and not argument.wide:
            rest = [(self._argument - argument.widened()).narrowed()]
        quotient: Plain = numerator.over_one_plus_exp(argument, *rest)
        return quotient
