"""PyTorch's tensors as operands of kernels: types, layouts, NumPy views."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import ml_dtypes
import numpy as np
import torch
from numpy.typing import NDArray

from ..core.dtypes import FLOATS, ElementType

#: PyTorch's type -> ours
KINDS: Final[dict[Any, ElementType]] = {getattr(torch, kind.name): kind for kind in FLOATS}

#: shape and strides of a tensor, in elements
Layout = tuple[tuple[int, ...], tuple[int, ...]]


class ResultLayout(NamedTuple):
    """The layout that PyTorch gives an elementwise result."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    #: whether all inputs have the same shape and strides as the result
    same: bool


def layout(tensor: Any) -> Layout:
    """Return the layout of a tensor."""
    return tuple(tensor.shape), tensor.stride()


@lru_cache(maxsize=4096)
def result_layout(operands: tuple[Layout, ...]) -> ResultLayout:
    """Return the layout that PyTorch gives to an elementwise result of two or three operands.

    Its rules depend on the strides of all operands in order and are not documented, so PyTorch
    itself is asked. For two operands that needs no memory. For three, every suitable operator has
    different rules for tensors without memory, so it computes with byte tensors, once for each
    combination of layouts.

    Raises
    ------
    RuntimeError
        If the shapes do not broadcast.
    """
    if len(operands) == 2:
        made = [torch.empty_strided(*operand, device="meta") for operand in operands]
        result = torch.ops.aten.hardshrink_backward(*made, 0.0)
    else:
        made = [torch.empty_strided(*operand, dtype=torch.uint8) for operand in operands]
        result = torch.addcmul(*made)
    found = tuple(result.shape), result.stride()
    return ResultLayout(*found, all([operand == found for operand in operands]))


@lru_cache(maxsize=4096)
def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides that PyTorch gives to a contiguous tensor."""
    strides: tuple[int, ...] = torch.empty(shape, device="meta").stride()
    return strides


def numpy_view(tensor: Any) -> NDArray[Any]:
    """Return a NumPy array that shares a tensor's memory."""
    tensor = tensor.detach()
    if tensor.dtype is torch.bfloat16:
        array: NDArray[Any] = tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
        return array
    shared: NDArray[np.generic] = tensor.numpy()
    return shared
