"""Edges of silu."""

from math import inf, nan

from .entry import EVERYWHERE, TRAINING_A2_A3, WIDE, Edge, Entry
from .values import largest, minus_largest

SILU = Entry(EVERYWHERE, [()], [
    Edge("zeros keep their sign", (), ((0, -0.0),), (0, -0.0)),
    Edge("the quotient of infinities is NaN, although the limit is -0", (),
         ((-inf, inf, nan),), (nan, inf, nan)),
    Edge("the exponential overflows: -0", (), ((-8192, minus_largest),), (-0.0, -0.0)),
    Edge("large inputs stay", (), ((64, 8192, largest),), (64, 8192, largest)),
])  # fmt: skip

SLOPES = [
    Edge("at 0 the logistic function is a half", (), ((1, -3), (0, -0.0)), (0.5, -1.5)),
    Edge("0 times infinity: NaN, although the limits are 1 and 0", (),
         ((1, 0), (inf, -inf)), (nan, nan)),
    Edge("NaN inputs give NaN", (), ((1, 0, inf), (nan,)), (nan, nan, nan)),
    Edge("large inputs pass the gradient", (), ((3, -1), (64, largest)), (3, -1)),
    Edge("from below, the derivative approaches 0", (),
         ((3, -1), (-8192, minus_largest)), (-0.0, 0)),
    Edge("gradients that are no numbers propagate", (),
         ((inf, -inf, nan, -0.0), (1,)), (inf, -inf, nan, -0.0)),
    Edge("the derivative is negative left of its zero", (),
         ((inf, 0, -inf), (-2, -2, minus_largest)), (-inf, -0.0, inf)),
]  # fmt: skip
SILU_BACKWARD = Entry(TRAINING_A2_A3, [()], SLOPES)

SWISH = Entry(EVERYWHERE, [(1.0,), (0.7,), (-2.5,)], [
    *[edge._replace(scalars=(1.0,)) for edge in SILU.edges],
    Edge("β = 0 halves finite numbers", (0.0,), ((3, -1, 0, -0.0, largest),),
         (1.5, -0.5, 0, -0.0, lambda kind: largest(kind) / 2)),
    Edge("0 times infinity is NaN", (0.0,), ((inf, -inf, nan),), (nan, nan, nan)),
    *[Edge("a negative β mirrors", (-1.0,), ((-64, minus_largest, 8192, -inf, inf),),
           (-64, minus_largest, 0, -inf, nan))],
    Edge("an infinite β selects", (inf,), ((3, -2, inf, 0),), (3, -0.0, inf, nan)),
    Edge("β is NaN", (nan,), ((3, 0, inf),), (nan, nan, nan)),
    Edge("a product that overflows", (1e30,), ((2.0**100, -(2.0**100)),), (2.0**100, -0.0),
         kinds=WIDE, steps=()),
    Edge("β is narrowed to float32", (1 + 2.0**-30,), ((-40,),), (-1.6993417021166355e-16,),
         kinds=("float64",), steps=()),
], more=[(0.0,), (1e30,), (inf,), (nan,)])  # fmt: skip

SWISH_BACKWARD = Entry(EVERYWHERE, SWISH.scalars, [
    *[edge._replace(scalars=(1.0,)) for edge in SLOPES],
    Edge("β = 0 halves the gradient", (0.0,), ((3, -1, inf), (7, largest, 0)), (1.5, -0.5, inf)),
    Edge("a negative β mirrors", (-1.0,), ((3, -1, inf), (-64, 8192, 2)), (3, 0, -inf)),
    Edge("0 times infinity is NaN", (0.0,), ((1, 1), (inf, -inf)), (nan, nan)),
    Edge("an infinite β", (inf,), ((1, 1, 1), (2, -2, 0)), (nan, nan, nan)),
    Edge("a product that overflows is beyond the limit", (1e30,),
         ((3, 3, inf, inf), (2.0**100, -(2.0**100), 2.0**100, -(2.0**100))),
         (3, -0.0, inf, -inf), kinds=WIDE, steps=()),
], more=SWISH.more)  # fmt: skip
