"""Arithmetic step by step: every operation is rounded to float16, bfloat16 or float32.

The numbers are float32, which holds all of the three types. An operation on two numbers of at most
11 bits, rounded to the 24 bits of float32 and then to theirs, gives the same as one rounding,
because 24 ≥ 2 · 11 + 2 (Figueroa, "When is double rounding innocuous?").
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from llvmlite import ir

from .codecs import from_register, to_register
from .functions import Constant
from .plain import OnePlusExp, Plain
from .registers import Register


class _Steps(Plain):
    """A number of a formula that every operation rounds to the type ``kind``."""

    __slots__ = ()
    kind: str

    def result(self, value: ir.Value) -> Self:
        found = self.made(value)
        return found if found.wide else found._rounded(np.float32)

    def lift(self, number: Register | Constant) -> Self:
        """Return a number rounded to the type, once, or as a scalar if this is one."""
        if self.wide:
            return super().lift(number)
        if not isinstance(number, Register):
            number = self.constant(self.builder, number, wide=True)
        return (
            self.made(number.value)._rounded(np.float64) if number.wide else self.made(number.value)
        )

    def as_element(self) -> Self:
        return self._rounded(np.float64)

    def _rounded(self, register: type) -> Self:
        bits = from_register(register, self.kind)(self.builder, self.value)
        return self.made(to_register(self.kind, np.float32)(self.builder, bits))

    def expm1(self) -> Self:
        """Return the exponential minus 1, as documented: in two operations."""
        return self.exp() - 1.0

    def log1p(self) -> Self:
        return (1.0 + self).log()

    def one_plus_exp(self) -> Any:
        """Return 1 + exp(self), in two operations, to divide by."""
        return _OnePlusExp(self)

    def softplus(self) -> Self:
        return (1.0 + self.exp()).log()


class _OnePlusExp(OnePlusExp):
    """1 + exp(x) as a divisor; an infinite numerator stays, unless x is infinite as well."""

    def __rtruediv__(self, numerator: Plain | Constant) -> Plain:
        argument = self._argument
        quotient = numerator / (1.0 + argument.exp())
        if not isinstance(numerator, Plain):
            return quotient
        stays = (abs(numerator) == math.inf) & (argument < math.inf)
        return stays.select(numerator, quotient)  # type: ignore[no-any-return]


class Float16(_Steps):
    __slots__ = ()
    kind = "float16"


class BFloat16(_Steps):
    __slots__ = ()
    kind = "bfloat16"


class Float32(_Steps):
    """Functions are those of doubles, rounded."""

    __slots__ = ()
    kind = "float32"

    def _function(self, name: str) -> Self:
        if self.wide:
            return super()._function(name)
        return super(Float32, self.widened())._function(name)._rounded(np.float64)
