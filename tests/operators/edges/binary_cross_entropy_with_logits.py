"""Edges of binary cross entropy with logits."""

from math import inf, nan

from .entry import EVERYWHERE, WIDE, Edge, Entry
from .values import all_of

LN_2 = 0.6931471805599453

BINARY_CROSS_ENTROPY_WITH_LOGITS = Entry(EVERYWHERE, [("none",)], [
    Edge("an even chance costs ln 2, whatever the target", ("none",),
         ((0, -0.0), (0, 1), (1, 2), (1,)), (LN_2, 2 * LN_2), steps=(), ulp=1.0),
    Edge("a certain mistake costs its logit", ("none",),
         ((200, -200, 1000, -1000), (0, 1, 0.5, 0.25), (1,), (1, 2, 1, 1)),
         (200, 400, 500, 250), steps=()),
    Edge("a right prediction costs nothing", (0,),
         ((2000, -2000), (1, 0), (1,), (1,)), (0, 0), steps=()),
    Edge("which has the sign of the factors", ("none",),
         ((2000,), (1,), (-1, 1), (1, -1)), (-0.0, -0.0), steps=()),
    Edge("its loss is an exponential", ("none",),
         ((80, -80), (1, 0), (1,), (1,)), all_of(2, 1.8048513878454153e-35), kinds=WIDE,
         steps=(), ulp=2.0),
    Edge("infinite logits: a factor of 0 gives NaN", ("none",),
         ((inf, -inf, inf, -inf, inf), (1, 0, 0, 1, 0.5), (1,), (1,)),
         (nan, nan, inf, inf, inf)),
    Edge("the first factor is of all, the second of the target's term", ("none",),
         ((-200, 200), (1, 0), (0.5,), (3,)), (300, 100), steps=()),
    Edge("weights of 0", ("none",), ((-5, 5), (1, 1), (1, 0), (0, 1)), (0, 0)),
    Edge("an infinite weight of a right prediction", ("none",),
         ((2000, -2000, 2000), (1, 0, 2), (inf, -inf, 1), (1, 1, -inf)), (inf, -inf, -inf),
         steps=()),
    Edge("NaN anywhere gives NaN", ("none",),
         ((nan, 0, 0, 0), (0, nan, 0, 1), (1, 1, nan, 1), (1, 1, 1, nan)), all_of(4, nan)),
])  # fmt: skip

BINARY_CROSS_ENTROPY_WITH_LOGITS_BACKWARD = Entry(EVERYWHERE, [("mean",), ("none",)], [
    *[Edge("an even chance less the target", (other,),
           ((4,), (0,), (0, 1, 0.5), (1,), (1,)), (2, -2, 0))
      for other in ("none", 0, "sum", 2)],
    Edge("a certain mistake passes the gradient", ("none",),
         ((3, 3, -2), (200, -200, -1000), (0, 1, 1), (1, 1, 2), (1, 1, 3)), (3, -3, 12)),
    Edge("a right prediction has no gradient", ("none",),
         ((1, 1), (2000, -2000), (1, 0), (1,), (1,)), (-0.0, 0)),
    Edge("it is an exponential, without cancellation", ("none",),
         ((1,), (80, -80), (1, 0), (1,), (1,)),
         (-1.8048513878454153e-35, 1.8048513878454153e-35), kinds=WIDE, steps=(), ulp=2.0),
    Edge("infinite logits have their limits", ("sum",),
         ((1,), (inf, -inf, inf, -inf), (0, 1, 0.5, 0.25), (1,), (1,)), (1, -1, 0.5, -0.25)),
    Edge("weights multiply", ("none",), ((2,), (0,), (0, 1), (3,), (2,)), (3, -6)),
    Edge("an infinite gradient of a certain prediction", ("mean",),
         ((-inf, inf, inf), (-2000, 2000, -2000), (0, 1, 0.5), (1, 1, 1), (1, 1, 0)),
         (-inf, -inf, inf), steps=()),
    Edge("NaN anywhere, and an infinite gradient of 0", ("none",),
         ((nan, 1, 1, 1, 1, inf), (0, nan, 0, 0, 0, 0), (0, 0, nan, 0, 1, 0.5),
          (1, 1, 1, nan, 1, 1), (1, 1, 1, 1, nan, 1)), all_of(6, nan)),
    *[Edge("the mean is over all elements", (mean,),
           ((2, 4, -4, 8), (0,), (0,), (1,), (1,)), (0.25, 0.5, -0.5, 1))
      for mean in ("mean", 1)],
], more=[("sum",)])  # fmt: skip
