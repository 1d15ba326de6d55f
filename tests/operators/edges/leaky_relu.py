"""Edges of leaky_relu."""

from math import inf, nan

from .entry import EVERYWHERE, TRAINING_A2_A3, WIDE, Edge, Entry
from .values import all_of, largest, minus_tiniest, tiniest

LEAKY_RELU = Entry(TRAINING_A2_A3, [(0.01,), (-2.5,), (0.0,)], [
    Edge("positive inputs keep their bits", (0.25,), ((1, tiniest, largest, inf),),
         (1, tiniest, largest, inf)),
    Edge("others are multiplied, zeros too", (0.25,), ((-4, -inf, 0, -0.0),), (-1, -inf, 0, -0.0)),
    Edge("a negative slope is no maximum", (-2.0,), ((-4, 0, -0.0, 4),), (8, -0.0, 0, 4)),
    Edge("nor is a slope above 1", (4.0,), ((-4, 4),), (-16, 4)),
    Edge("NaN stays", (0.0,), ((nan,),), (nan,)),
    Edge("a slope of 0 leaves the sign, and no number of -inf", (0.0,), ((-4, -inf, 4),),
         (-0.0, nan, 4)),
    *[Edge("the branch selects: the slope does nothing to positive inputs", (slope,),
           ((4, inf, -1, -0.0),), (4, inf, value, nan))
      for slope, value in ((inf, -inf), (-inf, inf), (nan, nan))],
    Edge("the slope is narrowed to float32", (0.1,), ((-1,),), (-0.10000000149011612,),
         kinds=("float64",)),
    Edge("and beyond float32 infinite", (1e300,), ((-1,),), (-inf,), kinds=WIDE),
], more=[(2.0**-133,), (inf,), (nan,), (1.5,)], float64=("Atlas training",))  # fmt: skip

LEAKY_RELU_BACKWARD = Entry(EVERYWHERE, [(0.01, False), (-2.5, False), (0.3, True)], [
    *[Edge("only positive inputs pass the gradient", (0.25, flag),
           ((4,), (1, tiniest, inf, 0, -0.0, minus_tiniest, -inf)), (4, 4, 4, *all_of(4, 1)))
      for flag in (False, True, 0, 1)],
    *[Edge("NaN is not positive", (0.25, flag), ((4, nan), (nan, 1)), (1, nan))
      for flag in (False, True)],
    Edge("a gradient that passes keeps its bits", (0.0, False),
         ((inf, -inf, nan, -0.0, tiniest, minus_tiniest, largest), (1,)),
         (inf, -inf, nan, -0.0, tiniest, minus_tiniest, largest)),
    *[Edge("a slope of 0 multiplies", (slope, True), ((4, -4, inf, nan), (-1,)),
           (value, -value, nan, nan)) for slope, value in ((0.0, 0.0), (-0.0, -0.0))],
    Edge("a negative slope is allowed beside inputs", (-2.0, False), ((4,), (-1, 1)), (-8, 4)),
    Edge("an infinite slope does nothing to gradients that pass", (inf, True),
         ((4, 0, 4, 0), (1, 1, -1, -1)), (4, 0, inf, nan)),
    Edge("a NaN slope neither", (nan, False), ((4,), (1, -1)), (4, nan)),
    Edge("the slope is narrowed to float32", (0.1, True), ((1,), (-1,)),
         (0.10000000149011612,), kinds=("float64",)),
], more=[(0.0, True), (inf, False), (nan, False), (1.5, True)], float64=EVERYWHERE)  # fmt: skip
