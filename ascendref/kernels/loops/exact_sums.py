"""Exact sums: running sums that lose nothing, or know that they did.

Results of narrow types need few digits. For them, a first attempt adds terms as single doubles
(`quick_sums`). If its bound leaves the rounding undecided, the channel is summed again, exactly.

A term is a sum of products of doubles (`Formula.factors`), or two doubles with a bound of their
error. A running sum has three numbers: the sum of the products or of the first doubles, the sum of
all rounding errors of that and of the second doubles, and the sum of the bounds and of the
magnitudes of what the second sum lost. Without bounds, the last one is 0 nearly always; then the
first two are the exact sum. Where what was lost leaves the rounding to the result's type undecided,
the channel is summed again in integers (``integer_sums.py``).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from ...core.dtypes import FLOAT64, ElementType
from ..arithmetic.codecs import encoder, same
from ..arithmetic.evaluation import (
    bounded_evaluator,
    factor_count,
    factors_evaluator,
    quick_evaluator,
)
from ..arithmetic.formula import Formula
from ..arithmetic.functions import two_sum
from ..arithmetic.intrinsics import bits32, bits64, fma, from_bits64
from ..compiler.instructions import instructions
from ..compiler.jit import helper, inlined
from ..runtime.launch import PLAN
from ..runtime.memory import int64_pointer, poke, word
from .exact_kernel import decide_exactly
from .reduction_plan import BLOCK, LANES, SUMS_STRIDE, TERMS
from .running_sums import APART, Pointer, RunningSums, Step, row_adder

#: numbers of a running sum
NUMBERS: Final = 3
#: more than the additions inside a block that a term takes part in: those to its running sum, and
#: of this one to others
_ADDITIONS: Final = BLOCK // LANES + LANES
#: what a quick sum of a block may be off by these additions, relative to the terms' magnitudes
_ADDED: Final = _ADDITIONS * 2.0**-52
#: below, the remainder of a product of two doubles may be too small for a double
_TINY: Final = 2.0**-900
#: what a sum of two doubles may lose when it is formed
_ROUNDING: Final = 2.0**-52
#: error of a quotient that is a sum of two doubles, relative to the second and absolute
_LOST_BY_DIVISION: Final = 2.0**-50, 2.0**-1060
_NUMBERS_AT: Final = types.CPointer(types.float64)
join: Final = inlined(two_sum)


def _intrinsic(builder: ir.IRBuilder, name: str, *operands: ir.Value) -> ir.Value:
    kind = operands[0].type
    suffix = f"v{kind.count}f64" if isinstance(kind, ir.VectorType) else "f64"
    signature = ir.FunctionType(kind, [kind] * len(operands))
    function = cgutils.get_or_insert_function(builder.module, signature, f"llvm.{name}.{suffix}")
    return builder.call(function, operands)


def _two_sum(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> tuple[ir.Value, ir.Value]:
    total = builder.fadd(a, b)
    part = builder.fsub(total, a)
    error = builder.fsub(a, builder.fsub(total, part))
    return total, builder.fadd(error, builder.fsub(b, part))


def _step(builder: ir.IRBuilder, sums: list[Any], factors: list[Any]) -> list[Any]:
    """Add products that are doubles, as those of two F32 or narrower numbers."""
    value, rest, lost = sums
    for a, b in zip(factors[::2], factors[1::2], strict=True):
        value, error = _two_sum(builder, value, builder.fmul(a, b))
        rest, error = _two_sum(builder, rest, error)
        lost = builder.fadd(lost, _intrinsic(builder, "fabs", error))
    return [value, rest, lost]


def _wide_step(builder: ir.IRBuilder, sums: list[Any], factors: list[Any]) -> list[Any]:
    """Add any products; the remainder of one is a double unless the product is tiny."""
    zero, tiny, nan = [_constant(factors[0].type, value) for value in (0.0, _TINY, np.nan)]
    for a, b in zip(factors[::2], factors[1::2], strict=True):
        value, rest, lost = _step(builder, sums, [a, b])
        product = builder.fmul(a, b)
        remainder = _intrinsic(builder, "fma", a, b, builder.fneg(product))
        in_doubt = builder.fcmp_ordered("<", _intrinsic(builder, "fabs", product), tiny)
        for factor in (a, b):
            in_doubt = builder.and_(in_doubt, builder.fcmp_ordered("!=", factor, zero))
        rest, error = _two_sum(builder, rest, builder.select(in_doubt, nan, remainder))
        sums = [value, rest, builder.fadd(lost, _intrinsic(builder, "fabs", error))]
    return sums


def _bounded_step(builder: ir.IRBuilder, sums: list[Any], factors: list[Any]) -> list[Any]:
    """Add two doubles, and a bound of their error."""
    (value, rest, lost), (high, low, bound) = sums, factors
    value, error = _two_sum(builder, value, high)
    lost = builder.fadd(lost, bound)
    for part in (error, low):
        rest, error = _two_sum(builder, rest, part)
        lost = builder.fadd(lost, _intrinsic(builder, "fabs", error))
    return [value, rest, lost]


def _quick_step(builder: ir.IRBuilder, sums: list[Any], factors: list[Any]) -> list[Any]:
    """Add a double, and a bound of its error and of that of the additions."""
    (value, rest, lost), (term, bound) = sums, factors
    return [builder.fadd(value, term), rest, builder.fadd(lost, bound)]


def _constant(kind: Any, value: float) -> ir.Constant:
    return ir.Constant(kind, [value] * kind.count if isinstance(kind, ir.VectorType) else value)


@cache
def _adder(step: Step, factors: int) -> Any:
    """Return ``add(lanes, k, factors)``, which adds a term to a running sum."""

    @instructions(types.void, _NUMBERS_AT, types.int64, types.Tuple((types.float64,) * factors))
    def add(builder: ir.IRBuilder, lanes: ir.Value, k: ir.Value, given: ir.Value) -> None:
        offsets = [builder.add(k, k.type(n * APART)) for n in range(NUMBERS)]
        sums = [builder.gep(lanes, [offset]) for offset in offsets]
        values = cgutils.unpack_tuple(builder, given, factors)
        after = step(builder, [builder.load(at) for at in sums], values)
        for value, at in zip(after, sums, strict=True):
            builder.store(value, at)

    return add


@cache
def _keeper(factors: int) -> Any:
    """Return ``keep(kept, i, factors)``, which keeps a term."""

    @instructions(types.void, _NUMBERS_AT, types.int64, types.Tuple((types.float64,) * factors))
    def keep(builder: ir.IRBuilder, kept: ir.Value, i: ir.Value, given: ir.Value) -> None:
        for n, value in enumerate(cgutils.unpack_tuple(builder, given, factors)):
            builder.store(value, builder.gep(kept, [builder.add(i, i.type(n * BLOCK))]))

    return keep


@inlined
def _merge(lanes: Pointer, k: int, other: int) -> None:
    value, first = join(lanes[k], lanes[other])
    rest, second = join(lanes[k + APART], first)
    rest, third = join(rest, lanes[other + APART])
    lanes[k] = value
    lanes[k + APART] = rest
    lanes[k + 2 * APART] += lanes[other + 2 * APART] + (abs(second) + abs(third))


@inlined
def _quick_merge(lanes: Pointer, k: int, other: int) -> None:
    lanes[k] += lanes[other]
    lanes[k + 2 * APART] += lanes[other + 2 * APART]


def numbers_of(term: Formula, kind: ElementType) -> tuple[Any, int]:
    """Return the function that gives the numbers of a term, and their count."""
    if term.factors is None:
        return bounded_evaluator(term, kind.name), 3
    return factors_evaluator(term), factor_count(term)


def exact_sums(term: Formula, kind: ElementType, settle: Any) -> RunningSums:
    """Return running sums of a term that are rounded once, at the end, by a `settler`."""
    step = _wide_step if kind is FLOAT64 else _step
    if term.factors is None:
        step = _bounded_step
    return _running_sums(*numbers_of(term, kind), step, settle)


def quick_sums(term: Formula, kind: ElementType, settle: Any) -> RunningSums:
    """Return running sums of a term's doubles, which leave more results open.

    A sum of n doubles by additions of which each of them takes part in at most k is off by at most
    ((1 + 2**-53)**k - 1) times the sum of their magnitudes (Higham, "Accuracy and Stability of
    Numerical Algorithms", 4.2), which is below k * 2**-52. Each term adds its part to the bound.
    """
    term_of = quick_evaluator(term, kind.name, _ADDED)
    return _running_sums(term_of, 2, _quick_step, settle, merge=_quick_merge)


def _running_sums(
    factors_of: Any, count: int, step: Step, settle: Any, merge: Any = _merge
) -> RunningSums:
    add_factors, keep_factors = _adder(step, count), _keeper(count)
    add_one = row_adder(step, np.float64, 1, NUMBERS, count)

    @inlined
    def add(lanes: Pointer, k: int, values: Any, scalars: Any) -> None:
        add_factors(lanes, k, factors_of(values, scalars))

    @inlined
    def keep(kept: Pointer, i: int, values: Any, scalars: Any) -> None:
        keep_factors(kept, i, factors_of(values, scalars))

    @inlined
    def add_kept(lanes: Pointer, k: int, kept: Pointer, i: int) -> None:
        add_one(lanes, k, kept, i, i + 1)

    @helper
    def finish(
        arguments: int, channel: int, parts: Pointer, at: int, apart: int, blocks: int
    ) -> int:
        value, rest, lost = -0.0, 0.0, 0.0
        for block in range(at, at + blocks):
            value, error = join(value, parts[block])
            rest, first = join(rest, error)
            rest, second = join(rest, parts[block + apart])
            lost += abs(first) + abs(second) + parts[block + 2 * apart]
        if settle(arguments, channel, value, rest, lost):
            return 0
        hard: int = decide_exactly(arguments, channel, channel + 1)
        return hard

    return RunningSums(
        NUMBERS,
        count,
        add,
        keep,
        add_kept,
        row_adder(step, np.float64, LANES, NUMBERS, count),
        merge,
        finish,
    )


def settler(out: ElementType, sums: int, *, mean: bool) -> Any:
    """Return ``settle(arguments, channel, value, rest, lost)``, which rounds a sum to a result.

    It writes nothing and returns False if the rounding is undecided. ``sums`` is where a task's
    arguments have the address of the results, of type ``out``.
    """
    encode, write = encoder("float64", out.name), poke(out.name)
    bits = {"float64": bits64, "float32": bits32}.get(out.name, same)
    joined = _to_nearest if out is FLOAT64 else _to_odd

    @helper
    def settle(arguments: int, channel: int, value: Any, rest: Any, lost: Any) -> bool:
        plan = int64_pointer(word(arguments, PLAN))
        if mean:
            value, rest, lost = _quotient(value, rest, lost, np.float64(plan[TERMS]))
        result = encode(joined(value, rest))
        if lost != 0:
            doubt = 2 * lost + abs(rest) * _ROUNDING
            low, high = encode(joined(value, rest - doubt)), encode(joined(value, rest + doubt))
            if not lost < np.inf or bits(low) != bits(high):
                return False
        write(word(arguments, sums), channel * plan[SUMS_STRIDE], result)
        return True

    return settle


@inlined
def _to_nearest(value: Any, rest: Any) -> Any:
    """Return a sum of two, rounded; without a rest, the value keeps its sign if it is -0."""
    return value + rest if rest != 0 else value


@inlined
def _to_odd(value: Any, rest: Any) -> Any:
    """Return a sum of two, rounded to odd, so that it can be rounded again."""
    if rest == 0:
        return value
    total, left = join(value, rest)
    whole = bits64(total)
    if left == 0 or whole & np.int64(1):
        return total
    return from_bits64(whole + np.int64(1 if (left > 0) == (total > 0) else -1))


@helper
def _quotient(value: Any, rest: Any, lost: Any, count: Any) -> Any:
    """Return a sum of two divided by a number, and how far it may be off."""
    total, left = join(value, rest)
    if left == 0:
        total = value if rest == 0 else total
    first = total / count
    second = (fma(-first, count, total) + left) / count
    if second == 0 and lost == 0:
        # an underflow may hide what is left
        exact = abs(first) > _TINY or total == 0
        return first, 0.0, 0.0 if exact else _LOST_BY_DIVISION[1]
    off = abs(second) * _LOST_BY_DIVISION[0] + _LOST_BY_DIVISION[1]
    return first, second, lost / count + off
