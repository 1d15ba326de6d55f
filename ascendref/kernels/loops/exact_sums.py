"""Sums of products per channel that are rounded once, from the exact value.

A running sum is three numbers: the sum of the products in float64, the sum of everything that its
additions and the products lost by rounding, and the sum of the products' magnitudes. The first two
together are off by a tiny part of the third. Where that leaves the rounding to the result's type
open, as after catastrophic cancellation or next to a tie, the channel is added up again in integers
of 4352 bits (``exact.py``).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...core.dtypes import FLOAT64, ElementType
from ..arithmetic.binding import compiled, primitives
from ..arithmetic.codecs import decoder, encoder
from ..arithmetic.exact import CARRY_EVERY, add_product, carry, nearest, nothing, to_odd
from ..arithmetic.formula import Formula
from ..arithmetic.math import fma
from ..compiler.jit import helper, inlined, once_each
from ..runtime.launch import (
    PLAN,
    Task,
    own_address,
    task_kernel,
)
from ..runtime.memory import int64_pointer, peek, poke, word
from .channel_loops import place_of, tiled_place
from .channel_plan import BLOCK, LANES, STRIP
from .channel_sums import ChannelSumKernel, Operands
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
from .truth import ExactKernel, decide_exactly, differ_in

#: numbers of a running sum, and the distance between them among the running sums: a third of a page
#: beside whole ones (``_STAGGER`` of ``channel_sums.py``)
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
_join: Final = primitives("float64")["two_sum"]


@inlined
def _clear(lanes: Pointer, k: int) -> None:
    lanes[k] = -_ZERO
    lanes[k + _APART] = _ZERO
    lanes[k + 2 * _APART] = _ZERO


@inlined
def _keep(kept: Pointer, i: int, g: Any, x: Any) -> None:
    kept[i] = g
    kept[i + BLOCK] = x


@inlined
def _merge(lanes: Pointer, k: int, other: int) -> None:
    after, lost = _join(lanes[k], lanes[other])
    lanes[k] = after
    lanes[k + _APART] += lanes[other + _APART] + lost
    lanes[k + 2 * _APART] += lanes[other + 2 * _APART]


@inlined
def _put(parts: Pointer, at: int, apart: int, lanes: Pointer, k: int) -> None:
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

    def __call__(
        self,
        operands: Operands,
        sums: Any,
        in_place: bool = False,
        scratch: Any = None,
    ) -> None:
        """As its base; a result that is an input's view waits until the sums are decided."""
        if not in_place:
            super().__call__(operands, sums, in_place, scratch)
            return
        grad, data, weight, result = operands
        aside, decided = np.empty((), result.dtype), np.empty_like(sums)
        nowhere = np.lib.stride_tricks.as_strided(aside, result.shape, (0,) * result.ndim)
        super().__call__((grad, data, weight, nowhere), decided, True, scratch)
        super().__call__(operands, np.empty_like(sums), True, scratch)
        sums[...] = decided

    def _room(self, channels: int, blocks: int, in_place: bool) -> int:
        return _PARTS * channels * blocks if blocks > 1 else 0

    def _exact_task(self) -> Any:
        return task_kernel(self._make_exact_task, f"{self.name}_exactly", self.element.element)

    def _factors(self) -> Compiled:
        """Return the function that gives the two factors of a term."""
        assert self.term.factors is not None
        return compiled(self.term.factors, "float64")

    def _running_sums(self) -> RunningSums:
        """Return running sums with what they lost and the sum of the terms' magnitudes."""
        wide = self.kind is FLOAT64
        add, unclear = _adder(self._factors(), wide), _unclear(self.kind)
        encode, write = self._encoder(), poke(self.kind.name)

        @inlined
        def add_kept(lanes: Pointer, k: int, kept: Pointer, i: int) -> None:
            add(lanes, k, kept[i], kept[i + BLOCK])

        @helper
        def settle(arguments: int, channel: int, value: Any, error: Any) -> int:
            """Round a sum to its result, or leave that to the exact task."""
            if unclear(value, error):
                hard: int = decide_exactly(arguments, channel, channel + 1)
                return hard
            to = channel * word(arguments, SUMS_STRIDE)
            write(word(arguments, SUMS), to, encode(value))
            return 0

        @inlined
        def deliver(arguments: int, channel: int, lanes: Pointer, k: int) -> int:
            hard: int = settle(arguments, channel, *_total(lanes, k, _APART, 1))
            return hard

        @inlined
        def finish(
            arguments: int, channel: int, parts: Pointer, at: int, apart: int, blocks: int
        ) -> int:
            hard: int = settle(arguments, channel, *_total(parts, at, apart, blocks))
            return hard

        return RunningSums(
            _PARTS * _APART,
            2,
            _clear,
            add,
            _keep,
            add_kept,
            adder_of_rows(add_kept),
            _merge,
            _put,
            deliver,
            finish,
        )

    def _encoder(self) -> Compiled:
        return encoder("float64", self.kind.name, self.kind.name)

    def _make_exact_task(self) -> Task:
        """Return the task that adds up channels exactly, to be compiled."""
        kind, size, wide = self.kind.name, self.kind.storage.itemsize, self.kind is FLOAT64
        factors, dense_place = self._factors(), place_of(size)
        read, decode = peek(kind), decoder(kind, "float64")
        encode, write = self._encoder(), poke(kind)
        inf, copysign = np.inf, np.copysign

        @helper
        def total(arguments: int, channel: int) -> Any:
            """Return the sum of a channel's terms, rounded to odd where it is rounded again."""
            tiled = word(arguments, TILED) != 0
            plan = int64_pointer(word(arguments, PLAN))
            grad, data = word(arguments, GRAD), word(arguments, DATA)
            total = nothing()
            special, all_special, all_minus, pending = 0.0, False, True, 0
            for term in range(plan[1]):
                if tiled:
                    grad_at = tiled_place(plan, 0, channel, term)
                    data_at = tiled_place(plan, 1, channel, term)
                else:
                    grad_at = data_at = dense_place(plan, channel, term)
                g, x = decode(read(grad, grad_at)), decode(read(data, data_at))
                a, b = factors(g, x)
                product = a * b
                if not (abs(a) < inf and abs(b) < inf):
                    special += product
                    all_special = True
                elif a != 0 and b != 0:
                    add_product(total, a, b)
                    all_minus = False
                    pending += 1
                    if pending == CARRY_EVERY:
                        carry(total)
                        pending = 0
                elif copysign(1.0, product) > 0:
                    all_minus = False
            if all_special:
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
