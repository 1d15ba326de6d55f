"""Edges of hardtanh."""

from math import inf, nan

from .entry import EVERYWHERE, WIDE, Edge, Entry
from .values import all_of, beyond, largest, minus_tiniest, tiniest
from .values import within as inside

BOUNDS = [(-1.0, 1.0), (0.0, 6.0), (-0.1, 0.3)]

# the vendor documents the gradient alone
HARDTANH = Entry((), BOUNDS, [
    Edge("within the bounds every number stays, and so does the sign of 0", (-1.0, 1.0),
         ((1, -1, 0, -0.0, 0.5, inside(-1.0), tiniest, minus_tiniest),),
         (1, -1, 0, -0.0, 0.5, inside(-1.0), tiniest, minus_tiniest)),
    Edge("beyond, it is the bound", (-1.0, 1.0),
         ((beyond(1.0), beyond(-1.0), 20, -20, inf, -inf, largest),), (1, -1, 1, -1, 1, -1, 1)),
    *[Edge("NaN stays", bounds, ((nan,),), (nan,))
      for bounds in ((-1.0, 1.0), (0.0, 6.0), (1.0, -1.0), (nan, nan))],
    Edge("relu6", (0.0, 6.0), ((-0.0, -3, minus_tiniest, 6, 7),), (-0.0, 0, 0, 6, 6)),
    Edge("infinite bounds", (-inf, inf), ((-inf, inf, largest, -0.0),), (-inf, inf, largest, -0.0)),
    Edge("of crossed bounds, the upper one", (1.0, -1.0), ((-2, 0, 2, inf, -inf),),
         all_of(5, -1)),
    *[Edge("a bound that is NaN leaves nothing else", bounds, ((-9, 0, 9, inf, -inf),),
           all_of(5, nan)) for bounds in ((nan, 1.0), (-1.0, nan), (nan, nan))],
    Edge("bounds are narrowed to float32", (-1.0, 0.1), ((1,),), (0.10000000149011612,),
         kinds=WIDE),
], more=[(2.0, 2.0), (1.0, -1.0), (-inf, 0.0), (-1e30, 1e30), (nan, 0.0)])  # fmt: skip

HARDTANH_BACKWARD = Entry((*EVERYWHERE, "Atlas 200I/500 A2"), BOUNDS, [
    Edge("at exactly a bound the gradient is masked", (-1.0, 1.0),
         ((3,), (1, -1, inside(1.0), inside(-1.0), beyond(1.0), beyond(-1.0))),
         (0, 0, 3, 3, 0, 0)),
    Edge("no comparison with NaN holds", (-1.0, 1.0), ((3, nan), (nan, nan)), (0, 0)),
    Edge("the branch selects: nothing of a masked gradient is left", (-1.0, 1.0),
         ((inf, -inf, nan, -1, -0.0), (2,)), all_of(5, 0.0)),
    Edge("a gradient that passes keeps its bits", (-1.0, 1.0),
         ((inf, -inf, nan, -0.0, tiniest, minus_tiniest, largest), (0.5,)),
         (inf, -inf, nan, -0.0, tiniest, minus_tiniest, largest)),
    Edge("±0 is not above 0", (0.0, 6.0), ((2,), (0, -0.0, tiniest, 6)), (0, 0, 2, 0)),
    Edge("infinite bounds mask infinities", (-inf, inf), ((2,), (inf, -inf, largest)), (0, 0, 2)),
    *[Edge("nothing is between such bounds", bounds, ((2,), (-2, 0, 1, 2, inf)), all_of(5, 0))
      for bounds in ((1.0, -1.0), (1.0, 1.0), (nan, 1.0), (-1.0, nan))],
    Edge("bounds are narrowed to float32: 0.1 becomes larger than 0.1", (-0.1, 0.1),
         ((2,), (0.1, -0.1, 0.10000000149011612)), (2, 2, 0), kinds=("float64",), steps=()),
], more=[(2.0, 2.0), (1.0, -1.0), (-inf, 0.0), (-1e30, 1e30)])  # fmt: skip
