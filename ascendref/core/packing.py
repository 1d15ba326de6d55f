"""Numbers in memory: what Python passes to compiled code as one argument.

A bytes object holds them one after another. Compiled code takes its address, ``id(packed)``, and
reads from ``BYTES`` on (``kernels/runtime/array_header.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from struct import Struct
from typing import NamedTuple


class ScalarRange(NamedTuple):
    """The arguments for a scalar that compiled code reads itself, from the tuple of all."""

    #: an object that is allowed, whatever its type (None for no such object), and its value
    known: object
    value: float
    #: allowed numbers of Python's and NumPy's types
    least: float
    greatest: float


def pack_floats(*numbers: float) -> bytes:
    return float_packer(len(numbers))(*numbers)


def pack_words(*numbers: int) -> bytes:
    return word_packer(len(numbers))(*numbers)


@cache
def float_packer(count: int) -> Callable[..., bytes]:
    """Return `pack_floats` for a fixed number of floats."""
    return Struct(f"{count}d").pack


@cache
def word_packer(count: int) -> Callable[..., bytes]:
    """Return `pack_words` for a fixed number of integers."""
    return Struct(f"{count}q").pack
