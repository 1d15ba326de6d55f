"""Attention for training, with its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from itertools import repeat
from typing import Any, Final

import torch
from torch import Tensor

from ....borrowed.adapters.shared import unpacked
from ....core.errors import ArgumentValueError
from ...randomness import Number, next_state, uniform
from ..formulas import Gradients, Tensors, formula, one_of, refuse
from .layouts import AXES, Part, all_split, by_ends, from_bnsd, to_bnsd, together
from .scores import Rules, attended, scores_of, values_of

#: how often maxima and sums are repeated
_REPEATED: Final = 8
_IGNORED: Final = "inner_precise gen_mask_parallel sync"
_IGNORED_BACKWARD: Final = f"{_IGNORED} softmax_in numels"
_RENAMED: Final = {"pre_tokens": "pre_tockens", "next_tokens": "next_tockens"}


def _checked_layout(
    layout: str, softmax_layout: str, keep_prob: float, pse: Tensor | None, pse_type: int
) -> str:
    """Refuse what no tensor says; return the layout in capitals."""
    layout = layout.upper()
    one_of("pse_type", pse_type, (0, 1))
    one_of("input_layout", layout, (*AXES, "TND"))
    one_of("softmax_layout", softmax_layout, ("", "TND"))
    if not 0 < keep_prob <= 1:
        raise ArgumentValueError("keep_prob", f"is {keep_prob}; it must be over 0 and at most 1")
    if layout == "TND" and pse is not None:
        raise ArgumentValueError("pse", "is given; with the layout TND, it must be None")
    return layout


def _split(
    tensors: Sequence[Tensor],
    layout: str,
    heads: int,
    row_ends: Sequence[int] | None,
    column_ends: Sequence[int] | None,
) -> tuple[list[Tensor], list[Part]]:
    """Return query, key and value as BNSD, and which parts attend; the ends are for TND."""
    found = all_split(tensors, layout, heads)
    if layout == "TND":
        return found, by_ends(found[0], found[1], row_ends, column_ends)
    return found, together(*found[:2])


def _repeated_sums(numbers: Tensor, layout: str) -> Tensor:
    """Return maxima or sums as B, N, S or T, N, each 8 times."""
    found = numbers.squeeze(0).transpose(0, 1) if layout == "TND" else numbers
    return found.expand(*found.shape[:-1], _REPEATED).contiguous()


def _sizes(query: Tensor, parts: Sequence[Part]) -> list[torch.Size]:
    """Return the sizes of the matrices of scores."""
    lengths = ([one.stop - one.start for one in (part.rows, part.columns)] for part in parts)
    return [torch.Size([*query.shape[:2], *length]) for length in lengths]


def _factors(numbers: Tensor, sizes: Sequence[torch.Size], keep_prob: float) -> list[Tensor]:
    """Return the factors of dropout, given for all scores whether they are kept."""
    pieces = numbers.split([size.numel() for size in sizes])
    return [one.reshape(size) / keep_prob for one, size in zip(pieces, sizes, strict=True)]


def _attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    head_num: int,
    input_layout: str,
    pse: Tensor | None,
    atten_mask: Tensor | None,
    scale: float,
    keep_prob: float,
    pre_tockens: int,
    next_tockens: int,
    actual_seq_qlen: list[int] | None,
    actual_seq_kvlen: list[int] | None,
    sparse_mode: int,
    softmax_layout: str,
    sink: Tensor | None,
    pse_type: int = 1,
    dropout_mask: Tensor | None = None,
    seed: Number = 0,
    offset: Number = 0,
) -> tuple[Any, ...]:
    """dropout(softmax(scale·(q·kᵀ + pse), masked))·v, with maxima and sums of the softmax.

    pse_type 0 adds pse to scores that are scaled already. A sink adds a score without a value to
    each row of a head. Scores are dropped by the mask of `_npu_dropout_gen_mask` for their number:
    that given, that of the seed and offset given, or that of the generator's. The last results are
    an empty one, and the state and size of dropout.
    """
    layout = _checked_layout(input_layout, softmax_layout, keep_prob, pse, pse_type)
    limits = (sparse_mode, pre_tockens, next_tockens)
    rules = Rules(scale, atten_mask, *limits, pse, pse_type == 1, sink)
    tensors = (query, key, value)
    split, parts = _split(tensors, layout, head_num, actual_seq_qlen, actual_seq_kvlen)
    numels = 0
    factors = []
    if keep_prob < 1:
        sizes = _sizes(split[0], parts)
        numels = sum(size.numel() for size in sizes)
        if dropout_mask is not None:
            kept = unpacked(dropout_mask)[:numels]
        else:
            if seed == offset == 0:
                seed, offset = next_state(query.device)
            kept = uniform(numels, seed, offset, query.device) < keep_prob
        factors = _factors(kept, sizes, keep_prob)
    found, *sums = attended(split, rules, parts, factors or repeat(None))
    sums = [_repeated_sums(one.detach(), layout) for one in sums]
    result = from_bnsd(found, layout).to(query.dtype)
    return result, *sums, result.new_empty(0), seed, offset, numels


@formula("npu_fusion_attention", ignored=_IGNORED)
@formula("npu_fusion_attention_v2", renamed=_RENAMED, ignored=_IGNORED)
@wraps(_attention)
def npu_fusion_attention(**arguments: Any) -> tuple[Any, ...]:
    if arguments["keep_prob"] < 1 and torch.npu.is_current_stream_capturing():
        refuse("with dropout in a graph, where npu_fusion_attention_v3 runs,")
    return _attention(**arguments)


@formula(ignored=_IGNORED_BACKWARD)
def npu_fusion_attention_grad(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dy: Tensor,
    head_num: int,
    input_layout: str,
    pse: Tensor | None,
    atten_mask: Tensor | None,
    scale_value: float,
    keep_prob: float,
    pre_tockens: int,
    next_tockens: int,
    actual_seq_qlen: list[int] | None,
    actual_seq_kvlen: list[int] | None,
    sparse_mode: int,
    softmax_layout: str,
    sink: Tensor | None,
    softmax_max: Tensor | None,
    softmax_sum: Tensor | None,
    attention_in: Tensor | None,
    seed: Number,
    offset: Number,
    pse_type: int = 1,
) -> Gradients:
    """Gradients of `npu_fusion_attention` for query, key, value, pse and sink.

    Maxima, sums and the result are given: they may be those of several calls together.
    """
    layout = _checked_layout(input_layout, softmax_layout, keep_prob, pse, pse_type)
    given = {"softmax_max": softmax_max, "softmax_sum": softmax_sum, "attention_in": attention_in}
    for name, tensor in given.items():
        if tensor is None:
            raise ArgumentValueError(name, "is None; it must be what the forward call returned")
    most, total, result = (tensor.detach() for tensor in given.values() if tensor is not None)
    most, total = (one[..., :1].float() for one in (most, total))
    if layout == "TND":
        most, total = (one.transpose(0, 1).unsqueeze(0) for one in (most, total))
    grad, result = (to_bnsd(one, layout, head_num).float() for one in (dy.detach(), result))
    dot = (grad * result).sum(-1, True)
    limits = (sparse_mode, pre_tockens, next_tockens)
    with torch.inference_mode(False), torch.enable_grad():
        sources = (query, key, value, pse, sink)
        leaves = [None if one is None else one.detach().clone().requires_grad_() for one in sources]
        *tensors, pse, sink = leaves
        rules = Rules(scale_value, atten_mask, *limits, pse, pse_type == 1, sink)
        inputs = [one for one in tensors if one is not None]
        split, parts = _split(inputs, layout, head_num, actual_seq_qlen, actual_seq_kvlen)
        # a function whose gradients are those of the call while maxima and sums are constant
        loss = torch.zeros((), device=dy.device)
        sizes = _sizes(split[0], parts)
        factors: list[Tensor | float] = [1.0] * len(parts)
        if keep_prob < 1:
            count = sum(size.numel() for size in sizes)
            kept = uniform(count, seed, offset, dy.device) < keep_prob
            factors = [*_factors(kept, sizes, keep_prob)]
        for part, factor in zip(parts, factors, strict=True):
            place = (part.batches, slice(None), part.rows)
            scores = scores_of(split[0], split[1], rules, part) - most[place]
            chances = torch.exp(scores) / torch.where(total[place] == 0, 1, total[place])
            found = (chances * factor) @ values_of(split[2], head_num, part)
            loss = loss + (grad[place] * found).sum() - (chances * dot[place]).sum()
        if sink is not None:
            loss = loss - (torch.exp(sink.reshape(-1, 1, 1) - most) / total * dot).sum()
        wanted = [one for one in leaves if one is not None]
        found = iter(torch.autograd.grad(loss, wanted))
    *grads, of_sink = [None if one is None else next(found) for one in leaves]
    return *grads, query.new_empty(0) if of_sink is None else of_sink


@formula("npu_fusion_attention_grad_v2", renamed=_RENAMED, ignored=_IGNORED_BACKWARD)
@wraps(npu_fusion_attention_grad)
def npu_fusion_attention_grad_v2(**arguments: Any) -> Gradients:
    *found, of_sink = npu_fusion_attention_grad(**arguments)
    of_rope = (arguments["query"].new_empty(0) for _ in range(2))  # its tensors are refused
    return *found, *of_rope, of_sink


def _with_ends(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments with the ends of sequences as lists in place of tensors."""
    ends = {name: arguments[name] for name in ("actual_seq_qlen", "actual_seq_kvlen")}
    return arguments | {name: one.tolist() for name, one in ends.items() if one is not None}


@formula("npu_fusion_attention_v3", ignored=_IGNORED)
@wraps(_attention)
def npu_fusion_attention_v3(**arguments: Any) -> Tensors:
    *found, seed, offset, _ = _attention(**_with_ends(arguments))
    return *found, torch.as_tensor(seed), torch.as_tensor(offset)


@formula("npu_fusion_attention_grad_v3", ignored=f"{_IGNORED} softmax_in")
@wraps(npu_fusion_attention_grad)
def npu_fusion_attention_grad_v3(**arguments: Any) -> Gradients:
    return npu_fusion_attention_grad(**_with_ends(arguments))
