"""Edges of threshold."""

from math import inf, nan

from .entry import EVERYWHERE, TRAINING_A2_A3, WIDE, Edge, Entry
from .values import all_of, beyond, largest, minus_largest, minus_tiniest, tiniest, within

THRESHOLD = Entry(TRAINING_A2_A3, [(0.5, 20.0), (-1.0, 0.1), (nan, 3.0)], [
    Edge("at exactly the threshold the value is taken", (0.5, 8),
         ((0.5, beyond(0.5), within(0.5), inf, -inf),), (8, beyond(0.5), 8, inf, 8)),
    Edge("0 is not above -0, and a number above the threshold keeps its sign", (-0.0, 8),
         ((0, -0.0, tiniest, minus_tiniest, largest),), (8, 8, tiniest, 8, largest)),
    Edge("-0 is above a negative threshold", (-0.5, 8), ((-0.0, -0.5),), (-0.0, 8)),
    *[Edge("the value may be any number", (0.5, value), ((-1, 1),), (value, 1))
      for value in (-0.0, inf, -inf, nan)],
    *[Edge("NaN in self stays", (threshold, 8), ((nan,),), (nan,))
      for threshold in (0.5, inf, -inf, nan)],
    Edge("no number is above NaN", (nan, 8), ((0, 1, -1, inf, -inf),), all_of(5, 8)),
    Edge("no number is above infinity", (inf, 8), ((0, inf, -inf, largest),), all_of(4, 8)),
    Edge("infinity is above no number", (-inf, 8), ((0, inf, -inf, minus_largest),),
         (0, inf, 8, minus_largest)),
    Edge("the threshold is narrowed to float32: 0.1 becomes larger than 0.1", (0.1, 8),
         ((0.1, 0.10000000149011612, 0.1000000015),), (8, 8, 0.1000000015), kinds=("float64",)),
    Edge("the value is narrowed to float32", (0.5, 0.1), ((0,),), (0.10000000149011612,),
         kinds=("float64",)),
], more=[(inf, 1e-3), (-inf, 1.0), (0.1, -1e39), (0.0, 2049.0)],
   integers=("int8", "int16", "int32", "int64", "uint8"),
   of_integers=lambda self, threshold, value: self if self > threshold else value)  # fmt: skip

THRESHOLD_BACKWARD = Entry(EVERYWHERE, [(0.5,), (0.0,), (nan,)], [
    Edge("at exactly the threshold the gradient is masked", (0.5,),
         ((3,), (0.5, beyond(0.5), within(0.5), inf, -inf)), (0, 3, 0, 3, 0)),
    Edge("zeros are not above 0", (0.0,), ((3,), (0, -0.0, tiniest, minus_tiniest)), (0, 0, 3, 0)),
    Edge("a threshold near 0 counts as it is", (2.0**-24,),
         ((3,), (2.0**-24, beyond(2.0**-24), tiniest)), (0, 3, 0),
         kinds=("bfloat16", *WIDE)),
    *[Edge("no comparison with NaN holds", (threshold,), ((3, inf, nan), (nan,)),
           all_of(3, 0.0)) for threshold in (0.5, -inf, nan)],
    Edge("no number is above NaN", (nan,), ((3,), (0, 1, -1, inf, -inf)), all_of(5, 0.0)),
    Edge("the branch selects: nothing of a masked gradient is left", (0.5,),
         ((inf, -inf, nan, -1, -0.0), (0.25,)), all_of(5, 0.0)),
    Edge("a gradient that passes keeps its bits", (0.5,),
         ((inf, -inf, nan, -0.0, tiniest, minus_tiniest, largest), (1,)),
         (inf, -inf, nan, -0.0, tiniest, minus_tiniest, largest)),
    Edge("the threshold is narrowed to float32: 0.1 becomes larger than 0.1", (0.1,),
         ((1,), (0.1, 0.10000000149011612, 0.1000000015)), (0, 0, 1), kinds=("float64",)),
], more=[(0.1,), (-1.0,), (2.0**-133,), (inf,), (-inf,)], integers=("int8", "int32", "uint8"),
   of_integers=lambda grad, self, threshold: grad if self > threshold else 0)  # fmt: skip
