"""The reference for softplus_backward: the gradient · 1 / (1 + exp(−β·self)) up to a threshold."""

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
    Enclosure,
    Example,
    Factor,
    Reference,
    Setting,
    TorchOperator,
    compiled,
    exactly,
    exponential,
    put,
)

#: relative error that the C library's exp is trusted with; libraries state one or two times 2**-53
_EXP_ERROR: Final = 2.0**-48
#: stands for a factor that float64 cannot hold: the product with any finite gradient rounds to 0,
#: and with an infinite one it is infinite
_TINY: Final = 2.0**-900
#: exp(-z) is beyond every product with a finite gradient, 1 + exp(-z) like 1 for every rounding
_FAR: Final = 2000


@compiled(parallel=True)
def factors(data: Doubles, other: Doubles, beta: float, threshold: float, table: Doubles) -> None:
    """1 / (1 + exp(-z)); z is exact, as a product of two float32."""
    for i in prange(data.size):
        z = beta * data[i]
        size = abs(z)
        if z > threshold or z == math.inf:
            put(table[i], 1.0, 0.0, 0.0)
        elif z != z:
            put(table[i], math.nan, 0.0, 0.0)
        elif z == -math.inf:
            put(table[i], 0.0, 0.0, 0.0)
        elif size < 2.0**-30:
            # 1/2 + z/4 - z**3/48 + ...: half of a subnormal gradient is a tie, which z decides
            put(table[i], 0.5, z / 4, size * size * size)
        else:
            power = math.exp(-size)
            value = 1 / (1 + power) if z > 0 else power / (1 + power)
            put(table[i], max(value, _TINY), 0.0, _EXP_ERROR * value)


def exact(x: float, other: float, beta: float, threshold: float) -> Factor:
    """1 / (1 + exp(-β·x)) up to the threshold."""
    if not (math.isfinite(x) and math.isfinite(beta)):
        z = beta * x
        if z != z:
            return math.nan
        return 1.0 if z > threshold or z > 0 else 0.0
    product = Fraction(beta) * Fraction(x)
    if threshold == -math.inf or (math.isfinite(threshold) and product > Fraction(threshold)):
        return exactly(Fraction(1))
    if product == 0:
        return exactly(Fraction(1, 2))

    def logistic(digits: int) -> Enclosure:
        z = max(min(product, Fraction(_FAR)), Fraction(-_FAR))
        low, high = exponential(-z, digits)
        return Enclosure(1 / (1 + high), 1 / (1 + low))

    return logistic


def steps(
    a: Arithmetic, g: Doubles, x: Doubles, other: Doubles, beta: float, threshold: float
) -> Doubles:
    """Product, exponential, sum and quotient are rounded."""
    rounded_beta, rounded_threshold = a.at("scalars", beta), a.at("scalars", threshold)
    z = a.at("z = β·x", rounded_beta * x)
    power = a.exp_at("e = exp(−z)", -z)
    logistic = a.at("g / s", g / a.at("s = 1 + e", 1 + power))
    return np.where((z > rounded_threshold) | (np.isinf(g) & (z > -math.inf)), g, logistic)


REFERENCE = Reference(
    operator=OPERATORS["softplus_backward"],
    gradient="grad_output",
    data="self",
    settings=tuple(
        Setting({"beta": beta, "threshold": threshold})
        for beta, threshold in ((1.0, 20.0), (0.5, 20.0), (3.0, 20.0), (1.0, 1.0))
    ),
    factors=factors,
    exact=exact,
    steps=steps,
    example=Example(
        {"grad_output": [1.0, 2.0, -3.0, 0.5], "self": [-1.0, 0.0, 1.0, 30.0]},
        {"beta": 1.0, "threshold": 20.0},
        ([0.2689414213699951, 1.0, -2.1931757358900146, 0.5],),
    ),
    interval=(-8.0, 8.0),
    thresholds=lambda beta, threshold: (threshold / beta if beta else 0.0,),
    torch=TorchOperator(
        "softplus_backward",
        lambda grad_output, self, beta, threshold: (grad_output, self, beta, threshold),
        out="grad_input",
    ),
)
