"""The gradients of elementwise operators on PyTorch's CPU tensors, as PyTorch defines them.

A call like an earlier one takes a fast path: a table maps type, scalars and layouts to a kernel for
exactly these, which gets only the addresses of the elements. For contiguous tensors of one shape,
``overrides.py`` has a faster path, by type and scalars. A call that cannot be computed here raises
`Refused` and is left to PyTorch's own kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import prod
from typing import Any, Final, NamedTuple

import torch

from ..core.dtypes import FLOAT64
from ..core.layout import MAX_RANK, broadcast_strides, has_internal_overlap, overlap, same_view
from ..functional.call import formula_kernel
from .scalars import Chosen, Refused
from .tensors import (
    KINDS,
    Layout,
    ResultLayout,
    contiguous_strides,
    layout,
    numpy_view,
    result_layout,
)

#: table keys contain scalars, so the number of entries must be limited
_LIMIT: Final = 1024
#: ``chosen(kind, compute, *scalars)``
Choice = Callable[..., Chosen]


class Calls:
    """Counts the calls of an operator."""

    def __init__(self) -> None:
        #: calls computed here
        self.taken = 0
        #: reason -> calls left to PyTorch
        self.left: Counter[str] = Counter()


class Elementwise:
    """A formula on tensors.

    Parameters
    ----------
    choice : callable
        Chooses a formula for a type and scalars.
    compute : str or None
        Compute type; None means F64 for F64 data, else F32.
    contiguous : bool
        Whether results are contiguous for every layout of the operands.
    """

    def __init__(self, choice: Choice, compute: str | None, *, contiguous: bool = False) -> None:
        self._choice = choice
        self._compute = compute
        self._contiguous = contiguous
        #: PyTorch type and scalars -> a kernel that takes addresses and a number of elements
        self.table: dict[tuple[Any, tuple[Any, ...]], Any] = {}
        self._ways: dict[tuple[Any, ...], _Way] = {}

    def __call__(self, tensors: tuple[Any, ...], scalars: tuple[Any, ...]) -> Any:
        """Return a new result.

        Parameters
        ----------
        tensors : tuple of Tensor
            Dense CPU tensors, in the formula's order.
        scalars : tuple
            PyTorch's scalars.

        Raises
        ------
        Refused
            If the call is left to PyTorch.
        """
        kind = self._check(tensors)
        layouts = tuple([layout(tensor) for tensor in tensors])
        way = self._ways.get((kind, scalars, layouts))
        if way is None:
            way = self._way(kind, scalars, layouts)
        out = torch.empty_strided(way.shape, way.strides, dtype=kind)
        if way.kernel is not None:
            count = (out.numel(),) if way.same else ()
            addresses = [tensor.data_ptr() for tensor in tensors]
            if way.kernel(*addresses, out.data_ptr(), *count) < 0:
                # something must be loaded first, or elements are not aligned
                self.into(out, tensors, scalars)
        return out

    def into(self, out: Any, tensors: tuple[Any, ...], scalars: tuple[Any, ...]) -> None:
        """Write the result to a tensor of its shape and type, with the same parameters.

        Raises
        ------
        Refused
            If the call is left to PyTorch; nothing is written.
        """
        kind = self._check((*tensors, out))
        shape, *_ = self._result(tuple([layout(tensor) for tensor in tensors]))
        if tuple(out.shape) != shape:
            raise Refused("the result must be resized")
        result, arrays = numpy_view(out), tuple([numpy_view(tensor) for tensor in tensors])
        if has_internal_overlap(result):
            raise Refused("elements of the result overlap")
        kernel, values = self._kernel(kind, scalars)
        kernel((*arrays, result), values, _is_in_place(result, arrays))

    def _check(self, tensors: tuple[Any, ...]) -> Any:
        """Return the type of the tensors, or raise Refused if it is not supported here."""
        kind = tensors[0].dtype
        if kind not in KINDS:
            raise Refused("a type other than F16, BF16, F32 and F64")
        for tensor in tensors:
            if tensor.dtype is not kind:
                raise Refused("types differ")
            if tensor.dim() > MAX_RANK:
                raise Refused("a rank is above 8")
        return kind

    def _result(self, layouts: tuple[Layout, ...]) -> ResultLayout:
        """Return the layout that PyTorch gives the result."""
        try:
            found = result_layout(layouts)
        except RuntimeError as error:
            raise Refused("shapes do not broadcast") from error
        if not self._contiguous:
            return found
        shape, _ = layouts[1]  # of the data, whose layout the result gets
        if shape != found.shape:
            raise Refused("self does not have the result's shape")
        strides = contiguous_strides(shape)
        return ResultLayout(shape, strides, found.same and found.strides == strides)

    def _kernel(self, kind: Any, scalars: tuple[Any, ...]) -> tuple[Any, tuple[float, ...]]:
        """Return the kernel for a type and scalars, and its own scalars."""
        element = KINDS[kind]
        compute = self._compute
        if compute is None:
            compute = "float64" if element is FLOAT64 else "float32"
        formula, values = self._choice(element, compute, *scalars)
        types = (element,) * formula.tensors
        return formula_kernel(formula, types, element, element, compute), values

    def _way(self, kind: Any, scalars: tuple[Any, ...], layouts: tuple[Layout, ...]) -> _Way:
        """Return how calls with such operands are computed, and store it."""
        shape, strides, same = self._result(layouts)
        kernel, values = self._kernel(kind, scalars)
        bound = None
        if same:
            bound = kernel.bind_memory(values)
        elif prod(shape):
            size = kind.itemsize
            steps = [
                broadcast_strides(given, tuple([size * step for step in taken]), shape)
                for given, taken in (*layouts, (shape, strides))
            ]
            bound = kernel.bind_strides(shape, tuple(steps), values)
        way = _Way(bound, shape, strides, same)
        if all([scalar == scalar for scalar in scalars]):  # NaN would never be found
            if len(self._ways) >= _LIMIT:
                self._ways.clear()
                self.table.clear()
            self._ways[kind, scalars, layouts] = way
            if same:
                self.table[kind, scalars] = bound
        return way


class _Way(NamedTuple):
    """How calls with operands of some type, scalars and layouts are computed."""

    #: takes the addresses of inputs and output and, if ``same``, the number of elements; None if
    #: there is nothing to compute
    kernel: Callable[..., int] | None
    #: shape and strides of the result
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    #: whether all operands have the same layout
    same: bool


def _is_in_place(result: Any, arrays: tuple[Any, ...]) -> bool:
    """Tell whether the result is the same view as an input."""
    in_place = False
    for array in arrays:
        if overlap(result, array):
            if not same_view(result, array):
                raise Refused("the result overlaps an input")
            in_place = True
    return in_place
