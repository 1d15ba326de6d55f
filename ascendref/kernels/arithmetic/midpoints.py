"""What balls ask of their midpoints: doubles, or double-doubles of about 100 bits.

A *field* has the constants and functions in which the two differ. Both midpoints have Python's
operators and ``high``, the number as a double; sums, products and quotients go through the field,
so that double-doubles treat infinities as doubles do.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Final

from . import elementary, normal
from .double_double import DoubleDouble
from .registers import Condition, Register

#: a comparison that is known while emitting, or not
Truth = bool | Condition


def differ(a: Register, b: Register | float) -> Condition:
    """Whether two numbers differ; with NaN they do not."""
    right = a.lift(b)
    return Condition(a.builder, a.builder.fcmp_ordered("!=", a.value, right.value))


class Doubles:
    """Midpoints that are doubles."""

    #: bound of the relative error of an operation
    unit = 2.0**-53
    #: longest significand that is exact
    bits = 53
    #: values of functions below it may be wrong, but not by more
    least = 2.0**-1000

    def lift(self, register: Register) -> Register:
        """Return the double."""
        return register

    def constant(self, like: Register, number: Fraction) -> tuple[Register, Fraction]:
        """Return a constant and the number that it is."""
        return like.lift(float(number)), Fraction(float(number))

    def add(self, a: Register, b: Register) -> tuple[Register, Truth]:
        """Return a sum; it is exact if both numbers can be recovered from it.

        The larger one is recovered exactly (Dekker), so that no other sum passes.
        """
        total = a + b
        return total, differ(total - a, b) | differ(total - b, a)

    def multiply(self, a: Register, b: Register) -> tuple[Register, Truth]:
        """Return a product; it is exact if its remainder is 0."""
        product = a * b
        return product, differ(a.fma(b, -product), 0.0)

    def divide(self, a: Register, b: Register) -> Register:
        """Return a quotient."""
        return a / b

    def remains(self, quotient: Register, a: Register, b: Register) -> Truth:
        """Whether the quotient's product with the divisor differs from the dividend."""
        return differ(quotient.fma(b, -a), 0.0)

    def function(self, name: str, mid: Register) -> tuple[Register, float]:
        """Return a function's value, and the bound of its relative error."""
        if name == "one_plus_exp":
            # below -85, the exponential is nothing beside 1
            n, total, low = elementary.exp_sum(mid.at_most(709.0).at_least(-85.0))
            value = (total + low).fma(elementary.power_of_two(n, True), 1.0)
            return (mid == inf).select(inf, value), 3.0 * self.unit
        if name == "sqrt":
            return mid.sqrt(), self.unit
        module = normal if name.startswith("normal") else elementary
        return getattr(module, name)(mid), elementary.RELATIVE_ERROR[name] * self.unit


class Pairs:
    """Midpoints that are double-doubles.

    An operation whose result is infinite or NaN in doubles has that result, and a 0 has the sign
    that it has there.
    """

    def lift(self, register: Register) -> DoubleDouble:
        """Return the double as a double-double."""
        return DoubleDouble(register, register.lift(0.0))

    def constant(self, like: Register, number: Fraction) -> tuple[DoubleDouble, Fraction]:
        """Return a constant and the number that it is."""
        high = float(number)
        low = float(number - Fraction(high))
        return DoubleDouble(like.lift(high), like.lift(low)), Fraction(high) + Fraction(low)

    def add(self, a: DoubleDouble, b: DoubleDouble) -> tuple[DoubleDouble, Truth]:
        """Return a sum; that of two doubles is exact."""
        return self.finite(a + b, a.high + b.high), not (a.is_double and b.is_double)

    def multiply(self, a: DoubleDouble, b: DoubleDouble) -> tuple[DoubleDouble, Truth]:
        """Return a product; that of two doubles is exact."""
        return self.finite(a * b, a.high * b.high), not (a.is_double and b.is_double)

    def divide(self, a: DoubleDouble, b: DoubleDouble) -> DoubleDouble:
        """Return a quotient."""
        return self.finite(a / b, a.high / b.high)

    def finite(self, value: DoubleDouble, plain: Register) -> DoubleDouble:
        """Return a value, or the same computed with doubles if that is infinite, NaN or both are 0.

        Only the latter has the right sign then.
        """
        trusted = (abs(plain) < inf) & (abs(value.high) + abs(plain) > 0.0)
        return trusted.select(value, plain)  # type: ignore[no-any-return]


DOUBLES: Final = Doubles()
PAIRS: Final = Pairs()
