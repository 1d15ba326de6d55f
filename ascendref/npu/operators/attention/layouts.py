"""Layouts of query, key and value, and the parts of them that attend to each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from torch import Tensor

from ....core.errors import ArgumentValueError

#: axes of the layouts, their heads split off
AXES: Final = {"BSH": "BSND", "SBH": "SBND", "BSND": "BSND", "BNSD": "BNSD"}


class Part(NamedTuple):
    """Batches and rows that attend to columns of the same batches."""

    batches: slice
    rows: slice
    columns: slice


def to_bnsd(tensor: Tensor, layout: str, heads: int) -> Tensor:
    """Return a tensor of a layout as BNSD, for TND with one batch."""
    if tensor.ndim != len(layout):
        raise ArgumentValueError(
            "input_layout", f"is {layout}, of a tensor with {tensor.ndim} dimensions"
        )
    if layout == "TND":
        return tensor.transpose(0, 1).unsqueeze(0)
    if layout.endswith("H"):
        tensor = tensor.unflatten(-1, (heads, -1))
    return tensor.permute([AXES[layout].index(axis) for axis in "BNSD"])


def from_bnsd(tensor: Tensor, layout: str) -> Tensor:
    """Return BNSD in a layout."""
    if layout == "TND":
        return tensor.squeeze(0).transpose(0, 1).contiguous()
    found = tensor.permute(["BNSD".index(axis) for axis in AXES[layout]])
    return (found.flatten(-2) if layout.endswith("H") else found).contiguous()


def all_split(tensors: Sequence[Tensor], layout: str, heads: int, others: int = 0) -> list[Tensor]:
    """Return query, key and value as BNSD in F32; the key has other heads if they are given."""
    query = to_bnsd(tensors[0], layout, heads)
    if query.shape[1] != heads:
        raise ArgumentValueError("head_num", f"is {heads}; the query has {query.shape[1]} heads")
    if not others:
        width = tensors[1].shape[-1] // query.shape[-1]
        others = width if layout.endswith("H") else tensors[1].shape[layout.index("N")]
    found = [query, *(to_bnsd(tensor, layout, others) for tensor in tensors[1:])]
    if found[1].shape[1] != others or heads % others:
        raise ArgumentValueError(
            "head_num",
            f"is {heads}; the key has {found[1].shape[1]} heads, expected: {others}, a divisor",
        )
    return [tensor.float() for tensor in found]


def together(query: Tensor, key: Tensor) -> list[Part]:
    """Return one part of everything."""
    return [Part(slice(None), slice(0, query.shape[2]), slice(0, key.shape[2]))]


def by_ends(
    query: Tensor, key: Tensor, rows: Sequence[int] | None, columns: Sequence[int] | None
) -> list[Part]:
    """Return parts of sequences that lie one after the other, given their ends."""
    if not rows or not columns or len(rows) != len(columns):
        raise ArgumentValueError(
            "actual_seq_qlen",
            f"is {rows}, actual_seq_kvlen {columns}; the layout TND needs the ends of all"
            " sequences of both, as many of one as of the other",
        )
    for name, ends, most in (
        ("actual_seq_qlen", rows, query.shape[2]),
        ("actual_seq_kvlen", columns, key.shape[2]),
    ):
        if any(end < start for start, end in pairwise([0, *ends, most])):
            raise ArgumentValueError(
                name,
                f"is {list(ends)}; expected: ends from 0 to {most}, none less than another before",
            )
    return [
        Part(slice(None), slice(row, row_end), slice(column, column_end))
        for (row, row_end), (column, column_end) in zip(
            pairwise([0, *rows]), pairwise([0, *columns]), strict=True
        )
        if row_end > row
    ]


def by_lengths(
    query: Tensor, key: Tensor, rows: Sequence[int] | None, columns: Sequence[int] | None
) -> list[Part]:
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
        Part(slice(batch, batch + 1), slice(0, row), slice(0, column))
        for batch, (row, column) in enumerate(zip(*lengths, strict=True))
    ]
