"""Edges of logit."""

from math import inf, nan

from .entry import A2_A3, WIDE, Edge, Entry
from .values import ANYWHERE, all_of, minus_tiniest

LOGIT = Entry(A2_A3, [(-1.0,), (0.1,), (0.5,)], [
    *[Edge("nothing is clamped: infinite at 0 and 1, NaN outside", (eps,),
           ((0, -0.0, 1, minus_tiniest, -1, 2, inf, -inf, nan),),
           (-inf, -inf, inf, *all_of(6, nan))) for eps in (-1.0, -(2.0**-14), -inf, nan, None)],
    *[Edge("eps 0 clamps to 0 and 1", (eps,), ((0, -0.0, minus_tiniest, -inf, 1, 2, inf, nan),),
           (*all_of(4, -inf), *all_of(3, inf), nan)) for eps in (0.0, -0.0)],
    *[Edge("a half gives +0", (eps,), ((0.5,),), (0,)) for eps in (-1.0, 0.0, 0.25, 0.5)],
    Edge("inputs are clamped to eps and 1 - eps", (0.25,),
         ((0.25, 0, -inf, 0.75, 0.875, inf),),
         (*all_of(3, -1.0986122886681098), *all_of(3, 1.0986122886681098)), steps=(), ulp=1.5),
    Edge("above a half, the lower bound is compared first", (0.75,), ((0.5, 0.8125),),
         (1.0986122886681098, -1.0986122886681098), steps=(), ulp=1.5),
    Edge("eps 1: 1 below 1, 0 from there on", (1.0,), ((0, 0.5, -inf, 1, 2, inf, nan),),
         (*all_of(3, inf), *all_of(3, -inf), nan)),
    *[Edge("eps above 1 gives logarithms of negative numbers", (eps,), (ANYWHERE,),
           all_of(9, nan)) for eps in (1 + 2.0**-5, 2, 2.0**100, inf)],
    Edge("eps beyond float32 counts as infinite", (1e300,), ((0.5,),), (nan,), kinds=WIDE),
    Edge("1 - eps is evaluated in float32, where it is 1", (2.0**-26,),
         ((1 - 2.0**-30,),), (20.794415415867037,), kinds=("float64",), steps=(), ulp=1.0),
], more=[(0.0,), (1e-3,), (1.0,), (1.5,), (inf,), (nan,), (0.75,)])  # fmt: skip

LOGIT_GRAD = Entry(A2_A3, [(-1.0,), (0.1,), (0.5,)], [
    Edge("eps NaN gives NaN", (nan,), (ANYWHERE, (1,)), all_of(9, nan)),
    *[Edge("eps infinite gives 0", (inf,), (ANYWHERE, (dy,)), all_of(9, 0))
      for dy in (1, -1, nan, inf)],
    *[Edge("finite eps above 1 gives NaN", (eps,), (ANYWHERE, (1,)), all_of(9, nan))
      for eps in (1 + 2.0**-5, 2, 2.0**100)],
    Edge("eps beyond float32 counts as infinite", (1e300,), ((0.5,), (1,)), (0,), kinds=WIDE),
    *[Edge("eps 1 gives the gradient times infinity", (1.0,),
           (ANYWHERE, (dy,)), all_of(9, want))
      for dy, want in ((2, inf), (-2, -inf), (0, nan), (nan, nan), (-inf, -inf))],
    *[Edge("a NaN input gives NaN", (eps,), ((nan,), (1,)), (nan,))
      for eps in (-1.0, 0.0, 0.25, -inf)],
    *[Edge("eps below 0: NaN outside 0 and 1", (eps,),
           ((-1, 2, inf, -inf, minus_tiniest), (1,)), all_of(5, nan))
      for eps in (-1.0, -(2.0**-14), -inf, None)],
    *[Edge("outside eps and 1 - eps the result is +0, whatever the gradient", (0.25,),
           ((0.1875, 0.8125, 0, 1, inf, -inf), (dy,)), all_of(6, 0))
      for dy in (1, -1, inf, nan)],
    *[Edge("eps 0: +0 outside 0 and 1", (0.0,), ((-1, 2, inf, -inf), (dy,)), all_of(4, 0))
      for dy in (1, -1, inf, nan)],
    Edge("exactly eps and 1 - eps are inside", (0.25,), ((0.25, 0.75), (3,)), (16, 16)),
    Edge("eps above a half leaves nothing inside", (0.75,),
         ((0.125, 0.5, 0.8125, 0.875, inf), (3,)), all_of(5, 0)),
    *[Edge("0 and 1 give the gradient times infinity", (eps,), ((x,), (2, -2, 0, -0.0, nan)),
           (inf, -inf, nan, nan, nan)) for eps in (-1.0, 0.0, -0.0) for x in (0.0, -0.0, 1.0)],
    *[Edge("inside, the quotient", (eps,), ((0.5,), (3, -1, inf, -inf, nan, 0, -0.0)),
           (12, -4, inf, -inf, nan, 0, -0.0)) for eps in (-1.0, 0.0, 0.25, None)],
    Edge("1 - eps is evaluated in float32, where it is 1", (2.0**-26,),
         ((1 - 2.0**-30,), (1,)), (1073741825.0 + 2.0**-30,), kinds=("float64",), ulp=1.0),
    Edge("eps is narrowed to float32: 0.1 becomes larger than 0.1", (0.1,),
         ((0.1,), (1,)), (0,), kinds=("float64",)),
    Edge("the float32 below is less than 0.1", (0.0999999940395355,), ((0.1,), (1,)),
         (11.11111111111111,), kinds=("float64",), ulp=1.0),
], more=[(0.0,), (0.6,), (1.0,), (1.5,), (1e300,), (inf,), (-inf,), (nan,), (1e-6,),
         (0.75,)])  # fmt: skip
