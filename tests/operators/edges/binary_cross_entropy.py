"""Edges of binary cross entropy."""

from math import inf, nan

from .entry import EVERYWHERE, WIDE, Edge, Entry
from .values import all_of, minus_tiniest

BINARY_CROSS_ENTROPY = Entry(EVERYWHERE, [("none",)], [
    Edge("each logarithm is at least -100", ("none",),
         ((0, -0.0, 1, 0, 1), (1, 1, 0, 0.5, 0.25), (1,)), (100, 100, 100, 50, 75)),
    Edge("also of numbers below exp(-100)", ("none",),
         ((2.0**-145,), (1, 0.5), (1,)), (100, 50), kinds=WIDE),
    Edge("a right prediction costs nothing", ("none",),
         ((0, 1), (0, 1), (1,)), (0, -0.0), steps=()),
    Edge("a half costs ln 2, whatever the target", ("none",),
         ((0.5,), (0, 1, 0.25), (1, 1, 2)), (0.6931471805599453, 0.6931471805599453,
         1.3862943611198906), steps=(), ulp=1.0),
    Edge("logarithms of negative numbers are NaN", ("none",),
         ((-1, 2, inf, -inf, nan, minus_tiniest), (0.5,), (1,)), all_of(6, nan)),
    Edge("a NaN target or weight gives NaN", ("none",), ((0.5,), (nan, 0), (1, nan)), (nan, nan)),
    Edge("a weight of 0 leaves +0", ("none",), ((0.5, 0), (1,), (0,)), (0, 0)),
    Edge("an infinite weight of no loss is NaN", ("none",), ((0, 0.5), (0,), (inf,)), (nan, inf)),
])  # fmt: skip

BINARY_CROSS_ENTROPY_BACKWARD = Entry(EVERYWHERE, [("mean",), ("none",)], [
    Edge("at a half the denominator is a quarter", ("none",),
         ((3,), (0.5,), (0, 1, 0.5, 0.25), (1,)), (6, -6, 0, 3)),
    Edge("the denominator is at least 1e-12", ("none",),
         ((1, 1, -2, 1), (0, 1, -0.0, 2), (1, 0, 1, 0), (1,)), (-1e12, 1e12, 2e12, 2e12),
         kinds=("float32", "float64"), steps=(), ulp=1.0),
    Edge("a right prediction has no gradient", ("none",),
         ((1, -1, inf), (0, 1, 1), (0, 1, 1), (1,)), (0, -0.0, nan),
         kinds=("bfloat16", *WIDE), steps=()),
    Edge("NaN inputs, targets and weights give NaN", ("none",),
         ((0, 1, inf), (nan, 0.5, 0.5), (0, nan, 0), (1, 1, nan)), (nan, nan, nan)),
    Edge("weight and gradient multiply", ("sum",),
         ((3, -1, inf, 0), (0.5,), (0,), (2, inf, 1, inf)), (12, -inf, inf, nan)),
    *[Edge("the mean is over all elements", (mean,),
           ((2, 2, 4, -2), (0.5,), (0, 1, 0, 1), (1,)), (1, -1, 2, 1))
      for mean in ("mean", 1)],
], more=[("sum",)])  # fmt: skip
