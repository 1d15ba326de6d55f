"""Correctly rounded sums of products per channel.

A running sum has three numbers: the float64 sum of the products, the sum of all rounding errors of
additions and products, and the sum of the products' magnitudes. The error of the first two together
is a tiny fraction of the third. If that leaves the rounding to the result's type undecided, as
after catastrophic cancellation or next to a tie, the channel is summed again in integers of 4352
bits (``exact.py``).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...core.dtypes import FLOAT64, ElementType
from ..arithmetic.accumulator import CARRY_EVERY, add_product, carry, nearest, nothing, to_odd
from ..arithmetic.codecs import decoder, encoder, same
from ..arithmetic.evaluation import factors_evaluator
from ..arithmetic.formula import Formula
from ..arithmetic.functions import two_sum
from ..arithmetic.intrinsics import bits32, fma
from ..compiler.jit import helper, inlined, once_each
from ..runtime.launch import (
    PLAN,
    Task,
    own_address,
    task_kernel,
)
from ..runtime.memory import int64_pointer, peek, poke, word
from .channel_loops import place_of, strides_at, tiled_place
from .channel_plan import BLOCK, LANES, STRIP, ChannelPlan
from .channel_sums import ChannelSumKernel, Operands
from .exact_kernel import ExactKernel, decide_exactly
from .running_sums import (
    DATA,
    GRAD,
    SUMS,
    SUMS_STRIDE,
    TILED,
    Compiled,
    Pointer,
    RunningSums,
    adder_of_rows,
)

#: numbers of a running sum, and the distance between them among the running sums: a third of a page
#: beside whole ones (``_STAGGER`` of ``channel_sums.py``)
PARTS: Final = 3
APART: Final = STRIP * LANES + 168
#: what a sum of two doubles may lose when it is formed
_ROUNDING: Final = 2.0**-52
#: the square of it bounds what the losses may themselves have lost
_UNIT: Final = 2.0**-52
#: additions between a product and the sum of a block
_DEPTH: Final = 72
#: the least positive double, which a product's remainder may lack
_LEAST: Final = 2.0**-1074
_ZERO: Final = np.float64(0)
join: Final = inlined(two_sum)


@inlined
def clear(lanes: Pointer, k: int) -> None:
    lanes[k] = -_ZERO
    lanes[k + APART] = _ZERO
    lanes[k + 2 * APART] = _ZERO


@inlined
def keep(kept: Pointer, i: int, g: Any, x: Any) -> None:
    kept[i] = g
    kept[i + BLOCK] = x


@inlined
def _merge(lanes: Pointer, k: int, other: int) -> None:
    after, lost = join(lanes[k], lanes[other])
    lanes[k] = after
    lanes[k + APART] += lanes[other + APART] + lost
    lanes[k + 2 * APART] += lanes[other + 2 * APART]


@inlined
def put(parts: Pointer, at: int, apart: int, lanes: Pointer, k: int) -> None:
    for number in range(PARTS):
        parts[at + number * apart] = lanes[k + number * APART]


@helper
def _total(parts: Any, first: Any, apart: Any, blocks: Any) -> Any:
    """Return the sum of some blocks, as a sum of two, and how far it may be off."""
    value, rest, size = -_ZERO, _ZERO, _ZERO
    for at in range(first, first + blocks):
        value, lost = join(value, parts[at])
        rest += parts[at + apart] + lost
        size += parts[at + 2 * apart]
    depth = (_DEPTH + blocks) * _UNIT
    return value, rest, size * (depth * depth)


class TrueSumKernel(ExactKernel, ChannelSumKernel):
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

    def __init__(self, element: Formula, term: Formula, kind: ElementType) -> None:
        super().__init__(element, term, kind, "float64", stored=False)

    def _tiled(
        self, plan: ChannelPlan, operands: Operands, sums: Any, in_place: bool, scratch: Any
    ) -> None:
        """As its base; a result that is an input's view waits until the sums are decided."""
        if not in_place:
            super()._tiled(plan, operands, sums, in_place, scratch)
            return
        grad, data, weight, result = operands
        aside, decided = np.empty((), result.dtype), np.empty_like(sums)
        nowhere = np.lib.stride_tricks.as_strided(aside, result.shape, (0,) * result.ndim)
        first = grad, data, weight, nowhere
        super()._tiled(self._plan(first), first, decided, True, scratch)
        super()._tiled(plan, operands, np.empty_like(sums), True, scratch)
        sums[...] = decided

    def _room(self, channels: int, blocks: int, in_place: bool) -> int:
        return PARTS * channels * blocks if blocks > 1 else 0

    def _exact_task(self) -> Any:
        return task_kernel(self._make_exact_task, f"{self.name}_exactly", self.element.function)

    def _running_sums(self) -> RunningSums:
        """Return running sums with what they lost and the sum of the terms' magnitudes."""
        wide = self.kind is FLOAT64
        add, unclear = _adder(factors_of(self.term), wide), _unclear(self.kind)
        encode, write = self._encoder(), poke(self.kind.name)

        @inlined
        def add_kept(lanes: Pointer, k: int, kept: Pointer, i: int) -> None:
            add(lanes, k, kept[i], kept[i + BLOCK])

        @helper
        def settle(arguments: int, channel: int, value: Any, rest: Any, error: Any) -> int:
            """Round a sum to its result, or leave that to the exact task."""
            if unclear(value, rest, error):
                hard: int = decide_exactly(arguments, channel, channel + 1)
                return hard
            to = channel * word(arguments, SUMS_STRIDE)
            write(word(arguments, SUMS), to, encode(value + rest if rest != 0 else value))
            return 0

        @inlined
        def deliver(arguments: int, channel: int, lanes: Pointer, k: int) -> int:
            hard: int = settle(arguments, channel, *_total(lanes, k, APART, 1))
            return hard

        @inlined
        def finish(
            arguments: int, channel: int, parts: Pointer, at: int, apart: int, blocks: int
        ) -> int:
            hard: int = settle(arguments, channel, *_total(parts, at, apart, blocks))
            return hard

        return RunningSums(
            PARTS * APART,
            2,
            clear,
            add,
            keep,
            add_kept,
            adder_of_rows(add_kept),
            _merge,
            put,
            deliver,
            finish,
        )

    def _encoder(self) -> Compiled:
        return encoder("float64", self.kind.name, self.kind.name)

    def _make_exact_task(self) -> Task:
        """Return the task that adds up channels exactly, to be compiled."""
        wide, add_exactly = self.kind is FLOAT64, exact_adder(self.term, self.kind)
        encode, write = self._encoder(), poke(self.kind.name)

        @helper
        def total(arguments: int, channel: int) -> Any:
            """Return the sum of a channel's terms, rounded to odd where it is rounded again."""
            terms, total = int64_pointer(word(arguments, PLAN))[1], nothing()
            special, all_minus = add_exactly(arguments, total, channel, 0, terms)
            if special != 0:
                return special
            if all_minus:
                return -0.0
            value, rest = nearest(total)
            return value if wide else to_odd(value, rest)

        def task(arguments: int, start: int, stop: int) -> Any:
            if stop < start:
                return own_address()
            for channel in range(start, stop):
                to = channel * word(arguments, SUMS_STRIDE)
                write(word(arguments, SUMS), to, encode(total(arguments, channel)))
            return stop - start

        return task


def _adder(factors: Any, wide: bool) -> Any:
    """Return the function that adds a product to a running sum.

    A product of two F32 or narrower numbers is a float64, one of two F64 numbers has a remainder.
    """

    @inlined
    def add(lanes: Any, k: Any, grad: Any, data: Any) -> None:
        a, b = factors((grad, data), ())
        product = a * b
        after, lost = join(lanes[k], product)
        if wide:
            lost += fma(a, b, -product)
        lanes[k] = after
        lanes[k + APART] += lost
        lanes[k + 2 * APART] += abs(product)

    return add


def _unclear(kind: ElementType) -> Any:
    """Return the function that tells whether a sum of two and its error leave the result open."""
    if kind is FLOAT64:

        @helper
        def open_sum(value: Any, rest: Any, error: Any) -> Any:
            # remainders below the least double are lost as well
            doubt = error + abs(rest) * _ROUNDING + _LEAST * 2.0**40
            # a NaN is not equal
            return not value + (rest - doubt) == value + (rest + doubt)

        return open_sum
    encode = encoder("float64", kind.name, kind.name)
    bits = bits32 if kind.name == "float32" else same

    @helper
    def open_rounding(value: Any, rest: Any, error: Any) -> Any:
        # without a rest, a sum would take the sign from -0
        total = value + rest if rest != 0 else value
        doubt = error + abs(total) * _ROUNDING
        return not doubt < np.inf or (
            error != 0 and bits(encode(total - doubt)) != bits(encode(total + doubt))
        )

    return open_rounding


def factors_of(term: Formula) -> Compiled:
    """Return the function that gives the two factors of a term."""
    assert term.factors is not None
    return factors_evaluator(term.factors)


def exact_adder(term: Formula, kind: ElementType) -> Compiled:
    """Return the function that adds terms of a channel to an exact sum.

    ``add(arguments, total, channel, start, stop)`` returns the sum of those that are not finite, 0
    if all are, and whether all of them are -0.
    """
    factors, dense_place = factors_of(term), place_of(kind.storage.itemsize)
    read, decode = peek(kind.name), decoder(kind.name, "float64")
    inf, copysign = np.inf, np.copysign

    @helper
    def add(arguments: int, total: Any, channel: int, start: int, stop: int) -> Any:
        tiled = word(arguments, TILED) != 0
        plan = int64_pointer(word(arguments, PLAN))
        grad, data = word(arguments, GRAD), word(arguments, DATA)
        special, all_minus, pending = 0.0, True, 0
        for term in range(start, stop):
            if tiled:
                grad_at = tiled_place(plan, strides_at(plan, 0), channel, term)
                data_at = tiled_place(plan, strides_at(plan, 1), channel, term)
            else:
                grad_at = data_at = dense_place(plan, channel, term)
            a, b = factors((decode(read(grad, grad_at)), decode(read(data, data_at))), ())
            product = a * b
            if not (abs(a) < inf and abs(b) < inf):
                special += product
                all_minus = False
            elif a != 0 and b != 0:
                add_product(total, a, b)
                all_minus = False
                pending += 1
                if pending == CARRY_EVERY:
                    carry(total)
                    pending = 0
            elif copysign(1.0, product) > 0:
                all_minus = False
        return special, all_minus

    return add


@once_each
def true_channel_sum(element: Formula, term: Formula, kind: ElementType) -> ChannelSumKernel:
    """Return the one kernel for two formulas and a type that rounds once, from exact values."""
    return TrueSumKernel(element, term, kind)
