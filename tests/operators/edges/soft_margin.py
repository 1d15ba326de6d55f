"""Edges of the soft margin loss."""

from math import inf, nan

from .entry import EVERYWHERE, TRAINING_A2_A3, WIDE, Edge, Entry

LN_2 = 0.6931471805599453

SOFT_MARGIN_LOSS = Entry(EVERYWHERE, [("none",)], [
    Edge("no margin costs ln 2", ("none",),
         ((0, -0.0, 5), (1, -1, 0)), (LN_2, LN_2, LN_2), steps=(), ulp=0.5),
    Edge("a large wrong margin costs itself", ("none",),
         ((-200, 200, -1000, inf), (1, -1, 2, -1)), (200, 200, 2000, inf), steps=()),
    Edge("a large right one costs nothing", (0,),
         ((2000, -2000, inf, -inf), (1, -1, 0.5, -2)), (0, 0, 0, 0)),
    Edge("an infinite margin of target 0, and NaN, are NaN", ("none",),
         ((inf, -inf, nan, 1, 0), (0, 0, 1, nan, inf)), (nan, nan, nan, nan, nan)),
    Edge("the loss of a right margin is its exponential", ("none",),
         ((80,), (1,)), (1.8048513878454153e-35,), kinds=WIDE, steps=(), ulp=2.0),
])  # fmt: skip

SOFT_MARGIN_LOSS_BACKWARD = Entry(TRAINING_A2_A3, [("mean",), ("none",)], [
    *[Edge("without a margin half of the target", (other,),
           ((2, 2, -4), (0, -0.0, 3), (1, -1, 0)), (-1, 1, 0))
      for other in ("none", 0, "sum", 2)],
    Edge("a large wrong margin passes the gradient", ("none",),
         ((3, 3, 0.5, 2), (-200, 200, -1000, inf), (1, -1, 2, -1)), (-3, 3, -1, 2)),
    Edge("a large right one has no gradient", ("none",),
         ((1, 1, -1), (2000, -2000, inf), (1, -1, 1)), (-0.0, 0, 0)),
    Edge("infinite gradients, margins of target 0, and NaN", ("none",),
         ((inf, inf, 1, 1, nan), (0, inf, inf, nan, 1), (1, 1, 0, 1, 1)),
         (-inf, nan, nan, nan, nan)),
    *[Edge("the mean is over all results", (mean,),
           ((2, 4, -4, 8), (0,), (1,)), (-0.25, -0.5, 0.5, -1))
      for mean in ("mean", 1)],
], more=[("sum",)])  # fmt: skip
