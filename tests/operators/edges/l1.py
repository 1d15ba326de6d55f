"""Edges of the absolute difference."""

from math import inf, nan

from .entry import EVERYWHERE, Edge, Entry
from .values import largest, minus_largest, minus_tiniest, tiniest

L1_LOSS = Entry(EVERYWHERE, [("none",)], [
    Edge("the magnitude of the difference", ("none",),
         ((0.5, -2, 3, -0.0), (0, 1, 3, 0)), (0.5, 3, 0, 0)),
    Edge("no difference is too small", ("none",),
         ((tiniest, minus_tiniest), (0,)), (tiniest, tiniest)),
    Edge("a difference beyond the largest number is infinite", ("none",),
         ((largest, minus_largest), (minus_largest, largest)), (inf, inf), steps=()),
    Edge("infinities apart are infinite, equal ones NaN", (0,),
         ((inf, -inf, inf, nan, 0), (0, inf, inf, 0, nan)), (inf, inf, nan, nan, nan)),
])  # fmt: skip

L1_LOSS_BACKWARD = Entry(EVERYWHERE, [("mean",), ("none",)], [
    *[Edge("the gradient has the sign of the difference", (other,),
           ((3, 3, -2, inf), (0.5, -2, 3, 1), (0, 1, 0, 0)), (3, -3, -2, inf))
      for other in ("none", 0, "sum", 2)],
    Edge("no difference is too small", ("none",), ((2,), (tiniest, minus_tiniest), (0,)), (2, -2)),
    Edge("the sign of no difference is 0, and 0·inf NaN", ("none",),
         ((3, -3, inf, 3), (0, 1, 0, -0.0), (0, 1, 0, 0)), (0, -0.0, nan, 0)),
    Edge("NaN differences give NaN", ("sum",),
         ((1,), (nan, inf, 1, inf), (0, inf, nan, -inf)), (nan, nan, nan, 1)),
    *[Edge("the mean is over all results", (mean,),
           ((1, 1, 2, 1), (0.5, -1, 3, 0), (0,)), (0.25, -0.25, 0.5, 0))
      for mean in ("mean", 1)],
    Edge("broadcast elements count", ("mean",), ((4,), (5, -5), (0,)), (2, -2)),
], more=[("sum",)])  # fmt: skip
