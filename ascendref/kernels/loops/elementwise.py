"""Elementwise kernels: formula × codecs × layout → compiled loop.

What is compiled for a formula is one task: a loop over contiguous elements. It is reached in two
ways. *Dense*: every operand is contiguous and of the output's shape; a kernel that looks at the
arrays itself, and refuses others (``header.py``), hands all of them to the task. *Tiled*: anything
else (strides, broadcasting, unaligned views, an output that is an input's view); a walk hands the
task tile after tile (``tile_walk.py``). So the bits are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from textwrap import indent
from typing import Any, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from ...core.dtypes import ElementType
from ...core.layout import broadcast_strides, tile_plan
from ..arithmetic.codecs import (
    decode_bfloat16,
    decoder,
    encode_bfloat16,
    encode_bfloat16_pair,
    encoder,
    first_bfloat16,
    remainder,
    second_bfloat16,
    unmasked,
)
from ..arithmetic.formula import Formula
from ..compiler.jit import kernel, once_each
from ..runtime.array_header import DATA, ROW, ROWS, WIDTH, Fact, dense_size, facts_of, layout_of
from ..runtime.launch import (
    CORES,
    NUMBERS,
    OPERANDS,
    SIZE,
    STREAMS,
    TASK_TYPE,
    ZERO,
    Kernel,
    Piece,
    Words,
    address,
    own_address,
    real,
    run,
)
from ..runtime.memory import in_memory, peek, poke, word
from ..runtime.nontemporal import LINE, arrive, lines, stream
from .element_loops import AT_ONCE, DENSE, KERNEL, PAIRS, STREAMED, TASK
from .tile_walk import walk_kernel, walk_task

#: elements that a thread takes at a time
PART: Final = 16 * 1024
#: elements from which stores are aligned to lines of the cache (measured: below, it costs more than
#: it gains)
_ALIGNED_FROM: Final = 256 * 1024
#: bytes of a result from which it goes past the caches (measured, with 32 MiB of them), and in how
#: large blocks
_STREAMED_FROM: Final = 16 * 1024 * 1024
_STREAMED_BLOCK: Final = 1024

#: what two BF16 numbers that follow one another are read, taken apart and written with
_PAIR_NAMES: Final = {
    "lower": first_bfloat16,
    "upper": second_bfloat16,
    "read_pair": peek("int32", apart=True),
    "write_pair": poke("int32", apart=True),
    "encode_pair": encode_bfloat16_pair,
}


class ElementwiseKernel(Kernel):
    """One formula for one combination of types, compiled piece by piece on first use.

    Parameters
    ----------
    formula : Formula
        What to compute.
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
        self.formula = formula
        self.inputs = inputs
        self.out = out
        self.compute = compute
        self.element, self.prepare = formula.arithmetic(compute)
        #: what an element is computed from: numbers of the tensors and their decoders
        self.reads = [(k, decoder(kind.name, compute)) for k, kind in enumerate(inputs)]
        if formula.remainder and compute == "float64":
            self.reads.append((len(inputs) - 1, remainder(inputs[-1].name)))
        self.encode = encoder(compute, result.name, out.name)
        self._itemsizes = tuple([kind.storage.itemsize for kind in (*inputs, out)])
        #: whether large results go past the caches, which gains nothing where arithmetic is slower
        self.streams = not formula.long
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
        self._facts = facts_of(
            (*[Fact(kind.numpy) for kind in inputs], Fact(out.numpy, result=True))
        )
        #: where they stand
        self.facts: int = self._facts.ctypes.data

    def __call__(
        self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...], in_place: bool = False
    ) -> None:
        """Compute the last operand from the others, which broadcast to its shape.

        Parameters
        ----------
        operands : tuple of ndarray
            The inputs, then the output, of the kernel's types.
        scalars : tuple of float
            The scalar arguments.
        in_place : bool
            Whether the output is exactly an input's view; any other overlap is forbidden.
        """
        dense = self.layout(operands, in_place) == "dense"
        if not (dense and self.dense(operands, scalars)):
            self.tiled(operands, scalars)

    def layout(self, operands: tuple[NDArray[Any], ...], in_place: bool) -> str:
        """Return which loop takes these operands, "dense" or "tiled"; no element is read."""
        shape = operands[-1].shape
        if in_place:
            return "tiled"
        for array in operands:
            flags = array.flags
            if array.shape != shape or not (flags.c_contiguous and flags.aligned):
                return "tiled"
        return "dense"

    def dense(self, operands: tuple[Any, ...], scalars: tuple[float, ...]) -> bool:
        """Compute with contiguous operands of one shape, none of which overlaps the output.

        Parameters
        ----------
        operands : tuple
            The inputs, any objects, then the output, an array.
        scalars : tuple of float
            The scalar arguments.

        Returns
        -------
        bool
            False, and nothing is done, for any other operands.
        """
        fixed = self._fixed(scalars)
        return self._call("dense", fixed.address, *map(id, operands)) >= 0

    def bind(self, scalars: tuple[float, ...]) -> Callable[..., int]:
        """Return the kernel for contiguous operands with its scalars.

        It takes the addresses of objects: the inputs, then the output. It returns a negative
        number, and nothing is done, if these are not operands for it.
        """
        return _bound(self.dense_kernel, self._fixed(scalars))

    def tiled(self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...]) -> None:
        """Compute with operands of any layout; an output may be exactly an input's view."""
        if operands[-1].size:
            fixed = self._walk(operands, scalars, None)
            self._call("tiled", fixed.address, *[array.ctypes.data for array in operands])

    def like(
        self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...]
    ) -> Callable[..., int]:
        """Return the kernel for operands that are laid out as these, with its scalars.

        It takes the addresses of objects: the inputs, then the output. It returns a negative
        number, and nothing is done, if they are laid out otherwise or overlap.
        """
        return _bound(self.tiled_kernel, self._walk(operands, scalars, layout_of(operands)))

    def _fixed(self, scalars: tuple[float, ...], walk: tuple[int, ...] = (), *memory: Any) -> Words:
        """Return what a kernel gets beside operands."""
        numbers = np.array(scalars, np.float64)
        at = numbers.__array_interface__["data"][0]  # `ctypes.data` takes a microsecond
        words = (self.facts, address(self.task), at, CORES.address, *walk)
        return Words(words, numbers, *memory)

    def _walk(
        self,
        operands: tuple[NDArray[Any], ...],
        scalars: tuple[float, ...],
        layout: NDArray[np.int64] | None,
    ) -> Words:
        """Return the same for operands of any layout."""
        plan, tiles = self._plan(operands)
        at = 0 if layout is None else layout.ctypes.data
        words = address(self.walk), at, plan.ctypes.data, tiles, operands[-1].size
        return self._fixed(scalars, words, layout, plan)

    def _plan(self, operands: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], int]:
        """Return how to walk operands of any layout, in how many tiles."""
        shape = operands[-1].shape
        strides = tuple([broadcast_strides(a.shape, a.strides, shape) for a in operands])
        return tile_plan(shape, strides, self._itemsizes)

    @Piece
    def dense_kernel(self) -> Any:
        """The kernel for contiguous operands."""
        return contiguous_kernel(len(self._itemsizes))

    @Piece
    def tiled_kernel(self) -> Any:
        """The kernel for operands of any layout."""
        return walk_kernel(len(self._itemsizes))

    @Piece
    def walk(self) -> Any:
        """The task that walks operands of any layout."""
        return walk_task(tuple(sorted(set(self._itemsizes))))

    def needed(self, layout: str) -> tuple[str, ...]:
        return (*super().needed(layout), "task", *(("walk",) if layout == "tiled" else ()))

    @Piece
    def task(self) -> Any:
        """The task that computes contiguous elements."""
        count = self.formula.scalars
        scalars = [f"real(numbers, {8 * k})" for k in range(count)]
        if self.prepare.__code__.co_argcount > count:
            scalars.append("size")
        size = self.out.storage.itemsize
        words = {
            "size": str(size),
            "streamed_from": str(_STREAMED_FROM // size),
            "streams_at": str(STREAMS),
            "line": str(LINE),
            "in_line": str(LINE // size),
            "in_block": str(_STREAMED_BLOCK // size),
        }
        walk, depth = (STREAMED, 8) if self.streams else (AT_ONCE, 4)
        source = TASK.format(
            size_at=SIZE,
            zero_at=ZERO,
            numbers_at=NUMBERS,
            arrays=", ".join(f"a{k}" for k in range(len(self.inputs))),
            places=", ".join(
                f"word(arguments, {OPERANDS + 8 * k})" for k in range(len(self.inputs) + 1)
            ),
            scalars=", ".join(scalars),
            walk=walk.format(loop=indent(self._filled(self._loop), " " * depth), **words),
        )
        return kernel(source, self.name, self._names, TASK_TYPE, formula=self.element)

    @property
    def _loop(self) -> str:
        """Source of the loop over contiguous operands."""
        return PAIRS if self._in_pairs else DENSE

    @property
    def _in_pairs(self) -> bool:
        """Whether all operands are BF16 and are computed in F32."""
        decoders = {decode for _, decode in self.reads}
        return self.encode is encode_bfloat16 and decoders == {decode_bfloat16}

    def _filled(self, source: str) -> str:
        """Return the source of a loop for these operands."""
        sizes = [kind.storage.itemsize for kind in self.inputs]
        elements = [
            f"decode{k}(read{k}(a{at}, i * {sizes[at]}))" for k, (at, _) in enumerate(self.reads)
        ]
        if self.formula.selects:
            # what is selected is the first tensor
            elements[0] = f"decode0(unmasked(read0(a0, i * {sizes[0]}), zero))"
        return source.format(
            arrays=", ".join(f"a{k}" for k in range(len(sizes))),
            elements=", ".join(elements),
            size=self.out.storage.itemsize,
            firsts=_halves("lower", len(sizes)),
            seconds=_halves("upper", len(sizes)),
        )

    def _names(self) -> dict[str, Any]:
        """Return what the names in the task mean."""
        names = {
            "own_address": own_address,
            "word": word,
            "real": real,
            "prepare": self._bound(self.prepare),
            "formula": self._bound(self.element),
            "unmasked": unmasked,
            "encode": self.encode,
            "write": poke(self.out.name, apart=True),
            "allocate_lines": lines(_STREAMED_BLOCK // LINE),
            "stream": stream,
            "arrive": arrive,
        }
        for k, (at, decode) in enumerate(self.reads):
            names |= {f"decode{k}": decode, f"read{k}": peek(self.inputs[at].name, apart=True)}
        return names | _PAIR_NAMES

    def _bound(self, function: Callable[..., Any]) -> Any:
        """Return a part of the formula, compiled for the compute type."""
        from ..arithmetic.binding import compiled  # not needed by a process that only loads kernels

        return compiled(function, self.compute)


@once_each
def contiguous_kernel(operands: int) -> Any:
    """Return the kernel for so many contiguous operands.

    It is a function of the address of what is fixed and of the operands. Fixed are the addresses of
    facts (`facts_of`), task, scalars and cores. There is source because it has as many parameters
    as there are operands.
    """
    names = [f"a{k}" for k in range(operands)]
    source = KERNEL.format(
        operands=", ".join(names),
        addresses=", ".join(f"word({name}, {DATA})" for name in names),
        last=names[-1],
        data=DATA,
        line=LINE,
        width_at=ROWS + ROW * (operands - 1) + WIDTH,
        aligned_from=_ALIGNED_FROM,
        part=PART,
    )
    return kernel(
        source,
        f"contiguous_{operands}_operands",
        lambda: {"dense_size": dense_size, "in_memory": in_memory, "word": word, "run": run},
        types.int64(*[types.int64] * (1 + operands)),
        formula=contiguous_kernel,
    )


def _bound(kernel: Any, fixed: Words) -> Callable[..., int]:
    """Return a kernel of which only the operands are missing."""
    bound = partial(kernel, fixed.address)
    bound.__dict__["fixed"] = fixed  # lives as long
    return bound


def _halves(half: str, tensors: int) -> str:
    """Return the first or the second elements of pairs, as arguments."""
    return ", ".join(f"{half}(read_pair(a{k}, pair))" for k in range(tensors))


@once_each
def elementwise(
    formula: Formula,
    inputs: tuple[ElementType, ...],
    result: ElementType,
    out: ElementType,
    compute: str,
) -> ElementwiseKernel:
    """Return the one kernel for a formula and its types."""
    return ElementwiseKernel(formula, inputs, result, out, compute)
