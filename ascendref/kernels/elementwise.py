"""Elementwise kernels: formula × codecs × layout → compiled loop.

Two layouts are compiled, each serial and parallel, each on first use. *Dense*: every operand is
contiguous and of the output's shape; one plain loop, in a kernel that looks at the arrays itself
and refuses others (``header.py``). *Tiled*: anything else (strides, broadcasting, unaligned views,
an output that is an input's view); a loop over tiles. Both apply the same formula to the same
registers, so their bits are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from numba import prange, types
from numpy.typing import NDArray

from ..dtypes import ElementType
from ..layout import TILE, broadcast_strides, tile_plan
from .codecs import (
    decode_bfloat16,
    decoder,
    encode_bfloat16,
    encode_bfloat16_pair,
    encoder,
    first_bfloat16,
    helper,
    merged,
    outlined,
    remainder,
    same,
    second_bfloat16,
)
from .compile import Once, function_from, kernel, once_each
from .element_loops import DENSE, ENDS, KERNEL, PAIRS, STREAMED, TILED
from .formula import Formula
from .header import DATA, Fact, are_laid_out, dense_size, facts_of, layout_of, word
from .streams import LINE, arrive, lines, stream
from .tiles import fetcher, is_one_piece, peek, pointer_to, poke, repeats, storer
from .twins import DenseKernel, Twin

#: elements that a thread takes at a time
CHUNK: Final = 16 * 1024
#: bytes of a result from which it goes past the caches (measured, with 32 MiB of them), and in how
#: large blocks
_STREAMED_FROM: Final = 16 * 1024 * 1024
_STREAMED_BLOCK: Final = 1024
#: elements from which stores are aligned to lines (measured: below, it costs more than it gains)
_ALIGNED_FROM: Final = 256 * 1024

_PLAN: Final = types.Array(types.int64, 1, "C")
_NO_LAYOUT: Final = np.zeros(1, np.int64)
#: what two BF16 numbers that follow one another are read, taken apart and written with
_PAIR_NAMES: Final = {
    "first": first_bfloat16,
    "second": second_bfloat16,
    "read_pair": peek("int32", apart=True),
    "write_pair": poke("int32", apart=True),
    "encode_pair": encode_bfloat16_pair,
}


class ElementwiseKernel(DenseKernel):
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

    tiled_serial = Twin()
    tiled_parallel = Twin()

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
        widest = max(kind.storage.itemsize for kind in (*inputs, out))
        #: elements in a tile
        self.tile = 2 * TILE if widest <= 2 else TILE
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
        size = operands[-1].size
        twin = self.launcher("dense", size, self.facts, *scalars)
        return bool(twin(*map(id, operands)) >= 0)

    def bind(self, scalars: tuple[float, ...]) -> BoundKernel:
        """Return the loop over contiguous operands with its scalars."""
        return BoundKernel(self, scalars)

    def tiled(self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...]) -> None:
        """Compute with operands of any layout; an output may be exactly an input's view."""
        out = operands[-1]
        if out.size == 0:
            return
        plan, tiles = self._plan(operands)
        addresses = [array.ctypes.data for array in operands]
        self._launch("tiled", out.size, 0, _NO_LAYOUT, plan, tiles, out.size, *scalars, *addresses)

    def like(self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...]) -> Any:
        """Return the loop over operands that are laid out as these, with its scalars.

        It takes the addresses of objects: the inputs, then the output. It returns a negative
        number, and nothing is done, if they are laid out otherwise or overlap.
        """
        size = operands[-1].size
        plan, tiles = self._plan(operands)
        layout = layout_of(operands)
        return self.launcher("tiled", size, self.facts, layout, plan, tiles, size, *scalars)

    def _plan(self, operands: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], int]:
        """Return how to walk operands of any layout, in how many tiles."""
        shape = operands[-1].shape
        strides = tuple([broadcast_strides(a.shape, a.strides, shape) for a in operands])
        return tile_plan(shape, strides, self.tile)

    def _compile(self, layout: str, *, parallel: bool) -> Any:
        count = self.formula.scalars
        scalars = [f"p{k}" for k in range(count)]
        wants_size = self.prepare.__code__.co_argcount > count
        operands = [*(f"a{k}" for k in range(len(self.inputs))), "out"]
        streamed = layout == "dense" and self.streams
        between, start = ENDS[layout]
        words = {
            "operands": ", ".join(operands),
            "addresses": ", ".join(f"word({name}, {DATA})" for name in operands),
            "aligned_from": str(_ALIGNED_FROM),
            "line": str(LINE),
            "size": str(self.out.storage.itemsize),
        }
        source = KERNEL.format(
            parameters=", ".join([*between, *scalars, *operands]),
            start=start.format(**words),
            arguments=", ".join([*scalars, "size"] if wants_size else scalars),
            range="prange" if parallel else "range",
            counting="hard += " if self.counts else "",
            given=words["operands"]
            + (", plan" if layout == "tiled" else ", count" if streamed else ""),
        )
        integers = [types.int64] * len(operands)
        kinds = [_PLAN if name in ("layout", "plan") else types.int64 for name in between]
        return kernel(
            source,
            f"{self.name}_{layout}_{'parallel' if parallel else 'serial'}",
            lambda: {
                "body": getattr(self, "_streamed_body" if streamed else f"_{layout}_body"),
                "prepare": self._bound(self.prepare),
                "prange": prange,
                "chunk": CHUNK if layout == "dense" else CHUNK // self.tile,
                "dense_size": dense_size,
                "are_laid_out": are_laid_out,
                "word": word,
            },
            types.int64(*kinds, *[types.float64] * count, *integers),
            formula=self.element,
            parallel=parallel,
        )

    @Once
    def _streamed_body(self) -> Any:
        """The loop over contiguous operands, whose result may go past the caches."""
        size = self.out.storage.itemsize
        source = STREAMED.format(
            arrays=", ".join(f"a{k}" for k in range(len(self.inputs))),
            size=size,
            streamed_from=_STREAMED_FROM // size,
            line=LINE,
            in_line=LINE // size,
            in_block=_STREAMED_BLOCK // size,
        )
        names = {
            "loop": self._dense_body,
            "allocate": lines(_STREAMED_BLOCK // LINE),
            "stream": stream,
            "arrive": arrive,
        }
        return merged(function_from(source, "body", names))

    @Once
    def _dense_body(self) -> Any:
        """The loop over contiguous operands at some addresses."""
        if self.encode is encode_bfloat16 and {decode for _, decode in self.reads} == {
            decode_bfloat16
        }:
            return self._dense_loop(PAIRS, self._names() | _PAIR_NAMES)
        return self._dense_loop(DENSE, self._names())

    def _dense_loop(self, source: str, names: dict[str, Any]) -> Any:
        """Return a loop over contiguous operands, compiled from source with some names."""
        sizes = [kind.storage.itemsize for kind in self.inputs]
        source = source.format(
            arrays=", ".join(f"a{k}" for k in range(len(sizes))),
            elements=", ".join(
                f"decode{k}(read{k}(a{at}, i * {sizes[at]}))"
                for k, (at, _) in enumerate(self.reads)
            ),
            size=self.out.storage.itemsize,
            firsts=_halves("first", len(sizes)),
            seconds=_halves("second", len(sizes)),
        )
        names = names | {"encode": self.encode, "write": poke(self.out.name, apart=True)}
        for k, (at, decode) in enumerate(self.reads):
            names |= {f"decode{k}": decode, f"read{k}": peek(self.inputs[at].name, apart=True)}
        return helper(function_from(source, "body", names))

    @Once
    def _tiled_body(self) -> Any:
        """The loop over tiles of operands at some addresses."""
        inputs = [f"a{k}" for k in range(len(self.inputs))]
        operands = [*inputs, "out"]
        place = [f"5 + outer + {k} * (outer + 2)" for k in range(len(operands))]
        tile = "{0}_at, {0}_0, {0}_1, m0, m1"
        storage = self.out.storage
        sizes = [kind.storage.itemsize for kind in self.inputs]
        source = TILED.format(
            arrays=", ".join(inputs),
            buffers="\n".join(
                f"    {name}_buffer = allocate_{name}()\n    {name}_held = (0, 0, 0)"
                for name in inputs
            ),
            elements=", ".join(f"{name}_here" for name in inputs),
            origins="\n".join(
                f"    {name}_origin = {name}\n    {name}_0, {name}_1 = plan[{at}], plan[{at} + 1]"
                for name, at in zip(operands, place, strict=True)
            ),
            restart="\n".join(f"            {name}_origin = {name}" for name in operands),
            advance="\n".join(
                f"                {name}_origin += index * plan[{at} + 2 + axis]"
                for name, at in zip(operands, place, strict=True)
            ),
            offsets="\n".join(
                f"        {name}_at = {name}_origin + at0 * {name}_0 + at1 * {name}_1"
                for name in operands
            ),
            loads="\n".join(
                f"        {name}_here, {name}_held = fetch_{name}({name}_buffer, {name}_held,"
                f" {tile.format(name)})"
                for name in inputs
            ),
            out_tile=tile.format("out"),
            apart=" and ".join(f"out_at != {name}_at" for name in inputs),
            regular=" and ".join(
                [f"is_one_piece({storage.itemsize}, out, out_0, out_1, n0, n1)"]
                + [
                    f"out != {name} and (is_one_piece({size}, {name}, {name}_0, {name}_1, n0, n1)"
                    f" or repeats({size}, {storage.itemsize}, {name}_0, {name}_1, n0, t1))"
                    for name, size in zip(inputs, sizes, strict=True)
                ]
            ),
            first_tiles="\n".join(
                f"        {name}_here, {name}_held = fetch_{name}({name}_buffer, {name}_held,"
                f" {name}, {name}_0, {name}_1, t0, t1)\n"
                f"        {name}_step = {size} if {name}_here == {name} else 0"
                for name, size in zip(inputs, sizes, strict=True)
            ),
            nexts=", ".join(f"{name}_here + here * {name}_step" for name in inputs),
            aligned_from=_ALIGNED_FROM,
            line=LINE,
            size=storage.itemsize,
        )
        names = {
            "outlined": outlined,
            "loop": self._dense_body,
            "allocate": lines(self.tile * storage.itemsize // LINE),
            "is_one_piece": is_one_piece,
            "repeats": repeats,
            "pointer": pointer_to(storage),
            "store": storer(self.out.name, same),
        }
        for name, kind in zip(inputs, self.inputs, strict=True):
            names[f"allocate_{name}"] = lines(self.tile * kind.storage.itemsize // LINE + 1)
            names[f"fetch_{name}"] = fetcher(kind.name)
        return helper(function_from(source, "body", names))

    def _names(self) -> dict[str, Any]:
        """Return what the names in the middle of the loops mean."""
        return {"formula": self._bound(self.element), "outlined": outlined}

    def _bound(self, function: Callable[..., Any]) -> Any:
        """Return a part of the formula, compiled for the compute type."""
        from .vocabulary import compiled  # not needed by a process that only loads kernels

        return compiled(function, self.compute)


class BoundKernel(DenseKernel):
    """A kernel's loop over contiguous operands, with its scalars.

    ``small`` takes the addresses of objects: the inputs, then the output; ``large`` their size
    before that. They return a negative number, and nothing is done, if these are not operands for
    the loop.

    Parameters
    ----------
    kernel : ElementwiseKernel
        The kernel.
    scalars : tuple of float
        The scalar arguments.
    """

    def __init__(self, kernel: ElementwiseKernel, scalars: tuple[float, ...]) -> None:
        self._kernel = kernel
        self._fixed = (kernel.facts, *scalars)

    @Once
    def small(self) -> Any:
        """The loop for work that one thread does."""
        return self.launcher("dense", 0)

    @Once
    def large(self) -> Any:
        """The loop for work that pays the cores."""
        return partial(self._launch, "dense")

    def _compile(self, layout: str, *, parallel: bool) -> Any:
        twin = self._kernel.dense_parallel if parallel else self._kernel.dense_serial
        return partial(twin, *self._fixed)


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
