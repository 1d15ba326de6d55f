"""Edges of the gradients of the Kullback-Leibler divergence."""

from math import inf, nan

from .entry import A2_A3, Edge, Entry

E = 2.718281828459045

KL_DIV_BACKWARD = Entry(A2_A3, [("mean", False), ("none", True)], [
    *[Edge("the negative target, times the gradient", (other, False),
           ((2, -2, 3, inf), (1, -inf, inf, 0), (0.5, 1, 0, 1)), (-1, 2, -0.0, -inf))
      for other in ("none", 0, "sum", 2)],
    Edge("negative targets too", ("none", False), ((1,), (0,), (-2, -inf)), (2, inf)),
    Edge("the exponential of a logarithm", ("none", True),
         ((2, 2, 2), (1, 1, nan), (0, -inf, inf)), (-2, -0.0, -inf)),
    Edge("a logarithm of 1 is e", ("sum", True), ((1,), (0,), (1,)), (-E,), steps=(), ulp=0.5),
    Edge("it does not depend on self", ("none", False),
         ((1,), (nan, inf, -inf), (0.5, 0.25, 2)), (-0.5, -0.25, -2)),
    Edge("a NaN target or gradient gives NaN", ("none", False),
         ((nan, 1, inf), (0,), (1, nan, 0)), (nan, nan, nan)),
    *[Edge("the mean is over all elements", (mean, False),
           ((4, 8, 2, -4), (0,), (0.5, 1, 0, 1)), (-0.5, -2, -0.0, 1))
      for mean in ("mean", 1)],
    *[Edge("the first axis is all there is", (mean, False),
           ((4, 8, 2, -4), (0,), (0.5, 1, 0, 1)), (-0.5, -2, -0.0, 1))
      for mean in ("batchmean", 3)],
], more=[("sum", True), ("none", False)])  # fmt: skip

KL_DIV_TARGET_BACKWARD = Entry(A2_A3, [("mean", False), ("none", True)], [
    *[Edge("the logarithm of 1 is 0", (other, False),
           ((2, -2, 3), (1, -1, 0.5), (1,)), (0, -4, 1.5))
      for other in ("none", 0, "sum", 2)],
    Edge("a target of 0 is infinite, a negative one NaN", ("none", False),
         ((2, -1, 1, 1), (0,), (0, -0.0, -1, inf)), (-inf, inf, nan, inf)),
    Edge("infinite predictions", ("none", False),
         ((1,), (-inf, inf, inf), (1, 1, inf)), (inf, -inf, nan)),
    Edge("of logarithms, the exponential is a factor", ("none", True),
         ((2, 3), (1, -1), (0, 0)), (0, 6)),
    Edge("of the logarithm of 0 it is 0·inf", ("none", True),
         ((1, 1), (0, 0), (-inf, inf)), (nan, inf)),
    Edge("NaN anywhere gives NaN", ("none", False),
         ((nan, 1, 1), (0, nan, 0), (1, 1, nan)), (nan, nan, nan)),
    *[Edge("the mean is over all elements", (mean, False),
           ((4, 8, 2, -4), (0,), (1,)), (1, 2, 0.5, -1))
      for mean in ("mean", 1, "batchmean", 3)],
], more=[("sum", True), ("none", False)])  # fmt: skip
