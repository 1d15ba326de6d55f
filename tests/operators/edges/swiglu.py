"""Edges of swiglu: a tensor is the half of the gates, then a half that is multiplied."""

from math import inf, nan

from .entry import A2_A3, Edge, Entry
from .values import minus_largest

LAST = (-1,)
PRODUCTS = ("Atlas inference", *A2_A3)

SWIGLU = Entry(PRODUCTS, [LAST], [
    Edge("gates of 0 keep the sign of the product", LAST,
         ((0, -0.0, -0.0, 3, 3, -3),), (0, -0.0, 0)),
    Edge("a large gate is a factor", LAST, ((64, 8192, 2, -2),), (128, -16384)),
    Edge("an infinite gate", LAST, ((inf, inf, inf, 2, -2, 0),), (inf, -inf, nan)),
    Edge("the quotient of infinities is NaN, although the limit is -0", LAST,
         ((-inf, -inf, 1, 0),), (nan, nan)),
    Edge("the exponential overflows", LAST, ((-8192, minus_largest, 1, -1),), (-0.0, 0)),
    Edge("infinity passes a gate that is nearly closed", LAST,
         ((-200, -8192, inf, -inf),), (-inf, inf), steps=()),
    Edge("NaN in either half", LAST, ((nan, 1, 1, nan),), (nan, nan)),
])  # fmt: skip

SWIGLU_BACKWARD = Entry(PRODUCTS, [LAST], [
    Edge("a gate of ±0 halves", LAST, ((4, -4), (0, -0.0, 3, 3)), (6, -6, 0, 0)),
    Edge("a large gate is a factor, with a derivative of 1", LAST,
         ((2, -2), (8192, 64, 3, 3)), (6, -6, 16384, -128)),
    Edge("an infinite gate has no derivative", LAST,
         ((2, 2), (inf, -inf, 3, 3)), (nan, nan, inf, nan)),
    Edge("the exponential overflows", LAST,
         ((1, -1), (-8192, minus_largest, 1, 1)), (-0.0, 0, -0.0, 0)),
    Edge("the second half has no effect on its own gradient", LAST,
         ((4, 4), (0, 64, nan, inf)), (nan, inf, 0, 256)),
    Edge("an infinite gradient stays where a finite derivative is next to 0", LAST,
         ((inf, -inf), (-8192, -200, 1, 1)), (-inf, inf, -inf, inf), steps=()),
    Edge("NaN in gate or gradient", LAST, ((1, nan), (nan, 1, 1, 1)), (nan, nan, nan, nan)),
])  # fmt: skip
