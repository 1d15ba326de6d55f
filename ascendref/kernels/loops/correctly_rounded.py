"""Correctly rounded results: the formula's exact value, rounded once.

Every element is computed with an error bound (``ball.py``). If both ends of this interval round to
the same number of the result's type, that number is the result. This is Ziv's test, in three
stages: with doubles, which leave some 1 in 10 million F32 elements open; with double-doubles; and
at last in Python, with fractions, which decide ties (``exact.py``).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import FLOAT64, ElementType
from ...core.layout import Strides
from ..arithmetic.formula import Formula
from ..compiler.jit import helper, once_each, outlined
from ..runtime.array_header import PYTHON_TASK
from ..runtime.launch import (
    FAILED_IN_PYTHON,
    FAILURE,
    NUMBERS,
    OPERANDS,
    SIZE,
    TABLE,
    Task,
    call_task,
    own_address,
    task_kernel,
)
from ..runtime.memory import poke, smaller, word, words
from .elementwise import ElementwiseKernel, elementwise
from .exact_kernel import ExactKernel, counted, decide_exactly

#: elements that are rounded again if one of them is undecided, by the result's type
_BLOCK: Final = {"float16": 512, "bfloat16": 512, "float32": 2048, "float64": 512}


class RoundedKernel(ExactKernel, ElementwiseKernel):
    """Elementwise loops with Ziv's test.

    Parameters
    ----------
    formula : Formula
        The formula.
    inputs : tuple of ElementType
        Types of the tensors.
    out : ElementType
        Type to which the result is rounded.
    """

    def __init__(self, formula: Formula, inputs: tuple[ElementType, ...], out: ElementType) -> None:
        super().__init__(formula, inputs, out, out, "float64")
        self.name += "_rounded_once"
        self._errors: list[BaseException] = []
        self._python_task = _TASK(self._decide)
        self._table[PYTHON_TASK // 8] = ctypes.cast(self._python_task, ctypes.c_void_p).value

    def tiled(
        self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...], in_place: bool = False
    ) -> None:
        if in_place:
            self.load_exact_task()
        super().tiled(operands, scalars, in_place)

    def bind(self, scalars: tuple[float, ...]) -> Callable[..., int]:
        return partial(counted, super().bind(scalars))

    def bind_memory(self, scalars: tuple[float, ...]) -> Callable[..., int]:
        return partial(counted, super().bind_memory(scalars))

    def like(
        self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...]
    ) -> Callable[..., int]:
        return partial(counted, super().like(operands, scalars))

    def bind_strides(
        self, shape: tuple[int, ...], strides: tuple[Strides, ...], scalars: tuple[float, ...]
    ) -> Callable[..., int]:
        return partial(counted, super().bind_strides(shape, strides, scalars))

    def _exact_task(self) -> Any:
        return task_kernel(self._make_exact_task, f"{self.name}_exactly", self.formula.function)

    def _rounding(self, *, wide: bool, finite: bool) -> Any:
        """Return the function that gives a result and whether it is undecided."""
        from ..arithmetic.evaluation import rounding  # needed for compiling, not for loading

        kinds = tuple([kind.name for kind in self.inputs])
        wide |= self.out is FLOAT64
        return rounding(self.formula, kinds, self.out.name, wide=wide, finite=finite)

    def _make_task(self) -> Task:
        """Return the task that computes contiguous elements."""
        load, scalars = self._load(), self._scalars()
        size, block = self.out.storage.itemsize, _BLOCK[self.out.name]
        attempt = self._rounding(wide=False, finite=False)
        write = poke(self.out.name, apart=True)
        addresses, out_at = words(len(self.inputs)), OPERANDS + 8 * len(self.inputs)

        @helper
        def attempt_all(tensors: Any, out: int, numbers: Any, first: int, last: int) -> int:
            """Round elements; return how many of them are undecided."""
            outlined()
            undecided = 0
            for i in range(first, last):
                rounded, suspect = attempt(load(tensors, i, 0), numbers)
                write(out, i * size, rounded)
                undecided += suspect
            return undecided

        def task(arguments: int, start: int, stop: int) -> Any:
            if stop < start:
                return own_address()
            tensors, out = addresses(arguments + OPERANDS), word(arguments, out_at)
            numbers = scalars(arguments)
            hard = 0
            for first in range(start, stop, block):
                last = smaller(stop, first + block)
                if attempt_all(tensors, out, numbers, first, last):
                    hard += decide_exactly(arguments, first, last)
            return hard

        return task

    def _make_exact_task(self) -> Task:
        """Return the task that decides what a range of elements left open."""
        load, scalars = self._load(), self._scalars()
        first_attempt = self._rounding(wide=False, finite=True)
        attempt = self._rounding(wide=True, finite=True)
        write, size = poke(self.out.name, apart=True), self.out.storage.itemsize
        addresses, out_at = words(len(self.inputs)), OPERANDS + 8 * len(self.inputs)

        def task(arguments: int, start: int, stop: int) -> Any:
            if stop < start:
                return own_address()
            tensors, out = addresses(arguments + OPERANDS), word(arguments, out_at)
            numbers = scalars(arguments)
            python_task = word(word(arguments, TABLE), PYTHON_TASK)
            hard = 0
            for i in range(start, stop):
                elements = load(tensors, i, 0)
                if first_attempt(elements, numbers)[1]:
                    rounded, suspect = attempt(elements, numbers)
                    if suspect:
                        call_task(python_task, arguments, i, i + 1)
                    else:
                        write(out, i * size, rounded)
                    hard += 1
            return hard

        return task

    def _decide(self, arguments: int, start: int, stop: int) -> int:
        """Decide elements in Python: a task for compiled code to call."""
        try:
            self._decide_each(arguments, range(start, stop))
        except BaseException as error:  # raised again when the kernel has returned
            self._errors.append(error)
            ctypes.c_int64.from_address(arguments + FAILURE).value = FAILED_IN_PYTHON
        return 0

    def _decide_each(self, arguments: int, elements: range) -> None:
        from ..arithmetic.exact import decide  # hardly ever needed

        formula, kinds = self.formula, (*self.inputs, self.out)
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
        for i in elements:
            *tensors, result = [
                element_at(at + i * kind.storage.itemsize, kind)
                for at, kind in zip(operands, kinds, strict=True)
            ]
            numbers_of = tuple([array.item() for array in tensors])
            result[...] = decide(formula.function, numbers_of, tuple(scalars), self.out.name)

    def raise_error(self) -> None:
        """Raise what went wrong in Python while compiled code was running."""
        raise self._errors.pop()


_TASK: Final = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 3)


def word_at(address: int) -> int:
    """Return a word in memory."""
    return ctypes.c_int64.from_address(address).value


def element_at(address: int, kind: ElementType) -> NDArray[Any]:
    """Return an element in memory, as an array of rank 0."""
    memory = (ctypes.c_char * kind.storage.itemsize).from_address(address)
    return np.ndarray((), kind.numpy, memoryview(memory))


@once_each
def rounded_elementwise(
    formula: Formula, inputs: tuple[ElementType, ...], out: ElementType, compute: str
) -> ElementwiseKernel:
    """Return the kernel with correctly rounded results for a formula and its types.

    In F64 arithmetic, F64 results are within 0.75 ulp; those of "exact" are correctly rounded.
    """
    if formula.selects and not any(kind.name in ("float64", "int64") for kind in inputs):
        return elementwise(formula, inputs, out, out, "float32")
    if (out is FLOAT64 and compute == FLOAT64.name) or formula.selects:
        return elementwise(formula, inputs, out, out, "float64")
    return RoundedKernel(formula, inputs, out)
