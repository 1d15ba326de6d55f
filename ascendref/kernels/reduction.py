"""An elementwise result together with one sum per channel, in one pass.

The bits of the sum do not depend on threads, chunks or strides, because its tree is fixed by the
number of terms alone. The terms of a channel are numbered in C order. Block b holds terms
1024 b … 1024 b + 1023; inside it, sixteen running sums start at −0 (the neutral element of IEEE
addition), term k is added to sum k mod 16, and the sixteen are halved by adding the upper half to
the lower. Blocks are then added in pairs, neighbours first, an odd last one moving up unchanged.
Every addition is rounded to the compute type.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any, ClassVar, Final

import numpy as np
from numba import prange, types
from numba.np.numpy_support import from_dtype
from numpy.typing import NDArray

from ..dtypes import ElementType
from ..layout import (
    BLOCK,
    LANES,
    PARALLEL_FROM,
    SHARE,
    STRIP,
    TILE,
    broadcast_strides,
    channel_plan,
    dense_channel_plan,
)
from .channel_loops import BODIES, KEEP_MANY, LOOK, MANY, PARALLEL, PLACES, SERIAL
from .codecs import REGISTER, ROUND, decoder, encoder, helper, inlined, merged, outlined, same
from .compile import Once, function_from, kernel
from .formula import Formula
from .header import address, channel_size, facts_of
from .tiles import loader, peek, poke, row_adder, stack, storer
from .twins import TwinKernel
from .vocabulary import compiled

_STORED_TERM: Final = """
def term_of(grad, data):
    return stored(term(grad, data))
"""

_ADD_ALL_KEPT: Final = """
def add_all_kept(lanes, first, kept, start, stop):
    for i in range(start, stop, {lanes}):
        for lane in range({lanes}):
            add_kept(lanes, first + lane, kept, i + lane)
"""

_FINISH: Final = """
def finish(grad, data, sums, sums_stride, plan, partial, blocks):
    if not partial.size:
        return 0
    for channel in range(plan[0]):
        row = channel * blocks
        count = blocks
        while count > 1:
            for i in range(count // 2):
                partial[row + i] = rnd(partial[row + 2 * i] + partial[row + 2 * i + 1])
            if count % 2:
                partial[row + count // 2] = partial[row + count - 1]
            count = (count + 1) // 2
        write(sums, channel * sums_stride, encode(partial[row]))
    return 0
"""

#: gradient, data, weight and result
Operands = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


class ChannelSumKernel(TwinKernel):
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

    #: what becomes of the sums of blocks
    _finish: ClassVar[str] = _FINISH

    def __init__(
        self, element: Formula, term: Formula, kind: ElementType, compute: str, stored: bool
    ) -> None:
        self.element = element
        self.term = term
        self.kind = kind
        self.compute = compute
        self.stored = stored
        self.register = REGISTER[compute]
        self._nothing: NDArray[Any] = np.empty(0, self.register)
        self._facts = facts_of((kind.numpy,) * 5)
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
        dense = self.layout((*operands, sums), in_place) == "dense"
        if not (dense and self.dense(operands, sums, scratch)):
            self._tiled(operands, sums, channel, in_place, scratch)

    def layout(self, arrays: tuple[NDArray[Any], ...], in_place: bool) -> str:
        """Return which loop takes operands and sums, "dense" or "tiled"; no element is read."""
        flags = [array.flags for array in arrays]
        if (
            not in_place
            and arrays[0].shape == arrays[1].shape
            and all([flag.c_contiguous and flag.aligned for flag in flags])
        ):
            return "dense"
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
        arguments = (
            *[array.ctypes.data for array in (*operands, sums)],
            sums.strides[0] if sums.ndim == 1 else 0,
            plan.plan,
            self._partial_sums(self._room(sums.size, plan.blocks, in_place), scratch),
            plan.tasks,
            plan.blocks,
        )
        self._launch("tiled", result.size, *arguments)

    def dense(
        self, operands: Operands, sums: NDArray[Any], scratch: NDArray[np.uint8] | None = None
    ) -> bool:
        """Compute with contiguous operands, where the gradient has the data's shape.

        The number of channels must be that of the weight, or 1.

        Returns
        -------
        bool
            False, and nothing is done, for any other operands, which may be any objects but for
            the data and the weight, and where the weight or the sums have another rank than 1.
        """
        grad, data, weight, result = operands
        plan = dense_channel_plan(data.shape, weight.size)
        partial_sums = self._partial_sums(self._room(weight.size, plan.blocks, False), scratch)
        # a task is never shared
        work = min(data.size, plan.tasks * SHARE)
        if work < PARALLEL_FROM and not self.counts:
            call = self.dense_serial
        else:
            call = partial(self._launch, "dense", work)
        done = call(
            self._facts_at,
            id(grad),
            id(data),
            id(weight),
            id(result),
            id(sums),
            data.itemsize,
            plan.plan,
            partial_sums,
            plan.tasks,
            plan.blocks,
        )
        return bool(done >= 0)

    def _partial_sums(self, room: int, scratch: NDArray[np.uint8] | None) -> NDArray[Any]:
        """Return where so many partial sums go."""
        if not room:
            return self._nothing
        if scratch is None:
            return np.empty(room, self.register)
        return scratch[: room * np.dtype(self.register).itemsize].view(self.register)

    def _room(self, channels: int, blocks: int, in_place: bool) -> int:
        """Return how many partial sums are kept until the end.

        The sums of a single block need no room, unless writing them would change an input.
        """
        return channels * blocks if blocks > 1 or in_place else 0

    @Once
    def _dense_helpers(self) -> dict[str, Any]:
        return self._helpers("dense")

    @Once
    def _tiled_helpers(self) -> dict[str, Any]:
        return self._helpers("tiled")

    def _helpers(self, layout: str) -> dict[str, Any]:
        kind, compute, register = self.kind.name, self.compute, self.register
        decode, encode = decoder(kind, compute), encoder(compute, kind, kind)
        numbers = {"block": BLOCK, "lanes": LANES, "size": self.kind.storage.itemsize}
        place = function_from(PLACES[layout].format(**numbers), "place", {})
        names = {
            "outlined": outlined,
            "place": helper(place),
            "element": compiled(self.element.element, compute),
            "allocate": stack(register, 2 * TILE),
            "decode": decode,
            "encode": encode,
            "read": peek(kind),
            "write": poke(kind),
        }
        names |= self._sums(names)
        if layout == "dense":
            apart = {"read": peek(kind, apart=True), "write": poke(kind, apart=True)}
            for name, source in (("many", MANY), ("keep_many", KEEP_MANY)):
                made = function_from(source.format(**numbers), name, names | apart)
                names[name] = inlined(made)
        else:
            names["load"], names["store"] = loader(kind, decode), storer(kind, encode)
        return {
            "body": function_from(BODIES[layout].format(**numbers), "body", names),
            "finish": function_from(self._finish, "finish", names),
            "address": address,
            "channel_size": channel_size,
            "prange": prange,
        }

    def _sums(self, names: dict[str, Any]) -> dict[str, Any]:
        """Return what running sums are and what can be done with them, beside what is given."""
        rnd, register, encode, write = (
            ROUND[self.compute],
            self.register,
            names["encode"],
            names["write"],
        )
        minus_zero = register(-0.0)
        term_of = compiled(self.term.element, self.compute)
        if self.stored:
            both = {"term": term_of, "stored": ROUND[self.kind.name]}
            term_of = helper(function_from(_STORED_TERM, "term_of", both))

        @merged
        def clear(lanes: Any, k: Any) -> None:
            lanes[k] = minus_zero

        @merged
        def add(lanes: Any, k: Any, grad: Any, data: Any) -> None:
            lanes[k] = rnd(lanes[k] + term_of(grad, data))

        @merged
        def keep(kept: Any, i: Any, grad: Any, data: Any) -> None:
            kept[i] = term_of(grad, data)

        @merged
        def add_kept(lanes: Any, k: Any, kept: Any, i: Any) -> None:
            lanes[k] = rnd(lanes[k] + kept[i])

        add_rows = row_adder(register, LANES)

        @merged
        def add_all_kept(lanes: Any, first: Any, kept: Any, start: Any, stop: Any) -> None:
            add_rows(lanes, first, kept, start, stop)

        @merged
        def merge(lanes: Any, k: Any, other: Any) -> None:
            lanes[k] = rnd(lanes[k] + lanes[other])

        @merged
        def put(partial: Any, at: Any, lanes: Any, k: Any) -> None:
            partial[at] = lanes[k]

        @merged
        def deliver(
            grad: Any,
            data: Any,
            sums: Any,
            stride: Any,
            plan: Any,
            channel: Any,
            lanes: Any,
            k: Any,
        ) -> Any:
            write(sums, channel * stride, encode(lanes[k]))
            return 0

        return {
            "allocate_lanes": stack(register, STRIP * LANES),
            "clear": clear,
            "add": add,
            "allocate_kept": stack(register, BLOCK),
            "keep": keep,
            "add_kept": add_kept,
            "add_all_kept": all_kept(add_kept) if rnd is not same else add_all_kept,
            "merge": merge,
            "put": put,
            "deliver": deliver,
            "rnd": rnd,
        }

    def _compile(self, layout: str, *, parallel: bool) -> Any:
        dense = layout == "dense"
        names = ["facts"] if dense else []
        names += ["grad", "data", "weight", "result", "sums"]

        def names_of() -> dict[str, Any]:
            helpers: dict[str, Any] = self._dense_helpers if dense else self._tiled_helpers
            # as a part of the kernel it is compiled once less, but shares the registers with the
            # rest of a parallel one
            compiled_in = helper if parallel else merged
            return helpers | {name: compiled_in(helpers[name]) for name in ("body", "finish")}

        return kernel(
            (PARALLEL if parallel else SERIAL).format(
                parameters=", ".join(names),
                start=LOOK if dense else "",
                counting="hard += " if self.counts else "",
            ),
            f"{self.element.name}_{self.term.name}_{self.kind.name}_in_{self.compute}"
            f"{'_stored' if self.stored else ''}_{layout}_{'parallel' if parallel else 'serial'}",
            names_of,
            types.int64(
                *[types.int64] * len(names),
                types.int64,
                types.Array(types.int64, 1, "C"),
                types.Array(from_dtype(self.register), 1, "C"),
                types.int64,
                types.int64,
            ),
            formula=self.element.element,
            parallel=parallel,
        )


def all_kept(add_kept: Any) -> Any:
    """Return the function that adds what is kept from ``start`` on to all running sums in turn."""
    made = function_from(_ADD_ALL_KEPT.format(lanes=LANES), "add_all_kept", {"add_kept": add_kept})
    return helper(made)


@cache
def channel_sum(
    element: Formula, term: Formula, kind: ElementType, compute: str, *, stored: bool = False
) -> ChannelSumKernel:
    """Return the one kernel for two formulas and their types."""
    if stored and kind.name == compute:
        return channel_sum(element, term, kind, compute)  # they are of that type anyway
    return ChannelSumKernel(element, term, kind, compute, stored)
