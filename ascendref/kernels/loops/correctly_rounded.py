"""Correctly rounded results: the formula's exact value, rounded once.

Every element is computed with an error bound (``ball.py``). If both ends of this interval round to
the same number of the result's type, that number is the result. This is Ziv's test, in stages: for
types of 16 bits, with floats (``float_ball.py``), which leave up to 1 in 100 elements open, and so
their block; with doubles and functions of few digits (``quick.py``), which leave ties, infinities
and some 1 in 100 thousand other F32 elements open; with precise functions, 1 in 10 million; with
double-doubles; and at last in Python, with fractions, which decide ties (``exact.py``).
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, ElementType
from ..arithmetic.formula import Formula
from ..compiler.jit import Once, helper, interleaved, once_each, outlined
from ..compiler.target import HAS_WIDE_VECTORS
from ..runtime.array_header import PYTHON_TASK
from ..runtime.kernel import Piece
from ..runtime.launch import (
    FAILURE,
    NUMBERS,
    OPERANDS,
    SIZE,
    TABLE,
    Task,
    call_task,
    own_address,
    set_word,
    task_kernel,
)
from ..runtime.memory import peek, poke, smaller, word, words
from ..runtime.nontemporal import LINE, line_buffer
from .elementwise import ElementwiseKernel, elementwise
from .exact_kernel import ExactKernel, PythonTask, decide_exactly, element_at
from .formula_loop import FormulaLoop, read_types

#: blocks in a row that the quick attempt leaves open, after which a task makes it no more; the one
#: with floats ends as soon as it has left so many more blocks open than not
_MOST_WASTED: Final = 8
#: elements of a block, which is rounded again if the quick attempt leaves it open, by result type
_BLOCK: Final = {"float16": 128, "bfloat16": 128, "float32": 256, "float64": 512}


class RoundedLoop(FormulaLoop):
    """A loop with Ziv's test."""

    def __init__(
        self, formula: Formula, inputs: tuple[ElementType, ...], result: ElementType
    ) -> None:
        super().__init__(formula, inputs, result, "float64")
        self.name += "_rounded_once"
        self.compute_bound, self.takes_rows = True, 0
        #: the last stage, for compiled code to call
        self.python_task = PythonTask(self._decide)

    @Once
    def exact_task(self) -> Any:
        return task_kernel(self._make_exact_task, f"{self.name}_exactly", self.formula.function)

    @property
    def _has_floats(self) -> bool:
        """Whether there is an attempt with floats."""
        kinds = {*self.inputs, self.result}
        return kinds in ({FLOAT16}, {BFLOAT16}) and self.formula.narrows

    @property
    def looks_up(self) -> bool:
        """Whether results of large arrays are looked up, unless floats have them as they are."""
        is_fast = self._has_floats and self.formula.is_one_operation and HAS_WIDE_VECTORS
        return super().looks_up and not is_fast

    def _rounding(self, *, wide: bool = False, quick: bool = False, floats: bool = False) -> Any:
        """Return the function that gives a result and whether it is undecided."""
        from ..arithmetic.evaluation import rounding  # needed for compiling, not for loading

        kinds = tuple([kind.name for kind in self.inputs])
        wide |= self.result is FLOAT64
        options = {"wide": wide, "quick": quick, "floats": floats}
        return rounding(self.formula, kinds, self.result.name, **options)

    def _rounding_in_floats(self) -> Any:
        from ..arithmetic.evaluation import rounding_of_one_operation

        if self.formula.is_one_operation:
            return rounding_of_one_operation(self.formula, self.result.name)
        return self._rounding(quick=True, floats=True)

    def _make_task(self) -> Task:
        load, scalars = self._load(), self._scalars()
        size, block = self.result.storage.itemsize, _BLOCK[self.result.name]
        attempt = self._rounding()
        write = poke(self.result.name, apart=True)
        mark, marked = poke("bool", apart=True), peek("bool")
        marks_of_block = line_buffer(block // LINE)
        addresses, out_at = words(len(self.inputs)), OPERANDS + 8 * len(self.inputs)
        has_quick = self.result is not FLOAT64  # its numbers have as many digits as doubles
        has_floats = self._has_floats
        # LLVM interleaves loops of F32 by itself
        finish = interleaved(2 if has_floats else 0)

        def quickly(rounding: Any, load: Any) -> Any:
            @helper
            def attempt_quickly(tensors: Any, out: int, numbers: Any, first: int, last: int) -> Any:
                """Round elements; tell whether there are any that are undecided."""
                outlined()
                undecided = False
                for i in range(first, last):
                    rounded, suspect = rounding(load(tensors, i, 0), numbers)
                    write(out, i * size, rounded)
                    undecided |= suspect
                finish()
                return undecided

            return attempt_quickly

        attempt_quickly = quickly(self._rounding(quick=True) if has_quick else attempt, load)
        attempt_in_floats = attempt_quickly
        if has_floats:
            attempt_in_floats = quickly(self._rounding_in_floats(), self._load("float32"))

        @helper
        def attempt_all(
            tensors: Any, out: int, numbers: Any, first: int, last: int, marks: int
        ) -> Any:
            """Do the same precisely, and mark those that are undecided."""
            outlined()
            undecided = False
            for i in range(first, last):
                rounded, suspect = attempt(load(tensors, i, 0), numbers)
                write(out, i * size, rounded)
                mark(marks, i - first, suspect)
                undecided |= suspect
            return undecided

        def task(arguments: int, start: int, stop: int) -> Any:
            if stop < start:
                return own_address()
            tensors, out = addresses(arguments + OPERANDS), word(arguments, out_at)
            numbers, marks = scalars(arguments), marks_of_block()
            hard = wasted = in_vain = 0
            for first in range(start, stop, block):
                last = smaller(stop, first + block)
                if has_floats and in_vain < _MOST_WASTED:
                    if not attempt_in_floats(tensors, out, numbers, first, last):
                        in_vain -= in_vain > 0
                        continue
                    in_vain += 1
                if has_quick and wasted < _MOST_WASTED:
                    if not attempt_quickly(tensors, out, numbers, first, last):
                        wasted = 0
                        continue
                    wasted += 1
                if attempt_all(tensors, out, numbers, first, last, marks):
                    for i in range(first, last):
                        if marked(marks, i - first):
                            hard += decide_exactly(arguments, i, i + 1)
            return hard

        return task

    def _make_exact_task(self) -> Task:
        load, scalars = self._load(), self._scalars()
        attempt = self._rounding(wide=True)
        write, size = poke(self.result.name, apart=True), self.result.storage.itemsize
        addresses, out_at = words(len(self.inputs)), OPERANDS + 8 * len(self.inputs)

        def task(arguments: int, start: int, stop: int) -> Any:
            if stop < start:
                return own_address()
            tensors, out = addresses(arguments + OPERANDS), word(arguments, out_at)
            numbers = scalars(arguments)
            python_task = word(word(arguments, TABLE), PYTHON_TASK)
            for i in range(start, stop):
                rounded, suspect = attempt(load(tensors, i, 0), numbers)
                if suspect:
                    failed = call_task(python_task, arguments, i, 0)
                    if failed:
                        set_word(arguments, FAILURE, failed)
                else:
                    write(out, i * size, rounded)
            return stop - start

        return task

    def _decide(self, arguments: int, i: int, unused: int) -> None:
        """Decide an element in Python, by the address of a task's arguments."""
        from ..arithmetic.exact import decide  # hardly ever needed

        formula, kinds = self.formula, (*self.inputs, self.result)
        size, numbers = word_at(arguments + SIZE), word_at(arguments + NUMBERS)
        scalars: list[float] = [
            ctypes.c_double.from_address(numbers + 8 * k).value for k in range(formula.scalars)
        ]
        if formula.narrows:
            with np.errstate(over="ignore"):
                scalars = [float(np.float32(number)) for number in scalars]
        if formula.sized:
            scalars.append(size)
        operands = [word_at(arguments + OPERANDS + 8 * k) for k in range(len(kinds))]
        *tensors, result = [
            element_at(at + i * kind.storage.itemsize, kind)
            for at, kind in zip(operands, kinds, strict=True)
        ]
        numbers_of = tuple([array.item() for array in tensors])
        narrow = formula.is_narrow([kind.name for kind in kinds])
        result[...] = decide(
            formula.function, numbers_of, tuple(scalars), self.result.name, narrow=narrow
        )


class RoundedKernel(ExactKernel, ElementwiseKernel):
    loop: RoundedLoop

    def __init__(
        self, loop: RoundedLoop, inputs: tuple[ElementType, ...], out: ElementType
    ) -> None:
        super().__init__(loop, inputs, out)
        self._python_task = loop.python_task
        self._table[PYTHON_TASK // 8] = loop.python_task.address

    def tiled(
        self,
        operands: tuple[NDArray[Any], ...],
        scalars: tuple[float, ...],
        in_place: bool = False,
        size: int | None = None,
    ) -> None:
        if in_place:
            self.load_exact_task()
        super().tiled(operands, scalars, in_place, size)

    exact_task = Piece(lambda self: self.loop.exact_task)


@once_each
def rounded_loop(
    formula: Formula, inputs: tuple[ElementType, ...], result: ElementType
) -> RoundedLoop:
    return RoundedLoop(formula, inputs, result)


def word_at(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


@once_each
def rounded_elementwise(
    formula: Formula, inputs: tuple[ElementType, ...], out: ElementType, compute: str
) -> ElementwiseKernel:
    """Return the kernel with correctly rounded results for a formula and its types.

    In F64 arithmetic, F64 results are within 0.75 ulp; those of "exact" are correctly rounded.
    """
    if formula.selects and not any(kind.name in ("float64", "int64") for kind in inputs):
        return elementwise(formula, inputs, out, out, "float32")
    if formula.once and out is FLOAT32 and {FLOAT16, BFLOAT16, FLOAT32}.issuperset(inputs):
        once = formula._replace(name=f"{formula.name}_once", function=formula.once)
        return elementwise(once, inputs, out, out, "float32")
    if (out is FLOAT64 and compute == FLOAT64.name) or formula.selects:
        return elementwise(formula, inputs, out, out, "float64")
    return RoundedKernel(rounded_loop(formula, read_types(inputs), out), inputs, out)
