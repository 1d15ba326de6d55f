"""Sums of products per channel that are rounded once, from the exact value.

A running sum is three numbers: the sum of the products in float64, the sum of everything that its
additions and the products lost by rounding, and the sum of the products' magnitudes. The first two
together are off by a tiny part of the third. Where that leaves the rounding to the result's type
open, as after catastrophic cancellation or next to a tie, the channel is added up again in integers
of 4352 bits (``exact.py``).
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

import numpy as np

from ...core.dtypes import FLOAT64, ElementType
from ...core.layout import BLOCK, LANES, STRIP
from ..arithmetic.binding import compiled, vocabulary
from ..arithmetic.exact import CARRY_EVERY, add_product, carry, nearest, nothing, to_odd
from ..arithmetic.formula import Formula
from ..arithmetic.math import fma
from ..compiler.jit import function_from, helper, inlined, once_each
from .channel_sums import ChannelSumKernel, Operands
from .truth import HardCaseCounter, differ_in

_SETTLED: Final = "hard += settle(grad, data, sums, sums_stride, plan, to, *total({sum}))"

_SETTLE: Final = """
def settle(grad, data, sums, sums_stride, plan, channel, value, error):
    hard = unclear(value, error)
    if hard:
        value = exactly(grad, data, plan, channel)
    write(sums, channel * sums_stride, encode(value))
    return hard
"""

_EXACTLY: Final = """
def exactly(grad, data, plan, channel):
    total = nothing()
    special, all_special, all_minus, pending = 0.0, False, True, 0
    for term in range(plan[1]):
        g = decode(read(grad, place(plan, 0, channel, term)))
        x = decode(read(data, place(plan, 1, channel, term)))
        a, b = factors(g, x)
        product = a * b
        if not (abs(a) < inf and abs(b) < inf):
            special += product
            all_special = True
        elif a != 0 and b != 0:
            add_product(total, a, b)
            all_minus = False
            pending += 1
            if pending == carry_every:
                carry(total)
                pending = 0
        elif copysign(1.0, product) > 0:
            all_minus = False
    if all_special:
        return special
    if all_minus:
        return -0.0
    return rounded(total)
"""

#: numbers of a running sum, and the distance between them among the running sums: a third of a page
#: beside whole ones (``_STAGGER`` of ``reduction.py``)
_PARTS: Final = 3
_APART: Final = STRIP * LANES + 168
#: what a sum of two doubles may lose when it is formed, and what is still no ulp of it
_ROUNDING: Final = 2.0**-52
_LITTLE: Final = 2.0**-60
#: the square of it bounds what the losses may themselves have lost
_UNIT: Final = 2.0**-52
#: additions between a product and the sum of a block
_DEPTH: Final = 72
#: the least positive double, which a product's remainder may lack
_LEAST: Final = 2.0**-1074
_ZERO: Final = np.float64(0)
_join: Final = vocabulary("float64")["two_sum"]


@inlined
def _clear(lanes: Any, k: Any) -> None:
    lanes[k] = -_ZERO
    lanes[k + _APART] = _ZERO
    lanes[k + 2 * _APART] = _ZERO


@inlined
def _keep(kept: Any, i: Any, grad: Any, data: Any) -> None:
    kept[i] = grad
    kept[i + BLOCK] = data


@inlined
def _merge(lanes: Any, k: Any, other: Any) -> None:
    after, lost = _join(lanes[k], lanes[other])
    lanes[k] = after
    lanes[k + _APART] += lanes[other + _APART] + lost
    lanes[k + 2 * _APART] += lanes[other + 2 * _APART]


@inlined
def _put(parts: Any, at: Any, apart: Any, lanes: Any, k: Any) -> None:
    for number in range(_PARTS):
        parts[at + number * apart] = lanes[k + number * _APART]


@helper
def _total(parts: Any, first: Any, apart: Any, blocks: Any) -> Any:
    """Return the sum of some blocks and how far it may be off, but for its last rounding."""
    value, rest, size = -_ZERO, _ZERO, _ZERO
    for at in range(first, first + blocks):
        value, lost = _join(value, parts[at])
        rest += parts[at + apart] + lost
        size += parts[at + 2 * apart]
    depth = (_DEPTH + blocks) * _UNIT
    if rest != 0:
        value += rest
    return value, size * (depth * depth)


@helper
def _rounded(total: Any) -> Any:
    return to_odd(*nearest(total))


@helper
def _nearest(total: Any) -> Any:
    return nearest(total)[0]


class TrueSumKernel(HardCaseCounter, ChannelSumKernel):
    """A result and a sum per channel, both rounded once from their exact values.

    Parameters
    ----------
    element : Formula
        The elementwise result.
    term : Formula
        What is summed over everything but the channel axis; it has factors.
    kind : ElementType
        Type of all operands.
    """

    _statements: ClassVar = {
        "clear": "clear(lanes, i)",
        "add": "add(lanes, k, g, x)",
        "keep": "keep(kept, i, g, x)",
        "add_kept": f"add(lanes, k, kept[i], kept[i + {BLOCK}])",
        "merge": "merge(lanes, i, j)",
        "put": "put(parts, at, apart, lanes, i)",
        "deliver": _SETTLED.format(sum=f"lanes, i, {_APART}, 1"),
        "finish": _SETTLED.format(sum="parts, at, apart, blocks"),
    }

    _lanes: ClassVar = _PARTS * _APART
    _kept: ClassVar = 2

    def __init__(self, element: Formula, term: Formula, kind: ElementType) -> None:
        super().__init__(element, term, kind, "float64", stored=False)

    def __call__(
        self,
        operands: Operands,
        sums: Any,
        channel: int | None,
        in_place: bool = False,
        scratch: Any = None,
    ) -> None:
        """As its base; a result that is an input's view waits until the sums are decided."""
        if not in_place:
            super().__call__(operands, sums, channel, in_place, scratch)
            return
        grad, data, weight, result = operands
        aside, decided = np.empty((), result.dtype), np.empty_like(sums)
        nowhere = np.lib.stride_tricks.as_strided(aside, result.shape, (0,) * result.ndim)
        super().__call__((grad, data, weight, nowhere), decided, channel, True, scratch)
        super().__call__(operands, np.empty_like(sums), channel, True, scratch)
        sums[...] = decided

    def _room(self, channels: int, blocks: int, in_place: bool) -> int:
        return _PARTS * channels * blocks if blocks > 1 else 0

    def _sums(self, names: dict[str, Any]) -> dict[str, Any]:
        assert self.term.factors is not None
        wide = self.kind is FLOAT64
        factors = compiled(self.term.factors, "float64")
        exact = names | {
            "nothing": nothing,
            "factors": factors,
            "add_product": add_product,
            "carry": carry,
            "carry_every": CARRY_EVERY,
            "copysign": np.copysign,
            "inf": np.inf,
            "rounded": _nearest if wide else _rounded,
        }
        deciding = names | {
            "unclear": _unclear(self.kind),
            "exactly": helper(function_from(_EXACTLY, "exactly", exact)),
        }
        made = {
            "clear": _clear,
            "add": _adder(factors, wide),
            "keep": _keep,
            "merge": _merge,
            "put": _put,
            "total": _total,
            "settle": helper(function_from(_SETTLE, "settle", deciding)),
        }
        return made | {"add_rows": self._add_rows(made)}


def _adder(factors: Any, wide: bool) -> Any:
    """Return the function that adds a product to a running sum.

    A product of two F32 or narrower numbers is a float64, one of two F64 numbers has a remainder.
    """

    @inlined
    def add(lanes: Any, k: Any, grad: Any, data: Any) -> None:
        a, b = factors(grad, data)
        product = a * b
        after, lost = _join(lanes[k], product)
        if wide:
            lost += fma(a, b, -product)
        lanes[k] = after
        lanes[k + _APART] += lost
        lanes[k + 2 * _APART] += abs(product)

    return add


def _unclear(kind: ElementType) -> Any:
    """Return the function that tells whether a sum and its error leave the result open."""
    if kind is FLOAT64:

        @helper
        def far_off(value: Any, error: Any) -> Any:
            # remainders below the least double are lost as well
            return not error + _LEAST * 2.0**40 <= abs(value) * _LITTLE

        return far_off
    differ = differ_in(kind)

    @helper
    def open_rounding(value: Any, error: Any) -> Any:
        doubt = error + abs(value) * _ROUNDING
        return not doubt < np.inf or (error != 0 and differ(value, doubt))

    return open_rounding


@once_each
def true_channel_sum(element: Formula, term: Formula, kind: ElementType) -> ChannelSumKernel:
    """Return the one kernel for two formulas and a type that rounds once, from exact values."""
    return TrueSumKernel(element, term, kind)
