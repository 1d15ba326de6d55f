"""Elementwise kernels: formula × conversions × layout → compiled loop.

For a formula, one task is compiled: a loop over contiguous elements (``contiguous.py``). Two
kernels call it. The *contiguous* kernel is for contiguous operands of the output's shape; it checks
the arrays itself and passes them to the task as a whole (``contiguous_kernels.py``). The *tiled* or
strided kernel is for everything else (strides, broadcasting, unaligned views, in-place outputs); it
passes tile after tile (``tile_walk.py``). Until compiling the tiled kernel is worthwhile, calls
copy such operands to contiguous arrays instead. All ways give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import ElementType
from ...core.layout import Strides, broadcast_strides
from ..arithmetic.codecs import decoding, encoder, remainder
from ..arithmetic.formula import Formula
from ..compiler.jit import once_each
from ..runtime.array_header import (
    GATHER,
    SCATTER,
    Operand,
    operand_table,
)
from ..runtime.kernel import Kernel, Piece
from ..runtime.launch import LAUNCHER, Task, Words, address, task_kernel
from .contiguous import (
    in_pairs,
    one_at_a_time,
    past_caches,
    scalar_reader,
    through_caches,
)
from .contiguous_kernels import contiguous_kernel, memory_kernel
from .elements import Read, loader, pair_loader
from .layout_check import layout_check, layout_table
from .tile_plan import tile_plan
from .tile_walk import walk_kernel, walk_task
from .tiles import load_tile_copy


class ElementwiseKernel(Kernel):
    """One formula for one combination of types, compiled piece by piece on first use.

    Parameters
    ----------
    formula : Formula
        The formula.
    inputs : tuple of ElementType
        Types of the tensors.
    result : ElementType
        Type to which the result is rounded.
    out : ElementType
        Type to which it is then cast.
    compute : str
        Compute type.
    """

    def __init__(
        self,
        formula: Formula,
        inputs: tuple[ElementType, ...],
        result: ElementType,
        out: ElementType,
        compute: str,
    ) -> None:
        super().__init__()
        self.formula = formula
        self.inputs = inputs
        self.out = out
        self.compute = compute
        self.result = result
        self._itemsizes = tuple([kind.storage.itemsize for kind in (*inputs, out)])
        self.name = "_".join(
            (
                formula.name,
                *(kind.name for kind in inputs),
                "to",
                *((out.name,) if result == out else (result.name, "as", out.name)),
                "in",
                compute,
            )
        )
        self._table = operand_table(
            (*[Operand(kind.numpy) for kind in inputs], Operand(out.numpy, result=True))
        )
        #: address of the table of operands
        self.table: int = self._table.ctypes.data

    def __call__(
        self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...], in_place: bool = False
    ) -> None:
        """Compute the last operand from the others, broadcast to its shape.

        Parameters
        ----------
        operands : tuple of ndarray
            The inputs, then the output, of the kernel's types.
        scalars : tuple of float
            The scalar arguments.
        in_place : bool
            Whether the output is the same view as an input; any other overlap is forbidden.
        """
        layout = self.layout(operands, in_place)
        if layout == "dense" and self.dense(operands, scalars):
            return
        if self.copies_first("tiled", operands[-1].size):
            self._through_copies(operands, scalars)
        else:
            self.tiled(operands, scalars, in_place)

    def _through_copies(
        self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...]
    ) -> None:
        """Compute with contiguous copies of operands of any layout."""
        *inputs, result = operands
        copies = [np.array(np.broadcast_to(array, result.shape), order="C") for array in inputs]
        copies.append(np.empty(result.shape, result.dtype))
        addresses = [array.ctypes.data for array in copies]
        fixed = self._fixed(scalars)
        self._call("memory", fixed.address, *addresses, result.size)
        np.copyto(result, copies[-1])

    def layout(self, operands: tuple[NDArray[Any], ...], in_place: bool) -> str:
        """Return which loop is for these operands, "dense" or "tiled", without reading elements."""
        shape = operands[-1].shape
        if in_place:
            return "tiled"
        for array in operands:
            flags = array.flags
            if array.shape != shape or not (flags.c_contiguous and flags.aligned):
                return "tiled"
        return "dense"

    def dense(self, operands: tuple[Any, ...], scalars: tuple[float, ...]) -> bool:
        """Compute with contiguous operands of one shape that do not overlap the output.

        Parameters
        ----------
        operands : tuple
            The inputs (any objects), then the output (an array).
        scalars : tuple of float
            The scalar arguments.

        Returns
        -------
        bool
            False, with nothing done, for any other operands.
        """
        fixed = self._fixed(scalars)
        return self._call("dense", fixed.address, *map(id, operands)) >= 0

    def bind(self, scalars: tuple[float, ...]) -> Callable[..., int]:
        """Return the kernel for contiguous operands with its scalars.

        It takes the addresses of objects: the inputs, then the output. If these are not suitable
        operands, it does nothing and returns a negative number.
        """
        return _bound(self.dense_kernel, self._fixed(scalars))

    def bind_memory(self, scalars: tuple[float, ...]) -> Callable[..., int]:
        """Return the kernel for contiguous elements in memory with its scalars.

        It takes the addresses of the first elements, the inputs' and then the output's, and the
        number of elements. If an address is not aligned or the output overlaps an input, it does
        nothing and returns a negative number. It checks nothing else: the caller must ensure that
        the memory exists and has the kernel's types.
        """
        return _bound(self.memory_kernel, self._fixed(scalars))

    def tiled(
        self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...], in_place: bool = False
    ) -> None:
        """Compute with operands of any layout; the output may be the same view as an input."""
        if operands[-1].size:
            fixed = self._walk(*_strides_of(operands), scalars, None)
            self._call("tiled", fixed.address, *[array.ctypes.data for array in operands])

    def like(
        self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...]
    ) -> Callable[..., int]:
        """Return the kernel for operands with the layout of these, with its scalars.

        It takes the addresses of objects: the inputs, then the output. If they have other layouts
        or overlap, it does nothing and returns a negative number.
        """
        walk = self._walk(*_strides_of(operands), scalars, layout_table(operands))
        return _bound(self.tiled_kernel, walk)

    def bind_strides(
        self, shape: tuple[int, ...], strides: tuple[Strides, ...], scalars: tuple[float, ...]
    ) -> Callable[..., int]:
        """Return the kernel for elements in memory with known layouts.

        It takes the addresses of the first elements, the inputs' and then the output's, without
        checks: the caller must ensure that the memory exists and has the kernel's types, and that
        the output does not overlap the inputs. A negative result means that nothing was done.

        Parameters
        ----------
        shape : tuple of int
            Shape of the output.
        strides : tuple of tuple of int
            Byte strides of every operand in that shape, the output last.
        scalars : tuple of float
            The scalar arguments.
        """
        return _bound(self.tiled_kernel, self._walk(shape, strides, scalars, None))

    def _fixed(self, scalars: tuple[float, ...], walk: tuple[int, ...] = (), *memory: Any) -> Words:
        """Return a kernel's arguments other than operands."""
        numbers = np.array(scalars, np.float64)
        at = numbers.__array_interface__["data"][0]  # `ctypes.data` takes a microsecond
        words = (self.table, address(self.task), at, LAUNCHER.address, *walk)
        return Words(words, numbers, *memory)

    def _walk(
        self,
        shape: tuple[int, ...],
        strides: tuple[Strides, ...],
        scalars: tuple[float, ...],
        layout: NDArray[np.int64] | None,
    ) -> Words:
        """Return the arguments of the tiled kernel other than operands."""
        plan, tiles = tile_plan(shape, strides, self._itemsizes)
        check = (0, 0) if layout is None else (layout.ctypes.data, address(self.layout_check))
        words = address(self.walk), *check, plan.ctypes.data, tiles, prod(shape)
        return self._fixed(scalars, words, layout, plan)

    @Piece
    def dense_kernel(self) -> Any:
        """The kernel for contiguous operands."""
        return contiguous_kernel(len(self._itemsizes))

    @Piece
    def memory_kernel(self) -> Any:
        """The kernel for contiguous elements in memory."""
        return memory_kernel(len(self._itemsizes))

    @Piece
    def tiled_kernel(self) -> Any:
        """The kernel for operands of any layout."""
        return walk_kernel(len(self._itemsizes))

    @Piece
    def walk(self) -> Any:
        """The task that traverses operands of any layout."""
        for k, kind in enumerate(self.inputs):
            load_tile_copy(self._table, k, GATHER, kind.storage.itemsize)
        return walk_task()

    @Piece
    def scatter(self) -> Any:
        """The function that copies tiles of the result from buffers."""
        size = self.out.storage.itemsize
        return load_tile_copy(self._table, len(self.inputs), SCATTER, size)

    @Piece
    def layout_check(self) -> Any:
        """The function that tells whether arrays have known layouts."""
        return layout_check()

    def load_scatter(self) -> None:
        _ = self.scatter

    def needed(self, layout: str) -> tuple[str, ...]:
        walked = ("walk", "scatter") if layout == "tiled" else ()
        return (*super().needed(layout), "task", *walked)

    @Piece
    def task(self) -> Any:
        """The task that computes contiguous elements."""
        return task_kernel(self._make_task, self.name, self.formula.function)

    def _make_task(self) -> Task:
        """Return the task, to be compiled."""
        count, size = len(self.inputs), self.out.storage.itemsize
        loop = self._loop()
        # non-temporal stores gain nothing for a compute-bound formula
        if self.formula.compute_bound:
            return through_caches(loop, self._scalars(), count)
        return past_caches(loop, self._scalars(), count, size)

    def _loop(self) -> Any:
        """Return the loop over contiguous operands."""
        load, formula, encode = self._load(), self._evaluator(), self._encoder()
        kinds = {kind.name for kind in (*self.inputs, self.result, self.out)}
        if kinds == {"bfloat16"} and self.compute == "float32":
            return in_pairs(load, pair_loader(len(self.inputs)), formula, encode)
        return one_at_a_time(load, formula, encode, self.out.name, self.out.storage.itemsize)

    def _load(self) -> Any:
        """Return the function that reads the numbers for an element."""
        reads = []
        for k, kind in enumerate(self.inputs):
            size = kind.storage.itemsize
            reads.append(Read(k, decoding(kind.name, self.compute), size))
            if kind.name == "int64" and self.compute == "float64":
                reads.append(Read(k, remainder(), size))
        return loader(tuple(reads), selects=self.formula.selects)

    def _encoder(self) -> Any:
        """Return the function that rounds a result."""
        return encoder(self.compute, self.result.name, self.out.name)

    def _scalars(self) -> Any:
        """Return the function that reads the scalars."""
        return scalar_reader(self.formula.scalars, sized=self.formula.sized)

    def _evaluator(self) -> Any:
        """Return the formula, compiled for the compute type."""
        # needed for compiling, not for loading
        from ..arithmetic.evaluation import evaluator, pair_evaluator

        if self.compute == "float64" and not self.formula.selects:
            return pair_evaluator(self.formula, tuple([kind.name for kind in self.inputs]))
        return evaluator(self.formula, self.compute)


def _strides_of(
    operands: tuple[NDArray[Any], ...],
) -> tuple[tuple[int, ...], tuple[Strides, ...]]:
    """Return the output's shape, and the strides of all operands in it."""
    shape = operands[-1].shape
    return shape, tuple([broadcast_strides(a.shape, a.strides, shape) for a in operands])


def _bound(kernel: Any, fixed: Words) -> Callable[..., int]:
    """Return a kernel with all arguments bound except the operands."""
    bound = partial(kernel, fixed.address)
    bound.__dict__["fixed"] = fixed  # keeps it alive
    return bound


@once_each
def elementwise(
    formula: Formula,
    inputs: tuple[ElementType, ...],
    result: ElementType,
    out: ElementType,
    compute: str,
) -> ElementwiseKernel:
    """Return the kernel for a formula and its types; there is one per process."""
    return ElementwiseKernel(formula, inputs, result, out, compute)
