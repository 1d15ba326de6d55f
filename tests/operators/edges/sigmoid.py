"""Edges of the logistic function."""

from math import inf, nan

from .entry import EVERYWHERE, Edge, Entry
from .values import largest, minus_largest, minus_tiniest, tiniest

SIGMOID = Entry(EVERYWHERE, [()], [
    Edge("its limits", (), ((-inf, inf, nan),), (0, 1, nan)),
    Edge("a half at 0 and next to it", (), ((0, -0.0, tiniest, minus_tiniest),),
         (0.5, 0.5, 0.5, 0.5)),
    Edge("far out it underflows, or is next to 1", (),
         ((-8192, minus_largest, 8192, largest),), (0, 0, 1, 1)),
])  # fmt: skip

SIGMOID_BACKWARD = Entry(EVERYWHERE, [()], [
    Edge("at a half the slope is a quarter", (), ((4, -3), (0.5,)), (1, -0.75)),
    Edge("at 0 and 1 nothing passes, with the gradient's sign", (),
         ((3, -3, 3, -3, 3), (0, 0, 1, 1, -0.0)), (0, -0.0, 0, -0.0, -0.0)),
    Edge("infinity times 0 is NaN", (),
         ((inf, -inf, inf, 0, -0.0), (0, 1, -0.0, inf, -inf)), (nan,) * 5),
    Edge("the output may be any number", (), ((1, 1, 2), (2, -1, -3)), (-2, -2, -24)),
    Edge("infinite outputs and gradients", (),
         ((1, -1, 2, inf, -inf), (inf, inf, -inf, 0.5, 0.5)), (-inf, inf, -inf, inf, -inf)),
    Edge("NaN of either propagates", (), ((nan, 0, 1), (0.5, nan, nan)), (nan, nan, nan)),
], float64=EVERYWHERE)  # fmt: skip
