"""Attention: softmax(scale·q·kᵀ, masked)·v, in F32.

Inside, tensors have the axes batch, head, row and element (BNSD).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from ...core.errors import ArgumentValueError
from ..randomness import next_state, seeded
from .formulas import formula, lacking, one_of, refuse

#: a distance without limit
_FAR: Final = 2147483647
#: axes of the layouts, their heads split off
_AXES: Final = {"BSH": "BSND", "SBH": "SBND", "BSND": "BSND", "BNSD": "BNSD"}
#: length of a triangle that stands for a mask by its rule
_TRIANGLE: Final = 2048
#: how often maxima and sums are repeated
_REPEATED: Final = 8


class _Rules(NamedTuple):
    """How scores are computed and hidden."""

    scale: float
    mask: Tensor | None = None
    mode: int = 0
    before: int = _FAR
    after: int = _FAR
    #: what is added to scores, and whether it is scaled as well
    added: Tensor | None = None
    scaled: bool = True
    #: for each head, a score without a value
    sink: Tensor | None = None


class _Part(NamedTuple):
    """Batches and rows that attend to columns of the same batches."""

    batches: slice
    rows: slice
    columns: slice


# ---- layouts


def _split(tensor: Tensor, layout: str, heads: int) -> Tensor:
    """Return a tensor of a layout as BNSD, for TND with one batch."""
    if tensor.ndim != len(layout):
        raise ArgumentValueError(
            "input_layout", f"is {layout}, of a tensor with {tensor.ndim} dimensions"
        )
    if layout == "TND":
        return tensor.transpose(0, 1).unsqueeze(0)
    if layout.endswith("H"):
        tensor = tensor.unflatten(-1, (heads, -1))
    return tensor.permute([_AXES[layout].index(axis) for axis in "BNSD"])


def _joined(tensor: Tensor, layout: str) -> Tensor:
    """Return BNSD in a layout."""
    if layout == "TND":
        return tensor.squeeze(0).transpose(0, 1).contiguous()
    found = tensor.permute(["BNSD".index(axis) for axis in _AXES[layout]])
    return (found.flatten(-2) if layout.endswith("H") else found).contiguous()


def _all_split(tensors: Sequence[Tensor], layout: str, heads: int, others: int = 0) -> list[Tensor]:
    """Return query, key and value as BNSD in F32; the key has other heads if they are given."""
    query = _split(tensors[0], layout, heads)
    if query.shape[1] != heads:
        raise ArgumentValueError("head_num", f"is {heads}; the query has {query.shape[1]} heads")
    if not others:
        width = tensors[1].shape[-1] // query.shape[-1]
        others = width if layout.endswith("H") else tensors[1].shape[layout.index("N")]
    found = [query, *(_split(tensor, layout, others) for tensor in tensors[1:])]
    if found[1].shape[1] != others or heads % others:
        raise ArgumentValueError(
            "head_num",
            f"is {heads}; the key has {found[1].shape[1]} heads, expected: {others}, a divisor",
        )
    return [tensor.float() for tensor in found]


def _together(query: Tensor, key: Tensor) -> list[_Part]:
    """Return one part of everything."""
    return [_Part(slice(None), slice(0, query.shape[2]), slice(0, key.shape[2]))]


def _by_ends(
    query: Tensor, key: Tensor, rows: Sequence[int] | None, columns: Sequence[int] | None
) -> list[_Part]:
    """Return parts of sequences that lie one after the other, given their ends."""
    if not rows or not columns or len(rows) != len(columns):
        raise ArgumentValueError(
            "actual_seq_qlen",
            f"is {rows}, actual_seq_kvlen {columns}; the layout TND needs the ends of all"
            " sequences of both, as many of one as of the other",
        )
    found, row, column = [], 0, 0
    for row_end, column_end in zip(rows, columns, strict=True):
        if row_end > row:
            found.append(_Part(slice(None), slice(row, row_end), slice(column, column_end)))
        row, column = max(row, row_end), max(column, column_end)
    if row > query.shape[2] or column > key.shape[2]:
        raise ArgumentValueError(
            "actual_seq_qlen",
            f"ends at {row}, actual_seq_kvlen at {column}; there are {query.shape[2]} rows and"
            f" {key.shape[2]} columns",
        )
    return found


def _by_lengths(
    query: Tensor, key: Tensor, rows: Sequence[int] | None, columns: Sequence[int] | None
) -> list[_Part]:
    """Return a part for each batch, given how many of its rows and columns are used."""
    lengths = []
    for name, given, tensor in (
        ("actual_seq_lengths", rows, query),
        ("actual_seq_lengths_kv", columns, key),
    ):
        batches, most = len(tensor), tensor.shape[2]
        every = [most] if given is None else list(given)
        every = every * batches if len(every) == 1 else every[:batches]
        if len(every) < batches or not all(0 <= length <= most for length in every):
            raise ArgumentValueError(
                name, f"is {given}; expected: 1 or {batches} lengths of at most {most}"
            )
        lengths.append(every)
    return [
        _Part(slice(batch, batch + 1), slice(0, row), slice(0, column))
        for batch, (row, column) in enumerate(zip(*lengths, strict=True))
    ]


# ---- scores


def _hidden(rules: _Rules, part: _Part) -> Tensor | None:
    """Return where scores of a part are hidden, for one or all of its batches and heads."""
    one_of("sparse_mode", rules.mode, (0, 1, 2, 3, 4))
    if rules.mask is None:
        if rules.mode:
            raise ArgumentValueError("atten_mask", f"is None; sparse_mode {rules.mode} needs it")
        return None
    rows, columns = (one.stop - one.start for one in (part.rows, part.columns))
    mask = rules.mask.bool()
    row, column = (torch.arange(count, device=mask.device) for count in (rows, columns))
    distance = column - row.unsqueeze(1)
    if rules.mode in (2, 3, 4):
        return _hidden_by_rule(rules, mask, distance)
    if mask.ndim == 3:
        mask = mask.unsqueeze(1)
    if mask.ndim == 4 and len(mask) > 1:
        mask = mask[part.batches]
    if mask.shape[-2] < rows or mask.shape[-1] < columns:
        raise ArgumentValueError(
            "atten_mask", f"has the shape {list(mask.shape)}, for {rows} rows and {columns} columns"
        )
    mask = mask[..., :rows, :columns]
    if rules.mode == 0 and (rules.before < rows or rules.after < columns):
        outside = (distance > rules.after) | (distance < -rules.before)
        if bool((outside & ~mask).any()):
            raise ArgumentValueError(
                "atten_mask",
                f"keeps scores further than {rules.before} before or {rules.after} after the"
                " diagonal (pre_tockens and next_tockens), which a device may leave out",
            )
    return mask


def _hidden_by_rule(rules: _Rules, mask: Tensor, distance: Tensor) -> Tensor:
    """Return what a triangle hides, applied at distances from a diagonal."""
    if mask.shape[-2:] != (_TRIANGLE, _TRIANGLE):
        raise ArgumentValueError(
            "atten_mask",
            f"has the shape {list(mask.shape)}; for sparse_mode {rules.mode}, its last two axes"
            f" have {_TRIANGLE} elements",
        )
    triangle = mask.reshape(-1, _TRIANGLE, _TRIANGLE)[0]

    def above(steps: Tensor) -> Tensor:
        steps = steps.clamp(1 - _TRIANGLE, _TRIANGLE - 1)
        return triangle[(-steps).clamp(min=0), steps.clamp(min=0)]

    if rules.mode == 2:  # from the left upper corner; otherwise from the right lower one
        return above(distance)
    rows, columns = distance.shape
    distance = distance - (columns - rows)
    if rules.mode == 3:
        return above(distance)
    return above(distance - rules.after) | ~above(distance + rules.before + 1)


def _scores(query: Tensor, key: Tensor, rules: _Rules, part: _Part) -> Tensor:
    """Return scaled scores, -inf where they are hidden."""
    heads = query.shape[1]
    query, key = query[part.batches, :, part.rows], key[part.batches, :, part.columns]
    scores = query @ _repeated(key, heads).transpose(-1, -2)
    if rules.added is None:
        scores = scores * rules.scale
    elif rules.scaled:
        scores = (scores + rules.added.float()) * rules.scale
    else:
        scores = scores * rules.scale + rules.added.float()
    hidden = _hidden(rules, part)
    return scores if hidden is None else scores.masked_fill(hidden, -torch.inf)


def _values(value: Tensor, heads: int, part: _Part) -> Tensor:
    return _repeated(value[part.batches, :, part.columns], heads)


def _repeated(tensor: Tensor, heads: int) -> Tensor:
    """Return heads of keys or values, each as often as heads of the query share it."""
    return tensor.repeat_interleave(heads // tensor.shape[1], 1)


def _softmax(scores: Tensor, sink: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """Return probabilities, and maxima and sums of rows; 0 in rows where all is hidden."""
    lowest = scores.new_full((*scores.shape[:-1], 1), torch.finfo(torch.float32).min)
    most = torch.cat([lowest, scores.detach()], -1).amax(-1, True)
    if sink is not None:
        sink = sink.float().reshape(-1, 1, 1)
        most = torch.maximum(most, sink.detach())
    powers = torch.exp(scores - most)
    total = powers.sum(-1, True)
    if sink is not None:
        total = total + torch.exp(sink - most)
    return powers / torch.where(total == 0, 1, total), most, total


def _dropped(chances: Tensor, keep_prob: float, generator: torch.Generator | None) -> Tensor:
    """Return multiples of the probabilities that dropout keeps, and 0 for others."""
    if generator is None:
        return chances
    kept = torch.rand(chances.shape, generator=generator) < keep_prob
    return chances * (kept.to(chances.device) / keep_prob)


def _placed(pieces: Sequence[Tensor], parts: Sequence[_Part], rows: int) -> Tensor:
    """Return the results of parts in their places; rows of no part are 0."""
    if not parts:
        raise ArgumentValueError("actual_seq_qlen", "has no sequence with an element")
    if parts[0].batches == slice(None):
        found = torch.cat(list(pieces), 2)
        return F.pad(found, (0, 0, 0, rows - found.shape[2]))
    return torch.cat([F.pad(piece, (0, 0, 0, rows - piece.shape[2])) for piece in pieces])


def _attended(
    tensors: Sequence[Tensor],
    rules: _Rules,
    parts: Sequence[_Part],
    keep_prob: float = 1.0,
    generator: torch.Generator | None = None,
) -> list[Tensor]:
    """Return the result, and maxima and sums of rows."""
    query, key, value = tensors
    pieces = []
    for part in parts:
        chances, most, total = _softmax(_scores(query, key, rules, part), rules.sink)
        chances = _dropped(chances, keep_prob, generator)
        pieces.append((chances @ _values(value, query.shape[1], part), most, total))
    return [_placed(piece, parts, query.shape[2]) for piece in zip(*pieces, strict=True)]


# ---- training


class _Call(NamedTuple):
    """A call of the operators for training."""

    tensors: Sequence[Tensor]
    heads: int
    layout: str
    rules: _Rules
    keep_prob: float
    #: ends of the sequences, for the layout TND
    rows: Sequence[int] | None
    columns: Sequence[int] | None
    #: order of maxima and sums, for the layout TND
    softmax_layout: str

    def check(self) -> None:
        """Refuse what no tensor says."""
        one_of("input_layout", self.layout, (*_AXES, "TND"))
        one_of("softmax_layout", self.softmax_layout, ("", "TND"))
        if not 0 < self.keep_prob <= 1:
            raise ArgumentValueError(
                "keep_prob", f"is {self.keep_prob}; it must be over 0 and at most 1"
            )
        if self.layout == "TND" and self.rules.added is not None:
            raise ArgumentValueError("pse", "is given; with the layout TND, it must be None")

    def split(self, tensors: Sequence[Tensor]) -> tuple[list[Tensor], list[_Part]]:
        """Return query, key and value as BNSD, and the parts of the call."""
        found = _all_split(tensors, self.layout, self.heads)
        if self.layout == "TND":
            return found, _by_ends(found[0], found[1], self.rows, self.columns)
        return found, _together(*found[:2])


def _forward(call: _Call) -> tuple[Any, ...]:
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
    found, *sums = _attended(split, call.rules, parts, call.keep_prob, generator)
    kind = call.tensors[0].dtype
    empty = torch.empty(0, dtype=kind, device=found.device)
    seed = seed - 2**64 if seed >= 2**63 else seed
    sums = [_repeated_sums(one.detach(), call.layout) for one in sums]
    return _joined(found, call.layout).to(kind), *sums, empty, seed, offset, numels


def _repeated_sums(numbers: Tensor, layout: str) -> Tensor:
    """Return maxima or sums as B, N, S or T, N, each 8 times."""
    found = numbers.squeeze(0).transpose(0, 1) if layout == "TND" else numbers
    return found.expand(*found.shape[:-1], _REPEATED).contiguous()


def _backward(
    call: _Call, dy: Tensor, seed: int, offset: int, given: dict[str, Tensor | None]
) -> list[Tensor | None]:
    """Return gradients for query, key, value, what is added and the sink, if there are these.

    Maxima, sums and the result are given: they may be those of several calls together.
    """
    call.check()
    for name, tensor in given.items():
        if tensor is None:
            raise ArgumentValueError(name, "is None; it must be what the forward call returned")
    most, total, result = (tensor.detach() for tensor in given.values() if tensor is not None)
    most, total = (one[..., :1].float() for one in (most, total))
    if call.layout == "TND":
        most, total = (one.transpose(0, 1).unsqueeze(0) for one in (most, total))
    grad, result = (_split(one, call.layout, call.heads).float() for one in (dy.detach(), result))
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
            scores = _scores(query, key, rules, part) - most[place]
            chances = torch.exp(scores) / torch.where(total[place] == 0, 1, total[place])
            kept = _dropped(chances, call.keep_prob, generator)
            found = kept @ _values(value, call.heads, part)
            loss = loss + (grad[place] * found).sum() - (chances * dot[place]).sum()
        if rules.sink is not None:
            loss = loss - (torch.exp(rules.sink.reshape(-1, 1, 1) - most) / total * dot).sum()
        wanted = [one for one in leaves if one is not None]
        found = iter(torch.autograd.grad(loss, wanted))
    return [None if one is None else next(found) for one in leaves]


@formula()
def npu_fusion_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    head_num: int,
    input_layout: str,
    pse: Tensor | None = None,
    padding_mask: Tensor | None = None,
    atten_mask: Tensor | None = None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    pre_tockens: int = _FAR,
    next_tockens: int = _FAR,
    inner_precise: int = 0,
    prefix: list[int] | None = None,
    actual_seq_qlen: list[int] | None = None,
    actual_seq_kvlen: list[int] | None = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
    softmax_layout: str = "",
    sink: Tensor | None = None,
    **others: Any,
) -> tuple[Any, ...]:
    """dropout(softmax(scale·(q·kᵀ + pse), masked))·v, with maxima and sums of the softmax.

    A sink adds a score without a value to each row of a head.
    """
    lacking("npu_fusion_attention", padding_mask=padding_mask, prefix=prefix, **others)
    rules = _Rules(scale, atten_mask, sparse_mode, pre_tockens, next_tockens, pse, sink=sink)
    ends = (actual_seq_qlen, actual_seq_kvlen)
    call = _Call(
        (query, key, value), head_num, input_layout.upper(), rules, keep_prob, *ends, softmax_layout
    )
    return _forward(call)


@formula()
def npu_fusion_attention_grad(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dy: Tensor,
    head_num: int,
    input_layout: str,
    *,
    pse: Tensor | None = None,
    atten_mask: Tensor | None = None,
    softmax_max: Tensor | None = None,
    softmax_sum: Tensor | None = None,
    softmax_in: Tensor | None = None,
    attention_in: Tensor | None = None,
    scale_value: float = 1.0,
    keep_prob: float = 1.0,
    pre_tockens: int = _FAR,
    next_tockens: int = _FAR,
    inner_precise: int = 0,
    seed: int = 0,
    offset: int = 0,
    numels: int = 0,
    actual_seq_qlen: list[int] | None = None,
    actual_seq_kvlen: list[int] | None = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
    softmax_layout: str = "",
    sink: Tensor | None = None,
    **others: Any,
) -> tuple[Tensor | None, ...]:
    """Gradients of `npu_fusion_attention`, from its results or those of several calls together."""
    lacking("npu_fusion_attention_grad", **others)
    rules = _Rules(scale_value, atten_mask, sparse_mode, pre_tockens, next_tockens, pse, sink=sink)
    ends = (actual_seq_qlen, actual_seq_kvlen)
    call = _Call(
        (query, key, value), head_num, input_layout.upper(), rules, keep_prob, *ends, softmax_layout
    )
    given = {"softmax_max": softmax_max, "softmax_sum": softmax_sum, "attention_in": attention_in}
    *found, of_sink = _backward(call, dy, seed, offset, given)
    return *found, query.new_empty(0) if of_sink is None else of_sink


@formula()
def npu_fusion_attention_v2(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    head_num: int,
    input_layout: str,
    *,
    pse: Tensor | None = None,
    atten_mask: Tensor | None = None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    pre_tokens: int = _FAR,
    next_tokens: int = _FAR,
    inner_precise: int = 0,
    actual_seq_qlen: list[int] | None = None,
    actual_seq_kvlen: list[int] | None = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
    pse_type: int = 1,
    softmax_layout: str = "",
    sink: Tensor | None = None,
    **others: Any,
) -> tuple[Any, ...]:
    """`npu_fusion_attention`, where pse_type 0 adds pse to scores that are scaled already."""
    lacking("npu_fusion_attention_v2", **others)
    one_of("pse_type", pse_type, (0, 1))
    rules = _Rules(
        scale, atten_mask, sparse_mode, pre_tokens, next_tokens, pse, pse_type == 1, sink
    )
    ends = (actual_seq_qlen, actual_seq_kvlen)
    call = _Call(
        (query, key, value), head_num, input_layout.upper(), rules, keep_prob, *ends, softmax_layout
    )
    return _forward(call)


@formula()
def npu_fusion_attention_grad_v2(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dy: Tensor,
    head_num: int,
    input_layout: str,
    *,
    pse: Tensor | None = None,
    atten_mask: Tensor | None = None,
    softmax_max: Tensor | None = None,
    softmax_sum: Tensor | None = None,
    softmax_in: Tensor | None = None,
    attention_in: Tensor | None = None,
    scale_value: float = 1.0,
    keep_prob: float = 1.0,
    pre_tokens: int = _FAR,
    next_tokens: int = _FAR,
    inner_precise: int = 0,
    seed: int = 0,
    offset: int = 0,
    numels: int = 0,
    actual_seq_qlen: list[int] | None = None,
    actual_seq_kvlen: list[int] | None = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
    pse_type: int = 1,
    softmax_layout: str = "",
    sink: Tensor | None = None,
    **others: Any,
) -> tuple[Tensor | None, ...]:
    """Gradients of `npu_fusion_attention_v2`, as `npu_fusion_attention_grad`; none of rope."""
    lacking("npu_fusion_attention_grad_v2", **others)
    one_of("pse_type", pse_type, (0, 1))
    rules = _Rules(
        scale_value, atten_mask, sparse_mode, pre_tokens, next_tokens, pse, pse_type == 1, sink
    )
    ends = (actual_seq_qlen, actual_seq_kvlen)
    call = _Call(
        (query, key, value), head_num, input_layout.upper(), rules, keep_prob, *ends, softmax_layout
    )
    given = {"softmax_max": softmax_max, "softmax_sum": softmax_sum, "attention_in": attention_in}
    *found, of_sink = _backward(call, dy, seed, offset, given)
    empty = query.new_empty(0)
    return *found, empty, empty, empty if of_sink is None else of_sink


@formula()
def npu_attention_update(
    lse: list[Tensor], local_out: list[Tensor], update_type: int
) -> tuple[Tensor, Tensor]:
    """Σ out·exp(lse - total), where total is the logarithm of Σ exp lse, and the total."""
    one_of("update_type", update_type, (0, 1))
    sums = torch.stack([one.float() for one in lse])
    total = torch.logsumexp(sums, 0)
    weights = torch.exp(sums - total).unsqueeze(-1)
    found = (torch.stack([one.float() for one in local_out]) * weights).sum(0)
    return found.to(local_out[0].dtype), total


@formula()
def npu_ring_attention_update(
    prev_attn_out: Tensor,
    prev_softmax_max: Tensor,
    prev_softmax_sum: Tensor,
    cur_attn_out: Tensor,
    cur_softmax_max: Tensor,
    cur_softmax_sum: Tensor,
    *,
    actual_seq_qlen: Tensor | None = None,
    input_layout: str = "SBH",
    input_softmax_layout: str = "",
) -> tuple[Tensor, Tensor, Tensor]:
    """Result, maxima and sums of attention to two sets of columns, from those of both.

    Each result is weighted by its sum, relative to the common maximum.
    """
    if input_layout != "SBH":
        refuse("npu_ring_attention_update", f"with input_layout {input_layout}")
    most = torch.maximum(prev_softmax_max, cur_softmax_max)
    sums = [
        one * torch.exp(limit - most)
        for one, limit in (
            (prev_softmax_sum, prev_softmax_max),
            (cur_softmax_sum, cur_softmax_max),
        )
    ]
    total = sums[0] + sums[1]
    heads = most.shape[1]
    found = torch.zeros((), device=most.device)
    for one, attention in zip(sums, (prev_attn_out, cur_attn_out), strict=True):
        weight = (one / total)[..., 0].permute(2, 0, 1).unsqueeze(-1)
        found = found + attention.float().unflatten(-1, (heads, -1)) * weight
    return found.flatten(-2).to(prev_attn_out.dtype), most, total


# ---- inference


def _inferred(
    tensors: Sequence[Tensor],
    layout: str,
    heads: tuple[int, int],
    rules: _Rules,
    lengths: tuple[Sequence[int] | None, Sequence[int] | None],
) -> tuple[Tensor, Tensor]:
    """Return the result, and logarithms of sums of powers of scores."""
    one_of("input_layout", layout, (*_AXES, "BNSD_BSND"))
    before, _, after = layout.partition("_")
    split = _all_split(tensors, before, heads[0], heads[1] or heads[0])
    parts = _by_lengths(split[0], split[1], *lengths)
    found, most, total = _attended(split, rules, parts)
    return _joined(found, after or before).to(tensors[0].dtype), most + torch.log(total)


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
    pre_tokens: int = _FAR,
    next_tokens: int = 0,
    input_layout: str = "BSH",
    num_key_value_heads: int = 0,
    actual_seq_lengths_kv: list[int] | None = None,
    sparse_mode: int = 0,
    **others: Any,
) -> Tensor:
    """softmax(scale·q·kᵀ, masked)·v, of the first rows and columns of each batch."""
    lacking("npu_prompt_flash_attention", **others)
    rules = _Rules(scale_value, atten_mask, sparse_mode, pre_tokens, next_tokens)
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
    rules = _Rules(scale_value, atten_mask)
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
    pre_tokens: int = _FAR,
    next_tokens: int = _FAR,
    input_layout: str = "BSH",
    num_key_value_heads: int = 0,
    sparse_mode: int = 0,
    inner_precise: int = 0,
    softmax_lse_flag: bool = False,
    **others: Any,
) -> tuple[Tensor, Tensor]:
    """`npu_prompt_flash_attention`, and logarithms of the sums of e to the scores, if wanted."""
    lacking("npu_fused_infer_attention_score", **others)
    rules = _Rules(scale, atten_mask, sparse_mode, pre_tokens, next_tokens)
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
    pre_tokens: int = _FAR,
    next_tokens: int = _FAR,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
    inner_precise: int = 0,
    return_softmax_lse: bool = False,
    **others: Any,
) -> tuple[Tensor, Tensor]:
    """`npu_fused_infer_attention_score` with other names."""
    lacking("npu_fused_infer_attention_score_v2", **others)
    rules = _Rules(softmax_scale, atten_mask, sparse_mode, pre_tokens, next_tokens)
    heads = (num_query_heads, num_key_value_heads)
    lengths = (actual_seq_qlen, actual_seq_kvlen)
    found, sums = _inferred((query, key, value), input_layout, heads, rules, lengths)
    return found, sums if return_softmax_lse else sums.new_empty(0)
