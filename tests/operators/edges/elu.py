"""Edges of elu, its gradient, and celu."""

from math import inf, nan

from .entry import EVERYWHERE, TRAINING_A2_A3, WIDE, Edge, Entry
from .values import all_of, largest, minus_largest, minus_tiniest, tiniest

#: 1 - 1/e and 1/e
RISE, INVERSE = 0.63212055882855767840, 0.36787944117144232160

ELU = Entry(EVERYWHERE, [(1.0, 1.0, 1.0), (1.7, 1.05, 0.3), (-0.7, 2.0, -1.5)], [
    Edge("positive inputs are multiplied by scale alone", (4.0, 2.0, 8.0), ((3, 0.5, inf),),
         (6, 1, inf)),
    Edge("zeros keep their sign", (2.0, 2.0, 2.0), ((0, -0.0),), (0, -0.0), steps=()),
    Edge("the lower limit is -α·scale", (4.0, 0.5, 1.0), ((-inf, -8192, minus_largest),),
         all_of(3, -2)),
    Edge("next to 0 nothing cancels", (1.0, 1.0, 1.0), ((minus_tiniest, tiniest),),
         (minus_tiniest, tiniest), steps=()),
    Edge("an exponential", (2.0, 0.5, 0.25), ((-4,),), (-RISE,), steps=(), ulp=2.5),
    Edge("NaN stays", (1.0, 1.0, 1.0), ((nan,),), (nan,)),
    Edge("a negative α turns the lower part over", (-2.0, 1.0, 1.0), ((-inf, 3),), (2, 3)),
    Edge("a negative input_scale lets it grow", (1.0, 1.0, -1.0), ((-inf, -8192, 3),),
         (inf, inf, 3)),
    Edge("α = 0 leaves zeros with its sign", (0.0, 1.0, 1.0), ((-1, -inf, 1),), (-0.0, -0.0, 1)),
    Edge("input_scale = 0 too; 0 times infinity is NaN", (1.0, 1.0, 0.0), ((-1, -inf),),
         (-0.0, nan), steps=()),
    Edge("an infinite α", (inf, 1.0, 1.0), ((-1, -0.0, 2),), (-inf, nan, 2)),
    Edge("an infinite input_scale", (2.0, 1.0, inf), ((-1, 0, 2),), (-2, nan, 2)),
    *[Edge("a NaN scalar leaves positive inputs, unless it is scale", scalars, ((2, -1),),
           (2, nan)) for scalars in ((nan, 1.0, 1.0), (1.0, 1.0, nan))],
    Edge("scale is part of both", (1.0, nan, 1.0), ((2, -1),), (nan, nan)),
    Edge("scalars are narrowed to float32", (1.0, 0.1, 1.0), ((1,),), (0.10000000149011612,),
         kinds=("float64",)),
    Edge("and beyond float32 infinite", (1e300, 1.0, 1.0), ((-1,),), (-inf,), kinds=WIDE),
], more=[(0.0, 1.0, 1.0), (1.0, 0.5, 0.5), (1.6732632, 1.0507009, 1.0)])  # fmt: skip

CELU = Entry(TRAINING_A2_A3, [(1.0,), (0.7,), (-3.0,)], [
    *[Edge("positive inputs stay", (alpha,), ((3, tiniest, largest, inf),),
           (3, tiniest, largest, inf)) for alpha in (1.0, -2.0, inf)],
    Edge("zeros keep their sign", (2.0,), ((0, -0.0),), (0, -0.0), steps=()),
    Edge("the lower limit is -α", (4.0,), ((-inf, minus_largest),), (-4, -4)),
    Edge("the slope below 0 begins with 1", (4.0,), ((-(2.0**-100),),), (-(2.0**-100),),
         kinds=("bfloat16", *WIDE), steps=()),
    Edge("an exponential", (4.0,), ((-4,),), (-4 * RISE,), steps=(), ulp=2.5),
    Edge("NaN stays", (1.0,), ((nan,),), (nan,)),
    Edge("a negative α lets the lower part fall", (-0.5,), ((-inf, -8192, 3),), (-inf, -inf, 3)),
    Edge("an infinite α gives infinity times 0", (inf,), ((-1, 0),), (nan, nan)),
    Edge("α is narrowed to float32", (0.1,), ((-inf,),), (-0.10000000149011612,),
         kinds=("float64",)),
], more=[(0.5,), (-1.0,), (100.0,)])  # fmt: skip

ELU_BACKWARD = Entry(EVERYWHERE, [
    (1.0, 1.0, 1.0, False), (1.0, 1.0, 1.0, True), (1.7, 1.05, 0.3, False), (1.7, 1.05, 0.3, True),
], [
    *[Edge("above 0 the slope is scale", (4.0, 2.0, 8.0, flag),
           ((3, -1, inf, nan, -0.0), (1,)), (6, -2, inf, nan, -0.0))
      for flag in (False, True, 0, 1)],
    *[Edge("at 0 it is that of the exponential", (4.0, 2.0, 0.5, flag), ((3,), (0, -0.0)),
           (12, 12)) for flag in (False, True)],
    *[Edge("NaN is not positive, and gives NaN", (1.0, 1.0, 1.0, flag), ((1, 0, inf), (nan,)),
           (nan, nan, nan)) for flag in (False, True)],
    Edge("from the input, the slope approaches 0", (1.0, 1.0, 1.0, False),
         ((3, -3), (-8192, -inf)), (0, -0.0)),
    Edge("an exponential", (2.0, 0.5, 0.25, False), ((4,), (-4,)), (INVERSE,), steps=(), ulp=2.5),
    Edge("the result at -inf has the slope 0", (4.0, 0.5, 1.0, True), ((3, -3), (-2,)), (0, -0.0)),
    Edge("results below the limit have a negative one", (4.0, 0.5, 2.0, True), ((3,), (-3,)),
         (-6,)),
    Edge("an infinite gradient stays that, however small the slope", (1.0, 1.0, 1.0, False),
         ((inf, -inf), (-8192, minus_largest)), (inf, -inf)),
    Edge("so does an infinite scale", (1.0, inf, 1.0, False), ((1, -1), (-8192, minus_largest)),
         (inf, -inf)),
    Edge("0 times infinity is NaN", (1.0, 1.0, 1.0, False), ((inf, nan), (-inf,)), (nan, nan)),
    Edge("as it is from a result", (1.0, 1.0, 1.0, True), ((inf, 0), (-1, -inf)), (nan, nan)),
    Edge("α may be negative beside inputs", (-2.0, 1.0, 1.0, False), ((3,), (0, 1)), (-6, 3)),
    Edge("α = 0 is allowed beside results", (0.0, 1.0, 1.0, True), ((3,), (-0.0, -2)), (0, -6)),
    Edge("scalars are narrowed to float32", (1.0, 0.1, 1.0, True), ((1,), (1,)),
         (0.10000000149011612,), kinds=("float64",)),
], more=[(-0.7, 1.0, 1.5, False), (1.0, 1.0, -1.0, False), (0.5, 2.0, 0.5, True)])  # fmt: skip
