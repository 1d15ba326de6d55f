"""Numbers with a rigorous error bound: what decides whether a result is correctly rounded.

A `Ball` is a computed midpoint, and a bound of its distance from the exact value::

    abs(exact - mid) <= relative * abs(mid) + absolute + spread

``relative`` and ``absolute`` are Python floats, known while instructions are emitted: most formulas
need no instruction for their bound. ``spread`` is a register times a factor, needed only where a
sum cancels.
``inexact`` tells whether the two differ at all: a bool if it is known, else a condition computed
from the remainders of sums and products. Ties need it.

Three rules keep balls cheap:

- A division waits. ``d / beta * g / count`` is one division, of two products; if the divisor is the
  same for all elements, it is a multiplication by its inverse.
- Ranges are known for every type, so that terms for underflow and overflow vanish.
- All comparisons are ordered: false for NaN. Infinite inputs turn remainders and bounds into NaN
  and are decided without a test; the result is that of the midpoints.

A comparison that the bounds leave open is a *doubt*. It belongs to the values that depend on it: a
selection passes on the doubts of the value that it takes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, isfinite
from typing import Any, ClassVar, Final, Self

from .ball_condition import BallCondition
from .ball_functions import apply
from .ball_operations import UNIT, add, add_doubles, divide, divisor, multiply, undecided
from .bounds import (
    DOUBLES,
    GROW,
    RANGE,
    Format,
    Range,
    Scaled,
    Truth,
    both,
    differ,
    either,
    merged,
    total,
)
from .functions import NARROW_FARTHEST, Constant, Number
from .registers import Condition, Register
from .rounding_test import single


@dataclass(slots=True, eq=False, kw_only=True)
class Ball(Number):
    """A midpoint with a bound of its error, whose operators emit instructions."""

    #: the midpoint, a register or a double-double
    mid: Any
    #: parts of the bound that are known
    relative: float = 0.0
    absolute: float = 0.0
    #: part of the bound that is computed: `Scaled`; of double-doubles a register
    spread: Any = None
    #: ``spread`` in relation to the midpoint, if that is known: divisors need no more
    growth: Scaled | None = None
    #: whether the midpoint differs from the exact value
    inexact: Truth = False
    #: the range of the exact value, give or take a relative 2**-40
    low: float = -inf
    high: float = inf
    #: where it is exact, the number has at most that many bits (None: not known), and it is a
    #: multiple of ``unit`` in any case (0: not known)
    bits: int | None = None
    unit: float = 0.0
    #: whether the midpoint is the double nearest to the exact value
    nearest: bool = False
    #: whether a midpoint that is 0, of a number that underflowed, has the sign of the number
    keeps_sign: bool = True
    #: whether a comparison on which the number depends is undecided
    doubt: Condition | None = None
    #: whether the number is the same for all elements
    uniform: bool = False
    #: the inverse of the midpoint, of a uniform number by which something was divided
    inverse: Register | None = None
    #: the condition and the two uniform numbers of which this divisor is one
    sides: tuple[BallCondition, Ball, Ball] | None = None
    #: the pending divisor of the number
    over: Ball | None = None
    #: the elements and scalars on which it depends
    inputs: tuple[Register, ...] = ()

    #: the type of midpoints and bounds
    format: ClassVar[Format] = DOUBLES
    #: whether elementary functions are those of `quick`
    is_quick: ClassVar[bool] = False
    #: whether operations count as inexact without a look at remainders, which leaves ties open
    rounds_all: ClassVar[bool] = False
    # what balls around double-doubles do in another way
    _add_midpoints: ClassVar[Any] = staticmethod(add_doubles)
    _sum: ClassVar[Any] = staticmethod(add)
    _product: ClassVar[Any] = staticmethod(multiply)
    _quotient: ClassVar[Any] = staticmethod(divide)
    _applied: ClassVar[Any] = staticmethod(apply)

    # --- where numbers come from ------------------------------------------------------------------

    @staticmethod
    def midpoint(value: Register) -> Any:
        """Return a double as a midpoint."""
        return value

    @staticmethod
    def _constant(like: Register, number: Fraction) -> tuple[Any, Fraction]:
        """Return a constant as a midpoint, and the number that it is."""
        return like.lift(float(number)), Fraction(float(number))

    @classmethod
    def tensor(cls, value: Register, kind: str, remainder: Register | None = None) -> Self:
        """Return an element of a tensor, from a double; for int64, with the remainder."""
        ball = cls._of(value, RANGE[kind])
        if remainder is None:
            return ball
        inexact: Truth
        ball.mid, inexact = cls._add_midpoints(ball.mid, cls.midpoint(remainder))
        if inexact is False:
            ball.bits = 64
            return ball
        lost = (remainder < 0.0) | (remainder > 0.0)
        return replace(ball, relative=UNIT, inexact=lost, nearest=True)

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
        mid = cls.midpoint(value)
        return cls(mid=mid, bits=bits, unit=unit, low=low, high=high, inputs=(value,))

    def lift(self, number: Ball | Constant) -> Self:
        if isinstance(number, Ball):
            return number  # type: ignore[return-value]
        like = self.mid.high
        if isinstance(number, float) and not isfinite(number):
            mid = self.midpoint(like.lift(number))
            return type(self)(mid=mid, low=number, high=number, bits=1, uniform=True)
        exact = Fraction(number)
        mid, held = self._constant(like, exact)
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
        return max(abs(self.low), abs(self.high))

    @property
    def fewest(self) -> float:
        return 0.0 if self.low <= 0.0 <= self.high else min(abs(self.low), abs(self.high))

    @property
    def least(self) -> float:
        """The smallest magnitude that is not 0; 0 if unknown."""
        return max(self.fewest, self.unit)

    @property
    def is_one_sided(self) -> bool:
        """Whether all numbers of its range have the same sign."""
        return self.low >= 0.0 or self.high <= 0.0

    @property
    def _nearest(self) -> bool:
        """Whether the midpoint is the double nearest to the exact value."""
        return self.inexact is False or self.nearest

    @property
    def size(self) -> Register:
        """The magnitude of the midpoint, as a double."""
        return abs(self.mid.high)  # type: ignore[no-any-return]

    @property
    def tame(self) -> bool:
        """Whether the number and its inverse are far from overflow and underflow."""
        tame = self.format.tame
        return self.over is None and self.least >= 1.0 / tame and self.most <= tame

    @property
    def is_single(self) -> bool:
        """Whether it is known to be a float32 value."""
        bits, unit, low, high = RANGE["float32"]
        exact = self.inexact is False and self.bits is not None and self.bits <= bits
        return exact and self.unit >= unit and low <= self.low and self.high <= high

    @property
    def inverted(self) -> bool:
        """Whether to divide by it is to multiply with a number computed once for all elements."""
        return self.tame and (self.uniform or self.inverse is not None)

    def error(self, ignored: float = 0.0, more: float = 0.0) -> Register | None:
        """Return the whole bound but for an absolute part up to ``ignored``; None if it is 0.

        It is larger by ``more`` times the midpoint.
        """
        rest = Scaled(None, self.absolute) if self.absolute > ignored else None
        rest = total(self.spread, rest)
        relative = (self.relative + more) * GROW
        if rest is None:
            return self.size * relative if relative else None
        found: Register = rest.times(GROW).register(self.size)
        return self.size.fma(relative, found) if relative else found

    def _chosen_spread(self, condition: Condition, yes: Any, no: Any) -> Any:
        """Return one of two bounds, where one that is known may be larger."""
        if yes is None and no is None:
            return None
        sides = [Scaled(None, 0.0) if side is None else side for side in (yes, no)]
        factor = max(side.factor for side in sides)
        if all(side.size is None for side in sides):
            return Scaled(None, factor)
        one = self.size.lift(1.0)
        sizes = [Scaled(side.size, side.factor / factor).register(one) for side in sides]
        return Scaled(condition.select(*sizes), factor)

    # --- operators --------------------------------------------------------------------------------

    def _like(self, *others: Ball, **known: Any) -> Self:
        """Return a number with the doubts of this and other ones."""
        doubt, inputs, uniform = self.doubt, self.inputs, self.uniform
        for other in others:
            inputs = merged(inputs, other.inputs)
            doubt = either(doubt, other.doubt)
            uniform &= other.uniform
        return type(self)(doubt=doubt, inputs=inputs, uniform=uniform, **known)

    @property
    def is_finite(self) -> Truth:
        """Whether everything on which it depends is finite."""
        found: Truth = True
        if self.is_quick and self.inputs:
            # the bits of floats, because one comparison is enough
            first, *others = [abs(x.narrowed()).bits() for x in self.inputs]
            for bits in others:
                first = first.at_least(bits)
            return first.register() < inf  # type: ignore[no-any-return]
        for x in self.inputs:
            found = both(found, abs(x) < inf)
        return found

    @property
    def finite(self) -> Truth:
        """The same, but true in a quick attempt, which leaves results of others open."""
        return self.is_quick or self.is_finite

    def doubted(self, doubt: Truth | None) -> Self:
        """Return the number, in doubt where a condition holds, unless an input is infinite."""
        return replace(self, doubt=either(self.doubt, both(doubt, self.finite)) or None)

    def _over(self, over: Ball | None) -> Self:
        return replace(self, over=over, inverse=None)

    def __neg__(self) -> Self:
        return replace(self, mid=-self.mid, low=-self.high, high=-self.low, inverse=None)

    def __abs__(self) -> Self:
        over = abs(self.over) if self.over is not None else None
        return replace(self, mid=abs(self.mid), low=self.fewest, high=self.most,
                       over=over, inverse=None)  # fmt: skip

    def _add(self, other: Self) -> Self:
        return self._sum(self.whole(), other.whole())  # type: ignore[no-any-return]

    def _mul(self, other: Self) -> Self:
        a, b = self, other
        if a.most * b.most > 2.0**900 or a.least * b.least < 2.0**-900:
            a, b = a.whole(), b.whole()
        over = a.over if b.over is None else b.over
        if a.over is not None and b.over is not None:
            if a.over.inverted and b.over.inverted:
                over = divisor(a.over, b.over)
            else:
                b, over = b.whole(), a.over
        for one, another in ((a, b), (b, a)):
            if one.low == one.high == 1.0 and one.inexact is False and not one.inputs:
                return another._over(over)
        return self._product(a._over(None), b._over(None))._over(over)  # type: ignore[no-any-return]

    def _div(self, other: Self) -> Self:
        b = other.whole()
        if self.over is None:
            return self._over(b)
        if self.over.inverted and b.inverted:
            return self._over(divisor(self.over, b))
        return self.whole()._over(b)

    def whole(self) -> Self:
        """Return the number with its division done."""
        if self.over is None:
            return self
        return self._quotient(self._over(None), self.over)  # type: ignore[no-any-return]

    # --- comparisons ------------------------------------------------------------------------------

    def _compare(self, operator: str, other: Ball | Constant) -> BallCondition:
        a, b = self.whole(), self.lift(other).whole()
        sides = [a.mid, b.mid]
        if a.is_quick and a.format is DOUBLES and a.is_single and b.is_single:
            sides = [side.narrowed() for side in sides]  # twice as many in a vector
        sure = None
        if a.is_quick and a.inexact is False and a.bits and a.most < inf and b.low == b.high:
            sure = {inf: operator in ("<", "<="), -inf: operator in (">", ">=")}.get(b.low)
        return BallCondition(
            holds=sides[0]._compare(operator, sides[1]),
            doubt=either(undecided(a, b), either(a.doubt, b.doubt)),
            inputs=merged(a.inputs, b.inputs),
            uniform=a.uniform and b.uniform,
            number=a,
            facts=((operator, a, b),),
            denied=((_OPPOSITE.get(operator, ""), a, b),),
            sure=sure,
        )

    def sign(self) -> Self:
        value = self.whole()
        high = value.mid.high
        zero_or_nan = (high == high.lift(0.0)).select(0.0, high)
        one = high.lift(1.0).copysign(high)
        return type(self)(
            mid=self.midpoint(differ(high, 0.0).select(one, zero_or_nan)),
            low=max(-1.0, min(value.low, 0.0)),
            high=min(1.0, max(value.high, 0.0)),
            bits=1,
            unit=1.0,
            doubt=either(value.doubt, undecided(value, value.lift(0))),
            uniform=self.uniform,
            inputs=self.inputs,
        )

    def single(self) -> Self:
        return single(self)  # type: ignore[return-value]

    def _function(self, name: str) -> Self:
        return self._applied(name, self)  # type: ignore[no-any-return]


#: comparisons of numbers for which others are false
_OPPOSITE: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


class NarrowBall(Ball):
    """A ball in a formula of narrow numbers (`Formula.is_narrow`)."""

    __slots__ = ()

    farthest: ClassVar[float] = NARROW_FARTHEST


class QuickBall(NarrowBall):
    """The same for results of finite numbers in narrow types, with larger errors of functions."""

    __slots__ = ()

    is_quick: ClassVar[bool] = True


class QuickestBall(QuickBall):
    """The same for results that are seldom ties, of float32."""

    __slots__ = ()

    rounds_all: ClassVar[bool] = True
