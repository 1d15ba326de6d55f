"""The reference for logit_grad: the gradient / (x · (1 − x)), by the rules of eps outside."""

from __future__ import annotations

import math
from fractions import Fraction

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
    put_zero,
    two_product,
    two_sum,
)


def prepare(eps: float, size: int) -> tuple[float, float]:
    """The ends of the interval in which there is a gradient, if eps is not negative."""
    return eps, float(np.float32(1) - np.float32(eps))


@compiled(parallel=True)
def factors(data: Doubles, other: Doubles, low: float, high: float, table: Doubles) -> None:
    """1 / (x · (1 - x)) inside, by the rules of eps elsewhere."""
    for i in prange(data.size):
        x = data[i]
        if low != low or (low > 1 and low != math.inf):
            put(table[i], math.nan, 0.0, 0.0)
        elif low == math.inf:
            put_zero(table[i])
        elif low == 1:
            put(table[i], math.inf, 0.0, 0.0)
        elif x != x or (low < 0 and (x < 0 or x > 1)):
            put(table[i], math.nan, 0.0, 0.0)
        elif low >= 0 and (x < low or x > high):
            put_zero(table[i])
        elif x == 0 or x == 1:
            put(table[i], math.inf, 0.0, 0.0)
        else:
            rest, rest_low = two_sum(1.0, -x)
            product, product_low = two_product(x, rest)
            lower = product_low + x * rest_low
            value = 1 / product
            near, near_low = two_product(value, product)
            missing = (1 - near) - near_low
            error = (abs(missing) + value * (abs(product_low) + abs(x * rest_low))) / product
            put(table[i], value, (missing - value * lower) / product, 2.0**-50 * error)


def exact(x: float, other: float, low: float, high: float) -> Factor:
    """1 / (x·(1 - x)), by the first row of the table that applies."""
    rows: list[tuple[bool, Factor]] = [
        (math.isnan(low), math.nan),
        (low == math.inf, None),
        (low > 1, math.nan),
        (low == 1, math.inf),
        (math.isnan(x), math.nan),
        (low < 0 and (x < 0 or x > 1), math.nan),
        (low >= 0 and (x < low or x > high), None),
        (x in (0, 1), math.inf),
    ]
    for applies, factor in rows:
        if applies:
            return factor
    number = Fraction(x)
    return exactly(1 / (number * (1 - number)))


def steps(
    a: Arithmetic, g: Doubles, x: Doubles, other: Doubles, low: float, high: float
) -> Doubles:
    """Difference, product and quotient are rounded."""
    least, most = a.at("scalars", low), a.at("scalars", high)
    rest = a.at("r = 1 − x", 1 - x)
    inside = a.at("g / p", g / a.at("p = x·r", x * rest))
    edge = a.at("g / p", g * math.inf)
    everywhere = np.ones_like(x, np.bool_)
    return np.select(
        [
            everywhere & np.isnan(least),
            everywhere & (least == math.inf),
            everywhere & (least > 1),
            everywhere & (least == 1),
            np.isnan(x),
            (least < 0) & ((x < 0) | (x > 1)),
            (least >= 0) & ((x < least) | (x > most)),
            (x == 0) | (x == 1),
        ],
        [math.nan, 0.0, math.nan, edge, math.nan, math.nan, 0.0, edge],
        inside,
    )


REFERENCE = Reference(
    operator=OPERATORS["logit_grad"],
    gradient="dy",
    data="x",
    settings=tuple(Setting({"eps": eps}) for eps in (-1.0, 0.0, 1e-3)),
    prepare=prepare,
    factors=factors,
    exact=exact,
    steps=steps,
    example=Example(
        {"x": [0.25, 0.5, 0.75, 0.375], "dy": [1.0, -2.0, 3.0, 1.0]},
        {"eps": -1.0},
        ([16 / 3, -8.0, 16.0, 64 / 15],),
    ),
    interval=(0.01, 0.99),
    torch=TorchOperator(
        "logit_backward",
        lambda x, dy, eps: (dy, x, None if eps < 0 else eps),
        out="grad_input",
    ),
)
