"""Sums of blocks of terms, added as far as the summation tree allows.

The tree is that of ``kernels/loops/reduction.py``: blocks are added in pairs, then the pairs in
pairs, and so on; at the end of the terms, a sum without a partner moves up unchanged. So the sum of
the blocks from ``index * 2**level`` to below ``(index + 1) * 2**level`` is a *node* of the tree,
independent of the total number of terms and of the parts that the blocks came from.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import ELEMENT_TYPES, FLOAT32_STEPS
from .casting import cast


@dataclass(frozen=True, eq=False)
class Row:
    """Neighbouring nodes of one level."""

    level: int
    #: index of the first node within its level
    index: int
    #: channels × nodes, in the type that holds values of the compute type
    sums: NDArray[Any]


@dataclass(frozen=True, eq=False)
class BlockTree:
    """Sums of some of the blocks, for every channel."""

    #: compute type; every addition is rounded to it
    compute: str
    rows: tuple[Row, ...]

    def behind(self, blocks: int) -> BlockTree:
        """Return the sums moved up by a number of blocks; all rows must have level 0."""
        rows = [replace(row, index=row.index + blocks) for row in self.rows]
        return replace(self, rows=tuple(rows))

    def joined(self, other: BlockTree) -> BlockTree:
        """Return the sums of both, without adding them yet."""
        return replace(self, rows=self.rows + other.rows)

    def added_up(self) -> BlockTree:
        """Return the same sums with all complete nodes added: a few are left on each level."""
        levels: defaultdict[int, list[Row]] = defaultdict(list)
        for row in self.rows:
            levels[row.level].append(row)
        kept = []
        level = 0
        while levels:
            for row in _neighbours(levels.pop(level, [])):
                start, stop = row.index, row.index + row.sums.shape[1]
                first, last = start + start % 2, stop - stop % 2
                if first > start:
                    kept.append(Row(level, start, row.sums[:, :1].copy()))
                if stop > max(last, first):
                    kept.append(Row(level, stop - 1, row.sums[:, -1:].copy()))
                if last > first:
                    pairs = row.sums[:, first - start : last - start]
                    added = self._add(pairs[:, ::2], pairs[:, 1::2])
                    levels[level + 1].append(Row(level + 1, first // 2, added))
            level += 1
        return replace(self, rows=tuple(kept))

    def total(self, count: int) -> NDArray[Any]:
        """Return the sum of all blocks, which begin with block 0, for every channel.

        It is divided by ``count``, as a kernel does, unless that is 1.
        """
        tree = self.added_up()
        nodes = sorted(tree.rows, key=lambda row: row.index << row.level)
        total = nodes[-1].sums
        for node in reversed(nodes[:-1]):
            total = self._add(node.sums, total)
        if count == 1:
            return total[:, 0]
        if self.compute == FLOAT32_STEPS:
            return total[:, 0] * np.float32(1 / count)
        return cast(total[:, 0].astype(np.float64) / count, self.compute).astype(total.dtype)

    def _add(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        with np.errstate(all="ignore"):
            total: NDArray[Any] = left + right
            if self.compute in _HALVES:
                kind = ELEMENT_TYPES[self.compute].numpy
                return total.astype(kind).astype(total.dtype)
        return total


_HALVES: Final = ("float16", "bfloat16")


def _neighbours(rows: list[Row]) -> list[Row]:
    """Return the rows of one level with adjacent rows joined."""
    joined: list[list[Row]] = []
    for row in sorted(rows, key=lambda row: row.index):
        last = joined[-1][-1] if joined else None
        if last is not None and last.index + last.sums.shape[1] == row.index:
            joined[-1].append(row)
        else:
            joined.append([row])
    return [
        replace(group[0], sums=np.concatenate([row.sums for row in group], axis=1))
        if len(group) > 1
        else group[0]
        for group in joined
    ]
