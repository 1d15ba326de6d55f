"""Scores, what hides them, their softmax, and the values that it weighs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Final, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from ....core.errors import ArgumentValueError
from ..formulas import one_of
from .layouts import Part

#: a distance without limit
FAR: Final = 2147483647
#: length of a triangle that stands for a mask by its rule
_TRIANGLE: Final = 2048


class Rules(NamedTuple):
    """How scores are computed and hidden."""

    scale: float
    mask: Tensor | None = None
    mode: int = 0
    before: int = FAR
    after: int = FAR
    #: the bias added to scores, and whether it is scaled as well
    added: Tensor | None = None
    scaled: bool = True
    #: for each head, a score without a value
    sink: Tensor | None = None


def _hidden(rules: Rules, part: Part) -> Tensor | None:
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


def _hidden_by_rule(rules: Rules, mask: Tensor, distance: Tensor) -> Tensor:
    """Return the mask of a triangle, applied at distances from a diagonal."""
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


def scores_of(query: Tensor, key: Tensor, rules: Rules, part: Part) -> Tensor:
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


def values_of(value: Tensor, heads: int, part: Part) -> Tensor:
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


def _placed(pieces: Sequence[Tensor], parts: Sequence[Part], rows: int) -> Tensor:
    """Return the results of parts in their places; rows of no part are 0."""
    if not parts:
        raise ArgumentValueError("actual_seq_qlen", "has no sequence with an element")
    if parts[0].batches == slice(None):
        found = torch.cat(list(pieces), 2)
        return F.pad(found, (0, 0, 0, rows - found.shape[2]))
    return torch.cat([F.pad(piece, (0, 0, 0, rows - piece.shape[2])) for piece in pieces])


def attended(
    tensors: Sequence[Tensor],
    rules: Rules,
    parts: Sequence[Part],
    factors: Iterable[Tensor | None] = repeat(None),
) -> list[Tensor]:
    """Return the result, and maxima and sums of rows; the factors are those of dropout."""
    query, key, value = tensors
    pieces = []
    for part, factor in zip(parts, factors, strict=False):
        chances, most, total = _softmax(scores_of(query, key, rules, part), rules.sink)
        if factor is not None:
            chances = chances * factor
        pieces.append((chances @ values_of(value, query.shape[1], part), most, total))
    return [_placed(piece, parts, query.shape[2]) for piece in zip(*pieces, strict=True)]
