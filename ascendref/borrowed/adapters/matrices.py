"""Products and decompositions of matrices."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ..layouts import to_nz, unpacked_int4
from .shared import chosen


def gemm(
    a: Tensor, b: Tensor, c: Tensor, alpha: float, beta: float, trans_a: int, trans_b: int
) -> Tensor:
    """Return α·A·B + β·C, with A and B transposed first if told."""
    return torch.addmm(c, a.t() if trans_a else a, b.t() if trans_b else b, beta=beta, alpha=alpha)


def batched(*tensors: Tensor, function: str, **scalars: Any) -> Tensor:
    """Return an operator of PyTorch's for batches; a batch of one matrix is used with all others.

    The last two tensors are the batches.
    """
    *others, one, other = tensors
    if one.ndim == other.ndim == 3:
        count = torch.broadcast_shapes(one.shape[:1], other.shape[:1])
        one, other = (x.expand(*count, *x.shape[1:]) for x in (one, other))
    given = {name: value for name, value in scalars.items() if value is not None}
    result: Tensor = getattr(torch.ops.aten, function)(*others, one, other, **given)
    return result


def transposed_matmul(
    one: Tensor,
    other: Tensor,
    bias: Tensor | None,
    scale: Tensor | None,
    perm_one: Sequence[int] | None,
    perm_other: Sequence[int] | None,
    perm_result: Sequence[int] | None,
    split: int,
) -> Tensor:
    """Return a product of batches of matrices whose axes are permuted before and after it."""
    if bias is not None or scale is not None or split > 1:
        raise ValueError("bias and scale must be None, and batchSplitFactor at most 1")
    first = one if perm_one is None else one.permute(perm_one)
    second = other if perm_other is None else other.permute(perm_other)
    found = first @ second
    return found if perm_result is None else found.permute(perm_result)


def fractal_nz_(data: Tensor) -> None:
    """Rearrange matrices into FRACTAL_NZ, for which their memory has room."""
    blocks = to_nz(data).contiguous()
    data.as_strided(blocks.shape, blocks.stride()).copy_(blocks)


def weight_quant_matmul(
    data: Tensor,
    weight: Tensor,
    scale: Tensor,
    offset: Tensor | None,
    bias: Tensor | None,
    group: int,
) -> Tensor:
    """Return a product with a matrix of integers, which are shifted and scaled first.

    Scales and offsets are one number, one for each column, or one for each group of rows and
    column. An INT32 of the matrix holds eight integers of four bits, along the axis that is dense.
    """
    for name, tensor in (("x", data), ("weight", weight)):
        if tensor.ndim != 2:
            raise ValueError(f"{name} has rank {tensor.ndim}; 2 is expected")
    rows = data.shape[1]
    if weight.dtype == torch.int32:
        packed_rows = weight.shape[0] * 8 == rows
        weight = unpacked_int4(weight.mT).mT if packed_rows else unpacked_int4(weight)
    if len(weight) != rows:
        raise ValueError(f"weight has {len(weight)} rows; x has {rows} columns")
    if group and (group < 32 or group % 32 or group >= rows):
        raise ValueError(
            f"antiquantGroupSize is {group}; 0, or a multiple of 32 below {rows}, is expected"
        )
    columns = weight.shape[1]
    shapes = [(-(-rows // group), columns)] if group else [(1,), (1, 1), (columns,), (1, columns)]

    def spread(name: str, numbers: Tensor) -> Tensor:
        if numbers.shape not in shapes:
            raise ValueError(f"{name} has shape {tuple(numbers.shape)}; allowed are {shapes}")
        wide = numbers.float()
        return wide.repeat_interleave(group, 0)[:rows] if group else wide

    whole = weight.float()
    if offset is not None:
        whole = whole + spread("antiquantOffsetOptional", offset)
    found = data.float() @ (whole * spread("antiquantScale", scale))
    if bias is None:
        return found
    if bias.shape not in ((columns,), (1, columns)):
        raise ValueError(f"biasOptional has shape {tuple(bias.shape)}; ({columns},) is expected")
    return found + bias.float()


#: the vendor's codes of the factors' shapes
_QR = {0: "reduced", 1: "complete", 2: "r"}


def linalg_qr(data: Tensor, mode: int) -> tuple[Tensor, ...]:
    """Return an orthogonal and an upper triangular factor: reduced, complete, or the second."""
    factors: tuple[Tensor, ...] = torch.linalg.qr(data, chosen("mode", mode, _QR))
    return factors


def qr(data: Tensor, some: bool) -> tuple[Tensor, ...]:
    """Return an orthogonal and an upper triangular factor, reduced or complete."""
    return linalg_qr(data, 0 if some else 1)


def triangular_solve(
    data: Tensor, matrix: Tensor, upper: bool, transpose: bool, unitriangular: bool
) -> tuple[Tensor, Tensor]:
    """Return the solution of a triangular system, and its matrix."""
    solution = torch.linalg.solve_triangular(
        matrix.mT if transpose else matrix,
        data,
        upper=upper != transpose,
        unitriangular=unitriangular,
    )
    return solution, matrix


def svd(data: Tensor, full: bool, vectors: bool) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """Return singular values, and left and right singular vectors as columns."""
    if not vectors:
        return torch.linalg.svdvals(data), None, None
    left, values, right = torch.linalg.svd(data, full_matrices=full)
    return values, left, right.mH
