"""Edges of glu: a tensor is a half that is multiplied, then the half of its gates."""

from math import inf, nan

from .entry import EVERYWHERE, Edge, Entry
from .values import largest, minus_largest

LAST = (-1,)

GLU = Entry(EVERYWHERE, [LAST], [
    Edge("a gate of ±0 halves", LAST, ((4, -2, -0.0, 0, -0.0, 0),), (2, -1, -0.0)),
    Edge("an infinite gate is open", LAST, ((3, -0.0, inf, inf),), (3, -0.0)),
    Edge("its negative is closed: 0 with the other half's sign", LAST,
         ((3, -2, -inf, -inf),), (0, -0.0)),
    Edge("infinity and 0 have no product", LAST, ((inf, -inf, -inf, -inf),), (nan, nan)),
    Edge("infinity passes a gate that is nearly closed", LAST,
         ((inf, -inf, -200, -8192),), (inf, -inf), steps=()),
    Edge("the exponential overflows", LAST, ((1, -1, -8192, minus_largest),), (0, -0.0)),
    Edge("large gates are open", LAST, ((1, -3, 64, largest),), (1, -3)),
    Edge("NaN in either half", LAST, ((nan, 1, 0, nan),), (nan, nan)),
], float64=EVERYWHERE)  # fmt: skip

GLU_BACKWARD = Entry(EVERYWHERE, [LAST], [
    Edge("a gate of ±0: a half, and a quarter of the product", LAST,
         ((4, -4), (2, 2, 0, -0.0)), (2, -2, 2, -2)),
    Edge("an infinite gate is open, and flat", LAST, ((3, -3), (2, 2, inf, inf)), (3, -3, 0, -0.0)),
    Edge("its negative is closed, and flat", LAST,
         ((3, -3), (2, 2, -inf, -inf)), (0, -0.0, 0, -0.0)),
    Edge("infinity and 0 have no product", LAST,
         ((1, inf), (inf, 1, inf, inf)), (1, inf, nan, nan)),
    Edge("the first half has no effect on its own gradient", LAST,
         ((4, 4), (nan, inf, 0, 0)), (2, 2, nan, inf)),
    Edge("an infinite gradient stays where a finite derivative is next to 0", LAST,
         ((inf, -inf), (1, 1, -8192, 8192)), (inf, -inf, inf, -inf), steps=()),
    Edge("the exponential overflows", LAST, ((1, -1), (1, 1, -8192, 8192)), (0, -1, 0, -0.0)),
    Edge("NaN in gate or gradient", LAST, ((1, nan), (1, 1, nan, 0)), (nan, nan, nan, nan)),
], float64=EVERYWHERE)  # fmt: skip
