"""Edges of the fast gelu."""

from math import inf, nan

from .entry import A2_A3, Edge, Entry
from .values import largest, minus_largest

FAST_GELU = Entry(A2_A3, [()], [
    Edge("zeros keep their sign", (), ((0, -0.0),), (0, -0.0)),
    Edge("the quotient of infinities is NaN, although the limit is -0", (),
         ((-inf, inf, nan),), (nan, inf, nan)),
    Edge("the exponential overflows: -0", (), ((-8192, minus_largest),), (-0.0, -0.0)),
    Edge("large inputs stay", (), ((64, 8192, largest),), (64, 8192, largest)),
    Edge("the slope is 1.702 itself, not a number of the data's type", (), ((-1,),),
         (-0.15420423, ), kinds=("float32",), steps=()),
])  # fmt: skip

FAST_GELU_BACKWARD = Entry(A2_A3, [()], [
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
         ((inf, 0, -inf), (-1, -1, minus_largest)), (-inf, -0.0, inf)),
])  # fmt: skip
