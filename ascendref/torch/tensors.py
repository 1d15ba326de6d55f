"""PyTorch's tensors as operands of kernels: types, layouts, NumPy views."""

from functools import lru_cache
from typing import Any, Final

import ml_dtypes
import numpy as np
import torch
from numpy.typing import NDArray

from ..core.dtypes import FLOATS, ElementType
from ..core.layout import MAX_RANK, has_internal_overlap, overlap, same_view

#: PyTorch's type -> ours
KINDS: Final[dict[Any, ElementType]] = {getattr(torch, kind.name): kind for kind in FLOATS}

#: tensors, scalars or other arguments
Args = tuple[Any, ...]
#: shape and strides of a tensor, in elements
Layout = tuple[tuple[int, ...], tuple[int, ...]]


class Refused(Exception):
    """A call that is left to PyTorch; the message says why."""


def element_type(tensors: Args) -> ElementType:
    """Return the type of tensors, or raise Refused if it is not supported here."""
    kind = tensors[0].dtype
    if kind not in KINDS:
        raise Refused("a type other than F16, BF16, F32 and F64")
    for tensor in tensors:
        if tensor.dtype is not kind:
            raise Refused("types differ")
        if tensor.dim() > MAX_RANK:
            raise Refused("a rank is above 8")
    return KINDS[kind]


def empty_result(tensors: Args) -> Any:
    """Return a tensor that PyTorch would make for an elementwise result; raise Refused if none."""
    try:
        shape, strides = _result_layout(tuple([(tuple(t.shape), t.stride()) for t in tensors]))
    except RuntimeError as error:
        raise Refused("shapes do not broadcast") from error
    return torch.empty_strided(shape, strides, dtype=tensors[0].dtype)


@lru_cache(maxsize=4096)
def _result_layout(operands: tuple[Layout, ...]) -> Layout:
    """Return the layout that PyTorch gives to an elementwise result.

    Its rules depend on the strides of all operands in order and are not documented, so PyTorch
    itself is asked. For one or two operands that needs no memory. For three, every suitable
    operator has different rules for tensors without memory, so it computes with byte tensors, once
    for each combination of layouts. Further operands are added to that result one by one.
    """
    if len(operands) < 3:
        made = [torch.empty_strided(*operand, device="meta") for operand in operands]
        result = torch.ops.aten.hardshrink_backward(made[0], made[-1], 0.0)
    else:
        made = [torch.empty_strided(*operand, dtype=torch.uint8) for operand in operands]
        result = torch.addcmul(*made[:3])
        for operand in made[3:]:
            result = torch.add(result, operand)
    return tuple(result.shape), result.stride()


def numpy_view(tensor: Any) -> NDArray[Any]:
    """Return a NumPy array that shares a tensor's memory."""
    tensor = tensor.detach()
    if tensor.dtype is torch.bfloat16:
        array: NDArray[Any] = tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
        return array
    shared: NDArray[np.generic] = tensor.numpy()
    return shared


def check_result(result: NDArray[Any], arrays: list[NDArray[Any]]) -> bool:
    """Tell whether a result is the same view as an input; raise Refused at other overlaps."""
    if has_internal_overlap(result):
        raise Refused("elements of the result overlap")
    in_place = False
    for array in arrays:
        if overlap(result, array):
            if not same_view(result, array):
                raise Refused("the result overlaps an input")
            in_place = True
    return in_place
