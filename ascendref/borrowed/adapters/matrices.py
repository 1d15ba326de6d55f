"""Products and decompositions of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

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
