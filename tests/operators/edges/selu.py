"""Edges of selu."""

from math import expm1, inf, nan

from .entry import EVERYWHERE, TRAINING_A2_A3, Edge, Entry
from .values import minus_largest

SCALE, LIMIT = 1.05070098735548049342, 1.75809934084737685994

SELU = Entry(TRAINING_A2_A3, [()], [
    Edge("zeros keep their sign", (), ((0, -0.0),), (0, -0.0), steps=()),
    Edge("0 stays", (), ((0,),), (0,)),
    Edge("NaN and infinity stay", (), ((nan, inf),), (nan, inf)),
    Edge("positive inputs are multiplied by scale", (), ((1, 1024),), (SCALE, 1024 * SCALE),
         steps=(), ulp=1.0),
    Edge("the lower limit is -α·scale", (), ((-inf, -8192, minus_largest),), (-LIMIT,) * 3,
         steps=(), ulp=1.0),
    Edge("an exponential", (), ((-1,),), (-LIMIT * 0.63212055882855767840,), steps=(), ulp=2.0),
    Edge("next to 0 nothing cancels", (), ((-(2.0**-60),),), (-LIMIT * 2.0**-60,), steps=(),
         kinds=("float32", "float64", "bfloat16"), ulp=1.0),
], integers=("int8", "int32"),
   of_integers=lambda self: SCALE * self if self > 0 else LIMIT * expm1(self))  # fmt: skip

SELU_BACKWARD = Entry(EVERYWHERE, [()], [
    Edge("positive results have the slope scale", (), ((1, -2), (3,)), (SCALE, -2 * SCALE),
         steps=(), ulp=1.0),
    Edge("a result of 0 has that of the exponential", (), ((1, -2), (0, -0.0)),
         (LIMIT, -2 * LIMIT), steps=(), ulp=1.0),
    Edge("other results are added to the limit", (), ((1, 8), (-1, -1.75)),
         (LIMIT - 1, 8 * 0.00809934084737685994), steps=(), ulp=1.0),
    Edge("results below it have a negative slope", (), ((1,), (-8,)), (LIMIT - 8,), steps=(),
         ulp=1.0),
    Edge("NaN is not positive, and gives NaN", (), ((1, 0, nan), (nan, nan, 1)), (nan, nan, nan)),
    Edge("infinities multiply", (), ((inf, -inf, 1, 0), (1, 0, -inf, -inf)),
         (inf, -inf, -inf, nan)),
    Edge("next to the limit, its rounding is not lost", (), ((1,), (-1.7580993175506592,)),
         (2.329671768025e-08,), kinds=("float32",), steps=(), ulp=1.0),
], integers=("int8", "int32"),
   of_integers=lambda grad, result: grad * (SCALE if result > 0 else result + LIMIT))  # fmt: skip
