"""Rounding a ball, and the test whether the rounding is sure (Ziv's).

Both ends of the ball are rounded. If they give the same number, that is the correctly rounded
result. For float16 and bfloat16 it is mostly faster to look at the bits: a midpoint of two
neighbours is a number whose lower bits are a one and zeros.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from llvmlite import ir

from ..compiler.target import CONVERTS_FLOAT16
from .bounds import RANGE, Truth, both, differ, either
from .codecs import from_register, to_register
from .double_double import DoubleDouble
from .registers import Condition, Register, two_sum

if TYPE_CHECKING:
    from .ball import Ball

#: in narrow types, values and errors below it are 0
_NOTHING: Final = 2.0**-300
_WORD: Final = ir.IntType(64)


def rounded(ball: Ball, kind: str) -> tuple[ir.Value, Condition | None]:
    """Return a ball's value encoded in a type, and whether it may differ from the exact value's.

    For narrow types, a ball that holds numbers of both signs is undecided, also if all of them
    underflow to 0; for float64, such a zero has the midpoint's sign. For doubles, the type is not
    float64.
    """
    value = ball.whole()
    doubt = either(value.doubt, open_(value)) or None
    inexact = value.inexact
    if kind in ("float32", "float64") and _representable(value, kind):
        # a number of the type itself stays, whatever error is ascribed to it
        inexact = True if inexact is not False else False
    if inexact is False:
        return _encoded(value, kind), doubt
    if isinstance(value.mid, DoubleDouble):
        encoded, undecided = _pair_ends(value, kind, inexact)
    elif kind in ("float16", "bfloat16") and _reach(value) and not _is_rounded(value.mid, kind):
        encoded = _encoded(value, kind)
        undecided = both(near_midpoint(value.mid, kind, _reach(value)), inexact)
    else:
        encoded, undecided = _double_ends(value, kind, inexact)
    return encoded, either(undecided, doubt)


def open_(value: Ball) -> Truth:
    """Whether a quick attempt leaves a number open because it may depend on infinities."""
    finite = value.is_finite
    return ~finite if value.is_quick and isinstance(finite, Condition) else False


def _representable(value: Ball, kind: str) -> bool:
    """Whether the value is a number of the type wherever it is exact."""
    known = RANGE[kind]
    return value.bits is not None and value.bits <= known.bits and value.unit >= known.unit


def _is_rounded(value: Register, kind: str) -> bool:
    """Whether an instruction rounds numbers: then it is faster to round both ends."""
    return kind == "float16" and not value.wide and CONVERTS_FLOAT16


def _encode(value: Register, kind: str) -> ir.Value:
    if kind == "bfloat16" and not value.wide:
        # NaN of an operation or a constant, with bits that do not carry into its sign
        bits = value.bits()
        return (bits + ((bits.shifted(16) & 1) + 0x7FFF)).shifted(16).resized(16).value
    register = np.float64 if value.wide else np.float32
    return from_register(register, kind)(value.builder, value.value)


def _encoded(value: Ball, kind: str) -> ir.Value:
    if isinstance(value.mid, DoubleDouble):
        return _encode(_to_odd(value.mid.high, value.mid.low, kind), kind)
    return _encode(value.mid, kind)


def _differ(low: ir.Value, high: ir.Value, builder: ir.IRBuilder, kind: str) -> Condition:
    """Whether two encoded numbers differ; zeros do not, nor does NaN."""
    if kind in ("float32", "float64"):
        return differ(Register(builder, low), Register(builder, high))
    zeros = builder.shl(builder.or_(low, high), ir.Constant(low.type, 1))
    apart = builder.icmp_unsigned("!=", low, high)
    return Condition(builder, builder.and_(
        apart, builder.icmp_unsigned("!=", zeros, ir.Constant(low.type, 0))))  # fmt: skip


def _double_ends(value: Ball, kind: str, inexact: Any) -> tuple[ir.Value, Any]:
    mid: Register = value.mid
    # the products round, too: half an ulp more
    step = 2.0 * value.format.unit
    steps = ceil((value.relative * (1 + 2.0**-30) + step) / step)
    relative = steps * step
    ignored = 0.0 if kind == "float64" else _NOTHING
    if value.spread is None and value.absolute <= ignored:
        if inexact is True:
            low, high = mid * (1.0 - relative), mid * (1.0 + relative)
        else:
            # adding -0 keeps the sign of a zero
            bound = inexact.select(mid * relative, -0.0)
            low, high = mid - bound, mid + bound
    else:
        # an error below half an ulp would get lost
        error = value.error(ignored, step)
        assert error is not None
        if inexact is not True:
            error = inexact.select(error, 0.0)
        if value.is_quick:
            # infinities stay, and the lower end has the sign of a midpoint that is 0
            error = (error < value.format.most).select(error, value.format.most)
        ends = [_encode(end, kind) for end in (mid - error, mid + error)]
        result = ends[0] if value.is_quick else _encode(mid, kind)
        undecided = _differ(ends[0], ends[1], mid.builder, kind) | (error > abs(mid))
        # a number whose error is NaN is open, too
        return result, undecided | (error.is_nan() & ~mid.is_nan())
    # the upper end has the midpoint's sign
    result = _encode(high, kind)
    return result, _differ(_encode(low, kind), result, mid.builder, kind)


def _pair_ends(value: Ball, kind: str, inexact: Any) -> tuple[ir.Value, Any]:
    high, low = value.mid.high, value.mid.low
    error = value.error(0.0 if kind == "float64" else _NOTHING)
    assert error is not None
    if inexact is not True:
        error = inexact.select(error, 0.0)
    ends = [low - error, low + error]
    # the additions round
    tiny = abs(low) * 2.0**-52 if inexact is True else inexact.select(abs(low) * 2.0**-52, 0.0)
    ends = [ends[0] - tiny, ends[1] + tiny]
    sums = [two_sum(high, end) for end in ends]
    encoded = [_encode(_to_odd(*total, kind), kind) for total in sums]
    result = _encode(_to_odd(high, low, kind), kind)
    undecided = _differ(encoded[0], encoded[1], high.builder, kind)
    if kind != "float64":
        # what is divided by a number that overflows is off by less, and has the right sign
        undecided |= (sums[0][0] < 0.0) & (sums[1][0] > 0.0) & (error > _NOTHING)
    return result, undecided


def _to_odd(high: Register, low: Register, kind: str) -> Register:
    """Return the sum of two doubles, rounded to nearest for float64, else to odd."""
    if kind == "float64":
        # a sum with +0 would lose the sign of -0
        return (high == 0.0).select(high, high + low)  # type: ignore[no-any-return]
    bits = high.bits()
    even = ~(bits & 1).differs(0)
    lost = ((low < 0.0) | (low > 0.0)) & even & (abs(high) > 0.0)
    away = (low > 0.0) & (high > 0.0) | (low < 0.0) & (high < 0.0)
    step = (bits + 1).register(), (bits - 1).register()
    return lost.select(away.select(*step), high)  # type: ignore[no-any-return]


def _reach(value: Ball) -> int:
    """Return the error in units of the midpoint's last place, or 0 if it is not a relative one."""
    if value.spread is not None or value.absolute > _NOTHING:
        return 0
    return ceil(value.relative / value.format.unit * (1 + 2.0**-30)) + 1


def near_midpoint(value: Register, kind: str, reach: int) -> Condition:
    """Whether a number is within some ulp of the midpoint of two neighbouring narrow numbers.

    For subnormal numbers, which have shorter midpoints, any number with the midpoints' bits counts.
    """
    digits, least = (11, -14) if kind == "float16" else (8, -126)
    width, bias = (52, 1023) if value.wide else (23, 127)
    last = 1 << width - digits
    bits = value.bits()
    if kind == "bfloat16" and not value.wide:
        # midpoints of subnormal numbers are no shorter
        return ((bits + (last + reach)) & (2 * last - 1)).below(2 * reach + 1)
    above = bits + reach
    near = (above & (last - 1)).below(2 * reach + 1)
    middle = (above & last).differs(0)
    # one comparison for both ends: zero is a large unsigned number
    size = abs(value).bits() - 1
    subnormal = size.below(((bias + least) << width) - 1)
    return near & (middle | subnormal)


def single(ball: Ball) -> Ball:
    """Return a ball rounded to float32; where that is undecided, it is in doubt."""
    value, undecided = rounded(ball, "float32")
    like = ball.mid.high
    narrow = to_register("float32", np.float64)(like.builder, value)
    found = type(ball).scalar(like.made(narrow), narrowed=True)
    found.uniform = ball.uniform
    found.low, found.high = max(ball.low * 2, found.low), min(ball.high * 2, found.high)
    if ball.low >= 0.0:
        found.low = 0.0
    found.doubt = either(undecided, ball.doubt)
    return found
