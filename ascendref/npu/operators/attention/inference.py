"""Attention for inference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ..formulas import formula, lacking, one_of
from .layouts import AXES, all_split, by_lengths, from_bnsd
from .scores import FAR, Rules, attended


def _inferred(
    tensors: Sequence[Tensor],
    layout: str,
    heads: tuple[int, int],
    rules: Rules,
    lengths: tuple[Sequence[int] | None, Sequence[int] | None],
) -> tuple[Tensor, Tensor]:
    """Return the result, and logarithms of sums of powers of scores."""
    one_of("input_layout", layout, (*AXES, "BNSD_BSND"))
    before, _, after = layout.partition("_")
    split = all_split(tensors, before, heads[0], heads[1] or heads[0])
    parts = by_lengths(split[0], split[1], *lengths)
    found, most, total = attended(split, rules, parts)
    return from_bnsd(found, after or before).to(tensors[0].dtype), most + torch.log(total)


@formula()
def npu_prompt_flash_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    atten_mask: Tensor | None = None,
    actual_seq_lengths: list[int] | None = None,
    num_heads: int = 1,
    scale_value: float = 1.0,
    pre_tokens: int = FAR,
    next_tokens: int = 0,
    input_layout: str = "BSH",
    num_key_value_heads: int = 0,
    actual_seq_lengths_kv: list[int] | None = None,
    sparse_mode: int = 0,
    **others: Any,
) -> Tensor:
    """softmax(scale·q·kᵀ, masked)·v, of the first rows and columns of each batch."""
    lacking("npu_prompt_flash_attention", **others)
    rules = Rules(scale_value, atten_mask, sparse_mode, pre_tokens, next_tokens)
    heads = (num_heads, num_key_value_heads)
    lengths = (actual_seq_lengths, actual_seq_lengths_kv)
    return _inferred((query, key, value), input_layout, heads, rules, lengths)[0]


@formula()
def npu_incre_flash_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    atten_mask: Tensor | None = None,
    actual_seq_lengths: list[int] | None = None,
    num_heads: int = 1,
    scale_value: float = 1.0,
    input_layout: str = "BSH",
    num_key_value_heads: int = 0,
    inner_precise: int = 1,
    **others: Any,
) -> Tensor:
    """softmax(scale·q·kᵀ, masked)·v, of the first columns of each batch."""
    lacking("npu_incre_flash_attention", **others)
    rules = Rules(scale_value, atten_mask)
    heads, lengths = (num_heads, num_key_value_heads), (None, actual_seq_lengths)
    return _inferred((query, key, value), input_layout, heads, rules, lengths)[0]


@formula()
def npu_fused_infer_attention_score(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    atten_mask: Tensor | None = None,
    actual_seq_lengths: list[int] | None = None,
    actual_seq_lengths_kv: list[int] | None = None,
    num_heads: int = 1,
    scale: float = 1.0,
    pre_tokens: int = FAR,
    next_tokens: int = FAR,
    input_layout: str = "BSH",
    num_key_value_heads: int = 0,
    sparse_mode: int = 0,
    inner_precise: int = 0,
    softmax_lse_flag: bool = False,
    **others: Any,
) -> tuple[Tensor, Tensor]:
    """`npu_prompt_flash_attention`, and logarithms of the sums of e to the scores, if wanted."""
    lacking("npu_fused_infer_attention_score", **others)
    rules = Rules(scale, atten_mask, sparse_mode, pre_tokens, next_tokens)
    heads = (num_heads, num_key_value_heads)
    lengths = (actual_seq_lengths, actual_seq_lengths_kv)
    found, sums = _inferred((query, key, value), input_layout, heads, rules, lengths)
    return found, sums if softmax_lse_flag else sums.new_empty(0)


@formula()
def npu_fused_infer_attention_score_v2(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    atten_mask: Tensor | None = None,
    actual_seq_qlen: list[int] | None = None,
    actual_seq_kvlen: list[int] | None = None,
    num_query_heads: int = 1,
    num_key_value_heads: int = 0,
    softmax_scale: float = 1.0,
    pre_tokens: int = FAR,
    next_tokens: int = FAR,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
    inner_precise: int = 0,
    return_softmax_lse: bool = False,
    **others: Any,
) -> tuple[Tensor, Tensor]:
    """`npu_fused_infer_attention_score` with other names."""
    lacking("npu_fused_infer_attention_score_v2", **others)
    rules = Rules(softmax_scale, atten_mask, sparse_mode, pre_tokens, next_tokens)
    heads = (num_query_heads, num_key_value_heads)
    lengths = (actual_seq_qlen, actual_seq_kvlen)
    found, sums = _inferred((query, key, value), input_layout, heads, rules, lengths)
    return found, sums if return_softmax_lse else sums.new_empty(0)
