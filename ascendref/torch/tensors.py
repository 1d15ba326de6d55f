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
    """What PyTorch makes an elementwise result like."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    #: whether all inputs have this shape and these strides, so that elements correspond in memory
    same: bool


def layout(tensor: Any) -> Layout:
    """Return the layout of a tensor."""
    return tuple(tensor.shape), tensor.stride()


@lru_cache(maxsize=4096)
def result_layout(operands: tuple[Layout, ...]) -> ResultLayout:
    """Return the layout that PyTorch gives to an elementwise result.

    PyTorch itself is asked, with tensors that have no memory: its rules follow from the strides of
    all operands, and none of its interfaces states them. Broadcasting more operands than two
    changes nothing: the rule goes through the operands in order.

    Raises
    ------
    RuntimeError
        If the shapes do not broadcast.
    """
    made = [torch.empty_strided(*operand, device="meta") for operand in operands]
    while len(made) < 3:
        made.append(made[-1])
    result = torch.addcmul(*made)
    found = tuple(result.shape), result.stride()
    return ResultLayout(*found, all(operand == found for operand in operands))


def numpy_view(tensor: Any) -> NDArray[Any]:
    """Return a NumPy array that shares a tensor's memory."""
    tensor = tensor.detach()
    if tensor.dtype is torch.bfloat16:
        array: NDArray[Any] = tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
        return array
    shared: NDArray[np.generic] = tensor.numpy()
    return shared
