"""Elementwise kernels: formula × codecs × layout → compiled loop.

Two layouts are compiled, each serial and parallel, each on first use. *Dense*: every operand is
contiguous and of the output's shape; one plain loop. *Tiled*: anything else (strides, broadcasting,
unaligned views, an output that is an input's view); a loop over tiles. Both apply the same formula
to the same registers, so their bits are the same.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from numba import prange, types
from numba.np.numpy_support import from_dtype
from numpy.typing import NDArray

from ..dtypes import ElementType
from ..layout import TILE, broadcast_strides, tile_plan
from .codecs import REGISTER, decoder, encoder, helper
from .compile import Once, function_from, kernel
from .formula import Formula
from .tiles import loader, stack, storer
from .twins import TwinKernel
from .vocabulary import compiled

#: elements that a thread takes at a time
CHUNK: Final = 16 * 1024

_DENSE_BODY: Final = """
def body({arrays}, out, scalars, start, stop):
{slices}
    out = out[start:stop]
    for i in range(out.size):
        out[i] = encode(formula({elements}, *scalars))
"""

_TILED_BODY: Final = """
def body({arrays}, out, plan, scalars, start, stop):
{buffers}
    result = allocate()
    n0, n1, t0, t1, outer = plan[0], plan[1], plan[2], plan[3], plan[4]
    across = (n0 + t0 - 1) // t0
    down = (n1 + t1 - 1) // t1
    for tile in range(start, stop):
        rest = tile // across
        at0 = (tile - rest * across) * t0
        tile1 = rest
        rest = rest // down
        at1 = (tile1 - rest * down) * t1
        m0 = min(t0, n0 - at0)
        m1 = min(t1, n1 - at1)
{offsets}
        for axis in range(outer - 1, -1, -1):
            size = plan[5 + axis]
            index = rest % size
            rest = rest // size
{advance}
{loads}
        for i in range(m0 * m1):
            result[i] = formula({elements}, *scalars)
{store}
"""

_SERIAL: Final = """
def kernel({operands}, count, size, {scalars}):
    body({operands}, prepare({arguments}), 0, count)
"""

_PARALLEL: Final = """
def kernel({operands}, count, size, {scalars}):
    scalars = prepare({arguments})
    for part in prange((count + {chunk} - 1) // {chunk}):
        body({operands}, scalars, part * {chunk}, min(count, part * {chunk} + {chunk}))
"""


class ElementwiseKernel(TwinKernel):
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
        self.decoders = [decoder(kind.name, compute) for kind in inputs]
        self.encode = encoder(compute, result.name, out.name)
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
        self._views = [None if t.numpy == t.storage else t.storage for t in (*inputs, out)]
        self._recast = any(self._views)

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
        if self.layout(operands, in_place) == "dense":
            self.dense(operands, scalars)
        else:
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

    def dense(self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...]) -> None:
        """Compute with contiguous operands of one shape, none of which overlaps the output."""
        out = operands[-1]
        size = out.size
        if out.ndim != 1:
            operands = tuple([array.reshape(-1) for array in operands])
        if self._recast:
            operands = tuple(
                [
                    array if view is None else array.view(view)
                    for array, view in zip(operands, self._views, strict=True)
                ]
            )
        self._launch("dense", size, *operands, size, size, *scalars)

    def tiled(self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...]) -> None:
        """Compute with operands of any layout; an output may be exactly an input's view."""
        out = operands[-1]
        if out.size == 0:
            return
        plan, tiles = tile_plan(
            out.shape, tuple([broadcast_strides(a.shape, a.strides, out.shape) for a in operands])
        )
        addresses = [array.ctypes.data for array in operands]
        self._launch("tiled", out.size, *addresses, plan, tiles, out.size, *scalars)

    def _compile(self, layout: str, *, parallel: bool) -> Any:
        body, signature, operands = self._dense_body if layout == "dense" else self._tiled_body
        count = self.formula.scalars
        scalars = [f"p{k}" for k in range(count)]
        wants_size = self.formula.prepare.__code__.co_argcount > count
        source = (_PARALLEL if parallel else _SERIAL).format(
            operands=operands,
            scalars=", ".join(scalars),
            arguments=", ".join([*scalars, "size"] if wants_size else scalars),
            chunk=CHUNK if layout == "dense" else CHUNK // TILE,
        )
        return kernel(
            source,
            f"{self.name}_{layout}_{'parallel' if parallel else 'serial'}",
            {
                "body": body,
                "prepare": compiled(self.formula.prepare, self.compute),
                "prange": prange,
            },
            types.void(*signature, types.int64, types.int64, *[types.float64] * count),
            formula=self.formula.element,
            parallel=parallel,
        )

    @Once
    def _dense_body(self) -> tuple[Any, list[Any], str]:
        """The loop over contiguous operands, its signature and its operands."""
        numbers = range(len(self.inputs))
        arrays = ", ".join(f"a{k}" for k in numbers)
        names = {"formula": compiled(self.formula.element, self.compute), "encode": self.encode}
        names.update({f"decode{k}": self.decoders[k] for k in numbers})
        source = _DENSE_BODY.format(
            arrays=arrays,
            slices="\n".join(f"    a{k} = a{k}[start:stop]" for k in numbers),
            elements=", ".join(f"decode{k}(a{k}[i])" for k in numbers),
        )
        signature = [
            types.Array(from_dtype(kind.storage), 1, "C", readonly=True) for kind in self.inputs
        ]
        signature.append(types.Array(from_dtype(self.out.storage), 1, "C"))
        return helper(function_from(source, "body", names)), signature, f"{arrays}, out"

    @Once
    def _tiled_body(self) -> tuple[Any, list[Any], str]:
        """The loop over tiles, its signature and its operands."""
        numbers = range(len(self.inputs))
        arrays = ", ".join(f"a{k}" for k in numbers)
        operands = [*(f"a{k}" for k in numbers), "out"]
        names = {
            "formula": compiled(self.formula.element, self.compute),
            "allocate": stack(REGISTER[self.compute], TILE),
            "store": storer(self.out.name, self.encode),
        }
        names.update({f"load{k}": loader(self.inputs[k].name, self.decoders[k]) for k in numbers})
        place = [f"5 + outer + {k} * (outer + 2)" for k in range(len(operands))]
        tile = "{0}_at, plan[{1}], plan[{1} + 1], m0, m1"
        source = _TILED_BODY.format(
            arrays=arrays,
            buffers="\n".join(f"    b{k} = allocate()" for k in numbers),
            elements=", ".join(f"b{k}[i]" for k in numbers),
            offsets="\n".join(
                f"        {name}_at = {name} + at0 * plan[{at}] + at1 * plan[{at} + 1]"
                for name, at in zip(operands, place, strict=True)
            ),
            advance="\n".join(
                f"            {name}_at += index * plan[{at} + 2 + axis]"
                for name, at in zip(operands, place, strict=True)
            ),
            loads="\n".join(
                f"        load{k}(b{k}, 0, m0, {tile.format(operands[k], place[k])})"
                for k in numbers
            ),
            store=f"        store(result, 0, m0, {tile.format('out', place[-1])})",
        )
        signature = [types.int64] * len(operands)
        signature.append(types.Array(types.int64, 1, "C"))
        return helper(function_from(source, "body", names)), signature, f"{arrays}, out, plan"


@cache
def elementwise(
    formula: Formula,
    inputs: tuple[ElementType, ...],
    result: ElementType,
    out: ElementType,
    compute: str,
) -> ElementwiseKernel:
    """Return the one kernel for a formula and its types."""
    return ElementwiseKernel(formula, inputs, result, out, compute)
