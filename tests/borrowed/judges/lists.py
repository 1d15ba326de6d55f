"""Judges of functions of lists of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from .elementwise import power
from .judge import Judge, judged

LISTS = ["N 5", "3 4", ""]
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Abs": np.abs,
    "Acos": np.arccos,
    "ACos": np.arccos,
    "Asin": np.arcsin,
    "Atan": np.arctan,
    "Copy": np.array,
    "Cos": np.cos,
    "Cosh": np.cosh,
    "Erf": special.erf,
    "Erfc": special.erfc,
    "Exp": np.exp,
    "Expm1": np.expm1,
    "Log": np.log,
    "Log10": np.log10,
    "Log1p": np.log1p,
    "Log2": np.log2,
    "Neg": np.negative,
    "Reciprocal": lambda x: 1 / np.float64(x),
    "Sigmoid": special.expit,
    "Sign": np.sign,
    "Sin": np.sin,
    "Sinh": np.sinh,
    "Sqrt": np.sqrt,
    "Tan": np.tan,
    "Tanh": np.tanh,
    "Zero": np.zeros_like,
}
OPERATIONS: dict[str, Callable[..., Any]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.true_divide,
    "Pow": power,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
}


def of_each(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of numbers as one of lists, and of a number or one for each member."""

    def applied(xs: Any, *others: Any) -> Any:
        columns = [
            other if isinstance(other, list) else [*np.broadcast_to(other, len(xs))]
            for other in others
        ]
        return [function(*row) for row in zip(xs, *columns, strict=True)]

    return applied


def unscaled(xs: Any, found: Any, factor: Any) -> Any:
    """Return multiples of tensors, and whether one of them is not finite."""
    return [x * factor[0] for x in xs], np.float64([any(not np.isfinite(x).all() for x in xs)])


def positive(number: float) -> Any:
    """Return a function that makes a tensor of one number."""
    return lambda _: [number]


def add(x: Any, y: Any, alpha: Any) -> Any:
    """Return x + α·y."""
    return x + alpha * y


def lerp(x: Any, y: Any, weight: Any) -> Any:
    """Return what lies between x and y."""
    return x + weight * (y - x)


def addcmul(x: Any, a: Any, b: Any, factor: Any) -> Any:
    """Return x + s·a·b."""
    return x + factor * (a * b)


def addcdiv(x: Any, a: Any, b: Any, factor: Any) -> Any:
    """Return x + s·a/b."""
    return x + factor * (a / b)


#: mode -> how numbers are rounded
ROUNDED: dict[int, Callable[..., Any]] = {
    1: np.rint,
    2: np.floor,
    3: np.ceil,
    4: lambda x: np.copysign(np.floor(abs(x) + 0.5), x),
    5: np.trunc,
}


def rounded(xs: Any, mode: Any) -> Any:
    """Return tensors of integers."""
    return [ROUNDED[int(np.ravel(mode)[0])](x) for x in xs]


#: halves of integers, ties to even, away and toward zero
HALVES = lambda _: np.arange(-6, 7) / 2  # noqa: E731
POSITIVE = [f"{shape} +" for shape in LISTS]
JUDGES: dict[str, Judge] = {
    **{name: judged(of_each(function), LISTS) for name, function in FUNCTIONS.items()},
    **{
        f"{name}List": judged(of_each(function), LISTS, POSITIVE)
        for name, function in OPERATIONS.items()
    },
    **{
        f"{name}Scalar": judged(of_each(function), LISTS, positive(2))
        for name, function in OPERATIONS.items()
    },
    **{
        f"{name}ScalarV2": judged(of_each(function), LISTS, 3)
        for name, function in OPERATIONS.items()
    },
    **{
        f"{name}ScalarList": judged(of_each(function), LISTS, [3, 2, 4])
        for name, function in OPERATIONS.items()
    },
    "AddList": judged(of_each(add), LISTS, LISTS, positive(2)),
    "AddListV2": judged(of_each(add), LISTS, LISTS, 3),
    "SubList": judged(of_each(lambda x, y, a: x - a * y), LISTS, LISTS, positive(2)),
    "SubListV2": judged(of_each(lambda x, y, a: x - a * y), LISTS, LISTS, 3),
    **{
        f"Addc{kind}{form}": judged(of_each(function), LISTS, LISTS, POSITIVE, factor)
        for kind, function in (("mul", addcmul), ("div", addcdiv))
        for form, factor in (
            ("List", "3"),
            ("Scalar", positive(2)),
            ("ScalarV2", 2),
            ("ScalarList", "3"),
        )
    },
    "LerpList": judged(of_each(lerp), LISTS, LISTS, LISTS),
    "LerpScalar": judged(of_each(lerp), LISTS, LISTS, 0.25),
    "NonFiniteCheckAndUnscale": judged(unscaled, LISTS, positive(0), positive(0.5)).also(
        ["3", positive(np.inf)], positive(0), positive(2)
    ),
    "Norm": judged(
        lambda xs, p: [(abs(x) ** p).sum() ** (1 / p) for x in xs], ["N 5", "3 4"], 2
    ).also(["2 5", "3 4"], 1),
    "RoundOffNumber": judged(rounded, LISTS, positive(1))
    .also([HALVES], positive(2))
    .also([HALVES], positive(3))
    .also([HALVES], positive(4))
    .also([HALVES], positive(5)),
    "RoundOffNumberV2": judged(rounded, LISTS, 1)
    .also([HALVES], 2)
    .also([HALVES], 3)
    .also([HALVES], 4)
    .also([HALVES], 5),
    "PowScalarAndTensor": judged(lambda x, ys: [power(x, y) for y in ys], 2, POSITIVE),
}
FOREACH: dict[str, Judge] = {f"Foreach{name}": judge for name, judge in JUDGES.items()}
