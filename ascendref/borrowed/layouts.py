"""How elements of some tensors lie in memory: formats, packed integers, complex numbers.

Operators take a tensor as its shape and strides say, in any format. Parameters that the table marks
with ``%`` are read as the vendor does it: matrices in FRACTAL_NZ lie in blocks, pictures in NHWC
have their channels last. Two INT4 share a byte, and a complex number is two floats.
"""

from collections.abc import Callable
from math import prod
from typing import Final, NamedTuple

import torch

from ..core.dtypes import DataType
from ..device.memory.tensor import Format, Tensor, contiguous_strides
from ..twophase.plan import refuse
from .table import Parameter
from .weights import nz_shape

#: types of the parts of complex numbers
_PARTS: Final = {
    DataType.ACL_COMPLEX64: DataType.ACL_FLOAT,
    DataType.ACL_COMPLEX128: DataType.ACL_DOUBLE,
}
#: integers without a sign -> those of the same size with one, and PyTorch's type
_SIGNED: Final = {
    DataType.ACL_UINT16: (DataType.ACL_INT16, torch.uint16),
    DataType.ACL_UINT32: (DataType.ACL_INT32, torch.uint32),
    DataType.ACL_UINT64: (DataType.ACL_INT64, torch.uint64),
}


class Stored(NamedTuple):
    """A tensor of plain elements in the memory of another one."""

    tensor: Tensor
    #: returns what the latter holds; None if they hold the same
    restored: Callable[[torch.Tensor], torch.Tensor] | None = None
    #: how many bytes of it the operator reads, if not all
    read: int | None = None
    #: the storage shape of the latter once the operator has put it into FRACTAL_NZ
    becomes: tuple[int, ...] | None = None


def stored(name: str, param: Parameter, tensor: Tensor) -> Stored:
    """Return the plain elements of a tensor."""
    form = tensor.format if param.is_formatted else Format.ND
    if param.is_formatted and param.is_written and param.is_read:
        return _room(name, tensor)
    if tensor.data_type in _PARTS:
        return _complex(tensor)
    if tensor.data_type in _SIGNED:
        return _unsigned(tensor)
    if form is Format.FRACTAL_NZ:
        return _blocks(name, tensor)
    if tensor.data_type is DataType.ACL_INT4:
        return _nibbles(name, tensor)
    if form is not Format.NHWC:
        return Stored(tensor)
    if len(tensor.shape) != 4:
        refuse(f"{name} has format NHWC and rank {len(tensor.shape)}; rank 4 is expected")
    n, h, w, c = range(4)
    shape, strides = ([sizes[k] for k in (n, c, h, w)] for sizes in (tensor.shape, tensor.strides))
    return Stored(_of(tensor, tuple(shape), tuple(strides)))


def to_nz(matrices: torch.Tensor) -> torch.Tensor:
    """Return the blocks of matrices in FRACTAL_NZ; what is beyond the matrices is 0."""
    *_, across, down, rows, width = nz_shape(tuple(matrices.shape), matrices.itemsize)
    padding = (0, across * width - matrices.shape[-1], 0, down * rows - matrices.shape[-2])
    padded = torch.nn.functional.pad(matrices, padding)
    return padded.unflatten(-1, (across, width)).unflatten(-3, (down, rows)).movedim(-2, -4)


def _of(
    tensor: Tensor,
    shape: tuple[int, ...],
    strides: tuple[int, ...] | None = None,
    kind: DataType | None = None,
    offset: int | None = None,
) -> Tensor:
    """Return another view of a tensor's memory."""
    first = tensor.offset if offset is None else offset
    data_type = tensor.data_type if kind is None else kind
    form = Format.ND
    return Tensor.of_c(tensor.memory, tensor.start, shape, data_type, strides, first, form, shape)


def _complex(tensor: Tensor) -> Stored:
    strides = (*[2 * step for step in tensor.strides], 1)
    kind = _PARTS[tensor.data_type]
    parts = _of(tensor, (*tensor.shape, 2), strides, kind, 2 * tensor.offset)
    return Stored(parts, torch.view_as_complex)


def _unsigned(tensor: Tensor) -> Stored:
    signed, kind = _SIGNED[tensor.data_type]
    return Stored(_of(tensor, tensor.shape, tensor.strides, signed), lambda x: x.view(kind))


def _dense(name: str, tensor: Tensor, form: str) -> tuple[tuple[int, ...], bool]:
    """Return the shape in which dense matrices lie in memory, and whether the view transposes them.

    The strides of axes of one element count only if they decide.
    """
    shape, strides = tensor.shape, tensor.strides
    if len(shape) < 2:
        refuse(f"{name} is {form} and has rank {len(shape)}; 2 or more is expected")
    swapped = (*shape[:-2], shape[-1], shape[-2])
    steps = contiguous_strides(swapped)
    ways = (
        (shape, False, contiguous_strides(shape)),
        (swapped, True, (*steps[:-2], steps[-1], steps[-2])),
    )
    for least in (0, 1):
        for sizes, transposed, expected in ways:
            axes = zip(shape, strides, expected, strict=True)
            if all(size <= least or step == wanted for size, step, wanted in axes):
                return sizes, transposed
    refuse(
        f"{name} is {form} and has strides {tensor.strides}; those of dense matrices, or of their"
        " transposes, are expected"
    )


def _blocks(name: str, tensor: Tensor) -> Stored:
    if tensor.data_type is DataType.ACL_INT4:
        refuse(f"{name} has type ACL_INT4 in FRACTAL_NZ; only ND is computed")
    sizes, transposed = _dense(name, tensor, "in FRACTAL_NZ")
    rows, columns = sizes[-2:]

    def restored(blocks: torch.Tensor) -> torch.Tensor:
        whole = blocks.movedim(-4, -2).flatten(-2).flatten(-3, -2)[..., :rows, :columns]
        return whole.mT if transposed else whole

    return Stored(_of(tensor, nz_shape(sizes, tensor.dtype.itemsize)), restored)


def _room(name: str, tensor: Tensor) -> Stored:
    """Return the room of a dense matrix that is to be rearranged into FRACTAL_NZ."""
    if tensor.format is Format.FRACTAL_NZ:
        refuse(f"{name} has format FRACTAL_NZ; ND is expected")
    if tensor.strides != contiguous_strides(tensor.shape):
        refuse(f"{name} has strides {tensor.strides}; its elements must be dense")
    if len(tensor.shape) < 2 or 0 in tensor.shape:
        refuse(f"{name} has shape {tensor.shape}; matrices with elements are expected")
    shape, count, itemsize = tensor.shape, tensor.size, tensor.dtype.itemsize
    blocks = nz_shape(shape, itemsize)
    flat = _of(tensor, (prod(blocks),))
    return Stored(flat, lambda whole: whole[:count].view(shape), count * itemsize, blocks)


def _nibbles(name: str, tensor: Tensor) -> Stored:
    sizes, transposed = _dense(name, tensor, "of INT4")
    if sizes[-1] % 2 or tensor.offset % 2:
        refuse(f"{name} has {sizes[-1]} INT4 in a row at {tensor.offset}; both must be even")

    def restored(data: torch.Tensor) -> torch.Tensor:
        whole = unpacked_int4(data)
        return whole.mT if transposed else whole

    packed = (*sizes[:-1], sizes[-1] // 2)
    return Stored(_of(tensor, packed, None, DataType.ACL_UINT8, tensor.offset // 2), restored)


def unpacked_int4(data: torch.Tensor) -> torch.Tensor:
    """Return the integers of four bits in each number as INT8, the lowest first, along the rows."""
    places = torch.arange(0, 8 * data.itemsize, 4, device=data.device)
    nibbles = (data.long().unsqueeze(-1) >> places) & 15
    return ((nibbles ^ 8) - 8).flatten(-2).to(torch.int8)
