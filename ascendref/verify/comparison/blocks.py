"""A result and its golden array as float64, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import import_array
from ...core.dtypes import BY_NUMPY, FLOATS, ElementType, promote
from ...core.errors import ArgumentTypeError, ArgumentValueError
from ...functional.casting import cast

#: elements in a block; its float64 arrays stay in the second-level cache
SIZE: Final = 8 * 1024

Doubles = NDArray[np.float64]


class Pair(NamedTuple):
    """A result and its golden array, of one shape."""

    actual: NDArray[Any]
    golden: NDArray[Any]
    #: type of the result; golden's type is the same or wider
    kind: ElementType


class Block(NamedTuple):
    """Consecutive elements in C order."""

    #: index of the first element
    start: int
    #: the elements as they are stored
    stored: tuple[NDArray[Any], NDArray[Any]]
    #: the result
    actual: Doubles
    #: the golden values; infinity where they round to infinity in the result's type
    golden: Doubles
    #: golden rounded to the result's type
    rounded: Doubles
    #: ``|actual - golden|``; 0 between equal infinities and between NaNs, infinite between a NaN
    #: and a number
    absolute: Doubles


def import_pair(actual: Any, golden: Any, types: tuple[ElementType, ...] = FLOATS) -> Pair:
    """Return a result of one of these types and its golden array as NumPy arrays."""
    left = import_array("actual", actual, types).array
    right = import_array("golden", golden, FLOATS).array
    kind, golden_kind = BY_NUMPY[left.dtype], BY_NUMPY[right.dtype]
    if promote(kind, golden_kind) is not golden_kind:
        raise ArgumentTypeError(
            "golden",
            f"has type {golden_kind.name}; {kind.name}, as actual, or a wider type is expected",
        )
    if left.shape != right.shape:
        problem = f"has shape {right.shape}; {left.shape}, as actual, is expected"
        raise ArgumentValueError("golden", problem)
    return Pair(left, right, kind)


def blocks(pair: Pair) -> Iterator[Block]:
    """Yield all elements, a block at a time."""
    actual, golden = pair.actual.reshape(-1), pair.golden.reshape(-1)
    for start in range(0, actual.size, SIZE):
        stop = start + SIZE
        yield _block(start, actual[start:stop], golden[start:stop], pair.kind)


@np.errstate(all="ignore")
def _block(start: int, actual: NDArray[Any], golden: NDArray[Any], kind: ElementType) -> Block:
    stored = actual, golden
    rounded = cast(golden, kind.name).astype(np.float64)
    actual, golden = actual.astype(np.float64), golden.astype(np.float64)
    golden = np.where(np.isinf(rounded), rounded, golden)
    absolute = np.abs(actual - golden)
    absolute[np.isnan(absolute)] = np.inf
    absolute[(actual == golden) | (np.isnan(actual) & np.isnan(golden))] = 0
    return Block(start, stored, actual, golden, rounded, absolute)
