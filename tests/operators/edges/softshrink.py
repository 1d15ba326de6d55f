"""Edges of softshrink."""

from math import inf, nan

from .entry import EVERYWHERE, WIDE, Edge, Entry
from .values import all_of, beyond, largest, minus_tiniest, tiniest

SOFTSHRINK = Entry(EVERYWHERE, [(0.5,), (0.0,)], [
    Edge("from -λ to λ the result is +0", (0.5,),
         ((0.5, -0.5, 0.25, -0.25, 0, -0.0, tiniest, minus_tiniest),), all_of(8, 0.0)),
    Edge("beyond, λ is subtracted from the magnitude", (0.5,), ((2, -2, 0.75, -0.75),),
         (1.5, -1.5, 0.25, -0.25)),
    Edge("next to λ nothing is lost", (0.5,), ((beyond(0.5), beyond(-0.5)),),
         (lambda kind: beyond(0.5)(kind) - 0.5, lambda kind: beyond(-0.5)(kind) + 0.5)),
    *[Edge("NaN stays, infinities stay", (lambd,), ((nan, inf, -inf),), (nan, inf, -inf))
      for lambd in (0.0, 0.5)],
    Edge("λ = 0 keeps every number but -0", (0.0,),
         ((0, -0.0, tiniest, minus_tiniest, largest),),
         (0, 0, tiniest, minus_tiniest, largest)),
    Edge("nothing is beyond an infinite λ", (inf,), ((inf, -inf, 3, nan),), (0, 0, 0, nan)),
    Edge("λ is narrowed to float32: 0.1 becomes larger than 0.1", (0.1,), ((0.1, -0.1),),
         (0, 0), kinds=("float64",)),
    Edge("the difference is rounded once, to even", (1.0,), ((1 + 2.0**24, 3 + 2.0**24),),
         (2.0**24, 2.0**24 + 2), kinds=("float64",), steps=()),
    Edge("F32 subtracts in F32", (2.0**-24,), ((1, -1),), (1 - 2.0**-24, 2.0**-24 - 1),
         kinds=WIDE, steps=()),
], more=[(0.1,), (2.0**-133,), (inf,)])  # fmt: skip

SOFTSHRINK_BACKWARD = Entry(EVERYWHERE, [(0.5,), (0.0,)], [
    Edge("at exactly ±λ the gradient is masked", (0.5,),
         ((3,), (0.5, -0.5, beyond(0.5), beyond(-0.5))), (0, 0, 3, 3)),
    Edge("no comparison with NaN holds", (0.5,), ((3, nan), (nan, nan)), (0, 0)),
    Edge("the branch selects: nothing of a masked gradient is left", (0.5,),
         ((inf, -inf, nan, -1, -0.0), (0.25,)), all_of(5, 0.0)),
    Edge("a gradient that passes keeps its bits", (0.5,),
         ((inf, -inf, nan, -0.0, tiniest, minus_tiniest, largest), (1,)),
         (inf, -inf, nan, -0.0, tiniest, minus_tiniest, largest)),
    *[Edge("λ = 0 masks zeros alone", (lambd,),
           ((2,), (0, -0.0, tiniest, minus_tiniest, inf)), (0, 0, 2, 2, 2))
      for lambd in (0.0, -0.0)],
    Edge("an infinite λ masks everything", (inf,), ((2,), (5, -inf, inf, nan)), all_of(4, 0.0)),
], more=[(0.1,), (2.0**-133,), (inf,)])  # fmt: skip
