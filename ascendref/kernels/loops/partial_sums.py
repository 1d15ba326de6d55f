"""Sums per channel of a part of the data, kept without loss.

In a compute type that rounds every addition, the sum of each block of ``BLOCK`` terms is kept; the
tree for the total number of terms determines all further additions. In F64 arithmetic the exact sum
is kept, as a fixed-point number (``exact.py``).

If possible, a block's exact sum is computed without integers, as a sum of two doubles. Losses of
the second one are detected: they hardly ever occur with F16 and BF16 data, and rarely with F32
data. A block with a loss is summed again in integers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import FLOAT64, ElementType
from ..arithmetic.accumulator import (
    CARRY_EVERY,
    LIMBS,
    add_product,
    carry,
    nearest,
    nothing,
    to_odd,
)
from ..arithmetic.formula import Formula
from ..arithmetic.intrinsics import fma
from ..compiler.jit import helper, inlined, integer_kernel, once_each
from ..runtime.kernel import Piece
from ..runtime.launch import PLAN
from ..runtime.memory import int64_pointer, pointer_to, smaller, word
from .channel_plan import BLOCK
from .channel_sums import ChannelSumKernel, Operands, channel_sum
from .exact_sums import APART, PARTS, clear, exact_adder, factors_of, join, keep, put
from .running_sums import PARTIAL, Compiled, Pointer, RunningSums, adder_of_rows

#: words of an exact sum: its limbs, the sum of what is not finite (0 if everything is), and whether
#: all terms were -0
RECORD: Final = LIMBS + 2
SPECIAL: Final = LIMBS
ALL_MINUS: Final = LIMBS + 1
#: below, the remainder of a product of two doubles may be too small for a double
_TINY: Final = 2.0**-900
_ZERO: Final = np.float64(0)
_float64_pointer: Final = pointer_to(np.dtype(np.float64))


class PartialSumKernel(ChannelSumKernel):
    """Base of the kernels that compute a result and sums of a part of the terms."""

    def partial_sums(self, operands: Operands) -> NDArray[Any]:
        """Compute the result, which is the last operand, and return what is kept of the sums."""
        raise NotImplementedError

    def _kept(self, operands: Operands) -> tuple[NDArray[Any], int]:
        """Compute the result; return the memory of the partial sums, and the number of blocks."""
        _, data, weight, _ = operands
        blocks = -(-(data.size // weight.size) // BLOCK)
        memory: NDArray[Any] = np.empty(self._room(weight.size, blocks, False), self.register)
        # the kernels take an array for the sums, and do not write to it
        unused = np.empty(weight.shape if weight.size == 1 else weight.size, weight.dtype)
        self(operands, unused, False, memory.view(np.uint8))
        return memory, blocks


class BlockSumKernel(PartialSumKernel):
    """A result, and the sums of the blocks of each channel, all rounded to the compute type."""

    def partial_sums(self, operands: Operands) -> NDArray[Any]:
        """Compute the result; return the sums, an array of channels × blocks."""
        memory, blocks = self._kept(operands)
        return memory.reshape(-1, blocks)

    def task(self, layout: str) -> Any:
        """The loops are those of the sums of all terms."""
        whole = channel_sum(self.element, self.term, self.kind, self.compute)
        return whole.task(layout)

    @property
    def name(self) -> str:
        return f"{super().name}_blocks"

    def _room(self, channels: int, blocks: int, in_place: bool) -> int:
        return channels * blocks

    def _running_sums(self) -> RunningSums:
        @helper
        def finish(
            arguments: int, channel: int, parts: Pointer, at: int, apart: int, blocks: int
        ) -> int:
            return 0  # the sums of blocks are the result

        return replace(super()._running_sums(), finish=finish)


class ExactPartKernel(PartialSumKernel):
    """A result that is rounded once, and the exact sum of each channel."""

    def partial_sums(self, operands: Operands) -> NDArray[Any]:
        """Compute the result; return the sums, an array of int64, channels × ``RECORD``."""
        memory, blocks = self._kept(operands)
        channels = operands[2].size
        return memory[PARTS * channels * blocks :].view(np.int64).reshape(channels, RECORD)

    @Piece
    def rounding_kernel(self) -> Any:
        """What rounds the sums, which all types share."""
        return _rounding_kernel()

    @property
    def name(self) -> str:
        return f"{super().name}_exact_part"

    def _room(self, channels: int, blocks: int, in_place: bool) -> int:
        return channels * (PARTS * blocks + RECORD)

    def _running_sums(self) -> RunningSums:
        """Return running sums of two doubles, and what the second one lost."""
        add = _adder(factors_of(self.term), self.kind is FLOAT64)

        @inlined
        def add_kept(lanes: Pointer, k: int, kept: Pointer, i: int) -> None:
            add(lanes, k, kept[i], kept[i + BLOCK])

        @inlined
        def deliver(arguments: int, channel: int, lanes: Pointer, k: int) -> int:
            return 0  # every block is put beside the others

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
            _finisher(exact_adder(self.term, self.kind)),
        )


@inlined
def _add_rest(lanes: Pointer, k: int, rest: Any) -> None:
    """Add to the second number of a running sum; what that loses, to the third."""
    after, lost = join(lanes[k + APART], rest)
    lanes[k + APART] = after
    lanes[k + 2 * APART] += abs(lost)


@inlined
def _merge(lanes: Pointer, k: int, other: int) -> None:
    after, lost = join(lanes[k], lanes[other])
    lanes[k] = after
    _add_rest(lanes, k, lost)
    _add_rest(lanes, k, lanes[other + APART])
    lanes[k + 2 * APART] += lanes[other + 2 * APART]


def _adder(factors: Compiled, wide: bool) -> Compiled:
    """Return the function that adds a product to a running sum.

    A product of two F32 or narrower numbers is a float64; one of two F64 numbers has a remainder,
    which is a float64 unless the product is tiny.
    """

    @inlined
    def add(lanes: Pointer, k: int, grad: Any, data: Any) -> None:
        a, b = factors((grad, data), ())
        product = a * b
        after, lost = join(lanes[k], product)
        lanes[k] = after
        _add_rest(lanes, k, lost)
        if wide:
            _add_rest(lanes, k, fma(a, b, -product))
            in_doubt = (abs(product) < _TINY) & (a != _ZERO) & (b != _ZERO)
            lanes[k + 2 * APART] += np.float64(in_doubt)

    return add


def _finisher(add_exactly: Compiled) -> Compiled:
    """Return the function that makes the record of a channel of the sums of its blocks."""
    inf, copysign = np.inf, np.copysign

    @helper
    def finish(
        arguments: int, channel: int, parts: Pointer, at: int, apart: int, blocks: int
    ) -> int:
        record = PARTS * apart + channel * RECORD
        total = int64_pointer(word(arguments, PARTIAL) + 8 * record)
        for k in range(LIMBS):
            total[k] = 0
        special, all_minus, pending = 0.0, True, 0
        for block in range(at, at + blocks):
            value, rest, lost = parts[block], parts[block + apart], parts[block + 2 * apart]
            # not with a NaN
            if lost == 0 and abs(value) < inf:
                add_product(total, value, 1.0)
                add_product(total, rest, 1.0)
                all_minus &= value == 0 and copysign(1.0, value) < 0
                pending += 2
            else:
                first = (block - at) * BLOCK
                last = smaller(first + BLOCK, int64_pointer(word(arguments, PLAN))[1])
                added, minus = add_exactly(arguments, total, channel, first, last)
                special += added
                all_minus &= minus
                pending += BLOCK
            if pending > CARRY_EVERY - BLOCK:
                carry(total)
                pending = 0
        carry(total)
        parts[record + SPECIAL] = special
        total[ALL_MINUS] = all_minus
        return 0

    return finish


def _round_records(records: int, results: int, count: int, odd: int) -> int:
    """Round exact sums to doubles: to nearest, or to odd where they are to be rounded again."""
    total = nothing()
    for channel in range(count):
        at = records + 8 * RECORD * channel
        limbs, special = int64_pointer(at), _float64_pointer(at)[SPECIAL]
        for k in range(LIMBS):
            total[k] = limbs[k]
        value, rest = nearest(total)
        if odd:
            value = to_odd(value, rest)
        if special != 0:
            value = special
        elif limbs[ALL_MINUS]:
            value = -0.0
        _float64_pointer(results)[channel] = value
    return 0


@once_each
def _rounding_kernel() -> Any:
    return integer_kernel(_round_records, "round_exact_sums")


def rounded_records(records: NDArray[np.int64], *, odd: bool) -> NDArray[np.float64]:
    """Return exact sums as doubles.

    Parameters
    ----------
    records : ndarray of int64
        Sums × ``RECORD``, in C order.
    odd : bool
        Whether they are rounded to odd, so that rounding them to a narrower type is rounding the
        exact sum; else to nearest.
    """
    results = np.empty(len(records))
    _rounding_kernel()(records.ctypes.data, results.ctypes.data, len(records), odd)
    return results


@once_each
def partial_sum(
    element: Formula, term: Formula, kind: ElementType, compute: str
) -> PartialSumKernel:
    """Return the one kernel for two formulas and their types."""
    made = ExactPartKernel if compute == "float64" else BlockSumKernel
    return made(element, term, kind, compute, stored=False)
