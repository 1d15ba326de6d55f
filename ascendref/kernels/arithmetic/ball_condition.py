"""Comparisons of balls, which select one of two numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from .ball_operations import choice
from .bounds import either, merged
from .functions import Constant
from .midpoints import Truth
from .registers import Condition, Register

if TYPE_CHECKING:
    from .ball import Ball


@dataclass(slots=True)
class BallCondition:
    """A comparison of balls."""

    #: what the midpoints say
    holds: Condition
    #: whether the bounds leave it open, or one of the numbers is in doubt
    doubt: Condition | None
    #: as for balls
    inputs: tuple[Register, ...]
    #: whether it is the same for all elements
    uniform: bool
    #: one of the numbers that were compared
    number: Ball

    def _joined(self, other: BallCondition, holds: Condition) -> BallCondition:
        return BallCondition(
            holds=holds,
            doubt=either(self.doubt, other.doubt),
            inputs=merged(self.inputs, other.inputs),
            uniform=self.uniform and other.uniform,
            number=self.number,
        )

    def __or__(self, other: BallCondition) -> BallCondition:
        return self._joined(other, self.holds | other.holds)

    def __and__(self, other: BallCondition) -> BallCondition:
        return self._joined(other, self.holds & other.holds)

    def __invert__(self) -> BallCondition:
        return replace(self, holds=~self.holds)

    def select(self, yes: Ball | Constant, no: Ball | Constant) -> Any:
        """Return one of two numbers, with its doubts."""
        a, b = self.number.lift(yes), self.number.lift(no)
        over = None
        if all(x.over is None or x.over.inverted for x in (a, b)):
            over = self._over(a, b)
        else:
            a, b = a.whole(), b.whole()
        found = self._select(a._over(None), b._over(None))
        return replace(
            found,
            over=over,
            doubt=either(found.doubt, self.doubt),
            inputs=merged(found.inputs, self.inputs),
        )

    def _over(self, a: Ball, b: Ball) -> Ball | None:
        """Return the divisor of one of two numbers; both divisors are uniform."""
        if a.over is None and b.over is None:
            return None
        return choice(self, *(a.lift(1) if x.over is None else x.over for x in (a, b)))

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
            mid=self.holds.select(a.mid, b.mid),
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
        )
