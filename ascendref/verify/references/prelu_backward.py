"""The reference for prelu_backward's first result: the gradient · (1 or the weight)."""

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
)


@compiled(parallel=True)
def factors(data: Doubles, other: Doubles, table: Doubles) -> None:
    """1 where the input is positive, else the weight."""
    for i in prange(data.size):
        put(table[i], 1.0 if data[i] > 0 else other[i], 0.0, 0.0)


def exact(x: float, other: float) -> Factor:
    """1 above 0, the weight elsewhere."""
    if x > 0:
        return exactly(Fraction(1))
    return exactly(Fraction(other)) if math.isfinite(other) and other != 0 else other


def steps(a: Arithmetic, g: Doubles, x: Doubles, other: Doubles) -> Doubles:
    """The product with the weight is rounded."""
    return np.where(x > 0, g, a.at("g·w", g * other))


REFERENCE = Reference(
    operator=OPERATORS["prelu_backward"],
    gradient="grad_output",
    data="self",
    other="weight",
    # a datum meets its own bits as the weight: both signs together are every weight
    settings=(Setting({}, "self"), Setting({}, "-self")),
    factors=factors,
    exact=exact,
    steps=steps,
    example=Example(
        {
            "grad_output": [[1.0, 2.0], [3.0, 4.0]],
            "self": [[-1.0, 2.0], [3.0, -4.0]],
            "weight": [0.25, 0.5],
        },
        {},
        ([[0.25, 2.0], [3.0, 2.0]], [-1.0, -16.0]),
    ),
    torch=TorchOperator(
        "_prelu_kernel_backward",
        lambda grad_output, self, weight: (grad_output, self, weight),
    ),
)
