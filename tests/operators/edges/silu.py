"""Edges of silu."""

from __future__ import annotations

from math import inf, nan

from .entry import EVERYWHERE, Edge, Entry, largest, minus_largest

SILU = Entry(
    EVERYWHERE,
    [()],
    [
        Edge("zeros keep their sign", (), ((0, -0.0),), (0, -0.0)),
        Edge("the quotient of infinities is NaN, although the limit is -0", (),
             ((-inf, inf, nan),), (nan, inf, nan)),
        Edge("the exponential overflows: -0", (), ((-8192, minus_largest),), (-0.0, -0.0)),
        Edge("large inputs stay", (), ((64, 8192, largest),), (64, 8192, largest)),
    ],
)  # fmt: skip

ENTRIES = {"silu": SILU}
