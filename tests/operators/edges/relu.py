"""Edges of relu."""

from math import inf, nan

from .entry import TRAINING_A2_A3, Edge, Entry
from .values import all_of, largest, minus_largest, minus_tiniest, tiniest

RELU = Entry(TRAINING_A2_A3, [()], [
    Edge("positive numbers stay", (), ((tiniest, 0.5, 1, largest, inf),),
         (tiniest, 0.5, 1, largest, inf)),
    Edge("the others give +0, -0 too", (), ((0, -0.0, minus_tiniest, -1, minus_largest, -inf),),
         all_of(6, 0.0)),
    Edge("NaN stays", (), ((nan,),), (nan,)),
], integers=("int8", "int32", "int64"), of_integers=lambda self: max(self, 0))  # fmt: skip
