"""An elementwise result together with one sum per channel, in one pass.

The bits of the sum (of a NaN: that it is one) do not depend on threads, chunks or strides, because
its tree is fixed by the number of terms alone. The terms of a channel are numbered in C order.
Block b holds terms
1024 b … 1024 b + 1023; inside it, sixteen running sums start at −0 (the neutral element of IEEE
addition), term k is added to sum k mod 16, and the sixteen are halved by adding the upper half to
the lower. Blocks are then added in pairs, neighbours first, an odd last one moving up unchanged.
Every addition is rounded to the compute type.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from ...core.dtypes import ElementType
from ...core.layout import (
    BLOCK,
    LANES,
    SHARE,
    STRIP,
    TILE,
    broadcast_strides,
    channel_plan,
    dense_channel_plan,
)
from ..arithmetic.binding import compiled
from ..arithmetic.codecs import REGISTER, ROUND, decoder, encoder, same
from ..arithmetic.formula import Formula
from ..compiler.jit import Once, function_from, helper, inlined, kernel, once_each
from ..runtime.array_header import DATA, ROWS, WIDTH, Fact, dense_size, facts_of
from ..runtime.launch import (
    CORES,
    NO_ROOM,
    OPERANDS,
    PLAN,
    TASK_TYPE,
    Kernel,
    Piece,
    address,
    call_task,
    own_address,
    run,
    set_word,
)
from ..runtime.memory import (
    allocate,
    beyond,
    in_memory,
    int64_pointer,
    peek,
    pointer_to,
    poke,
    release,
    word,
)
from ..runtime.nontemporal import LINE
from .channel_loops import DENSE, LOOPS, PLACES, TASK, TILED
from .tiles import gatherer, row_adder, scatterer

_STORED_TERM: Final = """
def term_of(grad, data):
    return stored(term(grad, data))
"""

_ADD_ROWS: Final = """
def add_rows(lanes, first, kept, start, stop):
    for row in range(start, stop, {lanes}):
        for lane in range({lanes}):
            i, k = row + lane, first + lane
            {add_kept}
"""

_TOTAL: Final = """
def total(parts, at, blocks):
    step = 1
    while step < blocks:
        i = at
        while i + step < at + blocks:
            parts[i] = rnd(parts[i] + parts[i + step])
            i += 2 * step
        step *= 2
    return parts[at]
"""

#: bytes between weights and running sums, beside whole pages: what is used together must not have
#: the same place in its page (measured: up to 2.6 times as slow, depending on the page)
_STAGGER: Final = 2560

#: gradient, data, weight and result
Operands = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


class ChannelSumKernel(Kernel):
    """Two formulas of a gradient, its data and a weight per channel: a result and a sum.

    Parameters
    ----------
    element : Formula
        The elementwise result.
    term : Formula
        What is summed over everything but the channel axis.
    kind : ElementType
        Type of all operands.
    compute : str
        Compute type.
    stored : bool
        Whether the terms are rounded to ``kind`` before they are summed, as a device does that
        stores them in between.
    """

    #: what is done with running sums, ``lanes``, by what the loops call it: terms come of ``g`` and
    #: ``x``, or are ``kept``; the sum of a block goes to ``parts``, or becomes result ``to``
    _statements: ClassVar[dict[str, str]] = {
        "clear": "lanes[i] = minus_zero",
        "add": "lanes[k] = rnd(lanes[k] + term_of(g, x))",
        "keep": "kept[i] = term_of(g, x)",
        "add_kept": "lanes[k] = rnd(lanes[k] + kept[i])",
        "merge": "lanes[i] = rnd(lanes[i] + lanes[j])",
        "put": "parts[at] = lanes[i]",
        "deliver": "write(sums, to * sums_stride, encode(lanes[i]))",
        "finish": "write(sums, to * sums_stride, encode(total(parts, at, blocks)))",
    }

    #: numbers that they consist of, and numbers that are kept of a term
    _lanes: ClassVar[int] = STRIP * LANES
    _kept: ClassVar[int] = 1

    def __init__(
        self, element: Formula, term: Formula, kind: ElementType, compute: str, stored: bool
    ) -> None:
        self.element = element
        self.term = term
        self.kind = kind
        self.compute = compute
        self.stored = stored
        self.register = REGISTER[compute]
        self._tasks: dict[str, Any] = {}
        #: where running sums begin, behind the weights
        self._lanes_at = 2 * TILE + _STAGGER // np.dtype(self.register).itemsize
        tensor, few = Fact(kind.numpy), Fact(kind.numpy, model=2, most=1)
        results = tensor._replace(result=True), few._replace(result=True)
        self._facts = facts_of((tensor, tensor, few, *results))
        self._facts_at: int = self._facts.ctypes.data

    def __call__(
        self,
        operands: Operands,
        sums: NDArray[Any],
        channel: int | None,
        in_place: bool = False,
        scratch: NDArray[np.uint8] | None = None,
    ) -> None:
        """Compute the result and the sums.

        Parameters
        ----------
        operands : tuple of ndarray
            Gradient, data, weight and result. The gradient broadcasts to the result's shape, the
            data and the result have it, the weight has one element per channel in C order.
        sums : ndarray
            One element per channel: rank 1, or any rank with one element.
        channel : int or None
            The channel axis; None for one channel.
        in_place : bool
            Whether a result is exactly an input's view; any other overlap is forbidden.
        scratch : ndarray of uint8, optional
            Where partial sums go, aligned for the compute type; None for memory of their own.
        """
        tiled = self.layout((*operands, sums), in_place) == "tiled"
        if tiled or not self.dense(operands, sums, scratch):
            self._tiled(operands, sums, channel, in_place, scratch)

    def layout(self, arrays: tuple[NDArray[Any], ...], in_place: bool) -> str:
        """Return which loop takes operands and sums; no element is read."""
        grad, data, weight = arrays[:3]
        flags = [array.flags for array in arrays]
        if (
            not in_place
            and grad.shape == data.shape
            and all([flag.c_contiguous and flag.aligned for flag in flags])
        ):
            return dense_channel_plan(data.shape, weight.size).layout
        return "tiled"

    def _tiled(
        self,
        operands: Operands,
        sums: NDArray[Any],
        channel: int | None,
        in_place: bool,
        scratch: NDArray[np.uint8] | None,
    ) -> None:
        """Compute with operands of any layout."""
        grad, data, weight, result = operands
        shape = result.shape
        plan = channel_plan(
            shape,
            (broadcast_strides(grad.shape, grad.strides, shape), data.strides, result.strides),
            channel,
            (weight.shape, weight.strides),
        )
        kept = self._partial_sums(self._room(sums.size, plan.blocks, in_place), scratch)
        self._call(
            plan.layout,
            *[array.ctypes.data for array in (*operands, sums)],
            sums.strides[0] if sums.ndim == 1 else 0,
            plan.address,
            0 if kept is None else kept.ctypes.data,
            plan.tasks,
            plan.blocks,
            result.size,
            CORES.address,
        )

    def dense(
        self, operands: Operands, sums: NDArray[Any], scratch: NDArray[np.uint8] | None = None
    ) -> bool:
        """Compute with contiguous operands, where the gradient has the data's shape.

        The number of channels must be that of the weight, or 1.

        Returns
        -------
        bool
            False, and nothing is done, for any other operands, which may be any objects but for
            the data and the weight, and where the weight has a higher rank than 1, or another
            shape than the sums.
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
            min(data.size, plan.tasks * SHARE),  # a task is never shared
            CORES.address,
        )
        return done >= 0

    def _partial_sums(self, room: int, scratch: NDArray[np.uint8] | None) -> NDArray[Any] | None:
        """Return where so many partial sums go; None if there are none."""
        if not room:
            return None
        if scratch is None:
            return np.empty(room, self.register)
        return scratch[: room * np.dtype(self.register).itemsize].view(self.register)

    def _room(self, channels: int, blocks: int, in_place: bool) -> int:
        """Return how many partial sums are kept until the end.

        The sums of a single block need no room, unless writing them would change an input.
        """
        return channels * blocks if blocks > 1 or in_place else 0

    @Once
    def _words(self) -> dict[str, Any]:
        """What sources have in braces."""
        width = np.dtype(self.register).itemsize
        kept_at = -(-(self._lanes_at + self._lanes) * width // LINE) * LINE
        tiles_at = -(-(kept_at + self._kept * BLOCK * width) // LINE) * LINE
        tile = 2 * TILE * self.kind.storage.itemsize
        numbers = {
            "block": BLOCK,
            "lanes": LANES,
            "lanes_at": self._lanes_at,
            "kept_at": kept_at,
            "tiles_at": tiles_at,
            "tile": tile,
            "room": tiles_at + 3 * tile,
            "line": LINE,
            "size": self.kind.storage.itemsize,
            "data": DATA,
            "plan_at": PLAN,
            "operands_at": OPERANDS,
            "no_room": NO_ROOM,
        }
        return self._statements | numbers

    def _names(self, layout: str) -> dict[str, Any]:
        """Return what the names in kernels mean."""
        kind, compute, register = self.kind.name, self.compute, self.register
        tiled = layout == "tiled"
        place = PLACES["tiled" if tiled else "dense"]
        decode, encode = decoder(kind, compute), encoder(compute, kind, kind)
        names = {
            "word": word,
            "set_word": set_word,
            "own_address": own_address,
            "int64_pointer": int64_pointer,
            "allocate": allocate,
            "release": release,
            "pointer": pointer_to(np.dtype(register)),
            "place": helper(function_from(place.format(**self._words), "place", {})),
            "element": compiled(self.element.element, compute),
            "beyond": beyond,
            "decode": decode,
            "encode": encode,
            "read": peek(kind, apart=not tiled),
            "write": poke(kind, apart=not tiled),
            "gather": gatherer(self.kind.storage.itemsize),
            "scatter": scatterer(self.kind.storage.itemsize),
        }
        return names | self._sums(names)

    def _sums(self, names: dict[str, Any]) -> dict[str, Any]:
        """Return what statements about running sums are made of, and ``add_rows``."""
        rnd, register = ROUND[self.compute], self.register
        term_of = compiled(self.term.element, self.compute)
        if self.stored:
            both = {"term": term_of, "stored": ROUND[self.kind.name]}
            term_of = inlined(function_from(_STORED_TERM, "term_of", both))
        made = {
            "minus_zero": register(-0.0),
            "term_of": term_of,
            "rnd": rnd,
            "total": helper(function_from(_TOTAL, "total", {"rnd": rnd})),
        }
        add_rows = row_adder(register, LANES) if rnd is same else self._add_rows(made)
        return made | {"add_rows": add_rows}

    def _add_rows(self, names: dict[str, Any]) -> Any:
        """Return the function that adds what is kept from ``start`` on to all running sums."""
        return helper(function_from(_ADD_ROWS.format(**self._words), "add_rows", names))

    @Piece
    def rows_kernel(self) -> Any:
        """The kernel for contiguous operands whose channels lie side by side."""
        return partial(_channel_kernel(dense=True), self._facts_at, address(self.task("rows")))

    @Piece
    def runs_kernel(self) -> Any:
        """The kernel for contiguous operands in which terms of a channel follow one another."""
        return partial(_channel_kernel(dense=True), self._facts_at, address(self.task("runs")))

    @Piece
    def tiled_kernel(self) -> Any:
        """The kernel for operands of any layout."""
        return partial(_channel_kernel(dense=False), address(self.task("tiled")))

    def task(self, layout: str) -> Any:
        """Return the task for a layout."""
        made = self._tasks.get(layout)
        if made is None:
            made = self._tasks[layout] = kernel(
                TASK.format(**self._words, loop=LOOPS[layout].format(**self._words)),
                f"{self.element.name}_{self.term.name}_{self.kind.name}_in_{self.compute}"
                f"{'_stored' if self.stored else ''}_{layout}",
                partial(self._names, layout),
                TASK_TYPE,
                formula=self.element.element,
            )
        return made


@once_each
def _channel_kernel(*, dense: bool) -> Any:
    """Return the kernel for contiguous operands, or for any."""
    words = {"data": DATA, "operands_at": OPERANDS, "width_at": ROWS + WIDTH}
    return kernel(
        (DENSE if dense else TILED).format(**words),
        f"channels_{'contiguous' if dense else 'tiled'}",
        lambda: {
            "dense_size": dense_size,
            "in_memory": in_memory,
            "word": word,
            "set_word": set_word,
            "run": run,
            "call_task": call_task,
        },
        types.int64(*[types.int64] * 13),
        formula=_channel_kernel,
    )


@once_each
def channel_sum(
    element: Formula, term: Formula, kind: ElementType, compute: str, *, stored: bool = False
) -> ChannelSumKernel:
    """Return the one kernel for two formulas and their types."""
    if stored and kind.name == compute:
        return channel_sum(element, term, kind, compute)  # they are of that type anyway
    return ChannelSumKernel(element, term, kind, compute, stored)
