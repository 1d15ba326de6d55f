"""Edges of hardsigmoid."""

from math import inf, nan

from .entry import EVERYWHERE, TRAINING_A2_A3, Edge, Entry
from .values import all_of, largest

HARDSIGMOID = Entry(TRAINING_A2_A3, [()], [
    Edge("the line is 0 at -3, a half at 0 and 1 at 3", (), ((-3, -1.5, 0, -0.0, 1.5, 3),),
         (0, 0.25, 0.5, 0.5, 0.75, 1)),
    Edge("outside it is clipped", (), ((-4, -8192, -inf, 4, largest, inf),), (0, 0, 0, 1, 1, 1)),
    Edge("NaN stays", (), ((nan,),), (nan,)),
    Edge("next to -3 nothing cancels", (), ((-3 + 2.0**-22, -3 - 2.0**-22),),
         (2.0**-22 / 6, 0), kinds=("float32", "float64"), steps=(), ulp=1.0),
], integers=("int32",), of_integers=lambda self: float(self >= 3))  # fmt: skip

HARDSIGMOID_BACKWARD = Entry(EVERYWHERE, [()], [
    Edge("inside, a sixth of the gradient", (), ((12, -6, inf, -inf, nan, -0.0), (1,)),
         (2, -1, inf, -inf, nan, -0.0)),
    Edge("-3 and 3 are outside", (), ((12,), (-3, 3)), (0, 0)),
    Edge("the numbers next to them are inside", (), ((12,), (-3 + 2.0**-6, 3 - 2.0**-6)), (2, 2)),
    Edge("also where the line would round to 1", (), ((12,), (3 - 2.0**-22, -3 + 2.0**-22)),
         (2, 2), kinds=("float32", "float64"), steps=()),
    *[Edge("the branch selects: nothing of a masked gradient is left", (),
           ((inf, -inf, nan, -1, -0.0), (x,)), all_of(5, 0.0))
      for x in (-3, 3, 4, -inf, inf, nan)],
])  # fmt: skip
