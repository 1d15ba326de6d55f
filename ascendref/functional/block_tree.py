"""Sums of blocks of terms, added up as far as the tree of the sum allows.

The tree is that of ``kernels/loops/channel_sums.py``: blocks are added in pairs, then the pairs,
and so on; what has no partner at the end of all terms moves up unchanged. So the sum of the blocks
from ``index * 2**level`` to below ``(index + 1) * 2**level`` is a *node* of the tree, whatever the
number of all terms is, and whichever parts of the data the blocks came from.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import ELEMENT_TYPES


@dataclass(frozen=True, eq=False)
class Row:
    """Nodes of one level that are neighbours."""

    level: int
    #: number of the first node among those of its level
    index: int
    #: channels × nodes, in the type that holds numbers of the compute type
    sums: NDArray[Any]


@dataclass(frozen=True, eq=False)
class BlockTree:
    """The sums of some blocks of every channel."""

    #: compute type, to which every addition is rounded
    compute: str
    rows: tuple[Row, ...]

    def behind(self, blocks: int) -> BlockTree:
        """Return the sums as those of other blocks, so many further on; rows have level 0."""
        rows = [replace(row, index=row.index + blocks) for row in self.rows]
        return replace(self, rows=tuple(rows))

    def joined(self, other: BlockTree) -> BlockTree:
        """Return the sums of both; nothing is added yet."""
        return replace(self, rows=self.rows + other.rows)

    def added_up(self) -> BlockTree:
        """Return the same with all nodes that are complete: a few on each level."""
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

    def total(self) -> NDArray[Any]:
        """Return the sums of all blocks of every channel, of which the first is block 0."""
        tree = self.added_up()
        nodes = sorted(tree.rows, key=lambda row: row.index << row.level)
        total = nodes[-1].sums
        for node in reversed(nodes[:-1]):
            total = self._add(node.sums, total)
        return total[:, 0]

    def _add(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        with np.errstate(all="ignore"):
            total: NDArray[Any] = left + right
            if self.compute in _HALVES:
                kind = ELEMENT_TYPES[self.compute].numpy
                return total.astype(kind).astype(total.dtype)
        return total


_HALVES: Final = ("float16", "bfloat16")


def _neighbours(rows: list[Row]) -> list[Row]:
    """Return rows of one level as few: those that follow one another become one."""
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
