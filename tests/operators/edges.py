"""Edges of the operators, written out by hand from what is documented: inputs and results.

Every operator has an entry, from which all tables of tests take it. Its rows are tried in every
element type and compute type that holds their numbers, scalars included.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any, NamedTuple

from ..support.rounding import FORMATS

#: a number, or the function that gives it for an element type
Number = float | Callable[[str], float]


class Edge(NamedTuple):
    """One row."""

    #: what the row shows, with the reason
    why: str
    scalars: tuple[Any, ...]
    #: the vectors of the operator's tensors; those of one element broadcast
    tensors: tuple[tuple[Number, ...], ...]
    result: tuple[Number, ...]
    #: the second result, for operators that have one
    sums: tuple[Number, ...] | None = None
    #: the result in arithmetic of fewer bits than the elements', or of half precision, where it is
    #: another one; () where it is none of interest
    steps: tuple[Number, ...] | None = None
    #: element types; all of them unless given
    kinds: tuple[str, ...] = tuple(FORMATS)
    #: the allowed error in F32 and F64 arithmetic
    ulp: float = 0.0


class Entry(NamedTuple):
    """What the tests know about one operator."""

    #: products that have it
    products: tuple[str, ...]
    #: scalars with which every table calls it
    scalars: list[tuple[Any, ...]]
    edges: list[Edge]
    #: further scalars, for tests of values
    more: list[tuple[Any, ...]] = []  # noqa: RUF012 - never changed


def tiniest(kind: str) -> float:
    """Return the smallest subnormal of a type."""
    form = FORMATS[kind]
    return 2.0 ** (1 - form.bias - form.fraction)


def minus_tiniest(kind: str) -> float:
    """Return the negative subnormal next to 0."""
    return -tiniest(kind)


def largest(kind: str) -> float:
    """Return the largest number of a type."""
    form = FORMATS[kind]
    return 2.0**form.bias * (2 - 2.0**-form.fraction)


def minus_largest(kind: str) -> float:
    """Return the smallest number of a type."""
    return -largest(kind)


def beyond(power: float) -> Callable[[str], float]:
    """Return what gives the number next to a power of 2, away from 0."""
    return lambda kind: power * (1 + 2.0 ** -FORMATS[kind].fraction)


def within(power: float) -> Callable[[str], float]:
    """Return what gives the number next to a power of 2, towards 0."""
    return lambda kind: power * (1 - 2.0 ** -(FORMATS[kind].fraction + 1))


ANYWHERE = (0.0, -0.0, 0.5, 1.0, -1.0, 2.0, inf, -inf, nan)
TRAINING_A2_A3 = ("Atlas training", "Atlas A2", "Atlas A3")
EVERYWHERE = ("Atlas training", "Atlas inference", "Atlas A2", "Atlas A3")
WIDE = ("float32", "float64")


def all_of(count: int, value: float) -> tuple[float, ...]:
    """Return a vector of one value."""
    return (value,) * count


HARDSHRINK = Entry(
    TRAINING_A2_A3,
    [(0.5,), (0.0,), (nan,)],
    [
        Edge("at exactly ±λ the gradient is masked", (0.5,),
             ((3,), (0.5, -0.5, beyond(0.5), beyond(-0.5))), (0, 0, 3, 3)),
        Edge("no comparison with NaN holds", (0.5,), ((3, nan), (nan, nan)), (0, 0)),
        Edge("the branch selects: nothing of a masked gradient is left", (0.5,),
             ((inf, -inf, nan, -1, -0.0), (0.25,)), all_of(5, 0.0)),
        Edge("a gradient that passes keeps its bits", (0.5,),
             ((inf, -inf, nan, -0.0, tiniest, minus_tiniest, largest), (1,)),
             (inf, -inf, nan, -0.0, tiniest, minus_tiniest, largest)),
        *[Edge("a negative λ counts as 0", (lambd,),
               ((2,), (0, -0.0, tiniest, minus_tiniest, 1, -1)), (0, 0, 2, 2, 2, 2))
          for lambd in (0.0, -0.0, -1.0, -inf)],
        *[Edge("λ NaN and λ infinite mask everything", (lambd,),
               ((2,), (0, 5, -inf, inf, nan)), all_of(5, 0.0)) for lambd in (nan, inf)],
        Edge("an infinite input passes under a finite λ", (8192.0,), ((2, 3), (inf, -inf)), (2, 3)),
        Edge("λ is narrowed to float32: 0.1 becomes larger than 0.1", (0.1,),
             ((1,), (0.1, 0.10000000149011612, 0.1000000015)), (0, 0, 1), kinds=("float64",)),
    ],
    more=[(0.1,), (-1.0,), (2.0**-133,), (inf,), (-inf,)],
)  # fmt: skip

SOFTPLUS = Entry(
    TRAINING_A2_A3,
    [(1.0, 20.0), (-2.5, 3.0), (0.75, 0.1)],
    [
        Edge("at 0 the logistic function is a half", (1.0, 20.0),
             ((1, -3), (0, -0.0)), (0.5, -1.5)),
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
        Edge("a NaN gradient propagates", (1.0, 20.0), ((nan,), (1, 30, -8192, -inf)),
             all_of(4, nan)),
        *[Edge("β = 0 halves where 0 is not above the threshold", (0.0, threshold),
               ((2, -4), (7, -9)), (1, -2)) for threshold in (0.0, 5.0)],
        Edge("β = 0 passes where 0 is above the threshold", (0.0, -1.0),
             ((2, -4), (7, -9)), (2, -4)),
        Edge("the quotient is right however large the exponential", (1.0, 20.0),
             ((2.0**126, -(2.0**126)), (-90,)), (0.06970695025678856, -0.06970695025678856),
             steps=(0, -0.0), kinds=("float32",), ulp=2.0),
        Edge("also where it is beyond float64", (1.0, 20.0),
             ((1e300, -1e308), (-715, -1440)), (3.0160979341335355e-11, -4.129964e-318),
             kinds=("float64",), ulp=1.0),
        Edge("float64 data are computed in float64: this is not a half", (1.0, 20.0),
             ((1,), (2.0**-30,)), (0.5 + 2.0**-32,), kinds=("float64",), steps=(0.5,)),
    ],
    more=[(0.7, 2.0), (-1.5, 1.0), (0.0, 0.0), (0.0, -1.0), (1.0, nan), (inf, 20.0), (nan, 20.0),
          (3.0, inf), (3.0, -inf), (100.0, nan)],
)  # fmt: skip

PRELU = Entry(
    TRAINING_A2_A3,
    [()],
    [
        *[Edge("the first branch selects: no weight leaks into it", (),
               ((2, -0.0), (1, inf), (leak,)), (2, -0.0), (0,)) for leak in (inf, -inf, nan)],
        Edge("no gradient of a positive input leaks into the sum", (),
             ((inf, nan, -1), (1, 2, 3), (1,)), (inf, nan, -1), (0,)),
        Edge("NaN is not above 0: the second branch", (),
             ((4, 1), (nan, -1), (0.5,)), (2, 0.5), (nan,)),
        Edge("±0 take the second branch", (), ((4, 4), (0, -0.0), (0.5,)), (2, 2), (0,)),
        *[Edge("a single term of -0 sums to -0", (), ((grad,), (x,), (1,)), (grad,), (-0.0,))
          for grad, x in ((1, -0.0), (-1, 0.0), (-0.0, 0.0))],
        Edge("a masked term is +0", (), ((1, 1), (-0.0, 5), (1,)), (1, 1), (0,)),
        Edge("infinite terms of both signs", (),
             ((inf, -inf), (-1, -1), (1,)), (inf, -inf), (nan,)),
    ],
)  # fmt: skip

SMOOTH_L1 = Entry(
    EVERYWHERE,
    [("mean", 1.0), ("none", 0.3), ("sum", 0.0), ("none", 1e-40)],
    [
        Edge("|d| equal to β is not below it", ("none", 0.5),
             ((1,), (0.5, -0.5, within(0.5)), (0,)), (1, -1, within(1.0))),
        Edge("below β the slope is d/β", ("none", 2.0),
             ((3,), (0.25, -0.5, 0), (0,)), (0.375, -0.75, 0)),
        Edge("β = 0 is the gradient of L1", ("none", 0.0),
             ((2,), (tiniest, minus_tiniest, 5, -inf), (0,)), (2, -2, 2, -2)),
        Edge("the sign of no difference is 0, and 0·inf NaN", ("none", 0.0),
             ((3, -3, inf, 3), (0, 0, 0, -0.0), (0,)), (0, -0.0, nan, 0)),
        *[Edge("NaN differences give NaN", ("sum", beta),
               ((1,), (nan, inf, 1), (0, inf, nan)), (nan, nan, nan)) for beta in (0.0, 1.0, inf)],
        *[Edge("an infinite difference is never below β", ("none", beta),
               ((2,), (inf, -inf), (0,)), (2, -2)) for beta in (0.0, 1.0, inf)],
        Edge("β infinite gives zero slopes", ("none", inf), ((2,), (5, -5), (0,)), (0, -0.0)),
        Edge("β beyond float32 is infinite", ("none", 3.5e38), ((2,), (5, -5), (0,)), (0, -0.0),
             kinds=WIDE),
        Edge("d is divided by β, not multiplied by its inverse", ("none", 0.30000001192092896),
             ((1,), (0.05000000074505806,), (0,)), (0.16666665673255920,), kinds=("float32",)),
        *[Edge("the mean is over all results", (mean, 1.0),
               ((1, 1, 2, 1), (0.5, -1, 3, 0), (0,)), (0.125, -0.25, 0.5, 0))
          for mean in ("mean", 1)],
        *[Edge("no reduction and a sum multiply by 1", (other, 1.0),
               ((1, 1, 2, 1), (0.5, -1, 3, 0), (0,)), (0.5, -1, 2, 0))
          for other in ("none", 0, "sum", 2)],
        Edge("broadcast elements count", ("mean", 1.0), ((12,), (5, 5, 5), (0,)), (4, 4, 4)),
        Edge("the norm is not rounded to float32", ("mean", 1.0), ((41,), all_of(41, 9), (0,)),
             all_of(41, 1), kinds=WIDE, steps=()),
    ],
    more=[("mean", 0.3), ("none", 1.0), (1, 0.0), (0, 0.0), (2, 2.0**-140), (0, 2.0**100),
          ("sum", 1e-300), ("sum", 0.1)],
)  # fmt: skip

LOGIT = Entry(
    ("Atlas A2", "Atlas A3"),
    [(-1.0,), (0.1,), (0.5,)],
    [
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
    ],
    more=[(0.0,), (0.6,), (1.0,), (1.5,), (1e300,), (inf,), (-inf,), (nan,), (1e-6,), (0.75,)],
)  # fmt: skip

SILU = Entry(
    EVERYWHERE,
    [()],
    [
        Edge("zeros keep their sign", (), ((0, -0.0),), (0, -0.0)),
        Edge("the quotient of infinities is NaN, although the limit is -0", (),
             ((-inf, inf, nan),), (nan, inf, nan)),
        Edge("the exponential overflows: -0", (), ((-8192, minus_largest),), (-0.0, -0.0)),
        Edge("large inputs stay", (), ((64, 8192, largest),), (64, 8192, largest)),
    ],
)  # fmt: skip

LOGIT_FORWARD = Entry(
    ("Atlas A2", "Atlas A3"),
    [(-1.0,), (0.1,), (0.5,)],
    [
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
    ],
    more=[(0.0,), (1e-3,), (1.0,), (1.5,), (inf,), (nan,), (0.75,)],
)  # fmt: skip

GELU = Entry(
    EVERYWHERE,
    [("none",), ("tanh",)],
    [
        edge for form in ("none", "tanh", 0, 1) for edge in (
            Edge("at 0 the distribution function is a half", (form,),
                 ((1, -3), (0, -0.0)), (0.5, -1.5)),
            Edge("0 times infinity: NaN, although the limits are 1 and 0", (form,),
                 ((1, 0), (inf, -inf)), (nan, nan)),
            Edge("NaN inputs give NaN", (form,), ((1, 0, inf), (nan,)), (nan, nan, nan)),
            Edge("large inputs pass the gradient", (form,),
                 ((3, -1), (30, 8192)), (3, -1)),
            Edge("from below, the derivative approaches 0", (form,),
                 ((3, -1), (-8192, minus_largest)), (-0.0, 0)),
            Edge("gradients that are no numbers propagate", (form,),
                 ((inf, -inf, nan, -0.0), (1,)), (inf, -inf, nan, -0.0)),
            Edge("the derivative is negative left of its zero", (form,),
                 ((inf, 0), (-1,)), (-inf, -0.0)),
        )
    ],
)  # fmt: skip

BINARY_CROSS_ENTROPY = Entry(
    EVERYWHERE,
    [("none",)],
    [
        Edge("each logarithm is at least -100", ("none",),
             ((0, -0.0, 1, 0, 1), (1, 1, 0, 0.5, 0.25), (1,)), (100, 100, 100, 50, 75)),
        Edge("also of numbers below exp(-100)", ("none",),
             ((2.0**-145,), (1, 0.5), (1,)), (100, 50), kinds=WIDE),
        Edge("a right prediction costs nothing", ("none",),
             ((0, 1), (0, 1), (1,)), (0, -0.0), steps=()),
        Edge("a half costs ln 2, whatever the target", ("none",),
             ((0.5,), (0, 1, 0.25), (1, 1, 2)), (0.6931471805599453, 0.6931471805599453,
             1.3862943611198906), steps=(), ulp=1.0),
        Edge("logarithms of negative numbers are NaN", ("none",),
             ((-1, 2, inf, -inf, nan, minus_tiniest), (0.5,), (1,)), all_of(6, nan)),
        Edge("a NaN target or weight gives NaN", ("none",),
             ((0.5,), (nan, 0), (1, nan)), (nan, nan)),
        Edge("a weight of 0 leaves +0", ("none",), ((0.5, 0), (1,), (0,)), (0, 0)),
        Edge("an infinite weight of no loss is NaN", ("none",),
             ((0, 0.5), (0,), (inf,)), (nan, inf)),
    ],
)  # fmt: skip

BINARY_CROSS_ENTROPY_BACKWARD = Entry(
    EVERYWHERE,
    [("mean",), ("none",)],
    [
        Edge("at a half the denominator is a quarter", ("none",),
             ((3,), (0.5,), (0, 1, 0.5, 0.25), (1,)), (6, -6, 0, 3)),
        Edge("the denominator is at least 1e-12", ("none",),
             ((1, 1, -2, 1), (0, 1, -0.0, 2), (1, 0, 1, 0), (1,)), (-1e12, 1e12, 2e12, 2e12),
             kinds=("float32", "float64"), steps=(), ulp=1.0),
        Edge("a right prediction has no gradient", ("none",),
             ((1, -1, inf), (0, 1, 1), (0, 1, 1), (1,)), (0, -0.0, nan),
             kinds=("bfloat16", *WIDE), steps=()),
        Edge("NaN inputs, targets and weights give NaN", ("none",),
             ((0, 1, inf), (nan, 0.5, 0.5), (0, nan, 0), (1, 1, nan)), (nan, nan, nan)),
        Edge("weight and gradient multiply", ("sum",),
             ((3, -1, inf, 0), (0.5,), (0,), (2, inf, 1, inf)), (12, -inf, inf, nan)),
        *[Edge("the mean is over all elements", (mean,),
               ((2, 2, 4, -2), (0.5,), (0, 1, 0, 1), (1,)), (1, -1, 2, 1))
          for mean in ("mean", 1)],
    ],
    more=[("sum",)],
)  # fmt: skip

ENTRIES = {
    "binary_cross_entropy": BINARY_CROSS_ENTROPY,
    "binary_cross_entropy_backward": BINARY_CROSS_ENTROPY_BACKWARD,
    "gelu_backward": GELU,
    "logit": LOGIT_FORWARD,
    "silu": SILU,
    "hardshrink_backward": HARDSHRINK,
    "softplus_backward": SOFTPLUS,
    "prelu_backward": PRELU,
    "smooth_l1_loss_backward": SMOOTH_L1,
    "logit_grad": LOGIT,
}
