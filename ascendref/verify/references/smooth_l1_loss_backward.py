"""The reference for smooth_l1_loss_backward: the gradient · (d/β near zero, ±1 beyond) · norm."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import numpy as np
from numba import prange

from ...declaration.operator import OPERATORS
from ..oracles import (
    Arithmetic,
    Doubles,
    Example,
    Factor,
    Reference,
    Setting,
    TorchOperator,
    compiled,
    exactly,
    put,
    put_quotient,
    two_sum,
)

#: by the vendor's and PyTorch's number
_REDUCTIONS: Final = ("none", "mean", "sum")


def prepare(reduction: float, beta: float, size: int) -> tuple[float, float]:
    """β, and what the mean divides by."""
    return beta, float(size) if reduction == _REDUCTIONS.index("mean") else 1.0


@compiled(parallel=True)
def factors(data: Doubles, other: Doubles, beta: float, count: float, table: Doubles) -> None:
    """d / (β · count) near zero, ±1 / count beyond."""
    for i in prange(data.size):
        d, low = data[i] - other[i], 0.0
        if math.isfinite(d):
            d, low = two_sum(data[i], -other[i])
        size = abs(d)
        inside = size < beta or (size == beta and low * d < 0)
        if d != d:
            put(table[i], math.nan, 0.0, 0.0)
        elif inside and beta == math.inf:
            put(table[i], math.copysign(0.0, d), 0.0, 0.0)
        elif inside:
            put_quotient(table[i], d, low, beta * count)
        elif d == 0:
            put(table[i], 0.0, 0.0, 0.0)
        else:
            put_quotient(table[i], math.copysign(1.0, d), 0.0, count)


def exact(x: float, other: float, beta: float, count: float) -> Factor:
    """d / (β · count) where |d| < β, else the sign of d / count."""
    if not (math.isfinite(x) and math.isfinite(other)):
        d = x - other
        return d if d != d else exactly(Fraction(int(math.copysign(1, d)), int(count)))
    difference = Fraction(x) - Fraction(other)
    inside = beta == math.inf or abs(difference) < Fraction(beta)
    if difference == 0:
        return x - other if inside else 0.0
    if beta == math.inf:
        return math.copysign(0.0, difference)
    if inside:
        return exactly(difference / (Fraction(beta) * int(count)))
    return exactly(Fraction(1 if difference > 0 else -1, int(count)))


def steps(
    a: Arithmetic, g: Doubles, x: Doubles, other: Doubles, beta: float, count: float
) -> Doubles:
    """Difference, quotient and both products are rounded."""
    rounded_beta, norm = a.at("scalars", beta), a.at("scalars", 1 / count)
    d = a.at("d = x − t", x - other)
    slope = a.at("s = d / β", d / rounded_beta)
    sign = np.where(d == 0, 0.0, np.sign(d))
    slope = np.where(np.abs(d) < rounded_beta, slope, sign)
    return a.at("n·g", a.at("n = norm·s", norm * slope) * g)


REFERENCE = Reference(
    operator=OPERATORS["smooth_l1_loss_backward"],
    gradient="grad_out",
    data="self",
    other="target",
    settings=tuple(
        Setting({"reduction": reduction, "beta": beta}, target)
        for reduction, beta, target in (
            ("none", 1.0, 0.3),
            ("none", 1.0, 0.0),
            ("none", 0.7, 0.3),
            ("none", 0.0, 0.3),
            ("mean", 1.0, 0.3),
            ("mean", 0.7, 0.3),
        )
    ),
    prepare=prepare,
    factors=factors,
    exact=exact,
    steps=steps,
    example=Example(
        {
            "grad_out": [1.0, 1.0, 2.0, -1.0],
            "self": [0.5, 3.0, -4.0, 0.25],
            "target": [0.0, 0.0, 0.0, 1.0],
        },
        {"reduction": "mean", "beta": 3.0},
        ([1 / 24, 0.25, -0.5, 0.0625],),
    ),
    torch=TorchOperator(
        "smooth_l1_loss_backward",
        lambda grad_out, self, target, reduction, beta: (
            grad_out,
            self,
            target,
            _REDUCTIONS.index(reduction),
            beta,
        ),
        out="grad_input",
    ),
)
