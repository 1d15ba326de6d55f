"""The loop of a formula over contiguous elements, compiled once for its types and compute type.

Kernels pass elements to it (``elementwise.py``), those of other types or layouts through buffers.
"""

from typing import Any, Final

from ...core.dtypes import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, ElementType
from ..arithmetic.codecs import REMAINDER, decoding, encoder
from ..arithmetic.formula import Formula
from ..compiler.jit import Once, once_each
from ..compiler.target import HAS_WIDE_VECTORS
from ..runtime.launch import Task, task_kernel
from .contiguous import (
    element_writer,
    in_pairs,
    one_at_a_time,
    pair_writer,
    past_caches,
    scalar_reader,
    through_caches,
)
from .elements import Read, loader, pair_loader

#: elements of a row from which compute-bound rows need no buffers (measured): of the loop for one
#: number at a time, and for two, which loads more constants
_ROWS: Final = 64, 256


class FormulaLoop:
    """The loop of one formula; its result is rounded to a type.

    The compute type "exact" is integer arithmetic, for tensors of one integer type.
    """

    def __init__(
        self, formula: Formula, inputs: tuple[ElementType, ...], result: ElementType, compute: str
    ) -> None:
        self.formula, self.inputs, self.result, self.compute = formula, inputs, result, compute
        #: whether it computes for longer than it reads and writes
        self.compute_bound = formula.compute_bound
        #: elements of a row from which the task takes several rows at once; 0 if it takes one
        self.takes_rows = _ROWS[self._pairs_numbers] if formula.compute_bound else 0
        kinds = *[kind.name for kind in inputs], "to", result.name
        self.name = "_".join((formula.name, *kinds, "in", compute))

    @property
    def looks_up(self) -> bool:
        """Whether results of large arrays are looked up (``lookup.py``).

        Vectors of 512 bits compute them in F32 in the time of a lookup.
        """
        is_of_one = len(self.inputs) == 1 and self.inputs[0] in (FLOAT16, BFLOAT16)
        is_fast = not self.compute_bound or (self.compute == "float32" and HAS_WIDE_VECTORS)
        return is_of_one and not self.formula.sized and not is_fast

    @Once
    def task(self) -> Any:
        return task_kernel(self._make_task, self.name, self.formula.function)

    def _make_task(self) -> Task:
        count, size = len(self.inputs), self.result.storage.itemsize
        loop = self._loop()
        # non-temporal stores gain nothing for a compute-bound formula
        if self.compute_bound:
            operands = count + self.formula.results
            # a loop over two numbers at a time takes no short rows
            vectors = 4 if self._pairs_numbers else self.formula.vectors
            return through_caches(loop, self._scalars(), operands, vectors)
        return past_caches(loop, self._scalars(), count, size)

    @property
    def _in_pairs(self) -> bool:
        """Whether numbers are sums of two doubles, which hold all of int64."""
        return self.compute == "float64" and not self.formula.selects

    @property
    def _pairs_numbers(self) -> bool:
        """Whether two BF16 numbers are processed at a time."""
        return {*self.inputs, self.result} == {BFLOAT16} and self.compute == "float32"

    def _loop(self) -> Any:
        load, formula = self._load(), self._evaluator()
        numbers = len(self.inputs), self.formula.results
        write = element_writer(self._encoder(), self.result.name, *numbers)
        if self._pairs_numbers:
            pairs = pair_loader(len(self.inputs)), formula, write, pair_writer(*numbers)
            return in_pairs(load, *pairs)
        return one_at_a_time(load, formula, write, self.result.storage.itemsize)

    def _load(self, compute: str | None = None) -> Any:
        """Return the function that reads elements, as registers of a compute type or the loop's."""
        reads = []
        for k, kind in enumerate(self.inputs):
            size = kind.storage.itemsize
            reads.append(Read(k, decoding(kind.name, compute or self.compute), size))
            if kind.name == "int64" and self._in_pairs:
                reads.append(Read(k, REMAINDER, size))
        return loader(tuple(reads), selects=self.formula.selects)

    def _encoder(self) -> Any:
        return encoder(self.compute, self.result.name)

    def _scalars(self) -> Any:
        return scalar_reader(self.formula.scalars, sized=self.formula.sized)

    def _evaluator(self) -> Any:
        # needed for compiling, not for loading
        from ..arithmetic.evaluation import evaluator, integer_evaluator, pair_evaluator

        if self.compute == "exact":
            return integer_evaluator(self.formula, self.inputs[0].name)
        if self._in_pairs:
            return pair_evaluator(self.formula, tuple([kind.name for kind in self.inputs]))
        return evaluator(self.formula, self.compute, self.result.name)


def read_types(inputs: tuple[ElementType, ...]) -> tuple[ElementType, ...]:
    """Return the types in which a loop reads tensors: their own if they share one.

    Else F32 or F64, whichever holds all numbers, but INT64 as it is: no float type holds it.
    """
    names = {kind.name for kind in inputs}
    if len(names) == 1:
        return inputs
    common = FLOAT64 if names & {"float64", "int32"} else FLOAT32
    return tuple([kind if kind.name == "int64" else common for kind in inputs])


@once_each
def formula_loop(
    formula: Formula, inputs: tuple[ElementType, ...], result: ElementType, compute: str
) -> FormulaLoop:
    return FormulaLoop(formula, inputs, result, compute)
