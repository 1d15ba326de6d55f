"""Attention for training, with its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor

from ....core.errors import ArgumentValueError
from ...randomness import next_state, seeded
from ..formulas import Gradients, formula, one_of
from .layouts import AXES, Part, all_split, by_ends, from_bnsd, to_bnsd, together
from .scores import Rules, attended, dropped, scores_of, values_of

#: how often maxima and sums are repeated
_REPEATED: Final = 8
_IGNORED: Final = "inner_precise gen_mask_parallel sync"
_IGNORED_BACKWARD: Final = f"{_IGNORED} softmax_in numels"
_RENAMED: Final = {"pre_tokens": "pre_tockens", "next_tokens": "next_tockens"}


class _Attention(NamedTuple):
    """A call of the operators for training."""

    tensors: Sequence[Tensor]
    heads: int
    layout: str
    rules: Rules
    keep_prob: float
    #: ends of the sequences in rows and columns, for the layout TND
    ends: tuple[Sequence[int] | None, Sequence[int] | None]
    #: order of maxima and sums, for the layout TND
    softmax_layout: str

    def check(self) -> None:
        """Refuse what no tensor says."""
        one_of("input_layout", self.layout, (*AXES, "TND"))
        one_of("softmax_layout", self.softmax_layout, ("", "TND"))
        if not 0 < self.keep_prob <= 1:
            raise ArgumentValueError(
                "keep_prob", f"is {self.keep_prob}; it must be over 0 and at most 1"
            )
        if self.layout == "TND" and self.rules.added is not None:
            raise ArgumentValueError("pse", "is given; with the layout TND, it must be None")

    def split(self, tensors: Sequence[Tensor]) -> tuple[list[Tensor], list[Part]]:
        """Return query, key and value as BNSD, and the parts of the call."""
        found = all_split(tensors, self.layout, self.heads)
        if self.layout == "TND":
            return found, by_ends(found[0], found[1], *self.ends)
        return found, together(*found[:2])


def _forward(call: _Attention) -> tuple[Any, ...]:
    """Return the result, maxima, sums, nothing, and the state and size of dropout."""
    call.check()
    split, parts = call.split(call.tensors)
    seed = offset = numels = 0
    generator = None
    if call.keep_prob < 1:
        seed, offset = next_state(None, split[0].device)
        generator = seeded(seed, offset)
        sizes = ((part.rows, part.columns) for part in parts)
        numels = sum((a.stop - a.start) * (b.stop - b.start) for a, b in sizes)
        numels *= call.heads * len(split[0])
    found, *sums = attended(split, call.rules, parts, call.keep_prob, generator)
    kind = call.tensors[0].dtype
    empty = torch.empty(0, dtype=kind, device=found.device)
    seed = seed - 2**64 if seed >= 2**63 else seed
    sums = [_repeated_sums(one.detach(), call.layout) for one in sums]
    return from_bnsd(found, call.layout).to(kind), *sums, empty, seed, offset, numels


def _repeated_sums(numbers: Tensor, layout: str) -> Tensor:
    """Return maxima or sums as B, N, S or T, N, each 8 times."""
    found = numbers.squeeze(0).transpose(0, 1) if layout == "TND" else numbers
    return found.expand(*found.shape[:-1], _REPEATED).contiguous()


def _backward(
    call: _Attention,
    dy: Tensor,
    seed: int,
    offset: int,
    softmax_max: Tensor | None,
    softmax_sum: Tensor | None,
    attention_in: Tensor | None,
) -> tuple[list[Tensor | None], Tensor]:
    """Return the gradients of query, key, value, the additive bias (if any) and the sink.

    Maxima, sums and the result are given: they may be those of several calls together.
    """
    call.check()
    given = {"softmax_max": softmax_max, "softmax_sum": softmax_sum, "attention_in": attention_in}
    for name, tensor in given.items():
        if tensor is None:
            raise ArgumentValueError(name, "is None; it must be what the forward call returned")
    most, total, result = (tensor.detach() for tensor in given.values() if tensor is not None)
    most, total = (one[..., :1].float() for one in (most, total))
    if call.layout == "TND":
        most, total = (one.transpose(0, 1).unsqueeze(0) for one in (most, total))
    grad, result = (to_bnsd(one, call.layout, call.heads).float() for one in (dy.detach(), result))
    dot = (grad * result).sum(-1, True)
    generator = seeded(seed, offset) if call.keep_prob < 1 else None
    with torch.inference_mode(False), torch.enable_grad():
        sources = [*call.tensors, call.rules.added, call.rules.sink]
        leaves = [None if one is None else one.detach().clone().requires_grad_() for one in sources]
        rules = call.rules._replace(added=leaves[3], sink=leaves[4])
        (query, key, value), parts = call.split([one for one in leaves[:3] if one is not None])
        # a function whose gradients are those of the call while maxima and sums are constant
        loss = torch.zeros((), device=dy.device)
        for part in parts:
            place = (part.batches, slice(None), part.rows)
            scores = scores_of(query, key, rules, part) - most[place]
            chances = torch.exp(scores) / torch.where(total[place] == 0, 1, total[place])
            kept = dropped(chances, call.keep_prob, generator)
            found = kept @ values_of(value, call.heads, part)
            loss = loss + (grad[place] * found).sum() - (chances * dot[place]).sum()
        if rules.sink is not None:
            loss = loss - (torch.exp(rules.sink.reshape(-1, 1, 1) - most) / total * dot).sum()
        wanted = [one for one in leaves if one is not None]
        found = iter(torch.autograd.grad(loss, wanted))
    *grads, of_sink = [None if one is None else next(found) for one in leaves]
    return grads, call.tensors[0].new_empty(0) if of_sink is None else of_sink


@formula("npu_fusion_attention", ignored=_IGNORED)
@formula("npu_fusion_attention_v2", renamed=_RENAMED, ignored=_IGNORED)
def npu_fusion_attention(
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
) -> tuple[Any, ...]:
    """dropout(softmax(scale·(q·kᵀ + pse), masked))·v, with maxima and sums of the softmax.

    pse_type 0 adds pse to scores that are scaled already. A sink adds a score without a value to
    each row of a head.
    """
    one_of("pse_type", pse_type, (0, 1))
    rules = Rules(
        scale, atten_mask, sparse_mode, pre_tockens, next_tockens, pse, pse_type == 1, sink
    )
    ends = (actual_seq_qlen, actual_seq_kvlen)
    call = _Attention(
        (query, key, value), head_num, input_layout.upper(), rules, keep_prob, ends, softmax_layout
    )
    return _forward(call)


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
    seed: int,
    offset: int,
    pse_type: int = 1,
) -> Gradients:
    """Gradients of `npu_fusion_attention`, from its results or those of several calls together."""
    one_of("pse_type", pse_type, (0, 1))
    rules = Rules(
        scale_value, atten_mask, sparse_mode, pre_tockens, next_tockens, pse, pse_type == 1, sink
    )
    ends = (actual_seq_qlen, actual_seq_kvlen)
    call = _Attention(
        (query, key, value), head_num, input_layout.upper(), rules, keep_prob, ends, softmax_layout
    )
    found, of_sink = _backward(call, dy, seed, offset, softmax_max, softmax_sum, attention_in)
    return *found, of_sink


@formula("npu_fusion_attention_grad_v2", renamed=_RENAMED, ignored=_IGNORED_BACKWARD)
@wraps(npu_fusion_attention_grad)
def npu_fusion_attention_grad_v2(**arguments: Any) -> Gradients:
    *found, of_sink = npu_fusion_attention_grad(**arguments)
    of_rope = (arguments["query"].new_empty(0) for _ in range(2))  # its tensors are refused
    return *found, *of_rope, of_sink
