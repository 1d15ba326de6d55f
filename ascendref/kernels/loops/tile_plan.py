"""How the index space of an elementwise loop over strided operands is divided into tiles."""

from functools import lru_cache
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.layout import Strides, collapse

#: elements in one tile of a strided loop (twice as many in half precision); the buffers fit the
#: first-level cache
TILE: Final = 1024
#: and of operands with gaps between elements that together extend over so many bytes: memory is
#: read fastest if a loop stays in a page of each operand
_SHORT: Final = 256
_LARGE: Final = 12 * 1024 * 1024
#: edge of a square tile, for operands that run along different axes; two cache lines of float32
EDGE: Final = 32


@lru_cache(maxsize=1024)
def tile_plan(
    shape: tuple[int, ...], operands: tuple[Strides, ...], itemsizes: tuple[int, ...]
) -> tuple[NDArray[Any], int]:
    """Divide the index space of an elementwise loop into tiles; return a plan and their number.

    A plan is the number of axes, at least 2, and the bytes of the largest tile divided by 8; for
    every axis, the innermost first, its size, the edge of a tile (1 from the third axis on) and the
    number of tiles; then the strides of every operand, the output last, along these axes.
    """
    order = sorted(range(len(shape)), key=lambda axis: -abs(operands[-1][axis]))
    sizes, steps = collapse(
        tuple(shape[axis] for axis in order),
        tuple(tuple(strides[axis] for axis in order) for strides in operands),
    )
    axes = list(range(len(sizes)))
    crossed = False
    for strides in steps[:-1]:
        # an input that is contiguous along another axis than the output: tile both axes
        fastest = min(
            (axis for axis in axes if strides[axis]), key=lambda a: abs(strides[a]), default=None
        )
        if fastest is not None and fastest != len(sizes) - 1:
            axes.remove(fastest)
            axes.insert(len(sizes) - 2, fastest)
            crossed = True
            break
    axes.reverse()
    most = 2 * TILE if max(itemsizes) <= 2 else TILE
    gaps = [abs(strides[axis]) for strides in steps for axis in axes[:1]]
    if max(gaps, default=0) > max(itemsizes) and prod(shape) * sum(gaps) > _LARGE:
        most = _SHORT
    lengths = [sizes[axis] for axis in axes] + [1] * (2 - len(axes))
    edges = [1] * len(lengths)
    edges[0] = min(lengths[0], EDGE if crossed else most)
    edges[1] = min(lengths[1], EDGE if crossed else max(1, most // edges[0]))
    counts = [-(-length // edge) for length, edge in zip(lengths, edges, strict=True)]
    rows = [len(lengths), -(-edges[0] * edges[1] * max(itemsizes) // 8)]
    for axis in zip(lengths, edges, counts, strict=True):
        rows += axis
    for strides in steps:
        rows += [strides[axis] for axis in axes] + [0] * (2 - len(axes))
    return np.array(rows, np.int64), prod(counts)
