"""Sums, products and quotients of balls around doubles, and comparisons of all balls."""

from __future__ import annotations

from dataclasses import replace
from math import frexp, inf
from typing import TYPE_CHECKING, Any, Final

from .bounds import DOUBLES, FLOATS, GROW, UNDERFLOW, Scaled, both, differ, either, total
from .quick import LARGE
from .registers import Condition, Register

if TYPE_CHECKING:
    from .ball import Ball
    from .ball_condition import BallCondition

#: bound of the relative error of an operation with doubles
UNIT: Final = DOUBLES.unit
#: a quick sum with a rounded constant that leaves a smaller part of the constant is in doubt
_LEFT: Final = 2.0**-13


def add_doubles(a: Register, b: Register) -> tuple[Register, Condition]:
    """Return a sum; it is exact if both numbers can be recovered from it.

    The larger one is recovered exactly (Dekker), so that no other sum passes.
    """
    total = a + b
    return total, differ(total - a, b) | differ(total - b, a)


def widened(low: float, high: float) -> tuple[float, float]:
    """Return a range, rounded outwards; NaN is unbounded."""
    low = low - abs(low) * 1e-15 if low > -inf else -inf
    high = high + abs(high) * 1e-15 if high < inf else inf
    return low, high


def add(a: Ball, b: Ball) -> Ball:
    low, high = widened(a.low + b.low, a.high + b.high)
    # a rounded sum of multiples of a number is one, too
    unit = min(a.unit, b.unit)
    mid, lost = add_doubles(a.mid, b.mid)
    found = a._like(b, mid=mid, low=low, high=high, unit=unit, absolute=a.absolute + b.absolute)
    found.keeps_sign = not found.absolute or found.is_one_sided
    exact = a.inexact is False and b.inexact is False
    if exact and fits(max(abs(low), abs(high)), unit, a.format.bits):
        return replace(found, bits=a.format.bits)
    found.inexact = a.rounds_all or either(either(a.inexact, b.inexact), lost)
    found.spread = total(a.spread, b.spread)
    found.relative, found.nearest = a.format.unit, exact
    larger = max(a.relative, b.relative)
    if not larger:
        return checked(found)
    fewest = found.fewest
    parts = [x.relative * x.most if x.relative else 0.0 for x in (a, b)]
    bound = sum(parts) / fewest if fewest else inf
    if (a.low >= 0 and b.low >= 0) or (a.high <= 0 and b.high <= 0):
        found.relative += larger * GROW
    elif bound < max(16 * a.format.unit, 4 * larger):
        found.relative += bound * GROW
    else:
        for x, y in ((a, b), (b, a)):
            if a.is_quick and x.low == x.high and 0.0 < x.relative <= UNIT:
                found.relative += x.relative / _LEFT * GROW
                found = found.doubted(found.size < x.most * _LEFT)
                continue
            if x.low == x.high:
                part = Scaled(None, x.relative * x.most * GROW)
            elif y.low == y.high:
                # at most the sum and the known number
                found.relative += x.relative * GROW
                part = Scaled(None, x.relative * y.most * GROW)
            else:
                part = Scaled(x.size, x.relative)
            if x.relative:
                found.spread = total(found.spread, part)
    return checked(found)


def fits(most: float, unit: float, bits: int) -> bool:
    """Whether all multiples of a unit up to a magnitude have that many bits."""
    return unit > 0.0 and most < inf and frexp(most)[1] - frexp(unit)[1] < bits


def multiply(a: Ball, b: Ball) -> Ball:
    corners = [x * y if x and y else 0.0 for x in (a.low, a.high) for y in (b.low, b.high)]
    low, high = widened(min(corners), max(corners))
    least, form = a.least * b.least, a.format
    mid = a.mid * b.mid
    lost = differ(a.mid.fma(b.mid, -mid), 0.0)  # the remainder
    found = a._like(b, mid=mid, low=low, high=high, unit=a.unit * b.unit)
    found.keeps_sign = a.keeps_sign and b.keeps_sign
    if form is FLOATS and least < form.least:
        found, least = small_in_doubt(found, a, b), form.least
    exact = a.inexact is False and b.inexact is False
    short = (a.bits or inf) + (b.bits or inf)
    power = any(x.bits == 1 and x.inexact is False for x in (a, b))
    fits = short <= form.bits or (power and exact)
    if exact and least >= form.least and fits:
        return checked(replace(found, bits=int(min(short - power, form.bits))))
    found.bits = int(short) if short <= form.bits else None
    found.relative = (a.relative + b.relative + a.relative * b.relative) * GROW
    if not power:
        found.relative += form.unit
    found.nearest = least >= form.least and (exact or (power and a._nearest and b._nearest))
    found.inexact = a.rounds_all or either(either(a.inexact, b.inexact), lost)
    if least < form.least:
        found.inexact = True
    found.absolute = UNDERFLOW if least < form.least else 0.0
    for x, y in ((a, b), (b, a)):
        if y.absolute and (x.most < 2.0**300 or x.most * y.absolute < 2.0**-300):
            found.absolute += y.absolute * x.most * GROW
        elif y.absolute:
            found.spread = total(found.spread, Scaled(x.size, y.absolute * GROW))
        if y.spread is not None:
            found.spread = total(found.spread, y.spread.times(x.size))
    if a.spread is not None and b.spread is not None:
        found.spread = total(found.spread, a.spread.times(b.spread))
    if found.spread is not None:
        found.spread = found.spread.times(1 + 2 * (a.relative + b.relative) + 2.0**-40)
    return checked(found)


def choice(condition: BallCondition, a: Ball, b: Ball) -> Ball:
    """Return one of two divisors, with its inverse."""
    found = condition._select(a, b)
    if isinstance(a.mid, Register):
        found.inverse = condition.holds.select(inverse_of(a), inverse_of(b))
    if a.uniform and b.uniform:
        found.sides = condition, a, b
    return found


def divisor(a: Ball, b: Ball) -> Ball:
    """Return the product of two divisors; of uniform ones, an element has only to select."""
    if b.sides is not None and a.sides is None:
        a, b = b, a
    if a.sides is not None and b.uniform:
        condition, yes, no = a.sides
        return choice(condition, yes * b, no * b)
    found = a * b
    if not found.uniform and isinstance(a.mid, Register):
        found.inverse = inverse_of(a) * inverse_of(b)
        found.relative += 2 * a.format.unit
    return found


def inverse_of(b: Ball) -> Any:
    """Return the inverse of a uniform divisor, which is computed once for all elements."""
    return b.lift(1).mid / b.mid if b.inverse is None else b.inverse


def divide(a: Ball, b: Ball) -> Ball:
    roundings, form = 1, a.format
    if b.absolute and b.absolute <= b.fewest * 2.0**-100:
        b = replace(b, relative=b.relative + 2.0**-99, absolute=0.0)
    near = b.least >= 2.0**-900 and a.most <= 2.0**500 and form is DOUBLES
    if b.inverted or (a.spread is not None and near):
        inverse = inverse_of(b)
        mid = a.mid * inverse
        roundings = 2
    else:
        inverse, mid = None, a.mid / b.mid
    relative = a.relative + b.relative + roundings * form.unit
    relative *= 1 + 4 * b.relative + 2.0**-20
    found = a._like(b, mid=mid, relative=relative, inexact=True)
    found.keeps_sign = a.keeps_sign and b.keeps_sign
    found.low, found.high = quotient_range(a, b)
    small = not (a.least > 0.0 and b.most < inf and a.least >= form.least * b.most)
    if small and form is FLOATS:
        found, small = small_in_doubt(found, a), False
    if b.inverted and (a.least > 2.0**-500 if form is DOUBLES else b.fewest >= 0.5):
        quotient, dividend = mid, a.mid
        if b.uniform and (form is DOUBLES or b.low < b.high):
            # known once for all elements: only then, a power of two divides exactly; quotients of
            # floats by a constant may be ties, and have a remainder of their own
            quotient, dividend = inverse, a.lift(1).mid
        remains = differ(quotient.fma(b.mid, -dividend), 0.0)
        found.inexact = a.rounds_all or either(either(a.inexact, b.inexact), remains)
    found.unit = 0.0
    if small:
        found.absolute = UNDERFLOW
    if b.high == inf and b.low >= 0.0:
        # an infinite divisor may stand for a large one
        large = LARGE if a.is_quick else 2.0**900
        if a.most <= 2.0**500:
            found.absolute += a.most * 1024.0 / large
        else:
            found = found.doubted(b.size > large)
    above = a.spread
    # a division by exactly 0 is settled; a zero of an unknown sign needs a spread
    fewest = b.least if b.inexact is False and a.keeps_sign else b.fewest
    if a.absolute and fewest:
        found.absolute += a.absolute / fewest * GROW
    elif a.absolute:
        above = total(above, Scaled(None, a.absolute * GROW))
    if b.growth is not None and not b.absolute:
        scale = abs(inverse) if inverse is not None else 1.0 / b.size
        carried = None if above is None else above.times(scale)
        found.spread = total(carried, b.growth.times(found.size))
        found.spread = found.spread.times(1 + 4 * b.relative + 2.0**-20)
    elif b.spread is not None or b.absolute:
        below = total(b.spread, Scaled(None, b.absolute) if b.absolute else None).register(b.size)
        if isinstance(b.inexact, Condition):
            below = b.inexact.select(below, 0.0)
        rest = b.size * (1 - 2 * b.relative - 2.0**-20) - below
        numerator = total(Scaled(found.size * below, 1.0), above)
        found.spread = numerator.times(1.0 / rest, 1 + 2.0**-30)
        found = found.doubted(both(rest <= 0.0, b.inexact))
    elif above is not None:
        scale = abs(inverse) if inverse is not None else 1.0 / b.size
        found.spread = above.times(scale, 1 + 4 * b.relative + 2.0**-40)
    if found.most > form.most:
        # a division by exactly 0 is settled
        vague = b.inexact if b.absolute or b.spread is not None else False
        found = found.doubted(both(found.size > form.most, either(vague, b.size > 0.0)))
    return found


def quotient_range(a: Ball, b: Ball) -> tuple[float, float]:
    if not b.fewest:
        most = a.most / b.least if b.least else inf
        return (0.0 if a.low >= 0 and b.low >= 0 else -most), most
    corners = [x / y if abs(y) < inf else 0.0 for x in (a.low, a.high) for y in (b.low, b.high)]
    return widened(min(corners), max(corners))


def checked(found: Ball) -> Ball:
    """Put a number in doubt where it may have overflowed."""
    if found.most <= found.format.most:
        return found
    return found.doubted(found.size > found.format.most)


def small_in_doubt(found: Ball, *factors: Ball) -> Ball:
    """Put a product in doubt that may have lost bits: one of factors that are not surely 0."""
    small: Condition = found.size < found.format.least
    for x in factors:
        if x.spread is None:
            small &= x.size > 0.0
    return found.doubted(small)


def undecided(a: Ball, b: Ball) -> Any:
    """Return whether the bounds leave the order of two numbers open; infinite inputs do not."""
    if a.inexact is False and b.inexact is False:
        return None
    for x, y in ((a, b), (b, a)):
        keeps_sign = x.spread is None and not x.absolute
        if keeps_sign and y.low == y.high == 0.0:
            return None
    inexact = either(a.inexact, b.inexact)
    if a._nearest and b._nearest and False in (a.inexact, b.inexact):
        # rounding is monotonic: it may only make numbers equal
        return both(a.mid == b.mid, inexact)
    bound = total(a.error(), b.error())
    for x, y in ((a, b), (b, a)):
        known = y.low == y.high and y.most < inf
        if known and x.spread is None and not x.absolute and x.relative < 2.0**-20:
            # the same for all elements: numbers that may be equal are nearly as large
            bound = y.error(more=x.relative * (1 + 2.0**-18))
    assert bound is not None
    gap = abs((a.mid - b.mid).high)
    open_ = both(gap <= bound * GROW, inexact)
    return both(open_, both(a.finite, b.finite))
