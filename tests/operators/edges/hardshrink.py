"""Edges of hardshrink."""

from math import inf, nan

from .entry import EVERYWHERE, TRAINING_A2_A3, Edge, Entry
from .values import all_of, beyond, largest, minus_tiniest, tiniest

HARDSHRINK = Entry(EVERYWHERE, [(0.5,), (0.0,), (nan,)], [
    Edge("from -λ to λ the result is +0", (0.5,),
         ((0.5, -0.5, 0.25, -0.25, 0, -0.0, tiniest, minus_tiniest),), all_of(8, 0.0)),
    Edge("beyond, every number keeps its bits", (0.5,),
         ((beyond(0.5), beyond(-0.5), 2, inf, -inf, largest),),
         (beyond(0.5), beyond(-0.5), 2, inf, -inf, largest)),
    *[Edge("NaN stays", (lambd,), ((nan,),), (nan,)) for lambd in (0.5, -1.0, inf, nan)],
    *[Edge("a negative λ counts as 0", (lambd,),
           ((0, -0.0, tiniest, minus_tiniest, 1, -1),), (0, 0, tiniest, minus_tiniest, 1, -1))
      for lambd in (0.0, -0.0, -1.0, -inf)],
    *[Edge("nothing is beyond such a λ", (lambd,), ((0, 5, -inf, inf),), all_of(4, 0.0))
      for lambd in (nan, inf)],
    Edge("λ is narrowed to float32: 0.1 becomes larger than 0.1", (0.1,),
         ((0.1, 0.10000000149011612, 0.1000000015),), (0, 0, 0.1000000015), kinds=("float64",)),
], more=[(0.1,), (-1.0,), (2.0**-133,), (inf,), (-inf,)])  # fmt: skip

HARDSHRINK_BACKWARD = Entry(TRAINING_A2_A3, [(0.5,), (0.0,), (nan,)], [
    Edge("at exactly ±λ the gradient is masked", (0.5,),
         ((3,), (0.5, -0.5, beyond(0.5), beyond(-0.5))), (0, 0, 3, 3)),
    Edge("no comparison with NaN holds", (0.5,), ((3, nan), (nan, nan)), (0, 0)),
    Edge("the branch selects: nothing of a masked gradient is left", (0.5,),
         ((inf, -inf, nan, -1, -0.0), (0.25,)), all_of(5, 0.0)),
    Edge("a gradient that passes keeps its bits", (0.5,),
         ((inf, -inf, nan, -0.0, tiniest, minus_tiniest, largest), (1,)),
         (inf, -inf, nan, -0.0, tiniest, minus_tiniest, largest)),
    *[Edge("a negative λ counts as 0", (lambd,),
           ((2,), (0, -0.0, tiniest, minus_tiniest, 1, -1)), (0, 0, 2, 2, 2, 2))
      for lambd in (0.0, -0.0, -1.0, -inf)],
    *[Edge("λ NaN and λ infinite mask everything", (lambd,),
           ((2,), (0, 5, -inf, inf, nan)), all_of(5, 0.0)) for lambd in (nan, inf)],
    Edge("an infinite input passes under a finite λ", (8192.0,), ((2, 3), (inf, -inf)), (2, 3)),
    Edge("λ is narrowed to float32: 0.1 becomes larger than 0.1", (0.1,),
         ((1,), (0.1, 0.10000000149011612, 0.1000000015)), (0, 0, 1), kinds=("float64",)),
], more=[(0.1,), (-1.0,), (2.0**-133,), (inf,), (-inf,)])  # fmt: skip
