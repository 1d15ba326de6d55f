"""Mixtures of experts: which expert gets a token, and orders of tokens; filters of samples."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from ...core.errors import ArgumentValueError
from .formulas import Gradients, Tensors, formula, gradients, one_of


@formula()
def npu_moe_gating_top_k_softmax(x: Tensor, k: int) -> Tensors:
    """The k largest of the softmax, the experts they belong to, and numbers column by column."""
    values, experts = torch.softmax(x.float(), -1).topk(k)
    rows = x.shape[:-1].numel()
    numbers = torch.arange(rows * k, dtype=torch.int32, device=x.device).reshape(k, rows).t()
    return values.to(x.dtype), experts.int(), numbers.reshape(values.shape).contiguous()


@formula()
def npu_moe_gating_top_k_softmax_v2(
    x: Tensor, k: int, renorm: int | None, output_softmax: bool | None
) -> Tensors:
    """The k largest of the softmax, or the softmax of the k largest (renorm 1), and the experts.

    The softmax is the third result, if it is wanted.
    """
    one_of("renorm", renorm or 0, (0, 1))
    whole = torch.softmax(x.float(), -1)
    values, experts = (x.float() if renorm else whole).topk(k)
    if renorm:
        values = torch.softmax(values, -1)
    shown = output_softmax and not renorm
    return values.to(x.dtype), experts.int(), whole if shown else whole.new_empty(0)


@formula()
def npu_moe_init_routing(
    x: Tensor, row_idx: Tensor, expert_idx: Tensor, active_num: int
) -> Tensors:
    """Tokens in the order of their experts, the places of all numbers, and the experts in order."""
    experts, order = expert_idx.reshape(-1).sort(stable=True)
    numbers = row_idx.reshape(-1)[order].long()
    places = torch.empty_like(numbers)
    places[numbers] = torch.arange(len(numbers), device=x.device)
    used = numbers[: min(len(x), active_num) * expert_idx.shape[1]]
    return x[used % len(x)], places.int(), experts.int()


@formula()
def npu_moe_compute_expert_tokens(sorted_expert_for_source_row: Tensor, num_expert: int) -> Tensor:
    """For each expert, how many of the sorted rows are its or of experts before it."""
    experts = torch.arange(num_expert, device=sorted_expert_for_source_row.device)
    ends = torch.searchsorted(sorted_expert_for_source_row.long(), experts, right=True)
    return ends.int()


@formula()
def npu_moe_token_permute(tokens: Tensor, indices: Tensor, num_out_tokens: int | None) -> Tensors:
    """Tokens, once for each expert, in the order of the experts, and their places in it."""
    order = indices.reshape(-1).argsort(stable=True)
    each = indices.numel() // indices.shape[0]
    used = order[: num_out_tokens or None]
    return tokens.index_select(0, used // each), order.argsort().int()


@formula(ignored="sorted_indices")
def npu_moe_token_permute_grad(
    tokens: Tensor, grad_permuted_tokens: Tensor, indices: Tensor
) -> Tensor:
    """Gradient of `npu_moe_token_permute`."""
    count = len(grad_permuted_tokens)
    forward = partial(npu_moe_token_permute, indices=indices, num_out_tokens=count)
    return gradients(forward, [tokens], grad_permuted_tokens)[0]


@formula()
def npu_moe_token_unpermute(
    permuted_tokens: Tensor, probs: Tensor | None, sorted_indices: Tensor
) -> Tensor:
    """Weighted sums of the experts' outputs for each token; missing places count as 0."""
    each = 1 if probs is None else probs.shape[1]
    missing = max(0, len(sorted_indices) - len(permuted_tokens))
    rows = F.pad(permuted_tokens.float(), (0, 0, 0, missing))
    found = rows.index_select(0, sorted_indices).unflatten(0, (-1, each))
    if probs is not None:
        found = found * probs.float().unsqueeze(-1)
    return found.sum(1).to(permuted_tokens.dtype)


@formula()
def npu_moe_token_unpermute_grad(
    permuted_tokens: Tensor,
    grad_unpermuted_tokens: Tensor,
    sorted_indices: Tensor,
    probs: Tensor | None,
) -> Gradients:
    """Gradients of `npu_moe_token_unpermute` for the tokens and the weights."""
    forward = partial(npu_moe_token_unpermute, sorted_indices=sorted_indices)
    if probs is None:
        plain = partial(forward, probs=None)
        return *gradients(plain, [permuted_tokens], grad_unpermuted_tokens), None
    return gradients(forward, [permuted_tokens, probs], grad_unpermuted_tokens)


@formula()
def npu_moe_finalize_routing(
    expanded_permuted_rows: Tensor,
    skip1: Tensor | None,
    skip2: Tensor | None,
    bias: Tensor | None,
    scales: Tensor | None,
    expanded_src_to_dst_row: Tensor,
    export_for_source_row: Tensor | None,
    k: int | None,
) -> Tensor:
    """skip1 + skip2 + Σ scale·(row + bias of its expert), over the k rows of each token."""
    each = (k or 1) if scales is None else scales.shape[1]
    rows = expanded_permuted_rows.float()[expanded_src_to_dst_row.long()].unflatten(0, (each, -1))
    rows = rows.transpose(0, 1)
    if bias is not None:
        if export_for_source_row is None:
            raise ArgumentValueError("export_for_source_row", "is None; bias needs it")
        rows = rows + bias.float()[export_for_source_row.long()]
    if scales is not None:
        rows = rows * scales.float().unsqueeze(-1)
    found = rows.sum(1)
    for skip in (skip1, skip2):
        found = found if skip is None else found + skip.float()
    return found.to(expanded_permuted_rows.dtype)


@formula()
def npu_top_k_top_p(logits: Tensor, p: Tensor | None, k: Tensor | None) -> Tensor:
    """Logits, -inf except for the k largest and, of their softmax, for the part p on top."""
    if p is None and k is None:
        raise ArgumentValueError("p", "is None, and k is None; one of them must be given")
    values, order = logits.sort(dim=-1, stable=True)
    if k is not None:
        least = values.gather(1, (values.shape[1] - k.long()).unsqueeze(1))
        values = values.masked_fill(values < least, -torch.inf)
    if p is not None:
        sums = torch.softmax(values.float(), -1).cumsum(-1)
        hidden = sums <= 1 - p.float().unsqueeze(1)
        hidden[:, -1] = False
        values = values.masked_fill(hidden, -torch.inf)
    return torch.empty_like(values).scatter_(1, order, values)


@formula()
def _amp_foreach_non_finite_check(scaled_grads: list[Tensor]) -> bool:
    """Whether a tensor has an element that is infinite or NaN."""
    return any(not bool(torch.isfinite(one).all()) for one in scaled_grads)
