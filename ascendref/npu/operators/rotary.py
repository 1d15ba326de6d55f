"""Rotary position embeddings: cos·x + sin·rotated(x)."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from .formulas import Tensors, formula, gradients, one_of


def _rotated(x: Tensor, mode: str) -> Tensor:
    """Return pairs (a, b) of elements as (-b, a)."""
    if mode == "half":
        first, second = x.chunk(2, -1)
        return torch.cat([-second, first], -1)
    return torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)


@formula()
def npu_rotary_mul(
    input: Tensor, r1: Tensor, r2: Tensor, rotary_mode: str, rotate: Tensor | None = None
) -> Tensor:
    """r1·x + r2·rotated(x): pairs are in both halves, or neighbours; or x times a matrix."""
    one_of("rotary_mode", rotary_mode, ("half", "interleave"))
    x = input.float()
    other = _rotated(x, rotary_mode) if rotate is None else x @ rotate.float()
    return (r1.float() * x + r2.float() * other).to(input.dtype)


@formula()
def npu_rotary_mul_backward(
    grad: Tensor, input: Tensor, r1: Tensor, r2: Tensor, rotary_mode: str
) -> Tensors:
    """Gradients of `npu_rotary_mul` for x, r1 and r2."""
    return gradients(partial(npu_rotary_mul, rotary_mode=rotary_mode), [input, r1, r2], grad)


@formula()
def npu_apply_rotary_pos_emb(
    query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, layout: str, rotary_mode: str
) -> Tensors:
    """`npu_rotary_mul` of query and key in the mode half; the arguments keep their values."""
    one_of("layout", layout, ("BSND", "TND"))
    one_of("rotary_mode", rotary_mode, ("half",))
    return npu_rotary_mul(query, cos, sin, "half"), npu_rotary_mul(key, cos, sin, "half")
