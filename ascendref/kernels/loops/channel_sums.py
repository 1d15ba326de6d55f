"""An elementwise result together with one sum per channel, in one pass.

The bits of the sum (except for a NaN's payload and sign) do not depend on threads, chunks or
strides, because the summation tree depends only on the number of terms. The terms of a channel are
numbered in C order. Block b holds terms 1024 b … 1024 b + 1023; inside it, sixteen running sums
start at −0 (the neutral element of IEEE addition), term k is added to sum k mod 16, and the sixteen
are reduced by repeatedly adding the upper half to the lower. Blocks are then added in pairs,
neighbours first; an odd last one moves up unchanged. Every addition is rounded to the compute type.
"""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import ElementType
from ...core.layout import broadcast_strides
from ...core.threads import ELEMENTS_PER_THREAD
from ..arithmetic.codecs import REGISTER, decoder, encoder
from ..arithmetic.evaluation import evaluator
from ..arithmetic.formula import Formula
from ..compiler.jit import Once, once_each
from ..runtime.array_header import (
    GATHER,
    SCATTER,
    TOTAL_TASK,
    Operand,
    operand_table,
)
from ..runtime.kernel import Kernel, Piece
from ..runtime.launch import (
    LAUNCHER,
    address,
    task_kernel,
)
from ..runtime.memory import peek, pointer_to, poke
from ..runtime.nontemporal import LINE
from .channel_kernels import contiguous_kernel, memory_kernel, tiled_kernel
from .channel_loops import (
    TASKS,
    ChannelParts,
    adder_up,
    total_task,
)
from .channel_plan import BLOCK, ChannelPlan, channel_plan, dense_channel_plan
from .running_sums import RunningSums, rounded_sums
from .tile_plan import TILE
from .tiles import load_tile_copy

#: bytes, in addition to whole pages, between weights and running sums: data used together must not
#: have the same offset in its page (measured: up to 2.6 times as slow)
_STAGGER: Final = 2560

#: gradient, data, weight and result
Operands = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


class DenseCall(NamedTuple):
    """How a call on contiguous operands is executed."""

    plan: ChannelPlan
    #: number of elements that determines the number of threads
    shared: int
    #: bytes of partial sums, 0 if there are none
    partial: int


class ChannelSumKernel(Kernel):
    """A kernel of two formulas on gradient, data and a weight per channel: a result and a sum.

    Parameters
    ----------
    element : Formula
        The elementwise result.
    term : Formula
        The terms, summed over all axes except the channel axis.
    kind : ElementType
        Type of all operands.
    compute : str
        Compute type.
    stored : bool
        Whether the terms are rounded to ``kind`` before they are summed, as on a device that stores
        them in between.
    """

    def __init__(
        self, element: Formula, term: Formula, kind: ElementType, compute: str, stored: bool
    ) -> None:
        super().__init__()
        self.element = element
        self.term = term
        self.kind = kind
        self.compute = compute
        self.stored = stored
        self.register = REGISTER[compute]
        self._tasks: dict[str, Any] = {}
        tensor, few = Operand(kind.numpy), Operand(kind.numpy, shape_of=2, highest_rank=1)
        results = tensor._replace(result=True), few._replace(result=True)
        self._table = operand_table((tensor, tensor, few, *results))
        #: address of the table of operands
        self.table: int = self._table.ctypes.data

    def __call__(
        self,
        operands: Operands,
        sums: NDArray[Any],
        in_place: bool = False,
        scratch: NDArray[np.uint8] | None = None,
    ) -> None:
        """Compute the result and the sums.

        Parameters
        ----------
        operands : tuple of ndarray
            Gradient, data, weight and result. Data and result have the same shape, to which the
            gradient broadcasts; the weight has one element per channel (axis 1), in C order.
        sums : ndarray
            One element per channel: rank 1, or any rank with one element.
        in_place : bool
            Whether a result is the same view as an input; any other overlap is forbidden.
        scratch : ndarray of uint8, optional
            Memory for partial sums, aligned for the compute type; None to allocate it.
        """
        contiguous = self.are_contiguous((*operands, sums), in_place)
        if contiguous and self.dense(operands, sums, scratch):
            return
        plan = self._plan(operands)
        if scratch is None and self.copies_first(plan.layout, operands[3].size):
            self._through_copies(operands, sums)
        else:
            self._tiled(plan, operands, sums, in_place, scratch)

    def _through_copies(self, operands: Operands, sums: NDArray[Any]) -> None:
        """Compute with contiguous copies of operands of any layout."""
        grad, data, weight, result = operands
        copies = (
            np.array(np.broadcast_to(grad, data.shape), order="C"),
            np.array(data, order="C"),
            weight.flatten(),
            np.empty(data.shape, result.dtype),
            np.empty(weight.size, sums.dtype),
        )
        self.in_memory(tuple([a.ctypes.data for a in copies]), data.shape, weight.size)
        np.copyto(result, copies[3])
        np.copyto(sums, copies[4].reshape(sums.shape))

    def layout(self, arrays: tuple[NDArray[Any], ...], in_place: bool) -> str:
        """Return which loop is for these operands and sums, without reading elements."""
        _, data, weight = arrays[:3]
        if self.are_contiguous(arrays, in_place):
            return dense_channel_plan(data.shape, weight.size).layout
        return self._plan(arrays[:4]).layout

    def are_contiguous(self, arrays: tuple[NDArray[Any], ...], in_place: bool) -> bool:
        """Tell whether the loops over contiguous operands are for these operands and sums."""
        grad, data = arrays[:2]
        flags = [array.flags for array in arrays]
        return (
            not in_place
            and grad.shape == data.shape
            and all([flag.c_contiguous and flag.aligned for flag in flags])
        )

    def _plan(self, operands: tuple[NDArray[Any], ...]) -> ChannelPlan:
        """Return the plan for operands of any layout."""
        grad, data, weight, result = operands
        shape = result.shape
        return channel_plan(
            shape,
            (broadcast_strides(grad.shape, grad.strides, shape), data.strides, result.strides),
            1 if weight.size > 1 else None,
            (weight.shape, weight.strides),
        )

    def _tiled(
        self,
        plan: ChannelPlan,
        operands: Operands,
        sums: NDArray[Any],
        in_place: bool,
        scratch: NDArray[np.uint8] | None,
    ) -> None:
        """Compute with operands of any layout, by a plan."""
        kept = self._partial_sums(self._room(sums.size, plan.blocks, in_place), scratch)
        self._call(
            plan.layout,
            *[array.ctypes.data for array in (*operands, sums)],
            sums.strides[0] if sums.ndim == 1 else 0,
            plan.address,
            0 if kept is None else kept.ctypes.data,
            plan.tasks,
            plan.blocks,
            operands[3].size,
            LAUNCHER.address,
        )

    def dense(
        self, operands: Operands, sums: NDArray[Any], scratch: NDArray[np.uint8] | None = None
    ) -> bool:
        """Compute with contiguous operands; the gradient must have the data's shape.

        The number of channels must be the weight's size, or 1.

        Returns
        -------
        bool
            False, with nothing done, for other operands, and if the weight has a rank above 1 or
            another shape than the sums. Only data and weight must be arrays; the others may be any
            objects.
        """
        grad, data, weight, result = operands
        plan = dense_channel_plan(data.shape, weight.size)
        kept = self._partial_sums(self._room(weight.size, plan.blocks, False), scratch)
        done = self._call(
            plan.layout,
            id(grad),
            id(data),
            id(weight),
            id(result),
            id(sums),
            plan.address,
            0 if kept is None else id(kept),
            plan.tasks,
            plan.blocks,
            min(data.size, plan.tasks * ELEMENTS_PER_THREAD),  # a task is never divided
            LAUNCHER.address,
        )
        return done >= 0

    def in_memory(self, addresses: tuple[int, ...], shape: tuple[int, ...], channels: int) -> None:
        """Compute with contiguous aligned elements in memory; results must not overlap anything.

        Parameters
        ----------
        addresses : tuple of int
            Addresses of the first elements of gradient, data, weight, result and sums.
        shape : tuple of int
            Shape of gradient, data and result, not empty.
        channels : int
            Number of elements of weight and sums: the length of axis 1, or 1.
        """
        plan, shared, room = self.dense_call(shape, channels)
        kept = self._partial_sums(room // np.dtype(self.register).itemsize, None)
        self._call(
            f"memory_{plan.layout}",
            *addresses,
            plan.address,
            0 if kept is None else kept.ctypes.data,
            plan.tasks,
            plan.blocks,
            shared,
            LAUNCHER.address,
        )

    def dense_call(self, shape: tuple[int, ...], channels: int) -> DenseCall:
        """Return the plan for contiguous operands, for callers that run the tasks themselves.

        Parameters
        ----------
        shape : tuple of int
            Shape of the data, not empty.
        channels : int
            Number of elements of the weight: the length of axis 1, or 1.
        """
        plan = dense_channel_plan(shape, channels)
        room = self._room(channels, plan.blocks, False)
        shared = min(prod(shape), plan.tasks * ELEMENTS_PER_THREAD)  # a task is never divided
        return DenseCall(plan, shared, room * np.dtype(self.register).itemsize)

    def _partial_sums(self, room: int, scratch: NDArray[np.uint8] | None) -> NDArray[Any] | None:
        """Return memory for so many partial sums; None if there are none."""
        if not room:
            return None
        _ = self.total_task  # loads the task that adds them
        if scratch is None:
            return np.empty(room, self.register)
        return scratch[: room * np.dtype(self.register).itemsize].view(self.register)

    def _room(self, channels: int, blocks: int, in_place: bool) -> int:
        """Return the number of partial sums that are kept until the end.

        The sums of a single block need no memory, unless writing them would change an input.
        """
        return channels * blocks if blocks > 1 or in_place else 0

    @Piece
    def rows_kernel(self) -> Any:
        """The kernel for contiguous operands whose channels are adjacent in memory."""
        return partial(contiguous_kernel(), self.table, address(self.task("rows")))

    @Piece
    def runs_kernel(self) -> Any:
        """The kernel for contiguous operands in which the terms of a channel are consecutive."""
        return partial(contiguous_kernel(), self.table, address(self.task("runs")))

    @Piece
    def memory_rows_kernel(self) -> Any:
        """The same as `rows_kernel` for elements in memory."""
        return partial(memory_kernel(), self.table, address(self.task("rows")))

    @Piece
    def memory_runs_kernel(self) -> Any:
        """The same as `runs_kernel` for elements in memory."""
        return partial(memory_kernel(), self.table, address(self.task("runs")))

    @Piece
    def tiled_rows_kernel(self) -> Any:
        """The strided kernel for operands whose channels are adjacent in memory."""
        return self._tiled_kernel("tiled_rows")

    @Piece
    def tiled_runs_kernel(self) -> Any:
        """The strided kernel for all other operands."""
        return self._tiled_kernel("tiled_runs")

    def _tiled_kernel(self, layout: str) -> Any:
        for column in (GATHER, SCATTER):
            load_tile_copy(self._table, 0, column, self.kind.storage.itemsize)
        return partial(tiled_kernel(), self.table, address(self.task(layout)))

    @Piece
    def total_task(self) -> Any:
        """The task that adds the sums of blocks."""
        pointer = pointer_to(np.dtype(self.register))
        made = task_kernel(
            lambda: total_task(self._sums, pointer),
            f"{self.name}_total",
            self.element.function,
        )
        self._table[TOTAL_TASK // 8] = address(made)
        return made

    def make_ready(self, layout: str, size: int) -> None:
        super().make_ready(layout, size)
        if size > BLOCK:
            _ = self.total_task

    @property
    def name(self) -> str:
        """The kernel's unique name."""
        stored = "_stored" if self.stored else ""
        return f"{self.element.name}_{self.term.name}_{self.kind.name}_in_{self.compute}{stored}"

    def task(self, layout: str) -> Any:
        """Return the task for a layout."""
        made = self._tasks.get(layout)
        if made is None:
            made = self._tasks[layout] = task_kernel(
                lambda: TASKS[layout](self._parts(tiled=layout.startswith("tiled"))),
                f"{self.name}_{layout}",
                self.element.function,
            )
        return made

    def _parts(self, *, tiled: bool) -> ChannelParts:
        """Return the functions and sizes that the loops use."""
        kind, compute, size = self.kind.name, self.compute, self.kind.storage.itemsize
        width = np.dtype(self.register).itemsize
        sums = self._sums
        # weights, running sums, terms that are kept, tiles
        lanes_at = 2 * TILE + _STAGGER // width
        kept_at = -(-(lanes_at + sums.lanes) * width // LINE) * LINE
        tiles_at = -(-(kept_at + sums.kept * BLOCK * width) // LINE) * LINE
        tile = 2 * TILE * size
        return ChannelParts(
            sums=sums,
            add_up=self._add_up,
            pointer=pointer_to(np.dtype(self.register)),
            element=evaluator(self.element, compute),
            read=peek(kind, apart=not tiled),
            decode=decoder(kind, compute),
            encode=encoder(compute, kind, kind),
            write=poke(kind, apart=not tiled),
            size=size,
            lanes_at=lanes_at,
            kept_at=kept_at,
            tiles_at=tiles_at,
            tile=tile,
            room=tiles_at + 3 * tile,
        )

    @Once
    def _sums(self) -> RunningSums:
        """The functions on running sums, shared by all loops."""
        return self._running_sums()

    @Once
    def _add_up(self) -> Any:
        """The function that reduces running sums, shared by all loops."""
        return adder_up(self._sums, pointer_to(np.dtype(self.register)))

    def _running_sums(self) -> RunningSums:
        """Return the functions on running sums."""
        return rounded_sums(self.term, self.kind, self.compute, stored=self.stored)


@once_each
def channel_sum(
    element: Formula, term: Formula, kind: ElementType, compute: str, *, stored: bool = False
) -> ChannelSumKernel:
    """Return the kernel for two formulas and their types; there is one per process."""
    if stored and kind.name == compute:
        return channel_sum(element, term, kind, compute)  # the terms have that type anyway
    return ChannelSumKernel(element, term, kind, compute, stored)
