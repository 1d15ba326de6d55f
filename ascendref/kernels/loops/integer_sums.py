"""What decides the sums that running sums leave open.

Quick sums are formed again as exact sums (``exact_sums.py``), one term after the other. Others, and
those that this leaves open, are formed in integers of 4352 bits (``accumulator.py``), which Python
rounds.

Python also adds the terms that two doubles do not hold, from their elements.
"""

from typing import Any, Final

import numpy as np

from ...core.dtypes import ElementType
from ..arithmetic.accumulator import CARRY_EVERY, add_product, carry, clear
from ..arithmetic.evaluation import evaluator
from ..arithmetic.exact_sum import ALL_MINUS, BOUND, RECORD, SPECIAL
from ..arithmetic.formula import Formula
from ..compiler.jit import helper, inlined
from ..runtime.array_header import PYTHON_TASK
from ..runtime.launch import (
    FAILED_IN_PYTHON,
    FAILURE,
    NO_MEMORY,
    NO_OPERANDS,
    PLAN,
    TABLE,
    Task,
    call_task,
    own_address,
    set_word,
)
from ..runtime.memory import (
    allocate,
    in_memory,
    int64_pointer,
    peek,
    pointer_to,
    release,
    smaller,
    word,
    words,
)
from ..runtime.nontemporal import LINE
from .exact_sums import NUMBERS, exact_sums, join, numbers_of
from .reduction_loops import Parts
from .reduction_places import layout_of, place, weight_place
from .reduction_plan import BLOCK, SUMS_STRIDE, TERMS
from .running_sums import APART, PARTIAL, TENSORS, Compiled, Pointer

#: in place of a count of terms, for the task in Python: a term to be added
OPEN: Final = -1
_float64_pointer: Final = pointer_to(np.dtype(np.float64))


def term_reader(parts: Parts) -> Compiled:
    """Return ``read(arguments, elements, channel, number)``: the values of a term.

    ``elements`` is memory for ``NO_OPERANDS``.
    """
    load, weigh, weighted = parts.load_given, parts.weigh, parts.weighted
    addresses, tensors = words(parts.tensors), parts.tensors
    read_weight, decode = peek(parts.kind), parts.decode

    @helper
    def read(arguments: int, elements: int, channel: int, number: int) -> Any:
        plan, operands = int64_pointer(word(arguments, PLAN)), arguments + TENSORS
        weight = 0.0
        if weighted:
            at = weight_place(plan, channel)
            weight = decode(read_weight(word(operands, 8 * tensors), at))
        for k in range(tensors):
            at = place(layout_of(plan, k), channel, number)
            set_word(elements, 8 * k, word(operands, 8 * k) + at)
        return weigh(load(addresses(elements), 0, 0), weight)

    return read


@inlined
def _finite(values: Any) -> bool:
    finite = True
    for k in range(len(values)):
        finite &= abs(values[k]) < np.inf
    return finite


def _special_adder(parts: Parts, term: Formula) -> Compiled:
    """Return ``add(arguments, channel, start, stop)``: the sum of terms of infinities and NaN."""
    read, scalars_of, term_of = term_reader(parts), parts.scalars, evaluator(term, "float64")

    @helper
    def add(arguments: int, channel: int, start: int, stop: int) -> Any:
        elements, scalars = in_memory(NO_OPERANDS), scalars_of(arguments)
        total = 0.0
        for number in range(start, stop):
            values = read(arguments, elements, channel, number)
            if not _finite(values):
                total += term_of(values, scalars)
        return total

    return add


def exact_adder(parts: Parts, term: Formula, kind: ElementType) -> Compiled:
    """Return ``add(arguments, record, channel, start, stop)``, which adds terms to a record.

    It propagates carries at the end. It returns 0, or what the task in Python returned. Where
    the sum of the terms of infinities and NaN is not finite, it adds that alone.
    """
    add_special = _special_adder(parts, term)
    deposit, term_of = _depositor(term, kind), evaluator(term, "float64")
    read, scalars_of, copysign = term_reader(parts), parts.scalars, np.copysign

    @helper
    def add(arguments: int, record: int, channel: int, start: int, stop: int) -> int:
        total, scalars = int64_pointer(record), scalars_of(arguments)
        elements = in_memory(NO_OPERANDS)
        special = add_special(arguments, channel, start, stop)
        if not abs(special) < np.inf:
            _float64_pointer(record)[SPECIAL] += special
            total[ALL_MINUS] = 0
            return 0
        pending = 0
        for number in range(start, stop):
            values = read(arguments, elements, channel, number)
            value, added = term_of(values, scalars), deposit(arguments, record, values, scalars)
            if added == FAILED_IN_PYTHON:
                return FAILED_IN_PYTHON
            if added < 0:
                _float64_pointer(record)[SPECIAL] += value
            if added or copysign(1.0, value) > 0:
                total[ALL_MINUS] = 0
            pending += added
            if pending > CARRY_EVERY:
                carry(total)
                pending = 0
        carry(total)
        return 0

    return add


def _depositor(term: Formula, kind: ElementType) -> Compiled:
    """Return ``deposit(arguments, record, values, scalars)``, which adds a term to a record.

    It returns the number of products without zeros, -1 if one is not finite, or what the task in
    Python returned.
    """
    parts_of, count = numbers_of(term, kind)
    inf = np.inf

    @helper
    def deposit_products(arguments: int, record: int, values: Any, scalars: Any) -> int:
        factors, total = parts_of(values, scalars), int64_pointer(record)
        for k in range(count):
            if not abs(factors[k]) < inf:
                return -1
        added = 0
        for k in range(0, count, 2):
            if factors[k] != 0 and factors[k + 1] != 0:
                add_product(total, factors[k], factors[k + 1])
                added += 1
        return added

    @helper
    def deposit_bounded(arguments: int, record: int, values: Any, scalars: Any) -> int:
        if not _finite(values):
            return -1
        (high, low, lost), total = parts_of(values, scalars), int64_pointer(record)
        if lost != 0:
            python_task = word(word(arguments, TABLE), PYTHON_TASK)
            failed: int = call_task(python_task, record, in_memory((*values, *scalars)), OPEN)
            return failed if failed else 1
        added = 0
        for part in (high, low):
            if part != 0:
                add_product(total, part, 1.0)
                added += 1
        return added

    return deposit_bounded if term.factors is None else deposit_products


@inlined
def no_attempt(arguments: int, channel: int) -> bool:
    """The attempt for sums that were exact already."""
    return False


def exact_attempt(parts: Parts, term: Formula, kind: ElementType, settle: Any) -> Compiled:
    """Return ``attempt(arguments, channel)``, which tells whether an exact sum decided."""
    add, term_of = exact_sums(term, kind, settle).add, evaluator(term, "float64")
    add_special = _special_adder(parts, term)
    read, scalars_of, pointer = term_reader(parts), parts.scalars, parts.pointer

    @helper
    def attempt(arguments: int, channel: int) -> Any:
        count = int64_pointer(word(arguments, PLAN))[TERMS]
        if not abs(add_special(arguments, channel, 0, count)) < np.inf:
            return False
        lanes = allocate(8 * NUMBERS * APART, LINE)
        if lanes == 0:
            return False
        total, scalars = pointer(lanes), scalars_of(arguments)
        elements = in_memory(NO_OPERANDS)
        total[0] = -0.0
        total[APART] = total[2 * APART] = 0.0
        for number in range(count):
            values = read(arguments, elements, channel, number)
            if _finite(values):
                add(total, 0, values, scalars)
            else:
                # double-doubles make NaN of infinite elements
                total[0], error = join(total[0], term_of(values, scalars))
                total[APART], error = join(total[APART], error)
                total[2 * APART] += abs(error)
        settled = settle(arguments, channel, total[0], total[APART], total[2 * APART])
        release(lanes)
        return settled

    return attempt


def exact_task(
    parts: Parts,
    term: Formula,
    kind: ElementType,
    sums: int,
    attempt: Compiled,
    *,
    mean: bool,
) -> Task:
    """Return the task that forms the sums of open channels: by an attempt, else in integers."""
    add_exactly = exact_adder(parts, term, kind)

    def task(arguments: int, start: int, stop: int) -> Any:
        if stop < start:
            return own_address()
        record = allocate(8 * RECORD, LINE)
        if record == 0:
            set_word(arguments, FAILURE, NO_MEMORY)
            return 0
        plan = int64_pointer(word(arguments, PLAN))
        python_task = word(word(arguments, TABLE), PYTHON_TASK)
        for channel in range(start, stop):
            if attempt(arguments, channel):
                continue
            clear(int64_pointer(record))
            failed = add_exactly(arguments, record, channel, 0, plan[TERMS])
            if failed == 0:
                to = word(arguments, sums) + channel * plan[SUMS_STRIDE]
                failed = call_task(python_task, record, to, plan[TERMS] if mean else 1)
            if failed:
                set_word(arguments, FAILURE, failed)
        release(record)
        return stop - start

    return task


def record_finisher(parts: Parts, term: Formula, kind: ElementType) -> Compiled:
    """Return the function that adds a channel's sums of blocks to its record, behind them."""
    add_exactly, bounded = exact_adder(parts, term, kind), term.factors is None
    inf, copysign = np.inf, np.copysign

    @helper
    def finish(
        arguments: int, channel: int, parts: Pointer, at: int, apart: int, blocks: int
    ) -> int:
        record = word(arguments, PARTIAL) + 8 * (NUMBERS * apart + channel * RECORD)
        total = int64_pointer(record)
        clear(total)
        plan = int64_pointer(word(arguments, PLAN))
        for block in range(at, at + blocks):
            value, rest, lost = parts[block], parts[block + apart], parts[block + 2 * apart]
            # not with a NaN
            if (bounded or lost == 0) and lost < inf and abs(value) < inf:
                if bounded:
                    _float64_pointer(record)[BOUND] += lost
                add_product(total, value, 1.0)
                add_product(total, rest, 1.0)
                if value != 0 or rest != 0 or copysign(1.0, value) > 0:
                    total[ALL_MINUS] = 0
                if block % BLOCK == 0:
                    carry(total)
            else:
                first = (block - at) * BLOCK
                last = smaller(first + BLOCK, plan[TERMS])
                add_exactly(arguments, record, channel, first, last)
        carry(total)
        return 0

    return finish
