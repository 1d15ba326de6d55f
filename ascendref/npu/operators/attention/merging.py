"""Attention to several sets of columns, from the results of each."""

from __future__ import annotations

import torch
from torch import Tensor

from ..formulas import Tensors, formula, one_of


@formula()
def npu_attention_update(lse: list[Tensor], local_out: list[Tensor], update_type: int) -> Tensors:
    """Σ out·exp(lse - total), where total is the logarithm of Σ exp lse, and the total."""
    one_of("update_type", update_type, (0, 1))
    sums = torch.stack([one.float() for one in lse])
    total = torch.logsumexp(sums, 0)
    weights = torch.exp(sums - total).unsqueeze(-1)
    found = (torch.stack([one.float() for one in local_out]) * weights).sum(0)
    return found.to(local_out[0].dtype), total


@formula(ignored="actual_seq_qlen input_softmax_layout")
def npu_ring_attention_update(
    prev_attn_out: Tensor,
    prev_softmax_max: Tensor,
    prev_softmax_sum: Tensor,
    cur_attn_out: Tensor,
    cur_softmax_max: Tensor,
    cur_softmax_sum: Tensor,
) -> Tensors:
    """Result, maxima and sums of attention to two sets of columns, from those of both.

    Each result is weighted by its sum, relative to the common maximum.
    """
    most = torch.maximum(prev_softmax_max, cur_softmax_max)
    sums = [
        one * torch.exp(limit - most)
        for one, limit in ((prev_softmax_sum, prev_softmax_max), (cur_softmax_sum, cur_softmax_max))
    ]
    total = sums[0] + sums[1]
    heads = most.shape[1]
    found = torch.zeros((), device=most.device)
    for one, attention in zip(sums, (prev_attn_out, cur_attn_out), strict=True):
        weight = (one / total)[..., 0].permute(2, 0, 1).unsqueeze(-1)
        found = found + attention.float().unflatten(-1, (heads, -1)) * weight
    return found.flatten(-2).to(prev_attn_out.dtype), most, total
