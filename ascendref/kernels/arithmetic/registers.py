"""LLVM values with Python's operators: running a plain function on them emits its instructions.

A `Register` holds a float or a double, a `Condition` a bit and an `Integer` the bits of a register.
Their operators append instructions to a basic block, so that a function written for numbers emits
straight-line code without branches; `Condition.select` evaluates both of its operands. Every
operation is IEEE 754's, correctly rounded and without contraction, so the bits are the same on
every machine.
"""

from __future__ import annotations

from typing import Any, Final, Self

import numpy as np
from llvmlite import ir

from .functions import CONSTANTS, Constant, Number
from .functions import two_sum as two_sum

_FLOAT: Final = ir.FloatType()
_DOUBLE: Final = ir.DoubleType()
_WORD: Final = {_FLOAT: ir.IntType(32), _DOUBLE: ir.IntType(64)}


class Condition:
    """A bit, the result of a comparison of numbers of the class ``number``."""

    __slots__ = ("builder", "number", "value")

    def __init__(self, builder: ir.IRBuilder, value: ir.Value, number: Any = None) -> None:
        self.builder = builder
        self.value = value
        self.number = number or Register

    def __or__(self, other: Condition) -> Condition:
        return Condition(self.builder, self.builder.or_(self.value, other.value), self.number)

    def __and__(self, other: Condition) -> Condition:
        return Condition(self.builder, self.builder.and_(self.value, other.value), self.number)

    def __invert__(self) -> Condition:
        return Condition(self.builder, self.builder.not_(self.value), self.number)

    def select(self, yes: Any, no: Any) -> Any:
        """Return one of two numbers without a branch; of two constants, a double."""
        if isinstance(yes, CONSTANTS) and isinstance(no, CONSTANTS):
            yes = self.number.constant(self.builder, yes, wide=True)
        return (no if isinstance(yes, CONSTANTS) else yes).chosen(self, yes, no)


class Register(Number):
    """A float or a double; an operation between the two narrows the double."""

    __slots__ = ("builder", "value")

    def __init__(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        self.builder = builder
        self.value = value

    @classmethod
    def constant(cls, builder: ir.IRBuilder, number: Constant, *, wide: bool) -> Self:
        """Return a constant, rounded to a double or to a float."""
        with np.errstate(over="ignore"):
            rounded = float(number) if wide else float(np.float32(float(number)))
        return cls(builder, ir.Constant(_DOUBLE if wide else _FLOAT, rounded))

    @property
    def high(self) -> Self:
        """The number itself, which may stand for a sum of two."""
        return self

    @property
    def wide(self) -> bool:
        """Whether this is a double."""
        return bool(self.value.type == _DOUBLE)

    def made(self, value: ir.Value) -> Self:
        return type(self)(self.builder, value)

    def result(self, value: ir.Value) -> Self:
        return self.made(value)

    def lift(self, number: Register | Constant) -> Self:
        if not isinstance(number, Register):
            return self.constant(self.builder, number, wide=self.wide)
        like = number.widened() if self.wide else number.narrowed()
        return self.made(like.value)

    def unified(self, left: Any, right: Any) -> tuple[Self, Self]:
        """Return two numbers as registers of one type, a float if one of them is a float."""
        floats = [x for x in (left, right) if isinstance(x, Register) and not x.wide]
        like = floats[0] if floats else self
        return like.lift(left), like.lift(right)  # type: ignore[return-value]

    def chosen(self, condition: Condition, yes: Any, no: Any) -> Self:
        yes, no = self.unified(yes, no)
        return self.made(self.builder.select(condition.value, yes.value, no.value))

    def _operation(self, name: str, left: Any, right: Any) -> Any:
        if not all(isinstance(x, (Register, *CONSTANTS)) for x in (left, right)):
            return NotImplemented
        left, right = self.unified(left, right)
        return left.result(getattr(self.builder, f"f{name}")(left.value, right.value))

    def __neg__(self) -> Self:
        return self.made(self.builder.fneg(self.value))

    def __abs__(self) -> Self:
        return self.made(self._call("llvm.fabs"))

    def _compare(self, operator: str, other: Any) -> Any:
        if not isinstance(other, (Register, *CONSTANTS)):
            return NotImplemented
        left, right = self.unified(self, other)
        bit = self.builder.fcmp_ordered(operator, left.value, right.value)
        return Condition(self.builder, bit, type(left))

    def differs(self, other: Register | Constant) -> Condition:
        """Whether two numbers differ; a NaN differs from every number, itself included."""
        left, right = self.unified(self, other)
        bit = self.builder.fcmp_unordered("!=", left.value, right.value)
        return Condition(self.builder, bit, type(left))

    def is_nan(self) -> Condition:
        return self.differs(self)

    def _call(self, name: str, *others: Register | Constant) -> ir.Value:
        """Call an LLVM intrinsic on registers of one type."""
        values = [self.value, *[self.lift(other).value for other in others]]
        kind = ir.FunctionType(self.value.type, [self.value.type] * len(values))
        function = self.builder.module.declare_intrinsic(name, [self.value.type], kind)
        return self.builder.call(function, values)

    def fma(self, factor: Register | Constant, term: Register | Constant) -> Self:
        return self.result(self._call("llvm.fma", factor, term))

    def copysign(self, sign: Register | Constant) -> Self:
        """Return the magnitude of this number with another one's sign.

        LLVM's own instruction would call a missing function after a conversion from half precision.
        """
        size = abs(self)
        return self.lift(sign).bits().negative().select(-size, size)  # type: ignore[no-any-return]

    def sqrt(self) -> Self:
        return self.result(self._call("llvm.sqrt"))

    def at_most(self, limit: Register | Constant) -> Self:
        """Return the smaller of two numbers; NaN stays NaN."""
        return (self > limit).select(limit, self)  # type: ignore[no-any-return]

    def at_least(self, limit: Register | Constant) -> Self:
        """Return the larger of two numbers; NaN stays NaN."""
        return (self < limit).select(limit, self)  # type: ignore[no-any-return]

    def bits(self) -> Integer:
        return Integer(self.builder, self.builder.bitcast(self.value, _WORD[self.value.type]))

    def power(self) -> Self:
        """Return the largest power of two up to a positive normal number."""
        exponent = 0x7FF << 52 if self.wide else 0xFF << 23
        return self.made((self.bits() & exponent).register().value)

    def widened(self) -> Self:
        return self if self.wide else self.made(self.builder.fpext(self.value, _DOUBLE))

    def narrowed(self) -> Self:
        return self.made(self.builder.fptrunc(self.value, _FLOAT)) if self.wide else self


class Integer:
    """The bits of a register, with the arithmetic of two's complement."""

    __slots__ = ("builder", "value")

    def __init__(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        self.builder = builder
        self.value = value

    def _value(self, number: Integer | int) -> ir.Value:
        return number.value if isinstance(number, Integer) else ir.Constant(self.value.type, number)

    def _made(self, name: str, left: Integer | int, right: Integer | int) -> Integer:
        instruction = getattr(self.builder, name)
        return Integer(self.builder, instruction(self._value(left), self._value(right)))

    def __add__(self, other: Integer | int) -> Integer:
        return self._made("add", self, other)

    def __sub__(self, other: Integer | int) -> Integer:
        return self._made("sub", self, other)

    def __rsub__(self, other: int) -> Integer:
        return self._made("sub", other, self)

    def __and__(self, other: Integer | int) -> Integer:
        return self._made("and_", self, other)

    def __or__(self, other: Integer | int) -> Integer:
        return self._made("or_", self, other)

    def __lshift__(self, count: Integer | int) -> Integer:
        return self._made("shl", self, count)

    def __rshift__(self, count: Integer | int) -> Integer:
        return self._made("ashr", self, count)

    def shifted(self, count: int) -> Integer:
        """Return the integer shifted right, with zeros above."""
        return self._made("lshr", self, count)

    def resized(self, bits: int) -> Integer:
        """Return the integer resized: with zeros above, or without the upper bits."""
        extend = self.builder.zext if bits > self.value.type.width else self.builder.trunc
        return Integer(self.builder, extend(self.value, ir.IntType(bits)))

    def chosen(self, condition: Condition, yes: Any, no: Any) -> Integer:
        left, right = (self._value(x) for x in (yes, no))
        return Integer(self.builder, self.builder.select(condition.value, left, right))

    def below(self, other: Integer | int) -> Condition:
        """Whether this integer is smaller, both taken as unsigned."""
        bit = self.builder.icmp_unsigned("<", self.value, self._value(other))
        return Condition(self.builder, bit)

    def differs(self, other: Integer | int) -> Condition:
        bit = self.builder.icmp_unsigned("!=", self.value, self._value(other))
        return Condition(self.builder, bit)

    def at_least(self, limit: Integer | int) -> Integer:
        """Return the larger of two integers."""
        value = self._value(limit)
        bit = self.builder.icmp_signed(">", self.value, value)
        return Integer(self.builder, self.builder.select(bit, self.value, value))

    def negative(self) -> Condition:
        bit = self.builder.icmp_signed("<", self.value, ir.Constant(self.value.type, 0))
        return Condition(self.builder, bit)

    def register(self) -> Register:
        real = _DOUBLE if self.value.type.width == 64 else _FLOAT
        return Register(self.builder, self.builder.bitcast(self.value, real))


# --- arithmetic without error ---------------------------------------------------------------------


def fast_two_sum(a: Register, b: Register) -> tuple[Register, Register]:
    """Return what `two_sum` does, if ``abs(a) >= abs(b)`` or a is 0 (Dekker)."""
    total = a + b
    return total, b - (total - a)


def two_product(a: Register, b: Register) -> tuple[Register, Register]:
    """Return the rounded product of two numbers and its rounding error, exact but for underflow."""
    product = a * b
    return product, a.fma(b, -product)
