"""Edges of softplus."""

from math import inf, nan

from .entry import EVERYWHERE, TRAINING_A2_A3, Edge, Entry
from .values import all_of, beyond, largest, minus_largest, tiniest

LN_2 = 0.6931471805599453

SOFTPLUS = Entry(EVERYWHERE, [(1.0, 20.0), (-2.5, 3.0), (0.75, 0.1)], [
    Edge("at 0 the logarithm of 2", (1.0, 20.0), ((0, -0.0),), (LN_2, LN_2), steps=(), ulp=1.0),
    Edge("it is divided by β", (2.0, 20.0), ((0,),), (LN_2 / 2,), steps=(), ulp=1.0),
    Edge("a negative β mirrors", (-1.0, 20.0), ((0,),), (-LN_2,), steps=(), ulp=1.0),
    Edge("large numbers stay", (1.0, 20.0), ((20.5, 21, 8192, largest, inf),),
         (20.5, 21, 8192, largest, inf)),
    Edge("z equal to the threshold is not above it", (1.0, 0.0), ((0, -0.0, tiniest),),
         (LN_2, LN_2, tiniest), steps=(), ulp=1.0),
    Edge("z is compared, not self", (2.0, 4.0), ((beyond(2.0), 8),), (beyond(2.0), 8)),
    Edge("no number is greater than NaN", (1.0, nan), ((inf, -inf, 8192),), (inf, 0, 8192),
         steps=()),
    Edge("NaN inputs give NaN", (1.0, 20.0), ((nan,),), (nan,)),
    *[Edge("β·self is NaN", (beta, 20.0), ((x,),), (nan,))
      for beta, x in ((0.0, inf), (0.0, -inf), (inf, 0.0), (nan, 1.0))],
    Edge("the exponential underflows", (1.0, 20.0), ((-8192, minus_largest, -inf),), (0, 0, 0)),
    Edge("with a negative β to -0", (-1.0, 20.0), ((8192, largest, inf),), (-0.0, -0.0, -0.0)),
    *[Edge("β = 0 is infinite where 0 is not above the threshold", (0.0, threshold),
           ((7, -9, 0),), (inf, inf, inf)) for threshold in (0.0, 20.0)],
    Edge("β = -0 as well", (-0.0, 20.0), ((7, -9, 0),), (-inf, -inf, -inf)),
    Edge("β = 0 keeps what 0 is above the threshold for", (0.0, -1.0), ((7, -9, nan),),
         (7, -9, nan)),
    Edge("β infinite: 0 below, the number above", (inf, 20.0), ((3, -3, inf, -inf),),
         (3, 0, inf, 0)),
    Edge("no threshold: it is stable, though the exponential overflows", (1.0, inf),
         ((128, 8192, largest, inf),), (128, 8192, largest, inf), steps=()),
    Edge("float64 data are computed in float64", (1.0, 20.0), ((-40,),),
         (4.248354255291589e-18,), kinds=("float64",), steps=(), ulp=1.0),
    Edge("the logarithm does not cancel", (1.0, 20.0), ((-40,),), (4.248354255291589e-18,),
         kinds=("float32",), ulp=2.0),
], more=[(0.7, 2.0), (3.0, 20.0), (0.0, 0.0), (0.0, -1.0), (1.0, nan), (inf, 20.0), (nan, 20.0),
         (3.0, inf), (3.0, -inf), (100.0, nan), (2.0**-20, 20.0), (0.1, 1.0)])  # fmt: skip

SOFTPLUS_BACKWARD = Entry(TRAINING_A2_A3, [(1.0, 20.0), (-2.5, 3.0), (0.75, 0.1)], [
    Edge("at 0 the logistic function is a half", (1.0, 20.0), ((1, -3), (0, -0.0)), (0.5, -1.5)),
    Edge("z equal to the threshold is not above it", (1.0, 0.0),
         ((1,), (0, -0.0, tiniest)), (0.5, 0.5, 1)),
    Edge("z is compared, not self", (2.0, 4.0), ((3,), (beyond(2.0), 8)), (3, 3)),
    Edge("no number is greater than NaN", (1.0, nan), ((2,), (0, -0.0, inf)), (1, 1, 2)),
    Edge("NaN inputs give NaN", (1.0, 20.0), ((1, 0, inf), (nan,)), (nan, nan, nan)),
    *[Edge("β·self is NaN", (beta, 20.0), ((1, -inf), (x,)), (nan, nan))
      for beta, x in ((0.0, inf), (0.0, -inf), (inf, 0.0), (nan, 1.0))],
    Edge("the exponential overflows: 0 with the gradient's sign", (1.0, 20.0),
         ((1, -1, 2, -2, largest), (-8192, -8192, -inf, -inf, -inf)), (0, -0.0, 0, -0.0, 0)),
    Edge("infinite gradients propagate", (1.0, 20.0),
         ((inf,), (1, -1, 30, -8192, minus_largest, inf)), all_of(6, inf)),
    Edge("infinite gradients propagate", (1.0, 20.0),
         ((-inf,), (1, -1, 30, -8192, minus_largest, inf)), all_of(6, -inf)),
    Edge("an infinite gradient over an infinite denominator", (1.0, 20.0),
         ((inf, -inf), (-inf,)), (nan, nan)),
    Edge("a NaN gradient propagates", (1.0, 20.0), ((nan,), (1, 30, -8192, -inf)), all_of(4, nan)),
    *[Edge("β = 0 halves where 0 is not above the threshold", (0.0, threshold),
           ((2, -4), (7, -9)), (1, -2)) for threshold in (0.0, 5.0)],
    Edge("β = 0 passes where 0 is above the threshold", (0.0, -1.0), ((2, -4), (7, -9)), (2, -4)),
    Edge("the quotient is right however large the exponential", (1.0, 20.0),
         ((2.0**126, -(2.0**126)), (-90,)), (0.06970695025678856, -0.06970695025678856),
         steps=(0, -0.0), kinds=("float32",), ulp=2.0),
    Edge("also where it is beyond float64", (1.0, 20.0),
         ((1e300, -1e308), (-715, -1440)), (3.0160979341335355e-11, -4.129964e-318),
         kinds=("float64",), ulp=1.0),
    Edge("float64 data are computed in float64: this is not a half", (1.0, 20.0),
         ((1,), (2.0**-30,)), (0.5 + 2.0**-32,), kinds=("float64",), steps=(0.5,)),
], more=[(0.7, 2.0), (-1.5, 1.0), (0.0, 0.0), (0.0, -1.0), (1.0, nan), (inf, 20.0), (nan, 20.0),
         (3.0, inf), (3.0, -inf), (100.0, nan)], float64=TRAINING_A2_A3)  # fmt: skip
