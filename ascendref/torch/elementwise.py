"""The gradients of elementwise operators on PyTorch's CPU tensors, as PyTorch defines them.

A call that is like an earlier one takes a short way: a table leads from type and scalars to a
kernel with its scalars, which gets the addresses of contiguous elements. Any other call takes a
second way, through NumPy views, and leaves a kernel in the table. What neither can do is left to
PyTorch's own kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import torch

from ..core.dtypes import FLOAT64
from ..core.layout import MAX_RANK, has_internal_overlap, overlap, same_view
from ..functional.call import formula_kernel
from .scalars import Chosen, Refused
from .tensors import KINDS, layout, numpy_view, result_layout

#: scalars are part of the keys of a table, so their number must be limited
_LIMIT: Final = 1024
#: ``chosen(kind, compute, *scalars)``
Choice = Callable[..., Chosen]


class Calls:
    """Counts the calls of an operator."""

    def __init__(self) -> None:
        #: calls that were computed here
        self.taken = 0
        #: reason -> calls that were left to PyTorch
        self.left: Counter[str] = Counter()


class Elementwise:
    """A formula on tensors.

    Parameters
    ----------
    choice : callable
        Chooses a formula for a type and scalars.
    compute : str or None
        Compute type; None for F64 with F64 data, else F32.
    contiguous : bool
        Whether results are contiguous whatever the operands are.
    """

    def __init__(self, choice: Choice, compute: str | None, *, contiguous: bool = False) -> None:
        self._choice = choice
        self._compute = compute
        self._contiguous = contiguous
        #: type of PyTorch and scalars -> a kernel that takes addresses and a number of elements
        self.table: dict[tuple[Any, tuple[Any, ...]], Callable[..., int]] = {}

    def __call__(
        self, tensors: tuple[Any, ...], scalars: tuple[Any, ...], out: Any = None
    ) -> Any:
        """Compute.

        Parameters
        ----------
        tensors : tuple of Tensor
            Dense CPU tensors, in the formula's order.
        scalars : tuple
            PyTorch's scalars.
        out : Tensor, optional
            Where the result goes.

        Returns
        -------
        Tensor
            The result, or ``out``.

        Raises
        ------
        Refused
            If this is left to PyTorch; nothing is written.
        """
        kind = tensors[0].dtype
        if kind not in KINDS:
            raise Refused("a type that is no F16, BF16, F32 or F64")
        for tensor in tensors:
            if tensor.dtype is not kind:
                raise Refused("types differ")
            if tensor.dim() > MAX_RANK:
                raise Refused("a rank is above 8")
        shape, strides, same = self._result_layout(tensors)
        if out is None:
            out = torch.empty_strided(shape, strides, dtype=kind)
        else:
            self._check_out(out, kind, shape)
            same = same and out.stride() == strides
        kernel, values = self._kernel(kind, scalars)
        if same:
            bound = self._bound(kernel, values, kind, scalars)
            addresses = [tensor.data_ptr() for tensor in tensors]
            if bound(*addresses, out.data_ptr(), out.numel()) >= 0:
                return out
        arrays = tuple([numpy_view(tensor) for tensor in tensors])
        result = numpy_view(out)
        kernel((*arrays, result), values, _is_in_place(result, arrays))
        return out

    def _result_layout(
        self, tensors: tuple[Any, ...]
    ) -> tuple[tuple[int, ...], tuple[int, ...], bool]:
        try:
            found = result_layout(tuple([layout(tensor) for tensor in tensors]))
        except RuntimeError as error:
            raise Refused("shapes do not broadcast") from error
        if not self._contiguous:
            return found
        # what such an operator makes is like the data, which all else must broadcast to
        shape, *_ = layout(tensors[1])
        if shape != found.shape:
            raise Refused("self does not have the result's shape")
        contiguous = torch.empty(shape, device="meta").stride()
        return shape, contiguous, found.same and found.strides == contiguous

    def _check_out(self, out: Any, kind: Any, shape: tuple[int, ...]) -> None:
        if out.dtype is not kind:
            raise Refused("types differ")
        if tuple(out.shape) != shape:
            raise Refused("the result must be resized")
        if has_internal_overlap(numpy_view(out)):
            raise Refused("elements of the result overlap")

    def _kernel(self, kind: Any, scalars: tuple[Any, ...]) -> tuple[Any, tuple[float, ...]]:
        """Return the kernel for a type and scalars, and its own scalars."""
        element = KINDS[kind]
        compute = self._compute
        if compute is None:
            compute = "float64" if element is FLOAT64 else "float32"
        formula, values = self._choice(element, compute, *scalars)
        types = (element,) * formula.tensors
        return formula_kernel(formula, types, element, element, compute), values

    def _bound(
        self, kernel: Any, values: tuple[float, ...], kind: Any, scalars: tuple[Any, ...]
    ) -> Callable[..., int]:
        """Return the kernel for contiguous elements in memory, and keep it."""
        bound: Callable[..., int] | None = self.table.get((kind, scalars))
        if bound is None:
            bound = kernel.bind_memory(values)
            if all([scalar == scalar for scalar in scalars]):  # a NaN would never be found
                if len(self.table) >= _LIMIT:
                    self.table.clear()
                self.table[kind, scalars] = bound
        return bound


def _is_in_place(result: Any, arrays: tuple[Any, ...]) -> bool:
    """Tell whether the result is exactly an input's view."""
    in_place = False
    for array in arrays:
        if overlap(result, array):
            if not same_view(result, array):
                raise Refused("the result overlaps an input")
            in_place = True
    return in_place
