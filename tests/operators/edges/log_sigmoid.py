"""Edges of the logarithm of the logistic function."""

from math import inf, nan
from typing import Any

from .entry import EVERYWHERE, TRAINING_A2_A3, Edge, Entry
from .values import largest, minus_largest


def steps(x: Any) -> Any:
    """In steps of F32, the documented operations; in half precision, fewer of them."""
    return (1.0 / (-x).one_plus_exp()).log() if x.kind == "float32" else -(-x).softplus()


LOG_SIGMOID = Entry(TRAINING_A2_A3, [()], [
    Edge("the limit at infinity is -0", (), ((inf,),), (-0.0,)),
    Edge("no limit below", (), ((-inf, nan),), (-inf, nan)),
    Edge("the exponential underflows: -0", (), ((8192, largest),), (-0.0, -0.0)),
    Edge("the exponential overflows: the input", (), ((-128, -8192, minus_largest),),
         (-128, -8192, minus_largest), steps=()),
    Edge("minus log 2 at 0", (), ((0, -0.0),), (-0.6931471805599453,) * 2, ulp=0.5, steps=()),
], steps=steps)  # fmt: skip

LOG_SIGMOID_BACKWARD = Entry(EVERYWHERE, [()], [
    Edge("a half at 0", (), ((1, -3), (0, -0.0)), (0.5, -1.5)),
    Edge("the gradient passes at -inf", (), ((3, -3, -0.0, inf), (-inf,)), (3, -3, -0.0, inf)),
    Edge("0 with the gradient's sign at inf", (), ((3, -3, largest, -0.0), (inf,)),
         (0, -0.0, 0, -0.0)),
    Edge("an infinite gradient over an infinite denominator", (), ((inf, -inf), (inf,)),
         (nan, nan)),
    Edge("infinite gradients propagate, however small the slope", (),
         ((inf, -inf, inf), (8192, largest, -8192)), (inf, -inf, inf)),
    Edge("NaN of either propagates", (), ((nan, nan, 0), (1, inf, nan)), (nan, nan, nan)),
    Edge("the slope is next to 1 far below", (), ((3, largest), (-8192, minus_largest)),
         (3, largest)),
])  # fmt: skip
