"""Edges of smooth l1."""

from math import inf, nan

from .entry import EVERYWHERE, WIDE, Edge, Entry
from .values import all_of, minus_tiniest, tiniest, within

SMOOTH_L1_LOSS = Entry(EVERYWHERE, [("none", 1.0), ("none", 0.3), ("none", 0.0)], [
    Edge("below β half of the square over β", ("none", 2.0),
         ((0.5, -1, 0, -0.0), (0, 0, 0, 0)), (0.0625, 0.25, 0, 0)),
    Edge("from β on the magnitude less half of β", ("none", 1.0),
         ((1, -1, 3, 0), (0, 0, 0, 5)), (0.5, 0.5, 2.5, 4.5)),
    Edge("β = 0 is the L1 loss", (0, 0.0),
         ((tiniest, minus_tiniest, 5, 0), (0,)), (tiniest, tiniest, 5, 0)),
    Edge("an infinite β costs nothing, but an infinite difference is NaN", ("none", inf),
         ((5, inf), (0,)), (0, nan)),
    *[Edge("infinite and NaN differences", ("none", beta),
           ((inf, -inf, nan, inf, 1), (0, 0, 0, inf, nan)), (inf, inf, nan, nan, nan))
      for beta in (0.0, 1.0)],
], more=[("none", 2.5), (0, 1e-3)])  # fmt: skip

SMOOTH_L1_LOSS_BACKWARD = Entry(EVERYWHERE,
        [("mean", 1.0), ("none", 0.3), ("sum", 0.0), ("none", 1e-40)], [
    Edge("|d| equal to β is not below it", ("none", 0.5),
         ((1,), (0.5, -0.5, within(0.5)), (0,)), (1, -1, within(1.0))),
    Edge("below β the slope is d/β", ("none", 2.0),
         ((3,), (0.25, -0.5, 0), (0,)), (0.375, -0.75, 0)),
    Edge("β = 0 is the gradient of L1", ("none", 0.0),
         ((2,), (tiniest, minus_tiniest, 5, -inf), (0,)), (2, -2, 2, -2)),
    Edge("the sign of no difference is 0, and 0·inf NaN", ("none", 0.0),
         ((3, -3, inf, 3), (0, 0, 0, -0.0), (0,)), (0, -0.0, nan, 0)),
    *[Edge("NaN differences give NaN", ("sum", beta),
           ((1,), (nan, inf, 1), (0, inf, nan)), (nan, nan, nan)) for beta in (0.0, 1.0, inf)],
    *[Edge("an infinite difference is never below β", ("none", beta),
           ((2,), (inf, -inf), (0,)), (2, -2)) for beta in (0.0, 1.0, inf)],
    Edge("β infinite gives zero slopes", ("none", inf), ((2,), (5, -5), (0,)), (0, -0.0)),
    Edge("β beyond float32 is infinite", ("none", 3.5e38), ((2,), (5, -5), (0,)), (0, -0.0),
         kinds=WIDE),
    Edge("d is divided by β, not multiplied by its inverse", ("none", 0.30000001192092896),
         ((1,), (0.05000000074505806,), (0,)), (0.16666665673255920,), kinds=("float32",)),
    *[Edge("the mean is over all results", (mean, 1.0),
           ((1, 1, 2, 1), (0.5, -1, 3, 0), (0,)), (0.125, -0.25, 0.5, 0))
      for mean in ("mean", 1)],
    *[Edge("no reduction and a sum multiply by 1", (other, 1.0),
           ((1, 1, 2, 1), (0.5, -1, 3, 0), (0,)), (0.5, -1, 2, 0))
      for other in ("none", 0, "sum", 2)],
    Edge("broadcast elements count", ("mean", 1.0), ((12,), (5, 5, 5), (0,)), (4, 4, 4)),
    Edge("the norm is not rounded to float32", ("mean", 1.0), ((41,), all_of(41, 9), (0,)),
         all_of(41, 1), kinds=WIDE, steps=()),
], more=[("mean", 0.3), ("none", 1.0), (1, 0.0), (0, 0.0), (2, 2.0**-140), (0, 2.0**100),
   ("sum", 1e-300), ("sum", 0.1)])  # fmt: skip
