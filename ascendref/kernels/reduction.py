"""An elementwise result together with one sum per channel, in one pass.

The bits of the sum do not depend on threads, chunks or strides, because its tree is fixed by the
number of terms alone. The terms of a channel are numbered in C order. Block b holds terms
1024 b … 1024 b + 1023; inside it, sixteen running sums start at −0 (the neutral element of IEEE
addition), term k is added to sum k mod 16, and the sixteen are halved by adding the upper half to
the lower. Blocks are then added in pairs, neighbours first, an odd last one moving up unchanged.
Every addition is rounded to the compute type.
"""

from __future__ import annotations

from functools import cache, lru_cache, partial
from math import prod
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
    STRIP,
    TILE,
    ChannelPlan,
    broadcast_strides,
    channel_plan,
)
from .codecs import REGISTER, ROUND, decoder, encoder, helper, outlined
from .compile import Once, function_from, kernel
from .formula import Formula
from .header import address, channel_size, facts_of
from .tiles import loader, peek, poke, stack, storer
from .twins import TwinKernel
from .vocabulary import compiled

_PLACE: Final = """
def place(plan, operand, channel, term):
    axes = plan[6]
    at = 7 + axes + operand * (axes + 1)
    offset = channel * plan[at]
    for axis in range(axes - 1, -1, -1):
        size = plan[7 + axis]
        after = term // size
        offset += (term - after * size) * plan[at + 1 + axis]
        term = after
    return offset
"""

_BODY: Final = """
def body(grad, data, weight, result, sums, sums_stride, plan, partial, blocks, start, stop):
    outlined()
    hard = 0
    grads = allocate()
    datas = allocate()
    results = allocate()
    weights = allocate_weights()
    lanes = allocate_lanes()
    channels, terms, strip, segment = plan[0], plan[1], plan[2], plan[3]
    columns, axes = plan[5] == 1, plan[6]
    inner = plan[6 + axes] if axes else 1
    strips = (channels + strip - 1) // strip
    # a tile has terms as rows of channels, or channels as rows of terms
    step, pitch = (strip, strip) if columns else (1, segment)
    across = 7 + axes
    along = across + axes
    at_0, at_1 = (across, along) if columns else (along, across)
    grad_0, grad_1 = plan[at_0], plan[at_1]
    data_0, data_1 = plan[at_0 + axes + 1], plan[at_1 + axes + 1]
    result_0, result_1 = plan[at_0 + 2 * axes + 2], plan[at_1 + 2 * axes + 2]
    weight_axes = 10 + 4 * axes
    weight_rank = plan[weight_axes]
    # where a channel and a running sum stand among the running sums
    lane_c, lane_k = (1, strip) if columns else ({lanes}, 1)
    for task in range(start, stop):
        block = task // strips
        channel = (task - block * strips) * strip
        height = min(strip, channels - channel)
        for c in range(height):
            rest = channel + c
            offset = 0
            for axis in range(weight_rank - 1, -1, -1):
                size = plan[weight_axes + 1 + axis]
                after = rest // size
                offset += (rest - after * size) * plan[weight_axes + 1 + weight_rank + axis]
                rest = after
            weights[c] = decode(read(weight, offset))
        end = min(terms, (block + 1) * {block})
        # the others stay at -0, which adds nothing
        used = min({lanes}, end - block * {block})
        for i in range(strip * (used if columns else {lanes})):
            {clear}
        for first in range(block * {block}, end, segment):
            width = min(segment, end - first)
            done = 0
            while done < width:
                term = first + done
                run = min(width - done, inner - term % inner)
                grad_at = grad + place(plan, 0, channel, term)
                data_at = data + place(plan, 1, channel, term)
                m0, m1 = (height, run) if columns else (run, height)
                load(grads, done * step, pitch, grad_at, grad_0, grad_1, m0, m1)
                load(datas, done * step, pitch, data_at, data_0, data_1, m0, m1)
                done += run
            if columns:
                for k in range(width):
                    row = k * strip
                    lane = k % {lanes} * strip
                    for c in range(height):
                        results[row + c] = element(grads[row + c], datas[row + c], weights[c])
                        {add_column}
            else:
                whole = width // {lanes} * {lanes}
                for c in range(height):
                    row = c * segment
                    w = weights[c]
                    for i in range(row, row + width):
                        results[i] = element(grads[i], datas[i], w)
{add_row}
            done = 0
            while done < width:
                term = first + done
                run = min(width - done, inner - term % inner)
                at = result + place(plan, 2, channel, term)
                m0, m1 = (height, run) if columns else (run, height)
                store(results, done * step, pitch, at, result_0, result_1, m0, m1)
                done += run
        half = {lanes} // 2
        while half:
            for lane in range(used - half):
                for c in range(height):
                    k = c * lane_c + lane * lane_k
                    {halve}
            used = min(used, half)
            half //= 2
        for c in range(height):
{deliver}
    return hard
"""

#: what the body does with its running sums; ``true_sum.py`` has others
_PLAIN: Final = {
    "clear": "lanes[i] = minus_zero",
    "add_column": (
        "lanes[lane + c] = rnd(lanes[lane + c] + term_of(grads[row + c], datas[row + c]))"
    ),
    "add_row": """
                    for i in range(row, row + width):
                        grads[i] = term_of(grads[i], datas[i])
                    for i in range(0, whole, {lanes}):
                        for lane in range({lanes}):
                            k = c * {lanes} + lane
                            lanes[k] = rnd(lanes[k] + grads[row + i + lane])
                    for i in range(whole, width):
                        k = c * {lanes} + i - whole
                        lanes[k] = rnd(lanes[k] + grads[row + i])
""",
    "halve": "lanes[k] = rnd(lanes[k] + lanes[k + half * lane_k])",
    "deliver": """
            if partial.size:
                partial[(channel + c) * blocks + block] = lanes[c * lane_c]
            else:
                write(sums, (channel + c) * sums_stride, encode(lanes[c * lane_c]))
""",
}

_STORED_TERM: Final = """
def term_of(grad, data):
    return stored(term(grad, data))
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

#: what a kernel for contiguous operands does first
_DENSE: Final = """
    if channel_size(facts, (grad, data, weight, result, sums)) < 0:
        return -1
    grad, data, weight = address(grad), address(data), address(weight)
    result, sums = address(result), address(sums)
"""

_SERIAL: Final = """
def kernel({parameters}, sums_stride, plan, partial, tasks, blocks):
{start}
    hard = body(grad, data, weight, result, sums, sums_stride, plan, partial, blocks, 0, tasks)
    return hard + finish(grad, data, sums, sums_stride, plan, partial, blocks)
"""

_PARALLEL: Final = """
def kernel({parameters}, sums_stride, plan, partial, tasks, blocks):
{start}
    group = plan[4]
    hard = 0
    for part in prange((tasks + group - 1) // group):
        start = part * group
        stop = min(tasks, start + group)
        hard += body(
            grad, data, weight, result, sums, sums_stride, plan, partial, blocks, start, stop
        )
    return hard + finish(grad, data, sums, sums_stride, plan, partial, blocks)
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

    #: what the body does with its running sums, and what becomes of the sums of blocks
    _sums: ClassVar[dict[str, str]] = _PLAIN
    _finish: ClassVar[str] = _FINISH
    #: whether what a kernel returns is counted by ``_launch``
    _counts: ClassVar[bool] = False

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
        plan = _dense_plan(data.shape, data.itemsize, weight.size)
        partial_sums = self._partial_sums(self._room(weight.size, plan.blocks, False), scratch)
        if data.size < PARALLEL_FROM and not self._counts:
            call = self.dense_serial
        else:
            call = partial(self._launch, "dense", data.size)
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
    def _helpers(self) -> dict[str, Any]:
        kind, compute, register = self.kind.name, self.compute, self.register
        decode, encode = decoder(kind, compute), encoder(compute, kind, kind)
        names = {
            "outlined": outlined,
            "place": helper(function_from(_PLACE, "place", {})),
            "element": compiled(self.element.element, compute),
            "allocate": stack(register, 2 * TILE),
            "allocate_weights": stack(register, STRIP),
            "rnd": ROUND[compute],
            "decode": decode,
            "encode": encode,
            "read": peek(kind),
            "write": poke(kind),
            "load": loader(kind, decode),
            "store": storer(kind, encode),
        }
        names |= self._sum_names(names)
        sums = {name: code.format(lanes=LANES) for name, code in self._sums.items()}
        body = _BODY.format(block=BLOCK, lanes=LANES, **sums)
        return {
            "body": helper(function_from(body, "body", names)),
            "finish": helper(function_from(self._finish, "finish", names)),
            "address": address,
            "channel_size": channel_size,
            "prange": prange,
        }

    def _sum_names(self, names: dict[str, Any]) -> dict[str, Any]:
        """Return what the names in ``_sums`` and ``_finish`` mean, beside those given."""
        term = compiled(self.term.element, self.compute)
        if self.stored:
            both = {"term": term, "stored": ROUND[self.kind.name]}
            term = helper(function_from(_STORED_TERM, "term_of", both))
        return {
            "term_of": term,
            "allocate_lanes": stack(self.register, STRIP * LANES),
            "minus_zero": self.register(-0.0),
        }

    def _compile(self, layout: str, *, parallel: bool) -> Any:
        dense = layout == "dense"
        names = ["facts"] if dense else []
        names += ["grad", "data", "weight", "result", "sums"]
        return kernel(
            (_PARALLEL if parallel else _SERIAL).format(
                parameters=", ".join(names), start=_DENSE if dense else ""
            ),
            f"{self.element.name}_{self.term.name}_{self.kind.name}_in_{self.compute}"
            f"{'_stored' if self.stored else ''}_{layout}_{'parallel' if parallel else 'serial'}",
            lambda: self._helpers,
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


@lru_cache(maxsize=1024)
def _dense_plan(shape: tuple[int, ...], itemsize: int, channels: int) -> ChannelPlan:
    """Return the plan for contiguous operands."""
    strides = tuple(itemsize * prod(shape[axis + 1 :]) for axis in range(len(shape)))
    weight = ((channels,), (itemsize,))
    return channel_plan(shape, (strides,) * 3, 1 if channels > 1 else None, weight)


@cache
def channel_sum(
    element: Formula, term: Formula, kind: ElementType, compute: str, *, stored: bool = False
) -> ChannelSumKernel:
    """Return the one kernel for two formulas and their types."""
    if stored and kind.name == compute:
        return channel_sum(element, term, kind, compute)  # they are of that type anyway
    return ChannelSumKernel(element, term, kind, compute, stored)
