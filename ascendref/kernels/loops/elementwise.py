"""Elementwise kernels: formula × types × layout.

For a formula, a type and a compute type, one task is compiled: a loop over contiguous elements
(``formula_loop.py``). Two kernels call it. The *contiguous* kernel is for contiguous operands of
the loop's types and the output's shape; it checks the arrays itself and passes them to the task as
a whole (``array_kernels.py``). The *tiled* or strided kernel is for everything else (strides,
broadcasting, unaligned views, in-place outputs, operands of other types); it passes tile after
tile, which it converts (``tiles.py``). Until compiling the tiled kernel is worthwhile, calls
copy such operands to contiguous arrays instead. All ways give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import FLOATS, ElementType
from ...core.layout import Strides, broadcast_strides
from ...core.packing import ScalarRange, pack_floats, pack_words
from ..arithmetic.formula import Formula
from ..compiler.jit import Once, once_each
from ..runtime.array_header import (
    GATHER,
    LOOKUP_TASK,
    NOT_LOADED,
    SCATTER,
    TAKES_ROWS,
    Operand,
    operand_table,
    scalar_table,
)
from ..runtime.kernel import Kernel, Piece
from ..runtime.launch import LAUNCHER, Words, address
from .array_kernels import (
    Origin,
    contiguous_kernel,
    layout_check,
    layout_table,
    memory_kernel,
    walk_kernel,
    walk_memory_kernel,
)
from .formula_loop import FormulaLoop, formula_loop, read_types
from .lookup import LOOKED_UP_FROM, lookup_task
from .tile_plan import tile_plan
from .tiles import load_tile_copy, walk_task


class ElementwiseKernel(Kernel):
    """A formula's loop, of any layout; its result is cast to the type ``out``."""

    def __init__(
        self, loop: FormulaLoop, inputs: tuple[ElementType, ...], out: ElementType
    ) -> None:
        super().__init__()
        self.loop, self.formula, self.result = loop, loop.formula, loop.result
        self.inputs, self.out = inputs, out
        #: number of results, which are the last operands
        self.results = loop.formula.results
        operands = [
            Operand(kind.numpy, held=held.numpy)
            for kind, held in zip(inputs, loop.inputs, strict=True)
        ]
        operands += [Operand(out.numpy, held=loop.result.numpy, result=True)] * self.results
        self._converts = any([operand.converts for operand in operands])
        self._itemsizes = tuple([operand.largest for operand in operands])
        self._table = operand_table(tuple(operands))
        if loop.looks_up:
            self._table[LOOKUP_TASK // 8] = NOT_LOADED
        self._table[TAKES_ROWS // 8] = loop.takes_rows
        #: address of the table of operands
        self.table: int = self._table.ctypes.data

    def __call__(
        self,
        operands: tuple[NDArray[Any], ...],
        scalars: tuple[float, ...],
        in_place: bool = False,
        size: int | None = None,
    ) -> None:
        """Compute the last operands, the results, from the others, which broadcast to their shape.

        ``in_place`` tells whether it is the same view as an input; any other overlap is forbidden.
        """
        if size is not None and size != operands[-1].size:
            self.tiled(operands, scalars, in_place, size)
            return
        layout = self.layout(operands, in_place)
        if layout == "dense" and self._dense(operands, scalars):
            return
        # NumPy's casts of F64 and integers to narrower types may round twice
        casts = self.result is self.out or self.result in FLOATS[:-1]
        if casts and self.copies_first(operands[-1].size):
            self._through_copies(operands, scalars)
        else:
            self.tiled(operands, scalars, in_place)

    def layout(self, operands: tuple[NDArray[Any], ...], in_place: bool) -> str:
        """Return which loop is for these operands, "dense" or "tiled", without reading elements."""
        shape = operands[-1].shape
        if in_place or self._converts or self.results > 1:
            return "tiled"
        for array in operands:
            flags = array.flags
            if array.shape != shape or not (flags.c_contiguous and flags.aligned):
                return "tiled"
        return "dense"

    def copies_first(self, size: int) -> bool:
        return self.results == 1 and super().copies_first(size)

    def _dense(self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...]) -> bool:
        """Compute with contiguous operands; return False, with nothing done, for any others."""
        *inputs, result = operands
        tensors, numbers = tuple(inputs), pack_floats(*scalars)
        found = self._call(
            self.dense_kernel, self.fixed.address, id(tensors), id(result), id(numbers)
        )
        return found >= 0

    def _through_copies(
        self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...]
    ) -> None:
        *inputs, result = operands
        copies = [np.empty(result.shape, kind.numpy) for kind in (*self.loop.inputs, self.result)]
        with np.errstate(all="ignore"):  # conversions raise no warnings
            for copy, array in zip(copies[:-1], inputs, strict=True):
                np.copyto(copy, array, casting="unsafe")
        done = self.unconverted._dense(tuple(copies), scalars)
        assert done, "copies are contiguous, aligned and apart"
        with np.errstate(all="ignore"):
            np.copyto(result, copies[-1], casting="unsafe")

    def tiled(
        self,
        operands: tuple[NDArray[Any], ...],
        scalars: tuple[float, ...],
        in_place: bool = False,
        size: int | None = None,
    ) -> None:
        """Compute with operands of any layout.

        ``size`` is the number of results that the formula is told, if these operands are a part.
        """
        if operands[-1].size:
            walk = self._walk(*strides_of(operands), size=size)
            addresses = pack_words(*[array.ctypes.data for array in operands])
            numbers = pack_floats(*scalars)
            self._call(self.tiled_kernel, walk.address, id(addresses), id(numbers))

    # --- kernels with their first argument bound --------------------------------------------------

    def bind(self, ranges: tuple[ScalarRange, ...] | None = None) -> Callable[[int, int, int], int]:
        """Return the kernel for contiguous operands.

        It takes the addresses of a tuple of inputs, the output, and the scalars: `pack_floats`, or
        a tuple of objects in ranges. If operands or scalars are not suited or something is not
        loaded, it returns a negative number.
        """
        return self._bound(self.dense_kernel, self._with(ranges))

    def like(
        self,
        operands: tuple[NDArray[Any], ...],
        arrays: tuple[NDArray[Any], ...] | None = None,
        places: tuple[Origin, ...] | None = None,
    ) -> Callable[[int, int, int], int]:
        """Return the same for arrays with the layout of these, of which operands are at places."""
        if arrays is None or places is None:
            arrays, places = operands, tuple(map(Origin, range(len(operands))))
        layout = layout_table(arrays, places)
        check = layout.ctypes.data, address(self.layout_check)
        return self._bound(self.like_kernel, self._walk(*strides_of(operands), check, layout))

    def bind_memory(
        self, ranges: tuple[ScalarRange, ...] | None = None
    ) -> Callable[[int, int], int]:
        """Return the kernel for contiguous elements in memory, which must exist and have its types.

        It takes the addresses of two bytes objects: `pack_words` of the addresses of the inputs'
        and the output's first elements and of their number, and the scalars as `bind` describes. It
        returns a negative number if they are not aligned or the output overlaps an input.
        """
        return self._bound(self.memory_kernel, self._with(ranges))

    def bind_strides(
        self, shape: tuple[int, ...], strides: tuple[Strides, ...]
    ) -> Callable[[int, int], int]:
        """Return the same for an output of this shape, and byte strides of all operands in it.

        The kernel takes no number of elements, and does not check that the output is apart.
        """
        return self._bound(self.tiled_kernel, self._walk(shape, strides))

    @Once
    def unconverted(self) -> ElementwiseKernel:
        if not self._converts:
            return self
        return type(self)(self.loop, self.loop.inputs, self.result)

    @Once
    def fixed(self) -> Words:
        return self._with(None)

    def _with(self, ranges: tuple[ScalarRange, ...] | None) -> Words:
        """Return the arguments of a contiguous kernel that takes scalars in ranges."""
        table = None if ranges is None else scalar_table(ranges)
        at = 0 if table is None else table.ctypes.data
        return Words((self.table, address(self.task), LAUNCHER.address, at), table, ranges)

    def _walk(
        self,
        shape: tuple[int, ...],
        strides: tuple[Strides, ...],
        check: tuple[int, ...] = (),
        *memory: Any,
        size: int | None = None,
    ) -> Words:
        """Return the arguments of the tiled kernel other than operands and scalars."""
        plan, tiles = tile_plan(shape, strides, self._itemsizes)
        walk = address(self.walk), plan.ctypes.data, tiles, prod(shape) if size is None else size
        words = self.table, address(self.task), LAUNCHER.address, *walk, *check
        return Words(words, plan, *memory)

    # --- compiled functions -----------------------------------------------------------------------

    #: kernels that all formulas share: for contiguous arrays and memory, for other memory, and for
    #: arrays of a known layout, with its check
    dense_kernel = Piece(lambda self: contiguous_kernel())
    memory_kernel = Piece(lambda self: memory_kernel())
    tiled_kernel = Piece(lambda self: walk_memory_kernel())
    like_kernel = Piece(lambda self: walk_kernel())
    layout_check = Piece(lambda self: layout_check())
    #: the task that computes contiguous elements
    task = Piece(lambda self: self.loop.task)

    @Piece
    def walk(self) -> Any:
        for k, (kind, held) in enumerate(zip(self.inputs, self.loop.inputs, strict=True)):
            load_tile_copy(self._table, k, GATHER, kind, held)
        return walk_task()

    @Piece
    def scatter(self) -> Any:
        return load_tile_copy(self._table, len(self.inputs), SCATTER, self.result, self.out)

    def load_scatter(self) -> None:
        _ = self.scatter

    def load_lookup(self) -> None:
        self._table[LOOKUP_TASK // 8] = address(lookup_task(self.result.storage.itemsize))

    def compile_all(self) -> Iterator[str]:
        if self.loop.looks_up:
            self.load_lookup()
        yield from super().compile_all()

    def make_ready(self, layout: str, size: int) -> None:
        super().make_ready(layout, size)
        if self.loop.looks_up and layout == "dense" and size >= LOOKED_UP_FROM:
            self.load_lookup()

    def needed(self, layout: str) -> tuple[str, ...]:
        walked = ("walk", "scatter") if layout == "tiled" else ()
        return (f"{layout}_kernel", "task", *walked)


def strides_of(operands: tuple[NDArray[Any], ...]) -> tuple[tuple[int, ...], tuple[Strides, ...]]:
    shape = operands[-1].shape
    return shape, tuple([broadcast_strides(a.shape, a.strides, shape) for a in operands])


@once_each
def elementwise(
    formula: Formula,
    inputs: tuple[ElementType, ...],
    result: ElementType,
    out: ElementType,
    compute: str,
) -> ElementwiseKernel:
    """Return the kernel for a formula: rounded to ``result``, then cast to ``out``."""
    loop = formula_loop(formula, read_types(inputs), result, compute)
    return ElementwiseKernel(loop, inputs, out)
