"""Comparisons of balls (`ball.py`), and selections by them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from .ball_operations import choice
from .bounds import DOUBLES, Truth, either, merged
from .registers import Condition, Register

if TYPE_CHECKING:
    from .ball import Ball
    from .functions import Constant


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
    #: comparisons that are true if it holds, and if it does not, unless a number is NaN
    facts: tuple[tuple[str, Ball, Ball], ...] = ()
    denied: tuple[tuple[str, Ball, Ball], ...] = ()
    #: whether it holds, if that is known: quick attempts compare finite numbers with infinity
    sure: bool | None = None

    def _joined(self, other: BallCondition, holds: Condition, **known: Any) -> BallCondition:
        return BallCondition(
            **known,
            holds=holds,
            doubt=either(self.doubt, other.doubt),
            inputs=merged(self.inputs, other.inputs),
            uniform=self.uniform and other.uniform,
            number=self.number,
        )

    def __or__(self, other: BallCondition) -> BallCondition:
        for one, another in ((self, other), (other, self)):
            if one.sure is not None:
                return one if one.sure else another
        return self._joined(other, self.holds | other.holds, denied=self.denied + other.denied)

    def __and__(self, other: BallCondition) -> BallCondition:
        for one, another in ((self, other), (other, self)):
            if one.sure is not None:
                return another if one.sure else one
        return self._joined(other, self.holds & other.holds, facts=self.facts + other.facts)

    def __invert__(self) -> BallCondition:
        sure = None if self.sure is None else not self.sure
        return replace(self, holds=~self.holds, facts=self.denied, denied=self.facts, sure=sure)

    def select(self, yes: Ball | Constant, no: Ball | Constant) -> Any:
        a, b = self.number.lift(yes), self.number.lift(no)
        if self.sure is not None:
            return a if self.sure else b
        over = None
        # a division of floats by what is known is a product, which takes less than selections
        waits = a.format is DOUBLES and all(x.over is None or x.over.inverted for x in (a, b))
        if waits:
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
        low, high = self._range(a, b)
        exact = [x for x in (a, b) if x.inexact is not True]
        known = all(x.bits is not None for x in exact) and bool(exact)
        mid = self.holds.select(a.mid, b.mid)
        inexact = self._truth(a.inexact, b.inexact)
        if a.rounds_all and inexact is not False:
            inexact = True
        return type(a)(
            mid=mid,
            relative=max(a.relative, b.relative),
            absolute=max(a.absolute, b.absolute),
            spread=a._chosen_spread(self.holds, a.spread, b.spread),
            inexact=inexact,
            low=low,
            high=high,
            bits=max(x.bits or 0 for x in exact) if known else None,
            unit=min(a.unit, b.unit),
            nearest=a._nearest and b._nearest,
            keeps_sign=a.keeps_sign and b.keeps_sign,
            doubt=self._truth(a.doubt, b.doubt) or None,
            uniform=a.uniform and b.uniform and self.uniform,
            inputs=merged(a.inputs, b.inputs),
        )

    def _range(self, a: Ball, b: Ball) -> tuple[float, float]:
        """Return the range of one of two numbers, each of which is limited by the comparisons."""
        ends = []
        for value, facts in ((a, self.facts), (b, self.denied)):
            low, high = value.low, value.high
            for operator, one, other in facts:
                if other.low == inf and operator == ">=" and one.most < inf:
                    break  # only if an input is infinite
                if one.mid is value.mid and operator in ("<", "<="):
                    high = min(high, other.high)
                elif one.mid is value.mid and operator in (">", ">="):
                    low = max(low, other.low)
            else:
                ends += [low, high]
        return min(ends), max(ends)
