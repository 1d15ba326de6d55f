"""Edges of gelu."""

from math import inf, nan
from typing import Any

from .entry import EVERYWHERE, Edge, Entry
from .values import largest, minus_largest


def steps(x: Any, approximate: float) -> Any:
    """The operations in the documented order, with the constant of published results."""
    tanh = x / (-1.5957691 * (x + 0.044715 * (x * x * x))).one_plus_exp()
    return (approximate == 0.0).select(x * x.normal_cdf(), tanh)


GELU = Entry(EVERYWHERE, [("none",), ("tanh",)], [
    edge for form in ("none", "tanh", 0, 1) for edge in (
        Edge("zeros keep their sign", (form,), ((0, -0.0),), (0, -0.0)),
        Edge("infinity times 0 is NaN, although the limit is -0", (form,),
             ((-inf, inf, nan),), (nan, inf, nan)),
        Edge("the distribution function underflows: -0", (form,),
             ((-8192, minus_largest),), (-0.0, -0.0)),
        Edge("large inputs stay", (form,), ((64, largest),), (64, largest)),
    )
], steps=steps)  # fmt: skip

GELU_BACKWARD = Entry(EVERYWHERE, [("none",), ("tanh",)], [
    edge for form in ("none", "tanh", 0, 1) for edge in (
        Edge("at 0 the distribution function is a half", (form,),
             ((1, -3), (0, -0.0)), (0.5, -1.5)),
        Edge("0 times infinity: NaN, although the limits are 1 and 0", (form,),
             ((1, 0), (inf, -inf)), (nan, nan)),
        Edge("NaN inputs give NaN", (form,), ((1, 0, inf), (nan,)), (nan, nan, nan)),
        Edge("large inputs pass the gradient", (form,), ((3, -1), (30, 8192)), (3, -1)),
        Edge("from below, the derivative approaches 0", (form,),
             ((3, -1), (-8192, minus_largest)), (-0.0, 0)),
        Edge("gradients that are no numbers propagate", (form,),
             ((inf, -inf, nan, -0.0), (1,)), (inf, -inf, nan, -0.0)),
        Edge("the derivative is negative left of its zero", (form,),
             ((inf, 0), (-1,)), (-inf, -0.0)),
    )
])  # fmt: skip
