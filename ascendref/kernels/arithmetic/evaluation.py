"""Formulas in one arithmetic, as functions for jitted code.

A formula is called once, while Numba compiles its caller, and appends instructions. Numba does not
infer types in its body, and LLVM sees one basic block.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from math import inf, nan
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.extending import intrinsic

from ...core.dtypes import FLOAT32_STEPS
from .ball import Ball, NarrowBall, QuickBall, QuickestBall
from .bounds import Truth, both, either
from .codecs import REGISTER, from_register, stored_type
from .exact import exact
from .float_ball import FloatBall, HalfBall
from .formula import Formula
from .integer import Whole
from .pair import Pair
from .pair_ball import NarrowPairBall, PairBall
from .plain import Double, ForBFloat16, ForFloat16, Plain
from .registers import Condition, Register
from .rounding_test import near_midpoint, open_, rounded
from .steps import BFloat16, Float16, Float32

#: compute type -> class of the numbers that a function gets
NUMBERS: Final[dict[str, type[Plain]]] = {
    "float16": Float16,
    "bfloat16": BFloat16,
    "float32": Plain,
    FLOAT32_STEPS: Float32,
    "float64": Double,
}
#: the same in float32 arithmetic, by the type of results that have fewer digits
SHORT_NUMBERS: Final[dict[str, type[Plain]]] = {
    "float16": ForFloat16,
    "bfloat16": ForBFloat16,
}
#: appends instructions for values of tensors and of scalars; returns the results
Emit = Callable[[ir.IRBuilder, list[ir.Value], list[ir.Value]], Sequence[ir.Value]]


def _traced(emit: Emit, results: tuple[types.Type, ...]) -> Any:
    """Return ``function(tensors, scalars)`` for jitted code: of tuples, one result or a tuple."""

    @intrinsic
    def function(typingctx: Any, tensors: Any, scalars: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            values = emit(builder, *[cgutils.unpack_tuple(builder, each) for each in args])
            if len(results) == 1:
                return values[0]
            return context.make_tuple(builder, sig.return_type, values)

        found = results[0] if len(results) == 1 else types.Tuple(results)
        return found(tensors, scalars), codegen

    return function


@cache
def evaluator(formula: Formula, compute: str, result: str = "") -> Any:
    """Return ``function(tensors, scalars)``, of tuples of registers and of doubles.

    If the formula has several results, it returns a tuple. ``result`` is their type.
    """
    number = NUMBERS[compute]
    if compute == "float32" and result in formula.short:
        number = SHORT_NUMBERS[result]

    def emit(builder: ir.IRBuilder, tensors: Any, scalars: Any) -> list[ir.Value]:
        elements = [number(builder, value) for value in tensors]
        numbers = scalars_of(formula, [number(builder, value) for value in scalars])
        found = formula.function(*elements, *numbers)
        values = found if formula.results > 1 else (found,)
        return [elements[0].lift(value).value for value in values]

    return _traced(emit, (from_dtype(REGISTER[compute]),) * formula.results)


@cache
def integer_evaluator(formula: Formula, kind: str) -> Any:
    """Return the same of tuples of int64 and of doubles, which become that integer type."""
    kinds = [kind] * formula.scalars + ["int64"] * formula.sized

    def emit(builder: ir.IRBuilder, tensors: Any, scalars: Any) -> list[ir.Value]:
        elements = [Whole(builder, value) for value in tensors]
        numbers = [Whole.scalar(builder, *each) for each in zip(scalars, kinds, strict=True)]
        return [elements[0].lift(formula.function(*elements, *numbers)).value]

    return _traced(emit, (types.int64,))


@cache
def factors_evaluator(term: Formula) -> Any:
    """Return ``function(tensors, scalars)`` that gives the factors of a term as doubles."""

    def emit(builder: ir.IRBuilder, tensors: Any, scalars: Any) -> list[ir.Value]:
        elements = [Double(builder, value) for value in tensors]
        numbers = scalars_of(term, [Double(builder, value) for value in scalars])
        assert term.factors is not None
        return [elements[0].lift(factor).value for factor in term.factors(*elements, *numbers)]

    return _traced(emit, (from_dtype(REGISTER["float64"]),) * factor_count(term))


def factor_count(term: Formula) -> int:
    assert term.factors is not None
    return len(term.factors(*[exact(1.0, 64)] * (term.tensors + term.scalars)))


@cache
def bounded_evaluator(term: Formula, kind: str) -> Any:
    """Return ``function(tensors, scalars)``: two doubles and the bound of their error, or NaN."""

    def emit(builder: ir.IRBuilder, tensors: Any, scalars: Any) -> list[ir.Value]:
        value = _ball(PairBall, term, kind, builder, tensors, scalars)
        return [value.mid.high.value, value.mid.low.value, _known_error(value)]

    return _traced(emit, (types.float64,) * 3)


@cache
def quick_evaluator(term: Formula, kind: str, added: float) -> Any:
    """Return the same with one double, of few digits, and a bound that is larger by a part of it.

    The bound grows by ``added`` times the double.
    """

    def emit(builder: ir.IRBuilder, tensors: Any, scalars: Any) -> list[ir.Value]:
        value = _ball(quickest(kind), term, kind, builder, tensors, scalars)
        value = replace(value, relative=value.relative + added, inexact=True)
        return [value.mid.value, _known_error(value)]

    return _traced(emit, (types.float64,) * 2)


def quickest(kind: str) -> type[Ball]:
    """Return the numbers of few digits for results of a type; those of float32 are seldom ties."""
    return QuickestBall if kind == "float32" else QuickBall


def _ball(
    number: type[Ball], term: Formula, kind: str, builder: ir.IRBuilder, tensors: Any, scalars: Any
) -> Ball:
    """Return a term's value."""
    elements = [number.tensor(Register(builder, value), kind) for value in tensors]
    given = [Double(builder, value) for value in scalars]
    numbers = [number.scalar(x, narrowed=term.narrows) for x in scalars_of(term, given)]
    return elements[0].lift(term.function(*elements, *numbers)).whole()


def _known_error(value: Ball) -> ir.Value:
    """Return the bound of a number's error; NaN if the number is in doubt or too large."""
    inexact, known = value.inexact, value.size < inf
    lost = value.error() if inexact else None
    lost = value.size.lift(0.0) if lost is None else lost
    if isinstance(inexact, Condition):
        lost = inexact.select(lost, 0.0)
    doubt = either(value.doubt, open_(value))
    if isinstance(doubt, Condition):
        known &= ~doubt
    return known.select(lost, nan).value


def scalars_of(formula: Formula, numbers: list[Any]) -> list[Any]:
    """Return a formula's scalars, narrowed to float32 if it wants that, and its size if any."""
    if not formula.narrows:
        return numbers
    count = formula.scalars
    return [*[number.single() for number in numbers[:count]], *numbers[count:]]


@cache
def pair_evaluator(formula: Formula, kinds: tuple[str, ...]) -> Any:
    """Return ``function(tensors, scalars)`` of pairs, from the registers of `elements_of`."""

    def emit(builder: ir.IRBuilder, tensors: Any, scalars: Any) -> list[ir.Value]:
        elements = [
            Pair(*[Register(builder, value) for value in values])
            for values in elements_of(kinds, tensors)
        ]
        numbers = scalars_of(formula, [Pair(Register(builder, value)) for value in scalars])
        return [elements[0].lift(formula.function(*elements, *numbers)).rounded().value]

    return _traced(emit, (types.float64,))


@cache
def rounding_of_one_operation(formula: Formula, out: str) -> Any:
    """Return ``function(tensors, scalars)`` that rounds a result in float32 to a type of 16 bits.

    It leaves open what is a midpoint of two numbers of this type (see `rounding`).
    """

    def emit(builder: ir.IRBuilder, tensors: Any, scalars: Any) -> list[ir.Value]:
        elements = [Plain(builder, value) for value in tensors]
        numbers = scalars_of(formula, [Plain(builder, value) for value in scalars])
        value = elements[0].lift(formula.function(*elements, *numbers))
        encoded = from_register(np.float32, out)(builder, value.value)
        return [encoded, near_midpoint(value, out, 0).value]

    return _traced(emit, (stored_type(out), types.boolean))


def elements_of(kinds: tuple[str, ...], values: list[ir.Value]) -> Iterator[list[ir.Value]]:
    """Yield the registers of each tensor: a double and, for int64, the remainder."""
    rest = iter(values)
    for kind in kinds:
        yield list(islice(rest, 2 if kind == "int64" else 1))


@cache
def rounding(
    formula: Formula,
    kinds: tuple[str, ...],
    out: str,
    *,
    wide: bool = False,
    quick: bool = False,
    floats: bool = False,
) -> Any:
    """Return ``function(tensors, scalars)`` that rounds the exact value to a type, if it can.

    Its results are the stored element and whether it may be another one. It takes the registers of
    `elements_of`, and computes with double-doubles if ``wide``, else with doubles; ``quick`` leaves
    more results open, most of them with ``floats``, for elements of the result's type of 16 bits.
    Otherwise only results of finite elements may be undecided; for others, what doubles give is the
    result, unless that is a float64 which they have rounded.
    """
    number: type[Ball] = PairBall if wide else Ball
    if formula.is_narrow((*kinds, out)):
        number = NarrowPairBall if wide else NarrowBall
        if quick:
            number = quickest(out)
            if floats:
                number = HalfBall if out == "float16" else FloatBall

    def emit(builder: ir.IRBuilder, tensors: Any, scalars: Any) -> list[ir.Value]:
        elements = [
            number.tensor(Register(builder, value), kind, *[Register(builder, x) for x in rest])
            for kind, (value, *rest) in zip(kinds, elements_of(kinds, tensors), strict=True)
        ]
        given = [Double(builder, value) for value in scalars]
        numbers = [number.scalar(x, narrowed=formula.narrows) for x in scalars_of(formula, given)]
        if formula.sized:
            numbers[-1] = number.count(given[-1])
        value = elements[0].lift(formula.function(*elements, *numbers)).whole()
        encoded, undecided = rounded(value, out)
        known: Truth = True
        rough: Truth = False
        for element in elements:
            if any([x is element.inputs[0] for x in value.inputs]):
                known = both(known, element.finite)
        if out == "float64":
            # double-doubles make NaN of infinite elements; results of narrower types are those of
            # doubles, which were tried before
            if isinstance(known, Condition):
                doubles = [Double(builder, value) for value, *_ in elements_of(kinds, tensors)]
                found = formula.function(*doubles, *scalars_of(formula, given))
                plain = Register(builder, doubles[0].lift(found).value)
                encoded = known.select(Register(builder, encoded), plain).value
                if value.inexact is not False:
                    rough = ~known & (abs(plain) > 0.0) & (abs(plain) < inf)
        if wide:
            # infinities of double-doubles cannot be trusted, nor can the sign of an inexact 0
            strange = both(value.inexact, ~(value.size > 0.0))
            undecided = either(undecided, either(strange, ~(value.size < inf)))
        if not quick:
            undecided = both(undecided, known)
        undecided = either(undecided, rough)
        never = ir.Constant(ir.IntType(1), 0)
        return [encoded, undecided.value if isinstance(undecided, Condition) else never]

    return _traced(emit, (stored_type(out), types.boolean))
