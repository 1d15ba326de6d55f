"""Integer arithmetic: formulas on integers of 64 bits, without rounding.

Formulas may add, subtract, multiply, compare, select and use constants that are integers.
Everything else raises TypeError while the formula is traced. A value beyond 64 bits wraps around,
as in two's complement; so does a result that its stored type does not hold.
"""

from typing import Any, Final, Self

import numpy as np
from llvmlite import ir

from .codecs import from_register, to_register
from .functions import CONSTANTS, Constant, Number
from .registers import Condition

_I64: Final = ir.IntType(64)


class Whole(Number):
    """An integer of a formula, in 64 bits."""

    __slots__ = ("builder", "value")

    def __init__(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        self.builder = builder
        self.value = value

    @classmethod
    def scalar(cls, builder: ir.IRBuilder, value: ir.Value, kind: str) -> Self:
        """Return a scalar of a call, a double, truncated to an integer type."""
        found = from_register(np.float64, kind)(builder, value)
        return cls(builder, to_register(kind, np.int64)(builder, found))

    @classmethod
    def constant(cls, builder: ir.IRBuilder, number: Constant, *, wide: bool = True) -> Self:
        """Return a constant, which must be an integer."""
        if not -(2**63) <= number < 2**63 or number != int(number):
            raise TypeError(f"the formula uses {number!r}, which is not an integer of 64 bits")
        return cls(builder, ir.Constant(_I64, int(number)))

    def _made(self, value: ir.Value) -> Self:
        return type(self)(self.builder, value)

    def lift(self, number: Any) -> Self:
        return number if isinstance(number, Whole) else self.constant(self.builder, number)  # type: ignore[return-value]

    def chosen(self, condition: Condition, yes: Any, no: Any) -> Self:
        values = [self.lift(number).value for number in (yes, no)]
        return self._made(self.builder.select(condition.value, *values))

    def _add(self, other: Self) -> Self:
        return self._made(self.builder.add(self.value, other.value))

    def _sub(self, other: Self) -> Self:
        return self._made(self.builder.sub(self.value, other.value))

    def _mul(self, other: Self) -> Self:
        return self._made(self.builder.mul(self.value, other.value))

    def _div(self, other: Self) -> Self:
        return self._function("division")

    def __neg__(self) -> Self:
        return self._made(self.builder.neg(self.value))

    def __abs__(self) -> Self:
        return (self < 0).select(-self, self)  # type: ignore[no-any-return]

    def _compare(self, operator: str, other: Any) -> Any:
        if not isinstance(other, (Whole, *CONSTANTS)):
            return NotImplemented
        bit = self.builder.icmp_signed(operator, self.value, self.lift(other).value)
        return Condition(self.builder, bit, type(self))

    def _function(self, name: str) -> Self:
        raise TypeError(f"the formula uses {name}, which integer arithmetic does not have")

    def sign(self) -> Self:
        return (self > 0).select(1, (self < 0).select(-1, self))  # type: ignore[no-any-return]
