"""Sums of two doubles with about 60 bits, for results of float64 data.

A formula of pairs, rounded to a double at its end, is within 0.75 ulp of the exact value where the
formula itself does not cancel: 0.64 ulp was the largest among 100,000 samples of each of the
formulas and functions in `tests/kernels/arithmetic/test_pair.py`. Next to a zero, where large terms
cancel, the error stays below 2**-58 of these terms. Pairs carry no error bound.

The first double of a result is the operation's result for the first doubles of its operands, so
that infinities, NaN and the signs of zeros are those of the formula in plain doubles. Where it
depends on one that is infinite or NaN, the second one may be anything, and NaN stands for 0.

The second double is a multiple of 2**-1074. A result below 2**-1018 therefore has an error of up to
an ulp, and of more if an intermediate result is subnormal: in ``x * normal_cdf(x)``, 60 ulp below
x = -37.5, and in ``x * tanh(softplus(x))``, 400 ulp below x = -705.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from llvmlite import ir

from .double_double import INVERSE_ROOT_OF_2_PI
from .elementary import power_of_two, scale
from .functions import Constant, Number
from .pair_elementary import NORMAL_TAIL, exp_parts, exp_sum, log_parts, precise_horner
from .registers import Condition, Register, fast_two_sum, two_product, two_sum


class Pair(Number):
    """A sum of two doubles, the second at most a few ulp of the first; None is 0."""

    __slots__ = ("high", "low")

    def __init__(self, high: Register, low: Register | None = None) -> None:
        self.high = high
        self.low = low

    @classmethod
    def constant(cls, builder: ir.IRBuilder, number: Constant, *, wide: bool = True) -> Pair:
        """Return a constant, as two doubles if one does not hold it."""
        high = float(number)
        rest = Fraction(number) - Fraction(high) if math.isfinite(high) else 0
        doubles = [Register.constant(builder, x, wide=wide) for x in (high, rest)]
        return cls(*doubles) if rest else cls(doubles[0])

    def lift(self, number: Pair | Constant) -> Pair:
        return number if isinstance(number, Pair) else self.constant(self.high.builder, number)

    def chosen(self, condition: Condition, yes: Any, no: Any) -> Pair:
        yes, no = self.lift(yes), self.lift(no)
        high = condition.select(yes.high, no.high)
        if yes.low is None and no.low is None:
            return Pair(high)
        return Pair(high, condition.select(yes.low_or_zero(), no.low_or_zero()))

    def low_or_zero(self) -> Register:
        return self.high.lift(0.0) if self.low is None else self.low

    def rounded(self) -> Register:
        """Return the sum, rounded to a double."""
        if self.low is None:
            return self.high
        total = self.high + self.low
        # neither NaN nor the sign of a zero comes from the second double
        return (abs(total) > 0.0).select(total, self.high)  # type: ignore[no-any-return]

    # --- arithmetic -------------------------------------------------------------------------------

    def __neg__(self) -> Pair:
        return Pair(-self.high, None if self.low is None else -self.low)

    def __abs__(self) -> Pair:
        if self.low is None:
            return Pair(abs(self.high))
        return Pair(abs(self.high), (self.high < 0.0).select(-self.low, self.low))

    def _add(self, other: Pair) -> Pair:
        total, rest = two_sum(self.high, other.high)
        if self.low is None and other.low is None:
            return Pair(total, rest)
        for low in (self.low, other.low):
            rest = rest if low is None else rest + low
        # -0 for NaN, which an infinite operand leaves, and for 0 changes nothing, not even a zero
        rest = (abs(rest) > 0.0).select(rest, -0.0)
        return Pair(*fast_two_sum(total, rest))

    def _mul(self, other: Pair) -> Pair:
        for number, power in ((self, other), (other, self)):
            if power._is_power_of_two():
                return number._scaled(power.high)
        high, low = two_product(self.high, other.high)
        if other.low is not None:
            low = self.high.fma(other.low, low)
        if self.low is not None:
            low = self.low.fma(other.high, low)
        return Pair(high, low)

    def _div(self, other: Pair) -> Pair:
        # the remainder of a tiny number is no double
        tiny = abs(self.high) < 2.0**-900
        lifted = self._scaled(tiny.select(self.high.lift(2.0**120), 1.0))
        # a second division, because the reciprocal of a double may be none
        quotient = lifted.high / other.high
        value = Pair(quotient, lifted._remainder(quotient, other) / other.high)
        return value._scaled(tiny.select(self.high.lift(2.0**-120), 1.0))

    def _quickly_over(self, other: Pair) -> Pair:
        """Return a quotient by a number of moderate size, with one division."""
        inverse = 1.0 / other.high
        quotient = self.high * inverse
        return Pair(quotient, self._remainder(quotient, other) * inverse)

    def _remainder(self, quotient: Register, other: Pair) -> Register:
        remainder = (-quotient).fma(other.high, self.high)
        if other.low is not None:
            remainder = (-quotient).fma(other.low, remainder)
        return remainder if self.low is None else remainder + self.low

    def _scaled(self, power: Register) -> Pair:
        return Pair(self.high * power, None if self.low is None else self.low * power)

    def _is_power_of_two(self) -> bool:
        """Whether this is known to be one, of either sign."""
        constant = getattr(self.high.value, "constant", 0.0)
        return self.low is None and abs(math.frexp(constant)[0]) == 0.5

    # --- comparisons ------------------------------------------------------------------------------

    def _compare(self, operator: str, other: Pair | Constant) -> Condition:
        other = self.lift(other)
        holds = self.high._compare(operator, other.high)
        if self.low is not None or other.low is not None:
            # the difference of two infinities is NaN
            gap = (self.high - other.high) + (self.low_or_zero() - other.low_or_zero())
            holds = gap._compare(operator, 0.0) | (gap.is_nan() & holds)
        return Condition(holds.builder, holds.value, Pair)

    # --- functions --------------------------------------------------------------------------------

    def sign(self) -> Pair:
        one = self.high.lift(1.0).copysign(self.high)
        zero_or_nan = (self.high == self.high.lift(0.0)).select(0.0, self.high)
        return Pair((abs(self.high) > 0.0).select(one, zero_or_nan))

    def single(self) -> Pair:
        """Round to float32, by way of a double."""
        return Pair(self.rounded().narrowed().widened())

    def sqrt(self) -> Pair:
        root = self.high.sqrt()
        remainder = (-root).fma(root, self.high)
        if self.low is not None:
            remainder = remainder + self.low
        return Pair(root, remainder / (root + root))

    def exp(self) -> Pair:
        n, high, low = exp_sum(*self._within(-746.0, 710.0))
        return Pair(scale(high, n), scale(low, n))

    def expm1(self) -> Pair:
        n, high, low = exp_parts(*self._within(-50.0, 710.0))
        # halves, because 2**1024 is no double
        half = power_of_two(n - 1, wide=True)
        whole, lost = two_sum(half, half.lift(-0.5))
        total, rest = fast_two_sum(whole, half * high)
        total, rest = fast_two_sum(total, half.fma(low, rest) + lost)
        return self._unless_tiny(Pair(total + total, rest + rest))

    def log(self) -> Pair:
        tiny = self.high < 2.0**-1022
        value = self._scaled(tiny.select(self.high.lift(2.0**54), 1.0))
        shift = tiny.select(self.high.lift(-54.0), 0.0)
        return _logarithm(value.high, value.low, shift)

    def log1p(self) -> Pair:
        high, low = two_sum(self.high.lift(1.0), self.high)
        if self.low is not None:
            low = low + self.low
        square = Pair(self.high, (-0.5 * self.high).fma(self.high, self.low_or_zero()))
        small = abs(self.high) < 2.0**-30
        return small.select(square, _logarithm(high, low, None))  # type: ignore[no-any-return]

    def tanh(self) -> Pair:
        m = (abs(self) * -2.0).expm1()
        value = (-m)._quickly_over(m + 2.0)
        negative = self.high < 0.0
        return self._unless_tiny(negative.select(-value, value))

    def softplus(self) -> Pair:
        positive: Pair = (self > 0.0).select(self, 0.0)
        return positive + (-abs(self)).exp().log1p()

    def one_plus_exp(self) -> OnePlusExp:
        return OnePlusExp(self)

    def normal_pdf(self) -> Pair:
        return (self * self * -0.5).exp() * INVERSE_ROOT_OF_2_PI

    def normal_cdf(self) -> Pair:
        y = abs(self)
        y = (y > 39.0).select(39.0, y)
        t = (y - 5.0)._quickly_over(y + 5.0)
        series = Pair(*precise_horner(t.high, t.low_or_zero(), NORMAL_TAIL))
        tail = (y * y * -0.5).exp() * series._quickly_over(y * 2.0 + 1.0)
        return (self > 0.0).select(1.0 - tail, tail)  # type: ignore[no-any-return]

    def _within(self, least: float, most: float = math.inf) -> tuple[Register, Register | None]:
        """Return the two doubles, within limits and without a NaN in the second one."""
        near = self.high.at_least(least)
        near = near.at_most(most) if most < math.inf else near
        if self.low is None:
            return near, None
        return near, ((near == self.high) & (self.low == self.low)).select(self.low, 0.0)

    def _unless_tiny(self, value: Pair) -> Pair:
        """Return a function of this number, which is the number itself up to 2**-64."""
        return (abs(self.high) < 2.0**-64).select(self, value)  # type: ignore[no-any-return]


class OnePlusExp:
    """``1 + exp(x)`` as a denominator: quotients by it are right however large the exponential."""

    __slots__ = ("factor", "power", "sink")

    def __init__(self, x: Pair) -> None:
        # e = exp(-abs(x)) is 2**n (high + low). The quotient by 1 + exp(x) is a product with
        # e / (1 + e), or with 1 / (1 + e) for negative x. Beyond 1456 it is 0 for every double.
        n, high, low = exp_sum(*(-abs(x))._within(-1456.0))
        # 2**n may take three doubles; e is nothing beside 1 with or without the third
        sink = (abs(x.high) > 1000.0).select(high.lift(2.0**-544), 1.0)
        n = n - (sink.bits() >> 52) + 1023
        first = power_of_two(n >> 1, wide=True)
        second = power_of_two(n - (n >> 1), wide=True)
        mantissa = Pair(high, low)
        e = mantissa._scaled(first * second)
        denominator = Pair(*fast_two_sum(high.lift(1.0), e.high))
        denominator.low = denominator.low_or_zero() + e.low_or_zero()
        positive = x.high > 0.0
        quotient = positive.select(mantissa, 1.0)._quickly_over(denominator)
        # the first power goes to the factor, which is then at most 1
        self.factor = quotient._scaled(positive.select(first, 1.0))
        self.power = positive.select(second, 1.0)
        sink = (x.high < math.inf).select(sink, 0.0)
        self.sink = positive.select(sink, 1.0)

    def __rtruediv__(self, numerator: Pair | Constant) -> Pair:
        return (self.factor * numerator)._scaled(self.power)._scaled(self.sink)  # type: ignore[no-any-return]


# --- parts of the functions -----------------------------------------------------------------------


def _logarithm(x: Register, low: Register | None, shift: Register | None) -> Pair:
    """Return log(x + low) + shift * log(2); it is -inf at 0, NaN below and inf at inf."""
    high, low = log_parts(x, low, shift)
    edge = (x == 0.0).select(high.lift(-math.inf), (x > 0.0).select(x, math.nan))
    return Pair(((x > 0.0) & (x < math.inf)).select(high, edge), low)
