"""Elementwise kernels: formula × codecs × layout → compiled loop.

Two layouts are compiled, each serial and parallel, each on first use. *Dense*: every operand is
contiguous and of the output's shape; one plain loop. *Tiled*: anything else (strides, broadcasting,
unaligned views, an output that is an input's view); a loop over tiles. Both apply the same formula
to the same registers, so their bits are the same.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Final

from numba import prange, types
from numba.np.numpy_support import from_dtype
from numpy.typing import NDArray

from ..dtypes import ElementType
from ..layout import TILE, broadcast_strides, tile_plan
from .codecs import REGISTER, decoder, encoder, helper, remainder
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

#: a loop over tiles, without what it does with one
TILED: Final = """
def body({{arrays}}, out, plan, scalars, start, stop):
{{buffers}}
    result = allocate()
    hard = 0
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
{{offsets}}
        for axis in range(outer - 1, -1, -1):
            size = plan[5 + axis]
            index = rest % size
            rest = rest // size
{{advance}}
{{loads}}
        count = m0 * m1
{compute}
{{store}}
    return hard
"""

_TILED_BODY: Final = TILED.format(
    compute="""
        for i in range(count):
            result[i] = formula({elements}, *scalars)
"""
)

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

    #: the serial and the parallel loop over parts, and what they return
    _loops: ClassVar[tuple[str, str]] = (_SERIAL, _PARALLEL)
    _returns: ClassVar[Any] = types.void
    #: contiguous elements in a part
    _chunk: ClassVar[int] = CHUNK
    #: the loops over elements
    _sources: ClassVar[dict[str, str]] = {"dense": _DENSE_BODY, "tiled": _TILED_BODY}

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

    def tiled(self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...]) -> Any:
        """Compute with operands of any layout; an output may be exactly an input's view."""
        out = operands[-1]
        if out.size == 0:
            return None
        plan, tiles = tile_plan(
            out.shape, tuple([broadcast_strides(a.shape, a.strides, out.shape) for a in operands])
        )
        addresses = [array.ctypes.data for array in operands]
        return self._launch("tiled", out.size, *addresses, plan, tiles, out.size, *scalars)

    def _compile(self, layout: str, *, parallel: bool) -> Any:
        body, signature, operands = self._dense_body if layout == "dense" else self._tiled_body
        count = self.formula.scalars
        scalars = [f"p{k}" for k in range(count)]
        wants_size = self.prepare.__code__.co_argcount > count
        source = self._loops[parallel].format(
            operands=operands,
            scalars=", ".join(scalars),
            arguments=", ".join([*scalars, "size"] if wants_size else scalars),
            chunk=self._chunk if layout == "dense" else CHUNK // TILE,
        )
        return kernel(
            source,
            f"{self.name}_{layout}_{'parallel' if parallel else 'serial'}",
            {
                "body": body,
                "prepare": compiled(self.prepare, self.compute),
                "prange": prange,
            },
            self._returns(*signature, types.int64, types.int64, *[types.float64] * count),
            formula=self.element,
            parallel=parallel,
        )

    @Once
    def _dense_body(self) -> tuple[Any, list[Any], str]:
        """The loop over contiguous operands, its signature and its operands."""
        numbers = range(len(self.inputs))
        arrays = ", ".join(f"a{k}" for k in numbers)
        source = self._sources["dense"].format(
            arrays=arrays,
            slices="\n".join(f"    a{k} = a{k}[start:stop]" for k in numbers),
            elements=", ".join(f"decode{k}(a{at}[i])" for k, (at, _) in enumerate(self.reads)),
        )
        names = self._names() | {"encode": self.encode}
        names.update({f"decode{k}": decode for k, (_, decode) in enumerate(self.reads)})
        signature = [
            types.Array(from_dtype(kind.storage), 1, "C", readonly=True) for kind in self.inputs
        ]
        signature.append(types.Array(from_dtype(self.out.storage), 1, "C"))
        return helper(function_from(source, "body", names)), signature, f"{arrays}, out"

    @Once
    def _tiled_body(self) -> tuple[Any, list[Any], str]:
        """The loop over tiles, its signature and its operands."""
        operands = [*(f"a{k}" for k in range(len(self.inputs))), "out"]
        reads = list(enumerate(self.reads))
        place = [f"5 + outer + {k} * (outer + 2)" for k in range(len(operands))]
        tile = "{0}_at, plan[{1}], plan[{1} + 1], m0, m1"
        source = self._sources["tiled"].format(
            arrays=", ".join(operands[:-1]),
            buffers="\n".join(f"    b{k} = allocate()" for k, _ in reads),
            elements=", ".join(f"b{k}[i]" for k, _ in reads),
            offsets="\n".join(
                f"        {name}_at = {name} + at0 * plan[{at}] + at1 * plan[{at} + 1]"
                for name, at in zip(operands, place, strict=True)
            ),
            advance="\n".join(
                f"            {name}_at += index * plan[{at} + 2 + axis]"
                for name, at in zip(operands, place, strict=True)
            ),
            loads="\n".join(
                f"        load{k}(b{k}, 0, m0, {tile.format(operands[at], place[at])})"
                for k, (at, _) in reads
            ),
            store=f"        store(result, 0, m0, {tile.format('out', place[-1])})",
        )
        names = self._names()
        names["allocate"] = stack(REGISTER[self.compute], TILE)
        names["store"] = storer(self.out.name, self.encode)
        for k, (at, decode) in reads:
            names[f"load{k}"] = loader(self.inputs[at].name, decode)
        signature = [types.int64] * len(operands)
        signature.append(types.Array(types.int64, 1, "C"))
        body = helper(function_from(source, "body", names))
        return body, signature, f"{', '.join(operands)}, plan"

    def _names(self) -> dict[str, Any]:
        """Return what the names in the middle of the loops mean."""
        return {"formula": compiled(self.element, self.compute)}


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
