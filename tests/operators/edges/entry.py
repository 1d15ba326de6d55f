"""What an entry of the table of edges consists of."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ...support.rounding import FORMATS

#: a number, or the function that gives it for an element type
Number = float | Callable[[str], float]


class Edge(NamedTuple):
    """One row."""

    #: what the row shows, with the reason
    why: str
    scalars: tuple[Any, ...]
    #: the vectors of the operator's tensors; those of one element broadcast
    tensors: tuple[tuple[Number, ...], ...]
    result: tuple[Number, ...]
    #: the second result, for operators that have one
    sums: tuple[Number, ...] | None = None
    #: the result in arithmetic of fewer bits than the elements', or of half precision, where it is
    #: another one; () where it is none of interest
    steps: tuple[Number, ...] | None = None
    #: element types; all of them unless given
    kinds: tuple[str, ...] = tuple(FORMATS)
    #: the allowed error in F32 and F64 arithmetic
    ulp: float = 0.0


class Entry(NamedTuple):
    """What the tests know about one operator."""

    #: products that have it
    products: tuple[str, ...]
    #: scalars with which every table calls it
    scalars: list[tuple[Any, ...]]
    edges: list[Edge]
    #: further scalars, for tests of values
    more: list[tuple[Any, ...]] = []  # noqa: RUF012 - never changed
    #: products on which the device takes F64 tensors
    float64: tuple[str, ...] = ()
    #: integer types of all tensors, results included
    integers: tuple[str, ...] = ()
    #: the result for such tensors, from numbers of Python: of tensors and scalars
    of_integers: Callable[..., float] | None = None
    #: the function whose operations are rounded step by step, if it is another one than the formula
    steps: Callable[..., Any] | None = None


TRAINING_A2_A3 = ("Atlas training", "Atlas A2", "Atlas A3")
A2_A3 = ("Atlas A2", "Atlas A3")
EVERYWHERE = ("Atlas training", "Atlas inference", "Atlas A2", "Atlas A3")
WIDE = ("float32", "float64")
