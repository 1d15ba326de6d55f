"""Reductions: the sum, or the mean, of an elementwise term, over all elements or per channel.

An elementwise result may be computed in the same pass. The bits of a sum (except for a NaN's
payload and sign) depend only on its terms and their number, not on threads, chunks or strides:

- The terms of a channel are numbered in C order. Block b holds terms 1024 b … 1024 b + 1023.
- Inside a block, sixteen running sums start at −0, the neutral element of addition. Term k is added
  to sum k mod 16, and the sixteen are reduced by repeatedly adding the upper half to the lower.
- Blocks are then added in pairs, neighbours first; an odd last one moves up unchanged.
- Every addition is rounded to the compute type. A mean divides the sum by the number of terms and
  rounds once more.

Correctly rounded results are the exact sum, or the exact mean, rounded once (``exact_sums.py``).

An operator declares a reduction by its term (`Reduction` in ``declaration/fields.py``), a loss by
its elementwise formula (``operators/loss/mse.py``). ``factors`` gives numbers whose products, in
pairs, add up to the term exactly. Without it, a correctly rounded sum adds double-doubles with
their error bounds, and a rounding that these leave open is decided in Python. Sums of narrow types
are first formed from doubles, which decide nearly all roundings. `prelu_backward` sums per channel,
beside its first result.
"""

import ctypes
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import FLOAT64, ROUNDED_ONCE, ElementType
from ..arithmetic.exact import Exact, Undecided, decide, exact
from ..arithmetic.exact_sum import POINT, RECORD, ExactSum
from ..arithmetic.formula import Formula
from ..compiler.jit import Once, once_each
from ..runtime.array_header import PYTHON_TASK
from ..runtime.kernel import Piece
from ..runtime.launch import Task
from .exact_kernel import ExactKernel, PythonTask, element_at
from .exact_sums import NUMBERS, exact_sums, quick_sums, settler
from .integer_sums import OPEN, exact_attempt, exact_task, no_attempt, record_finisher
from .reduction_kernel import ReductionKernel
from .reduction_loops import total_task
from .running_sums import RunningSums


class ExactReductionKernel(ExactKernel, ReductionKernel):
    """Sums that are rounded once; the elementwise result is computed in float64."""

    numbers = NUMBERS

    def __init__(self, *description: Any, **options: Any) -> None:
        super().__init__(*description, **options)
        #: address of a record -> numbers of the terms that are still to be added to it
        self._open: defaultdict[int, list[tuple[float, ...]]] = defaultdict(list)
        self._python_task = PythonTask(self._decide)
        self._table[PYTHON_TASK // 8] = self._python_task.address

    def __call__(
        self,
        arrays: tuple[NDArray[Any], ...],
        scalars: Sequence[float] = (),
        in_place: bool = False,
        scratch: NDArray[np.uint8] | None = None,
    ) -> None:
        if in_place:
            # a decision may read all terms again, when results have been written
            inputs = self._formula.tensors
            arrays = (*[array.copy() for array in arrays[:inputs]], *arrays[inputs:])
        super().__call__(arrays, scalars, False, scratch)

    def partial_sums(self, arrays: tuple[NDArray[Any], ...], scalars: Sequence[float] = ()) -> Any:
        """Compute the elementwise result, if any, and return the `ExactSum` of each channel."""
        plan, _, kept = self._kept(arrays, scalars, RECORD, "record")
        records = kept.view(np.int64).reshape(plan.channels, RECORD)
        return [ExactSum.of_record(record).plus(self._open_sum(record)) for record in records]

    def _open_sum(self, record: NDArray[np.int64]) -> ExactSum:
        terms = self._open.pop(record.ctypes.data, [])
        for bits in [256 << k for k in range(6)]:
            with suppress(Undecided):
                return ExactSum.of_terms(self.term.function, terms, bits)
        return ExactSum.of_terms(self.term.function, terms, 256 << 6)

    @Piece
    def record_task(self) -> Any:
        def make() -> Task:
            finish = record_finisher(self._parts, self.term, self.result)
            return total_task(finish, self._parts.pointer)

        return self._task("record", make)

    @Piece
    def exact_task(self) -> Any:
        def make() -> Task:
            given = self._parts, self.term, self.result, self._sums_at, self._attempt()
            return exact_task(*given, mean=self._mean)

        return self._task("exactly", make)

    def _decide(self, record: int, at: int, count: int) -> None:
        """Note an open term of a record, or round the sum of all its terms to a result."""
        if count == OPEN:
            self._open[record].append(self._numbers(at))
            return
        words = np.ctypeslib.as_array((ctypes.c_int64 * RECORD).from_address(record))
        terms, total = self._open.pop(record, []), ExactSum.of_record(words)
        result = element_at(at, self.out)
        if not terms or total.special:
            result[...] = total.rounded(self.out.name, count)
            return

        def value(start: Exact) -> Exact:
            for term in terms:
                start += self.term.function(*[exact(x, start.bits) for x in term])
            return start / count

        start = Fraction(total.total, 2**POINT)
        result[...] = decide(value, (start,), (), self.out.name)
        terms.clear()  # the cache of decisions keeps this function

    def _numbers(self, at: int) -> tuple[float, ...]:
        """Return a term's elements and scalars, which are in memory, as its formula takes them."""
        tensors, scalars = self.term.tensors, self.term.scalars
        given = [*(ctypes.c_double * (tensors + scalars)).from_address(at)]
        if self.term.narrows:
            given[tensors:] = [ctypes.c_float(number).value for number in given[tensors:]]
        return tuple(given)

    def _attempt(self) -> Any:
        """Return what may still decide a sum that the running sums left open."""
        return no_attempt

    @Once
    def _settle(self) -> Any:
        return settler(self.out, self._sums_at, mean=self._mean)

    @Once
    def _sums(self) -> RunningSums:
        return exact_sums(self.term, self.result, self._settle)


class QuickReductionKernel(ExactReductionKernel):
    """The same with a quick first attempt."""

    def __init__(self, *description: Any, **options: Any) -> None:
        super().__init__(*description, **options)
        self.name += "_quickly"
        self._exact = partial(_once, ExactReductionKernel, *description, **options)

    def partial_sums(self, arrays: tuple[NDArray[Any], ...], scalars: Sequence[float] = ()) -> Any:
        return self._exact().partial_sums(arrays, scalars)

    def _attempt(self) -> Any:
        return exact_attempt(self._parts, self.term, self.result, self._settle)

    @Once
    def _sums(self) -> RunningSums:
        return quick_sums(self.term, self.result, self._settle)


def reduction(
    term: Formula,
    element: Formula | None,
    inputs: tuple[ElementType, ...],
    kind: ElementType,
    out: ElementType,
    compute: str,
    *,
    weighted: bool = False,
    mean: bool = False,
    stored: bool = False,
) -> ReductionKernel:
    """Return the kernel of a sum; in F64 arithmetic, sums are rounded once, to ``out``."""
    stored &= kind.name != compute  # the terms have that type anyway
    made, held = ReductionKernel, compute
    if compute in ROUNDED_ONCE:
        made, held = ExactReductionKernel, FLOAT64.name
        if term.is_narrow((kind.name, out.name)):
            made = QuickReductionKernel
    types = inputs, kind, out, held
    return _once(made, term, element, *types, weighted=weighted, mean=mean, stored=stored)


@once_each
def _once(made: Callable[..., ReductionKernel], *given: Any, **options: bool) -> ReductionKernel:
    return made(*given, **options)
