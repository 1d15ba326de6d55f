"""Attention of queries to keys, as inference computes it."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor

from .shared import chosen

#: layouts of queries, keys and values, and after an underscore of the result: batches (B),
#: positions (S), heads (N), elements (D), heads and elements (H), positions of all batches (T)
_LAYOUTS: Final = (
    "BSH", "BSND", "BNSD", "BNSD_BSND", "TND", "NTD", "NTD_TND", "TND_NTD",
    "BSH_BNSD", "BSND_BNSD", "BSH_NBSD", "BSND_NBSD", "BNSD_NBSD",
)  # fmt: skip
#: sparse modes by name
_DEFAULT, _ALL, _LEFT_UP, _RIGHT_DOWN, _BAND = range(5)
#: sizes of the mask that stands for a triangle of any size
_COMPRESSED: Final = 2048
#: most scores that are held at a time
_MOST_SCORES: Final = 2**24

#: where the positions of each batch begin and end
_Spans = list[tuple[int, int]]


class _Sources(NamedTuple):
    """Keys and values."""

    #: how many positions each batch has
    lengths: list[int]
    #: sizes of a key and of a value
    size: int
    width: int
    #: returns the keys and values of a batch, by heads
    of: Callable[[int], tuple[Tensor, Tensor]]


class _Sight(NamedTuple):
    """Which keys a query sees."""

    mask: Tensor | None
    mode: int
    #: how many keys before and after the query's own
    before: int
    after: int

    def of(self, batch: int, queries: int, keys: int) -> Tensor | None:
        """Return which keys of a batch are seen, a row for each query; None for all."""
        if self.mask is None:
            return None
        shown = torch.ones(queries, keys, dtype=torch.bool)
        if self.mode in (_DEFAULT, _ALL):
            mask = self.mask[batch if len(self.mask) > 1 else 0]
            shown = mask[:queries, :keys] == 0
        if self.mode == _ALL:
            return shown
        # the own key of the last query is the last key, or that of the first query the first
        own = torch.arange(queries)
        own = own + (keys - queries if self.mode in (_RIGHT_DOWN, _BAND) else 0)
        away = torch.arange(keys) - own.unsqueeze(-1)
        if self.mode in (_LEFT_UP, _RIGHT_DOWN):
            return shown & (away <= 0)
        return shown & (away >= -self.before) & (away <= self.after)


def fused_attention(
    query: Tensor,
    keys: Sequence[Tensor],
    values: Sequence[Tensor],
    shift: Tensor | None,
    mask: Tensor | None,
    lengths: Sequence[int] | None,
    key_lengths: Sequence[int] | None,
    table: Tensor | None,
    heads: int,
    scale: float,
    before: int,
    after: int,
    layout: str | None,
    key_heads: int,
    mode: int,
    precise: int,
    block: int,
    wants_sums: bool,
) -> tuple[Tensor, Tensor | None]:
    """Return sums of values, weighted by the softmax of scores, and the logarithms of its sums.

    What a query that sees no key gets is 0, and an infinite logarithm.
    """
    layout = layout or "BSH"
    chosen("inputLayout", layout, dict.fromkeys(_LAYOUTS))
    chosen("innerPrecise", precise, dict.fromkeys(range(4)))
    chosen("sparseMode", mode, dict.fromkeys(range(5)))
    key_heads = key_heads or heads
    if heads < 1 or key_heads < 1 or heads % key_heads:
        raise ValueError(
            f"numHeads is {heads} and numKeyValueHeads {key_heads}; a multiple is expected"
        )
    for name, tensors in (("key", keys), ("value", values), ("pseShift", [shift])):
        for tensor in tensors:
            if tensor is not None and tensor.dtype != query.dtype:
                raise ValueError(f"{name} has type {tensor.dtype}; {query.dtype} is expected")
    form, _, result = layout.partition("_")
    packed = "T" in form
    queries = _by_heads("query", query, form, heads)
    batches, _, most, size = queries.shape
    spans = _spans("actualSeqLengths", lengths, batches, most, packed=packed)
    if table is not None:
        sources = _pages(keys, values, table, key_lengths, key_heads, block, len(spans))
    else:
        sources = _sequences(keys, values, key_lengths, key_heads, form, len(spans))
    if sources.size != size:
        raise ValueError(f"key has heads of {sources.size} elements; query has heads of {size}")
    longest = most, max(sources.lengths, default=0)
    if shift is not None:
        _check_shift(shift, len(spans), heads, longest, packed=packed)
    sight = _sight(mask, mode, before, after, len(spans), longest, packed=packed)
    found = query.new_zeros((*queries.shape[:-1], sources.width), dtype=torch.float32)
    sums = torch.full_like(found[..., 0], torch.inf)
    for batch, (first, stop) in enumerate([] if query.is_meta else spans):
        place = (0 if packed else batch, slice(None), slice(first, stop))
        seen = sight.of(batch, stop - first, sources.lengths[batch])
        added = None if shift is None else shift[batch if len(shift) > 1 else 0]
        attended = _attended(queries[place], *sources.of(batch), scale, added, seen)
        found[place], sums[place] = attended
    out = _laid_out(found, result or form)
    if not wants_sums:
        return out, None
    return out, (sums[0].mT if packed else sums).unsqueeze(-1)


def prompt_attention(query: Tensor, key: Tensor, value: Tensor, *given: Any) -> Tensor:
    """Return `fused_attention` to keys and values in one tensor each, in fewer layouts."""
    shift, mask, counts, ends, heads, scale, before, after, layout, others, mode, precise = given
    chosen("inputLayout", layout or "BSH", dict.fromkeys(_LAYOUTS[:4]))
    inputs = query, [key], [value], shift, mask, counts, ends, None
    numbers = heads, scale, before, after, layout, others, mode, precise
    return fused_attention(*inputs, *numbers, 0, False)[0]


def _by_heads(name: str, data: Tensor, form: str, heads: int) -> Tensor:
    """Return a tensor with the axes batch, head, position and element."""
    if data.ndim != len(form):
        raise ValueError(f"{name} has rank {data.ndim}; that of {form} is expected")
    if form.endswith("H"):
        if data.shape[-1] % heads:
            raise ValueError(f"{name} has rows of {data.shape[-1]} elements for {heads} heads")
        data, form = data.unflatten(-1, (heads, data.shape[-1] // heads)), "BSND"
    if data.shape[form.index("N")] != heads:
        raise ValueError(f"{name} has {data.shape[form.index('N')]} heads; {heads} are expected")
    if "T" in form:
        return data.permute([form.index(axis) for axis in "NTD"]).unsqueeze(0)
    return data.permute([form.index(axis) for axis in "BNSD"])


def _laid_out(found: Tensor, form: str) -> Tensor:
    """Return what has the axes batch, head, position and element in another layout."""
    if "T" in form:
        return found[0].permute(["NTD".index(axis) for axis in form])
    whole = found.permute(["BNSD".index(axis) for axis in form.replace("H", "ND")])
    return whole.flatten(-2) if form.endswith("H") else whole


def _spans(
    name: str, lengths: Sequence[int] | None, batches: int, most: int, *, packed: bool
) -> _Spans:
    """Return where the positions of each batch are: from 0, or one batch after another."""
    if packed:
        ends = [0, *(lengths or [])]
        if not lengths or any(a > b for a, b in pairwise(ends)) or ends[-1] > most:
            raise ValueError(f"{name} is {lengths}; ends of batches up to {most} are expected")
        return list(pairwise(ends))
    counts = [most] if not lengths else list(lengths)
    if 1 < len(counts) < batches or any(not 0 <= count <= most for count in counts):
        raise ValueError(
            f"{name} is {lengths}; {batches} numbers from 0 to {most}, or one, are expected"
        )
    return [(0, count) for count in (counts * batches if len(counts) == 1 else counts[:batches])]


def _sequences(
    keys: Sequence[Tensor],
    values: Sequence[Tensor],
    lengths: Sequence[int] | None,
    heads: int,
    form: str,
    batches: int,
) -> _Sources:
    """Return keys and values in one tensor, or in one for each batch."""
    if len(keys) != len(values) or len(keys) not in (1, batches):
        raise ValueError(
            f"key has {len(keys)} tensors and value {len(values)}; as many, 1 or {batches}, are"
            " expected"
        )
    packed, parted = "T" in form, len(keys) > 1
    if packed and parted:
        raise ValueError(f"key has {len(keys)} tensors; inputLayout {form} takes 1")
    pairs = []
    for key, value in zip(keys, values, strict=True):
        one, other = _by_heads("key", key, form, heads), _by_heads("value", value, form, heads)
        count = 1 if packed or parted else batches
        if one.shape[:-1] != other.shape[:-1] or len(one) != count:
            raise ValueError(
                f"key has shape {tuple(key.shape)} and value {tuple(value.shape)}; {count} batches"
                " of as many positions are expected"
            )
        pairs.append((one, other))
    most = max(one.shape[2] for one, _ in pairs)
    if parted and not lengths:
        lengths = [one.shape[2] for one, _ in pairs]
    spans = _spans("actualSeqLengthsKv", lengths, batches, most, packed=packed)
    if len(spans) != batches:
        raise ValueError(f"actualSeqLengthsKv has {len(spans)} numbers; {batches} are expected")
    for batch, (_, stop) in enumerate(spans if parted else []):
        if stop > (room := pairs[batch][0].shape[2]):
            raise ValueError(f"actualSeqLengthsKv has {stop} for key[{batch}] of {room} positions")

    def of(batch: int) -> tuple[Tensor, Tensor]:
        one, other = pairs[batch if parted else 0]
        place = (0 if packed or parted else batch, slice(None), slice(*spans[batch]))
        return one[place], other[place]

    one, other = pairs[0]
    return _Sources([stop - first for first, stop in spans], one.shape[3], other.shape[3], of)


def _pages(
    keys: Sequence[Tensor],
    values: Sequence[Tensor],
    table: Tensor,
    lengths: Sequence[int] | None,
    heads: int,
    block: int,
    batches: int,
) -> _Sources:
    """Return keys and values in blocks of positions, whose numbers a table has for each batch."""
    if len(keys) != 1 or len(values) != 1:
        raise ValueError(f"key has {len(keys)} tensors; with blockTable 1 is expected")
    if not lengths:
        raise ValueError("actualSeqLengthsKv is None; blockTable needs it")
    if table.ndim != 2 or len(table) != batches:
        raise ValueError(f"blockTable has shape {tuple(table.shape)}; {batches} rows are expected")
    pages = []
    for name, data in (("key", keys[0]), ("value", values[0])):
        if data.ndim == 3 and data.shape[-1] % heads == 0:  # blocks, positions, heads and elements
            data = data.unflatten(-1, (heads, data.shape[-1] // heads)).movedim(2, 1)
        elif data.ndim == 5:  # blocks, heads, parts of 16 elements, positions, elements
            data = data.movedim(2, 3).flatten(-2)
        if data.ndim != 4 or data.shape[1] != heads or data.shape[2] != block:
            raise ValueError(
                f"{name} has shape {tuple(data.shape)}; blocks of {heads} heads and {block}"
                " positions are expected"
            )
        pages.append(data)
    spans = _spans("actualSeqLengthsKv", lengths, batches, table.shape[1] * block, packed=False)

    def of(batch: int) -> tuple[Tensor, Tensor]:
        count = spans[batch][1]
        numbers = table[batch, : -(-count // block)]
        one, other = [
            data.index_select(0, numbers).movedim(1, 0).flatten(1, 2)[:, :count] for data in pages
        ]
        return one, other

    return _Sources([stop for _, stop in spans], pages[0].shape[3], pages[1].shape[3], of)


def _check_shift(
    shift: Tensor, batches: int, heads: int, longest: tuple[int, int], *, packed: bool
) -> None:
    most, most_keys = longest
    fits = shift.ndim == 4 and len(shift) in (1, batches) and shift.shape[1] == heads
    if packed or not fits or shift.shape[2] < most or shift.shape[3] < most_keys:
        raise ValueError(
            f"pseShift has shape {tuple(shift.shape)}; {batches} or 1, {heads}, {most} and"
            f" {most_keys}, without T in inputLayout, are expected"
        )


def _sight(
    mask: Tensor | None,
    mode: int,
    before: int,
    after: int,
    batches: int,
    longest: tuple[int, int],
    *,
    packed: bool,
) -> _Sight:
    """Return which keys the queries see; a single query of each batch sees all under the mask."""
    most, most_keys = longest
    shape = () if mask is None else tuple(mask.shape)
    compressed = shape[-2:] == (_COMPRESSED, _COMPRESSED) and set(shape[:-2]) <= {1}
    if most == 1 and not packed:
        mode, before, after = _DEFAULT, 2**62, 2**62
        if compressed:
            return _Sight(None, mode, before, after)
    if mask is None:
        if mode != _DEFAULT:
            raise ValueError(f"attenMask is None; sparseMode {mode} needs it")
    elif mode in (_LEFT_UP, _RIGHT_DOWN, _BAND):
        if not compressed:
            raise ValueError(f"attenMask has shape {shape}; (2048, 2048) is expected")
        size = min(max(longest), _COMPRESSED)
        part = mask.reshape(_COMPRESSED, _COMPRESSED)[:size, :size]
        if not mask.is_meta and not torch.equal(part != 0, torch.ones_like(part).bool().triu(1)):
            raise ValueError(f"attenMask is not 1 above the diagonal alone; sparseMode is {mode}")
    else:
        whole = mask.squeeze(1) if mask.ndim == 4 else mask
        if whole.ndim == 2:
            whole = whole.unsqueeze(1 if most == 1 and not packed else 0)
        fits = whole.ndim == 3 and len(whole) in (1, batches)
        if packed or not fits or whole.shape[1] < most or whole.shape[2] < most_keys:
            raise ValueError(
                f"attenMask has shape {shape}; one of {most} rows and {most_keys} columns for"
                f" {batches} batches, without T in inputLayout, is expected"
            )
        mask = whole
    return _Sight(mask, mode, before, after)


def _attended(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    scale: float,
    shift: Tensor | None,
    seen: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Return the weighted sums of a batch, and the logarithms of the sums of exponentials."""
    heads, count, _ = query.shape
    key_heads, key_count, _ = key.shape
    group = heads // key_heads
    found = query.new_zeros((heads, count, value.shape[-1]), dtype=torch.float32)
    sums = found.new_full((heads, count), torch.inf)
    step = max(1, _MOST_SCORES // max(1, group * count * key_count))
    for first in range(0, key_heads, step):
        some = slice(first, first + step)
        many = slice(first * group, (first + step) * group)
        rows = query[many].float().unflatten(0, (-1, group))
        scores = rows @ key[some].float().unsqueeze(1).mT * scale
        if shift is not None:
            scores = scores + shift[many, :count, :key_count].float().unflatten(0, (-1, group))
        if seen is not None:
            scores = scores.masked_fill(~seen, -torch.inf)
        logs = scores.logsumexp(-1)
        blind = logs == -torch.inf
        weights = (scores - logs.masked_fill(blind, 0).unsqueeze(-1)).exp()
        found[many] = (weights @ value[some].float().unsqueeze(1)).flatten(0, 1)
        sums[many] = logs.masked_fill(blind, torch.inf).flatten(0, 1)
    return found, sums
