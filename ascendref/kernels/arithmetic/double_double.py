"""Double-double numbers: sums of two doubles, with the precision of about 100 bits.

They decide the roundings that plain doubles left open. That concerns few elements, so the code is
short rather than fast: no branches, and series of few terms.

The operations are those of Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic
building blocks of double-word arithmetic" (ACM TOMS 44, 2017); their bounds are proven there for
normalised arguments, in the absence of underflow and overflow. With u = 2**-53:

==============  =====================================  ===================
operation       algorithm                              relative error
==============  =====================================  ===================
``a + b``       6, AccurateDWPlusDW                    3 u**2 + 13 u**3
``a + double``  4, DWPlusFP                            2 u**2
``a * b``       12, DWTimesDW3                         5 u**2
``a / b``       17, DWDivDW2                           15 u**2 + 56 u**3
``sqrt(a)``     Lefèvre and others, "Accurate          25/8 u**2
                calculation of Euclidean norms"
                (ACM TOMS 49, 2023), SQRTDWtoDW
==============  =====================================  ===================

`RELATIVE_ERROR` and `RANGE` hold the same for the functions. A result that is 0 may have the wrong
sign. Where ``high`` is infinite or NaN, results are so too, most of them NaN, and ``low`` is
meaningless.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from math import factorial, inf, nan
from typing import Any, Final

from llvmlite import ir

from .elementary import nearest_exponent, power_of_two, split
from .functions import Constant, Number
from .registers import Condition, Register, fast_two_sum, two_product, two_sum

#: Bounds of the relative errors of the functions, for any double-double in `RANGE`: more than four
#: times the largest error among 250,000 to 430,000 samples, compared with 280-bit ball arithmetic.
#: That of the exponential is relative to p, whose absolute error is below 2**-105 in addition where
#: the power is not 1.
RELATIVE_ERROR: Final[dict[str, float]] = {
    "exponential": 2.0**-99,
    "log": 2.0**-99,
    "log1p": 2.0**-99,
}

#: The arguments for which these bounds hold, if they are 0 or at least `LEAST` in magnitude. Beyond
#: them `exponential` returns the value at some number beyond the limit; `log` and `log1p` are
#: meaningless.
RANGE: Final[dict[str, tuple[float, float]]] = {
    "exponential": (-665.0, 693.0),
    "log": (2.0**-960, 2.0**1000),
    "log1p": (-1.0, 2.0**1000),
}

#: below it, the low parts of products underflow
LEAST: Final = 2.0**-960


class DoubleDouble(Number):
    """The sum of two doubles; the second is at most half an ulp of the first."""

    __slots__ = ("high", "low")

    def __init__(self, high: Register, low: Register) -> None:
        self.high = high
        self.low = low

    def lift(self, number: DoubleDouble | Register | Constant) -> DoubleDouble:
        """Return a number as a double-double: a register exactly, a constant to 106 bits."""
        if isinstance(number, DoubleDouble):
            return number
        if isinstance(number, Register):
            return DoubleDouble(number, number.lift(0.0))
        high = float(number)
        finite = abs(high) < inf
        low = float(Fraction(number) - Fraction(high)) if finite else 0.0
        return DoubleDouble(self.high.lift(high), self.high.lift(low))

    @property
    def is_double(self) -> bool:
        """Whether the second double is known to be 0."""
        low = self.low.value
        return isinstance(low, ir.Constant) and low.constant == 0.0

    def chosen(self, condition: Condition, yes: Any, no: Any) -> DoubleDouble:
        yes, no = self.lift(yes), self.lift(no)
        high = condition.select(yes.high, no.high)
        if yes.is_double and no.is_double:
            return self.lift(high)
        return DoubleDouble(high, condition.select(yes.low, no.low))

    def _add(self, other: DoubleDouble) -> DoubleDouble:
        if other.is_double:
            total, rest = two_sum(self.high, other.high)
            return DoubleDouble(*fast_two_sum(total, rest + self.low))
        high, high_rest = two_sum(self.high, other.high)
        low, low_rest = two_sum(self.low, other.low)
        high, rest = fast_two_sum(high, high_rest + low)
        return DoubleDouble(*fast_two_sum(high, rest + low_rest))

    def _mul(self, other: DoubleDouble) -> DoubleDouble:
        high, rest = two_product(self.high, other.high)
        low = self.low.fma(other.high, self.high.fma(other.low, self.low * other.low))
        return DoubleDouble(*fast_two_sum(high, rest + low))

    def _div(self, other: DoubleDouble) -> DoubleDouble:
        first = self.high / other.high
        # the product of the denominator with it is their algorithm 7, which the proof asks for
        product, rest = two_product(other.high, first)
        product, lost = fast_two_sum(product, other.low * first)
        product, rest = fast_two_sum(product, lost + rest)
        # the first difference is exact
        second = ((self.high - product) + (self.low - rest)) / other.high
        return DoubleDouble(*fast_two_sum(first, second))

    def __neg__(self) -> DoubleDouble:
        return DoubleDouble(-self.high, self.low if self.is_double else -self.low)

    def __abs__(self) -> DoubleDouble:
        return DoubleDouble(abs(self.high), (self.high < 0.0).select(-self.low, self.low))

    def _compare(self, operator: str, other: DoubleDouble | Register | Constant) -> Condition:
        other = self.lift(other)
        equal = self.high == other.high
        high, low = self.high._compare(operator, other.high), self.low._compare(operator, other.low)
        return ~equal & high | equal & low  # type: ignore[no-any-return]

    def scaled(self, power: Register | float) -> DoubleDouble:
        """Return the product with a power of two, exact but for underflow and overflow."""
        return DoubleDouble(self.high * power, self.low * power)

    def sqrt(self) -> DoubleDouble:
        """Return the square root; it is NaN below 0."""
        root = self.high.sqrt()
        rest = (-root).fma(root, self.high) + self.low
        high, low = fast_two_sum(root, rest / (root + root))
        zero = self.high == 0.0
        return DoubleDouble(zero.select(self.high, high), zero.select(self.low, low))


# --- series ---------------------------------------------------------------------------------------


def _horner(x: DoubleDouble, coefficients: list[Fraction], precise: int) -> DoubleDouble:
    """Return the polynomial with these coefficients, the constant first.

    Terms after the first ``precise`` are less than 2**-45 of the value: doubles are enough.
    """
    *others, last = coefficients[precise:]
    rest = x.high.lift(last)
    for coefficient in reversed(others):
        rest = rest.fma(x.high, coefficient)
    value = x.lift(rest)
    for coefficient in reversed(coefficients[:precise]):
        value = value * x + coefficient
    return value


def _bernoulli(count: int) -> list[Fraction]:
    """Return the coefficients of r**0, r**2, … in ``r / 2 * coth(r / 2)``: B(2k) / (2k)!."""
    found: list[Fraction] = []
    for n in range(2 * count):
        known = (b / factorial(n + 1 - k) for k, b in enumerate(found))
        found.append(int(n == 0) - sum(known, Fraction(0)))
    return found[::2]


#: ``r * coth(r / 2)`` for r up to ln(2) / 2, in powers of r**2; the first omitted is 2**-107
_COTH: Final = [2 * b for b in _bernoulli(13)]
#: ``atanh(s) / s`` for s up to 0.172, in powers of s**2; the first omitted term is below 2**-101
_ATANH: Final = [Fraction(1, 2 * k + 1) for k in range(19)]

_LN2: Final = Fraction("0.693147180559945309417232121458176568075500134360255254120680009493")
PI: Final = Fraction("3.14159265358979323846264338327950288419716939937510582097494459230")
INVERSE_ROOT_OF_2_PI: Final = Fraction(
    "0.398942280401432677939946059934381868475858631164934657665925829670"
)
#: ln 2 in parts: multiples of 2**-42 and 2**-84, whose products with 11 bits are exact, and a rest
_LN2_FIRST: Final = float(Fraction(int(_LN2 * 2**42), 2**42))
_LN2_SECOND: Final = float(Fraction(int(_LN2 * 2**84), 2**84) - Fraction(_LN2_FIRST))
_LN2_THIRD: Final = float(_LN2 - Fraction(_LN2_FIRST) - Fraction(_LN2_SECOND))


# --- exponentials ---------------------------------------------------------------------------------


def exponential(x: DoubleDouble) -> tuple[DoubleDouble, Register]:
    """Return p and a power of two, 1 for small x: exp(x) is ``power * (1 + p)``."""
    near = x.high.at_most(694.0).at_least(-666.0) + (x.high - x.high)
    low = (near == x.high).select(x.low, 0.0)
    exponent, n = nearest_exponent(near)
    first = n.fma(-_LN2_FIRST, near)  # exact
    r = DoubleDouble(*two_sum(first, low)) - DoubleDouble(n * _LN2_SECOND, n * _LN2_THIRD)
    # exp(r) - 1 = 2 r / (r coth(r / 2) - r)
    p = r.scaled(2.0) / (_horner(r * r, _COTH, 6) - r)
    return p, power_of_two(exponent, wide=True)


# --- logarithms -----------------------------------------------------------------------------------


def _reduced(x: DoubleDouble) -> tuple[Register, DoubleDouble]:
    """Return n and f: x is ``2**n * (1 + f)``, and 1 + f is between the roots of 1/2 and 2."""
    mantissa, exponent, n = split(x.high)
    low = x.low * power_of_two(0 - exponent, wide=True)
    # both are exact
    return n, DoubleDouble(*fast_two_sum(mantissa - 1.0, low))


def _logarithm(n: Register, f: DoubleDouble) -> DoubleDouble:
    """Return ``n * log(2) + log(1 + f)``."""
    s = f / (f + 2)
    high, low = two_sum(n * _LN2_FIRST, n * _LN2_SECOND)
    whole = DoubleDouble(*fast_two_sum(high, low + n * _LN2_THIRD))
    return whole + s.scaled(2.0) * _horner(s * s, _ATANH, 9)


def _defined(x: Register, value: DoubleDouble) -> DoubleDouble:
    """Return the logarithm of x, which is -inf at 0, NaN below and inf at inf."""
    edge = (x == 0.0).select(-inf, (x > 0.0).select(x, nan))
    return DoubleDouble(((x > 0.0) & (x < inf)).select(value.high, edge), value.low)


def log(x: DoubleDouble) -> DoubleDouble:
    return _defined(x.high, _logarithm(*_reduced(x)))


def log1p(x: DoubleDouble) -> DoubleDouble:
    total = x + 1
    n, f = _reduced(total)
    near = (x.high > -0.29) & (x.high < 0.41)
    return _defined(total.high, _logarithm(near.select(0.0, n), near.select(x, f)))


# --- the normal distribution ----------------------------------------------------------------------

#: squares of the nodes (n - 1/2) / 2, and what the terms weigh; the first omitted one is 2**-108
_NODES: Final = [Fraction((2 * n - 1) ** 2, 16) for n in range(1, 25)]


def _weight(square: Fraction) -> Fraction:
    """Return ``exp(-square / 2) / (2 * pi)`` to 40 digits."""
    exponent = Decimal(-square.numerator) / (2 * square.denominator)  # exact
    return Fraction(Context(prec=40).exp(exponent)) / (2 * PI)


def normal_sum(square: DoubleDouble) -> DoubleDouble:
    """Return the sum in the integral of the normal distribution's density from y >= 0 to inf.

    The trapezoidal rule with midpoints and steps of 1/2, and the residue of the integrand's pole
    (Hunter and Regan, "A note on the evaluation of the complementary error function", 1972) give it
    within a relative exp(-8 * pi**2) = 2**-113::

        y * exp(-y**2 / 2) * sum(weight / (node + y**2)) + 1 / (1 + exp(4 * pi * y))

    The second number is left out from y = 4 * pi on, where the pole is too far away to matter.
    """
    # the terms of these nodes are less than 2**-48 of the sum
    far = square.high.lift(0.0)
    for node in _NODES[16:]:
        far = far + float(_weight(node)) / (square.high + node)
    total = square.lift(far)
    for node in reversed(_NODES[:16]):
        total = total + _weight(node) / (square + node)
    return total
