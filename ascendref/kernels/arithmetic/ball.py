"""Numbers with a rigorous error bound: what decides whether a result is correctly rounded.

A `Ball` is a midpoint, which is computed, and what is known about its distance from the exact
value::

    abs(exact - mid) <= relative * abs(mid) + absolute + spread

``relative`` and ``absolute`` are Python floats, known while instructions are emitted: most formulas
need no instruction for their bound. ``spread`` is a register, needed only where a sum cancels.
``inexact`` tells whether the two differ at all: a bool if it is known, else a condition computed
from the remainders of sums and products. Ties need it.

Three rules keep balls cheap:

- A division waits. ``d / beta * g / count`` is one division, of two products; if the divisor is the
  same for all elements, it is a multiplication by its inverse.
- Ranges are known for every type, so that terms for underflow and overflow vanish.
- All comparisons are ordered: false for NaN. Infinite inputs turn remainders and bounds into NaN
  and are decided without a test; the result is what the midpoints give.

A comparison that the bounds leave open is a *doubt*. It belongs to the values that depend on it: a
selection passes on the doubts of the value that it takes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import frexp, inf, isfinite
from typing import Any, ClassVar, Final, NamedTuple, Self

from llvmlite import ir

from .midpoints import DOUBLES, PAIRS, Field, Truth, differ
from .registers import CONSTANTS, Condition, Constant, Register


class Range(NamedTuple):
    """What is known about all finite numbers of a type."""

    bits: int  #: longest significand
    unit: float  #: all numbers are multiples of it
    low: float  #: no number is smaller
    high: float  #: no number is larger


def _float(bits: int, unit: float, high: float) -> Range:
    return Range(bits, unit, -high, high)


RANGE: Final[dict[str, Range]] = {
    "float16": _float(11, 2.0**-24, 2.0**16),
    "bfloat16": _float(8, 2.0**-133, 2.0**128),
    "float32": _float(24, 2.0**-149, 2.0**128),
    "float64": _float(53, 2.0**-1074, inf),
    "int64": _float(53, 1.0, 2.0**63),
    "int32": _float(32, 1.0, 2.0**31),
    "int16": _float(16, 1.0, 2.0**15),
    "int8": _float(8, 1.0, 2.0**7),
    "uint8": Range(8, 1.0, 0.0, 2.0**8),
    "bool": Range(1, 1.0, 0.0, 1.0),
    "count": Range(53, 1.0, 1.0, 2.0**53),
}

#: added to a bound where something may underflow; not a subnormal number, because adding those
#: takes a processor 25 to 50 times as long
UNDERFLOW: Final = 2.0**-1000
#: products from here on may lose bits, or their remainders may
LEAST: Final = 2.0**-960
#: results beyond it are in doubt
MOST: Final = 2.0**1000
#: covers the roundings of the bounds themselves
GROW: Final = 1 + 2.0**-40


def either(a: Truth | None, b: Truth | None) -> Any:
    """Return whether one of two truths holds."""
    if a is True or b is True:
        return True
    if not isinstance(a, Condition):
        return b
    return a | b if isinstance(b, Condition) else a


def both(a: Truth | None, b: Truth | None) -> Any:
    """Return whether two truths hold."""
    if not a or not b:
        return False
    if a is True:
        return b
    return a if b is True else a & b  # type: ignore[operator]


def total(*parts: Register | None) -> Register | None:
    """Return the sum of those numbers that are there."""
    found = None
    for part in parts:
        if part is not None:
            found = part if found is None else found + part
    return found


def merged(a: tuple[Register, ...], b: tuple[Register, ...]) -> tuple[Register, ...]:
    """Return the registers of both."""
    return a + tuple(x for x in b if all(x is not y for y in a))


@dataclass(slots=True, eq=False, kw_only=True)
class Ball:
    """A midpoint with a bound of its error, whose operators emit instructions.

    Parameters
    ----------
    mid : Register or DoubleDouble
        The midpoint.
    relative, absolute : float
        Parts of the bound.
    spread : Register or None
        Part of the bound that is computed.
    inexact : bool or Condition
        Whether the midpoint differs from the exact value.
    low, high : float
        The range of the exact value, give or take a relative 2**-40.
    bits, unit : int or None, float
        Where it is exact, the number has at most that many bits (None: not known), and it is a
        multiple of ``unit`` in any case (0: not known).
    nearest : bool
        Whether the midpoint is the double nearest to the exact value.
    doubt : Condition or None
        Whether a comparison on which the number depends is undecided.
    uniform : bool
        Whether the number is the same for all elements.
    inverse : Register or None
        The inverse of the midpoint, of a uniform number by which something was divided.
    sides : tuple or None
        The condition and the two uniform numbers of which this divisor is one.
    over : Ball or None
        What the number is yet to be divided by.
    inputs : tuple of Register
        The elements and scalars on which it depends.
    masked : bool
        Whether its doubt counts only if these are finite.
    """

    mid: Any
    relative: float = 0.0
    absolute: float = 0.0
    spread: Register | None = None
    inexact: Truth = False
    low: float = -inf
    high: float = inf
    bits: int | None = None
    unit: float = 0.0
    nearest: bool = False
    doubt: Condition | None = None
    uniform: bool = False
    inverse: Register | None = None
    sides: tuple[BallCondition, Ball, Ball] | None = None
    over: Ball | None = None
    inputs: tuple[Register, ...] = ()
    masked: bool = False

    field: ClassVar[Field] = DOUBLES

    # --- where numbers come from ------------------------------------------------------------------

    @classmethod
    def tensor(cls, value: Register, kind: str, remainder: Register | None = None) -> Self:
        """Return an element of a tensor.

        Parameters
        ----------
        value : Register
            The element as a double.
        kind : str
            Type of the tensor.
        remainder : Register, optional
            What an int64 is more than the double nearest to it.
        """
        ball = cls._of(value, RANGE[kind])
        if remainder is None:
            return ball
        inexact: Truth
        ball.mid, inexact = ball.field.add(ball.mid, ball.field.lift(remainder))
        if inexact is False:
            ball.bits = 64
            return ball
        lost = (remainder < 0.0) | (remainder > 0.0)
        return replace(ball, relative=cls.field.unit, inexact=lost, nearest=True)

    @classmethod
    def scalar(cls, value: Register, *, narrowed: bool) -> Self:
        """Return a scalar: a float32 value if it was narrowed, else any double."""
        if narrowed:
            # it changes nothing, but then LLVM compares floats with it as floats
            value = value.narrowed().widened()
        return replace(cls._of(value, RANGE["float32" if narrowed else "float64"]), uniform=True)

    @classmethod
    def count(cls, value: Register) -> Self:
        """Return a positive integer below 2**53."""
        return replace(cls._of(value, RANGE["count"]), uniform=True)

    @classmethod
    def _of(cls, value: Register, known: Range) -> Self:
        bits, unit, low, high = known
        mid = cls.field.lift(value)
        return cls(mid=mid, bits=bits, unit=unit, low=low, high=high, inputs=(value,))

    def lift(self, number: Ball | Constant) -> Self:
        """Return a constant as a ball."""
        if isinstance(number, Ball):
            return number  # type: ignore[return-value]
        like = self.field.high(self.mid)
        if isinstance(number, float) and not isfinite(number):
            mid = self.field.lift(like.lift(number))
            return type(self)(mid=mid, low=number, high=number, bits=1, uniform=True)
        exact = Fraction(number)
        mid, held = self.field.constant(like, exact)
        value = float(exact)
        if held != exact:
            relative = float(abs(held / exact - 1)) * 1.001
            return type(self)(mid=mid, relative=relative, inexact=True, low=value, high=value,
                              unit=0.0, uniform=True)  # fmt: skip
        numerator = abs(held.numerator)
        bits = (numerator // (numerator & -numerator)).bit_length() if numerator else 1
        unit = float((numerator & -numerator) / Fraction(held.denominator)) if numerator else 1.0
        return type(self)(mid=mid, low=value, high=value, bits=bits, unit=unit, uniform=True)

    # --- what is known ----------------------------------------------------------------------------

    @property
    def most(self) -> float:
        """The largest magnitude."""
        return max(abs(self.low), abs(self.high))

    @property
    def fewest(self) -> float:
        """The smallest magnitude."""
        return 0.0 if self.low <= 0.0 <= self.high else min(abs(self.low), abs(self.high))

    @property
    def least(self) -> float:
        """The smallest magnitude that is not 0; 0 if unknown."""
        return max(self.fewest, self.unit)

    @property
    def _nearest(self) -> bool:
        """Whether the midpoint is the double nearest to the exact value."""
        return self.inexact is False or self.nearest

    @property
    def size(self) -> Register:
        """The magnitude of the midpoint, as a double."""
        return abs(self.field.high(self.mid))

    @property
    def tame(self) -> bool:
        """Whether the number and its inverse are far from overflow and underflow."""
        return self.over is None and self.least >= 2.0**-400 and self.most <= 2.0**400

    @property
    def inverted(self) -> bool:
        """Whether to divide by it is to multiply with a number computed once for all elements."""
        return self.tame and (self.uniform or self.inverse is not None)

    def error(self, ignored: float = 0.0) -> Register | None:
        """Return the whole bound, or None if it is 0; an absolute part up to ``ignored`` is left out.

        It is not set to 0 where the number turns out to be exact.
        """
        absolute = 0.0 if self.absolute <= ignored else self.absolute * GROW
        if self.spread is not None:
            spread = self.spread + absolute if absolute else self.spread
            return self.size.fma(self.relative, spread) * GROW if self.relative else spread * GROW
        if self.relative and absolute:
            return self.size.fma(self.relative * GROW, absolute)
        if self.relative:
            return self.size * (self.relative * GROW)
        return self.size.lift(absolute) if absolute else None

    # --- operators --------------------------------------------------------------------------------

    def _like(self, *others: Ball, **known: Any) -> Self:
        """Return a number with the doubts of this and other ones."""
        doubt, masked, uniform = self.doubt, self.masked, self.uniform
        inputs = self.inputs
        for other in others:
            inputs = merged(inputs, other.inputs)
            doubt = either(doubt, other.doubt)
            masked |= other.masked
            uniform &= other.uniform
        return type(self)(doubt=doubt, inputs=inputs, masked=masked, uniform=uniform, **known)

    def _over(self, over: Ball | None) -> Self:
        return replace(self, over=over, inverse=None)

    def __neg__(self) -> Self:
        return replace(self, mid=-self.mid, low=-self.high, high=-self.low, inverse=None)

    def __abs__(self) -> Self:
        over = abs(self.over) if self.over is not None else None
        return replace(self, mid=abs(self.mid), low=self.fewest, high=self.most,
                       over=over, inverse=None)  # fmt: skip

    def __add__(self, other: Ball | Constant) -> Self:
        if not isinstance(other, (Ball, *CONSTANTS)):
            return NotImplemented
        return _sum(self.whole(), self.lift(other).whole())  # type: ignore[return-value]

    __radd__ = __add__

    def __sub__(self, other: Ball | Constant) -> Self:
        if not isinstance(other, (Ball, *CONSTANTS)):
            return NotImplemented
        return self + -self.lift(other)

    def __rsub__(self, other: Constant) -> Self:
        return self.lift(other) - self

    def __mul__(self, other: Ball | Constant) -> Self:
        if not isinstance(other, (Ball, *CONSTANTS)):
            return NotImplemented
        a, b = self, self.lift(other)
        if a.most * b.most > 2.0**900 or a.least * b.least < 2.0**-900:
            a, b = a.whole(), b.whole()
        over = a.over
        if b.over is not None:
            over = b.over if over is None else over * b.over
        return _product(a._over(None), b._over(None))._over(over)

    __rmul__ = __mul__

    def __truediv__(self, other: Ball | Constant) -> Self:
        if not isinstance(other, (Ball, *CONSTANTS)):
            return NotImplemented
        b = self.lift(other).whole()
        if self.over is None:
            return self._over(b)
        if self.over.inverted and b.inverted:
            return self._over(_divisor(self.over, b))
        return self.whole()._over(b)

    def __rtruediv__(self, other: Constant) -> Self:
        return self.lift(other) / self

    def whole(self) -> Self:
        """Return the number with its division done."""
        if self.over is None:
            return self
        return _quotient(self._over(None), self.over)  # type: ignore[return-value]

    # --- comparisons ------------------------------------------------------------------------------

    def _compare(self, operator: str, other: Any) -> Any:
        if not isinstance(other, (Ball, *CONSTANTS)):
            return NotImplemented
        a, b = self.whole(), self.lift(other).whole()
        holds = getattr(a.mid, operator)(b.mid)
        undecided, masked = _undecided(a, b)
        return BallCondition(
            holds=holds,
            doubt=either(undecided, either(a.doubt, b.doubt)),
            inputs=merged(a.inputs, b.inputs),
            masked=masked or a.masked or b.masked,
            uniform=a.uniform and b.uniform,
        )

    def __lt__(self, other: Ball | Constant) -> BallCondition:
        return self._compare("__lt__", other)  # type: ignore[no-any-return]

    def __le__(self, other: Ball | Constant) -> BallCondition:
        return self._compare("__le__", other)  # type: ignore[no-any-return]

    def __gt__(self, other: Ball | Constant) -> BallCondition:
        return self._compare("__gt__", other)  # type: ignore[no-any-return]

    def __ge__(self, other: Ball | Constant) -> BallCondition:
        return self._compare("__ge__", other)  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> BallCondition:  # type: ignore[override]
        return self._compare("__eq__", other)  # type: ignore[no-any-return]

    __hash__ = None  # type: ignore[assignment]

    def sign(self) -> Self:
        """Return -1, 0 or 1; it is NaN for NaN."""
        value = self.whole()
        high = self.field.high(value.mid)
        unit = self.field.lift(differ(high, 0.0).select(high.lift(1.0).copysign(high), high))
        undecided, masked = _undecided(value, value.lift(0))
        return type(self)(
            mid=unit,
            low=max(-1.0, min(value.low, 0.0)),
            high=min(1.0, max(value.high, 0.0)),
            bits=1,
            unit=1.0,
            doubt=either(value.doubt, undecided),
            uniform=self.uniform,
            inputs=self.inputs,
            masked=masked or value.masked,
        )

    # --- functions: see ball_functions.py ---------------------------------------------------------

    def exp(self) -> Self:
        """Return the exponential."""
        return self._function("exp")

    def expm1(self) -> Self:
        """Return the exponential minus 1."""
        return self._function("expm1")

    def log(self) -> Self:
        """Return the natural logarithm."""
        return self._function("log")

    def log1p(self) -> Self:
        """Return the logarithm of 1 + self."""
        return self._function("log1p")

    def sqrt(self) -> Self:
        """Return the square root."""
        return self._function("sqrt")

    def tanh(self) -> Self:
        """Return the hyperbolic tangent."""
        return self._function("tanh")

    def normal_cdf(self) -> Self:
        """Return the integral of the normal distribution."""
        return self._function("normal_cdf")

    def normal_pdf(self) -> Self:
        """Return the density of the normal distribution."""
        return self._function("normal_pdf")

    def one_plus_exp(self) -> Self:
        """Return 1 + exp(self), to divide by."""
        return self._function("one_plus_exp")

    def softplus(self) -> Self:
        """Return log(1 + exp(self))."""
        return self._function("softplus")

    def single(self) -> Self:
        """Round to float32."""
        from .rounding_test import single

        return single(self)  # type: ignore[return-value]

    def _function(self, name: str) -> Self:
        from .ball_functions import apply

        return apply(name, self.whole())  # type: ignore[return-value]


@dataclass(slots=True)
class BallCondition:
    """A comparison of balls.

    Parameters
    ----------
    holds : Condition
        What the midpoints say.
    doubt : Condition or None
        Whether the bounds leave it open, or one of the numbers is in doubt.
    inputs, masked
        As for balls.
    uniform : bool
        Whether it is the same for all elements.
    """

    holds: Condition
    doubt: Condition | None
    inputs: tuple[Register, ...]
    masked: bool
    uniform: bool

    def _joined(self, other: BallCondition, holds: Condition) -> BallCondition:
        return BallCondition(
            holds=holds,
            doubt=either(self.doubt, other.doubt),
            inputs=merged(self.inputs, other.inputs),
            masked=self.masked or other.masked,
            uniform=self.uniform and other.uniform,
        )

    def __or__(self, other: BallCondition) -> BallCondition:
        return self._joined(other, self.holds | other.holds)

    def __and__(self, other: BallCondition) -> BallCondition:
        return self._joined(other, self.holds & other.holds)

    def __invert__(self) -> BallCondition:
        return replace(self, holds=~self.holds)

    def select(self, yes: Ball | Constant, no: Ball | Constant) -> Any:
        """Return one of two numbers, with its doubts; at least one is a ball."""
        like = yes if isinstance(yes, Ball) else no
        a, b = like.lift(yes), like.lift(no)  # type: ignore[union-attr]
        over = None
        if all(x.over is None or x.over.inverted for x in (a, b)):
            over = self._divisor(a, b)
        else:
            a, b = a.whole(), b.whole()
        found = self._select(a._over(None), b._over(None))
        return replace(
            found,
            over=over,
            doubt=either(found.doubt, self.doubt),
            inputs=merged(found.inputs, self.inputs),
            masked=found.masked or self.masked,
        )

    def _divisor(self, a: Ball, b: Ball) -> Ball | None:
        """Return the divisor of one of two numbers; both divisors are uniform."""
        if a.over is None and b.over is None:
            return None
        return _choice(self, *(a.lift(1) if x.over is None else x.over for x in (a, b)))

    def _truth(self, yes: Truth | None, no: Truth | None) -> Any:
        """Return one of two truths; None is false."""
        yes, no = yes or False, no or False
        if isinstance(yes, bool) and isinstance(no, bool):
            if yes == no:
                return yes
            return self.holds if yes else ~self.holds
        bit = ir.IntType(1)
        values = [x.value if isinstance(x, Condition) else ir.Constant(bit, x) for x in (yes, no)]
        return Condition(self.holds.builder, self.holds.builder.select(self.holds.value, *values))

    def _select(self, a: Ball, b: Ball) -> Ball:
        spread = None
        if a.spread is not None or b.spread is not None:
            zero = a.size.lift(0.0)
            spread = self.holds.select(*(zero if x.spread is None else x.spread for x in (a, b)))
        exact = [x for x in (a, b) if x.inexact is not True]
        known = all(x.bits is not None for x in exact) and bool(exact)
        return type(a)(
            mid=a.field.choose(self.holds, a.mid, b.mid),
            relative=max(a.relative, b.relative),
            absolute=max(a.absolute, b.absolute),
            spread=spread,
            inexact=self._truth(a.inexact, b.inexact),
            low=min(a.low, b.low),
            high=max(a.high, b.high),
            bits=max(x.bits or 0 for x in exact) if known else None,
            unit=min(a.unit, b.unit),
            nearest=a._nearest and b._nearest,
            doubt=self._truth(a.doubt, b.doubt) or None,
            uniform=a.uniform and b.uniform and self.uniform,
            inputs=merged(a.inputs, b.inputs),
            masked=a.masked or b.masked,
        )


class PairBall(Ball):
    """A ball around a double-double, for the elements that doubles leave undecided."""

    __slots__ = ()

    field: ClassVar[Field] = PAIRS


# --- the operations -------------------------------------------------------------------------------


def _widened(low: float, high: float) -> tuple[float, float]:
    """Return a range, rounded outwards; NaN is unbounded."""
    low = low - abs(low) * 1e-15 if low > -inf else -inf
    high = high + abs(high) * 1e-15 if high < inf else inf
    return low, high


def _sum(a: Ball, b: Ball) -> Ball:
    field = a.field
    low, high = _widened(a.low + b.low, a.high + b.high)
    # a rounded sum of multiples of a number is one, too
    unit = min(a.unit, b.unit)
    mid, lost = field.add(a.mid, b.mid)
    found = a._like(b, mid=mid, low=low, high=high, unit=unit, absolute=a.absolute + b.absolute)
    exact = a.inexact is False and b.inexact is False
    if exact and (lost is False or _fits(max(abs(low), abs(high)), unit, field.bits)):
        return replace(found, bits=field.bits)
    found.inexact = either(either(a.inexact, b.inexact), lost)
    found.spread = total(a.spread, b.spread)
    found.relative, found.nearest = field.unit, exact and field.nearest
    larger = max(a.relative, b.relative)
    if not larger:
        return _checked(found)
    fewest = found.fewest
    parts = [x.relative * x.most if x.relative else 0.0 for x in (a, b)]
    bound = sum(parts) / fewest if fewest else inf
    if (a.low >= 0 and b.low >= 0) or (a.high <= 0 and b.high <= 0):
        found.relative += larger * GROW
    elif bound < 16 * field.unit:
        found.relative += bound * GROW
    else:
        parts_spread = [x.size * x.relative if x.relative else None for x in (a, b)]
        found.spread = total(found.spread, *parts_spread)
    return _checked(found)


def _fits(most: float, unit: float, bits: int) -> bool:
    """Whether all multiples of a unit up to a magnitude have that many bits."""
    return unit > 0.0 and most < inf and frexp(most)[1] - frexp(unit)[1] < bits


def _product(a: Ball, b: Ball) -> Ball:
    field = a.field
    corners = [x * y if x and y else 0.0 for x in (a.low, a.high) for y in (b.low, b.high)]
    low, high = _widened(min(corners), max(corners))
    least = a.least * b.least
    mid, lost = field.multiply(a.mid, b.mid)
    found = a._like(b, mid=mid, low=low, high=high, unit=a.unit * b.unit)
    exact = a.inexact is False and b.inexact is False
    short = (a.bits or inf) + (b.bits or inf)
    power = any(x.bits == 1 and x.inexact is False for x in (a, b))
    fits = short <= field.bits or (power and exact)
    if exact and least >= LEAST and (fits or lost is False):
        return _checked(replace(found, bits=int(min(short - power, field.bits))))
    found.bits = int(short) if short <= field.bits else None
    found.relative = (a.relative + b.relative + a.relative * b.relative) * GROW
    if not power:
        found.relative += field.unit
    found.nearest = (
        field.nearest and least >= LEAST and (exact or (power and a._nearest and b._nearest))
    )
    found.inexact = True if least < LEAST else either(either(a.inexact, b.inexact), lost)
    found.absolute = UNDERFLOW if least < LEAST else 0.0
    for x, y in ((a, b), (b, a)):
        if y.absolute and x.most < 2.0**300:
            found.absolute += y.absolute * x.most * GROW
        elif y.absolute:
            found.spread = total(found.spread, x.size * (y.absolute * GROW))
        if y.spread is not None:
            found.spread = total(found.spread, x.size * y.spread)
    if a.spread is not None and b.spread is not None:
        found.spread = total(found.spread, a.spread * b.spread)
    if found.spread is not None:
        found.spread = found.spread * (1 + 2 * (a.relative + b.relative) + 2.0**-40)
    return _checked(found)


def _choice(condition: BallCondition, a: Ball, b: Ball) -> Ball:
    """Return one of two divisors, with its inverse."""
    found = condition._select(a, b)
    found.inverse = a.field.choose(condition.holds, _inverse(a), _inverse(b))
    if a.uniform and b.uniform:
        found.sides = condition, a, b
    return found


def _divisor(a: Ball, b: Ball) -> Ball:
    """Return the product of two divisors, so that no more than a selection is left to an element."""
    if b.sides is not None and a.sides is None:
        a, b = b, a
    if a.sides is not None and b.uniform:
        condition, yes, no = a.sides
        return _choice(condition, yes * b, no * b)
    found = a * b
    if not found.uniform:
        found.inverse, _ = a.field.multiply(_inverse(a), _inverse(b))
        found.relative += 2 * a.field.unit
    return found


def _inverse(b: Ball) -> Any:
    """Return the inverse of a uniform divisor, which is computed once for all elements."""
    return b.field.divide(b.lift(1).mid, b.mid) if b.inverse is None else b.inverse


def _quotient(a: Ball, b: Ball) -> Ball:
    field = a.field
    roundings = 1
    if field.bits > 53 and a.least < LEAST:
        # the remainder of the first quotient may underflow
        a = replace(a, absolute=a.absolute + UNDERFLOW)
    if b.inverted or (a.spread is not None and b.least >= 2.0**-900 and a.most <= 2.0**500):
        inverse = _inverse(b)
        mid, _ = field.multiply(a.mid, inverse)
        roundings = 2
    else:
        inverse, mid = None, field.divide(a.mid, b.mid)
    relative = (a.relative + b.relative + roundings * field.unit) * (1 + 4 * b.relative + 2.0**-40)
    found = a._like(b, mid=mid, relative=relative, inexact=True)
    found.low, found.high = _quotient_range(a, b)
    if b.inverted and a.least > 2.0**-500:
        remains = field.remains(mid, a.mid, b.mid)
        if b.uniform:
            # known once for all elements: only then, a power of two divides exactly
            remains = field.remains(inverse, a.lift(1).mid, b.mid)
        found.inexact = either(either(a.inexact, b.inexact), remains)
    found.unit = 0.0
    if not (a.least > 0.0 and b.most < inf and a.least / b.most >= LEAST):
        found.absolute = UNDERFLOW
    if b.high == inf and b.low >= 0.0:
        # an infinite divisor may stand for a large one
        if a.most <= 2.0**500:
            found.absolute += a.most * 2.0**-890
        found.doubt = either(found.doubt, b.size > 2.0**900) if a.most > 2.0**500 else found.doubt
        found.masked |= a.most > 2.0**500
    above = a.spread
    if a.absolute and b.fewest:
        found.absolute += a.absolute / b.fewest * GROW
    elif a.absolute:
        above = total(above, a.size.lift(a.absolute * GROW))
    if b.spread is not None or b.absolute:
        below = total(b.spread, b.size.lift(b.absolute) if b.absolute else None)
        assert below is not None
        rest = b.size * (1 - 2 * b.relative - 2.0**-40) - below
        numerator = found.size * below
        found.spread = (numerator if above is None else numerator + above) / rest * (1 + 2.0**-30)
        found.doubt, found.masked = either(found.doubt, rest <= 0.0), True
    elif above is not None:
        scale = abs(field.high(inverse)) if inverse is not None else 1.0 / b.size
        found.spread = above * scale * (1 + 4 * b.relative + 2.0**-40)
    return _checked(found)


def _quotient_range(a: Ball, b: Ball) -> tuple[float, float]:
    if not b.fewest:
        most = a.most / b.least if b.least else inf
        return (0.0 if a.low >= 0 and b.low >= 0 else -most), most
    corners = [x / y if abs(y) < inf else 0.0 for x in (a.low, a.high) for y in (b.low, b.high)]
    return _widened(min(corners), max(corners))


def _checked(found: Ball) -> Ball:
    """Put a number in doubt where it may have overflowed."""
    if found.most <= MOST:
        return found
    doubt = either(found.doubt, found.size > MOST)
    return replace(found, doubt=doubt, masked=True)


def _undecided(a: Ball, b: Ball) -> tuple[Condition | None, bool]:
    """Return whether the bounds leave the order of two numbers open, and if infinities do, too."""
    if a.inexact is False and b.inexact is False:
        return None, False
    for x, y in ((a, b), (b, a)):
        keeps_sign = x.spread is None and not x.absolute
        if keeps_sign and y.low == y.high == 0.0:
            return None, False
    inexact = either(a.inexact, b.inexact)
    if a._nearest and b._nearest and False in (a.inexact, b.inexact):
        # rounding is monotonic: it may only make numbers equal
        return both(a.mid == b.mid, inexact), False
    bound = total(a.error(), b.error())
    assert bound is not None
    gap = abs(a.field.high(a.mid - b.mid))
    return both(gap * (1 - 2.0**-40) <= bound * GROW, inexact), True
