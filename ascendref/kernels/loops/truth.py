"""Correctly rounded results: the formula's exact value, rounded once.

Every element is computed in float64, with a relative error below 2**-50. If both ends of this
interval round to the same number of the result's type, that number is the result. This is Ziv's
test; about one in 2**25 F32 elements fails it. Those lie next to the midpoint of two neighbours,
and the operator's ``decide`` function determines exactly on which side, or that it is a tie, which
is rounded to even.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import FLOAT64, ElementType, float_format
from ...core.layout import Strides
from ..arithmetic.codecs import decoder, encoder, same
from ..arithmetic.formula import Formula
from ..arithmetic.math import bits32, is_near_middle_of_bfloat16, is_near_middle_of_float16
from ..compiler.jit import helper, inlined, merged, once_each, outlined
from ..runtime.array_header import EXACT_TASK
from ..runtime.kernel import Kernel, Piece
from ..runtime.launch import (
    FAILURE,
    NO_EXACT_TASK,
    OPERANDS,
    TABLE,
    Task,
    address,
    call_task,
    own_address,
    set_word,
    task_kernel,
)
from ..runtime.memory import poke, smaller, word, words
from .elementwise import ElementwiseKernel, elementwise

#: elements that are rounded again if one of them is undecided, by the result's type
_BLOCK: Final = {"float16": 512, "bfloat16": 512, "float32": 2048}

#: largest relative error of a formula's value
_RELATIVE: Final = 2.0**-50
_LARGEST: Final = np.finfo(np.float64).max
_NOTHING: Final = np.float64(0)


class HardCases(threading.local):
    """The number of elements that needed an exact decision, over all calls of a thread.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> from ascendref.kernels.loops.truth import hard_cases
    >>> x = np.float32(0.25)
    >>> before = hard_cases.count
    >>> ar.logit_grad(x, x, compute_dtype="float64") is not None, hard_cases.count - before
    (True, 0)
    """

    def __init__(self) -> None:
        self.count = 0


hard_cases: Final = HardCases()


def _counted(kernel: Callable[..., int], *operands: int) -> int:
    """Call a kernel and count the exact decisions that it returns."""
    found = kernel(*operands)
    hard_cases.count += max(found, 0)
    return found


@merged
def decide_exactly(arguments: int, start: int, stop: int) -> Any:
    """Leave a range to the exact task; return how many elements it decided.

    If the task is not loaded, the call fails and is repeated with it loaded.
    """
    exact_task = word(word(arguments, TABLE), EXACT_TASK)
    if exact_task == 0:
        set_word(arguments, FAILURE, NO_EXACT_TASK)
        return 0
    return call_task(exact_task, arguments, start, stop)


class ExactKernel(Kernel):
    """Base of the kernels with correctly rounded results.

    The code that decides the few roundings that float64 leaves undecided takes longer to compile
    than all the rest. It is a separate task, loaded at the first such element; the call then starts
    again, which is possible unless it has overwritten its input. Kernels return the number of
    elements that needed it, which is counted.
    """

    _table: NDArray[Any]

    @Piece
    def exact_task(self) -> Any:
        """The task that decides roundings that float64 leaves undecided."""
        return self._exact_task()

    def _exact_task(self) -> Any:
        """Compile, or load, the exact task."""
        raise NotImplementedError

    def load_exact_task(self) -> None:
        self._table[EXACT_TASK // 8] = address(self.exact_task)

    def _call(self, layout: str, *arguments: Any) -> int:
        return _counted(partial(super()._call, layout), *arguments)


class TruthKernel(ExactKernel, ElementwiseKernel):
    """Elementwise loops with Ziv's test.

    Parameters
    ----------
    formula : Formula
        The formula; it has a ``truth``.
    inputs : tuple of ElementType
        Types of the tensors.
    out : ElementType
        Type to which the result is rounded, narrower than F64.
    """

    def __init__(self, formula: Formula, inputs: tuple[ElementType, ...], out: ElementType) -> None:
        super().__init__(formula, inputs, out, out, "float64")
        assert formula.truth is not None
        self.element, self.prepare, self.decide = formula.truth

    def tiled(
        self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...], in_place: bool = False
    ) -> None:
        if in_place:
            self.load_exact_task()
        super().tiled(operands, scalars, in_place)

    def bind(self, scalars: tuple[float, ...]) -> Callable[..., int]:
        return partial(_counted, super().bind(scalars))

    def bind_memory(self, scalars: tuple[float, ...]) -> Callable[..., int]:
        return partial(_counted, super().bind_memory(scalars))

    def like(
        self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...]
    ) -> Callable[..., int]:
        return partial(_counted, super().like(operands, scalars))

    def bind_strides(
        self, shape: tuple[int, ...], strides: tuple[Strides, ...], scalars: tuple[float, ...]
    ) -> Callable[..., int]:
        return partial(_counted, super().bind_strides(shape, strides, scalars))

    def _exact_task(self) -> Any:
        return task_kernel(self._make_exact_task, f"{self.name}_exactly", self.decide)

    def _make_task(self) -> Task:
        """Return the task that computes contiguous elements."""
        load, formula, scalars = self._load(), self._bound(self.element), self._scalars()
        out, size, block = self.out.name, self.out.storage.itemsize, _BLOCK[self.out.name]
        attempt, differ = _attempt(self.out), differ_in(self.out)
        encode, write = self._encoder(), poke(out, apart=True)
        addresses, out_at = words(len(self.inputs)), OPERANDS + 8 * len(self.inputs)

        @helper
        def attempt_all(tensors: Any, out: int, numbers: Any, first: int, last: int) -> int:
            """Round elements; return how many of them might be wrong."""
            outlined()
            suspects = 0
            for i in range(first, last):
                rounded, suspect = attempt(*formula(*load(tensors, i, 0), *numbers))
                write(out, i * size, rounded)
                suspects += suspect
            return suspects

        @helper
        def test_all(tensors: Any, out: int, numbers: Any, first: int, last: int) -> int:
            """Round elements to nearest; return how many of them fail the test."""
            outlined()
            failed = 0
            for i in range(first, last):
                value, exact = formula(*load(tensors, i, 0), *numbers)
                write(out, i * size, encode(value))
                failed += differ(value, _doubt(value, exact))
            return failed

        # in F32, a result may be wrong exactly if it fails the test
        sure = self.out.name == "float32"

        def task(arguments: int, start: int, stop: int) -> Any:
            if stop < start:
                return own_address()
            tensors, out = addresses(arguments + OPERANDS), word(arguments, out_at)
            numbers = scalars(arguments)
            hard = 0
            for first in range(start, stop, block):
                last = smaller(stop, first + block)
                failed = attempt_all(tensors, out, numbers, first, last)
                if failed and not sure:
                    failed = test_all(tensors, out, numbers, first, last)
                if failed:
                    hard += decide_exactly(arguments, first, last)
            return hard

        return task

    def _make_exact_task(self) -> Task:
        """Return the task that rounds the elements which fail the test."""
        load, formula, scalars = self._load(), self._bound(self.element), self._scalars()
        decide, differ = self._bound(self.decide), differ_in(self.out)
        neighbours = _neighbours(self.out)
        encode, write = self._encoder(), poke(self.out.name, apart=True)
        size = self.out.storage.itemsize
        addresses, out_at = words(len(self.inputs)), OPERANDS + 8 * len(self.inputs)

        def task(arguments: int, start: int, stop: int) -> Any:
            if stop < start:
                return own_address()
            tensors, out = addresses(arguments + OPERANDS), word(arguments, out_at)
            numbers = scalars(arguments)
            hard = 0
            for i in range(start, stop):
                value, exact = formula(*load(tensors, i, 0), *numbers)
                error = _doubt(value, exact)
                if differ(value, error):
                    low, high, middle = neighbours(value, error)
                    side = decide(middle, *load(tensors, i, 0), *numbers)
                    write(out, i * size, encode(high if side > 0 else low if side < 0 else middle))
                    hard += 1
            return hard

        return task


def differ_in(out: ElementType) -> Any:
    """Return the function that tells whether a value's error leaves its rounding undecided."""
    encode = encoder("float64", out.name, out.name)
    zero = np.float64(0)
    bits = bits32 if out.name == "float32" else same

    @inlined
    def differ(value: Any, error: Any) -> Any:
        # without an error, a sum would lose the sign of -0
        ends = bits(encode(value - error)) != bits(encode(value + error))
        return ends & (error != zero)

    return differ


@inlined
def _doubt(value: Any, exact: Any) -> Any:
    """Return the error bound of a value; finite."""
    error = abs(value) * _RELATIVE
    return _NOTHING if exact else error if error < _LARGEST else _LARGEST


def _attempt(out: ElementType) -> Any:
    """Return the function that rounds a value and tells whether the result may be wrong.

    For F16 and BF16 it is faster to look for a nearby midpoint than to round both ends, though it
    reports more elements than necessary. BF16's midpoints are F32 numbers, subnormal ones included;
    the first rounding to F32 matters only next to them.
    """
    encode, differ = encoder("float64", out.name, out.name), differ_in(out)

    if out.name == "float32":

        @inlined
        def attempt(value: Any, exact: Any) -> Any:
            error = _doubt(value, exact)
            return encode(value - error), differ(value, error)

    elif out.name == "float16":

        @inlined
        def attempt(value: Any, exact: Any) -> Any:
            return encode(value), is_near_middle_of_float16(value) & (not exact)

    else:
        narrow = encoder("float32", "bfloat16", "bfloat16")

        @inlined
        def attempt(value: Any, exact: Any) -> Any:
            close = np.float32(value)
            exact = exact & (np.float64(close) == value)
            return narrow(close), is_near_middle_of_bfloat16(close) & (not exact)

    return attempt


def _neighbours(out: ElementType) -> Any:
    """Return the function that gives the neighbours on both sides of a value, and their midpoint.

    The largest number is followed by the next power of two, which becomes infinity.
    """
    encode, decode = encoder("float64", out.name, out.name), decoder(out.name, "float64")
    beyond = np.float64(float_format(out).beyond)
    half = np.float64(0.5)

    @helper
    def neighbours(value: Any, error: Any) -> Any:
        low = max(decode(encode(value - error)), -beyond)
        high = min(decode(encode(value + error)), beyond)
        return low, high, half * low + half * high

    return neighbours


@once_each
def true_elementwise(
    formula: Formula, inputs: tuple[ElementType, ...], out: ElementType
) -> ElementwiseKernel:
    """Return the kernel with correctly rounded results for a formula and its types."""
    if formula.truth is not None and out is not FLOAT64:
        return TruthKernel(formula, inputs, out)
    selects = formula.selects and not any(kind.name in ("float64", "int64") for kind in inputs)
    return elementwise(formula, inputs, out, out, "float32" if selects else "float64")
