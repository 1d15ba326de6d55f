"""Judges of functions of lists of tensors."""

import numpy as np
from scipy import special

from .elementwise import of_numpy, power
from .judge import Judge, held, judged

LISTS = ["N 5", "3 4", ""]
POSITIVE = [f"{shape} +" for shape in LISTS]
FUNCTIONS = {
    **of_numpy("Abs Acos ACos Asin Atan Cos Cosh Exp Expm1 Log Log10 Log1p Log2 Sign Sin Sinh"),
    **of_numpy("Sqrt Tan Tanh"),
    **of_numpy("Erf Erfc", special),
    "Copy": np.array,
    "Neg": np.negative,
    "Reciprocal": lambda x: 1 / np.float64(x),
    "Sigmoid": special.expit,
    "Zero": np.zeros_like,
}
OPERATIONS = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.true_divide, "Pow": power,
    "Maximum": np.maximum, "Minimum": np.minimum,
}  # fmt: skip


def of_each(function):
    """Return a function of numbers as one of lists, and of a number or one for each member."""

    def applied(xs, *others):
        columns = [
            other if isinstance(other, list) else [*np.broadcast_to(other, len(xs))]
            for other in others
        ]
        return [function(*row) for row in zip(xs, *columns, strict=True)]

    return applied


def unscaled(xs, found, factor):
    """Return multiples of tensors, and whether one of them is not finite."""
    return [x * factor[0] for x in xs], np.float64([any(not np.isfinite(x).all() for x in xs)])


#: mode -> how numbers are rounded
ROUNDED = {
    1: np.rint,
    2: np.floor,
    3: np.ceil,
    4: lambda x: np.copysign(np.floor(abs(x) + 0.5), x),
    5: np.trunc,
}


def rounded(xs, mode):
    return [ROUNDED[int(np.ravel(mode)[0])](x) for x in xs]


#: halves of integers, ties to even, away and toward zero
HALVES = [lambda _: np.arange(-6, 7) / 2]
#: ending of a name -> what is the second operand
SECOND = {"List": POSITIVE, "Scalar": held([2]), "ScalarV2": 3, "ScalarList": [3, 2, 4]}
JUDGES: dict[str, Judge] = {
    **{name: judged(of_each(function), (LISTS,)) for name, function in FUNCTIONS.items()},
    **{
        f"{name}{ending}": judged(of_each(function), (LISTS, second))
        for name, function in OPERATIONS.items()
        for ending, second in SECOND.items()
    },
    **{
        f"{name}{ending}": judged(of_each(function), (LISTS, LISTS, alpha))
        for name, function in {
            "Add": lambda x, y, a: x + a * y,
            "Sub": lambda x, y, a: x - a * y,
        }.items()
        for ending, alpha in {"List": held([2]), "ListV2": 3}.items()
    },
    **{
        f"{name}{ending}": judged(of_each(function), (LISTS, LISTS, POSITIVE, factor))
        for name, function in {
            "Addcmul": lambda x, a, b, factor: x + factor * (a * b),
            "Addcdiv": lambda x, a, b, factor: x + factor * (a / b),
        }.items()
        for ending, factor in {
            "List": "3",
            "Scalar": held([2]),
            "ScalarV2": 2,
            "ScalarList": "3",
        }.items()
    },
    **{
        f"Lerp{ending}": judged(of_each(lambda x, y, w: x + w * (y - x)), (LISTS, LISTS, weight))
        for ending, weight in {"List": LISTS, "Scalar": 0.25}.items()
    },
    "NonFiniteCheckAndUnscale": judged(unscaled, (LISTS, held([0]), held([0.5])),
        (["3", held([np.inf])], held([0]), held([2]))),
    "Norm": judged(lambda xs, p: [(abs(x) ** p).sum() ** (1 / p) for x in xs], (["N 5", "3 4"], 2),
        (["2 5", "3 4"], 1)),
    "RoundOffNumber": judged(rounded, (LISTS, held([1])),
        *[(HALVES, held([mode])) for mode in (2, 3, 4, 5)]),
    "RoundOffNumberV2": judged(rounded, (LISTS, 1), *[(HALVES, mode) for mode in (2, 3, 4, 5)]),
    "PowScalarAndTensor": judged(lambda x, ys: [power(x, y) for y in ys], (2, POSITIVE)),
}  # fmt: skip
FOREACH: dict[str, Judge] = {f"Foreach{name}": judge for name, judge in JUDGES.items()}
