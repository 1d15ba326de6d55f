"""Sums, products and quotients of balls around double-doubles.

Their whole bound is computed: a register, ``spread``, and nothing else. The algorithms of
`double_double` add the leading doubles without error and round only the small rest. So every bound
here is a few roundings of this rest, not of the result: ``1/2 + 10**-40`` stays on its side of 1/2.
Where the rest is 0, so is the bound, and a tie is known to be one.

Products below 2**-960 lose bits. A bound below `_TINY` may have lost parts for the same reason and
is raised to it, if the operands are not known to be exact there.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Final

from .ball_operations import checked, fits, quotient_range, widened
from .bounds import GROW, LEAST, MOST, both, either, total
from .double_double import DoubleDouble
from .midpoints import PAIRS
from .registers import Condition, Register, two_product, two_sum

if TYPE_CHECKING:
    from .ball import Ball

#: bits of an exact midpoint: two fewer than it has
_BITS: Final = 104
#: eight roundings: the longest of the algorithms has five that are not exact
_ROUNDINGS: Final = 2.0**-50
#: smallest bound of an inexact result, if bits may have been lost
_TINY: Final = 2.0**-950
#: remainders of products from here on are exact
_SAFE: Final = 2.0**-900
#: divisors beyond it may stand for larger ones
_LARGE: Final = 2.0**900


def measured(found: Ball, *parts: Register | None) -> Ball:
    """Return a number with a bound, which is the sum of its parts."""
    spread = total(*parts)
    return replace(found, spread=spread, inexact=False if spread is None else spread > 0.0)


def raised(bound: Register, inexact: Condition) -> Register:
    """Return a bound, or `_TINY` where the bound of something inexact is below that."""
    return (inexact & (bound < _TINY)).select(_TINY, bound)  # type: ignore[no-any-return]


def add(a: Ball, b: Ball) -> Ball:
    """Return a sum. Its rest is the leading doubles' rounding error plus the other doubles."""
    low, high = widened(a.low + b.low, a.high + b.high)
    unit = min(a.unit, b.unit)
    mid, lost = PAIRS.add(a.mid, b.mid)
    found = a._like(b, mid=mid, low=low, high=high, unit=unit)
    exact = a.inexact is False and b.inexact is False
    if exact and (lost is False or fits(max(abs(low), abs(high)), unit, _BITS)):
        return checked(replace(found, bits=_BITS))
    own = None
    if lost is not False:
        _, rest = two_sum(a.mid.high, b.mid.high)
        own = (abs(rest) + (abs(a.mid.low) + abs(b.mid.low))) * _ROUNDINGS
    return checked(measured(found, own, a.spread, b.spread))


def multiply(a: Ball, b: Ball) -> Ball:
    """Return a product. The rest is its remainder, and the products with the second doubles."""
    corners = [x * y if x and y else 0.0 for x in (a.low, a.high) for y in (b.low, b.high)]
    low, high = widened(min(corners), max(corners))
    mid, lost = PAIRS.multiply(a.mid, b.mid)
    found = a._like(b, mid=mid, low=low, high=high, unit=a.unit * b.unit)
    bits = (a.bits or inf) + (b.bits or inf)
    power = any(x.bits == 1 and x.inexact is False for x in (a, b))
    exact = a.inexact is False and b.inexact is False
    known = lost is False or power or bits <= _BITS
    if exact and known and a.least * b.least >= LEAST:
        return checked(replace(found, bits=int(min(bits - power, _BITS))))
    product, rest = two_product(a.mid.high, b.mid.high)
    seconds = abs(a.mid.low) + abs(b.mid.low)
    bound = product.lift(0.0)
    if not known:
        cross = abs(a.mid.low) * b.size + a.size * abs(b.mid.low)
        bound = (seconds > 0.0).select((abs(rest) + cross) * _ROUNDINGS, 0.0)
    moved, uncertain = bound, seconds
    for x, y in ((a, b), (b, a)):
        if x.spread is not None:
            reach = y.size * GROW if y.spread is None else y.size * GROW + y.spread
            moved, uncertain = moved + x.spread * reach, uncertain + x.spread
    tiny = (uncertain > 0.0) | (abs(product) < _SAFE)
    bound = raised(moved * GROW, tiny & _may_differ_from_0(a) & _may_differ_from_0(b))
    for x, y in ((a, b), (b, a)):
        if y.spread is not None:
            # the sign of a zero is that of a number which may have either
            either_sign = (y.size <= y.spread) & (y.spread > 0.0)
            found = found.doubted(either_sign & (x.size == 0.0))
    return checked(measured(found, bound))


def _may_differ_from_0(x: Ball) -> Condition:
    return (x.size if x.spread is None else x.size + x.spread) > 0.0  # type: ignore[no-any-return]


def residual(quotient: DoubleDouble, a: DoubleDouble, b: DoubleDouble) -> Register:
    """Return a bound of ``abs(a - quotient * b)``, which is 0 where that is seen to be 0.

    All sums of what is not multiplied with the quotient's second double are exact: their rounding
    errors count as part of the result. The first difference is exact as well, because its operands
    are nearly equal.
    """
    product, rest = two_product(quotient.high, b.high)
    cross, cross_rest = two_product(quotient.high, b.low)
    total_, lost = a.high - product, abs(cross_rest)
    for term in (-rest, a.low, -cross):
        total_, error = two_sum(total_, term)
        lost = lost + abs(error)
    second = quotient.low.fma(b.high, quotient.low * b.low)
    return abs(total_ - second) + lost + abs(quotient.low * b.high) * _ROUNDINGS


def divide(a: Ball, b: Ball) -> Ball:
    """Return a quotient. Its bound is the remainder, divided."""
    mid = PAIRS.divide(a.mid, b.mid)
    found = a._like(b, mid=mid)
    found.low, found.high = quotient_range(a, b)
    small = (abs(mid.low) + abs(b.mid.low) > 0.0) | (a.size < _SAFE)
    above = raised(residual(mid, a.mid, b.mid), small & (a.size > 0.0))
    below = b.size * (1 - 2.0**-40)
    if a.spread is not None:
        above = above + a.spread
    if b.spread is not None:
        above, below = above + found.size * b.spread, below - b.spread
        found = found.doubted(both(below <= 0.0, b.inexact))
    spread = raised(above / below * GROW, above > 0.0)
    if b.high == inf and b.low >= 0.0:
        # that of `one_plus_exp`, or an infinite one: the exact quotient is between 0 and this one
        spread = (b.size > _LARGE).select(found.size * 2.0 + _TINY, spread)
    if found.most > MOST:
        # a division by exactly 0 is settled
        found = found.doubted(both(found.size > MOST, either(b.inexact, b.size > 0.0)))
    return measured(found, spread)
