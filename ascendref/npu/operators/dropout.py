"""Dropout, whose masks have a bit for each element, the lowest of a byte first."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from ...borrowed.adapters import randoms
from ...borrowed.adapters.shared import packed
from ...core.errors import ArgumentValueError
from ..randomness import Number, next_state, uniform
from .formulas import Tensors, formula


def _mask(
    size: Sequence[int], p: float, seed: Number, offset: Number, device: torch.device
) -> Tensor:
    """Return a mask on a device, which a seed and an offset determine.

    There are 128 bits at a time; those after the last element are 0.
    """
    if not 0 <= p <= 1:
        raise ArgumentValueError("p", f"is {p}; it must be at least 0 and at most 1")
    count = torch.Size(size).numel()
    kept = uniform(count, seed, offset, device) < 1 - p
    return packed(F.pad(kept, (0, -count % 128)))


@formula()
def _npu_dropout(input: Tensor, p: float) -> Tensors:
    """Elements that are not dropped, divided by their chance, and the mask."""
    mask = _mask(input.shape, p, *next_state(input.device), input.device)
    return randoms.dropout_do_mask(input, mask, p), mask


@formula()
def npu_dropout_backward(grad_output: Tensor, mask: Tensor, p: float) -> Tensor:
    """Gradient of `_npu_dropout`."""
    return randoms.dropout_do_mask(grad_output, mask, p)


@formula()
def npu_dropout_do_mask(input: Tensor, mask: Tensor, p: float) -> Tensors:
    """Elements whose bits are 1, divided by their chance, and the mask."""
    return randoms.dropout_do_mask(input, mask, p), mask


@formula(ignored="dtype layout pin_memory")
def npu_dropout_gen_mask(size: list[int], p: float, device: torch.device | None) -> Tensor:
    """A mask for a number of elements, each dropped with probability p."""
    device = device or torch.device("npu")
    return _mask(size, p, *next_state(device), device)


@formula("_npu_dropout_gen_mask.Tensor", ignored="parallel sync")
def _npu_dropout_gen_mask(
    input: Tensor, size: list[int], p: float, seed: int, offset: int
) -> Tensor:
    """`npu_dropout_gen_mask` of a seed and an offset."""
    return _mask(size, p, seed, offset, input.device)


@formula()
def dropout_with_byte_mask(input: Tensor, p: float, train: bool) -> Tensor:
    """Elements that are not dropped, divided by their chance; in training only."""
    return _npu_dropout(input, p)[0] if train else input


@formula()
def npu_dropout_with_add_softmax(
    input: Tensor, x1: Tensor, alpha: float, prob: float, dim: int
) -> tuple[Tensor, Tensor, Tensor]:
    """A mask, the softmax of x1 + α·x, and its elements that the mask does not drop."""
    chances = torch.softmax(x1.float() + input.float() * alpha, dim).to(input.dtype)
    mask = _mask(input.shape, prob, *next_state(input.device), input.device)
    return mask, chances.detach(), randoms.dropout_do_mask(chances, mask, prob)


@formula()
def npu_dropout_with_add_softmax_backward(
    grad: Tensor, mask: Tensor, softmax_out: Tensor, alpha: float, prob: float, dim: int
) -> Tensors:
    """Gradients of `npu_dropout_with_add_softmax` for x and x1."""
    inner = torch.ops.aten._softmax_backward_data(
        randoms.dropout_do_mask(grad, mask, prob).float(), softmax_out.float(), dim, torch.float32
    )
    return (inner * alpha).to(grad.dtype), inner.to(grad.dtype)
