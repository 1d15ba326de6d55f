"""Edges of squared relu."""

from math import inf, nan

from .entry import A2_A3, Edge, Entry
from .values import all_of, largest, minus_largest, minus_tiniest, tiniest

SQUARED_RELU = Entry(A2_A3, [()], [
    Edge("what is not positive gives +0", (),
         ((0, -0.0, -1, minus_tiniest, minus_largest, -inf),), all_of(6, 0.0)),
    Edge("NaN and infinity stay", (), ((nan, inf),), (nan, inf)),
    Edge("squares", (), ((0.5, 1, 3, 12),), (0.25, 1, 9, 144)),
    Edge("squares overflow and underflow", (), ((largest, tiniest),), (inf, 0)),
    Edge("a tie goes to even", (), ((257 / 256, 1 + 2.0**-12),),
         (1 + 2.0**-7 + 2.0**-16, 1 + 2.0**-11), kinds=("float32",), steps=()),
])  # fmt: skip
