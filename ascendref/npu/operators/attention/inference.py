"""Attention for inference."""

from __future__ import annotations

from functools import wraps
from typing import Any

import torch
from torch import Tensor

from ..formulas import formula, one_of
from .layouts import AXES, all_split, by_lengths, from_bnsd
from .scores import FAR, Rules, attended


@formula("npu_fused_infer_attention_score", ignored="inner_precise")
@formula(
    "npu_fused_infer_attention_score_v2",
    renamed={
        "actual_seq_qlen": "actual_seq_lengths",
        "actual_seq_kvlen": "actual_seq_lengths_kv",
        "num_query_heads": "num_heads",
        "softmax_scale": "scale",
        "return_softmax_lse": "softmax_lse_flag",
    },
    ignored="inner_precise",
)
def attention_score(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    atten_mask: Tensor | None,
    num_heads: int,
    scale: float,
    input_layout: str,
    num_key_value_heads: int,
    actual_seq_lengths_kv: list[int] | None,
    actual_seq_lengths: list[int] | None = None,
    pre_tokens: int = FAR,
    next_tokens: int = FAR,
    sparse_mode: int = 0,
    softmax_lse_flag: bool = False,
) -> tuple[Tensor, Tensor]:
    """softmax(scale·q·kᵀ, masked)·v, of the first rows and columns of each batch.

    The second result, if wanted, is the logarithms of the sums of e to the scores.
    """
    one_of("input_layout", input_layout, (*AXES, "BNSD_BSND"))
    before, _, after = input_layout.partition("_")
    rules = Rules(scale, atten_mask, sparse_mode, pre_tokens, next_tokens)
    split = all_split((query, key, value), before, num_heads, num_key_value_heads or num_heads)
    parts = by_lengths(split[0], split[1], actual_seq_lengths, actual_seq_lengths_kv)
    found, most, total = attended(split, rules, parts)
    result = from_bnsd(found, after or before).to(query.dtype)
    return result, most + torch.log(total) if softmax_lse_flag else most.new_empty(0)


@formula("npu_prompt_flash_attention", renamed={"scale_value": "scale"})
@formula(
    "npu_incre_flash_attention",
    renamed={"scale_value": "scale", "actual_seq_lengths": "actual_seq_lengths_kv"},
    ignored="inner_precise",
)
@wraps(attention_score)
def flash_attention(**arguments: Any) -> Tensor:
    return attention_score(**arguments)[0]
