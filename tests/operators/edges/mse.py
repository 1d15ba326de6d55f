"""Edges of the mean squared error."""

from math import inf, nan

from .entry import EVERYWHERE, Edge, Entry
from .values import tiniest

MSE_LOSS = Entry(EVERYWHERE, [("none",)], [
    Edge("differences are squared", ("none",), ((0.5, -2, 3, -0.0), (0, 1, 3, 0)), (0.25, 9, 0, 0)),
    Edge("no reduction is number 0", (0,), ((4,), (1,)), (9,)),
    Edge("infinities apart are infinite, equal ones NaN", ("none",),
         ((inf, -inf, inf, nan, 0), (0, inf, inf, 0, nan)), (inf, inf, nan, nan, nan)),
    Edge("the square of the smallest number is 0", ("none",), ((tiniest,), (0,)), (0,)),
    Edge("the difference is rounded first in F32 arithmetic", ("none",),
         ((2.0**24 + 2,), (1,)), ((2.0**24) ** 2 + 2 * 2.0**24,), kinds=("float32",), steps=(),
         ulp=2.0),
])  # fmt: skip

MSE_LOSS_BACKWARD = Entry(("Atlas inference", "Atlas A2", "Atlas A3"), [("mean",), ("none",)], [
    *[Edge("twice the difference times the gradient", (other,),
           ((3, -1, inf, 2), (0.5, 2, 1, -0.0), (0, 1, 3, 0)), (3, -2, -inf, -0.0))
      for other in ("none", 0, "sum", 2)],
    *[Edge("the mean is over all results", (mean,),
           ((1, 1, 2, -2), (4, -8, 2, 0), (0, 0, 0, 4)), (2, -4, 2, 4))
      for mean in ("mean", 1)],
    Edge("broadcast elements count", ("mean",), ((6,), (5, 5, 5), (1,)), (16, 16, 16),
         kinds=("float64",), steps=(16, 16, 16)),
    Edge("an infinite gradient of no difference is NaN", ("none",),
         ((inf, nan, 0), (1, 1, inf), (1, 1, 0)), (nan, nan, nan)),
    Edge("equal infinities are NaN", ("sum",), ((1,), (inf, -inf), (inf, inf)), (nan, -inf)),
], more=[("sum",)])  # fmt: skip
