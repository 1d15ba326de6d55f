"""The base of reductions: sums that round every addition to the compute type."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import ElementType
from ...core.layout import broadcast_strides
from ...core.packing import pack_floats, pack_words
from ..arithmetic.codecs import REGISTER, decoder, decoding, encoder
from ..arithmetic.evaluation import evaluator
from ..arithmetic.formula import Formula
from ..compiler.jit import Once, inlined
from ..runtime.array_header import GATHER, SCATTER, Operand, operand_table
from ..runtime.kernel import Kernel, Piece
from ..runtime.launch import LAUNCHER, Task, Words, address, task_kernel
from .array_kernels import Origin, layout_check, layout_table
from .contiguous import scalar_reader
from .elements import Read, loader
from .reduction_launch import arrays_kernel, memory_kernel
from .reduction_loops import Parts, block_task, total_task
from .reduction_plan import BLOCK, Operands, ReductionPlan, contiguous_plan, reduction_plan
from .running_sums import TENSORS, RunningSums, rounded_sums
from .tiles import load_tile_copy

#: contiguous calls that a kernel keeps
_MOST_READY: Final = 1024


class ReductionKernel(Kernel):
    """A kernel of sums, with or without an elementwise result.

    Its operands are tensors, then the elementwise result, if any, and the sums. Terms are computed
    from the first tensors, the elementwise result from all. Tensors of other types than ``kind``,
    which holds all of their numbers, are converted tile by tile; results are rounded to it, and
    sums cast to ``out``. If ``weighted``, the sums are per channel (axis 1), and the last tensor
    has an element for each, in C order. If ``stored``, the terms are rounded to ``kind``
    before they are summed, as on a device that stores them in between.
    """

    #: numbers of a running sum
    numbers = 1

    def __init__(
        self,
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
    ) -> None:
        super().__init__()
        self.result, self.out, self.compute, self.weighted = kind, out, compute, weighted
        self._inputs, self._converts = inputs, any([given is not kind for given in inputs])
        self._mean, self._stored = mean, stored
        formulas = (term,) if element is None else (element, term)
        self._formula, self.element = formulas[0], element
        tensors = self._formula.tensors
        self.term = _of_all(term, tensors)
        self.register = REGISTER[compute]
        self._itemsize = kind.numpy.itemsize
        #: tensors and results that have the shape of the data
        self._full = tensors - weighted
        self._results = int(element is not None)
        flags = {"_mean": mean, "_stored": stored}
        types = *([given.name for given in inputs] if self._converts else []), kind.name
        casts = () if out is kind else ("as", out.name)
        self.name = "_".join((*[f.name for f in formulas], *types, "in", compute, *casts))
        self.name += "".join([flag for flag, holds in flags.items() if holds])
        operands = [Operand(given.numpy, held=kind.numpy) for given in inputs]
        operands += [Operand(given.numpy) for given in (*[kind] * self._results, out)]
        for k in (*[self._full] * weighted, -1):
            first = self._full if weighted else tensors + self._results
            operands[k] = operands[k]._replace(shape_of=first, highest_rank=1)
        for k in range(tensors, len(operands)):
            operands[k] = operands[k]._replace(result=True)
        self._table = operand_table(tuple(operands))
        #: address of the table of operands
        self.table: int = self._table.ctypes.data
        self._words: dict[tuple[str, str | None], Words] = {}
        #: what calls on contiguous arrays need, by shape and number of channels
        self._ready: dict[tuple[tuple[int, ...], int], tuple[int, int, int, ReductionPlan]] = {}

    def __call__(
        self,
        arrays: tuple[NDArray[Any], ...],
        scalars: Sequence[float] = (),
        in_place: bool = False,
        scratch: NDArray[np.uint8] | None = None,
    ) -> None:
        """Compute the elementwise result, if any, and the sums, one per channel.

        The tensors, apart from the weight, broadcast to the shape of the data. ``in_place`` tells
        whether a result is the same view as an input; no other may overlap one. ``scratch`` is
        memory for partial sums, aligned for the compute type.
        """
        numbers = pack_floats(*scalars)
        if self.are_contiguous(arrays, in_place) and self.dense(arrays, numbers, scratch):
            return
        plan = self._plan(arrays, in_place)
        addresses = tuple([array.ctypes.data for array in arrays])
        partial = self._partial(self._room(plan, in_place), scratch)
        self._compute(plan, addresses, numbers, partial)

    def dense(
        self,
        arrays: tuple[Any, ...],
        numbers: bytes = b"",
        scratch: NDArray[np.uint8] | None = None,
    ) -> bool:
        """Compute with contiguous tensors of one shape, whose weight has one element per channel.

        The scalars are packed. Return False, with nothing done, for other operands. Only the first
        tensor and the weight must be arrays; the others may be any objects.
        """
        key = arrays[0].shape, self._channels(arrays)
        ready = self._ready.get(key)
        if ready is None:
            plan = self.contiguous_plan(*key)
            room = self._room(plan, False)
            if len(self._ready) >= _MOST_READY:
                self._ready.clear()
            fixed = self._fixed(plan.layout, "total" if room else None)
            ready = self._ready[key] = fixed, plan.address, room, plan
        fixed, plan_at, room, _ = ready
        kept = self._partial(room, scratch) if room else None
        partial = 0 if kept is None else id(kept)
        done = self._call(self.arrays_kernel, fixed, plan_at, partial, id(numbers), id(arrays))
        return done >= 0

    def like(self, arrays: tuple[NDArray[Any], ...]) -> Callable[[tuple[Any, ...], bytes], bool]:
        """Return what computes with operands of this layout, which may be any objects.

        If there are two results, these must be new arrays.
        """
        plan = self._plan(arrays, False)
        if plan.copies:
            _ = self.tile_copies
        room = self._room(plan, False)
        layout = layout_table(arrays, tuple(map(Origin, range(len(arrays)))))
        check = layout.ctypes.data, address(self.layout_check)
        fixed = self._arguments(plan.layout, "total" if room else None, *check, memory=layout)

        def compute(arrays: tuple[Any, ...], numbers: bytes) -> bool:
            kept = self._partial(room, None)
            partial = 0 if kept is None else id(kept)
            given = partial, id(numbers), id(arrays)
            return self._call(self.arrays_kernel, fixed.address, plan.address, *given) >= 0

        return compute

    def in_memory(
        self,
        addresses: tuple[int, ...],
        shape: tuple[int, ...],
        channels: int = 1,
        numbers: bytes = b"",
    ) -> None:
        """Compute with contiguous elements in memory; results must not overlap anything.

        ``shape`` is that of the data, not empty; the weight has ``channels`` elements.
        """
        plan = self.contiguous_plan(shape, channels)
        self._compute(plan, addresses, numbers, self._partial(self._room(plan, False), None))

    def partial_sums(self, arrays: tuple[NDArray[Any], ...], scalars: Sequence[float] = ()) -> Any:
        """Compute without the sums; return those of all blocks, an array of channels × blocks."""
        plan, sums, _ = self._kept(arrays, scalars, 0, None)
        return sums.reshape(plan.channels, plan.blocks)

    def _kept(
        self,
        arrays: tuple[NDArray[Any], ...],
        scalars: Sequence[float],
        more: int,
        total: str | None,
    ) -> tuple[ReductionPlan, NDArray[Any], NDArray[Any]]:
        """Compute; return the sums of blocks, and further numbers of each channel."""
        sums = np.empty(self._channels(arrays), self.out.numpy)  # for the plan, not written
        plan = self._plan((*arrays, sums), False)
        room = self._room(plan, True)
        partial: NDArray[Any] = np.empty(room + more * plan.channels, self.register)
        addresses = tuple([array.ctypes.data for array in (*arrays, sums)])
        self._compute(plan, addresses, pack_floats(*scalars), partial, total)
        return plan, partial[:room], partial[room:]

    def _compute(
        self,
        plan: ReductionPlan,
        addresses: tuple[int, ...],
        numbers: bytes,
        partial: NDArray[Any] | None,
        total: str | None = "total",
    ) -> None:
        """Compute with operands in memory, then run a task on the blocks' sums, if any."""
        if plan.copies:
            _ = self.tile_copies
        at = 0 if partial is None else partial.ctypes.data
        fixed = self._fixed(plan.layout, total if at else None)
        operands = pack_words(*addresses)
        self._call(self.memory_kernel, fixed, plan.address, at, id(numbers), id(operands))

    def are_contiguous(self, arrays: tuple[NDArray[Any], ...], in_place: bool) -> bool:
        """Tell whether the loops over contiguous operands are for these tensors and results."""
        shape = arrays[0].shape
        flags = [array.flags for array in arrays]
        return (
            not (in_place or self._converts)
            and all([array.shape == shape for array in self._full_of(arrays)])
            and all([flag.c_contiguous and flag.aligned for flag in flags])
        )

    def layout(self, arrays: tuple[NDArray[Any], ...], in_place: bool) -> str:
        """Return which loop is for these tensors and results, without reading elements."""
        if self.are_contiguous(arrays, in_place):
            return self.contiguous_plan(arrays[0].shape, self._channels(arrays)).layout
        plan = self._plan(arrays, in_place)
        return f"{plan.layout}_copied" if plan.copies else f"{plan.layout}_in_memory"

    def contiguous_plan(self, shape: tuple[int, ...], channels: int) -> ReductionPlan:
        return contiguous_plan(shape, self._full + self._results, self._itemsize, channels)

    def partial_bytes(self, plan: ReductionPlan) -> int:
        return self._room(plan, False) * np.dtype(self.register).itemsize

    def _plan(self, arrays: tuple[NDArray[Any], ...], in_place: bool) -> ReductionPlan:
        full, channels, sums = self._full_of(arrays), self._channels(arrays), arrays[-1]
        shape = np.broadcast_shapes(*[array.shape for array in full])
        strides = tuple([broadcast_strides(a.shape, a.strides, shape) for a in full])
        weight = arrays[self._full] if self.weighted else sums
        return reduction_plan(
            Operands(
                shape,
                strides,
                self._itemsize,
                1 if channels > 1 else None,
                (weight.shape, weight.strides),
                sums.strides[0] if sums.ndim == 1 else 0,
                in_place or self._converts,
            )
        )

    def _full_of(self, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
        after = self._full + self.weighted
        return *arrays[: self._full], *arrays[after : after + self._results]

    def _channels(self, arrays: tuple[Any, ...]) -> int:
        return arrays[self._full].size if self.weighted else 1

    def _room(self, plan: ReductionPlan, kept: bool) -> int:
        """Return how many numbers the blocks' sums are.

        Those of a single block need no memory, unless they are kept.
        """
        return self.numbers * plan.channels * plan.blocks if plan.blocks > 1 or kept else 0

    def _partial(self, room: int, scratch: NDArray[np.uint8] | None) -> NDArray[Any] | None:
        if not room:
            return None
        if scratch is None:
            return np.empty(room, self.register)
        return scratch[: room * np.dtype(self.register).itemsize].view(self.register)

    def _fixed(self, layout: str, total: str | None) -> int:
        """Return the address of the arguments that are the same in all calls."""
        fixed = self._words.get((layout, total))
        if fixed is None:
            fixed = self._words[layout, total] = self._arguments(layout, total, 0, 0)
        return fixed.address

    def _arguments(self, layout: str, total: str | None, *check: int, memory: Any = None) -> Words:
        tasks = self.task(layout), getattr(self, f"{total}_task") if total else None
        addresses = [address(task) if task else 0 for task in tasks]
        return Words((self.table, *addresses, LAUNCHER.address, *check), memory)

    #: the kernels for arrays and for elements in memory, and what checks the layout of arrays
    arrays_kernel = Piece(lambda self: arrays_kernel())
    memory_kernel = Piece(lambda self: memory_kernel())
    layout_check = Piece(lambda self: layout_check())
    #: the tasks for operands whose channels are adjacent in memory, and for all others
    rows_task = Piece(lambda self: self._task("rows", lambda: block_task(self._parts, rows=True)))
    runs_task = Piece(lambda self: self._task("runs", lambda: block_task(self._parts, rows=False)))

    @Piece
    def total_task(self) -> Any:
        return self._task("total", lambda: total_task(self._sums.finish, self._parts.pointer))

    @Piece
    def tile_copies(self) -> Any:
        given = enumerate(self._inputs[: self._full])
        gather = [load_tile_copy(self._table, k, GATHER, x, self.result) for k, x in given]
        results = (self.result,) * self._results
        return gather + [load_tile_copy(self._table, 0, SCATTER, x, x) for x in results]

    def task(self, layout: str) -> Any:
        return getattr(self, f"{layout}_task")

    def _task(self, part: str, make: Callable[[], Task]) -> Any:
        return task_kernel(make, f"{self.name}_{part}", self._formula.function)

    def needed(self, layout: str) -> tuple[str, ...]:
        loop, _, way = layout.partition("_")
        kernel = "memory_kernel" if way else "arrays_kernel"
        return (kernel, f"{loop}_task", *(["tile_copies"] if way == "copied" else []))

    def make_ready(self, layout: str, size: int) -> None:
        super().make_ready(layout, size)
        if size > BLOCK:
            _ = self.total_task

    @Once
    def _parts(self) -> Parts:
        kind, compute = self.result, self.compute
        return Parts(
            sums=self._sums,
            register=self.register,
            load=self._loader((kind,) * self._full),
            load_given=self._loader(self._inputs[: self._full]),
            scalars=scalar_reader(self._formula.scalars, sized=False),
            decode=decoder(kind.name, compute),
            element=None if self.element is None else self._element(self.element),
            kind=kind.name,
            size=kind.storage.itemsize,
            tensors=self._full,
            weighted=self.weighted,
        )

    def _loader(self, kinds: tuple[ElementType, ...]) -> Any:
        reads = [
            Read(k, decoding(kind.name, self.compute), kind.storage.itemsize)
            for k, kind in enumerate(kinds)
        ]
        return loader(tuple(reads), selects=False)

    def _element(self, element: Formula) -> Any:
        of, kind = evaluator(element, self.compute), self.result.name
        encode = encoder(self.compute, kind)
        return inlined(lambda values, scalars: encode(of(values, scalars)))

    @Once
    def _sums(self) -> RunningSums:
        types = self.result, self.out, self.compute
        return rounded_sums(self.term, *types, self._sums_at, mean=self._mean, stored=self._stored)

    @property
    def _sums_at(self) -> int:
        return TENSORS + 8 * (self._formula.tensors + self._results)


def _of_all(term: Formula, tensors: int) -> Formula:
    """Return a term as a formula of all tensors, of which it takes the first ones."""
    taken = term.tensors

    def of_first(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *numbers: function(*numbers[:taken], *numbers[tensors:])

    factors = of_first(term.factors) if term.factors is not None else None
    return term._replace(function=of_first(term.function), tensors=tensors, factors=factors)
