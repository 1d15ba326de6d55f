"""Edges of mish."""

from math import inf, nan

from .entry import EVERYWHERE, TRAINING_A2_A3, Edge, Entry
from .values import largest, minus_largest

MISH = Entry(TRAINING_A2_A3, [()], [
    Edge("zeros keep their sign", (), ((0, -0.0),), (0, -0.0)),
    Edge("infinity times 0 is NaN, although the limit is -0", (), ((-inf, inf, nan),),
         (nan, inf, nan)),
    Edge("the exponential underflows: -0", (), ((-8192, minus_largest),), (-0.0, -0.0)),
    Edge("large inputs stay", (), ((64, largest),), (64, largest), steps=()),
])  # fmt: skip

MISH_BACKWARD = Entry(EVERYWHERE, [()], [
    Edge("the tanh of log 2 at 0", (), ((5, -10), (0, -0.0)), (3, -6), steps=(), ulp=1.0),
    Edge("0 times infinity: NaN, although the limits are 1 and 0", (),
         ((1, 0), (inf, -inf)), (nan, nan)),
    Edge("NaN inputs give NaN", (), ((1, 0, inf), (nan,)), (nan, nan, nan)),
    Edge("large inputs pass the gradient", (), ((3, -1), (64, largest)), (3, -1), steps=()),
    Edge("from below, the derivative approaches 0", (),
         ((3, -1), (-8192, minus_largest)), (-0.0, 0)),
    Edge("gradients that are no numbers propagate", (),
         ((inf, -inf, nan, -0.0), (1,)), (inf, -inf, nan, -0.0)),
    Edge("the derivative is negative left of its zero", (),
         ((inf, 0, -inf), (-2, -2, minus_largest)), (-inf, -0.0, inf)),
])  # fmt: skip
