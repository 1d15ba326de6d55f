"""Edges of hardswish."""

from math import inf, nan

from .entry import TRAINING_A2_A3, Edge, Entry
from .values import all_of, largest, minus_largest

HARDSWISH = Entry(TRAINING_A2_A3, [()], [
    Edge("a parabola in between", (), ((-1.5, 1.5, 0, -0.0),), (-0.375, 1.125, 0, -0.0)),
    Edge("from -3 down +0, -inf included", (), ((-3, -4, minus_largest, -inf),), all_of(4, 0.0)),
    Edge("from 3 on the input, nothing overflows", (), ((3, 4, largest, inf),),
         (3, 4, largest, inf)),
    Edge("NaN stays", (), ((nan,),), (nan,)),
    Edge("next to -3 the sum is exact", (), ((-3 + 2.0**-22,),), (-(2.0**-23),),
         kinds=("float32",), steps=(), ulp=2.0),
])  # fmt: skip

HARDSWISH_BACKWARD = Entry(TRAINING_A2_A3, [()], [
    Edge("the slope of the parabola", (), ((4, -4), (0, 1.5)), (2, -4)),
    Edge("its zero", (), ((3, -3), (-1.5,)), (0, -0.0)),
    Edge("next to which nothing cancels", (), ((3,), (-1.5 + 2.0**-23,)), (2.0**-23,),
         kinds=("float32", "float64"), steps=(), ulp=1.0),
    *[Edge("from -3 down the branch selects: nothing of the gradient is left", (),
           ((1, inf, -inf, nan, -0.0), (x,)), all_of(5, 0.0)) for x in (-3, -4, -inf)],
    *[Edge("from 3 on, and for NaN, the gradient passes", (),
           ((1, inf, -inf, nan, -0.0), (x,)), (1, inf, -inf, nan, -0.0))
      for x in (3, 4, inf, nan)],
    Edge("inside it multiplies", (), ((inf, nan, inf), (1, 1, -1.5)), (inf, nan, nan)),
])  # fmt: skip
